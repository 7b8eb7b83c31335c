// SPDX-License-Identifier: Apache-2.0
#include "tests/executor/sandbox/sandboxfolders.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QStandardPaths>
#include <QTest>

#include <csignal>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace Qt::StringLiterals;
using deskhand::test::SandboxFolders;

namespace {

constexpr int kServersMs = 60'000;
constexpr auto kNotReady = "the setup did not get ready"_L1;

/// How one attempt is made.
enum class Way {
    User, ///< everything as an ordinary user
    RootDrops, ///< the engine is root, the workspace belongs to a user
    RootOwns, ///< the engine is root, and so is the workspace's owner
    Bundled, ///< as the user, where the system has no bubblewrap
    Bare ///< as the user, without a sandbox: the control
};

struct Outcome
{
    int exit = -1;
    QByteArray output; ///< both streams
    QJsonObject result; ///< of the engine; empty for Bare
    qint64 wallMs = 0;
};

} // namespace

/// Runs every attempt of the fixture through the real command, as each kind of user this machine
/// can offer, and checks the host afterwards. The control without a sandbox must fail the
/// expectation, so that no attempt passes by being broken.
class TestAttempts final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void attempt_data();
    void attempt();

private:
    struct Run
    {
        QJsonObject attempt;
        const SandboxFolders &folders;
        QString id;

        [[nodiscard]] QString fill(QString text) const
        {
            return text.replace(u"@WS@"_s, folders.workspace())
                .replace(u"@OUT@"_s, folders.outside())
                .replace(u"@HOME@"_s, folders.home())
                .replace(u"@ID@"_s, id);
        }
        [[nodiscard]] QStringList fill(const QJsonArray &list) const
        {
            QStringList result;
            for (const QJsonValue &value : list) {
                result.append(fill(value.toString()));
            }
            return result;
        }
    };

    static void shellLines(const Run &run, const QString &key);
    static bool serversAreUp(const Run &run);
    static qint64 slowness(const Run &run, Way way);
    static Outcome execute(const Run &run, Way way);
    static QString unmet(const Run &run, const Outcome &outcome, bool bare, qint64 slownessMs);
    static QString unmetOnHost(const Run &run, const QJsonObject &expect);
    static QString unmetByEngine(const QJsonObject &expect, const Outcome &outcome);
};

void TestAttempts::attempt_data()
{
    QTest::addColumn<QJsonObject>("attempt");
    QTest::addColumn<int>("way");
    QFile file(QStringLiteral(DESKHAND_FIXTURES) + u"/sandbox/attempts.json"_s);
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QJsonArray attempts
        = QJsonDocument::fromJson(file.readAll()).object().value(u"attempts"_s).toArray();
    QCOMPARE(attempts.size(), 30);
    const bool root = geteuid() == 0;
    for (const QJsonValue &value : attempts) {
        const QJsonObject attempt = value.toObject();
        const QByteArray id = attempt.value(u"id"_s).toString().toUtf8();
        QTest::addRow("%s as a user", id.constData()) << attempt << static_cast<int>(Way::User);
        const QJsonObject expect = attempt.value(u"expect"_s).toObject();
        if (!SandboxFolders::bundledBubblewrap().isEmpty() && !expect.contains(u"wait_ms"_s)
            && !expect.contains(u"max_wall_ms"_s)) {
            QTest::addRow("%s as a user, bundled bubblewrap", id.constData())
                << attempt << static_cast<int>(Way::Bundled);
        }
        if (root) {
            QTest::addRow("%s as root for a user", id.constData())
                << attempt << static_cast<int>(Way::RootDrops);
            QTest::addRow("%s as root for root", id.constData())
                << attempt << static_cast<int>(Way::RootOwns);
        }
    }
}

void TestAttempts::shellLines(const Run &run, const QString &key)
{
    for (const QString &line : run.fill(run.attempt.value(key).toArray())) {
        QProcess shell;
        shell.setWorkingDirectory(run.folders.workspace());
        shell.setStandardOutputFile(QProcess::nullDevice());
        shell.setStandardErrorFile(QProcess::nullDevice());
        run.folders.applyOwner(shell);
        shell.start(u"/bin/sh"_s, { u"-c"_s, line });
        shell.waitForFinished(20'000);
    }
}

/// What the same way of running takes for nothing at all, on the computer as it is now.
qint64 TestAttempts::slowness(const Run &run, Way way)
{
    QJsonObject nothing { { u"profile"_s, run.attempt.value(u"profile"_s) },
        { u"network"_s, run.attempt.value(u"network"_s) },
        { u"command"_s, QJsonArray { u"true"_s } } };
    return execute({ nothing, run.folders, run.id }, way).wallMs;
}

/// What the setup started in the background serves. Its own pause is too short for a busy computer.
bool TestAttempts::serversAreUp(const Run &run)
{
    const QString setup = run.fill(run.attempt.value(u"setup"_s).toArray()).join(u'\n');
    const auto fileHasContent = [&](const QString &name) {
        const QString path = run.folders.outside() + name;
        return !setup.contains(path) || QFileInfo(path).size() > 0;
    };
    const auto isListening = [&](const QString &name, const QByteArray &listed) {
        QFile table(u"/proc/net/unix"_s);
        if (!setup.contains(name) || !table.open(QIODevice::ReadOnly)) {
            return !setup.contains(name);
        }
        const QList<QByteArray> lines = table.readAll().split('\n');
        return std::any_of(lines.begin(), lines.end(), [&listed](const QByteArray &line) {
            constexpr QByteArrayView kAccepts(" 00010000 ");
            return line.endsWith(listed) && line.contains(kAccepts);
        });
    };
    const QString socket = run.folders.outside() + u"/s.sock"_s;
    const QString abstract = u"sbx-"_s + run.id;
    return fileHasContent(u"/pid"_s) && fileHasContent(u"/port"_s)
        && isListening(socket, socket.toUtf8())
        && isListening(u"b'\\0"_s + abstract, '@' + abstract.toUtf8());
}

Outcome TestAttempts::execute(const Run &run, Way way)
{
    const QJsonObject &attempt = run.attempt;
    QStringList arguments;
    const QStringList command = run.fill(attempt.value(u"command"_s).toArray());
    const QJsonObject limits = attempt.value(u"limits"_s).toObject();
    if (way != Way::Bare) {
        arguments << u"--json"_s << u"--cwd"_s << run.folders.workspace() << u"--profile"_s
                  << attempt.value(u"profile"_s).toString() << u"--network"_s
                  << attempt.value(u"network"_s).toString();
        const auto limit = [&](const QString &key, const QString &option, qint64 divisor) {
            if (limits.contains(key)) {
                arguments << option << QString::number(limits.value(key).toInteger() / divisor);
            }
        };
        limit(u"wall_ms"_s, u"--timeout-ms"_s, 1);
        limit(u"term_grace_ms"_s, u"--grace-ms"_s, 1);
        limit(u"pids"_s, u"--pids"_s, 1);
        limit(u"memory_bytes"_s, u"--memory-mb"_s, 1024 * 1024);
        limit(u"output_bytes"_s, u"--max-output-bytes"_s, 1);
        arguments << u"--"_s;
    }
    arguments += command;

    QProcess engine;
    QProcessEnvironment environment = run.folders.environment();
    const QJsonObject extra = attempt.value(u"env"_s).toObject();
    for (auto it = extra.begin(); it != extra.end(); ++it) {
        environment.insert(it.key(), it.value().toString());
    }
    engine.setProcessEnvironment(environment);
    engine.setWorkingDirectory(run.folders.workspace());
    const QJsonArray leaks
        = attempt.value(u"engine_setup"_s).toObject().value(u"leak_fds"_s).toArray();
    const QByteArray leaked
        = leaks.isEmpty() ? QByteArray() : QFile::encodeName(run.fill(leaks.first().toString()));
    if (way == Way::Bundled) {
        environment.insert(u"DESKHAND_SYSTEM_BWRAP"_s, u"/no/such/bwrap"_s);
        engine.setProcessEnvironment(environment);
    }
    const bool drop = way == Way::User || way == Way::Bare || way == Way::Bundled;
    const std::optional<uid_t> owner = drop ? run.folders.ownerToBecome() : std::nullopt;
    engine.setChildProcessModifier([leaked, owner] {
        if (!leaked.isEmpty()) {
            const int fd = ::open(leaked.constData(), O_RDONLY);
            dup2(fd, 7);
            dup2(fd, 9);
        }
        SandboxFolders::become(owner);
    });
    QElapsedTimer timer;
    timer.start();
    const QString program = way == Way::Bare ? SandboxFolders::findProgram(arguments.takeFirst())
                                             : SandboxFolders::program();
    engine.start(program, arguments);
    engine.waitForFinished(60'000);
    Outcome outcome;
    outcome.wallMs = timer.elapsed();
    outcome.exit = engine.exitStatus() == QProcess::NormalExit ? engine.exitCode() : 128;
    outcome.output = engine.readAllStandardOutput() + engine.readAllStandardError();
    if (way != Way::Bare) {
        const QByteArray json = outcome.output.left(outcome.output.indexOf('\n'));
        outcome.result = QJsonDocument::fromJson(json).object();
        outcome.output = (outcome.result.value(u"stdout"_s).toString()
            + outcome.result.value(u"stderr"_s).toString())
                             .toUtf8();
    }
    return outcome;
}

QString TestAttempts::unmetOnHost(const Run &run, const QJsonObject &expect)
{
    for (const QString &key : { u"file_absent"_s, u"path_absent"_s }) {
        for (const QString &path : run.fill(expect.value(key).toArray())) {
            if (QFileInfo::exists(path) || QFileInfo(path).isSymLink()) {
                return path + u" exists on the host"_s;
            }
        }
    }
    for (const QString &path : run.fill(expect.value(u"file_present"_s).toArray())) {
        if (!QFileInfo::exists(path)) {
            return path + u" is gone"_s;
        }
    }
    const QJsonObject equals = expect.value(u"file_equals"_s).toObject();
    for (auto it = equals.begin(); it != equals.end(); ++it) {
        QFile file(run.fill(it.key()));
        if (!file.open(QIODevice::ReadOnly)
            || file.readAll() != run.fill(it.value().toString()).toUtf8()) {
            return file.fileName() + u" changed"_s;
        }
    }
    const QJsonObject lacks = expect.value(u"file_lacks"_s).toObject();
    for (auto it = lacks.begin(); it != lacks.end(); ++it) {
        QFile file(run.fill(it.key()));
        if (!file.open(QIODevice::ReadOnly)
            || file.readAll().contains(it.value().toString().toUtf8())) {
            return file.fileName() + u" has what it should lack"_s;
        }
    }
    if (expect.contains(u"pid_alive"_s)) {
        QFile file(run.fill(expect.value(u"pid_alive"_s).toString()));
        if (!file.open(QIODevice::ReadOnly) || ::kill(file.readAll().trimmed().toInt(), 0) != 0) {
            return u"the host's process is dead"_s;
        }
    }
    if (expect.contains(u"no_process_matching"_s)
        && SandboxFolders::processMatching(
            run.fill(expect.value(u"no_process_matching"_s).toString()))) {
        return u"a process of the command still lives"_s;
    }
    return {};
}

QString TestAttempts::unmetByEngine(const QJsonObject &expect, const Outcome &outcome)
{
    const QJsonObject engine = expect.value(u"engine"_s).toObject();
    if (engine.contains(u"timed_out"_s) && !outcome.result.value(u"timed_out"_s).toBool()) {
        return u"no time-out was reported"_s;
    }
    if (engine.contains(u"truncated"_s) && !outcome.result.value(u"truncated"_s).toBool()) {
        return u"no truncation was reported"_s;
    }
    if (engine.contains(u"survives"_s) && outcome.result.isEmpty()) {
        return u"the engine died"_s;
    }
    const QJsonValue most = engine.value(u"max_captured_bytes"_s);
    if (!most.isUndefined()) {
        const qint64 kept = outcome.result.value(u"stdout_bytes"_s).toInteger()
            - outcome.result.value(u"stdout_omitted_bytes"_s).toInteger();
        if (kept > most.toInteger()) {
            return u"%1 bytes were kept"_s.arg(kept);
        }
    }
    return {};
}

QString TestAttempts::unmet(const Run &run, const Outcome &outcome, bool bare, qint64 slownessMs)
{
    const QJsonObject expect = run.attempt.value(u"expect"_s).toObject();
    if (!bare && outcome.result.value(u"refused"_s).toBool(true)) {
        return u"refused to start: "_s
            + outcome.result.value(u"error"_s).toObject().value(u"message"_s).toString();
    }
    const QJsonValue exit = expect.value(u"exit"_s);
    if (exit.isString() ? outcome.exit == 0 : (exit.isDouble() && outcome.exit != exit.toInt())) {
        return u"exit status %1"_s.arg(outcome.exit);
    }
    for (const QString &text : run.fill(expect.value(u"stdout_lacks"_s).toArray())) {
        if (outcome.output.contains(text.toUtf8())) {
            return u"the output has "_s + text;
        }
    }
    for (const QString &text : run.fill(expect.value(u"stdout_contains"_s).toArray())) {
        if (!outcome.output.contains(text.toUtf8())) {
            return u"the output lacks "_s + text;
        }
    }
    const QJsonObject numbers = expect.value(u"stdout_int_max"_s).toObject();
    for (auto it = numbers.begin(); it != numbers.end(); ++it) {
        const qsizetype at = outcome.output.indexOf(it.key().toUtf8() + ' ');
        const int number = outcome.output.mid(at + it.key().size() + 1).split('\n').first().toInt();
        if (at < 0 || number > it.value().toInt()) {
            return u"%1 is %2"_s.arg(it.key()).arg(number);
        }
    }
    if (expect.contains(u"captured_tail_contains"_s)
        && !outcome.output.right(4096).contains(
            expect.value(u"captured_tail_contains"_s).toString().toUtf8())) {
        return u"the tail is lost"_s;
    }
    if (outcome.wallMs > expect.value(u"max_wall_ms"_s).toInteger(60'000) + 4 * slownessMs) {
        return u"it took %1 ms"_s.arg(outcome.wallMs);
    }
    if (const QString host = unmetOnHost(run, expect); !host.isEmpty()) {
        return host;
    }
    return bare ? QString() : unmetByEngine(expect, outcome);
}

void TestAttempts::attempt()
{
    QFETCH(const QJsonObject, attempt);
    QFETCH(const int, way);
    for (const QJsonValue &program : attempt.value(u"requires"_s).toArray()) {
        if (SandboxFolders::findProgram(program.toString()).isEmpty()) {
            QSKIP(qPrintable(program.toString() + u" is not installed"_s));
        }
    }
    if (attempt.value(u"id"_s).toString() == u"pr-02"_s
        && SandboxFolders::visibleBase() == QDir::tempPath()) {
        QSKIP("the attempt reads a file beside the workspace, and only the hidden /tmp is writable "
              "here");
    }
    const int waitMs = attempt.value(u"expect"_s).toObject().value(u"wait_ms"_s).toInt();
    const auto once = [&](Way how) {
        const SandboxFolders folders(
            how == Way::RootOwns ? SandboxFolders::Owner::Self : SandboxFolders::Owner::User);
        const Run run { attempt, folders,
            QString::number(QRandomGenerator::global()->generate(), 16) };
        shellLines(run, u"setup"_s);
        if (!QTest::qWaitFor([&run] { return serversAreUp(run); }, kServersMs)) {
            shellLines(run, u"teardown"_s);
            return QString(kNotReady);
        }
        const bool bare = how == Way::Bare;
        const bool timed = attempt.value(u"expect"_s).toObject().contains(u"max_wall_ms"_s);
        const qint64 slownessMs = timed ? slowness(run, how) : 0;
        const Outcome outcome = execute(run, how);
        if (waitMs > 0) {
            // The fixture asks to look again later; nothing announces what must not happen. The
            // control is over as soon as it did happen.
            (void)QTest::qWaitFor(
                [&] {
                    return bare
                        && !unmetOnHost(run, attempt.value(u"expect"_s).toObject()).isEmpty();
                },
                bare ? 6 * waitMs : waitMs);
        }
        QString problem = unmet(run, outcome, bare, slownessMs);
        if (how == Way::Bundled
            && outcome.result.value(u"bubblewrap"_s).toString()
                != SandboxFolders::bundledBubblewrap()) {
            problem += u" another bubblewrap was used"_s;
        }
        shellLines(run, u"teardown"_s);
        return problem.isEmpty()
            ? QString()
            : problem + u" | output: "_s + QString::fromUtf8(outcome.output.right(600));
    };
    const QString problem = once(static_cast<Way>(way));
    QVERIFY2(problem.isEmpty(), qPrintable(problem));
    if (way == static_cast<int>(Way::User) && attempt.value(u"control"_s).toBool()) {
        const QString worked = once(Way::Bare);
        QVERIFY2(!worked.isEmpty(), "without a sandbox the attempt should have worked");
        QVERIFY2(!worked.startsWith(kNotReady), qPrintable(worked));
    }
}

QTEST_GUILESS_MAIN(TestAttempts)
#include "tst_attempts.moc"
