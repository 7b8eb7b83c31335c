// SPDX-License-Identifier: Apache-2.0
#include "tests/executor/tasks/taskfixture.h"

#include <QRandomGenerator>

using namespace Qt::StringLiterals;
using namespace deskhand;
using namespace deskhand::engines;
using namespace deskhand::tasks;
using namespace deskhand::tests;
using namespace std::chrono_literals;

/// Random lives of tasks: whatever is done in whatever order, each accepted turn has one ending
/// and nothing of it follows but late ends of items.
class TestTaskManagerEndings : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void randomLife_eachAcceptedTurn_endsOnce_data()
    {
        QTest::addColumn<quint32>("seed");
        for (quint32 seed = 1; seed <= 60; ++seed) {
            QTest::addRow("seed %u", seed) << seed;
        }
    }
    void randomLife_eachAcceptedTurn_endsOnce()
    {
        QFETCH(quint32, seed);
        QRandomGenerator random(seed);
        TaskFixture f;
        f.policy.stopLimit = 5ms;
        f.policy.requestLimit = 5ms;
        f.policy.parallelLimit = 1 + random.bounded(3);
        f.manager.setPolicy(f.policy);
        QList<TurnRef> accepted;
        QList<QString> requests;
        int turnNumber = 0;
        int requestNumber = 0;
        const auto anyRunning = [&]() -> TurnRef {
            const auto all = f.engine.running();
            if (!all.isEmpty() && random.bounded(8) != 0) {
                return all.at(random.bounded(static_cast<int>(all.size())));
            }
            return accepted.isEmpty()
                ? TurnRef { u"none"_s, u"none"_s }
                : accepted.at(random.bounded(static_cast<int>(accepted.size())));
        };
        const auto act = [&] {
            const QString task = QString::number(random.bounded(4));
            switch (random.bounded(18)) {
            case 0:
            case 1:
            case 2:
            case 3: {
                TurnRequest request = f.turn(task, QString::number(++turnNumber));
                request.replacesRunning = random.bounded(2) == 0;
                request.newSession = random.bounded(2) == 0;
                request.profileWish = random.bounded(3) == 0 ? u":danger-full-access"_s : QString();
                if (f.manager.submit(request)) {
                    accepted.append(request.ref);
                }
                break;
            }
            case 4:
                (void)f.manager.cancel(task, {}, u"stop"_s);
                break;
            case 5: {
                const TurnRef ref = anyRunning();
                (void)f.manager.cancel(ref.taskId, ref.turnId, u"stop"_s);
                break;
            }
            case 6:
                f.manager.closeSession(task, u"closed"_s);
                break;
            case 7:
                f.manager.setPaused(random.bounded(2) == 0);
                break;
            case 8:
                f.engine.complete(anyRunning());
                break;
            case 9:
                if (random.bounded(4) == 0) {
                    f.engine.die();
                }
                break;
            case 10: {
                Item item;
                item.id = QString::number(random.bounded(3));
                const TurnRef ref = anyRunning();
                if (random.bounded(2) == 0) {
                    f.engine.say(ref, ItemStarted { item });
                } else {
                    f.engine.say(ref, ItemEnded { item });
                }
                break;
            }
            case 11:
                f.engine.say(anyRunning(), TextDelta { u"m"_s, u"text"_s });
                break;
            case 12:
            case 13: {
                const QString id = u"r%1"_s.arg(++requestNumber);
                requests.append(id);
                f.engine.ask(f.command(anyRunning(), id,
                    random.bounded(4) == 0 ? u"rm -rf /"_s : u"make %1"_s.arg(random.bounded(3))));
                break;
            }
            case 14:
                if (!requests.isEmpty()) {
                    const QString id
                        = requests.at(random.bounded(static_cast<int>(requests.size())));
                    const auto choice = static_cast<Choice>(random.bounded(4));
                    f.broker.answer(id, { choice, u"owner"_s, {}, {} }, [](const Result<> &) {});
                }
                break;
            case 15:
                if (!requests.isEmpty()) {
                    f.engine.takeDecision(
                        requests.at(random.bounded(static_cast<int>(requests.size()))),
                        random.bounded(3) == 0 ? u"gone"_s : QString());
                }
                break;
            case 16:
                f.engine.obeysInterrupts = random.bounded(2) == 0;
                f.engine.takesDecisions = random.bounded(2) == 0;
                f.engine.startsTurns = random.bounded(4) != 0;
                break;
            default:
                QCoreApplication::processEvents(); // lets timers and the journal have their turn
                break;
            }
        };
        for (int step = 0; step < 300; ++step) {
            act();
        }
        f.manager.setPaused(false);
        f.manager.stopAll(u"the end"_s);
        QTRY_COMPARE(f.drainedCount, 1);
        f.engine.die(); // endings that come after all is over
        for (const TurnRef &ref : std::as_const(accepted)) {
            QCOMPARE(f.endings(ref).size(), 1);
        }
        QHash<TurnRef, bool> over;
        for (const auto &[ref, event] : std::as_const(f.events)) {
            QVERIFY(accepted.contains(ref));
            if (over.value(ref)) {
                QVERIFY(std::holds_alternative<ItemEnded>(event));
            }
            over[ref] = over.value(ref) || std::holds_alternative<TurnEnded>(event);
        }
        // Requests open and close in pairs, and none is left.
        QHash<QString, int> open;
        for (const auto &[ref, event] : std::as_const(f.events)) {
            if (const auto *opened = std::get_if<RequestOpened>(&event)) {
                ++open[opened->request.id];
            } else if (const auto *closed = std::get_if<RequestClosed>(&event)) {
                --open[closed->requestId];
            }
        }
        for (auto it = open.cbegin(); it != open.cend(); ++it) {
            QCOMPARE(it.value(), 0);
        }
        QVERIFY(f.broker.pending().isEmpty());

        // The stored story is the told one.
        bool checked = false;
        f.journal.history(100, this, [&](const Result<QList<TaskSummary>> &history) {
            QVERIFY(history);
            for (const TaskSummary &summary : *history) {
                QVERIFY(!isActive(summary.state));
                QVERIFY(summary.endedAtMs > 0);
            }
            checked = true;
        });
        QTRY_VERIFY(checked);
    }
};

QTEST_GUILESS_MAIN(TestTaskManagerEndings)
#include "tst_taskmanager_endings.moc"
