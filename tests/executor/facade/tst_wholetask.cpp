// SPDX-License-Identifier: Apache-2.0
#include "tests/support/wholetask/steps.h"
#include "tests/support/wholetask/world.h"

#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QJsonDocument>
#include <QTest>

#include <csignal>

using namespace Qt::StringLiterals;
using namespace steps;

namespace {

/// The text of response.completed.
QString answerOf(const QJsonObject &ending)
{
    return ending.value(u"data"_s)
        .toObject()
        .value(u"response"_s)
        .toObject()
        .value(u"output"_s)
        .toArray()
        .at(0)
        .toObject()
        .value(u"content"_s)
        .toArray()
        .at(0)
        .toObject()
        .value(u"text"_s)
        .toString();
}

QString streamed(const QList<QJsonObject> &events)
{
    QString text;
    for (const QJsonObject &event : events) {
        if (event.value(u"name"_s).toString() == u"response.output_text.delta"_s) {
            const QJsonObject data = event.value(u"data"_s).toObject();
            // What the receiver has already, it has by the offset.
            if (data.value(u"offset"_s).toInteger() == text.toUcs4().size()) {
                text += data.value(u"delta"_s).toString();
            }
        }
    }
    return text;
}

} // namespace

/// The program as others drive it: environment, backend, command line, signals; the real Codex.
class TstWholeTask : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void messages_areStreamedInOrderAndTheAnswerIsTheLast()
    {
        World world;
        QJsonObject first = command(u"echo hello > made.txt"_s);
        first.insert(u"text"_s, u"先看一下。😀"_s);
        QVERIFY2(world.start(script({ first, say(u"完成了"_s) })), qPrintable(world.error()));
        QVERIFY2(world.startExecutor(), qPrintable(world.executorLog()));
        world.execute(world.task(8121, 20417, u"go"_s));
        const QJsonObject created = world.waitEvent(20417, { u"response.created"_s });
        QCOMPARE(created.value(u"task_id"_s).toInt(), 8121);
        QCOMPARE(created.value(u"message_id"_s).toInt(), 7);
        const QJsonObject ending = world.waitEnding(20417);
        QCOMPARE(ending.value(u"name"_s).toString(), u"response.completed"_s);
        QCOMPARE(answerOf(ending), u"完成了"_s);
        const QList<QJsonObject> events = world.events(20417);
        QCOMPARE(streamed(events), u"先看一下。😀\n\n完成了"_s);
        QCOMPARE(events.first().value(u"name"_s).toString(), u"response.created"_s);
        QCOMPARE(events.last().value(u"name"_s).toString(), u"response.completed"_s);
        QCOMPARE(endings(events), 1);
        QCOMPARE(fileText(world.workFolder() + u"/made.txt"_s), u"hello\n"_s);
    }

    void approval_onceThenTask_letsTheSameThroughAgain()
    {
        World world;
        const QString outside = world.folder(u"outside file"_s);
        const QJsonObject touch = command(u"touch '%1'"_s.arg(outside), true);
        // Two blanks: the shell does the same, but it is not the identical command line.
        const QJsonObject spaced = command(u"touch  '%1'"_s.arg(outside), true);
        const QJsonObject other = command(u"touch '%1.other'"_s.arg(outside), true);
        QVERIFY(world.start(script({ touch, touch, touch, spaced, other, say(u"done"_s) })));
        QVERIFY2(world.startExecutor(), qPrintable(world.executorLog()));
        world.execute(world.task(1, 11, u"go"_s));

        QJsonObject request = world.waitRequests().at(0).toObject();
        QVERIFY2(!request.isEmpty(), qPrintable(world.executorLog()));
        QCOMPARE(request.value(u"kind"_s).toString(), u"command"_s);
        QVERIFY(request.value(u"command"_s).toString().contains(outside));
        QCOMPARE(request.value(u"task_id"_s).toString(), u"1"_s);
        QCOMPARE(request.value(u"reason"_s).toString(), u"The test wants it."_s);
        QVERIFY(!QFile::exists(outside));
        const QString id = request.value(u"id"_s).toString();
        QCOMPARE(world.command({ u"requests"_s, u"answer"_s, id }).status, 2);
        QCOMPARE(
            world.command({ u"requests"_s, u"answer"_s, u"no-such"_s, u"--once"_s }).status, 1);
        QCOMPARE(world.command({ u"requests"_s, u"answer"_s, id, u"--once"_s }).status, 0);
        const World::Outcome again = world.command({ u"requests"_s, u"answer"_s, id, u"--deny"_s });
        QCOMPARE(again.status, 1);
        QVERIFY2(again.err.contains(u"no longer waiting"_s), qPrintable(again.err));

        request = world.waitRequests().at(0).toObject();
        QVERIFY(request.value(u"id"_s).toString() != id);
        QCOMPARE(world
                     .command({ u"requests"_s, u"answer"_s, request.value(u"id"_s).toString(),
                         u"--task"_s })
                     .status,
            0);

        // The third is the identical command: let through. The others are not: asked.
        request = world.waitRequests().at(0).toObject();
        QVERIFY2(request.value(u"command"_s).toString().contains(u"touch  "_s),
            qPrintable(request.value(u"command"_s).toString()));
        QCOMPARE(world
                     .command({ u"requests"_s, u"answer"_s, request.value(u"id"_s).toString(),
                         u"--once"_s })
                     .status,
            0);
        request = world.waitRequests().at(0).toObject();
        QVERIFY(request.value(u"command"_s).toString().contains(u".other"_s));
        QVERIFY(QFile::exists(outside));
        QCOMPARE(world
                     .command({ u"requests"_s, u"answer"_s, request.value(u"id"_s).toString(),
                         u"--deny"_s })
                     .status,
            0);
        const QJsonObject ending = world.waitEnding(11);
        QCOMPARE(ending.value(u"name"_s).toString(), u"response.completed"_s);
        QCOMPARE(answerOf(ending), u"done"_s);
        QVERIFY(!QFile::exists(outside + u".other"_s));
    }

    void sandbox_holdsWithoutAsking()
    {
        World world;
        const QString outside = world.folder(u"outside"_s);
        QVERIFY(world.start(script(
            { command(u"echo in > inside.txt; echo out > '%1'"_s.arg(outside)), say(u"done"_s) })));
        QVERIFY2(world.startExecutor(), qPrintable(world.executorLog()));
        world.execute(world.task(1, 1, u"go"_s));
        QCOMPARE(world.waitEnding(1).value(u"name"_s).toString(), u"response.completed"_s);
        QCOMPARE(fileText(world.workFolder() + u"/inside.txt"_s), u"in\n"_s);
        QVERIFY(!QFile::exists(outside));
    }

    void secretPathOfTheOwner_isNeverOpenedUntilTheSettingsChange()
    {
        World world;
        const QString secret = world.folder(u"vault/key"_s);
        const QJsonObject copy = command(u"cat '%1' > copy.txt"_s.arg(secret), true);
        QVERIFY(world.start(script({ copy, say(u"one"_s), copy, say(u"two"_s) })));
        const auto put = [](const QString &path, const QByteArray &content) {
            QFile file(path);
            QVERIFY(QDir().mkpath(QFileInfo(path).path()));
            QVERIFY(file.open(QIODevice::WriteOnly));
            QCOMPARE(file.write(content), content.size());
        };
        put(secret, "s3cret\n");
        const auto settle = [&](const QStringList &secrets) {
            put(world.home() + u"/settings.json"_s,
                QJsonDocument(QJsonObject { { u"sandbox"_s,
                                  QJsonObject { { u"secret_paths"_s,
                                      QJsonArray::fromStringList(secrets) } } } })
                    .toJson());
        };
        settle({ world.folder(u"vault"_s) });
        QVERIFY2(world.startExecutor(), qPrintable(world.executorLog()));
        world.execute(world.task(1, 1, u"go"_s));
        QCOMPARE(world.waitEnding(1).value(u"name"_s).toString(), u"response.completed"_s);
        QVERIFY(!QFile::exists(world.workFolder() + u"/copy.txt"_s));
        const World::Outcome told = world.command({ u"tasks"_s, u"show"_s, u"1"_s });
        QVERIFY2(
            (told.err + told.out).contains(u"secret path of the owner"_s), qPrintable(told.err));
        QVERIFY2(
            told.err.contains(u"level :workspace, sandbox: the engine's"_s), qPrintable(told.err));

        settle({});
        QCOMPARE(world.command({ u"reload"_s }).status, 0);
        world.execute(world.task(1, 2, u"again"_s));
        const QJsonObject request = world.waitRequests().at(0).toObject();
        QVERIFY2(request.value(u"command"_s).toString().contains(secret),
            qPrintable(world.executorLog()));
        QCOMPARE(world
                     .command({ u"requests"_s, u"answer"_s, request.value(u"id"_s).toString(),
                         u"--once"_s })
                     .status,
            0);
        QCOMPARE(world.waitEnding(2).value(u"name"_s).toString(), u"response.completed"_s);
        QCOMPARE(fileText(world.workFolder() + u"/copy.txt"_s), u"s3cret\n"_s);
    }

    void profileAboveTheCeiling_isLoweredAndSaysSo()
    {
        World world;
        const QString outside = world.folder(u"outside"_s);
        QVERIFY(
            world.start(script({ command(u"echo out > '%1'"_s.arg(outside)), say(u"done"_s) })));
        QVERIFY2(world.startExecutor(), qPrintable(world.executorLog()));
        world.execute(world.task(
            1, 1, u"go"_s, { { u"runtime_permission_profile"_s, u":danger-full-access"_s } }));
        QCOMPARE(world.waitEnding(1).value(u"name"_s).toString(), u"response.completed"_s);
        QVERIFY(!QFile::exists(outside));
        bool told = false;
        for (const QJsonObject &event : world.events(1)) {
            told = told || QJsonDocument(event).toJson().contains(":workspace");
        }
        QVERIFY(told);
    }

    void missingFolder_isAnErrorNamingIt()
    {
        World world;
        QVERIFY(world.start(script({})));
        QVERIFY2(world.startExecutor(), qPrintable(world.executorLog()));
        const QString missing = world.folder(u"not there"_s);
        world.execute(world.task(1, 1, u"go"_s, { { u"project_workspace_path"_s, missing } }));
        const QJsonObject ending = world.waitEnding(1);
        QCOMPARE(ending.value(u"name"_s).toString(), u"error"_s);
        QVERIFY(
            ending.value(u"data"_s).toObject().value(u"message"_s).toString().contains(missing));
        QCOMPARE(endings(world.events(1)), 1);
    }

    void folderOutsideTheFixedRoots_isRefused()
    {
        World world;
        QVERIFY(world.start(script({ say(u"done"_s) })));
        QDir().mkpath(world.folder(u"allowed 根"_s));
        world.setEnvironment(u"WEGENT_WORKSPACE_ROOTS"_s, world.folder(u"allowed 根"_s));
        QVERIFY2(world.startExecutor(), qPrintable(world.executorLog()));
        world.execute(world.task(1, 1, u"go"_s));
        QCOMPARE(world.waitEnding(1).value(u"name"_s).toString(), u"error"_s);
        world.execute(world.task(
            2, 2, u"go"_s, { { u"project_workspace_path"_s, world.folder(u"allowed 根"_s) } }));
        QCOMPARE(world.waitEnding(2).value(u"name"_s).toString(), u"response.completed"_s);
        world.execute(
            world.task(3, 3, u"go"_s, { { u"project_workspace_path"_s, QJsonValue::Null } }));
        QCOMPARE(world.waitEnding(3).value(u"name"_s).toString(), u"response.completed"_s);
    }

    void taskWithoutFolder_getsOneOfItsOwn()
    {
        World world;
        QVERIFY(world.start(script({ command(u"echo x > here.txt"_s), say(u"done"_s) })));
        QVERIFY2(world.startExecutor(), qPrintable(world.executorLog()));
        world.execute(
            world.task(77, 1, u"go"_s, { { u"project_workspace_path"_s, QJsonValue::Null } }));
        QCOMPARE(world.waitEnding(1).value(u"name"_s).toString(), u"response.completed"_s);
        QCOMPARE(fileText(world.home() + u"/workspace/77/here.txt"_s), u"x\n"_s);
    }

    void cancel_endsTheTurnOnceAndTheCommandWithIt()
    {
        World world;
        QVERIFY(world.start(
            script({ command(u"echo $$ > pid; exec sleep 300"_s), say(u"not reached"_s) })));
        QVERIFY2(world.startExecutor(), qPrintable(world.executorLog()));
        world.execute(world.task(5, 50, u"go"_s));
        QTRY_VERIFY_WITH_TIMEOUT(!fileText(world.workFolder() + u"/pid"_s).isEmpty(), 30000);
        world.backend.send(
            { { u"cmd"_s, u"cancel"_s }, { u"task_id"_s, 5 }, { u"subtask_id"_s, 50 } });
        const QJsonObject ending = world.waitEnding(50);
        QCOMPARE(ending.value(u"name"_s).toString(), u"response.incomplete"_s);
        QCOMPARE(ending.value(u"data"_s)
                     .toObject()
                     .value(u"response"_s)
                     .toObject()
                     .value(u"error"_s)
                     .toObject()
                     .value(u"code"_s)
                     .toString(),
            u"cancelled"_s);
        // The next turn of the same task goes on in the same conversation.
        world.execute(world.task(5, 51, u"again"_s));
        QCOMPARE(world.waitEnding(51).value(u"name"_s).toString(), u"response.completed"_s);
        QCOMPARE(endings(world.events(50)), 1);
    }

    void cancelBeforeItsTask_isHonoured()
    {
        World world;
        QVERIFY(world.start(script({ say(u"must not run"_s) })));
        QVERIFY2(world.startExecutor(), qPrintable(world.executorLog()));
        world.backend.send(
            { { u"cmd"_s, u"cancel"_s }, { u"task_id"_s, 9 }, { u"subtask_id"_s, 90 } });
        world.execute(world.task(9, 90, u"go"_s));
        QCOMPARE(world.waitEvent(90, { u"response.created"_s, u"response.incomplete"_s })
                     .value(u"name"_s)
                     .toString(),
            u"response.created"_s);
        QCOMPARE(world.waitEnding(90).value(u"name"_s).toString(), u"response.incomplete"_s);
        QVERIFY(fileText(world.folder(u"model.log"_s)).isEmpty());
    }

    void cutLink_losesAndRepeatsNothing()
    {
        World world;
        QString text;
        for (int i = 0; i < 400; ++i) {
            text += u"第%1段😀 "_s.arg(i);
        }
        text = text.trimmed();
        QJsonObject step = say(text);
        step.insert(u"chunk"_s, 9);
        step.insert(u"delay_ms"_s, 4);
        QVERIFY(world.start(script({ step })));
        QVERIFY2(world.startExecutor(), qPrintable(world.executorLog()));
        world.execute(world.task(1, 1, u"go"_s));
        for (int cut = 0; cut < 3; ++cut) {
            QVERIFY(!world.waitEvent(1, { u"response.output_text.delta"_s }).isEmpty());
            world.backend.send({ { u"cmd"_s, u"drop"_s } });
            QVERIFY(world.waitOnline());
        }
        const QJsonObject ending = world.waitEnding(1);
        QCOMPARE(ending.value(u"name"_s).toString(), u"response.completed"_s);
        QCOMPARE(answerOf(ending), text);
        QCOMPARE(streamed(world.events(1)), text);
    }

    void killedProgram_tellsTheInterruptedTurnAfterwardsAndLeavesNoEngine()
    {
        World world;
        QVERIFY(
            world.start(script({ command(u"echo $$ > pid; exec sleep 300"_s), say(u"done"_s) })));
        QVERIFY2(world.startExecutor(), qPrintable(world.executorLog()));
        world.execute(world.task(3, 30, u"go"_s));
        QTRY_VERIFY_WITH_TIMEOUT(!fileText(world.workFolder() + u"/pid"_s).isEmpty(), 30000);
        QVERIFY(!world.engineProcesses().isEmpty());
        world.executor->kill();
        QVERIFY(world.executor->waitForFinished());
        QTRY_VERIFY_WITH_TIMEOUT(world.engineProcesses().isEmpty(), 10000);

        QVERIFY2(world.startExecutor(), qPrintable(world.executorLog()));
        const QJsonObject ending = world.waitEnding(30);
        QCOMPARE(ending.value(u"name"_s).toString(), u"error"_s);
        QCOMPARE(ending.value(u"data"_s).toObject().value(u"code"_s).toString(), u"interrupted"_s);
        QCOMPARE(endings(world.events(30)), 1);
        // The task can be continued.
        world.execute(world.task(3, 31, u"again"_s));
        QCOMPARE(world.waitEnding(31).value(u"name"_s).toString(), u"response.completed"_s);
    }

    void refusedToken_stopsTryingAndLocalTasksGoOn()
    {
        World world;
        QVERIFY(world.start(script({ say(u"local answer"_s) })));
        world.unsetEnvironment(u"WEGENT_AUTH_TOKEN"_s);
        QDir().mkpath(world.home());
        const auto writeToken = [&world](const QString &token) {
            QFile file(world.home() + u"/device-config.json"_s);
            QVERIFY(file.open(QIODevice::WriteOnly));
            file.write(
                QJsonDocument(QJsonObject { { u"future_key"_s, 1 },
                                  { u"connection"_s, QJsonObject { { u"auth_token"_s, token } } } })
                    .toJson());
        };
        writeToken(u"wg-wrong-token-of-somebody"_s);
        world.launchExecutor();
        QVERIFY(!world.backend
                     .waitFor([](const QJsonObject &line) {
                         return line.value(u"type"_s).toString() == u"refused"_s;
                     })
                     .isEmpty());
        const auto linkState = [&world] {
            return world.command({ u"status"_s, u"--json"_s })
                .object()
                .value(u"link"_s)
                .toObject()
                .value(u"state"_s)
                .toString();
        };
        QTRY_COMPARE_WITH_TIMEOUT(linkState(), u"sign_in_needed"_s, 15000);

        writeToken(World::kToken);
        ::kill(static_cast<pid_t>(world.executor->processId()), SIGHUP);
        QVERIFY2(world.waitOnline(), qPrintable(world.executorLog()));
        QTRY_COMPARE_WITH_TIMEOUT(linkState(), u"online"_s, 15000);
        QVERIFY(fileText(world.home() + u"/device-config.json"_s).contains(u"future_key"_s));
    }

    void secondProgramOnTheSameHome_namesTheHolder()
    {
        World world;
        QVERIFY(world.start(script({})));
        QVERIFY2(world.startExecutor(), qPrintable(world.executorLog()));
        const World::Outcome second = world.command({ u"run"_s });
        QCOMPARE(second.status, 1);
        QVERIFY2(second.err.contains(QString::number(world.executor->processId())),
            qPrintable(second.err));
    }

    void status_hasTheShapeOthersReadIt()
    {
        World world;
        QVERIFY(world.start(script({})));
        QCOMPARE(world.command({ u"status"_s, u"--json"_s }).status, 3);
        QVERIFY2(world.startExecutor(), qPrintable(world.executorLog()));
        const QJsonObject status = world.command({ u"status"_s, u"--json"_s }).object();
        QCOMPARE(status.value(u"link"_s).toObject().value(u"state"_s).toString(), u"online"_s);
        for (const QString &key : { u"cause"_s, u"since"_s, u"next_retry_ms"_s }) {
            QVERIFY(status.value(u"link"_s).toObject().contains(key));
        }
        for (const QString &key : { u"state"_s, u"version"_s, u"path"_s }) {
            QVERIFY(status.value(u"engine"_s).toObject().contains(key));
        }
        QVERIFY(status.value(u"sandbox"_s).toObject().contains(u"cause"_s));
        QVERIFY(status.value(u"secrets"_s).toObject().contains(u"state"_s));
        QVERIFY(status.value(u"device"_s)
                    .toObject()
                    .value(u"id"_s)
                    .toString()
                    .startsWith(u"device-"_s));
        QCOMPARE(status.value(u"tasks"_s).toObject().value(u"running"_s).toInt(-1), 0);
        QCOMPARE(status.value(u"tasks"_s).toObject().value(u"queued"_s).toInt(-1), 0);
        QCOMPARE(status.value(u"requests"_s).toInt(-1), 0);
    }

    void sigterm_whenIdle_endsWithStatusZero()
    {
        World world;
        QVERIFY(world.start(script({})));
        QVERIFY2(world.startExecutor(), qPrintable(world.executorLog()));
        world.executor->terminate();
        QVERIFY(world.executor->waitForFinished(15000));
        QCOMPARE(world.executor->exitStatus(), QProcess::NormalExit);
        QCOMPARE(world.executor->exitCode(), 0);
    }

    void sigterm_withARunningTurn_drainsThenEndsIt()
    {
        World world;
        QVERIFY(
            world.start(script({ command(u"echo $$ > pid; exec sleep 300"_s), say(u"done"_s) })));
        QVERIFY2(
            world.startExecutor({ u"--drain-timeout"_s, u"1"_s }), qPrintable(world.executorLog()));
        world.execute(world.task(3, 30, u"go"_s));
        QTRY_VERIFY_WITH_TIMEOUT(!fileText(world.workFolder() + u"/pid"_s).isEmpty(), 30000);
        world.executor->terminate();
        QCOMPARE(world.waitEnding(30).value(u"name"_s).toString(), u"response.incomplete"_s);
        QVERIFY(world.executor->waitForFinished(20000));
        QCOMPARE(world.executor->exitCode(), 0);
        QVERIFY(world.engineProcesses().isEmpty());
        QCOMPARE(endings(world.events(30)), 1);
    }

    void providerKey_isNowhereButAtTheProvider()
    {
        World world;
        QVERIFY(world.start(script({ command(u"env; echo $$ > pid; sleep 3"_s), say(u"done"_s) })));
        QVERIFY2(world.startExecutor(), qPrintable(world.executorLog()));
        world.execute(world.task(3, 30, u"go"_s));
        QTRY_VERIFY_WITH_TIMEOUT(!fileText(world.workFolder() + u"/pid"_s).isEmpty(), 30000);
        for (const qint64 pid : world.engineProcesses()) {
            for (const QString &name : { u"environ"_s, u"cmdline"_s }) {
                QVERIFY(!fileText(u"/proc/%1/%2"_s.arg(pid).arg(name)).contains(World::kKey));
            }
        }
        QCOMPARE(world.waitEnding(30).value(u"name"_s).toString(), u"response.completed"_s);
        world.executor->terminate();
        QVERIFY(world.executor->waitForFinished(15000));
        QVERIFY(fileText(world.folder(u"model.log"_s)).contains(World::kKey));
        QDirIterator files(world.home(), QDir::Files | QDir::Hidden, QDirIterator::Subdirectories);
        int looked = 0;
        while (files.hasNext()) {
            QFile file(files.next());
            QVERIFY(file.open(QIODevice::ReadOnly));
            const QByteArray content = file.readAll();
            QVERIFY2(!content.contains(World::kKey.toUtf8()), qPrintable(file.fileName()));
            QVERIFY2(!content.contains(World::kToken.toUtf8()), qPrintable(file.fileName()));
            ++looked;
        }
        QVERIFY(looked > 5);
        QVERIFY(!world.executorLog().contains(World::kKey));
    }

    void providerThatIsBusy_isWaitedForAndTheTaskSaysSo()
    {
        World world;
        const QJsonObject busy { { u"status"_s, 429 },
            { u"headers"_s, QJsonObject { { u"Retry-After"_s, u"1"_s } } },
            { u"body"_s,
                QJsonObject { { u"error"_s,
                    QJsonObject { { u"message"_s, u"slow down"_s },
                        { u"code"_s, u"rate_limit_exceeded"_s } } } } } };
        QVERIFY(world.start(script({ busy, say(u"done"_s) })));
        QVERIFY2(world.startExecutor(), qPrintable(world.executorLog()));
        world.execute(world.task(4, 40, u"go"_s));
        const QJsonObject ending = world.waitEnding(40);
        QCOMPARE(ending.value(u"name"_s).toString(), u"response.completed"_s);
        QCOMPARE(answerOf(ending), u"done"_s);
        const QList<QJsonObject> events = world.events(40);
        const auto retry = std::find_if(events.begin(), events.end(), [](const QJsonObject &event) {
            return QJsonDocument(event).toJson().contains("runtime_reconnecting");
        });
        QVERIFY(retry != events.end());
        const QByteArray told = QJsonDocument(*retry).toJson();
        QVERIFY2(told.contains("429"), told.constData());
        QVERIFY2(told.contains("asked again in 1.0 s (attempt 1 of 5)"), told.constData());
        QCOMPARE(endings(events), 1);
    }

    void unreachableProvider_isNamedAsItIs()
    {
        World world;
        QVERIFY(world.start(script({})));
        QVERIFY2(world.startExecutor(), qPrintable(world.executorLog()));
        // Nobody listens on the discard port.
        world.execute(world.task(6, 60, u"go"_s,
            { { u"model_config"_s,
                QJsonObject { { u"protocol"_s, u"openai-responses"_s }, { u"model_id"_s, u"m"_s },
                    { u"api_key"_s, World::kKey },
                    { u"base_url"_s, u"http://127.0.0.1:9/v1"_s } } } }));
        const QJsonObject ending = world.waitEnding(60, 120000);
        QCOMPARE(ending.value(u"name"_s).toString(), u"error"_s);
        const QJsonObject data = ending.value(u"data"_s).toObject();
        const QString message = data.value(u"message"_s).toString();
        QCOMPARE(data.value(u"code"_s).toString(), u"model_unreachable"_s);
        QVERIFY2(message.contains(u"127.0.0.1:9"_s), qPrintable(message));
        QVERIFY2(message.contains(u"refused"_s), qPrintable(message));
        for (const QJsonObject &event : world.events(60)) {
            QVERIFY(!QJsonDocument(event).toJson().contains("codex-router"));
        }
    }

    void noModelAndNobodySignedIn_isSaidAtOnceWithTheNextStep()
    {
        World world;
        QVERIFY(world.start(script({})));
        QVERIFY2(world.startExecutor(), qPrintable(world.executorLog()));
        world.execute(world.task(7, 70, u"go"_s, { { u"model_config"_s, QJsonValue::Null } }));
        const QJsonObject ending = world.waitEnding(70);
        QCOMPARE(ending.value(u"name"_s).toString(), u"error"_s);
        const QJsonObject data = ending.value(u"data"_s).toObject();
        QCOMPARE(data.value(u"code"_s).toString(), u"model_not_signed_in"_s);
        QVERIFY(data.value(u"message"_s).toString().contains(u"models add"_s));
        const World::Outcome local
            = world.command({ u"task"_s, u"--cwd"_s, world.workFolder(), u"say it"_s });
        QVERIFY(local.status != 0);
        QVERIFY2(local.err.contains(u"codex login"_s), qPrintable(local.err));
    }

    void tenTasksAtOnce_allEndOnce()
    {
        World world;
        QVERIFY(world.start(script({ say(u"answer"_s) })));
        QVERIFY2(world.startExecutor(), qPrintable(world.executorLog()));
        for (int i = 1; i <= 10; ++i) {
            world.execute(world.task(i, 100 + i, u"go"_s));
        }
        for (int i = 1; i <= 10; ++i) {
            QTRY_COMPARE_WITH_TIMEOUT(endings(world.events(100 + i)), 1, 60000);
            QCOMPARE(streamed(world.events(100 + i)), u"answer"_s);
        }
    }

    void localTask_runsWithoutABackend()
    {
        World world;
        QVERIFY(world.start(script({})));
        world.unsetEnvironment(u"WEGENT_BACKEND_URL"_s);
        world.unsetEnvironment(u"WEGENT_AUTH_TOKEN"_s);
        QDir().mkpath(world.home());
        QFile settings(world.home() + u"/settings.json"_s);
        QVERIFY(settings.open(QIODevice::WriteOnly));
        settings.write(QJsonDocument(
            QJsonObject { { u"version"_s, 1 },
                { u"models"_s,
                    QJsonArray { QJsonObject { { u"name"_s, u"scripted"_s },
                        { u"values"_s,
                            QJsonObject { { u"base_url"_s,
                                              u"http://127.0.0.1:%1/v1"_s.arg(world.model.port()) },
                                { u"model_id"_s, u"m"_s },
                                { u"protocol"_s, u"openai-responses"_s } } } } } },
                { u"default_model"_s, u"scripted"_s } })
                           .toJson());
        settings.close();
        const World::Outcome outcome
            = world.command({ u"task"_s, u"--cwd"_s, world.workFolder(), u"say it"_s });
        QVERIFY2(outcome.status == 0, qPrintable(outcome.err));
        QCOMPARE(outcome.out.trimmed(), u"done"_s);
        QVERIFY(world.engineProcesses().isEmpty());
    }
};

QTEST_GUILESS_MAIN(TstWholeTask)
#include "tst_wholetask.moc"
