// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/common/result.h"
#include "executor/sandbox/policy.h"

namespace deskhand::sandbox {

/// What the owner of this computer says about every run, whoever asks for it. Plain value, any
/// thread. 0 and empty leave what the profile has.
struct OwnerPolicy
{
    Scratch scratch = Scratch::Private; ///< Host: the computer's own, which :workspace may change
    int scratchMegabytes = 0; ///< /tmp, /var/tmp and /dev/shm together
    QStringList secretPaths; ///< besides the usual ones; nothing opens them
    QStringList allowedHosts; ///< patterns as in DomainRules
    QStringList deniedHosts; ///< beat the allowed ones, and every answer
    int memoryMegabytes = 0; ///< of a run's whole tree
    int processes = 0; ///< processes and threads of a run
    int timeSeconds = 0;
    int growthMegabytes = 0; ///< what a run may add to its writable folders
    int outputKilobytes = 0; ///< kept of each stream
    [[nodiscard]] bool operator==(const OwnerPolicy &other) const = default;

    static constexpr int kLeastScratch = 16;
    static constexpr int kMostScratch = 64 * 1024;
    static constexpr int kLeastMemory = 64;
    static constexpr int kMostMemory = 1024 * 1024;
    static constexpr int kLeastProcesses = 16; ///< fewer keep many programs from starting
    static constexpr int kMostProcesses = 100'000;
    static constexpr int kMostSeconds = LimitPolicy::kWallCeiling.count() / 1000;
    static constexpr int kMostGrowth = 1024 * 1024;
    static constexpr int kMostOutput = 256 * 1024;
    static constexpr int kMostEntries = 200; ///< of each list

    /// Lays it over a profile. Where there is no wall only time and output apply. Listed hosts make
    /// the network of :workspace the proxy; :read-only stays without any. Denied hosts make a full
    /// network the proxy too.
    void applyTo(PermissionProfile &profile) const;
    /// The hosts as a profile has them.
    [[nodiscard]] QMap<QString, bool> domains() const;
};

/// An absolute path or "~/...", only its last name with "*", "?" or "[". The whole disk, the whole
/// home and a path with ".." in it are errors. Usage error without the key's name.
[[nodiscard]] Result<> checkSecretPath(const QString &path);
/// Whether a name has wildcards.
[[nodiscard]] bool isNamePattern(const QString &name);
[[nodiscard]] Result<> checkHostPattern(const QString &pattern);

/// "private", "host", "none".
[[nodiscard]] QString scratchName(Scratch scratch);
[[nodiscard]] std::optional<Scratch> scratchFromName(const QString &name);

} // namespace deskhand::sandbox
