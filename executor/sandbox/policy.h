// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QByteArray>
#include <QList>
#include <QMap>
#include <QString>
#include <QStringList>

#include <chrono>
#include <optional>

namespace deskhand::sandbox {

// The policy model: what a command may touch, as plain values. How a policy is read from JSON is
// policyloader.h, what it means for a path is evaluator.h, how a platform enforces it is elsewhere.

enum class Access { Deny, Read, Write };
enum class Enforcement {
    Managed, ///< we build the wall
    External, ///< the caller already isolates us; the network part still applies
    None ///< no wall: only time, output and the tree's end are ours
};

/// What a rule applies to.
struct RuleTarget
{
    enum class Kind {
        Root, ///< the whole disk
        Minimal, ///< what programs need to start: /bin, /usr, /etc, ...
        WorkspaceRoots, ///< each workspace root, or `path` below each
        TemporaryFolder, ///< $TMPDIR of the engine
        SlashTmp, ///< /tmp
        Path, ///< absolute, or "~/..." below the home directory
        Glob, ///< only with Access::Deny
        Unknown ///< kept, reported once, without effect
    };
    Kind kind = Kind::Path;
    QString path; ///< for WorkspaceRoots, Path, Glob; the original text for Unknown

    friend bool operator==(const RuleTarget &, const RuleTarget &) = default;
};

/// What happens when a rule's path does not exist at the start.
enum class OnMissing {
    Default, ///< Skip for write, Guard for read and deny inside a writable root
    Skip,
    Guard, ///< keep it from being created
    Error
};

struct FileRule
{
    RuleTarget target;
    Access access = Access::Read;
    OnMissing onMissing = OnMissing::Default;

    friend bool operator==(const FileRule &, const FileRule &) = default;
};

enum class Scratch { Private, Host, None };

struct FilePolicy
{
    QList<FileRule> rules
        = { { { RuleTarget::Kind::Root, {} }, Access::Read, OnMissing::Default } };
    Scratch scratch = Scratch::Private;
    qint64 scratchBytes = 512LL * 1024 * 1024; ///< /tmp, /var/tmp and /dev/shm together
    QStringList protectedNames = defaultProtectedNames();
    QStringList watchedNames = defaultWatchedNames();
    QStringList secretPaths = defaultSecretPaths();
    /// Written like secretPaths, by the owner: no rule, workspace or grant opens them.
    QStringList ownerSecrets;
    int globMaxDepth = 8;
    int globMaxMatches = 8192;

    /// Names at the top of each writable root that stay read-only and cannot be created.
    [[nodiscard]] static QStringList defaultProtectedNames();
    /// Allowed, and reported when they changed.
    [[nodiscard]] static QStringList defaultWatchedNames();
    /// "~/..." or absolute; a trailing "*" matches within one name.
    [[nodiscard]] static QStringList defaultSecretPaths();
};

enum class NetworkMode { Off, Local, Proxy, Full };

struct NetworkPolicy
{
    NetworkMode mode = NetworkMode::Off;
    QMap<QString, bool> domains; ///< pattern (host, *.host, **.host) to allowed or not; deny wins
    QStringList unixSockets; ///< paths reachable in full mode
    bool limitedMethods = false; ///< plain HTTP: GET, HEAD and OPTIONS only
    QList<int> extraPorts; ///< CONNECT beyond 443, and plain HTTP beyond 80
};

/// 0 means no limit.
struct LimitPolicy
{
    std::chrono::milliseconds wall { 120'000 };
    std::chrono::milliseconds grace { 2'000 };
    qint64 memoryBytes = 0; ///< of the whole tree; filled by withSystemDefaults()
    int processes = 512; ///< processes and threads
    int niceness = 5;
    qint64 fileBytes = 4LL * 1024 * 1024 * 1024;
    qint64 growthReportBytes = 2LL * 1024 * 1024 * 1024;
    qint64 growthStopBytes = 8LL * 1024 * 1024 * 1024;
    qint64 freeSpaceStopBytes = 1LL * 1024 * 1024 * 1024;
    qint64 newFilesStop = 200'000; ///< entries made in writable roots
    int openFiles = 4096;
    qint64 outputBytes = 1024 * 1024; ///< retained for each stream
    static constexpr std::chrono::milliseconds kWallCeiling { 3'600'000 };

    /// Memory becomes the lesser of 4 GiB and half of this computer's.
    [[nodiscard]] static LimitPolicy withSystemDefaults();
};

struct EnvironmentPolicy
{
    enum class Start { Core, All, None };
    Start start = Start::Core;
    QStringList excludes; ///< name patterns with * and ?
    QMap<QString, QString> sets;
    QStringList includeOnly; ///< when not empty, nothing else stays
};

struct PermissionProfile
{
    QString id = kWorkspace;
    Enforcement enforcement = Enforcement::Managed;
    FilePolicy files;
    NetworkPolicy network;
    LimitPolicy limits;
    EnvironmentPolicy environment;

    static inline const QString kReadOnly = QStringLiteral(":read-only");
    static inline const QString kWorkspace = QStringLiteral(":workspace");
    static inline const QString kFullAccess = QStringLiteral(":danger-full-access");

    [[nodiscard]] static PermissionProfile readOnly();
    [[nodiscard]] static PermissionProfile workspace();
    [[nodiscard]] static PermissionProfile fullAccess();
    /// One of the three; nothing for another name.
    [[nodiscard]] static std::optional<PermissionProfile> builtIn(const QString &id);
};

[[nodiscard]] QString accessName(Access access);
[[nodiscard]] QString networkModeName(NetworkMode mode);
[[nodiscard]] std::optional<NetworkMode> networkModeFromName(const QString &name);

} // namespace deskhand::sandbox
