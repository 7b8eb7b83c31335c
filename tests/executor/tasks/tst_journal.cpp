// SPDX-License-Identifier: Apache-2.0
#include "executor/tasks/journal.h"

#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonObject>
#include <QProcess>
#include <QSignalSpy>
#include <QSqlDatabase>
#include <QSqlError>
#include <QSqlQuery>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>

#ifdef Q_OS_UNIX
#include <csignal>
#include <sys/resource.h>
#endif

using namespace Qt::StringLiterals;
using namespace deskhand;
using namespace deskhand::engines;
using namespace deskhand::tasks;
using namespace std::chrono_literals;

namespace {

constexpr auto kLimit = 10000; // ms

TurnRequest turn(const QString &task, const QString &id, Origin origin = Origin::Backend)
{
    TurnRequest request;
    request.ref = { task, id };
    request.origin = origin;
    request.title = u"Title of "_s + task;
    request.prompt = u"Do it"_s;
    request.echo = { { u"message_id"_s, 6 }, { u"auth_token"_s, u"very-secret-token"_s } };
    return request;
}

TaskSummary summaryOf(const TurnRequest &request, TaskState state)
{
    TaskSummary summary;
    summary.taskId = request.ref.taskId;
    summary.turnId = request.ref.turnId;
    summary.origin = request.origin;
    summary.title = request.title;
    summary.state = state;
    summary.cwd = u"/work"_s;
    summary.profile = u":workspace"_s;
    summary.createdAtMs = 1000;
    return summary;
}

/// Accepts the turn and, unless it stays open, ends it.
void live(Journal &journal, const TurnRequest &request, bool ends, qint64 endedAtMs = 0)
{
    journal.turnAccepted(request, summaryOf(request, TaskState::Queued));
    journal.turnChanged(summaryOf(request, TaskState::Running));
    journal.appendEvent(request.ref, TurnStarted { u"thread"_s, u"e"_s }, 1001);
    journal.threadKnown(request.ref, u"thread-of-"_s + request.ref.turnId);
    if (ends) {
        TurnEnded ending;
        ending.outcome = TurnOutcome::Completed;
        ending.finalText = u"done"_s;
        journal.appendEvent(request.ref, ending, 1002);
        TaskSummary summary = summaryOf(request, TaskState::Finished);
        summary.endedAtMs = endedAtMs == 0 ? QDateTime::currentMSecsSinceEpoch() : endedAtMs;
        journal.turnEnded(summary, ending);
    }
}

/// The answer of a read, waited for.
template <typename T, typename Call> Result<T> waitFor(Call call)
{
    std::optional<Result<T>> answer;
    QObject context;
    call(&context, [&answer](const Result<T> &result) { answer = result; });
    [&] {
        QTRY_VERIFY_WITH_TIMEOUT(answer.has_value(), kLimit);
    }();
    return answer.value_or(failure(ErrorKind::Timeout, u"no answer"_s));
}

Result<QList<StoredEvent>> storyOf(Journal &journal, const QString &task)
{
    return waitFor<QList<StoredEvent>>(
        [&](QObject *context, const auto &reply) { journal.story(task, context, reply); });
}
Result<QList<TaskSummary>> historyOf(Journal &journal, int limit = 100)
{
    return waitFor<QList<TaskSummary>>(
        [&](QObject *context, const auto &reply) { journal.history(limit, context, reply); });
}
Result<QList<InterruptedTurn>> interruptedIn(Journal &journal)
{
    return waitFor<QList<InterruptedTurn>>(
        [&](QObject *context, const auto &reply) { journal.interruptedTurns(context, reply); });
}
Result<QList<OutboxEntry>> outboxOf(Journal &journal)
{
    return waitFor<QList<OutboxEntry>>(
        [&](QObject *context, const auto &reply) { journal.outboxLoad(context, reply); });
}
Result<QString> threadOf(Journal &journal, const QString &task)
{
    return waitFor<QString>(
        [&](QObject *context, const auto &reply) { journal.lastThread(task, context, reply); });
}

JournalOptions at(const QString &file)
{
    JournalOptions options;
    options.file = file;
    options.retryDelay = 20ms;
    return options;
}

/// What a separate look at the file finds: the first value of a query, as text.
QString inFile(const QString &file, const QString &sql)
{
    const QString name = u"look"_s;
    QString found;
    {
        QSqlDatabase db = QSqlDatabase::addDatabase(u"QSQLITE"_s, name);
        db.setDatabaseName(file);
        if (!db.open()) {
            qWarning("%s", qPrintable(db.lastError().text()));
        }
        QSqlQuery query(db);
        if (!query.exec(sql)) {
            qWarning("%s", qPrintable(query.lastError().text()));
        }
        found = query.next() ? query.value(0).toString() : u"(nothing)"_s;
    }
    QSqlDatabase::removeDatabase(name);
    return found;
}

/// The life of a program that will be killed: a turn runs, one waits, a request is open, a packet
/// is unsent. Says "ready" when everything important is on disk, then goes on writing for ever.
int runUntilKilled(const QString &file)
{
    Journal journal(at(file));
    journal.open();
    live(journal, turn(u"1"_s, u"10"_s), true);
    live(journal, turn(u"1"_s, u"11"_s), false);
    journal.turnAccepted(
        turn(u"2"_s, u"20"_s), summaryOf(turn(u"2"_s, u"20"_s), TaskState::Queued));
    live(journal, turn(u"3"_s, u"30"_s, Origin::Local), false);
    PermissionRequest request;
    request.id = u"r1"_s;
    request.taskId = u"1"_s;
    request.turnId = u"11"_s;
    journal.requestRaised(request);
    journal.outboxAppend({ { u"1"_s, u"10"_s }, 1, "{\"event\":1}" });
    journal.outboxAppend({ { u"1"_s, u"10"_s }, 2, "{\"event\":2}" });
    journal.outboxRemove({ u"1"_s, u"10"_s }, 1);
    journal.appendEvent({ u"1"_s, u"11"_s }, TextDelta { u"m"_s, u"Hello"_s }, 1003);
    journal.history(1, &journal, [](const Result<QList<TaskSummary>> &) {
        std::puts("ready");
        std::fflush(stdout);
    });
    QTimer busy;
    QObject::connect(&busy, &QTimer::timeout, &journal, [&journal] {
        journal.appendEvent({ u"1"_s, u"11"_s }, TextDelta { u"m"_s, u" and more"_s }, 1004);
        journal.appendEvent({ u"1"_s, u"11"_s }, DiffUpdated { u"@@"_s }, 1005);
    });
    busy.start(0);
    return QCoreApplication::exec();
}

} // namespace

class TestJournal : public QObject
{
    Q_OBJECT

private:
    QTemporaryDir m_folder;
    int m_files = 0;

    [[nodiscard]] QString newFile()
    {
        return m_folder.filePath(u"%1/data/deskhand.sqlite"_s.arg(++m_files));
    }

private Q_SLOTS:
    void everything_survivesAReopening()
    {
        const QString file = newFile();
        {
            Journal journal(at(file));
            journal.open();
            live(journal, turn(u"1"_s, u"10"_s), true);
            live(journal, turn(u"2"_s, u"20"_s, Origin::Local), true);
            live(journal, turn(u"1"_s, u"11"_s), true);
            journal.outboxAppend({ { u"1"_s, u"10"_s }, 1, "one" });
            journal.outboxAppend({ { u"1"_s, u"11"_s }, 1, "two" });
            journal.outboxAppend({ { u"1"_s, u"10"_s }, 1, "one again" });
            journal.outboxAppend({ { u"2"_s, u"20"_s }, 1, QByteArray("\x00\xff", 2) });
            journal.outboxClear({ u"1"_s, u"11"_s });
            const QDate day(2030, 1, 2);
            journal.addUsage(day, u"m"_s, { 1, 2, 3, 4, 10, 0, 0 });
            journal.addUsage(day, u"m"_s, { 1, 2, 3, 4, 10, 0, 0 });
            QSignalSpy closed(&journal, &Journal::closed);
            journal.requestClose(5000ms);
            QTRY_COMPARE_WITH_TIMEOUT(closed.size(), 1, kLimit);
            const auto late = historyOf(journal);
            QVERIFY(!late && late.error().kind == ErrorKind::Unavailable);
        }
        Journal journal(at(file));
        QSignalSpy problem(&journal, &Journal::problem);
        QSignalSpy opened(&journal, &Journal::opened);
        journal.open();
        const auto history = historyOf(journal);
        QVERIFY(history);
        QCOMPARE(history->size(), 2); // the latest turn of each task, newest first
        QCOMPARE(history->at(0).turnId, u"11"_s);
        QCOMPARE(history->at(0).state, TaskState::Finished);
        QCOMPARE(history->at(0).title, u"Title of 1"_s);
        QCOMPARE(history->at(0).profile, u":workspace"_s);
        QCOMPARE(history->at(1).origin, Origin::Local);
        QCOMPARE(historyOf(journal, 1)->size(), 1);
        QCOMPARE(threadOf(journal, u"1"_s).value(), u"thread-of-11"_s);
        QCOMPARE(threadOf(journal, u"unknown"_s).value(), QString());
        const auto story = storyOf(journal, u"1"_s);
        QVERIFY(story);
        QCOMPARE(story->size(), 4);
        for (qsizetype i = 0; i < story->size(); ++i) {
            QCOMPARE(story->at(i).seq, i + 1);
        }
        QCOMPARE(story->at(3).ref.turnId, u"11"_s);
        QCOMPARE(std::get<TurnEnded>(story->at(3).event).finalText, u"done"_s);
        const auto unknown = storyOf(journal, u"unknown"_s);
        QVERIFY(!unknown && unknown.error().kind == ErrorKind::NotFound);
        const auto outbox = outboxOf(journal);
        QCOMPARE(outbox->size(), 2);
        QCOMPARE(outbox->at(0).payload, "one again");
        QCOMPARE(outbox->at(1).payload, QByteArray("\x00\xff", 2));
        const auto usage = waitFor<QList<UsageRow>>([&](QObject *context, const auto &reply) {
            journal.usage(QDate(2030, 1, 1), context, reply);
        });
        QCOMPARE(usage->size(), 1);
        QCOMPARE(usage->first().usage.totalTokens, 20);
        QVERIFY(interruptedIn(journal)->isEmpty());
        QCOMPARE(opened.size(), 1);
        QVERIFY(journal.knowsTurn({ u"1"_s, u"10"_s }));
        QVERIFY(!journal.knowsTurn({ u"1"_s, u"12"_s }));
        // Numbers go on where they were.
        QCOMPARE(journal.appendEvent({ u"1"_s, u"11"_s }, DiffUpdated {}, 1), 5);
        QVERIFY(problem.isEmpty());
    }

    void secrets_areNotInTheFile()
    {
        const QString file = newFile();
        {
            Journal journal(at(file));
            journal.open();
            TurnRequest request = turn(u"1"_s, u"10"_s);
            request.model = ModelConfig {};
            request.model->apiKey = u"sk-the-provider-key"_s;
            request.model->baseUrl = u"https://user:the-password@llm.example/v1?key=the-query"_s;
            request.model->modelId = u"m-large"_s;
            request.model->headers = { { u"X-Key"_s, u"the-header-value"_s } };
            request.model->raw = { { u"api_key"_s, u"sk-the-provider-key"_s } };
            request.images = { { u"data:image/png;base64,VERYLONGDATA"_s, {} },
                { u"https://x/y.png?token=the-image-token"_s, {} } };
            request.echo.insert(u"bot"_s,
                QJsonArray { QJsonObject { { u"git_token"_s, u"the-git-token"_s },
                    { u"max_output_tokens"_s, 7 }, { u"name"_s, u"coder"_s } } });
            TaskSummary summary = summaryOf(request, TaskState::Queued);
            summary.model = request.model->describe();
            journal.turnAccepted(request, summary);
            QVERIFY(historyOf(journal));
            const QString echo = inFile(file, u"SELECT echo FROM turns"_s);
            QVERIFY(echo.contains(u"\"message_id\":6"_s));
            QVERIFY(echo.contains(u"\"max_output_tokens\":7"_s));
            QVERIFY(echo.contains(u"coder"_s));
            QVERIFY(inFile(file, u"SELECT request FROM turns"_s).contains(u"m-large"_s));
        }
        QByteArray all;
        for (const QString &name : QDir(QFileInfo(file).path()).entryList(QDir::Files)) {
            QFile one(QFileInfo(file).path() + u'/' + name);
            QVERIFY(one.open(QIODevice::ReadOnly));
            all += one.readAll();
        }
        for (const QByteArray secret :
            { "sk-the-provider-key", "the-password", "the-query", "the-header-value",
                "very-secret-token", "the-git-token", "VERYLONGDATA", "the-image-token" }) {
            QVERIFY2(!all.contains(secret), secret.constData());
        }
    }

#ifdef Q_OS_UNIX
    void file_isTheOwnersAlone()
    {
        const QString file = newFile();
        Journal journal(at(file));
        journal.open();
        live(journal, turn(u"1"_s, u"10"_s), false);
        QVERIFY(historyOf(journal));
        const auto others = QFileDevice::ReadGroup | QFileDevice::WriteGroup
            | QFileDevice::ReadOther | QFileDevice::WriteOther;
        for (const QString &side : { u""_s, u"-wal"_s, u"-shm"_s }) {
            QVERIFY(QFile::exists(file + side));
            QVERIFY(!(QFile::permissions(file + side) & others));
        }
    }
#endif

    void manyDeltas_becomeFewRowsThatCarryTheLastNumber()
    {
        const QString file = newFile();
        Journal journal(at(file));
        QList<qint64> announced;
        connect(&journal, &Journal::eventAppended, this,
            [&](const StoredEvent &record) { announced.append(record.seq); });
        journal.open();
        const TurnRef ref { u"1"_s, u"10"_s };
        journal.turnAccepted(
            turn(u"1"_s, u"10"_s), summaryOf(turn(u"1"_s, u"10"_s), TaskState::Running));
        QString expected;
        for (int i = 0; i < 20000; ++i) {
            const QString piece = u"word %1 "_s.arg(i);
            expected += piece;
            QCOMPARE(journal.appendEvent(ref, TextDelta { u"m1"_s, piece }, i), i + 1);
        }
        for (int i = 0; i < 10; ++i) {
            journal.appendEvent(ref, ReasoningDelta { u"m1"_s, u"r"_s }, i);
        }
        for (int i = 0; i < 10; ++i) {
            journal.appendEvent(ref, ItemProgress { u"c1"_s, u"o"_s, {} }, i);
        }
        journal.appendEvent(ref, ItemProgress { u"c2"_s, u"p"_s, {} }, 0);
        const auto story = storyOf(journal, u"1"_s);
        QVERIFY(story);
        QVERIFY2(story->size() < 60, qPrintable(QString::number(story->size())));
        QString text;
        qint64 last = 0;
        QStringList rest;
        for (const StoredEvent &record : *story) {
            QVERIFY(record.seq > last);
            last = record.seq;
            if (const auto *delta = std::get_if<TextDelta>(&record.event)) {
                text += delta->text;
            } else if (const auto *reasoning = std::get_if<ReasoningDelta>(&record.event)) {
                rest.append(reasoning->text);
            } else if (const auto *progress = std::get_if<ItemProgress>(&record.event)) {
                rest.append(progress->outputDelta);
            }
        }
        QCOMPARE(text, expected);
        QCOMPARE(rest, (QStringList { u"rrrrrrrrrr"_s, u"oooooooooo"_s, u"p"_s }));
        QCOMPARE(last, 20021); // live events go on with 20022
        QCOMPARE(announced.size(), 20021);
    }

    void text_isStoredWithinItsDelayWithoutAnEnd()
    {
        const QString file = newFile();
        JournalOptions options = at(file);
        options.coalesceDelay = 20ms;
        options.batchDelay = 10ms;
        Journal journal(options);
        journal.open();
        live(journal, turn(u"1"_s, u"10"_s), false);
        journal.appendEvent({ u"1"_s, u"10"_s }, TextDelta { u"m"_s, u"still writing"_s }, 1);
        QVERIFY(historyOf(journal)); // the file is there
        journal.appendEvent({ u"1"_s, u"10"_s }, TextDelta { u"m"_s, u", more"_s }, 1);
        QTRY_VERIFY(inFile(file, u"SELECT group_concat(json) FROM events"_s).contains(u"more"_s));
    }

    void reader_thatIsGone_isNotCalled()
    {
        Journal journal({});
        journal.open();
        bool called = false;
        auto *context = new QObject;
        journal.history(1, context, [&](const Result<QList<TaskSummary>> &) { called = true; });
        delete context;
        QVERIFY(historyOf(journal)); // later than the one above
        QVERIFY(!called);
    }

    void programKilled_turnsAreEndedOnceAtTheNextStart()
    {
        const QString file = newFile();
        QProcess child;
        child.start(QCoreApplication::applicationFilePath(), { u"--until-killed"_s, file });
        QTRY_VERIFY_WITH_TIMEOUT(child.canReadLine(), kLimit);
        child.kill();
        QVERIFY(child.waitForFinished(kLimit));

        for (int start = 0; start < 2; ++start) {
            Journal journal(at(file));
            QSignalSpy problem(&journal, &Journal::problem);
            journal.open();
            const auto interrupted = interruptedIn(journal);
            QVERIFY(interrupted);
            // Local ones are told of at the first start only; the backend's until it knows.
            QCOMPARE(interrupted->size(), start == 0 ? 3 : 2);
            QCOMPARE(interrupted->at(0).ref, (TurnRef { u"1"_s, u"11"_s }));
            QCOMPARE(interrupted->at(0).origin, Origin::Backend);
            QCOMPARE(interrupted->at(0).echo.value(u"message_id"_s).toInt(), 6);
            QVERIFY(!interrupted->at(0).message.isEmpty());
            QCOMPARE(interrupted->at(1).ref, (TurnRef { u"2"_s, u"20"_s }));
            const auto history = historyOf(journal);
            for (const TaskSummary &summary : *history) {
                QCOMPARE(summary.state, TaskState::Interrupted);
                QVERIFY(summary.endedAtMs > 0);
            }
            const auto story = storyOf(journal, u"1"_s);
            QVERIFY(story);
            int endings = 0;
            QString text;
            for (const StoredEvent &record : *story) {
                if (record.ref.turnId != u"11"_s) {
                    continue;
                }
                if (const auto *ended = std::get_if<TurnEnded>(&record.event)) {
                    ++endings;
                    QCOMPARE(ended->outcome, TurnOutcome::Failed);
                    QCOMPARE(ended->errorCode, u"interrupted"_s);
                } else if (const auto *delta = std::get_if<TextDelta>(&record.event)) {
                    text += delta->text;
                }
            }
            QCOMPARE(endings, 1);
            QVERIFY(text.startsWith(u"Hello"_s));
            QVERIFY(std::holds_alternative<TurnEnded>(story->last().event));
            const auto outbox = outboxOf(journal);
            QCOMPARE(outbox->size(), 1);
            QCOMPARE(outbox->first().payload, "{\"event\":2}");
            QCOMPARE(threadOf(journal, u"1"_s).value(), u"thread-of-11"_s);
            QCOMPARE(
                inFile(file, u"SELECT outcome FROM requests WHERE id = 'r1'"_s), u"withdrawn"_s);
            QVERIFY(journal.knowsTurn({ u"1"_s, u"11"_s }));
            QVERIFY(problem.isEmpty());
        }
        Journal journal(at(file));
        journal.open();
        journal.interruptedTold({ u"1"_s, u"11"_s });
        journal.interruptedTold({ u"2"_s, u"20"_s });
        QVERIFY(interruptedIn(journal)->isEmpty());
    }

    void damagedFile_isKeptAsideAndNamed_data()
    {
        QTest::addColumn<QByteArray>("content");
        QTest::newRow("not a database") << QByteArray("this is not SQLite").repeated(100);
        QTest::newRow("a torn header") << QByteArray("SQLite format 3\0\xff\xff", 18).repeated(300);
    }
    void damagedFile_isKeptAsideAndNamed()
    {
        QFETCH(QByteArray, content);
        const QString file = newFile();
        QVERIFY(QDir().mkpath(QFileInfo(file).path()));
        QFile broken(file);
        QVERIFY(broken.open(QIODevice::WriteOnly));
        broken.write(content);
        broken.close();
        Journal journal(at(file));
        QSignalSpy problem(&journal, &Journal::problem);
        journal.open();
        live(journal, turn(u"1"_s, u"10"_s), true);
        QCOMPARE(historyOf(journal)->size(), 1);
        QCOMPARE(problem.size(), 1);
        const QStringList kept = QDir(QFileInfo(file).path())
                                     .entryList({ u"deskhand.sqlite.broken-*"_s }, QDir::Files);
        QCOMPARE(kept.size(), 1);
        QVERIFY(problem.first().first().toString().contains(kept.first()));
        QFile aside(QFileInfo(file).path() + u'/' + kept.first());
        QVERIFY(aside.open(QIODevice::ReadOnly));
        QCOMPARE(aside.readAll(), content);
    }

    void fileOfANewerProgram_isKeptAsideAndNamed()
    {
        const QString file = newFile();
        QVERIFY(QDir().mkpath(QFileInfo(file).path()));
        inFile(file, u"PRAGMA user_version = 99"_s);
        Journal journal(at(file));
        QSignalSpy problem(&journal, &Journal::problem);
        journal.open();
        live(journal, turn(u"1"_s, u"10"_s), true);
        QCOMPARE(historyOf(journal)->size(), 1);
        QCOMPARE(problem.size(), 1);
        QVERIFY(problem.first().first().toString().contains(u"newer"_s));
        QCOMPARE(QDir(QFileInfo(file).path())
                     .entryList({ u"deskhand.sqlite.newer-*"_s }, QDir::Files)
                     .size(),
            1);
    }

    void damageWhileRunning_isNoticedAndWritingGoesOn()
    {
        const QString file = newFile();
        {
            Journal journal(at(file));
            journal.open();
            for (int i = 0; i < 300; ++i) {
                live(journal, turn(QString::number(i), u"1"_s), true);
            }
            QVERIFY(historyOf(journal));
        }
        // Everything behind the first page is gone.
        QFile broken(file);
        QVERIFY(broken.open(QIODevice::ReadWrite));
        const qint64 size = broken.size();
        QVERIFY(size > 3 * 4096);
        broken.seek(4096);
        broken.write(QByteArray(static_cast<qsizetype>(size - 4096), '\x5a'));
        broken.close();
        Journal journal(at(file));
        QSignalSpy problem(&journal, &Journal::problem);
        journal.open();
        live(journal, turn(u"new"_s, u"1"_s), true);
        QTRY_VERIFY_WITH_TIMEOUT(historyOf(journal).has_value(), kLimit);
        QTRY_COMPARE(problem.size(), 1);
        QVERIFY(problem.first().first().toString().contains(u"damaged"_s));
        live(journal, turn(u"newer"_s, u"1"_s), true);
        QCOMPARE(historyOf(journal)->first().taskId, u"newer"_s);
    }

    void folderThatCannotBeMade_worksInMemoryUntilItCan()
    {
        const QString file = newFile();
        const QString parent = QFileInfo(QFileInfo(file).path()).path();
        {
            QFile obstacle(parent); // a file where a folder must be
            QVERIFY(obstacle.open(QIODevice::WriteOnly));
        }
        Journal journal(at(file));
        QSignalSpy problem(&journal, &Journal::problem);
        QSignalSpy recovered(&journal, &Journal::recovered);
        journal.open();
        live(journal, turn(u"1"_s, u"10"_s), true);
        journal.outboxAppend({ { u"1"_s, u"10"_s }, 1, "payload" });
        QCOMPARE(historyOf(journal)->size(), 1);
        QCOMPARE(threadOf(journal, u"1"_s).value(), u"thread-of-10"_s);
        QTRY_COMPARE(problem.size(), 1);
        QVERIFY(problem.first().first().toString().contains(file));
        QTest::qWait(60); // some retries fail meanwhile
        QCOMPARE(problem.size(), 1); // said once
        QVERIFY(QFile::remove(parent));
        QTRY_COMPARE_WITH_TIMEOUT(recovered.size(), 1, kLimit);
        live(journal, turn(u"1"_s, u"11"_s), true);
        QCOMPARE(historyOf(journal)->first().turnId, u"11"_s);
        QCOMPARE(storyOf(journal, u"1"_s)->size(), 4);
        QCOMPARE(inFile(file, u"SELECT count(*) FROM turns"_s), u"2"_s);
        QCOMPARE(inFile(file, u"SELECT payload FROM outbox"_s), u"payload"_s);
    }

    void memoryRows_joinTheStoredOnesBehindThem()
    {
        const QString file = newFile();
        {
            Journal journal(at(file));
            journal.open();
            live(journal, turn(u"1"_s, u"10"_s), true); // events 1 and 2
            QVERIFY(historyOf(journal));
        }
        const QString away = file + u".away"_s;
        QVERIFY(QFile::rename(file, away));
        QVERIFY(QDir().mkdir(file)); // a folder where the file must be
        Journal journal(at(file));
        QSignalSpy recovered(&journal, &Journal::recovered);
        journal.open();
        live(journal, turn(u"1"_s, u"11"_s), false); // counted from 1 again
        QVERIFY(storyOf(journal, u"1"_s));
        QVERIFY(QDir().rmdir(file));
        QVERIFY(QFile::rename(away, file));
        QTRY_COMPARE_WITH_TIMEOUT(recovered.size(), 1, kLimit);
        journal.appendEvent({ u"1"_s, u"11"_s }, DiffUpdated { u"after"_s }, 1);
        const auto story = storyOf(journal, u"1"_s);
        QVERIFY(story);
        QCOMPARE(story->size(), 4);
        QCOMPARE(story->at(1).ref.turnId, u"10"_s);
        QCOMPARE(story->at(2).ref.turnId, u"11"_s);
        QCOMPARE(std::get<DiffUpdated>(story->at(3).event).diff, u"after"_s);
    }

#ifdef Q_OS_UNIX
    void diskThatIsFull_keepsRowsUntilThereIsRoom()
    {
        const QString file = newFile();
        Journal journal(at(file));
        QSignalSpy problem(&journal, &Journal::problem);
        QSignalSpy recovered(&journal, &Journal::recovered);
        journal.open();
        live(journal, turn(u"1"_s, u"10"_s), false);
        QVERIFY(historyOf(journal));
        // No file may grow further: for SQLite the same as a full disk.
        std::signal(SIGXFSZ, SIG_IGN);
        rlimit before {};
        QCOMPARE(getrlimit(RLIMIT_FSIZE, &before), 0);
        rlimit small = before;
        small.rlim_cur = static_cast<rlim_t>(QFileInfo(file + u"-wal"_s).size());
        QCOMPARE(setrlimit(RLIMIT_FSIZE, &small), 0);
        for (int i = 0; i < 50; ++i) {
            journal.appendEvent({ u"1"_s, u"10"_s }, DiffUpdated { QString(10000, u'x') }, i);
        }
        journal.outboxAppend({ { u"1"_s, u"10"_s }, 7, "kept" });
        QTRY_COMPARE_WITH_TIMEOUT(problem.size(), 1, kLimit);
        QVERIFY(recovered.isEmpty());
        QVERIFY(historyOf(journal)); // reading goes on
        QCOMPARE(setrlimit(RLIMIT_FSIZE, &before), 0);
        QTRY_COMPARE_WITH_TIMEOUT(recovered.size(), 1, kLimit);
        QCOMPARE(problem.size(), 1);
        QCOMPARE(outboxOf(journal)->size(), 1);
        QCOMPARE(storyOf(journal, u"1"_s)->size(), 51);
    }
#endif

    void oldEventsOfFinishedTasks_areForgotten()
    {
        const QString file = newFile();
        const qint64 now = QDateTime::currentMSecsSinceEpoch();
        const qint64 old = now - std::chrono::milliseconds(91 * 24h).count();
        {
            Journal journal(at(file));
            journal.open();
            live(journal, turn(u"old"_s, u"1"_s), true, old);
            live(journal, turn(u"new"_s, u"1"_s), true);
            live(journal, turn(u"revived"_s, u"1"_s), true, old);
            live(journal, turn(u"revived"_s, u"2"_s), true);
            QVERIFY(historyOf(journal));
        }
        Journal journal(at(file));
        journal.open();
        QCOMPARE(historyOf(journal)->size(), 3);
        QVERIFY(storyOf(journal, u"old"_s)->isEmpty());
        QCOMPARE(storyOf(journal, u"new"_s)->size(), 2);
        QCOMPARE(storyOf(journal, u"revived"_s)->size(), 4);
        QCOMPARE(inFile(file, u"SELECT request FROM turns WHERE task = 'old'"_s), u"{}"_s);
        QCOMPARE(threadOf(journal, u"old"_s).value(), u"thread-of-1"_s);
    }

    void destructor_storesWhatIsPending()
    {
        const QString file = newFile();
        {
            Journal journal(at(file));
            journal.open();
            live(journal, turn(u"1"_s, u"10"_s), false);
            journal.appendEvent({ u"1"_s, u"10"_s }, TextDelta { u"m"_s, u"last words"_s }, 1);
        }
        QVERIFY(inFile(file, u"SELECT group_concat(json) FROM events"_s).contains(u"last words"_s));
    }
};

int main(int argc, char **argv)
{
    QCoreApplication application(argc, argv);
    const QStringList arguments = QCoreApplication::arguments();
    if (arguments.size() == 3 && arguments.at(1) == u"--until-killed"_s) {
        return runUntilKilled(arguments.at(2));
    }
    TestJournal test;
    return QTest::qExec(&test, argc, argv);
}

#include "tst_journal.moc"
