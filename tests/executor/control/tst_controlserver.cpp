// SPDX-License-Identifier: Apache-2.0
#include "executor/control/controlclient.h"
#include "executor/control/controlserver.h"
#include "executor/control/endpoint.h"
#include "executor/control/homelock.h"
#include "executor/control/protocol.h"
#include "tests/executor/control/fakesubject.h"

#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QLocalSocket>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#ifdef Q_OS_UNIX
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#endif

using namespace deskhand;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;
using control::ControlClient;
using control::ControlServer;
namespace method = control::method;

namespace {

engines::PermissionRequest someRequest(const QString &id)
{
    engines::PermissionRequest request;
    request.id = id;
    request.taskId = u"t1"_s;
    request.kind = engines::RequestKind::Command;
    request.summary = u"Run a command outside the sandbox"_s;
    request.command = u"rm -rf '构建'"_s;
    request.cwd = u"/w"_s;
    request.choices = { engines::Choice::Deny, engines::Choice::AllowOnce };
    request.createdAtMs = 1'700'000'000'000;
    return request;
}

tasks::TaskSummary summaryOf(const QString &taskId)
{
    tasks::TaskSummary summary;
    summary.taskId = taskId;
    return summary;
}

TaskEventRecord someText(qint64 seq, const QString &text)
{
    return TaskEventRecord { { u"t1"_s, u"u1"_s }, seq, 1'700'000'000'000 + seq,
        engines::TextDelta { u"i"_s, text } };
}

} // namespace

class TestControlServer : public QObject
{
    Q_OBJECT
    std::unique_ptr<QTemporaryDir> m_folder;
    ExecutorHome m_home;
    std::unique_ptr<FakeSubject> m_subject;
    std::unique_ptr<ControlServer> m_server;

    void startServer(control::ServerOptions options = {})
    {
        m_server.reset();
        m_server = std::make_unique<ControlServer>(*m_subject, m_home, options);
        const Result<> listening = m_server->listen();
        QVERIFY2(listening, qPrintable(listening ? QString() : listening.error().message));
    }

    std::unique_ptr<ControlClient> openClient()
    {
        auto client = std::make_unique<ControlClient>(m_home);
        std::optional<Result<>> opened;
        client->open(10s, [&opened](const Result<> &outcome) { opened = outcome; });
        (void)QTest::qWaitFor([&opened] { return opened.has_value(); }, 10000);
        if (!opened || !*opened) {
            qWarning("%s", opened ? qPrintable(opened->error().message) : "no answer");
            return {};
        }
        return client;
    }

    Result<QJsonObject> call(ControlClient &client, QLatin1StringView name,
        const QJsonObject &params = {}, std::chrono::milliseconds limit = 10s)
    {
        std::optional<Result<QJsonObject>> answer;
        client.call(
            name, params, this, [&answer](const Result<QJsonObject> &got) { answer = got; }, limit);
        (void)QTest::qWaitFor([&answer] { return answer.has_value(); }, 15000);
        return answer.value_or(failure(ErrorKind::Internal, u"no answer"_s));
    }

    std::unique_ptr<QLocalSocket> rawSocket()
    {
        auto socket = std::make_unique<QLocalSocket>();
        socket->connectToServer(control::findEndpoint(m_home));
        if (!socket->waitForConnected(5000)) {
            qWarning("%s", qPrintable(socket->errorString()));
        }
        return socket;
    }

    /// Sends bytes as they are and returns the next line the server says.
    static QByteArray lineAfter(QLocalSocket &socket, const QByteArray &bytes)
    {
        socket.write(bytes);
        (void)QTest::qWaitFor([&socket] { return socket.canReadLine(); }, 5000);
        return socket.readLine();
    }

private Q_SLOTS:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_home = ExecutorHome { m_folder->path() };
        m_subject = std::make_unique<FakeSubject>();
        startServer();
    }

    void cleanup()
    {
        m_server.reset();
        m_subject.reset();
    }

    void socket_isTheOwnersOnlyAndGoesWithTheServer()
    {
#ifdef Q_OS_UNIX
        const QString path = m_home.controlSocket();
        QVERIFY(QFileInfo::exists(path));
        QCOMPARE(QFile::permissions(path) & 0x0077, QFile::Permissions());
        m_server.reset();
        QVERIFY(!QFileInfo::exists(path));
#endif
    }

    void everyMethod_reachesTheSubject()
    {
        const auto client = openClient();
        QVERIFY(client);
        m_subject->open = { someRequest(u"r1"_s) };
        m_subject->active = { summaryOf(u"t1"_s) };
        m_subject->history = { summaryOf(u"t2"_s), summaryOf(u"t3"_s) };

        QCOMPARE(call(*client, method::hello)->value(u"pid"_s).toInteger(),
            QCoreApplication::applicationPid());
        QCOMPARE(call(*client, method::status)->value(u"requests"_s).toInt(), 1);
        QCOMPARE(call(*client, method::settings)->value(u"ceiling"_s).toString(), u":workspace"_s);
        QCOMPARE(call(*client, method::tasksList)->value(u"tasks"_s).toArray().size(), 2);
        QCOMPARE(call(*client, method::tasksList, { { u"limit"_s, 1 } })
                     ->value(u"tasks"_s)
                     .toArray()
                     .size(),
            1);
        QCOMPARE(call(*client, method::tasksList, { { u"active"_s, true } })
                     ->value(u"tasks"_s)
                     .toArray()
                     .at(0)
                     .toObject()
                     .value(u"task_id"_s)
                     .toString(),
            u"t1"_s);

        QVERIFY(call(*client, method::tasksStart,
            { { u"prompt"_s, u"做"_s }, { u"cwd"_s, u"/w"_s }, { u"profile"_s, u":read-only"_s },
                { u"continue_task"_s, u"t0"_s }, { u"model"_s, u"mine"_s } }));
        QCOMPARE(m_subject->started.size(), 1);
        QCOMPARE(m_subject->started.first().prompt, u"做"_s);
        QCOMPARE(m_subject->started.first().cwd, u"/w"_s);
        QCOMPARE(m_subject->started.first().profile, u":read-only"_s);
        QCOMPARE(m_subject->started.first().continueTask, u"t0"_s);
        QCOMPARE(m_subject->started.first().model, u"mine"_s);

        QVERIFY(call(*client, method::tasksStop, { { u"task_id"_s, u"t1"_s } }));
        QCOMPARE(m_subject->stopped, QStringList { u"t1"_s });

        const QJsonArray requests
            = call(*client, method::requestsList)->value(u"requests"_s).toArray();
        QCOMPARE(requests.size(), 1);
        QCOMPARE(requests.at(0).toObject().value(u"command"_s).toString(), u"rm -rf '构建'"_s);

        QVERIFY(call(*client, method::requestsAnswer,
            { { u"id"_s, u"r1"_s }, { u"choice"_s, u"once"_s }, { u"note"_s, u"fine"_s },
                { u"answers"_s, QJsonObject { { u"q"_s, QJsonArray { u"a"_s, u"b"_s } } } } }));
        QCOMPARE(m_subject->answered.size(), 1);
        QCOMPARE(m_subject->answered.first().first, u"r1"_s);
        QCOMPARE(m_subject->answered.first().second.choice, engines::Choice::AllowOnce);
        QCOMPARE(m_subject->answered.first().second.by, u"command line"_s);
        QCOMPARE(m_subject->answered.first().second.note, u"fine"_s);
        QCOMPARE(m_subject->answered.first().second.answers.value(u"q"_s),
            QStringList({ u"a"_s, u"b"_s }));

        QVERIFY(call(*client, method::pause));
        QVERIFY(m_subject->paused);
        QVERIFY(call(*client, method::resume));
        QVERIFY(!m_subject->paused);
        QVERIFY(call(*client, method::reload));
        QCOMPARE(m_subject->reloads, 1);
        QVERIFY(call(*client, method::tokenSet, { { u"token"_s, u"wg-abc"_s } }));
        QCOMPARE(m_subject->tokens, QStringList { u"wg-abc"_s });

        const QSignalSpy quit(m_server.get(), &ControlServer::quitRequested);
        QVERIFY(call(*client, method::quit, { { u"drain_ms"_s, 5000 } }));
        QCOMPARE(quit.count(), 1);
        QCOMPARE(quit.first().first().value<std::chrono::milliseconds>(), 5000ms);
    }

    void errors_keepKindMessageAndHint()
    {
        const auto client = openClient();
        m_subject->answerOutcome
            = failure(ErrorKind::Conflict, u"request r1 was already answered"_s, u"List again."_s);
        const auto answer = call(
            *client, method::requestsAnswer, { { u"id"_s, u"r1"_s }, { u"choice"_s, u"deny"_s } });
        QVERIFY(!answer);
        QCOMPARE(answer.error().kind, ErrorKind::Conflict);
        QCOMPARE(answer.error().message, u"request r1 was already answered"_s);
        QCOMPARE(answer.error().hint, u"List again."_s);
        m_subject->tokenOutcome = failure(ErrorKind::Policy, u"fixed"_s);
        QCOMPARE(call(*client, method::tokenSet, { { u"token"_s, u"x"_s } }).error().kind,
            ErrorKind::Policy);
    }

    void badParams_areUsageErrorsNamingTheKey_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QJsonObject>("params");
        QTest::addColumn<QString>("key");
        const auto row = [](const char *title, QLatin1StringView name, const QJsonObject &params,
                             const QString &key) {
            QTest::newRow(title) << QString(name) << params << key;
        };
        row("answer without id", method::requestsAnswer, { { u"choice"_s, u"once"_s } }, u"id"_s);
        row("answer without choice", method::requestsAnswer, { { u"id"_s, u"r"_s } }, u"choice"_s);
        row("answer with an unknown choice", method::requestsAnswer,
            { { u"id"_s, u"r"_s }, { u"choice"_s, u"always"_s } }, u"always"_s);
        row("answer with a number as id", method::requestsAnswer,
            { { u"id"_s, 5 }, { u"choice"_s, u"once"_s } }, u"id"_s);
        row("answer with answers of a wrong type", method::requestsAnswer,
            { { u"id"_s, u"r"_s }, { u"choice"_s, u"once"_s },
                { u"answers"_s, QJsonObject { { u"q"_s, u"a"_s } } } },
            u"\"q\""_s);
        row("answer with an answer of a wrong type", method::requestsAnswer,
            { { u"id"_s, u"r"_s }, { u"choice"_s, u"once"_s },
                { u"answers"_s, QJsonObject { { u"q"_s, QJsonArray { 1 } } } } },
            u"\"q\""_s);
        row("id too long", method::tasksStop, { { u"task_id"_s, QString(129, u'x') } },
            u"task_id"_s);
        row("empty id", method::tasksShow, { { u"task_id"_s, QString() } }, u"task_id"_s);
        row("list of no length", method::tasksList, { { u"limit"_s, 0 } }, u"limit"_s);
        row("list of half a length", method::tasksList, { { u"limit"_s, 1.5 } }, u"limit"_s);
        row("active as text", method::tasksList, { { u"active"_s, u"yes"_s } }, u"active"_s);
        row("relative folder", method::tasksStart,
            { { u"prompt"_s, u"x"_s }, { u"cwd"_s, u"w"_s } }, u"cwd"_s);
        row("prompt of a wrong type", method::tasksStart, { { u"prompt"_s, QJsonArray() } },
            u"prompt"_s);
        row("token too long", method::tokenSet, { { u"token"_s, QString(17000, u'x') } },
            u"token"_s);
        row("model without a name", method::modelsAdd, { { u"values"_s, QJsonObject() } },
            u"name"_s);
        row("model without values", method::modelsAdd, { { u"name"_s, u"m"_s } }, u"values"_s);
        row("model's key too long", method::modelsAdd,
            { { u"name"_s, u"m"_s }, { u"values"_s, QJsonObject() },
                { u"key"_s, QString(17000, u'x') } },
            u"key"_s);
        row("test of nothing", method::modelsTest, {}, u"name"_s);
        row("usage since never", method::modelsUsage, { { u"since"_s, u"yesterday"_s } },
            u"since"_s);
        row("endless pause", method::pause, { { u"for_ms"_s, 1e15 } }, u"for_ms"_s);
        row("negative drain", method::quit, { { u"drain_ms"_s, -1 } }, u"drain_ms"_s);
        row("endless drain", method::quit, { { u"drain_ms"_s, 1e15 } }, u"drain_ms"_s);
    }

    void models_areListedTestedAndChanged()
    {
        const auto client = openClient();
        QVERIFY(client);
        settings::OwnModel mine;
        mine.name = u"mine"_s;
        mine.values
            = { { u"base_url"_s, u"https://models.example/v1"_s }, { u"model_id"_s, u"m-1"_s },
                  { u"api_format"_s, u"anthropic-messages"_s }, { u"context_window"_s, 200000 } };
        mine.keySecret = u"model-1"_s;
        m_subject->models = { { mine, true, OwnModelState::Key::Missing } };
        const QJsonObject listed
            = call(*client, method::modelsList)->value(u"models"_s).toArray().at(0).toObject();
        QCOMPARE(listed,
            (QJsonObject { { u"name"_s, u"mine"_s }, { u"default"_s, true },
                { u"key"_s, u"missing"_s }, { u"protocol"_s, u"anthropic-messages"_s },
                { u"model_id"_s, u"m-1"_s }, { u"base_url"_s, u"https://models.example/v1"_s },
                { u"family"_s, QJsonValue::Null }, { u"context_window"_s, 200000 } }));

        m_subject->testReport.answered = true;
        m_subject->testReport.problem = u"it called no tool"_s;
        m_subject->testReport.firstByte = 12ms;
        const auto report = call(*client, method::modelsTest, { { u"name"_s, u"mine"_s } });
        QVERIFY(report);
        QCOMPARE(report->value(u"ok"_s).toBool(true), false);
        QCOMPARE(report->value(u"answered"_s).toBool(), true);
        QCOMPARE(report->value(u"first_byte_ms"_s).toInt(), 12);
        QVERIFY(report->value(u"context_window"_s).isNull());
        QCOMPARE(report->value(u"problem"_s).toString(), u"it called no tool"_s);
        QCOMPARE(m_subject->tested, QStringList { u"mine"_s });
        const auto unknown = call(*client, method::modelsTest, { { u"name"_s, u"other"_s } });
        QVERIFY(!unknown);
        QCOMPARE(unknown.error().kind, ErrorKind::Usage);
        QVERIFY(unknown.error().message.contains(u"mine"_s));

        QVERIFY(call(*client, method::modelsAdd,
            { { u"name"_s, u"new"_s }, { u"values"_s, mine.values }, { u"key"_s, u"sk-1"_s } }));
        QCOMPARE(m_subject->added.first().first.name, u"new"_s);
        QCOMPARE(m_subject->added.first().first.values, mine.values);
        QCOMPARE(m_subject->added.first().second, u"sk-1"_s);
        QVERIFY(call(*client, method::modelsDefault, { { u"name"_s, u"new"_s } }));
        QVERIFY(call(*client, method::modelsDefault));
        QCOMPARE(m_subject->defaults, QStringList({ u"new"_s, QString() }));
        QVERIFY(call(*client, method::modelsKey, { { u"name"_s, u"new"_s }, { u"key"_s, u"k2"_s } })
                    .has_value());
        QCOMPARE(
            m_subject->newKeys, (QList<std::pair<QString, QString>> { { u"new"_s, u"k2"_s } }));
        m_subject->modelOutcome = failure(ErrorKind::Io, u"the disk is full"_s);
        const auto kept = call(*client, method::modelsRemove, { { u"name"_s, u"new"_s } });
        QVERIFY(!kept);
        QCOMPARE(kept.error().kind, ErrorKind::Io);
        QCOMPARE(m_subject->removed, QStringList { u"new"_s });

        tasks::UsageRow row;
        row.day = QDate(2026, 1, 31);
        row.model = u"m-1"_s;
        row.usage.inputTokens = 5'000'000'000;
        row.usage.cachedInputTokens = 7;
        row.usage.outputTokens = 9;
        m_subject->usage = { row };
        const auto usage = call(*client, method::modelsUsage, { { u"since"_s, u"2026-01-30"_s } });
        QVERIFY(usage);
        QCOMPARE(m_subject->usageSince, QDate(2026, 1, 30));
        QCOMPARE(usage->value(u"usage"_s).toArray().at(0).toObject(),
            (QJsonObject { { u"day"_s, u"2026-01-31"_s }, { u"model"_s, u"m-1"_s },
                { u"input_tokens"_s, row.usage.inputTokens }, { u"cached_input_tokens"_s, 7 },
                { u"output_tokens"_s, 9 } }));

        QVERIFY(call(*client, method::pause, { { u"for_ms"_s, 90'000 } }));
        QVERIFY(m_subject->paused);
        QCOMPARE(m_subject->pauseLimit, 90s);
    }

    void badParams_areUsageErrorsNamingTheKey()
    {
        QFETCH(QString, name);
        QFETCH(QJsonObject, params);
        QFETCH(QString, key);
        const auto client = openClient();
        const QByteArray latin = name.toLatin1();
        const auto answer = call(*client, QLatin1StringView(latin), params);
        QVERIFY(!answer);
        QCOMPARE(answer.error().kind, ErrorKind::Usage);
        QVERIFY2(answer.error().message.contains(key), qPrintable(answer.error().message));
        QVERIFY(call(*client, method::status)); // the connection lives
        QVERIFY(m_subject->answered.isEmpty() && m_subject->started.isEmpty());
    }

    void subscriptions_tellWhatHappensAndOnlyWhatWasAskedFor()
    {
        const auto all = openClient();
        const auto other = openClient();
        QSignalSpy told(all.get(), &ControlClient::notification);
        const QSignalSpy toldOther(other.get(), &ControlClient::notification);
        QVERIFY(call(*all, method::statusSubscribe));
        QVERIFY(call(*all, method::tasksSubscribe));
        QVERIFY(call(*all, method::requestsSubscribe)->contains(u"requests"_s));
        QVERIFY(call(*other, method::tasksSubscribe, { { u"task_id"_s, u"t9"_s } }));

        Q_EMIT m_subject->statusChanged();
        Q_EMIT m_subject->taskChanged(summaryOf(u"t1"_s));
        Q_EMIT m_subject->taskEvent(someText(1, u"你好"_s));
        Q_EMIT m_subject->requestOpened(someRequest(u"r1"_s));
        Q_EMIT m_subject->requestClosed(
            someRequest(u"r1"_s), engines::RequestOutcome::Denied, u"owner"_s, u"no"_s);
        QTRY_COMPARE(told.count(), 5);
        QCOMPARE(told.at(0).at(0).toString(), u"status.changed"_s);
        QCOMPARE(told.at(1).at(0).toString(), u"task.changed"_s);
        QCOMPARE(told.at(2).at(0).toString(), u"task.event"_s);
        const auto record = control::taskEventRecordFromJson(told.at(2).at(1).toJsonObject());
        QVERIFY(record);
        QCOMPARE(record->seq, 1);
        QCOMPARE(std::get<engines::TextDelta>(record->event).text, u"你好"_s);
        QCOMPARE(told.at(3).at(0).toString(), u"request.opened"_s);
        QCOMPARE(told.at(4).at(1).toJsonObject().value(u"outcome"_s).toString(), u"denied"_s);
        QVERIFY(call(*other, method::status));
        QCOMPARE(toldOther.count(), 0);
    }

    void story_longerThanAPage_comesWholeInPages()
    {
        const QString chunk(100'000, u'字');
        for (qint64 seq = 1; seq <= 40; ++seq) {
            m_subject->story.append(someText(seq, chunk));
        }
        const auto client = openClient();
        qint64 last = 0;
        int pages = 0;
        bool more = true;
        while (more) {
            const auto answer = call(*client, method::tasksShow,
                { { u"task_id"_s, u"t1"_s }, { u"after_seq"_s, last } });
            QVERIFY2(answer, qPrintable(answer ? QString() : answer.error().message));
            for (const QJsonValue &value : answer->value(u"events"_s).toArray()) {
                const auto record = control::taskEventRecordFromJson(value.toObject());
                QVERIFY(record);
                QCOMPARE(record->seq, last + 1);
                last = record->seq;
            }
            more = answer->value(u"more"_s).toBool();
            ++pages;
        }
        QCOMPARE(last, 40);
        QVERIFY(pages > 5);
        QCOMPARE(call(*client, method::tasksShow, { { u"task_id"_s, u"t2"_s } }).error().kind,
            ErrorKind::NotFound);
    }

    void garbage_isAnsweredAndEndsTheConnectionOnlyWhenItGoesOn()
    {
        const auto socket = rawSocket();
        QVERIFY(lineAfter(*socket, "not json\n").contains("-32700"));
        QVERIFY(lineAfter(*socket, "{\"method\":7,\"id\":1}\n").contains("error"));
        QVERIFY(lineAfter(*socket, QByteArray("\xff\xfe\x00\n", 4)).contains("-32700"));
        QVERIFY(lineAfter(*socket, "{\"id\":1,\"method\":\"status\"}\n").contains("\"result\""));
        QVERIFY(
            lineAfter(*socket, "{\"id\":\"a\",\"method\":\"nothing\"}\n").contains("unsupported"));
        QVERIFY(lineAfter(*socket, "{\"id\":2,\"method\":\"status\",\"params\":[]}\n")
                    .contains("params must be an object"));
        socket->write("a\nb\nc\nd\ne\nf\n");
        QTRY_COMPARE(socket->state(), QLocalSocket::UnconnectedState);
        QTRY_COMPARE(m_server->clients(), 0);
        QVERIFY(openClient());
    }

    void hugeLine_isDroppedAndTheConnectionLives()
    {
        const auto socket = rawSocket();
        const QByteArray part(1024 * 1024, 'x');
        for (int i = 0; i < 18; ++i) {
            socket->write(part);
            QTRY_VERIFY(socket->bytesToWrite() == 0);
        }
        QVERIFY(lineAfter(*socket, "\n").contains("-32700"));
        QVERIFY(lineAfter(*socket, "{\"id\":1,\"method\":\"status\"}\n").contains("\"result\""));
    }

    void threeMegabytesOfPrompt_arrive()
    {
        const auto client = openClient();
        const QString prompt(3'000'000, u'\n');
        QVERIFY(call(*client, method::tasksStart, { { u"prompt"_s, prompt } }));
        QCOMPARE(m_subject->started.first().prompt, prompt);
    }

    void slowReader_isLetGoAndOthersGoOn()
    {
        control::ServerOptions options;
        options.maxUnreadBytes = 256 * 1024;
        startServer(options);
#ifdef Q_OS_UNIX
        // A socket that is never read, outside of Qt's own reading.
        const int deaf = ::socket(AF_UNIX, SOCK_STREAM, 0);
        sockaddr_un address = {};
        address.sun_family = AF_UNIX;
        const QByteArray path = QFile::encodeName(control::findEndpoint(m_home));
        std::copy(path.cbegin(), path.cend(), address.sun_path);
        QCOMPARE(::connect(deaf, reinterpret_cast<const sockaddr *>(&address), sizeof(address)), 0);
        const QByteArray subscribe = "{\"id\":1,\"method\":\"tasks.subscribe\"}\n";
        QCOMPARE(::write(deaf, subscribe.constData(), static_cast<size_t>(subscribe.size())),
            subscribe.size());
        const auto good = openClient();
        QSignalSpy told(good.get(), &ControlClient::notification);
        QVERIFY(call(*good, method::tasksSubscribe));
        QTRY_COMPARE(m_server->clients(), 2);
        const QString chunk(10'000, u'x');
        for (qint64 seq = 1; seq <= 200; ++seq) {
            Q_EMIT m_subject->taskEvent(someText(seq, chunk));
            QTRY_COMPARE(told.count(), seq);
        }
        QTRY_COMPARE(m_server->clients(), 1);
        ::close(deaf);
#endif
    }

    void silentClient_isLetGo()
    {
        control::ServerOptions options;
        options.firstWordLimit = 50ms;
        startServer(options);
        const auto socket = rawSocket();
        QTRY_COMPARE(socket->state(), QLocalSocket::UnconnectedState);
        QTRY_COMPARE(m_server->clients(), 0);
    }

    void tooManyClients_theNewestIsToldAndOthersGoOn()
    {
        control::ServerOptions options;
        options.maxClients = 3;
        startServer(options);
        std::vector<std::unique_ptr<ControlClient>> clients;
        for (int i = 0; i < 3; ++i) {
            clients.push_back(openClient());
            QVERIFY(clients.back());
        }
        const auto socket = rawSocket();
        QVERIFY(lineAfter(*socket, {}).contains("too many clients"));
        QTRY_COMPARE(socket->state(), QLocalSocket::UnconnectedState);
        QVERIFY(call(*clients.front(), method::status));
        clients.pop_back();
        QTRY_COMPARE(m_server->clients(), 2);
        QVERIFY(openClient());
    }

    void clientThatLeavesMidCall_hurtsNobody()
    {
        for (int i = 0; i < 20; ++i) {
            const auto socket = rawSocket();
            socket->write("{\"id\":1,\"method\":\"tasks.list\"}\n{\"id\":2,\"method\":\"tasks.sh");
            socket->flush();
            socket->abort();
        }
        QTRY_COMPARE(m_server->clients(), 0);
        QVERIFY(openClient());
    }

    void call_withoutAnswer_timesOut()
    {
        const auto client = openClient();
        m_subject->silent = true;
        const auto answer = call(*client, method::tasksStop, { { u"task_id"_s, u"t"_s } }, 100ms);
        QVERIFY(!answer);
        QCOMPARE(answer.error().kind, ErrorKind::Timeout);
    }

    void serverThatEnds_closesItsClients()
    {
        const auto client = openClient();
        QSignalSpy closed(client.get(), &ControlClient::closed);
        m_subject->silent = true;
        std::optional<Result<QJsonObject>> answer;
        client->call(method::tasksStop, { { u"task_id"_s, u"t"_s } }, this,
            [&answer](const Result<QJsonObject> &got) { answer = got; });
        m_server.reset();
        QTRY_COMPARE(closed.count(), 1);
        QTRY_VERIFY(answer.has_value());
        QCOMPARE(answer->error().kind, ErrorKind::Network);
    }

    void open_nobodyRuns_isNotFoundAndSaysHowToStart()
    {
        m_server.reset();
        ControlClient client(m_home);
        std::optional<Result<>> opened;
        client.open(10s, [&opened](const Result<> &outcome) { opened = outcome; });
        QTRY_VERIFY(opened.has_value());
        QCOMPARE(opened->error().kind, ErrorKind::NotFound);
        QVERIFY(opened->error().message.contains(m_home.root));
        QVERIFY(!opened->error().hint.isEmpty());
    }

    void open_lockedWithoutSocket_namesTheHolder()
    {
        m_server.reset();
        const auto lock = control::HomeLock::acquire(m_home, u"deskhand"_s);
        QVERIFY(lock);
        ControlClient client(m_home);
        std::optional<Result<>> opened;
        client.open(10s, [&opened](const Result<> &outcome) { opened = outcome; });
        QTRY_VERIFY(opened.has_value());
        QCOMPARE(opened->error().kind, ErrorKind::Unavailable);
        QVERIFY(
            opened->error().message.contains(u"pid %1"_s.arg(QCoreApplication::applicationPid())));
    }

    void open_serverThatNeverAnswers_timesOut()
    {
        m_server.reset();
        QLocalServer deaf;
        QVERIFY(deaf.listen(m_home.controlSocket()));
        ControlClient client(m_home);
        std::optional<Result<>> opened;
        client.open(100ms, [&opened](const Result<> &outcome) { opened = outcome; });
        QTRY_VERIFY(opened.has_value());
        QCOMPARE(opened->error().kind, ErrorKind::Timeout);
    }

    void staleSocketFile_isReplaced()
    {
#ifdef Q_OS_UNIX
        m_server.reset();
        const QByteArray path = QFile::encodeName(m_home.controlSocket());
        const int dead = ::socket(AF_UNIX, SOCK_STREAM, 0);
        sockaddr_un address = {};
        address.sun_family = AF_UNIX;
        std::copy(path.cbegin(), path.cend(), address.sun_path);
        QCOMPARE(::bind(dead, reinterpret_cast<const sockaddr *>(&address), sizeof(address)), 0);
        ::close(dead); // the file stays, as after a kill
        QVERIFY(QFileInfo::exists(m_home.controlSocket()));
        startServer();
        QVERIFY(openClient());
#endif
    }

    void longHomePath_usesAShortPrivateSocketAndAPointer()
    {
#ifdef Q_OS_UNIX
        m_server.reset();
        const QTemporaryDir runtime;
        qputenv("XDG_RUNTIME_DIR", QFile::encodeName(runtime.path()));
        m_home = ExecutorHome { m_folder->filePath(QString(60, u'长') + u"/home"_s) };
        QVERIFY(control::HomeLock::acquire(m_home, u"deskhand"_s));
        startServer();
        const QString path = control::findEndpoint(m_home);
        QVERIFY(path != m_home.controlSocket());
        QVERIFY(path.startsWith(runtime.path()));
        QVERIFY(openClient());
        m_server.reset();
        QVERIFY(!QFileInfo::exists(path));
        QVERIFY(!QFileInfo::exists(m_home.root + u"/control.path"_s));

        // A runtime folder others may enter is not used.
        QVERIFY(QFile::setPermissions(runtime.path(),
            QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner | QFile::ExeOther));
        startServer();
        QVERIFY(!control::findEndpoint(m_home).startsWith(runtime.path()));
        QVERIFY(openClient());
        qunsetenv("XDG_RUNTIME_DIR");
#endif
    }

    void unusableFolder_isAnErrorNotACrash()
    {
        m_server.reset();
        m_home = ExecutorHome { m_folder->filePath(u"missing/home"_s) };
        ControlServer server(*m_subject, m_home);
        const Result<> listening = server.listen();
        QVERIFY(!listening);
        QCOMPARE(listening.error().kind, ErrorKind::Io);
    }
};

QTEST_GUILESS_MAIN(TestControlServer)

#include "tst_controlserver.moc"
