// SPDX-License-Identifier: Apache-2.0
#include "executor/common/jsonreader.h"
#include "executor/engines/taskevent.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QRandomGenerator>
#include <QTest>

using namespace Qt::StringLiterals;
using namespace deskhand;
using namespace deskhand::engines;

namespace {

/// Values a test would not think of, from a seed.
class Values
{
public:
    explicit Values(quint32 seed)
        : m_random(seed)
    { }

    int number(int below) { return m_random.bounded(below); }
    bool flag() { return number(2) == 1; }
    qint64 big()
    {
        static const qint64 edges[]
            = { 0, 1, -1, 9007199254740993, std::numeric_limits<qint64>::max(), 1700000000123 };
        return edges[number(6)];
    }
    QString text()
    {
        static const QStringList pieces { u"a"_s, u"\n"_s, u"\t"_s, u"\""_s, u"\\"_s, u"😀"_s,
            u"汉字"_s, u"\u0000"_s, u"\u202e"_s, u"</script>"_s, u"é"_s };
        QString result = u""_s;
        for (int i = number(6); i > 0; --i) {
            result += pieces.at(number(static_cast<int>(pieces.size())));
        }
        return result;
    }
    QString word() { return u"id-%1"_s.arg(number(1000)); }
    QStringList texts()
    {
        return list<QString>([this] { return text(); });
    }
    QJsonObject object()
    {
        return flag()
            ? QJsonObject {}
            : QJsonObject { { text(), big() }, { u"k"_s, QJsonArray { text(), flag() } } };
    }
    template <typename T, typename Make> QList<T> list(Make make)
    {
        QList<T> result;
        for (int i = number(4); i > 0; --i) {
            result.append(make());
        }
        return result;
    }

    FileChange change()
    {
        return { text(), text(), static_cast<FileChange::Action>(number(3)), text() };
    }
    Item item()
    {
        Item item;
        item.id = word();
        item.kind = static_cast<ItemKind>(number(7));
        item.status = static_cast<ItemStatus>(number(5));
        item.name = text();
        item.title = text();
        item.command = text();
        item.cwd = text();
        item.output = text();
        if (flag()) {
            item.exitCode = number(300) - 150;
        }
        if (flag()) {
            item.durationMs = big();
        }
        item.changes = list<FileChange>([this] { return change(); });
        item.arguments = object();
        item.error = text();
        return item;
    }
    Usage usage() { return { big(), big(), big(), big(), big(), big(), big() }; }
    PermissionRequest request()
    {
        PermissionRequest request;
        request.id = word();
        request.taskId = word();
        request.turnId = word();
        request.itemId = text();
        request.kind = static_cast<RequestKind>(number(6));
        request.summary = text();
        request.command = text();
        request.cwd = text();
        request.files = list<RequestedFile>([this] {
            return RequestedFile { text(), text(), text() };
        });
        request.grantRoot = text();
        request.host = text();
        request.protocol = text();
        request.questions = list<Question>([this] {
            Question question { text(), text(), text(), {}, flag(), flag(), flag() };
            question.options = list<Question::Option>([this] {
                return Question::Option { text(), text() };
            });
            return question;
        });
        request.grants = texts();
        request.grantsAsked = object();
        request.server = text();
        request.tool = text();
        request.arguments = object();
        request.reason = text();
        request.risks = texts();
        request.choices = list<Choice>([this] { return static_cast<Choice>(number(4)); });
        request.createdAtMs = 1700000000000 + number(1000000);
        request.expiresAtMs = flag() ? 0 : request.createdAtMs + number(1000000);
        return request;
    }

    TaskEvent event(size_t index)
    {
        switch (index) {
        case 0:
            return TurnStarted { text(), text() };
        case 1:
            return StatusNote { static_cast<StatusNote::Level>(number(2)), text(), text() };
        case 2:
            return TextDelta { text(), text() };
        case 3:
            return TextEnded { text(), text(), flag() };
        case 4:
            return TextAbandoned { text() };
        case 5:
            return ReasoningDelta { text(), text() };
        case 6:
            return ItemStarted { item() };
        case 7:
            return ItemProgress { text(), text(), list<FileChange>([this] { return change(); }) };
        case 8:
            return ItemEnded { item() };
        case 9:
            return PlanUpdated { text(), list<PlanUpdated::Step>([this] {
                                    return PlanUpdated::Step { text(), text() };
                                }),
                text() };
        case 10:
            return DiffUpdated { text() };
        case 11:
            return UsageUpdated { usage() };
        case 12:
            return RequestOpened { request() };
        case 13:
            return RequestClosed { word(), static_cast<RequestOutcome>(number(5)), text(), text() };
        case 14:
            return RetryNotice { text(), text() };
        case 15:
            return PromptGiven { text(), static_cast<int>(number(10)) };
        default:
            return TurnEnded { static_cast<TurnOutcome>(number(3)), text(), text(), text(),
                usage() };
        }
    }

private:
    QRandomGenerator m_random;
};

/// Every way to spoil one value of an object, at any depth, with the key that is spoilt.
void spoil(const QJsonObject &object, const std::function<void(const QJsonObject &, QString)> &with)
{
    for (auto it = object.begin(); it != object.end(); ++it) {
        QJsonObject spoilt = object;
        // A value of another type than any field has at that place.
        spoilt.insert(it.key(), it.value().isBool() ? QJsonValue(u"no"_s) : QJsonValue(true));
        with(spoilt, it.key());
    }
}

} // namespace

class TestEventJson : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyEvent_roundTrips_data()
    {
        QTest::addColumn<size_t>("index");
        for (size_t i = 0; i < std::variant_size_v<TaskEvent>; ++i) {
            QTest::newRow(qPrintable(eventTypeName(Values(1).event(i)))) << i;
        }
    }
    void everyEvent_roundTrips()
    {
        QFETCH(size_t, index);
        for (quint32 seed = 0; seed < 300; ++seed) {
            const TaskEvent event = Values(seed).event(index);
            QCOMPARE(event.index(), index);
            const QJsonObject json = toJson(event);
            // Through bytes, as the journal and the control endpoint do.
            const auto parsed = json::parseObject(json::compact(json));
            QVERIFY(parsed);
            const auto back = taskEventFromJson(*parsed);
            QVERIFY2(back, qPrintable(back ? QString() : back.error().message));
            QCOMPARE(back->index(), index);
            QCOMPARE(toJson(*back), json);
        }
    }

    void roundTrip_keepsValuesNotOnlyTheirForm()
    {
        Item item;
        item.id = u"i"_s;
        item.kind = ItemKind::ToolCall;
        item.status = ItemStatus::Declined;
        item.exitCode = -1;
        item.durationMs = 9007199254740993;
        item.changes = { { u"/a"_s, u"/b"_s, FileChange::Action::Delete, u"@@"_s } };
        item.arguments = { { u"n"_s, qint64(9007199254740993) } };
        const auto back = taskEventFromJson(toJson(TaskEvent(ItemEnded { item })));
        QVERIFY(back);
        const Item read = std::get<ItemEnded>(*back).item;
        QCOMPARE(read.kind, ItemKind::ToolCall);
        QCOMPARE(read.status, ItemStatus::Declined);
        QCOMPARE(read.exitCode, -1);
        QCOMPARE(read.durationMs, 9007199254740993);
        QCOMPARE(read.changes.first().movedTo, u"/b"_s);
        QCOMPARE(read.changes.first().action, FileChange::Action::Delete);
        QCOMPARE(read.arguments, item.arguments);

        TurnEnded ended { TurnOutcome::Cancelled, u"text"_s, u"code"_s, u"message"_s, {} };
        ended.usage.contextUsed = 7;
        const auto ending = taskEventFromJson(toJson(TaskEvent(ended)));
        QVERIFY(ending);
        QCOMPARE(std::get<TurnEnded>(*ending).outcome, TurnOutcome::Cancelled);
        QCOMPARE(std::get<TurnEnded>(*ending).usage.contextUsed, 7);
    }

    void event_wrongFields_areErrorsThatNameThem()
    {
        for (size_t index = 0; index < std::variant_size_v<TaskEvent>; ++index) {
            for (quint32 seed = 0; seed < 30; ++seed) {
                spoil(toJson(Values(seed).event(index)),
                    [](const QJsonObject &spoilt, const QString &key) {
                        const auto result = taskEventFromJson(spoilt);
                        QVERIFY2(!result, qPrintable(key));
                        QCOMPARE(result.error().kind, ErrorKind::Protocol);
                        QVERIFY2(result.error().message.contains(key),
                            qPrintable(result.error().message));
                    });
            }
        }
    }

    void event_unknownType_isAnError_data()
    {
        QTest::addColumn<QByteArray>("json");
        QTest::addColumn<QString>("names");
        QTest::newRow("nothing") << QByteArray("{}") << u"type"_s;
        QTest::newRow("an empty type") << QByteArray("{\"type\":\"\"}") << u"type"_s;
        QTest::newRow("another type") << QByteArray("{\"type\":\"party\"}") << u"party"_s;
        QTest::newRow("an item without an id") << QByteArray(
            "{\"type\":\"item_started\",\"item\":{\"kind\":\"other\","
            "\"status\":\"running\"}}") << u"id"_s;
        QTest::newRow("an unknown kind of item") << QByteArray(
            "{\"type\":\"item_started\",\"item\":{\"id\":\"1\",\"kind\":\"cake\","
            "\"status\":\"running\"}}") << u"cake"_s;
        QTest::newRow("a change that is not an object")
            << QByteArray("{\"type\":\"item_progress\",\"item_id\":\"1\",\"changes\":[1]}")
            << u"changes"_s;
    }
    void event_unknownType_isAnError()
    {
        QFETCH(QByteArray, json);
        QFETCH(QString, names);
        const auto result = taskEventFromJson(QJsonDocument::fromJson(json).object());
        QVERIFY(!result);
        QCOMPARE(result.error().kind, ErrorKind::Protocol);
        QVERIFY2(result.error().message.contains(names), qPrintable(result.error().message));
    }

    void request_hasTheListedForm()
    {
        PermissionRequest request;
        request.id = u"r-1"_s;
        request.taskId = u"8121"_s;
        request.turnId = u"20417"_s;
        request.kind = RequestKind::Command;
        request.summary = u"Run a command outside the sandbox"_s;
        request.command = u"git push"_s;
        request.cwd = u"/srv/demo"_s;
        request.choices = { Choice::Deny, Choice::AllowOnce, Choice::AllowForTask };
        request.createdAtMs = 1700000000123;
        request.expiresAtMs = 1700000900123;
        QJsonObject json = toJson(request);
        for (const QString &key : { u"id"_s, u"task_id"_s, u"kind"_s, u"summary"_s, u"command"_s,
                 u"cwd"_s, u"reason"_s, u"choices"_s, u"created_at"_s, u"expires_at"_s }) {
            QVERIFY2(json.contains(key), qPrintable(key));
        }
        for (const QString &key : { u"files"_s, u"host"_s, u"questions"_s }) {
            QVERIFY2(!json.contains(key), qPrintable(key));
        }
        QCOMPARE(json.value(u"kind"_s).toString(), u"command"_s);
        QCOMPARE(json.value(u"choices"_s), (QJsonArray { u"deny"_s, u"once"_s, u"task"_s }));
        QCOMPARE(json.value(u"created_at"_s).toString(), u"2023-11-14T22:13:20.123Z"_s);
        request.expiresAtMs = 0;
        QVERIFY(toJson(request).value(u"expires_at"_s).isNull());
    }

    void request_roundTrips()
    {
        for (quint32 seed = 0; seed < 500; ++seed) {
            const PermissionRequest request = Values(seed).request();
            const QJsonObject json = toJson(request);
            const auto back = permissionRequestFromJson(json);
            QVERIFY2(back, qPrintable(back ? QString() : back.error().message));
            QCOMPARE(toJson(*back), json);
            QCOMPARE(back->kind, request.kind);
            QCOMPARE(back->choices, request.choices);
            QCOMPARE(back->expiresAtMs, request.expiresAtMs);
            QCOMPARE(back->questions.size(), request.questions.size());
            QCOMPARE(back->command, request.command);
        }
    }

    void request_wrongFields_areErrors()
    {
        for (quint32 seed = 0; seed < 50; ++seed) {
            spoil(
                toJson(Values(seed).request()), [](const QJsonObject &spoilt, const QString &key) {
                    const auto result = permissionRequestFromJson(spoilt);
                    QVERIFY2(!result, qPrintable(key));
                    QVERIFY2(
                        result.error().message.contains(key), qPrintable(result.error().message));
                });
        }
        QJsonObject json = toJson(Values(1).request());
        json.insert(u"choices"_s, QJsonArray { u"always"_s });
        QVERIFY(permissionRequestFromJson(json).error().message.contains(u"always"_s));
        json = toJson(Values(1).request());
        json.insert(u"created_at"_s, u"yesterday"_s);
        QVERIFY(permissionRequestFromJson(json).error().message.contains(u"yesterday"_s));
    }

    void names_haveAReverse()
    {
        for (const auto profile : { PermissionProfile::ReadOnly, PermissionProfile::Workspace,
                 PermissionProfile::FullAccess }) {
            QCOMPARE(profileFromName(profileName(profile)).value(), profile);
        }
        QVERIFY(PermissionProfile::ReadOnly < PermissionProfile::Workspace);
        QVERIFY(PermissionProfile::Workspace < PermissionProfile::FullAccess);
        for (const QString &bad : { u""_s, u"workspace"_s, u":Workspace"_s, u":root"_s }) {
            const auto result = profileFromName(bad);
            QVERIFY(!result && result.error().kind == ErrorKind::Usage);
            QVERIFY(result.error().message.contains(bad));
        }
        for (const auto choice :
            { Choice::Deny, Choice::DenyAndStop, Choice::AllowOnce, Choice::AllowForTask }) {
            QCOMPARE(choiceFromName(choiceName(choice)).value(), choice);
        }
        QVERIFY(!choiceFromName(u"always"_s));
        for (int i = 0; i < 5; ++i) {
            const auto outcome = static_cast<RequestOutcome>(i);
            QCOMPARE(requestOutcomeFromName(requestOutcomeName(outcome)).value(), outcome);
        }
    }
};

QTEST_GUILESS_MAIN(TestEventJson)
#include "tst_eventjson.moc"
