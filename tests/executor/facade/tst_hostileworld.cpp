// SPDX-License-Identifier: Apache-2.0
#include "tests/support/wholetask/steps.h"
#include "tests/support/wholetask/world.h"

#include <QDir>
#include <QFile>
#include <QJsonDocument>
#include <QRandomGenerator>
#include <QTest>

#include <csignal>

using namespace Qt::StringLiterals;
using namespace steps;

namespace {

constexpr int kWait = 60'000;

QJsonObject slowly(const QString &text)
{
    return { { u"text"_s, text }, { u"chunk"_s, 7 }, { u"delay_ms"_s, 5 } };
}

QJsonObject longCommand()
{
    return command(u"echo $$ > pid; exec sleep 300"_s);
}

bool commandRuns(const World &world)
{
    return !fileText(world.workFolder() + u"/pid"_s).isEmpty();
}

QString messageOf(const QJsonObject &ending)
{
    return ending.value(u"data"_s).toObject().value(u"message"_s).toString();
}

QString codeOf(const QJsonObject &ending)
{
    return ending.value(u"data"_s).toObject().value(u"code"_s).toString();
}

void sendSignal(qint64 pid, int number)
{
    ::kill(static_cast<pid_t>(pid), number);
}

/// "R", "S", "T", …
QString processState(qint64 pid)
{
    const QString stat = fileText(u"/proc/%1/stat"_s.arg(pid));
    return stat.mid(stat.lastIndexOf(u')') + 2, 1);
}

QJsonObject linkOf(World &world)
{
    return world.command({ u"status"_s, u"--json"_s }).object().value(u"link"_s).toObject();
}

/// Runs a program of the system to its end; true when it succeeded.
bool run(const QString &program, const QStringList &arguments)
{
    QProcess process;
    process.start(program, arguments);
    return process.waitForFinished(10'000) && process.exitCode() == 0;
}

/// A small file system of its own, where that is allowed.
class SmallDisk
{
public:
    SmallDisk(const QString &folder, int megabytes)
        : m_folder(folder)
    {
        QDir().mkpath(folder);
        m_mounted = run(u"mount"_s,
            { u"-t"_s, u"tmpfs"_s, u"-o"_s, u"size=%1m"_s.arg(megabytes), u"tmpfs"_s, folder });
    }
    ~SmallDisk()
    {
        if (m_mounted) {
            run(u"umount"_s, { u"-l"_s, m_folder });
        }
    }
    Q_DISABLE_COPY_MOVE(SmallDisk)
    [[nodiscard]] bool isThere() const { return m_mounted; }
    [[nodiscard]] bool makeReadOnly() const
    {
        return run(u"mount"_s, { u"-o"_s, u"remount,ro"_s, m_folder });
    }
    void fill() const
    {
        QFile file(m_folder + u"/ballast"_s);
        if (file.open(QIODevice::WriteOnly | QIODevice::Unbuffered)) {
            const QByteArray block(64 * 1024, 'x');
            while (file.write(block) == block.size()) { }
        }
    }
    void free() const { QFile::remove(m_folder + u"/ballast"_s); }

private:
    QString m_folder;
    bool m_mounted = false;
};

} // namespace

/// The program and what the world does to it: signals at bad moments, several people at once, full
/// and broken disks, wrong addresses, odd numbers, angry providers.
class TestHostileWorld : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void answersFromTwoPlaces_exactlyOneWins()
    {
        World world;
        const QString outside = world.folder(u"outside"_s);
        QVERIFY(
            world.start(script({ command(u"touch '%1'"_s.arg(outside), true), say(u"done"_s) })));
        QVERIFY2(world.startExecutor(), qPrintable(world.executorLog()));
        world.execute(world.task(1, 10, u"go"_s));
        const QString id = world.waitRequests(kWait).at(0).toObject().value(u"id"_s).toString();
        QVERIFY2(!id.isEmpty(), qPrintable(world.executorLog()));
        std::vector<std::unique_ptr<QProcess>> places;
        for (const QString &choice : { u"--once"_s, u"--deny"_s, u"--once"_s, u"--deny"_s }) {
            places.push_back(world.begin({ u"requests"_s, u"answer"_s, id, choice }));
        }
        int won = 0;
        bool allowed = false;
        for (size_t i = 0; i < places.size(); ++i) {
            QVERIFY(places[i]->waitForFinished(kWait));
            if (places[i]->exitCode() == 0) {
                ++won;
                allowed = i % 2 == 0;
            } else {
                QCOMPARE(places[i]->exitCode(), 1);
                const QString why = QString::fromUtf8(places[i]->readAllStandardError());
                QVERIFY2(why.contains(u"already answered"_s) || why.contains(u"no longer"_s),
                    qPrintable(why));
            }
        }
        QCOMPARE(won, 1);
        QCOMPARE(world.waitEnding(10).value(u"name"_s).toString(), u"response.completed"_s);
        QCOMPARE(QFile::exists(outside), allowed);
    }

    void sigtermTwice_stopsNow()
    {
        World world;
        QVERIFY(world.start(script({ longCommand(), say(u"not reached"_s) })));
        // The drain alone would take an hour.
        QVERIFY2(world.startExecutor({ u"--drain-timeout"_s, u"3600"_s }),
            qPrintable(world.executorLog()));
        world.execute(world.task(1, 10, u"go"_s));
        QTRY_VERIFY_WITH_TIMEOUT(commandRuns(world), kWait);
        world.executor->terminate();
        QTRY_VERIFY_WITH_TIMEOUT(
            world.command({ u"status"_s, u"--json"_s }).object().value(u"draining"_s).toBool(),
            kWait);
        QCOMPARE(world.executor->state(), QProcess::Running);
        world.executor->terminate();
        QCOMPARE(world.waitEnding(10).value(u"name"_s).toString(), u"response.incomplete"_s);
        QVERIFY(world.executor->waitForFinished(kWait));
        QCOMPARE(world.executor->exitStatus(), QProcess::NormalExit);
        QCOMPARE(endings(world.events(10)), 1);
        QTRY_VERIFY_WITH_TIMEOUT(world.engineProcesses().isEmpty(), kWait);
    }

    void sigtermWhileAnApprovalIsOpen_endsTheTurnOnce()
    {
        World world;
        const QString outside = world.folder(u"outside"_s);
        QVERIFY(
            world.start(script({ command(u"touch '%1'"_s.arg(outside), true), say(u"done"_s) })));
        QVERIFY2(
            world.startExecutor({ u"--drain-timeout"_s, u"1"_s }), qPrintable(world.executorLog()));
        world.execute(world.task(1, 10, u"go"_s));
        QVERIFY(!world.waitRequests(kWait).isEmpty());
        world.executor->terminate();
        QCOMPARE(world.waitEnding(10).value(u"name"_s).toString(), u"response.incomplete"_s);
        QVERIFY(world.executor->waitForFinished(kWait));
        QCOMPARE(world.executor->exitCode(), 0);
        QCOMPARE(endings(world.events(10)), 1);
        QVERIFY(!QFile::exists(outside));
    }

    void sighupStorm_disturbsNothing()
    {
        World world;
        const QString text = u"第一段 😀 "_s.repeated(200).trimmed();
        QVERIFY(world.start(script({ slowly(text) })));
        QVERIFY2(world.startExecutor(), qPrintable(world.executorLog()));
        world.execute(world.task(1, 10, u"go"_s));
        QVERIFY(!world.waitEvent(10, { u"response.output_text.delta"_s }).isEmpty());
        for (int i = 0; i < 300; ++i) {
            sendSignal(world.executor->processId(), SIGHUP);
        }
        QCOMPARE(world.waitEnding(10).value(u"name"_s).toString(), u"response.completed"_s);
        QCOMPARE(world.backendState(10).value(u"subtask"_s).toObject().value(u"text"_s).toString(),
            text);
        QCOMPARE(world.executor->state(), QProcess::Running);
        QCOMPARE(linkOf(world).value(u"state"_s).toString(), u"online"_s);
    }

    void closedStandardStreams_areNoReasonToFail()
    {
        World world;
        QVERIFY(world.start(script({ command(u"echo x > made"_s), say(u"done"_s) })));
        world.executor = std::make_unique<QProcess>();
        world.executor->setProcessEnvironment(world.environment());
        world.executor->start(
            u"/bin/sh"_s, { u"-c"_s, u"exec \"$0\" run <&- >&- 2>&-"_s, world.program() });
        QVERIFY(world.waitOnline(kWait));
        world.execute(world.task(1, 10, u"go"_s));
        QCOMPARE(world.waitEnding(10).value(u"name"_s).toString(), u"response.completed"_s);
        QVERIFY(QFile::exists(world.workFolder() + u"/made"_s));
        world.executor->terminate();
        QVERIFY(world.executor->waitForFinished(kWait));
        QCOMPARE(world.executor->exitCode(), 0);
    }

    void stoppedProgram_goesOnWhereItWas()
    {
        World world;
        const QString text = u"word "_s.repeated(300).trimmed();
        QVERIFY(world.start(script({ slowly(text) })));
        QVERIFY2(world.startExecutor(), qPrintable(world.executorLog()));
        world.execute(world.task(1, 10, u"go"_s));
        QVERIFY(!world.waitEvent(10, { u"response.output_text.delta"_s }).isEmpty());
        const qint64 pid = world.executor->processId();
        sendSignal(pid, SIGSTOP);
        QTRY_COMPARE_WITH_TIMEOUT(processState(pid), u"T"_s, kWait);
        sendSignal(pid, SIGCONT);
        QCOMPARE(world.waitEnding(10).value(u"name"_s).toString(), u"response.completed"_s);
        QCOMPARE(world.backendState(10).value(u"subtask"_s).toObject().value(u"text"_s).toString(),
            text);
    }

    void stoppedEngine_canBeCancelledAndReplaced()
    {
        World world;
        QVERIFY(world.start(script({ longCommand(), say(u"done"_s) })));
        QVERIFY2(world.startExecutor(), qPrintable(world.executorLog()));
        world.execute(world.task(1, 10, u"go"_s));
        QTRY_VERIFY_WITH_TIMEOUT(commandRuns(world), kWait);
        const QList<qint64> engines = world.engineProcesses();
        for (const qint64 pid : engines) {
            sendSignal(pid, SIGSTOP);
        }
        world.backend.send(
            { { u"cmd"_s, u"cancel"_s }, { u"task_id"_s, 1 }, { u"subtask_id"_s, 10 } });
        QCOMPARE(
            world.waitEnding(10, 2 * kWait).value(u"name"_s).toString(), u"response.incomplete"_s);
        // Sent at once, while the stopped process is perhaps still being ended.
        world.execute(world.task(2, 20, u"go"_s));
        QCOMPARE(
            world.waitEnding(20, 2 * kWait).value(u"name"_s).toString(), u"response.completed"_s);
        QCOMPARE(endings(world.events(10)), 1);
        for (const qint64 pid : engines) {
            QTRY_VERIFY2_WITH_TIMEOUT(!processAlive(pid) || processState(pid) != u"T"_s,
                qPrintable(fileText(u"/proc/%1/cmdline"_s.arg(pid))), 15'000);
        }
    }

    void fullDisk_isSaidAndTheProgramGoesOn()
    {
        World world;
        const SmallDisk disk(world.home(), 48);
        if (!disk.isThere()) {
            QSKIP("mounting a file system is not allowed here");
        }
        QVERIFY(world.start(script({ say(u"first"_s), say(u"second"_s) })));
        QVERIFY2(world.startExecutor(), qPrintable(world.executorLog()));
        world.execute(world.task(1, 10, u"go"_s));
        QCOMPARE(world.waitEnding(10).value(u"name"_s).toString(), u"response.completed"_s);
        disk.fill();
        world.execute(world.task(1, 11, u"again"_s));
        const QJsonObject ending = world.waitEnding(11, 4 * kWait);
        QVERIFY2(!ending.isEmpty(), qPrintable(world.executorLog()));
        QCOMPARE(endings(world.events(11)), 1);
        QTRY_VERIFY_WITH_TIMEOUT(world.command({ u"status"_s, u"--json"_s })
                                     .out.contains(u"task history cannot be written"_s),
            kWait);
        QCOMPARE(linkOf(world).value(u"state"_s).toString(), u"online"_s);
        disk.free();
        world.execute(world.task(2, 20, u"go"_s));
        QCOMPARE(
            world.waitEnding(20, 2 * kWait).value(u"name"_s).toString(), u"response.completed"_s);
        QTRY_VERIFY_WITH_TIMEOUT(!world.command({ u"status"_s, u"--json"_s })
                                      .out.contains(u"task history cannot be written"_s),
            kWait);
    }

    void readOnlyHome_isNamed()
    {
        World world;
        const SmallDisk disk(world.home(), 4);
        if (!disk.isThere() || !disk.makeReadOnly()) {
            QSKIP("mounting a file system is not allowed here");
        }
        QVERIFY(world.start(script({})));
        const World::Outcome outcome = world.command({ u"run"_s });
        QCOMPARE(outcome.status, 1);
        QVERIFY2(outcome.err.contains(world.home()), qPrintable(outcome.err));
    }

    void backendAddresses_data()
    {
        QTest::addColumn<QString>("form"); // %1 is the port
        QTest::addColumn<bool>("works");
        QTest::newRow("trailing slash") << u"http://127.0.0.1:%1/"_s << true;
        QTest::newRow("several slashes") << u"http://127.0.0.1:%1///"_s << true;
        QTest::newRow("ws") << u"ws://127.0.0.1:%1"_s << true;
        QTest::newRow("blanks around") << u"  http://127.0.0.1:%1  "_s << true;
        QTest::newRow("capitals") << u"HTTP://LOCALHOST:%1"_s << true;
        QTest::newRow("no scheme") << u"127.0.0.1:%1"_s << false;
        QTest::newRow("a path") << u"http://127.0.0.1:%1/deep/prefix"_s << false;
        QTest::newRow("wss where there is none") << u"wss://127.0.0.1:%1"_s << false;
        QTest::newRow("another scheme") << u"ftp://127.0.0.1:%1"_s << false;
        QTest::newRow("IPv6") << u"http://[::1]:%1"_s << false;
        QTest::newRow("a broken IPv6") << u"http://[::1:%1"_s << false;
        QTest::newRow("nobody there") << u"http://127.0.0.1:9"_s << false;
        QTest::newRow("blanks inside") << u"http://127.0.0.1 :%1"_s << false;
        QTest::newRow("a port too large") << u"http://127.0.0.1:99999"_s << false;
        QTest::newRow("words") << u"not an address"_s << false;
        QTest::newRow("huge") << u"http://"_s + QString(60'000, u'h') << false;
    }
    void backendAddresses()
    {
        QFETCH(const QString, form);
        QFETCH(const bool, works);
        World world;
        QVERIFY(world.start(script({})));
        world.setEnvironment(u"WEGENT_BACKEND_URL"_s,
            form.contains(u"%1"_s) ? form.arg(world.backend.port()) : form);
        world.launchExecutor();
        if (works) {
            QVERIFY2(world.waitOnline(kWait), qPrintable(world.executorLog()));
        } else {
            const auto told = [&world] {
                const QJsonObject link = linkOf(world);
                return !link.value(u"cause"_s).toString().isEmpty()
                    && link.value(u"state"_s).toString() != u"online"_s;
            };
            QTRY_VERIFY_WITH_TIMEOUT(told(), kWait);
        }
        // Whatever it is, tasks of the owner go on and the program ends as usual.
        QCOMPARE(world.executor->state(), QProcess::Running);
        world.executor->terminate();
        QVERIFY(world.executor->waitForFinished(kWait));
        QCOMPARE(world.executor->exitCode(), 0);
    }

    void oddIds_areCarriedExactlyOrRefused()
    {
        World world;
        QVERIFY(world.start(script({ say(u"done"_s) })));
        QVERIFY2(world.startExecutor(), qPrintable(world.executorLog()));
        const qint64 large = (qint64(1) << 53) + 1;
        QJsonObject payload = world.task(1, 10, u"go"_s);
        payload.insert(u"task_id"_s, large);
        world.execute(payload);
        const QJsonObject created = world.waitEvent(10, { u"response.created"_s });
        QCOMPARE(created.value(u"task_id"_s).toInteger(), large);
        QCOMPARE(world.waitEnding(10).value(u"task_id"_s).toInteger(), large);
        payload = world.task(2, 20, u"go"_s);
        payload.insert(u"task_id"_s, u" 2 "_s);
        payload.insert(u"subtask_id"_s, u"20"_s);
        world.execute(payload);
        QCOMPARE(world.waitEnding(20).value(u"task_id"_s).toInteger(), 2);
        for (const QJsonValue &bad : { QJsonValue(-5), QJsonValue(0), QJsonValue(1e300),
                 QJsonValue(u"../up"_s), QJsonValue(2.5), QJsonValue(QJsonArray()) }) {
            payload = world.task(3, 30, u"go"_s);
            payload.insert(u"task_id"_s, bad);
            world.execute(payload);
        }
        world.execute(world.task(4, 40, u"go"_s));
        QCOMPARE(world.waitEnding(40).value(u"name"_s).toString(), u"response.completed"_s);
        QVERIFY(world.events(30).isEmpty());
    }

    void angryProvider_isQuoted_data()
    {
        QTest::addColumn<int>("status");
        QTest::addColumn<QJsonValue>("body");
        QTest::addColumn<QJsonObject>("headers");
        QTest::addColumn<QString>("code");
        QTest::addColumn<QString>("quoted");
        const auto error = [](const QString &message) {
            return QJsonValue(
                QJsonObject { { u"error"_s, QJsonObject { { u"message"_s, message } } } });
        };
        const QJsonObject none;
        QTest::newRow("401") << 401 << error(u"no such key"_s) << none << u"model_auth"_s
                             << u"no such key"_s;
        QTest::newRow("403") << 403 << error(u"no such project"_s) << none << u"model_auth"_s
                             << u"no such project"_s;
        QTest::newRow("400") << 400 << error(u"the tool list is wrong"_s) << none
                             << u"model_bad_request"_s << u"the tool list is wrong"_s;
        QTest::newRow("429 for an hour")
            << 429 << error(u"come back later"_s) << QJsonObject { { u"Retry-After"_s, u"3600"_s } }
            << u"model_rate_limited"_s << u"come back later"_s;
        QTest::newRow("401 as a page") << 401 << QJsonValue(u"<html>Sign in first</html>"_s) << none
                                       << u"model_auth"_s << u"Sign in first"_s;
        QTest::newRow("401 without words")
            << 401 << QJsonValue(QString(u""_s)) << none << u"model_auth"_s << u"401"_s;
        QTest::newRow("401 with a flood")
            << 401 << QJsonValue(QString(300'000, u'f')) << none << u"model_auth"_s << u"fff"_s;
    }
    void angryProvider_isQuoted()
    {
        QFETCH(const int, status);
        QFETCH(const QJsonValue, body);
        QFETCH(const QJsonObject, headers);
        QFETCH(const QString, code);
        QFETCH(const QString, quoted);
        World world;
        QVERIFY(world.start({ { u"default"_s,
            QJsonObject {
                { u"status"_s, status }, { u"body"_s, body }, { u"headers"_s, headers } } } }));
        QVERIFY2(world.startExecutor(), qPrintable(world.executorLog()));
        world.execute(world.task(1, 10, u"go"_s));
        const QJsonObject ending = world.waitEnding(10, 3 * kWait);
        QCOMPARE(ending.value(u"name"_s).toString(), u"error"_s);
        QVERIFY2(codeOf(ending) == code, qPrintable(codeOf(ending) + u": "_s + messageOf(ending)));
        QVERIFY2(messageOf(ending).contains(quoted), qPrintable(messageOf(ending)));
        QVERIFY2(messageOf(ending).contains(u"127.0.0.1:%1"_s.arg(world.model.port())),
            qPrintable(messageOf(ending)));
        QVERIFY(messageOf(ending).size() < 10'000);
        QVERIFY(!messageOf(ending).contains(u"codex-router"_s));
        QVERIFY(!messageOf(ending).contains(World::kKey));
        QCOMPARE(endings(world.events(10)), 1);
    }

    void killedAtRandomMoments_losesNoTaskAndRepeatsNoText()
    {
        World world;
        QString text;
        for (int i = 0; i < 300; ++i) {
            text += u"第%1段😀 "_s.arg(i);
        }
        QVERIFY(world.start({ { u"default"_s, slowly(text.trimmed()) } }));
        const quint32 seed = QRandomGenerator::global()->generate();
        QRandomGenerator random(seed);
        for (int round = 1; round <= 4; ++round) {
            QVERIFY2(world.startExecutor(), qPrintable(world.executorLog()));
            const int subtask = 100 + round;
            world.execute(world.task(round, subtask, u"go"_s));
            QVERIFY(!world.waitEvent(subtask, { u"response.created"_s }).isEmpty());
            for (int packets = random.bounded(6); packets > 0; --packets) {
                QVERIFY(!world.waitEvent(subtask, { u"response.output_text.delta"_s }).isEmpty());
            }
            world.executor->kill();
            QVERIFY(world.executor->waitForFinished(kWait));
            QVERIFY2(world.startExecutor(), qPrintable(world.executorLog()));
            const QJsonObject ending = world.waitEnding(subtask);
            QVERIFY2(codeOf(ending) == u"interrupted"_s,
                qPrintable(u"seed %1: %2"_s.arg(seed).arg(
                    QString::fromUtf8(QJsonDocument(ending).toJson()).left(1000)
                    + world.executorLog().right(3000))));
            QCOMPARE(endings(world.events(subtask)), 1);
            const QJsonObject state = world.backendState(subtask).value(u"subtask"_s).toObject();
            const QString got = state.value(u"text"_s).toString();
            QVERIFY2(text.startsWith(got), qPrintable(u"seed %1: %2"_s.arg(seed).arg(got)));
            world.executor->kill();
            QVERIFY(world.executor->waitForFinished(kWait));
        }
    }

    void corruptDeviceConfig_isKeptAsideAndNamed_data()
    {
        QTest::addColumn<QByteArray>("content");
        QTest::newRow("no JSON") << QByteArray("{\"device_id\": \"dev");
        QTest::newRow("a list") << QByteArray("[1,2,3]");
        QTest::newRow("zeros") << QByteArray(4096, '\0');
        QTest::newRow("nothing") << QByteArray();
        QTest::newRow("not UTF-8") << QByteArray("{\"device_name\":\"\xff\xfe\"}");
    }
    void corruptDeviceConfig_isKeptAsideAndNamed()
    {
        QFETCH(const QByteArray, content);
        World world;
        QVERIFY(world.start(script({})));
        QDir().mkpath(world.home());
        QFile file(world.home() + u"/device-config.json"_s);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(content);
        file.close();
        QVERIFY2(world.startExecutor(), qPrintable(world.executorLog()));
        const QStringList kept
            = QDir(world.home()).entryList({ u"device-config.json.broken-*"_s }, QDir::Files);
        QCOMPARE(kept.size(), 1);
        QFile aside(world.home() + u'/' + kept.first());
        QVERIFY(aside.open(QIODevice::ReadOnly));
        QCOMPARE(aside.readAll(), content);
        const World::Outcome status = world.command({ u"status"_s, u"--json"_s });
        QVERIFY2(status.out.contains(kept.first()), qPrintable(status.out));
    }

    void missingEngine_isNamedAndTheProgramGoesOn()
    {
        World world;
        QVERIFY(world.start(script({})));
        const QString nowhere = world.folder(u"no codex here"_s);
        world.setEnvironment(u"CODEX_BINARY_PATH"_s, nowhere);
        QVERIFY2(world.startExecutor(), qPrintable(world.executorLog()));
        world.execute(world.task(1, 10, u"go"_s));
        const QJsonObject ending = world.waitEnding(10);
        QCOMPARE(codeOf(ending), u"engine_not_found"_s);
        QVERIFY2(messageOf(ending).contains(nowhere), qPrintable(messageOf(ending)));
        QCOMPARE(linkOf(world).value(u"state"_s).toString(), u"online"_s);
    }
};

QTEST_GUILESS_MAIN(TestHostileWorld)
#include "tst_hostileworld.moc"
