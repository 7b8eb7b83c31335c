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

    /// A place that no private scratch hides and that any user can get to.
    [[nodiscard]] static QString visibleBase()
    {
        for (const QString &base :
            { QStringLiteral(DESKHAND_BINARY_DIR), QStringLiteral(DESKHAND_SOURCE_DIR),
                QDir::homePath(), QStringLiteral("/srv"), QStringLiteral("/opt") }) {
            const QString real = QFileInfo(base).canonicalFilePath();
            bool usable = !real.isEmpty() && QFileInfo(real).isWritable();
            for (const QString &hidden :
                { QStringLiteral("/tmp/"), QStringLiteral("/var/tmp/"), QStringLiteral("/run/") }) {
                usable = usable && !(real + u'/').startsWith(hidden);
            }
            for (QDir up(real); usable && geteuid() == 0;) {
                usable = QFileInfo(up.path()).permission(QFileDevice::ExeOther);
                if (up.isRoot() || !up.cdUp()) {
                    break;
                }
            }
            if (usable) {
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

    [[nodiscard]] static QString program()
    {
        return QCoreApplication::applicationDirPath() + QStringLiteral("/deskhand-test-sandbox");
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
    QTemporaryDir m_top;
    bool m_other;
};

} // namespace deskhand::test
