// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QProcess>
#include <QProcessEnvironment>
#include <QRandomGenerator>
#include <QStandardPaths>
#include <QTemporaryDir>

#include <grp.h>
#include <optional>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

namespace deskhand::test {

/// A fresh workspace, a folder beside it and a home, owned by an ordinary user: by this one, or,
/// when the test runs as root, by a uid that nobody uses. Removed at the end.
class SandboxFolders final
{
public:
    enum class Owner { User, Self };
    static constexpr uid_t kTestUid = 12345;

    explicit SandboxFolders(Owner owner, const QString &base = visibleBase())
        : m_top(base + QStringLiteral("/deskhand-test-XXXXXX"))
        , m_other(owner == Owner::User && geteuid() == 0)
    {
        // mkdtemp makes 0700; the other user has to get through.
        chmod(QFile::encodeName(m_top.path()).constData(), 0755);
        for (const QString &path : { workspace(), outside(), home() }) {
            QDir().mkpath(path);
            if (m_other && chown(QFile::encodeName(path).constData(), kTestUid, kTestUid) != 0) {
                qFatal("chown");
            }
        }
    }

    /// A place that no private scratch hides, that any user can get to, and that lies in no git
    /// repository: in one, a missing ".git" is watched instead of guarded.
    [[nodiscard]] static QString visibleBase()
    {
        const passwd *self = getpwuid(geteuid());
        for (const QString &base : { QStringLiteral(DESKHAND_BINARY_DIR),
                 self != nullptr ? QFile::decodeName(self->pw_dir) : QDir::homePath(),
                 QStringLiteral("/srv"), QStringLiteral("/opt"), QStringLiteral("/var/lib") }) {
            const QString real = QFileInfo(base).canonicalFilePath();
            bool usable = !real.isEmpty() && QFileInfo(real).isWritable() && !isInRepository(real);
            for (const QString &hidden :
                { QStringLiteral("/tmp/"), QStringLiteral("/var/tmp/"), QStringLiteral("/run/") }) {
                usable = usable && !(real + u'/').startsWith(hidden);
            }
            if (usable && (geteuid() != 0 || isOpenToAll(real))) {
                return real;
            }
        }
        return QDir::tempPath();
    }
    [[nodiscard]] QString workspace() const { return m_top.filePath(QStringLiteral("ws")); }
    [[nodiscard]] QString outside() const { return m_top.filePath(QStringLiteral("out")); }
    [[nodiscard]] QString home() const { return m_top.filePath(QStringLiteral("home")); }

    /// Nothing when we are that user already.
    [[nodiscard]] std::optional<uid_t> ownerToBecome() const
    {
        return m_other ? std::optional<uid_t>(kTestUid) : std::nullopt;
    }
    /// In a child between fork and exec.
    static void become(std::optional<uid_t> uid)
    {
        if (uid
            && (setgroups(0, nullptr) != 0 || setresgid(*uid, *uid, *uid) != 0
                || setresuid(*uid, *uid, *uid) != 0)) {
            _exit(99);
        }
    }
    void applyOwner(QProcess &process) const
    {
        process.setProcessEnvironment(environment());
        process.setChildProcessModifier([uid = ownerToBecome()] { become(uid); });
    }
    [[nodiscard]] QProcessEnvironment environment() const
    {
        QProcessEnvironment result = QProcessEnvironment::systemEnvironment();
        result.insert(QStringLiteral("HOME"), home());
        result.insert(
            QStringLiteral("PATH"), QStringLiteral("/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"));
        result.remove(QStringLiteral("TMPDIR"));
        return result;
    }

    /// The sandbox command, where every user can start it, also from inside a sandbox: a build
    /// folder below a home of mode 0700 lets only its owner through, and one below /tmp is hidden.
    /// From there the program and its helper are copied.
    [[nodiscard]] static QString program()
    {
        static const ReachablePrograms programs;
        return programs.folder() + QStringLiteral("/deskhand-test-sandbox");
    }
    /// The bundled bubblewrap beside it; empty when this build has none.
    [[nodiscard]] static QString bundledBubblewrap()
    {
        const QFileInfo bundled(
            QFileInfo(program()).dir().filePath(QStringLiteral("deskhand-bwrap")));
        return bundled.exists() ? bundled.filePath() : QString();
    }
    [[nodiscard]] static QString findProgram(const QString &name)
    {
        return QStandardPaths::findExecutable(name,
            { QStringLiteral("/usr/local/bin"), QStringLiteral("/usr/bin"), QStringLiteral("/bin"),
                QStringLiteral("/usr/sbin") });
    }
    [[nodiscard]] static bool processMatching(const QString &text)
    {
        const QStringList pids = QDir(QStringLiteral("/proc")).entryList(QDir::Dirs);
        for (const QString &pid : pids) {
            QFile file(QStringLiteral("/proc/%1/cmdline").arg(pid));
            if (pid.toInt() > 0 && pid.toInt() != getpid() && file.open(QIODevice::ReadOnly)
                && file.readAll().contains(text.toUtf8())) {
                return true;
            }
        }
        return false;
    }

private:
    [[nodiscard]] static bool isInRepository(const QString &path)
    {
        for (QDir up(path);; up.cdUp()) {
            if (up.exists(QStringLiteral(".git")) || up.isRoot()) {
                return up.exists(QStringLiteral(".git"));
            }
        }
    }
    /// Whether any user may go through `path` and everything above it.
    [[nodiscard]] static bool isOpenToAll(const QString &path)
    {
        for (QDir up(path);;) {
            if (!QFileInfo(up.path()).permission(QFileDevice::ExeOther)) {
                return false;
            }
            if (up.isRoot() || !up.cdUp()) {
                return true;
            }
        }
    }

    class ReachablePrograms final
    {
    public:
        ReachablePrograms()
            : m_folder(QCoreApplication::applicationDirPath())
        {
            // A private /tmp would hide it from a sandbox around it.
            const bool reachable = geteuid() != 0 || isOpenToAll(m_folder);
            if (reachable && !m_folder.startsWith(QStringLiteral("/tmp/"))) {
                return;
            }
            m_copies.emplace(visibleBase() + QStringLiteral("/deskhand-programs-XXXXXX"));
            chmod(QFile::encodeName(m_copies->path()).constData(), 0755);
            for (const QString &name : { QStringLiteral("deskhand-test-sandbox"),
                     QStringLiteral("deskhand-sandbox-init"), QStringLiteral("deskhand-bwrap") }) {
                if (QFileInfo::exists(m_folder + u'/' + name)
                    && !QFile::copy(m_folder + u'/' + name, m_copies->filePath(name))) {
                    qFatal("copying %s", qPrintable(name));
                }
            }
            m_folder = m_copies->path();
        }
        [[nodiscard]] QString folder() const { return m_folder; }

    private:
        QString m_folder;
        std::optional<QTemporaryDir> m_copies;
    };

    QTemporaryDir m_top;
    bool m_other;
};

} // namespace deskhand::test
