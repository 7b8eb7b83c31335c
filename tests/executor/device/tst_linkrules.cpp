// SPDX-License-Identifier: Apache-2.0
#include "executor/device/linkrules.h"

#include <QJsonArray>
#include <QTest>

using namespace Qt::StringLiterals;
using namespace deskhand;
using namespace deskhand::device;
using namespace std::chrono_literals;

class LinkRulesTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void refusals_data()
    {
        QTest::addColumn<QJsonValue>("data");
        QTest::addColumn<Refusal::Kind>("kind");
        const auto row = [](const char *text, Refusal::Kind kind) {
            QTest::newRow(text) << QJsonValue(
                QJsonObject { { u"message"_s, QString::fromUtf8(text) } })
                                << kind;
        };
        row("Server is shutting down", Refusal::Kind::Later);
        row("Too many device connection attempts", Refusal::Kind::RateLimit);
        row("Missing authentication token", Refusal::Kind::SignIn);
        row("Authentication service unavailable", Refusal::Kind::Later);
        row("Invalid or expired API key", Refusal::Kind::SignIn);
        row("Invalid or expired token", Refusal::Kind::SignIn);
        row("Client disconnected during connection setup", Refusal::Kind::Later);
        row("Invalid namespace", Refusal::Kind::WrongServer);
        row("Something new", Refusal::Kind::Later);
        QTest::newRow("bare text")
            << QJsonValue(u"Unable to connect"_s) << Refusal::Kind::WrongServer;
        QTest::newRow("nothing") << QJsonValue() << Refusal::Kind::Later;
        QTest::newRow("a number") << QJsonValue(7) << Refusal::Kind::Later;
        QTest::newRow("a message of another type")
            << QJsonValue(QJsonObject { { u"message"_s, 7 } }) << Refusal::Kind::Later;
    }
    void refusals()
    {
        QFETCH(QJsonValue, data);
        QFETCH(Refusal::Kind, kind);
        const Refusal refusal = readRefusal(data);
        QCOMPARE(refusal.kind, kind);
        QVERIFY(!refusal.cause.isEmpty());
        if (kind == Refusal::Kind::RateLimit) {
            QVERIFY(refusal.pause >= 30s);
        }
    }

    void registrationAnswers_data()
    {
        QTest::addColumn<QJsonArray>("args");
        QTest::addColumn<bool>("good");
        const QJsonObject good { { u"success"_s, true }, { u"device_id"_s, u"d"_s } };
        QTest::newRow("bare") << QJsonArray { good } << true;
        QTest::newRow("in a list") << QJsonArray { QJsonArray { good } } << true;
        QTest::newRow("success false")
            << QJsonArray { QJsonObject { { u"success"_s, false } } } << false;
        QTest::newRow("an error") << QJsonArray { QJsonObject { { u"error"_s, u"no"_s } } }
                                  << false;
        QTest::newRow("nothing") << QJsonArray() << false;
        QTest::newRow("null") << QJsonArray { QJsonValue::Null } << false;
        QTest::newRow("an empty list") << QJsonArray { QJsonArray() } << false;
        QTest::newRow("a word") << QJsonArray { u"ok"_s } << false;
        QTest::newRow("success as a word")
            << QJsonArray { QJsonObject { { u"success"_s, u"yes"_s } } } << false;
        QTest::newRow("success as a number")
            << QJsonArray { QJsonObject { { u"success"_s, 1 } } } << false;
        QTest::newRow("an error that is null") << QJsonArray {
            QJsonObject { { u"success"_s, true }, { u"error"_s, QJsonValue::Null } }
        } << true;
        QTest::newRow("null as the only word")
            << QJsonArray { QJsonObject { { u"error"_s, QJsonValue::Null } } } << false;
        QTest::newRow("success and an error")
            << QJsonArray { QJsonObject { { u"success"_s, true }, { u"error"_s, u"no"_s } } }
            << false;
    }
    void registrationAnswers()
    {
        QFETCH(QJsonArray, args);
        QFETCH(bool, good);
        QCOMPARE(readRegistrationAnswer(socketio::Payload(args)).has_value(), good);
    }

    void oddAnswers_areReadTheSameWayEverywhere()
    {
        const auto problem = [](const QJsonArray &args) {
            return answerProblem(answerObject(socketio::Payload(args)));
        };
        const auto one = [&](const QJsonObject &object) {
            return problem({ object });
        };
        QVERIFY(!one({ { u"success"_s, true } }));
        QVERIFY(!one({}));
        QVERIFY(!problem({}));
        QVERIFY(!problem({ QJsonValue::Null }));
        QVERIFY(!one({ { u"error"_s, QJsonValue::Null } }));
        QVERIFY(!one({ { u"error"_s, u" "_s } }));
        QVERIFY(!problem({ QJsonArray { QJsonObject { { u"success"_s, true } } } }));
        QCOMPARE(problem({ QJsonArray { QJsonObject { { u"error"_s, u"no"_s } } } }), u"no"_s);
        QCOMPARE(one({ { u"error"_s, u"no"_s } }), u"no"_s);
        QVERIFY(
            one({ { u"error"_s, QJsonObject { { u"code"_s, 7 } } } })->contains(u"\"code\":7"_s));
        QVERIFY(one({ { u"error"_s, true } }));
        for (const QJsonValue &odd : { QJsonValue(u"yes"_s), QJsonValue(1), QJsonValue(false),
                 QJsonValue(QJsonValue::Null) }) {
            QVERIFY(one({ { u"success"_s, odd } }));
        }
        QCOMPARE(readHeartbeatAnswer({ { u"success"_s, false } }).kind, HeartbeatAnswer::Refused);
        QCOMPARE(
            readHeartbeatAnswer({ { u"error"_s, QJsonValue::Null } }).kind, HeartbeatAnswer::Fine);
    }

    void heartbeatAnswers()
    {
        const auto kind = [](const QString &error) {
            return readHeartbeatAnswer({ { u"error"_s, error } }).kind;
        };
        QCOMPARE(readHeartbeatAnswer({ { u"success"_s, true } }).kind, HeartbeatAnswer::Fine);
        QCOMPARE(kind(u"Stale device connection"_s), HeartbeatAnswer::Stale);
        QCOMPARE(kind(u"Not authenticated"_s), HeartbeatAnswer::Forgotten);
        QCOMPARE(kind(u"Device ID mismatch"_s), HeartbeatAnswer::Forgotten);
        QCOMPARE(kind(u"Runtime instance ID mismatch"_s), HeartbeatAnswer::Forgotten);
        QCOMPARE(kind(u"Invalid payload: x"_s), HeartbeatAnswer::Refused);
    }

    void unsupportedCalls_areAnsweredInTheirForm()
    {
        for (const QString &event : { u"device:execute_command"_s, u"runtime:rpc"_s,
                 u"device:sync_capabilities"_s, u"device:start_terminal_session"_s, u"new"_s }) {
            const QJsonObject answer = unsupportedAnswer(event);
            QCOMPARE(answer.value(u"success"_s), QJsonValue(false));
            QVERIFY(answer.value(u"error"_s).toString().contains(event));
            QVERIFY(
                answer.value(u"error"_s).toString().contains(u"not supported by this version"_s));
        }
        QCOMPARE(unsupportedAnswer(u"runtime:rpc"_s).value(u"code"_s).toString(),
            u"unsupported_method"_s);
        QVERIFY(unsupportedAnswer(u"device:execute_command"_s).value(u"exit_code"_s).isNull());
    }

    void serverKeys_areOneSpelling()
    {
        const QString key = serverKey(u"https://Host.example/"_s);
        QCOMPARE(serverKey(u" wss://host.example:443 "_s), key);
        QVERIFY(serverKey(u"http://host.example"_s) != key);
        QVERIFY(serverKey(u"https://host.example/prefix"_s) != key);
        QVERIFY(serverKey(u"https://host.example:8443"_s) != key);
        settings::DeviceConfig config;
        config.backendUrl = u" http://a "_s;
        QCOMPARE(socketAddress(config), u"http://a"_s);
        config.socketUrl = u"ws://b"_s;
        QCOMPARE(socketAddress(config), u"ws://b"_s);
    }

    void payloads_haveTheirFields()
    {
        settings::DeviceConfig config;
        config.deviceId = u"d"_s;
        config.runtimeInstanceId = u"r"_s;
        config.deviceName = u"名"_s;
        config.authToken = u"wg-secret"_s;
        const QJsonObject first = registration(config, u"10.0.0.1"_s);
        QCOMPARE(first.value(u"device_type"_s).toString(), u"local"_s);
        QCOMPARE(first.value(u"bind_shell"_s).toString(), u"claudecode"_s);
        QCOMPARE(first.value(u"app_device_id"_s), QJsonValue(QString(u""_s)));
        QCOMPARE(
            first.value(u"runtime_features"_s).toObject().value(u"schemaVersion"_s).toInt(), 1);
        const QJsonObject beat = heartbeat(config, u"10.0.0.1"_s, { 9, 10 });
        QCOMPARE(beat.value(u"running_task_ids"_s), QJsonValue(QJsonArray { 9, 10 }));
        QCOMPARE(beat.value(u"runtime_instance_id"_s), first.value(u"runtime_instance_id"_s));
        for (const QJsonObject &payload : { first, beat }) {
            QVERIFY(!payload.contains(u"auth_token"_s));
        }
    }
};

QTEST_GUILESS_MAIN(LinkRulesTest)
#include "tst_linkrules.moc"
