// SPDX-License-Identifier: Apache-2.0
#include "tests/executor/device/devicefixture.h"

using namespace Qt::StringLiterals;
using namespace deskhand;
using namespace deskhand::engines;
using namespace std::chrono_literals;

/// What the backend asks for: tasks, cancels, closed sessions, and calls that are not there.
class DeviceTasksTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_backend = std::make_unique<BackendPeer>();
        QVERIFY(m_backend->start());
        m_device = std::make_unique<Device>();
        m_device->connectTo(*m_backend);
        QTRY_VERIFY(m_device->isOnline());
    }
    void cleanup()
    {
        m_device.reset();
        m_backend.reset();
    }

    void plainTask_isRunAndStreamedBack()
    {
        m_backend->execute(taskData(8121, 20417));
        QTRY_COMPARE(m_device->engine.specs.size(), 1);
        const TurnSpec spec = m_device->engine.specs.first();
        QCOMPARE(spec.ref, ref(8121, 20417));
        QCOMPARE(spec.prompt, u"Do it"_s);
        const TurnRef turn = spec.ref;
        m_device->engine.text(turn, u"m1"_s, u"Working 中文 🙂"_s);
        m_device->engine.say(turn, TextEnded { u"m1"_s, u"Working 中文 🙂"_s, false });
        Item item;
        item.id = u"call-1"_s;
        item.kind = ItemKind::Command;
        item.command = u"ls"_s;
        m_device->engine.say(turn, ItemStarted { item });
        item.status = ItemStatus::Completed;
        item.output = u"a.txt\n"_s;
        m_device->engine.say(turn, ItemEnded { item });
        m_device->engine.text(turn, u"m2"_s, u"Done ✓"_s);
        m_device->engine.say(turn, TextEnded { u"m2"_s, u"Done ✓"_s, true });
        m_device->engine.complete(turn, u"Done ✓"_s);
        QTRY_COMPARE(m_backend->count(u"ended"_s), 1);
        const QJsonObject subtask = m_backend->subtask(20417);
        QCOMPARE(subtask.value(u"status"_s).toString(), u"COMPLETED"_s);
        QCOMPARE(subtask.value(u"text"_s).toString(), u"Working 中文 🙂\n\nDone ✓"_s);
        QCOMPARE(subtask.value(u"value"_s).toString(), u"Done ✓"_s);
        QCOMPARE(subtask.value(u"faults"_s), QJsonValue(QJsonArray()));
        const QJsonObject block = subtask.value(u"blocks"_s).toArray().first().toObject();
        QCOMPARE(block.value(u"status"_s).toString(), u"done"_s);
        QCOMPARE(block.value(u"tool_output"_s).toString(), u"a.txt\n"_s);
        const QJsonObject created = m_backend->events(u"response.created"_s).first();
        QCOMPARE(created.value(u"task_id"_s), QJsonValue(8121));
        QCOMPARE(created.value(u"message_id"_s), QJsonValue(6));
        QCOMPARE(created.value(u"executor_name"_s).toString(), u"device-test"_s);
    }

    void runningTasks_areInTheHeartbeat()
    {
        const auto running = [this] {
            return m_backend->events(u"device:heartbeat"_s).last().value(u"running_task_ids"_s);
        };
        for (const qint64 task : { 10, 9, 11 }) {
            m_backend->execute(taskData(task, task * 10));
        }
        QTRY_COMPARE(running(), QJsonValue(QJsonArray { 9, 10, 11 }));
        m_device->engine.complete(ref(10, 100), u"x"_s);
        QTRY_COMPARE(running(), QJsonValue(QJsonArray { 9, 11 }));
        const auto beats = m_backend->events(u"device:heartbeat"_s);
        for (const QJsonObject &beat : beats) {
            QCOMPARE(beat.value(u"runtime_instance_id"_s).toString(), u"runtime-test"_s);
        }
    }

    void idsAsText_andChatMessage_workToo()
    {
        m_backend->send({ { u"cmd"_s, u"execute"_s }, { u"event"_s, u"chat:message"_s },
            { u"data"_s,
                taskData(7, 70, { { u"task_id"_s, u"7"_s }, { u"subtask_id"_s, u"70"_s } }) } });
        QTRY_COMPARE(m_device->engine.specs.size(), 1);
        m_device->engine.complete(ref(7, 70), u"ok"_s);
        QTRY_COMPARE(m_backend->count(u"ended"_s), 1);
        QCOMPARE(
            m_backend->events(u"response.created"_s).first().value(u"task_id"_s), QJsonValue(7));
    }

    void unreadableTask_getsOneErrorAlone()
    {
        m_backend->execute(taskData(1, 2, { { u"prompt"_s, 7 } }));
        QTRY_COMPARE(m_backend->count(u"ended"_s), 1);
        const QJsonObject subtask = m_backend->subtask(2);
        QCOMPARE(subtask.value(u"status"_s).toString(), u"FAILED"_s);
        QCOMPARE(subtask.value(u"created"_s).toInt(), 0);
        QVERIFY(subtask.value(u"error"_s).toString().contains(u"prompt"_s));
        // Nobody can be told about these; the program goes on.
        for (const QJsonObject &bad :
            { QJsonObject { { u"prompt"_s, u"x"_s } }, QJsonObject { { u"task_id"_s, 5 } },
                QJsonObject { { u"task_id"_s, u"x"_s }, { u"subtask_id"_s, QJsonArray() } } }) {
            m_backend->send(
                { { u"cmd"_s, u"emit"_s }, { u"event"_s, u"task:execute"_s }, { u"data"_s, bad } });
        }
        for (const QJsonValue &bad :
            { QJsonValue(u"text"_s), QJsonValue(QJsonArray { 1 }), QJsonValue() }) {
            m_backend->send(
                { { u"cmd"_s, u"emit"_s }, { u"event"_s, u"task:cancel"_s }, { u"data"_s, bad } });
        }
        m_backend->execute(taskData(1, 3));
        QTRY_COMPARE(m_device->engine.specs.size(), 1);
        QVERIFY(m_device->isOnline());
        QCOMPARE(m_backend->events(u"error"_s).size(), 1);
    }

    void acknowledgedExecute_saysWhetherItWasTaken_data()
    {
        QTest::addColumn<QJsonValue>("payload");
        QTest::addColumn<QString>("error");
        QTest::addColumn<bool>("ends");
        QTest::newRow("nothing in it")
            << QJsonValue(QJsonObject()) << u"\"task_id\" is missing"_s << false;
        QTest::newRow("no subtask") << QJsonValue(QJsonObject { { u"task_id"_s, 5 } })
                                    << u"\"subtask_id\" is missing"_s << false;
        QTest::newRow("ids of wrong types") << QJsonValue(
            QJsonObject { { u"task_id"_s, QJsonArray { 1 } }, { u"subtask_id"_s, 1 } })
                                            << u"\"task_id\""_s << false;
        QTest::newRow("an id with a fraction")
            << QJsonValue(taskData(1, 2, { { u"task_id"_s, 1.5 } })) << u"\"task_id\""_s << false;
        QTest::newRow("a negative id") << QJsonValue(taskData(1, 2, { { u"subtask_id"_s, -2 } }))
                                       << u"\"subtask_id\""_s << false;
        QTest::newRow("a list") << QJsonValue(QJsonArray { 1 }) << u"must be an object"_s << false;
        QTest::newRow("a text") << QJsonValue(u"{}"_s) << u"must be an object"_s << false;
        QTest::newRow("null") << QJsonValue() << u"must be an object"_s << false;
        const auto wrong = [](const char *key, const QJsonValue &value) {
            QTest::addRow("wrong %s", key)
                << QJsonValue(taskData(1, 2, { { QString::fromLatin1(key), value } }))
                << u'"' + QString::fromLatin1(key) + u'"' << true;
        };
        wrong("prompt", 7);
        wrong("bot", u"coder"_s);
        wrong("system_prompt", QJsonArray());
        wrong("model_config", QJsonArray());
        wrong("new_session", u"yes"_s);
        wrong("project_workspace_path", QJsonObject());
        wrong("runtime_permission_profile", 3);
        wrong("message_id", QJsonObject());
        wrong("executor_name", 3);
        wrong("executor_namespace", QJsonArray());
        wrong("task_title", QJsonObject());
        wrong("subtask_title", true);
        wrong("git_url", 3);
        wrong("attachments", u"file"_s);
        wrong("mcp_servers", QJsonObject());
        const auto wrongBot = [](const char *key, const QJsonValue &value) {
            QTest::addRow("wrong %s of the bot", key) << QJsonValue(taskData(1, 2,
                { { u"bot"_s,
                    QJsonArray { QJsonObject { { QString::fromLatin1(key), value } } } } }))
                                                      << QString::fromLatin1(key) << true;
        };
        wrongBot("shell_type", 3);
        wrongBot("system_prompt", QJsonObject());
        wrongBot("agent_config", u"x"_s);
        wrongBot("agent_home", 3);
        QTest::newRow("wrong environment of the bot") << QJsonValue(taskData(1, 2,
            { { u"bot"_s,
                QJsonArray { QJsonObject {
                    { u"agent_config"_s, QJsonObject { { u"env"_s, QJsonArray() } } } } } } }))
                                                      << u"\"env\""_s << true;
    }
    void acknowledgedExecute_saysWhetherItWasTaken()
    {
        QFETCH(const QJsonValue, payload);
        QFETCH(const QString, error);
        QFETCH(const bool, ends);
        m_backend->send({ { u"cmd"_s, u"call"_s }, { u"event"_s, u"task:execute"_s },
            { u"data"_s, payload }, { u"id"_s, 77001 } });
        const auto answer = [this] {
            for (const QJsonObject &line : m_backend->lines(u"call_result"_s)) {
                if (line.value(u"id"_s).toInt() == 77001) {
                    return line.value(u"result"_s).toObject();
                }
            }
            return QJsonObject();
        };
        QTRY_VERIFY(!answer().isEmpty());
        QCOMPARE(answer().value(u"success"_s), QJsonValue(false));
        QVERIFY2(answer().value(u"error"_s).toString().contains(error),
            qPrintable(answer().value(u"error"_s).toString()));
        QTRY_COMPARE(m_backend->events(u"error"_s).size(), ends ? 1 : 0);
        QVERIFY(m_backend->events(u"response.created"_s).isEmpty());
        const QJsonObject good = m_backend->call(u"task:execute"_s, taskData(8, 9));
        QCOMPARE(good.value(u"result"_s), QJsonValue(QJsonObject { { u"success"_s, true } }));
        QTRY_COMPARE(m_device->engine.specs.size(), 1);
        QCOMPARE(m_device->engine.specs.first().ref, ref(8, 9));
    }

    void otherCallsOfTasks_sayWhatIsWrong()
    {
        for (const QString &event : { u"task:cancel"_s, u"task:error"_s, u"chat:message"_s }) {
            const QJsonObject result = m_backend->call(event, {}).value(u"result"_s).toObject();
            QCOMPARE(result.value(u"success"_s), QJsonValue(false));
            QVERIFY(result.value(u"error"_s).toString().contains(u"task_id"_s));
        }
        m_device->link->setPaused(true);
        const QJsonObject refused
            = m_backend->call(u"task:execute"_s, taskData(1, 2)).value(u"result"_s).toObject();
        QVERIFY(refused.value(u"error"_s).toString().contains(u"paused"_s));
    }

    void unknownEngine_isNamed()
    {
        m_backend->execute(taskData(
            1, 2, { { u"bot"_s, QJsonArray { QJsonObject { { u"shell_type"_s, u"Dify"_s } } } } }));
        QTRY_COMPARE(m_backend->count(u"ended"_s), 1);
        QVERIFY(m_backend->subtask(2).value(u"error"_s).toString().contains(u"Dify"_s));
    }

    void missingFolder_isNamed()
    {
        m_backend->execute(
            taskData(1, 2, { { u"project_workspace_path"_s, u"/nowhere/at/all"_s } }));
        QTRY_COMPARE(m_backend->count(u"ended"_s), 1);
        const QJsonObject subtask = m_backend->subtask(2);
        QCOMPARE(subtask.value(u"status"_s).toString(), u"FAILED"_s);
        QVERIFY(subtask.value(u"error"_s).toString().contains(u"/nowhere/at/all"_s));
        QCOMPARE(subtask.value(u"faults"_s), QJsonValue(QJsonArray()));
    }

    void sameSubtaskTwice_runsOnce()
    {
        m_backend->execute(taskData(1, 2));
        m_backend->execute(taskData(1, 2));
        QTRY_COMPARE(m_device->engine.specs.size(), 1);
        m_device->engine.complete(ref(1, 2), u"x"_s);
        QTRY_COMPARE(m_backend->count(u"ended"_s), 1);
        m_backend->execute(taskData(1, 2)); // over already
        m_backend->execute(taskData(3, 4));
        QTRY_COMPARE(m_device->engine.specs.size(), 2);
        QCOMPARE(m_device->engine.specs.last().ref, ref(3, 4));
        QCOMPARE(m_backend->subtask(2).value(u"faults"_s), QJsonValue(QJsonArray()));
    }

    void hugePrompt_arrives()
    {
        const QString prompt = u"中\"\n🙂 "_s.repeated(300'000); // about 3 MB
        m_backend->execute(taskData(1, 2, { { u"prompt"_s, prompt } }));
        QTRY_COMPARE_WITH_TIMEOUT(m_device->engine.specs.size(), 1, 20000);
        QVERIFY(m_device->engine.specs.first().prompt == prompt);
        QVERIFY(m_device->isOnline());
    }

    void cancel_stopsTheTurn()
    {
        m_backend->execute(taskData(1, 2));
        QTRY_COMPARE(m_device->engine.specs.size(), 1);
        m_device->engine.text(ref(1, 2), u"m"_s, u"Half"_s);
        m_backend->send({ { u"cmd"_s, u"cancel"_s }, { u"task_id"_s, 1 }, { u"subtask_id"_s, 2 } });
        QTRY_COMPARE(m_backend->count(u"ended"_s), 1);
        const QJsonObject subtask = m_backend->subtask(2);
        QCOMPARE(subtask.value(u"status"_s).toString(), u"CANCELLED"_s);
        QCOMPARE(subtask.value(u"text"_s).toString(), u"Half"_s);
        QCOMPARE(subtask.value(u"faults"_s), QJsonValue(QJsonArray()));
        // A late cancel of the same turn does not touch the next one.
        m_backend->execute(taskData(1, 3));
        m_backend->send({ { u"cmd"_s, u"cancel"_s }, { u"task_id"_s, 1 }, { u"subtask_id"_s, 2 } });
        QTRY_COMPARE(m_device->engine.specs.size(), 2);
        QVERIFY(!m_backend->call(u"runtime:rpc"_s, {}).isEmpty()); // everything before was handled
        QVERIFY(m_device->engine.running.contains(ref(1, 3)));
        m_backend->send({ { u"cmd"_s, u"cancel"_s }, { u"task_id"_s, u"1"_s } });
        QTRY_COMPARE(m_backend->count(u"ended"_s), 2);
    }

    void cancelBeforeItsTask_isHonoured_data()
    {
        QTest::addColumn<QJsonObject>("cancel");
        QTest::newRow("by turn") << QJsonObject { { u"task_id"_s, 1 },
            { u"subtask_id"_s, u"2"_s } };
        QTest::newRow("by task") << QJsonObject { { u"task_id"_s, 1 } };
    }
    void cancelBeforeItsTask_isHonoured()
    {
        QFETCH(QJsonObject, cancel);
        m_backend->send(
            { { u"cmd"_s, u"emit"_s }, { u"event"_s, u"task:cancel"_s }, { u"data"_s, cancel } });
        m_backend->execute(taskData(1, 2));
        QTRY_COMPARE(m_backend->count(u"ended"_s), 1);
        const QJsonObject subtask = m_backend->subtask(2);
        QCOMPARE(subtask.value(u"status"_s).toString(), u"CANCELLED"_s);
        QCOMPARE(subtask.value(u"created"_s).toInt(), 1);
        QVERIFY(m_device->engine.specs.isEmpty());
        m_backend->execute(taskData(1, 3)); // only once
        QTRY_COMPARE(m_device->engine.specs.size(), 1);
    }

    void secondTurnOfATask_replacesTheFirst()
    {
        m_backend->execute(taskData(1, 2));
        QTRY_COMPARE(m_device->engine.specs.size(), 1);
        m_backend->execute(taskData(1, 3));
        QTRY_COMPARE(m_device->engine.specs.size(), 2);
        m_device->engine.complete(ref(1, 3), u"second"_s);
        QTRY_COMPARE(m_backend->count(u"ended"_s), 2);
        QCOMPARE(m_backend->subtask(2).value(u"status"_s).toString(), u"CANCELLED"_s);
        QCOMPARE(m_backend->subtask(3).value(u"text"_s).toString(), u"second"_s);
    }

    void closedSession_isAnsweredAndStopped()
    {
        m_backend->execute(taskData(1, 2));
        QTRY_COMPARE(m_device->engine.specs.size(), 1);
        QTRY_VERIFY(m_backend->events(u"device:heartbeat"_s).last().value(u"running_task_ids"_s)
            == QJsonValue(QJsonArray { 1 }));
        const QJsonObject line = m_backend->call(u"task:close-session"_s, { { u"task_id"_s, 1 } });
        QCOMPARE(line.value(u"result"_s), QJsonValue(QJsonObject { { u"success"_s, true } }));
        QTRY_COMPARE(m_backend->count(u"ended"_s), 1);
        QCOMPARE(m_backend->subtask(2).value(u"status"_s).toString(), u"CANCELLED"_s);
        QVERIFY(m_device->engine.forgotten.contains(u"1"_s));
        QTRY_COMPARE(m_backend->events(u"device:heartbeat"_s).last().value(u"running_task_ids"_s),
            QJsonValue(QJsonArray()));
        const QJsonObject bad = m_backend->call(u"task:close-session"_s, {});
        QCOMPARE(bad.value(u"result"_s).toObject().value(u"error"_s).toString(),
            u"task_id is required"_s);
    }

    void taskError_stopsWithoutAWord()
    {
        m_backend->execute(taskData(1, 2));
        QTRY_COMPARE(m_device->engine.specs.size(), 1);
        m_backend->send({ { u"cmd"_s, u"emit"_s }, { u"event"_s, u"task:error"_s },
            { u"data"_s,
                QJsonObject { { u"task_id"_s, 1 }, { u"subtask_id"_s, 2 },
                    { u"error"_s, u"timed out"_s } } } });
        QTRY_VERIFY(m_device->engine.running.isEmpty());
        QVERIFY(!m_backend->call(u"runtime:rpc"_s, {}).isEmpty());
        QVERIFY(m_backend->events(u"response.incomplete"_s).isEmpty());
    }

    void otherCalls_areRefusedAtOnce_data()
    {
        QTest::addColumn<QString>("event");
        for (const char *event :
            { "device:execute_command", "runtime:rpc", "device:start_terminal_session",
                "device:start_code_server_session", "terminal:attach", "device:sync_capabilities",
                "device:run_extension", "something:new" }) {
            QTest::newRow(event) << QString::fromUtf8(event);
        }
    }
    void otherCalls_areRefusedAtOnce()
    {
        QFETCH(QString, event);
        const QJsonObject result
            = m_backend->call(event, { { u"command"_s, u"pwd"_s } }).value(u"result"_s).toObject();
        QCOMPARE(result.value(u"success"_s), QJsonValue(false));
        QVERIFY(result.value(u"error"_s).toString().contains(u"not supported by this version"_s));
    }

    void pausedDevice_refusesNewTasks_andGoesOnWithOldOnes()
    {
        m_backend->execute(taskData(1, 2));
        QTRY_COMPARE(m_device->engine.specs.size(), 1);
        m_device->link->setPaused(true);
        QCOMPARE(m_device->state(), device::LinkState::Paused);
        m_backend->execute(taskData(3, 4));
        QTRY_COMPARE(m_backend->count(u"ended"_s), 1);
        QVERIFY(m_backend->subtask(4).value(u"error"_s).toString().contains(u"paused"_s));
        m_device->engine.complete(ref(1, 2), u"done"_s);
        QTRY_COMPARE(m_backend->count(u"ended"_s), 2);
        QCOMPARE(m_device->engine.specs.size(), 1);
        m_device->link->setPaused(false);
        QCOMPARE(m_device->state(), device::LinkState::Online);
        m_backend->execute(taskData(5, 6));
        QTRY_COMPARE(m_device->engine.specs.size(), 2);
    }

    void whatIsNotDone_isToldInTheTask()
    {
        m_backend->execute(taskData(
            1, 2, { { u"attachments"_s, QJsonArray { QJsonObject { { u"id"_s, 1 } } } } }));
        QTRY_COMPARE(m_device->engine.specs.size(), 1);
        QTRY_COMPARE(m_backend->events(u"response.status.updated"_s).size(), 1);
    }

    void localTasks_stayLocal()
    {
        tasks::TurnRequest local;
        local.ref = { u"local-1"_s, u"turn-1"_s };
        local.prompt = u"x"_s;
        QVERIFY(m_device->tasks->submit(local));
        QTRY_COMPARE(m_device->engine.specs.size(), 1);
        m_device->engine.complete(local.ref, u"secret"_s);
        QVERIFY(!m_backend->call(u"runtime:rpc"_s, {}).isEmpty());
        QVERIFY(m_backend->events(u"response.created"_s).isEmpty());
        for (const QJsonObject &beat : m_backend->events(u"device:heartbeat"_s)) {
            QCOMPARE(beat.value(u"running_task_ids"_s), QJsonValue(QJsonArray()));
        }
    }

    void stoppingDevice_deliversWhatItHas()
    {
        m_backend->execute(taskData(1, 2));
        QTRY_COMPARE(m_device->engine.specs.size(), 1);
        m_backend->ack(u"*"_s, u"delay"_s, { { u"ms"_s, 50 } });
        m_device->engine.text(ref(1, 2), u"m"_s, u"last words"_s);
        m_device->engine.complete(ref(1, 2), u"last words"_s);
        QSignalSpy stopped(m_device->link.get(), &device::DeviceLink::stopped);
        m_device->link->requestStop(5s);
        m_backend->execute(taskData(3, 4));
        QTRY_COMPARE(stopped.size(), 1);
        QTRY_COMPARE(m_backend->subtask(2).value(u"status"_s).toString(), u"COMPLETED"_s);
        QCOMPARE(m_device->engine.specs.size(), 1);
    }

private:
    std::unique_ptr<BackendPeer> m_backend;
    std::unique_ptr<Device> m_device;
};

QTEST_GUILESS_MAIN(DeviceTasksTest)
#include "tst_devicetasks.moc"
