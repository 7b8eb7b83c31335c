// SPDX-License-Identifier: Apache-2.0
#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTcpSocket>
#include <QTemporaryDir>
#include <QTest>
#include <QUrl>

#include <csignal>

using namespace Qt::StringLiterals;

namespace {

const QString kProgram = QStringLiteral(DESKHAND_PROGRAM_DIR "/deskhand-executor");
constexpr int kLimitMs = 30000;

struct Outcome
{
    int status = -1;
    QByteArray out;
    QString err;
    [[nodiscard]] QJsonObject object() const { return QJsonDocument::fromJson(out).object(); }
    [[nodiscard]] bool isEmptyList() const
    {
        const QJsonDocument document = QJsonDocument::fromJson(out);
        return document.isArray() && document.array().isEmpty();
    }
};

} // namespace

/// The program itself, as a shell or a script starts it: no backend and no engine.
class TestProgram : public QObject
{
    Q_OBJECT
    std::unique_ptr<QTemporaryDir> m_folder;
    QProcessEnvironment m_environment;
    std::unique_ptr<QProcess> m_running;

    [[nodiscard]] QString home() const { return m_folder->filePath(u"家 home"_s); }

    Outcome command(const QStringList &arguments, const QByteArray &input = {})
    {
        QProcess process;
        process.setProcessEnvironment(m_environment);
        process.start(kProgram, arguments);
        process.write(input);
        process.closeWriteChannel();
        Outcome outcome;
        if (!process.waitForFinished(kLimitMs)) {
            process.kill();
            process.waitForFinished();
            outcome.err = u"no end within the limit"_s;
            return outcome;
        }
        outcome.status = process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1;
        outcome.out = process.readAllStandardOutput();
        outcome.err = QString::fromUtf8(process.readAllStandardError());
        return outcome;
    }

    void startRun(const QStringList &more = {})
    {
        m_running = std::make_unique<QProcess>();
        m_running->setProcessEnvironment(m_environment);
        m_running->setStandardErrorFile(m_folder->filePath(u"err"_s), QIODevice::Append);
        m_running->start(kProgram, QStringList { u"run"_s } + more);
        QVERIFY(m_running->waitForStarted());
        QTRY_COMPARE_WITH_TIMEOUT(command({ u"status"_s, u"--json"_s }).status, 0, kLimitMs);
    }

    [[nodiscard]] QByteArray runLog() const
    {
        QFile file(m_folder->filePath(u"err"_s));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }

private Q_SLOTS:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_environment = QProcessEnvironment::systemEnvironment();
        for (const QString &name : m_environment.keys()) {
            if (name.startsWith(u"WEGENT_"_s) || name.startsWith(u"DEVICE_"_s)
                || name.startsWith(u"CODEX"_s)) {
                m_environment.remove(name);
            }
        }
        for (const QString &name :
            { u"DISPLAY"_s, u"WAYLAND_DISPLAY"_s, u"DBUS_SESSION_BUS_ADDRESS"_s }) {
            m_environment.remove(name);
        }
        m_environment.insert(u"HOME"_s, m_folder->path());
        m_environment.insert(u"WEGENT_EXECUTOR_HOME"_s, home());
        m_environment.insert(u"CODEX_BINARY_PATH"_s, m_folder->filePath(u"no codex"_s));
    }

    void cleanup()
    {
        if (m_running && m_running->state() != QProcess::NotRunning) {
            m_running->kill();
            m_running->waitForFinished();
        }
        m_running.reset();
    }

    void versionAndHelp_needNothing()
    {
        QCOMPARE(command({ u"--version"_s }).status, 0);
        QVERIFY(command({ u"--version"_s }).out.startsWith("deskhand-executor "));
        QVERIFY(command({ u"--help"_s }).out.contains("requests answer"));
        QVERIFY(command({ u"task"_s, u"--help"_s }).out.contains("--no-questions"));
        QVERIFY(!QFile::exists(home()));
    }

    void mistakes_exitWithTwo()
    {
        QCOMPARE(command({}).status, 2);
        QCOMPARE(command({ u"fly"_s }).status, 2);
        QCOMPARE(command({ u"run"_s, u"--drain-timeout"_s, u"soon"_s }).status, 2);
        QCOMPARE(command({ u"task"_s, u" "_s }).status, 2);
        QCOMPARE(command({ u"task"_s, u"--cwd"_s, u"/no such folder"_s, u"x"_s }).status, 2);
        QCOMPARE(command({ u"task"_s, u"--profile"_s, u"all"_s, u"x"_s }).status, 2);
        const Outcome json = command({ u"requests"_s, u"answer"_s, u"x"_s, u"--json"_s });
        QCOMPARE(json.status, 2);
        QCOMPARE(
            json.object().value(u"error"_s).toObject().value(u"kind"_s).toString(), u"usage"_s);
    }

    void nothingRuns_exitsWithThree()
    {
        for (const QStringList &words : { QStringList { u"status"_s }, { u"requests"_s, u"list"_s },
                 { u"tasks"_s, u"list"_s }, { u"tasks"_s, u"stop"_s, u"x"_s }, { u"pause"_s },
                 { u"quit"_s }, { u"requests"_s, u"answer"_s, u"x"_s, u"--deny"_s } }) {
            const Outcome outcome = command(words);
            QVERIFY2(outcome.status == 3, qPrintable(words.join(u' ') + outcome.err));
            QVERIFY(outcome.err.contains(home()));
        }
    }

    void run_withoutBackend_staysUpAndAnswers()
    {
        startRun();
        const QJsonObject status = command({ u"status"_s, u"--json"_s }).object();
        const QJsonObject link = status.value(u"link"_s).toObject();
        QCOMPARE(link.value(u"state"_s).toString(), u"not_set_up"_s);
        QVERIFY(link.contains(u"cause"_s) && link.contains(u"since"_s)
            && link.contains(u"next_retry_ms"_s));
        QVERIFY(status.value(u"engine"_s).toObject().contains(u"path"_s));
        QVERIFY(status.value(u"sandbox"_s).toObject().contains(u"state"_s));
        QCOMPARE(status.value(u"requests"_s).toInt(-1), 0);
        QVERIFY(command({ u"status"_s }).out.contains("Link:"));
        QCOMPARE(command({ u"status"_s, u"--wait"_s, u"idle"_s }).status, 0);
        QCOMPARE(
            command({ u"status"_s, u"--wait"_s, u"online"_s, u"--timeout"_s, u"0.2"_s }).status, 6);

        QVERIFY(command({ u"requests"_s, u"list"_s, u"--json"_s }).isEmptyList());
        QVERIFY(command({ u"tasks"_s, u"list"_s, u"--json"_s }).isEmptyList());
        QCOMPARE(command({ u"requests"_s, u"answer"_s, u"nobody"_s }).status, 2);
        const Outcome unknown
            = command({ u"requests"_s, u"answer"_s, u"nobody"_s, u"--once"_s, u"--json"_s });
        QCOMPARE(unknown.status, 1);
        QCOMPARE(unknown.object().value(u"error"_s).toObject().value(u"kind"_s).toString(),
            u"not_found"_s);
        QCOMPARE(command({ u"tasks"_s, u"show"_s, u"nobody"_s }).status, 1);
        QCOMPARE(command({ u"tasks"_s, u"stop"_s, u"nobody"_s }).status, 1);

        QCOMPARE(command({ u"pause"_s }).status, 0);
        const auto paused = [this] {
            return command({ u"status"_s, u"--json"_s }).object().value(u"paused"_s).toBool();
        };
        QTRY_VERIFY(paused());
        QCOMPARE(command({ u"resume"_s }).status, 0);
        QTRY_VERIFY(!paused());
        QCOMPARE(command({ u"pause"_s, u"--for"_s, u"soon"_s }).status, 2);
        QCOMPARE(command({ u"pause"_s, u"--for"_s, u"1h"_s }).status, 0);
        QTRY_VERIFY(paused());
        const QJsonValue until
            = command({ u"status"_s, u"--json"_s }).object().value(u"paused_until"_s);
        QVERIFY(QDateTime::fromString(until.toString(), Qt::ISODateWithMs)
            > QDateTime::currentDateTimeUtc().addSecs(3000));
        QCOMPARE(command({ u"pause"_s, u"--for"_s, u"1s"_s }).status, 0);
        QTRY_VERIFY_WITH_TIMEOUT(!paused(), kLimitMs);
        QCOMPARE(command({ u"reload"_s }).status, 0);
        QCOMPARE(command({ u"quit"_s }).status, 0);
        QVERIFY(m_running->waitForFinished(kLimitMs));
        QCOMPARE(m_running->exitCode(), 0);
        QCOMPARE(command({ u"status"_s }).status, 3);
    }

    void secondRun_namesTheHolder()
    {
        startRun();
        const Outcome second = command({ u"run"_s });
        QCOMPARE(second.status, 1);
        QVERIFY2(
            second.err.contains(QString::number(m_running->processId())), qPrintable(second.err));
        QVERIFY(second.err.contains(u"deskhand-executor is already running"_s));
        QCOMPARE(command({ u"status"_s }).status, 0);
    }

    void killedProgram_leavesNothingInTheWay()
    {
        startRun();
        m_running->kill();
        QVERIFY(m_running->waitForFinished());
        QCOMPARE(command({ u"status"_s }).status, 3);
        startRun();
        QCOMPARE(command({ u"status"_s }).status, 0);
    }

    void sigterm_whenIdle_endsWithZero()
    {
        startRun();
        m_running->terminate();
        QVERIFY(m_running->waitForFinished(kLimitMs));
        QCOMPARE(m_running->exitStatus(), QProcess::NormalExit);
        QCOMPARE(m_running->exitCode(), 0);
    }

    void sighup_readsAgainAndGoesOn()
    {
        startRun();
        QFile file(home() + u"/settings.json"_s);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(R"({"parallel_tasks": 99})");
        file.close();
        QCOMPARE(::kill(static_cast<pid_t>(m_running->processId()), SIGHUP), 0);
        const auto problems = [this] {
            return QJsonDocument(
                command({ u"status"_s, u"--json"_s }).object().value(u"problems"_s).toArray())
                .toJson();
        };
        QTRY_VERIFY_WITH_TIMEOUT(problems().contains("parallel_tasks"), kLimitMs);
    }

    void loginAndLogout_keepTheTokenInAPrivateFileOnly()
    {
        const QByteArray token = "wg-token-of-a-test-0123456789";
        QCOMPARE(command({ u"login"_s }, "Bearer " + token + "\n").status, 0);
        QFile file(home() + u"/secrets.json"_s);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QVERIFY(file.readAll().contains(token));
        file.close();
        QCOMPARE(QFile::permissions(file.fileName()) & 0x0077, QFile::Permissions());
        QCOMPARE(command({ u"login"_s }, "two words\n").status, 2);
        QCOMPARE(command({ u"login"_s }, "").status, 2);

        startRun();
        QCOMPARE(command({ u"logout"_s, u"--json"_s }).object().value(u"ok"_s).toBool(), true);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QVERIFY(!file.readAll().contains(token));
        QVERIFY(!runLog().contains(token));
        QFile log(home() + u"/logs/executor.log"_s);
        QVERIFY(log.open(QIODevice::ReadOnly));
        QVERIFY(!log.readAll().contains(token));
    }

    void task_withoutEngine_failsWithAReasonAndEnds()
    {
        const QString work = m_folder->filePath(u"work"_s);
        QVERIFY(QDir().mkpath(work));
        const Outcome outcome = command({ u"task"_s, u"--cwd"_s, work, u"-"_s }, "做");
        QCOMPARE(outcome.status, 1);
        QVERIFY2(outcome.err.contains(u"no codex"_s), qPrintable(outcome.err));
        QCOMPARE(command({ u"status"_s }).status, 3); // nothing is left behind
    }

    void models_ofTheOwner_needNoProgram()
    {
        QCOMPARE(command({ u"models"_s, u"list"_s, u"--json"_s }).out, QByteArray("[]\n"));
        const Outcome keyless = command(
            { u"models"_s, u"add"_s, u"--provider"_s, u"deepseek"_s, u"--model-id"_s, u"m"_s });
        QCOMPARE(keyless.status, 2);
        QVERIFY2(keyless.err.contains(u"--key-file"_s), qPrintable(keyless.err));
        const QStringList add { u"models"_s, u"add"_s, u"mine"_s, u"--provider"_s, u"deepseek"_s,
            u"--model-id"_s, u"m"_s };
        QCOMPARE(command(add + QStringList { u"--key-file"_s, u"/no such file"_s }).status, 1);
        QCOMPARE(command(add + QStringList { u"--key-file"_s, u"-"_s }, "two words").status, 2);
        QCOMPARE(command(add + QStringList { u"--key-file"_s, u"-"_s }, "").status, 2);

        const QByteArray key = "sk-of-a-test-0123456789";
        QFile file(m_folder->filePath(u"key"_s));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(key + '\n');
        file.close();
        const Outcome added = command(add + QStringList { u"--key-file"_s, file.fileName() });
        QVERIFY2(added.status == 0, qPrintable(added.err));
        const Outcome list = command({ u"models"_s, u"list"_s });
        QVERIFY2(
            list.out.contains("DeepSeek") && list.out.contains("stored"), list.out.constData());
        for (const QByteArray &said : { added.out, added.err.toUtf8(), list.out }) {
            QVERIFY(!said.contains(key));
        }
        QCOMPARE(command({ u"models"_s, u"default"_s }).status, 2);
        QCOMPARE(command({ u"models"_s, u"default"_s, u"mine"_s, u"--none"_s }).status, 2);
        QCOMPARE(command({ u"models"_s, u"default"_s, u"mine"_s }).status, 0);
        QCOMPARE(command({ u"models"_s, u"default"_s, u"--none"_s }).status, 0);
        QCOMPARE(command({ u"models"_s, u"test"_s, u"other"_s }).status, 2);
        QCOMPARE(command({ u"models"_s, u"usage"_s, u"--days"_s, u"0"_s }).status, 2);
        QCOMPARE(command({ u"models"_s, u"usage"_s, u"--json"_s }).out, QByteArray("[]\n"));
        QCOMPARE(command({ u"models"_s, u"remove"_s, u"mine"_s }).status, 0);
        QCOMPARE(command({ u"models"_s, u"remove"_s, u"mine"_s }).status, 2);
        QCOMPARE(command({ u"status"_s }).status, 3); // nothing is left behind
    }

    void sandbox_countsTheOwnersSettings()
    {
        const auto settle = [this](const QByteArray &content) {
            QVERIFY(QDir().mkpath(home()));
            QFile file(home() + u"/settings.json"_s);
            QVERIFY(file.open(QIODevice::WriteOnly));
            QCOMPARE(file.write(content), content.size());
        };
        const QString work = QDir(m_folder->path()).canonicalPath() + u"/work"_s;
        QVERIFY(QDir().mkpath(work + u"/vault"_s));
        QFile key(work + u"/vault/key"_s);
        QVERIFY(key.open(QIODevice::WriteOnly));
        QCOMPARE(key.write("PRIVATEKEY55\n"), 13);
        key.close();
        const auto cat = [this, &work](const QStringList &options = {}) {
            return command(QStringList { u"sandbox"_s, u"--cwd"_s, work } + options
                + QStringList { u"--"_s, u"cat"_s, u"vault/key"_s });
        };
        const Outcome before = cat();
        if (before.status == 126) {
            QSKIP("this system has no sandbox");
        }
        QCOMPARE(before.out, QByteArray("PRIVATEKEY55\n"));
        settle(QJsonDocument(
            QJsonObject { { u"sandbox"_s,
                QJsonObject { { u"secret_paths"_s, QJsonArray { work + u"/vault"_s } } } } })
                   .toJson());
        for (const QStringList &options :
            { QStringList(), QStringList { u"--writable"_s, work + u"/vault"_s },
                QStringList { u"--profile"_s, u":danger-full-access"_s } }) {
            const Outcome refused = cat(options);
            QVERIFY(refused.status != 0);
            QCOMPARE(refused.out, QByteArray());
        }
        const Outcome told
            = command({ u"sandbox"_s, u"explain"_s, work + u"/vault/key"_s, u"--cwd"_s, work });
        QVERIFY2(told.out.contains("kept secret by the owner"), told.out.constData());

        // A slip in what should be hidden must not open it.
        settle(R"({"sandbox": {"secret_paths": ["vault"]}})");
        const Outcome slip = cat();
        QCOMPARE(slip.status, 125);
        QVERIFY2(slip.err.contains(u"\"sandbox.secret_paths\""_s), qPrintable(slip.err));
        QCOMPARE(command({ u"sandbox"_s, u"--help"_s }).status, 0);
        QVERIFY(command({ u"sandbox"_s, u"--help"_s }).out.contains("your settings"));
    }

    void sandbox_exitStatuses()
    {
        const auto sandboxed = [this](const QStringList &options, const QString &line) {
            return command(QStringList { u"sandbox"_s, u"--cwd"_s, m_folder->path() } + options
                + QStringList { u"--"_s, u"sh"_s, u"-c"_s, line });
        };
        const Outcome badProfile = sandboxed({ u"--profile"_s, u":everything"_s }, u"true"_s);
        QCOMPARE(badProfile.status, 125);
        QVERIFY2(badProfile.err.contains(u"sandbox:"_s), qPrintable(badProfile.err));
        QCOMPARE(command({ u"sandbox"_s }).status, 125);
        QCOMPARE(sandboxed({ u"--profile"_s, u":danger-full-access"_s }, u"exit 7"_s).status, 7);

        const QStringList workspace { u"--profile"_s, u":workspace"_s };
        const Outcome first = sandboxed(workspace, u"echo here; exit 7"_s);
        if (first.status == 126) {
            QVERIFY2(first.err.contains(u"sandbox:"_s), qPrintable(first.err));
            QSKIP("this system has no sandbox; its absence was reported as it must be");
        }
        QCOMPARE(first.status, 7);
        QCOMPARE(first.out, QByteArray("here\n"));
        QCOMPARE(sandboxed(workspace, u"kill -9 $$"_s).status, 128 + SIGKILL);
        QCOMPARE(sandboxed(workspace, u"kill -15 $$"_s).status, 128 + SIGTERM);
        const Outcome late
            = sandboxed(workspace + QStringList { u"--timeout-ms"_s, u"500"_s }, u"sleep 60"_s);
        QCOMPARE(late.status, 124);
        QVERIFY2(late.err.contains(u"sandbox:"_s), qPrintable(late.err));
        const Outcome json = sandboxed(
            workspace + QStringList { u"--timeout-ms"_s, u"500"_s, u"--json"_s }, u"sleep 60"_s);
        QCOMPARE(json.status, 124);
        QVERIFY2(json.object().contains(u"ended_by"_s), json.out.constData());
        QVERIFY(sandboxed({ u"--profile"_s, u":read-only"_s }, u"echo x > refused"_s).status != 0);
        QVERIFY(!QFile::exists(m_folder->filePath(u"refused"_s)));
        QCOMPARE(command({ u"sandbox"_s, u"probe"_s, u"--json"_s }).status, 0);
    }

    void proxy_servesTheModelsOfItsFile()
    {
        QCOMPARE(command({ u"proxy"_s }).status, 2);
        QFile config(m_folder->filePath(u"models.json"_s));
        const auto write = [&config](const QByteArray &text) {
            QVERIFY(config.open(QIODevice::WriteOnly));
            config.write(text);
            config.close();
        };
        write("{\n\"models\": {\"m\": {\"base_url\": 5}}}");
        const Outcome bad = command({ u"proxy"_s, u"--config"_s, config.fileName() });
        QCOMPARE(bad.status, 2);
        QVERIFY2(bad.err.contains(config.fileName() + u":2:"_s) && bad.err.contains(u"base_url"_s),
            qPrintable(bad.err));

        write("{\"models\": {\"mine\": {\"base_url\": \"http://127.0.0.1:9/v1\", \"model_id\": "
              "\"m\"}}}");
        QProcess proxy;
        proxy.setProcessEnvironment(m_environment);
        proxy.start(kProgram, { u"proxy"_s, u"--config"_s, config.fileName() });
        QTRY_VERIFY_WITH_TIMEOUT(proxy.canReadLine(), kLimitMs);
        const QJsonObject greeting = QJsonDocument::fromJson(proxy.readLine()).object();
        const QUrl base(greeting.value(u"base_url"_s).toString());
        QCOMPARE(base.host(), u"127.0.0.1"_s);
        const auto models = [&base](const QByteArray &token) {
            QTcpSocket socket;
            socket.connectToHost(base.host(), static_cast<quint16>(base.port()));
            socket.waitForConnected(kLimitMs);
            socket.write("GET " + base.path().toLatin1()
                + "/models HTTP/1.1\r\nHost: " + base.authority().toLatin1()
                + "\r\nAuthorization: Bearer " + token + "\r\nConnection: close\r\n\r\n");
            QByteArray answer;
            while (socket.waitForReadyRead(kLimitMs)) {
                answer += socket.readAll();
            }
            return answer;
        };
        const QByteArray list = models(greeting.value(u"token"_s).toString().toLatin1());
        QVERIFY2(list.startsWith("HTTP/1.1 200") && list.contains("mine"), list.constData());
        QVERIFY(models("somebody").startsWith("HTTP/1.1 401"));
        proxy.terminate();
        QVERIFY(proxy.waitForFinished(kLimitMs));
        QCOMPARE(proxy.exitStatus(), QProcess::NormalExit);
        QCOMPARE(proxy.exitCode(), 0);
    }

    void logs_areReadWithoutAProgram()
    {
        QCOMPARE(command({ u"logs"_s }).status, 1);
        startRun();
        QTRY_VERIFY(command({ u"logs"_s, u"--source"_s, u"run"_s }).out.contains("runs for"));
        const QByteArray line
            = command({ u"logs"_s, u"--source"_s, u"run"_s, u"--lines"_s, u"1"_s, u"--json"_s })
                  .out;
        const QJsonObject object = QJsonDocument::fromJson(line).object();
        QCOMPARE(object.value(u"level"_s).toString(), u"info"_s);
        QCOMPARE(object.value(u"source"_s).toString(), u"run"_s);
        QVERIFY(!command({ u"logs"_s, u"--level"_s, u"error"_s }).out.contains("runs for"));
        QCOMPARE(command({ u"logs"_s, u"--level"_s, u"loud"_s }).status, 2);
    }

    void doctor_namesEveryPartAndFailsWithoutAnEngine()
    {
        const Outcome outcome = command({ u"doctor"_s, u"--json"_s });
        QCOMPARE(outcome.status, 1);
        QStringList names;
        for (const QJsonValue &value : outcome.object().value(u"checks"_s).toArray()) {
            const QJsonObject check = value.toObject();
            names.append(check.value(u"name"_s).toString());
            if (names.last() == u"engine"_s) {
                QCOMPARE(check.value(u"result"_s).toString(), u"fail"_s);
                QVERIFY(!check.value(u"hint"_s).toString().isEmpty());
            }
        }
        for (const QString &name : { u"home"_s, u"disk"_s, u"path"_s, u"backend"_s, u"program"_s,
                 u"sandbox"_s, u"engine"_s }) {
            QVERIFY2(names.contains(name), qPrintable(name));
        }
        QVERIFY(!QFile::exists(home())); // it only looks
    }

    void closedStreams_hurtNothing()
    {
        const auto shell = [this](const QString &line) {
            QProcess process;
            process.setProcessEnvironment(m_environment);
            process.start(u"/bin/sh"_s, { u"-c"_s, line, u"sh"_s, kProgram });
            return process.waitForFinished(kLimitMs) ? process.exitCode() : -1;
        };
        QCOMPARE(shell(u"\"$1\" --help >&-"_s), 0);
        QCOMPARE(shell(u"\"$1\" --help | true"_s), 0);
        QCOMPARE(shell(u"\"$1\" status <&- >&- 2>&-"_s), 3);
        startRun();
        QCOMPARE(shell(u"\"$1\" status <&- >&-"_s), 0);
    }
};

QTEST_GUILESS_MAIN(TestProgram)

#include "tst_program.moc"
