// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/common/result.h"

#include <QObject>
#include <QProcessEnvironment>
#include <QStringList>

#include <chrono>
#include <functional>
#include <memory>

QT_BEGIN_NAMESPACE
class QProcess;
QT_END_NAMESPACE

namespace deskhand::engines::codex {

struct LocatedBinary
{
    QString path; ///< the native program, absolute
    QString origin; ///< where it came from, for a person: "CODEX_BINARY_PATH", "PATH", …
    QString searchPath; ///< the PATH that the engine should run with
};

/// Finds the native codex program: CODEX_BINARY_PATH, CODEX_BIN, PATH, the PATH of the login shell
/// (a desktop start often lacks it), then the usual npm folders. A JavaScript launcher is followed
/// to the program of its platform package. Owned by the engine; executor thread; asks the shell
/// asynchronously and within a limit.
class BinaryLocator final : public QObject
{
    Q_OBJECT
public:
    using Handler = std::function<void(const Result<LocatedBinary> &)>;

    BinaryLocator(QProcessEnvironment environment, std::chrono::milliseconds shellLimit,
        QObject *parent = nullptr);
    ~BinaryLocator() override;

    /// The program that the owner chose in the settings; the environment still wins over it. Empty:
    /// search. Counts for searches begun afterwards.
    void setOwnersChoice(const QString &path) { m_ownersChoice = path; }

    /// `handler` is called once, from the event loop or at once; a call while one runs joins it.
    void locate(Handler handler);

    /// The native program behind a path that may be a link or a launcher script; nothing when it
    /// is neither. Reads a few files, blocking; any thread.
    [[nodiscard]] static Result<QString> resolveNative(const QString &path);

private:
    enum class Verdict { Unsuitable, Found, NeedsOtherPath };
    [[nodiscard]] Verdict examine(const QString &file, const QString &path, const QString &origin,
        Result<LocatedBinary> &result);
    [[nodiscard]] bool tryNamed(const QString &path, Result<LocatedBinary> &result);
    [[nodiscard]] bool tryPath(
        const QString &path, const QString &origin, Result<LocatedBinary> &result);
    [[nodiscard]] bool tryNpmFolders(const QString &path, Result<LocatedBinary> &result);
    /// Programs given by name, most important first: what gave it, and the path.
    [[nodiscard]] QList<std::pair<QString, QString>> named() const;
    void askLoginShell();
    void afterLoginShell(const QString &path);
    void answer(const Result<LocatedBinary> &result);

    QProcessEnvironment m_environment;
    std::chrono::milliseconds m_shellLimit;
    QString m_ownersChoice;
    QStringList m_looked; // what was tried, for the error
    QString m_missing; // a script that was found lacks its interpreter: said in a sentence
    QList<Handler> m_handlers;
    std::unique_ptr<QProcess> m_shell;
};

} // namespace deskhand::engines::codex
