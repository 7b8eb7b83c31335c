// SPDX-License-Identifier: Apache-2.0
#include "executor/logging/masking.h"
#include "tests/executor/tasks/taskfixture.h"

#include <QFile>
#include <QJsonArray>
#include <QSignalSpy>

using namespace Qt::StringLiterals;
using namespace deskhand;
using namespace deskhand::engines;
using namespace deskhand::tasks;
using namespace deskhand::tests;
using namespace std::chrono_literals;

class TestTaskManager : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void ownFolderOfTheProgram_isNoWorkFolder()
    {
        TaskFixture f;
        const QString home = f.folder.filePath(u"家"_s);
        QVERIFY(QDir().mkpath(home + u"/agents/default"_s));
        QVERIFY(QDir().mkpath(home + u"/workspace/mine"_s));
        QVERIFY(QFile::link(home, f.folder.filePath(u"link"_s)));
        f.policy.workspaceRoot = home + u"/workspace"_s;
        f.policy.ownFolder = home;
        f.manager.setPolicy(f.policy);
        int number = 0;
        const auto submit = [&](const QString &folder, const QString &profile) {
            TurnRequest request = f.turn(u"t%1"_s.arg(++number), u"a"_s);
            request.cwd = folder;
            request.profileWish = profile;
            return f.manager.submit(request);
        };
        for (const QString &inside : { home, home + u"/agents"_s,
                 home + u"/workspace/../agents/default"_s, f.folder.filePath(u"link/agents"_s) }) {
            for (const QString &profile : { u":workspace"_s, u":read-only"_s }) {
                const auto taken = submit(inside, profile);
                QVERIFY2(!taken, qPrintable(inside));
                QCOMPARE(taken.error().kind, ErrorKind::Policy);
            }
        }
        QVERIFY(submit(u"/"_s, u":workspace"_s).error().message.contains(home));
        QVERIFY(!submit(f.folder.path(), u":workspace"_s));
        QVERIFY(submit(f.folder.path(), u":read-only"_s));
        QVERIFY(submit(home + u"/workspace/mine"_s, u":workspace"_s));
        QVERIFY(submit(QString(), u":workspace"_s));
    }

    void quotedSecrets_stayOutOfEndingNoteAndTitle()
    {
        TaskFixture f;
        const QString secret = u"wg-quoted-by-somebody-0123456789"_s;
        logging::addSecret(secret);
        TurnRequest request = f.turn(u"1"_s, u"a"_s);
        request.title = u"Use "_s + secret;
        QVERIFY(f.manager.submit(request));
        QTRY_COMPARE(f.engine.started.size(), 1);
        f.engine.say(request.ref,
            StatusNote { StatusNote::Level::Warning, u"retry"_s, u"bad key "_s + secret });
        TurnEnded ended;
        ended.errorCode = u"engine_start"_s;
        ended.errorMessage = u"It said: "_s + secret;
        f.engine.say(request.ref, ended);
        QTRY_COMPARE(f.endings(request.ref).size(), 1);
        QCOMPARE(f.endings(request.ref).first().errorMessage, u"It said: ***"_s);
        QCOMPARE(f.eventsOf<StatusNote>(request.ref).last().text, u"bad key ***"_s);
        QCOMPARE(f.changes.last().error, u"It said: ***"_s);
        QCOMPARE(f.changes.last().title, u"Use ***"_s);
    }

    void submit_free_slot_startsWithTheWholeSpec()
    {
        TaskFixture f;
        TurnRequest request = f.turn(u"1"_s, u"10"_s);
        request.images = { { u"data:image/png;base64,AA"_s, {} } };
        request.developerInstructions = u"Be short"_s;
        request.agentName = u"coder"_s;
        request.model = ModelConfig {};
        request.model->modelId = u"m"_s;
        QVERIFY(f.manager.submit(request));
        QTRY_COMPARE(f.engine.started.size(), 1);
        const TurnSpec spec = f.engine.started.first();
        QCOMPARE(spec.ref, request.ref);
        QCOMPARE(spec.prompt, u"Do it"_s);
        QCOMPARE(spec.images.size(), 1);
        QCOMPARE(spec.developerInstructions, u"Be short"_s);
        QCOMPARE(spec.agentName, u"coder"_s);
        QCOMPARE(spec.profile, PermissionProfile::Workspace);
        QCOMPARE(spec.model->modelId, u"m"_s);
        QVERIFY(spec.threadId.isEmpty());
        QVERIFY(QFileInfo(spec.cwd).isDir());
        QVERIFY(spec.cwd.endsWith(u"/workspace/1"_s));
        QCOMPARE(f.stateOf(u"1"_s), TaskState::Running);

        f.engine.complete(request.ref, u"the answer"_s);
        QCOMPARE(f.endings(request.ref).size(), 1);
        QCOMPARE(f.endings(request.ref).first().finalText, u"the answer"_s);
        QCOMPARE(f.changes.last().state, TaskState::Finished);
        QVERIFY(f.changes.last().endedAtMs >= f.changes.last().startedAtMs);
        QVERIFY(f.manager.activeTasks().isEmpty());
    }

    void ownModel_isWaitedForAndNeverReplacedByTheEnginesAccount()
    {
        TaskFixture f;
        f.policy.ownModelPending = true;
        f.manager.setPolicy(f.policy);
        TurnRequest withModel = f.turn(u"1"_s, u"a"_s);
        withModel.model = ModelConfig {};
        withModel.model->modelId = u"given"_s;
        QVERIFY(f.manager.submit(f.turn(u"2"_s, u"a"_s)));
        QVERIFY(f.manager.submit(withModel)); // does not wait behind the other
        QTRY_COMPARE(f.engine.started.size(), 1);
        QCOMPARE(f.engine.started.first().model->modelId, u"given"_s);
        QCOMPARE(f.stateOf(u"2"_s), TaskState::Queued);

        f.policy.ownModelPending = false;
        f.policy.ownModel = ModelConfig {};
        f.policy.ownModel->modelId = u"mine"_s;
        f.manager.setPolicy(f.policy);
        QTRY_COMPARE(f.engine.started.size(), 2);
        QCOMPARE(f.engine.started.last().model->modelId, u"mine"_s);
        f.engine.complete({ u"2"_s, u"a"_s });

        f.policy.ownModel.reset();
        f.policy.ownModelProblem = u"the key of \"mine\" is gone"_s;
        f.manager.setPolicy(f.policy);
        QVERIFY(f.manager.submit(f.turn(u"3"_s, u"a"_s)));
        QTRY_COMPARE(f.endings({ u"3"_s, u"a"_s }).size(), 1);
        const TurnEnded ending = f.endings({ u"3"_s, u"a"_s }).first();
        QCOMPARE(ending.errorCode, u"model_config"_s);
        QCOMPARE(ending.errorMessage, f.policy.ownModelProblem);
        QCOMPARE(f.engine.started.size(), 2);
    }

    void prompt_isFirstInTheStoryOfItsTurn()
    {
        TaskFixture f;
        const QString secret = u"wg-typed-into-the-prompt-0123456789"_s;
        logging::addSecret(secret);
        f.policy.parallelLimit = 1;
        f.manager.setPolicy(f.policy);
        TurnRequest first = f.turn(u"1"_s, u"a"_s);
        first.prompt = u"用 "_s + secret;
        first.images = { { u"data:image/png;base64,AA"_s, {} } };
        TurnRequest second = f.turn(u"1"_s, u"b"_s);
        second.prompt = QString(3'000'000, u'p');
        QVERIFY(f.manager.submit(first));
        QTRY_COMPARE(f.engine.started.size(), 1);
        QVERIFY(f.manager.submit(second));
        QCOMPARE(f.engine.started.first().prompt, first.prompt);
        QList<StoredEvent> story;
        f.journal.story(u"1"_s, &f.manager,
            [&story](const Result<QList<StoredEvent>> &read) { story = *read; });
        QTRY_COMPARE(story.size(), 3);
        const auto told = std::get<PromptGiven>(story.at(0).event);
        QCOMPARE(told.text, u"用 ***"_s);
        QCOMPARE(told.images, 1);
        QVERIFY(std::holds_alternative<TurnStarted>(story.at(1).event));
        QCOMPARE(story.at(2).ref, second.ref); // it waits, and is shown all the same
        const QString cut = std::get<PromptGiven>(story.at(2).event).text;
        QVERIFY2(cut.size() < 70'000, qPrintable(QString::number(cut.size())));
        QVERIFY(cut.contains(u"omitted"_s));
    }

    void submit_moreThanTheLimit_runsInOrder()
    {
        TaskFixture f;
        QSignalSpy running(&f.manager, &TaskManager::runningChanged);
        for (int i = 1; i <= 4; ++i) {
            QVERIFY(f.manager.submit(f.turn(QString::number(i), u"t%1"_s.arg(i))));
        }
        QTRY_COMPARE(f.engine.started.size(), 2);
        QCOMPARE(f.manager.runningCount(), 2);
        QCOMPARE(f.manager.queuedCount(), 2);
        QCOMPARE(f.manager.activeTasks().size(), 4);
        QCOMPARE(f.manager.activeTasks().at(2).taskId, u"3"_s);
        f.engine.complete({ u"2"_s, u"t2"_s });
        QTRY_COMPARE(f.engine.started.size(), 3);
        QCOMPARE(f.engine.started.last().ref.taskId, u"3"_s);
        QCOMPARE(f.manager.runningTurns(),
            (QList<TurnRef> { { u"1"_s, u"t1"_s }, { u"3"_s, u"t3"_s } }));
        QCOMPARE(running.size(), 4); // three began, one ended
    }

    void submit_secondTurnOfALocalTask_waitsWithoutHoldingOthersUp()
    {
        TaskFixture f;
        QVERIFY(f.manager.submit(f.turn(u"a"_s, u"1"_s)));
        QVERIFY(f.manager.submit(f.turn(u"a"_s, u"2"_s)));
        QVERIFY(f.manager.submit(f.turn(u"b"_s, u"1"_s)));
        QTRY_COMPARE(f.engine.started.size(), 2);
        QCOMPARE(f.engine.started.at(1).ref.taskId, u"b"_s);
        f.engine.complete({ u"b"_s, u"1"_s });
        QCOMPARE(
            f.manager.runningCount(), 1); // one turn of a task at a time, though a slot is free
        f.engine.complete({ u"a"_s, u"1"_s });
        QTRY_COMPARE(f.engine.started.size(), 3);
        QCOMPARE(f.engine.started.last().ref.turnId, u"2"_s);
        QCOMPARE(f.engine.started.last().threadId,
            f.engine.started.first().threadId.isEmpty() ? u"thread-1"_s
                                                        : f.engine.started.first().threadId);
    }

    void submit_replacing_endsTheOldOneAndContinuesItsConversation()
    {
        TaskFixture f;
        f.policy.parallelLimit = 1;
        f.manager.setPolicy(f.policy);
        QVERIFY(f.manager.submit(f.turn(u"7"_s, u"1"_s)));
        QTRY_COMPARE(f.engine.started.size(), 1);
        QVERIFY(f.manager.submit(f.turn(u"8"_s, u"1"_s))); // waits for the only slot
        TurnRequest newer = f.turn(u"7"_s, u"2"_s);
        newer.replacesRunning = true;
        QVERIFY(f.manager.submit(newer));
        QTRY_COMPARE(f.engine.started.size(), 2);
        QCOMPARE(f.engine.started.last().ref, newer.ref); // it keeps the slot of the old one
        QCOMPARE(f.engine.started.last().threadId, u"thread-1"_s);
        const auto endings = f.endings({ u"7"_s, u"1"_s });
        QCOMPARE(endings.size(), 1);
        QCOMPARE(endings.first().outcome, TurnOutcome::Cancelled);
        QVERIFY(!endings.first().errorMessage.isEmpty());
        // The old ending is told before the new turn says anything.
        qsizetype oldEnd = -1;
        qsizetype newBegin = -1;
        for (qsizetype i = 0; i < f.events.size(); ++i) {
            if (f.events.at(i).first.turnId == u"1"_s
                && std::holds_alternative<TurnEnded>(f.events.at(i).second)) {
                oldEnd = i;
            }
            if (f.events.at(i).first == newer.ref && newBegin < 0
                && !std::holds_alternative<PromptGiven>(f.events.at(i).second)) {
                newBegin = i;
            }
        }
        QVERIFY(oldEnd >= 0 && newBegin > oldEnd);
    }

    void submit_replacingAWaitingTurn_endsItWithoutAStart()
    {
        TaskFixture f;
        f.manager.setPaused(true);
        QVERIFY(f.manager.submit(f.turn(u"7"_s, u"1"_s)));
        TurnRequest newer = f.turn(u"7"_s, u"2"_s);
        newer.replacesRunning = true;
        QVERIFY(f.manager.submit(newer));
        QCOMPARE(f.endings({ u"7"_s, u"1"_s }).size(), 1);
        f.manager.setPaused(false);
        QTRY_COMPARE(f.engine.started.size(), 1);
        QCOMPARE(f.engine.started.first().ref, newer.ref);
    }

    void submit_newSession_beginsANewConversation()
    {
        TaskFixture f;
        QVERIFY(f.manager.submit(f.turn(u"1"_s, u"1"_s)));
        QTRY_COMPARE(f.engine.started.size(), 1);
        f.engine.complete({ u"1"_s, u"1"_s });
        TurnRequest fresh = f.turn(u"1"_s, u"2"_s);
        fresh.newSession = true;
        QVERIFY(f.manager.submit(fresh));
        QTRY_COMPARE(f.engine.started.size(), 2);
        QVERIFY(f.engine.started.last().threadId.isEmpty());
    }

    void submit_refusals_data()
    {
        QTest::addColumn<QString>("taskId");
        QTest::addColumn<QString>("turnId");
        QTest::addColumn<QString>("cwd");
        QTest::addColumn<QString>("profile");
        QTest::addColumn<ErrorKind>("kind");
        QTest::addColumn<QString>("names");
        QTest::newRow("no task id")
            << u""_s << u"1"_s << QString() << QString() << ErrorKind::Usage << u"no id"_s;
        QTest::newRow("a task id that climbs out of its folder")
            << u"../../etc"_s << u"1"_s << QString() << QString() << ErrorKind::Usage
            << u"../../etc"_s;
        QTest::newRow("a task id of dots")
            << u".."_s << u"1"_s << QString() << QString() << ErrorKind::Usage << u".."_s;
        QTest::newRow("no turn id")
            << u"1"_s << u""_s << QString() << QString() << ErrorKind::Usage << u"no id"_s;
        QTest::newRow("an unknown profile word") << u"1"_s << u"1"_s << QString() << u":god-mode"_s
                                                 << ErrorKind::Usage << u":god-mode"_s;
        QTest::newRow("a folder that is not there")
            << u"1"_s << u"1"_s << u"/nonexistent/here"_s << QString() << ErrorKind::NotFound
            << u"/nonexistent/here"_s;
        QTest::newRow("a relative folder") << u"1"_s << u"1"_s << u"some/where"_s << QString()
                                           << ErrorKind::Usage << u"some/where"_s;
        QTest::newRow("a file instead of a folder")
            << u"1"_s << u"1"_s << QStringLiteral(DESKHAND_SOURCE_DIR "/CMakeLists.txt")
            << QString() << ErrorKind::Io << u"CMakeLists.txt"_s;
    }
    void submit_refusals()
    {
        QFETCH(QString, taskId);
        QFETCH(QString, turnId);
        QFETCH(QString, cwd);
        QFETCH(QString, profile);
        QFETCH(ErrorKind, kind);
        QFETCH(QString, names);
        TaskFixture f;
        TurnRequest request = f.turn(taskId, turnId);
        request.cwd = cwd;
        request.profileWish = profile;
        const auto result = f.manager.submit(request);
        QVERIFY(!result);
        QCOMPARE(result.error().kind, kind);
        QVERIFY2(result.error().message.contains(names), qPrintable(result.error().message));
        QVERIFY(f.events.isEmpty());
        QVERIFY(f.manager.activeTasks().isEmpty());
    }

    void submit_outsideTheAllowedRoots_isRefusedAlsoThroughALink()
    {
        TaskFixture f;
        const QString allowed = f.folder.filePath(u"allowed"_s);
        const QString other = f.folder.filePath(u"allowed-not"_s);
        QVERIFY(QDir().mkpath(allowed + u"/project"_s));
        QVERIFY(QDir().mkpath(other));
        QVERIFY(QFile::link(other, allowed + u"/link"_s));
        f.policy.allowedRoots = { allowed };
        f.manager.setPolicy(f.policy);
        int id = 0;
        for (const QString &bad :
            { other, allowed + u"/link"_s, allowed + u"/../allowed-not"_s, u"/"_s }) {
            TurnRequest request = f.turn(u"1"_s, QString::number(++id));
            request.cwd = bad;
            const auto result = f.manager.submit(request);
            QVERIFY2(!result, qPrintable(bad));
            QCOMPARE(result.error().kind, ErrorKind::Policy);
        }
        TurnRequest good = f.turn(u"1"_s, u"good"_s);
        good.cwd = allowed + u"/project"_s;
        QVERIFY(f.manager.submit(good));
        TurnRequest own = f.turn(u"2"_s, u"own"_s); // the task's own folder is always allowed
        QVERIFY(f.manager.submit(own));
        QTRY_COMPARE(f.engine.started.size(), 2);
    }

    void submit_sameTurnTwice_isAConflictAlsoWhenItIsOver()
    {
        TaskFixture f;
        const TurnRequest request = f.turn(u"1"_s, u"1"_s);
        QVERIFY(f.manager.submit(request));
        const auto twice = f.manager.submit(request);
        QVERIFY(!twice);
        QCOMPARE(twice.error().kind, ErrorKind::Conflict);
        QTRY_COMPARE(f.engine.started.size(), 1);
        f.engine.complete(request.ref);
        const auto again = f.manager.submit(request);
        QVERIFY(!again);
        QCOMPARE(again.error().kind, ErrorKind::Conflict);
    }

    void profile_wish_isLoweredToTheCeilingAndSaid_data()
    {
        QTest::addColumn<QString>("wish");
        QTest::addColumn<PermissionProfile>("ceiling");
        QTest::addColumn<PermissionProfile>("expected");
        QTest::addColumn<bool>("said");
        QTest::newRow("no wish means the default")
            << QString() << PermissionProfile::Workspace << PermissionProfile::Workspace << false;
        QTest::newRow("a default above the ceiling is lowered quietly")
            << QString() << PermissionProfile::ReadOnly << PermissionProfile::ReadOnly << false;
        QTest::newRow("a lower wish is kept") << u":read-only"_s << PermissionProfile::Workspace
                                              << PermissionProfile::ReadOnly << false;
        QTest::newRow("a higher wish is lowered and said")
            << u":danger-full-access"_s << PermissionProfile::Workspace
            << PermissionProfile::Workspace << true;
        QTest::newRow("a wish within the ceiling is granted")
            << u":danger-full-access"_s << PermissionProfile::FullAccess
            << PermissionProfile::FullAccess << false;
    }
    void profile_wish_isLoweredToTheCeilingAndSaid()
    {
        QFETCH(QString, wish);
        QFETCH(PermissionProfile, ceiling);
        QFETCH(PermissionProfile, expected);
        QFETCH(bool, said);
        TaskFixture f;
        f.policy.ceiling = ceiling;
        f.manager.setPolicy(f.policy);
        TurnRequest request = f.turn(u"1"_s, u"1"_s);
        request.profileWish = wish;
        QVERIFY(f.manager.submit(request));
        QTRY_COMPARE(f.engine.started.size(), 1);
        QCOMPARE(f.engine.started.first().profile, expected);
        QCOMPARE(f.manager.task(u"1"_s)->profile, profileName(expected));
        const auto notes = f.eventsOf<StatusNote>(request.ref);
        QCOMPARE(notes.size(), said ? 1 : 0);
        if (said) {
            QCOMPARE(notes.first().code, u"profile_lowered"_s);
            QVERIFY(notes.first().text.contains(u":danger-full-access"_s));
            QVERIFY(std::holds_alternative<PromptGiven>(f.events.at(0).second));
            QVERIFY(std::holds_alternative<StatusNote>(f.events.at(1).second));
        }
    }

    void command_blockedByTheEnginesSandbox_isToldByName()
    {
        const auto notesFor = [](const QString &wish, const QString &output) {
            TaskFixture f;
            f.policy.ceiling = PermissionProfile::FullAccess;
            f.manager.setPolicy(f.policy);
            TurnRequest request = f.turn(u"1"_s, u"1"_s);
            request.profileWish = wish;
            if (!f.manager.submit(request)
                || !QTest::qWaitFor([&f] { return f.engine.started.size() == 1; })) {
                return QStringList(u"the turn did not start"_s);
            }
            Item item;
            item.id = u"c"_s;
            item.kind = ItemKind::Command;
            item.status = ItemStatus::Failed;
            item.command = u"make install"_s;
            item.cwd = f.engine.started.first().cwd;
            item.exitCode = 1;
            item.output = output;
            f.engine.say(request.ref, ItemStarted { item });
            f.engine.say(request.ref, ItemEnded { item });
            // What follows the item proves that a look without a find adds nothing.
            (void)QTest::qWaitFor(
                [&] { return !f.eventsOf<StatusNote>(request.ref).isEmpty(); }, 1500);
            QStringList notes;
            for (const StatusNote &note : f.eventsOf<StatusNote>(request.ref)) {
                notes.append(note.code + u' ' + note.text);
            }
            return notes;
        };
        const QString refusal
            = u"install: cannot create '/usr/local/bin/x': Read-only file system\n"_s;
        const QStringList told = notesFor(u":workspace"_s, refusal);
        QCOMPARE(told.size(), 1);
        QVERIFY2(told[0].startsWith(u"sandbox_blocked Blocked by the sandbox: write denied"_s),
            qPrintable(told[0]));
        QCOMPARE(notesFor(u":danger-full-access"_s, refusal), QStringList());
        QCOMPARE(
            notesFor(u":workspace"_s, u"make: *** No rule to make target.\n"_s), QStringList());
    }

    void model_choice_prefersTheTurnThenTheOwner()
    {
        TaskFixture f;
        f.policy.ownModel = ModelConfig {};
        f.policy.ownModel->modelId = u"mine"_s;
        f.manager.setPolicy(f.policy);
        QVERIFY(f.manager.submit(f.turn(u"1"_s, u"1"_s)));
        TurnRequest with = f.turn(u"2"_s, u"1"_s);
        with.model = ModelConfig {};
        with.model->modelId = u"theirs"_s;
        QVERIFY(f.manager.submit(with));
        QTRY_COMPARE(f.engine.started.size(), 2);
        QCOMPARE(f.engine.started.at(0).model->modelId, u"mine"_s);
        QCOMPARE(f.engine.started.at(1).model->modelId, u"theirs"_s);
    }

    void folderRemovedWhileWaiting_failsWithItsName()
    {
        TaskFixture f;
        f.manager.setPaused(true);
        const QString folder = f.folder.filePath(u"work"_s);
        QVERIFY(QDir().mkpath(folder));
        TurnRequest request = f.turn(u"1"_s, u"1"_s);
        request.cwd = folder;
        QVERIFY(f.manager.submit(request));
        QVERIFY(QDir(folder).removeRecursively());
        f.manager.setPaused(false);
        QTRY_COMPARE(f.endings(request.ref).size(), 1);
        QCOMPARE(f.endings(request.ref).first().errorCode, u"work_folder_missing"_s);
        QVERIFY(f.endings(request.ref).first().errorMessage.contains(folder));
        QVERIFY(f.engine.started.isEmpty());
    }

    void cancel_waitingTurn_endsWithoutAStart()
    {
        TaskFixture f;
        f.manager.setPaused(true);
        const TurnRequest request = f.turn(u"1"_s, u"1"_s);
        QVERIFY(f.manager.submit(request));
        QVERIFY(f.manager.cancel(u"1"_s, u"1"_s, u"Stopped by the owner"_s));
        QCOMPARE(f.events.size(), 2); // the prompt and the ending
        const auto endings = f.endings(request.ref);
        QCOMPARE(endings.size(), 1);
        QCOMPARE(endings.first().outcome, TurnOutcome::Cancelled);
        QCOMPARE(endings.first().errorMessage, u"Stopped by the owner"_s);
        QCOMPARE(f.changes.last().state, TaskState::Stopped);
        f.manager.setPaused(false);
        QVERIFY(f.engine.started.isEmpty());
    }

    void cancel_whilePreparing_neverReachesTheEngine()
    {
        TaskFixture f;
        const TurnRequest request = f.turn(u"1"_s, u"1"_s);
        QVERIFY(f.manager.submit(request));
        QCOMPARE(f.stateOf(u"1"_s), TaskState::Preparing); // the journal is being asked
        QVERIFY(f.manager.cancel(u"1"_s, {}, u"stop"_s));
        QCOMPARE(f.endings(request.ref).size(), 1);
        QSignalSpy asked(&f.journal, &Journal::opened);
        bool answered = false;
        f.journal.lastThread(u"1"_s, this, [&](const Result<QString> &) { answered = true; });
        QTRY_VERIFY(answered);
        QVERIFY(f.engine.started.isEmpty());
        QCOMPARE(f.endings(request.ref).size(), 1);
    }

    void cancel_runningTurn_showsStoppingUntilTheEngineEnds()
    {
        TaskFixture f;
        f.engine.obeysInterrupts = false;
        const TurnRequest request = f.turn(u"1"_s, u"1"_s);
        QVERIFY(f.manager.submit(request));
        QTRY_COMPARE(f.engine.started.size(), 1);
        QVERIFY(f.manager.cancel(u"1"_s, {}, u"stop"_s));
        QCOMPARE(f.stateOf(u"1"_s), TaskState::Stopping);
        QVERIFY(f.manager.cancel(u"1"_s, {}, u"again"_s)); // nothing more to do
        QCOMPARE(f.engine.interrupted.size(), 1);
        f.engine.complete(request.ref); // it was quicker than the interrupt
        QCOMPARE(f.endings(request.ref).size(), 1);
        QCOMPARE(f.endings(request.ref).first().outcome, TurnOutcome::Completed);
        const auto unknown = f.manager.cancel(u"1"_s, {}, u"stop"_s);
        QVERIFY(!unknown);
        QCOMPARE(unknown.error().kind, ErrorKind::NotFound);
    }

    void cancel_engineThatDoesNotEnd_isEndedByTheManager()
    {
        TaskFixture f;
        f.engine.obeysInterrupts = false;
        f.policy.stopLimit = 20ms;
        f.manager.setPolicy(f.policy);
        const TurnRequest request = f.turn(u"1"_s, u"1"_s);
        QVERIFY(f.manager.submit(request));
        QTRY_COMPARE(f.engine.started.size(), 1);
        QVERIFY(f.manager.cancel(u"1"_s, {}, u"stop"_s));
        QTRY_COMPARE(f.endings(request.ref).size(), 1);
        QCOMPARE(f.endings(request.ref).first().outcome, TurnOutcome::Cancelled);
        const qsizetype told = f.events.size();
        f.engine.say(request.ref, TextDelta { u"m"_s, u"late"_s });
        f.engine.complete(request.ref);
        QCOMPARE(f.events.size(), told); // whatever comes now is nobody's
    }

    void cancel_withTurnId_leavesTheOthers()
    {
        TaskFixture f;
        QVERIFY(f.manager.submit(f.turn(u"1"_s, u"1"_s)));
        QVERIFY(f.manager.submit(f.turn(u"1"_s, u"2"_s)));
        QTRY_COMPARE(f.engine.started.size(), 1);
        QVERIFY(f.manager.cancel(u"1"_s, u"2"_s, u"stop"_s));
        QCOMPARE(f.endings({ u"1"_s, u"2"_s }).size(), 1);
        QVERIFY(f.endings({ u"1"_s, u"1"_s }).isEmpty());
        QVERIFY(f.manager.cancel(u"1"_s, {}, u"stop"_s));
        QCOMPARE(f.endings({ u"1"_s, u"1"_s }).size(), 1);
    }

    void lateEndOfAnItem_isPassedOnOnceAfterTheEnding()
    {
        TaskFixture f;
        const TurnRequest request = f.turn(u"1"_s, u"1"_s);
        QVERIFY(f.manager.submit(request));
        QTRY_COMPARE(f.engine.started.size(), 1);
        Item item;
        item.id = u"cmd"_s;
        item.kind = ItemKind::Command;
        f.engine.say(request.ref, ItemStarted { item });
        f.engine.complete(request.ref);
        item.status = ItemStatus::Failed;
        Item unknown = item;
        unknown.id = u"other"_s;
        f.engine.say(request.ref, ItemEnded { unknown });
        QVERIFY(f.eventsOf<ItemEnded>(request.ref).isEmpty());
        f.engine.say(request.ref, ItemEnded { item });
        f.engine.say(request.ref, ItemEnded { item });
        QCOMPARE(f.eventsOf<ItemEnded>(request.ref).size(), 1);
        f.engine.say({ u"9"_s, u"9"_s }, TextDelta { u"m"_s, u"nobody's"_s });
        QVERIFY(f.eventsOf<TextDelta>({ u"9"_s, u"9"_s }).isEmpty());
    }

    void engineDeath_endsEachRunningTurnOnceAndTheNextWorks()
    {
        TaskFixture f;
        QVERIFY(f.manager.submit(f.turn(u"1"_s, u"1"_s)));
        QVERIFY(f.manager.submit(f.turn(u"2"_s, u"1"_s)));
        QVERIFY(f.manager.submit(f.turn(u"3"_s, u"1"_s)));
        QTRY_COMPARE(f.engine.started.size(), 2);
        f.engine.die();
        for (const QString &task : { u"1"_s, u"2"_s }) {
            QCOMPARE(f.endings({ task, u"1"_s }).size(), 1);
            QCOMPARE(f.endings({ task, u"1"_s }).first().errorCode, u"runtime_error"_s);
        }
        QTRY_COMPARE(f.engine.started.size(), 3);
        f.engine.complete({ u"3"_s, u"1"_s });
        QCOMPARE(f.endings({ u"3"_s, u"1"_s }).first().outcome, TurnOutcome::Completed);
    }

    void requests_makeATaskWaitForTheOwner()
    {
        TaskFixture f;
        const TurnRequest request = f.turn(u"1"_s, u"1"_s);
        QVERIFY(f.manager.submit(request));
        QTRY_COMPARE(f.engine.started.size(), 1);
        f.engine.ask(f.command(request.ref, u"r1"_s, u"make install"_s));
        f.engine.ask(f.command(request.ref, u"r2"_s, u"make clean"_s));
        QCOMPARE(f.stateOf(u"1"_s), TaskState::WaitingForYou);
        QCOMPARE(f.manager.task(u"1"_s)->openRequests, 2);
        QCOMPARE(f.eventsOf<RequestOpened>(request.ref).size(), 2);
        Result<> answered = failure(ErrorKind::Internal, u"not called"_s);
        f.broker.answer(u"r1"_s, { Choice::AllowOnce, u"owner"_s, {}, {} },
            [&](const Result<> &result) { answered = result; });
        QVERIFY(answered);
        QCOMPARE(f.stateOf(u"1"_s), TaskState::WaitingForYou);
        f.engine.withdraw(u"r2"_s, u"answered elsewhere"_s);
        QCOMPARE(f.stateOf(u"1"_s), TaskState::Running);
        const auto closed = f.eventsOf<RequestClosed>(request.ref);
        QCOMPARE(closed.size(), 2);
        QCOMPARE(closed.at(0).outcome, RequestOutcome::Allowed);
        QCOMPARE(closed.at(0).by, u"owner"_s);
        QCOMPARE(closed.at(1).outcome, RequestOutcome::Withdrawn);
    }

    void requests_ofATurnThatEnds_areWithdrawnBeforeItsEnding()
    {
        TaskFixture f;
        const TurnRequest request = f.turn(u"1"_s, u"1"_s);
        QVERIFY(f.manager.submit(request));
        QTRY_COMPARE(f.engine.started.size(), 1);
        f.engine.ask(f.command(request.ref, u"r1"_s, u"make"_s));
        QVERIFY(f.manager.cancel(u"1"_s, {}, u"stop"_s));
        QVERIFY(f.broker.pending().isEmpty());
        QVERIFY(std::holds_alternative<TurnEnded>(f.events.last().second));
        QCOMPARE(f.eventsOf<RequestClosed>(request.ref).size(), 1);
        // A request of a turn that is over is denied, not shown.
        f.engine.ask(f.command(request.ref, u"r2"_s, u"make"_s));
        QVERIFY(f.broker.pending().isEmpty());
        QCOMPARE(f.engine.decisions.last().first, u"r2"_s);
        QCOMPARE(f.engine.decisions.last().second.choice, Choice::Deny);
    }

    void requests_blockedByRule_areANoteOfTheTurn()
    {
        TaskFixture f;
        const TurnRequest request = f.turn(u"1"_s, u"1"_s);
        QVERIFY(f.manager.submit(request));
        QTRY_COMPARE(f.engine.started.size(), 1);
        f.engine.ask(f.command(request.ref, u"r1"_s, u"rm -rf /"_s));
        QVERIFY(f.broker.pending().isEmpty());
        QCOMPARE(f.engine.decisions.last().second.choice, Choice::Deny);
        const auto notes = f.eventsOf<StatusNote>(request.ref);
        QCOMPARE(notes.size(), 1);
        QCOMPARE(notes.first().code, u"request_blocked"_s);
        QCOMPARE(f.stateOf(u"1"_s), TaskState::Running);
    }

    void note_belongsToTheTurnAtTheEngineAlone()
    {
        TaskFixture f;
        const TurnRef ref { u"1"_s, u"10"_s };
        const TurnRef waiting { u"1"_s, u"11"_s };
        f.manager.note(u"1"_s, RetryNotice { u"nobody is there"_s, {} });
        QVERIFY(f.manager.submit(f.turn(ref.taskId, ref.turnId)));
        QVERIFY(f.manager.submit(f.turn(waiting.taskId, waiting.turnId)));
        QTRY_COMPARE(f.engine.started.size(), 1);
        f.manager.note(u"1"_s, RetryNotice { u"again in 3 s"_s, u"HTTP 429"_s });
        f.manager.note(u"2"_s, RetryNotice { u"another task"_s, {} });
        QCOMPARE(f.eventsOf<RetryNotice>(ref).size(), 1);
        QCOMPARE(f.eventsOf<RetryNotice>(ref).first().text, u"again in 3 s"_s);
        QCOMPARE(f.eventsOf<RetryNotice>(ref).first().cause, u"HTTP 429"_s);
        QVERIFY(f.eventsOf<RetryNotice>(waiting).isEmpty());

        std::optional<Result<QList<StoredEvent>>> story;
        f.journal.story(
            u"1"_s, &f.manager, [&story](const Result<QList<StoredEvent>> &read) { story = read; });
        QTRY_VERIFY(story.has_value());
        QVERIFY(*story);
        const auto isRetry = [](const StoredEvent &stored) {
            return std::holds_alternative<RetryNotice>(stored.event);
        };
        QCOMPARE(std::count_if((*story)->cbegin(), (*story)->cend(), isRetry), 1);

        f.engine.complete(ref);
        QTRY_COMPARE(f.engine.started.size(), 2);
        f.engine.complete(waiting);
        f.manager.note(u"1"_s, RetryNotice { u"too late"_s, {} });
        QVERIFY(f.eventsOf<RetryNotice>(waiting).isEmpty());
        QVERIFY(std::holds_alternative<TurnEnded>(f.events.last().second));
    }

    void closeSession_stopsAndForgetsTheConversation()
    {
        TaskFixture f;
        QVERIFY(f.manager.submit(f.turn(u"1"_s, u"1"_s)));
        QTRY_COMPARE(f.engine.started.size(), 1);
        f.manager.closeSession(u"1"_s, u"Task session closed"_s);
        QCOMPARE(f.endings({ u"1"_s, u"1"_s }).first().errorMessage, u"Task session closed"_s);
        QCOMPARE(f.engine.forgotten, QStringList { u"1"_s });
        // It can still be continued: the journal knows the conversation.
        QVERIFY(f.manager.submit(f.turn(u"1"_s, u"2"_s)));
        QTRY_COMPARE(f.engine.started.size(), 2);
        QCOMPARE(f.engine.started.last().threadId, u"thread-1"_s);
    }

    void drain_letsRunningTurnsFinish()
    {
        TaskFixture f;
        f.policy.parallelLimit = 1;
        f.manager.setPolicy(f.policy);
        QVERIFY(f.manager.submit(f.turn(u"1"_s, u"1"_s)));
        QVERIFY(f.manager.submit(f.turn(u"2"_s, u"1"_s)));
        QTRY_COMPARE(f.engine.started.size(), 1);
        f.manager.drain();
        QCOMPARE(f.endings({ u"2"_s, u"1"_s }).first().outcome, TurnOutcome::Cancelled);
        QCOMPARE(f.drainedCount, 0);
        const auto refused = f.manager.submit(f.turn(u"3"_s, u"1"_s));
        QVERIFY(!refused);
        QCOMPARE(refused.error().kind, ErrorKind::Unavailable);
        f.engine.complete({ u"1"_s, u"1"_s });
        QCOMPARE(f.drainedCount, 1);
        QVERIFY(std::holds_alternative<TurnEnded>(f.events.last().second));
    }

    void stopAll_endsEverythingOnce()
    {
        TaskFixture f;
        for (int i = 0; i < 5; ++i) {
            QVERIFY(f.manager.submit(f.turn(QString::number(i), u"1"_s)));
        }
        QTRY_COMPARE(f.engine.started.size(), 2);
        f.manager.stopAll(u"The program is closing."_s);
        for (int i = 0; i < 5; ++i) {
            QCOMPARE(f.endings({ QString::number(i), u"1"_s }).size(), 1);
        }
        QCOMPARE(f.engine.started.size(), 2);
        QCOMPARE(f.drainedCount, 1);
    }

    void listener_thatCallsBack_seesOneOrder()
    {
        TaskFixture f;
        const TurnRequest request = f.turn(u"1"_s, u"1"_s);
        connect(&f.manager, &TaskManager::event, this,
            [&](const TurnRequest &, const TaskEvent &event) {
                if (std::holds_alternative<TextDelta>(event)) {
                    (void)f.manager.cancel(u"1"_s, {}, u"seen enough"_s);
                }
            });
        QStringList later; // connected after the one that calls back
        connect(&f.manager, &TaskManager::event, this,
            [&](const TurnRequest &, const TaskEvent &event) {
                later.append(eventTypeName(event));
            });
        QVERIFY(f.manager.submit(request));
        QTRY_COMPARE(f.engine.started.size(), 1);
        f.engine.say(request.ref, TextDelta { u"m"_s, u"hello"_s });
        QCOMPARE(later,
            (QStringList {
                u"prompt_given"_s, u"turn_started"_s, u"text_delta"_s, u"turn_ended"_s }));
    }

    void summary_json_roundTrips()
    {
        TaskSummary summary;
        summary.taskId = u"1"_s;
        summary.turnId = u"2"_s;
        summary.origin = Origin::Backend;
        summary.title = u"Title"_s;
        summary.state = TaskState::WaitingForYou;
        summary.cwd = u"/w"_s;
        summary.profile = u":workspace"_s;
        summary.error = u"none"_s;
        summary.createdAtMs = 1700000000001;
        summary.startedAtMs = 2;
        summary.openRequests = 3;
        const QJsonObject json = toJson(summary);
        QCOMPARE(json.value(u"state"_s).toString(), u"waiting_for_you"_s);
        QCOMPARE(json.value(u"task_id"_s).toString(), u"1"_s);
        const auto back = taskSummaryFromJson(json);
        QVERIFY(back);
        QCOMPARE(toJson(*back), json);
        for (const QString &key : json.keys()) {
            QJsonObject broken = json;
            broken.insert(key, QJsonArray {});
            const auto wrong = taskSummaryFromJson(broken);
            QVERIFY2(!wrong && wrong.error().message.contains(key), qPrintable(key));
        }
    }
};

QTEST_GUILESS_MAIN(TestTaskManager)
#include "tst_taskmanager.moc"
