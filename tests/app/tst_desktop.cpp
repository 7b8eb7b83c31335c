// SPDX-License-Identifier: Apache-2.0
#include "app/closing/closedialogs.h"
#include "app/desktop.h"
#include "app/language.h"
#include "app/logs/logmodel.h"
#include "app/platform/singleinstance.h"
#include "app/preferences.h"
#include "app/prompts/promptwindow.h"
#include "app/status/statuswindow.h"
#include "app/tasks/taskwindow.h"
#include "tests/app/fakecore.h"

#include <QApplication>
#include <QCheckBox>
#include <QLocalServer>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QTreeWidget>

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;
using namespace deskhand;
using namespace deskhand::app;

namespace {

template <typename Window> Window *topLevel(const char *name)
{
    for (QWidget *window : QApplication::topLevelWidgets()) {
        if (window->objectName() == QLatin1StringView(name)) {
            return qobject_cast<Window *>(window);
        }
    }
    return nullptr;
}

template <typename Window> Window *visible(const char *name)
{
    auto *window = topLevel<Window>(name);
    return window != nullptr && window->isVisible() ? window : nullptr;
}

struct House
{
    QTemporaryDir folder;
    test::FakeCore core;
    Preferences preferences { folder.filePath(u"preferences.ini"_s) };
    LogModel logs;
    Desktop desktop { core, preferences, logs, folder.path() };
};

/// The notifier alone, and what it says.
struct Told
{
    test::FakeCore core;
    PauseClock pause { core };
    StatusWatch watch { core, pause };
    TaskBook book { core };
    Notifier notifier { core, watch, book };
    QSignalSpy messages { &notifier, &Notifier::message };
};

} // namespace

class TestDesktop final : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase()
    {
        useLanguage(QLocale::c());
        QGuiApplication::setQuitOnLastWindowClosed(false);
    }
    void start_withTray_opensNothing();
    void request_opensThePromptWithoutFocus();
    void request_waitingAtStart_isShown();
    void menu_leadsToEveryWindow();
    void statusWindow_listsWork();
    void close_firstTime_asksAndRemembers();
    void quit_idle_isImmediate();
    void quit_withTasks_offersToFinishFirst();
    void quit_coreHangs_endsAnyway();
    void stopAll_listsAndStops();
    void startFailure_isShown();
    void notices_areWorthIt();
    void notices_thatComeTogether_areOne();
    void secondStart_handsItsArgumentsOver();
    void secondStart_noAnswer_isNoticed();
    void secondStart_otherHome_isIndependent();
};

void TestDesktop::start_withTray_opensNothing()
{
    House house;
    house.desktop.show(true);
    house.desktop.coreStarted();
    QTRY_VERIFY_WITH_TIMEOUT(house.desktop.tray().hasHost(), 30'000);
    QCoreApplication::processEvents();
    for (const QWidget *window : QApplication::topLevelWidgets()) {
        QVERIFY2(!window->isVisible() || window->inherits("QSystemTrayIconSys"),
            qPrintable(window->objectName()));
    }
}

void TestDesktop::request_opensThePromptWithoutFocus()
{
    House house;
    house.desktop.show(true);
    house.core.setTask(test::runningTask(u"t1"_s, u"Install"_s));
    house.core.openRequest(test::commandRequest(u"r1"_s, u"t1"_s, u"npm ci"_s));
    QVERIFY(visible<PromptWindow>("promptWindow"));
    QVERIFY(topLevel<PromptWindow>("promptWindow")->testAttribute(Qt::WA_ShowWithoutActivating));
    QCOMPARE(house.desktop.tray().shownState(), OverallState::NeedsYou);
    house.core.closeRequest(u"r1"_s, engines::RequestOutcome::Withdrawn, {}, u"turn ended"_s);
    topLevel<PromptWindow>("promptWindow")->hide();
}

void TestDesktop::request_waitingAtStart_isShown()
{
    House house;
    house.core.openRequest(test::commandRequest(u"r1"_s, u"t1"_s, u"npm ci"_s));
    topLevel<PromptWindow>("promptWindow")->hide();
    house.desktop.show(true);
    house.desktop.coreStarted();
    QVERIFY(visible<PromptWindow>("promptWindow"));
    QCOMPARE(topLevel<PromptWindow>("promptWindow")->shownRequest(), u"r1"_s);
}

void TestDesktop::menu_leadsToEveryWindow()
{
    House house;
    house.desktop.show(true);
    house.core.setTask(test::runningTask(u"t1"_s, u"Install"_s));
    TrayMenu &menu = house.desktop.tray().menu();
    const auto choose = [&](const char *name) {
        QTRY_VERIFY(menu.findChild<QAction *>(QLatin1StringView(name)));
        menu.findChild<QAction *>(QLatin1StringView(name))->trigger();
    };
    choose("openStatus");
    QVERIFY(visible<QWidget>("statusWindow"));
    choose("openTasks");
    QVERIFY(visible<QWidget>("historyWindow"));
    choose("openLogs");
    QVERIFY(visible<QWidget>("logsWindow"));
    choose("settings");
    QVERIFY(visible<QWidget>("settingsDialog"));
    choose("newTask");
    QVERIFY(visible<QWidget>("newTaskDialog"));
    choose("about");
    QVERIFY(visible<QWidget>("aboutDialog"));
    choose("task:t1");
    QVERIFY(visible<QWidget>("taskWindow"));
    for (const char *name : { "settingsDialog", "newTaskDialog", "aboutDialog", "taskWindow" }) {
        topLevel<QWidget>(name)->close();
    }
}

void TestDesktop::statusWindow_listsWork()
{
    House house;
    house.core.setTask(test::runningTask(u"t1"_s, u"Install"_s));
    house.core.openRequest(test::commandRequest(u"r1"_s, u"t1"_s, u"npm ci"_s));
    house.desktop.openStatus();
    auto *window = visible<StatusWindow>("statusWindow");
    QVERIFY(window);
    auto *list = window->findChild<QTreeWidget *>(u"workList"_s);
    QTRY_COMPARE(list->topLevelItemCount(), 2);
    QCOMPARE(list->topLevelItem(0)->text(0), u"Requests (1)"_s);
    QCOMPARE(list->topLevelItem(1)->child(0)->text(0), u"Install"_s);
    QSignalSpy chosen(window, &StatusWindow::taskChosen);
    const QRect place = list->visualItemRect(list->topLevelItem(1)->child(0));
    QTest::mouseClick(list->viewport(), Qt::LeftButton, {}, place.center());
    QCOMPARE(chosen.size(), 1);
    QVERIFY(visible<QWidget>("taskWindow"));
    topLevel<QWidget>("taskWindow")->close();

    // A part that fails names the cause and offers one step.
    StatusSnapshot status = test::wellStatus();
    status.engine.state = engines::EngineStatus::State::NotFound;
    status.engine.cause = u"Codex could not start: `node` is not on the PATH used by Deskhand."_s;
    house.core.setStatus(status);
    QCOMPARE(window->findChild<QLabel *>(u"engineCause"_s)->text(), status.engine.cause);
    QTest::mouseClick(window->findChild<QPushButton *>(u"engineButton"_s), Qt::LeftButton);
    QVERIFY(visible<QWidget>("settingsDialog"));
    topLevel<QWidget>("settingsDialog")->close();
}

void TestDesktop::close_firstTime_asksAndRemembers()
{
    House house;
    house.desktop.show(true);
    house.desktop.openStatus();
    auto *window = visible<StatusWindow>("statusWindow");
    QVERIFY(QTest::qWaitForWindowExposed(window, 30'000));
    Q_EMIT window->closedByOwner();
    auto *dialog = window->findChild<CloseDialog *>();
    QVERIFY(dialog && dialog->isVisible());
    QTest::keyClick(dialog, Qt::Key_Escape);
    QVERIFY(window->isVisible()); // Esc changes nothing
    QTRY_VERIFY(window->findChild<CloseDialog *>() == nullptr);

    Q_EMIT window->closedByOwner();
    dialog = window->findChild<CloseDialog *>();
    dialog->findChild<QCheckBox *>(u"remember"_s)->setChecked(true);
    QTest::mouseClick(dialog->findChild<QPushButton *>(u"keep"_s), Qt::LeftButton);
    QVERIFY(!window->isVisible());
    QVERIFY(house.preferences.closeAction() == Preferences::CloseAction::KeepRunning);
    house.desktop.openStatus();
    Q_EMIT window->closedByOwner();
    QVERIFY(!window->isVisible()); // not asked again
    QVERIFY(!house.core.calls.contains(u"stopNow"_s));
}

void TestDesktop::quit_idle_isImmediate()
{
    House house;
    QSignalSpy finished(&house.desktop, &Desktop::finished);
    house.desktop.quit();
    QVERIFY(house.core.calls.contains(u"stopNow"_s));
    QTRY_COMPARE(finished.size(), 1);
}

void TestDesktop::quit_withTasks_offersToFinishFirst()
{
    House house;
    house.desktop.show(true);
    house.core.setTask(test::runningTask(u"t1"_s, u"Install"_s));
    QSignalSpy finished(&house.desktop, &Desktop::finished);
    house.desktop.quit();
    auto *dialog = visible<QuitDialog>("quitDialog");
    QVERIFY(dialog);
    QTest::keyClick(dialog, Qt::Key_Escape);
    QTRY_VERIFY(topLevel<QuitDialog>("quitDialog") == nullptr);
    QVERIFY(house.core.calls.isEmpty());

    house.desktop.quit();
    dialog = visible<QuitDialog>("quitDialog");
    QTest::mouseClick(dialog->findChild<QPushButton *>(u"finishFirst"_s), Qt::LeftButton);
    QVERIFY(house.desktop.isDraining());
    QCOMPARE(house.core.calls, QStringList { u"pause"_s });
    QCOMPARE(house.desktop.tray().shownState(), OverallState::Draining);
    QTRY_VERIFY(topLevel<QuitDialog>("quitDialog") == nullptr);

    // Changed the mind: cancelling in the dialog takes the draining back.
    house.desktop.quit();
    dialog = visible<QuitDialog>("quitDialog");
    QTest::mouseClick(dialog->findChild<QPushButton *>(u"cancel"_s), Qt::LeftButton);
    QVERIFY(!house.desktop.isDraining());
    QCOMPARE(house.core.calls.last(), u"resume"_s);
    QTRY_VERIFY(topLevel<QuitDialog>("quitDialog") == nullptr);

    house.desktop.quit();
    dialog = visible<QuitDialog>("quitDialog");
    QTest::mouseClick(dialog->findChild<QPushButton *>(u"finishFirst"_s), Qt::LeftButton);
    QVERIFY(finished.isEmpty());
    auto done = test::runningTask(u"t1"_s, u"Install"_s);
    done.state = tasks::TaskState::Finished;
    done.endedAtMs = done.startedAtMs + 1000;
    house.core.setTask(done);
    QTRY_COMPARE(finished.size(), 1);
    QCOMPARE(house.core.calls.last(), u"stopNow"_s);
}

void TestDesktop::quit_coreHangs_endsAnyway()
{
    House house;
    house.core.stopAnswers = false;
    QSignalSpy finished(&house.desktop, &Desktop::finished);
    house.desktop.quitNow();
    QTRY_COMPARE_WITH_TIMEOUT(finished.size(), 1, 30'000);
}

void TestDesktop::stopAll_listsAndStops()
{
    House house;
    house.core.setTask(test::runningTask(u"t1"_s, u"One"_s));
    house.core.setTask(test::runningTask(u"t2"_s, u"Two"_s));
    Q_EMIT house.desktop.tray().menu().stopAllChosen();
    auto *dialog = visible<StopAllDialog>("stopAllDialog");
    QVERIFY(dialog);
    QVERIFY(house.core.stoppedTasks.isEmpty());
    QTest::mouseClick(dialog->findChild<QPushButton *>(u"stopAll"_s), Qt::LeftButton);
    QStringList stopped = house.core.stoppedTasks;
    stopped.sort();
    QCOMPARE(stopped, (QStringList { u"t1"_s, u"t2"_s }));
}

void TestDesktop::startFailure_isShown()
{
    House house;
    QSignalSpy finished(&house.desktop, &Desktop::finished);
    house.desktop.coreFailed(
        { ErrorKind::Conflict, u"process 4711 (deskhand-executor) uses this folder"_s, {} });
    auto *box = visible<QDialog>("startFailure");
    QVERIFY(box);
    box->close();
    QCOMPARE(finished.size(), 1);
}

void TestDesktop::notices_areWorthIt()
{
    Told told;
    auto &core = told.core;
    auto &notifier = told.notifier;
    auto &messages = told.messages;
    QString watched;
    notifier.setWatcher([&](const QString &id) { return id == watched; });

    notifier.setMergeTimes(1ms, 1ms);
    core.setTask(test::runningTask(u"t1"_s, u"One"_s));
    QCOMPARE(messages.size(), 0); // nothing about a start
    core.openRequest(test::commandRequest(u"r1"_s, u"t1"_s, u"rm -rf secret-name"_s));
    QTRY_COMPARE(messages.size(), 1);
    QVERIFY(!messages.at(0).at(1).toString().contains("secret-name"_L1));
    core.openRequest(test::commandRequest(u"r2"_s, u"t1"_s, u"x"_s)); // one per task at a time
    watched = u"t1"_s;
    core.openRequest(test::commandRequest(u"r3"_s, u"t1"_s, u"x"_s)); // the owner looks at it
    watched.clear();
    core.setTask(test::runningTask(u"t2"_s, u"Two"_s));
    core.openRequest(test::commandRequest(u"r4"_s, u"t2"_s, u"x"_s));
    QTRY_COMPARE(messages.size(), 2);
    QVERIFY(messages.at(1).at(1).toString().contains("Two"_L1));
    QCOMPARE(notifier.lastTarget().id, u"r4"_s);
    notifier.setReminderTime(1ms);
    QTRY_COMPARE(messages.size(), 3); // and once more after a while
    for (const char *id : { "r1", "r2", "r3", "r4" }) {
        core.closeRequest(QString::fromLatin1(id), engines::RequestOutcome::Denied, u"owner"_s);
    }

    messages.clear();
    auto shortOne = test::runningTask(u"t1"_s, u"One"_s);
    shortOne.state = tasks::TaskState::Finished;
    shortOne.endedAtMs = shortOne.startedAtMs + 5'000;
    core.setTask(shortOne); // short and well
    auto failed = test::runningTask(u"t2"_s, u"Two"_s);
    failed.state = tasks::TaskState::Failed;
    failed.error = u"quota used up"_s;
    failed.endedAtMs = failed.startedAtMs + 5'000;
    core.setTask(failed);
    QTRY_COMPARE(messages.size(), 1);
    QVERIFY(messages.at(0).at(1).toString().contains("quota"_L1));
    QCOMPARE(notifier.lastTarget().id, u"t2"_s);

    StatusSnapshot status = test::wellStatus();
    status.link.state = device::LinkState::SignInNeeded;
    core.setStatus(status);
    core.setStatus(status);
    QCOMPARE(messages.size(), 2); // said once
}

void TestDesktop::notices_thatComeTogether_areOne()
{
    Told told;
    auto &core = told.core;
    auto &notifier = told.notifier;
    auto &messages = told.messages;
    notifier.setMergeTimes(1h, 1h); // until all of them are there
    const auto close = [&](const char *id) {
        core.closeRequest(
            QString::fromLatin1(id), engines::RequestOutcome::Denied, u"command line"_s);
    };
    for (int i = 1; i <= 3; ++i) {
        core.setTask(test::runningTask(u"t%1"_s.arg(i), u"Task %1"_s.arg(i)));
        core.openRequest(
            test::commandRequest(u"r%1"_s.arg(i), u"t%1"_s.arg(i), u"echo secret-name"_s));
    }
    core.openRequest(test::commandRequest(u"r4"_s, u"t1"_s, u"x"_s));
    close("r2"); // answered before it was told
    QCOMPARE(messages.size(), 0);
    notifier.tellNow();
    QCOMPARE(messages.size(), 1);
    QCOMPARE(messages.at(0).at(0).toString(), u"3 requests for permission"_s);
    QCOMPARE(messages.at(0).at(1).toString(), u"Task 1; Task 3"_s);
    QCOMPARE(notifier.lastTarget().kind, Notifier::Target::Kind::Request);
    for (const char *id : { "r1", "r3", "r4" }) {
        close(id);
    }

    messages.clear();
    for (int i = 1; i <= 5; ++i) {
        auto ended = test::runningTask(u"t%1"_s.arg(i), u"Task %1"_s.arg(i));
        ended.state = i == 2 ? tasks::TaskState::Failed : tasks::TaskState::Finished;
        ended.endedAtMs = ended.startedAtMs + 100'000;
        core.setTask(ended);
    }
    QCOMPARE(messages.size(), 0);
    notifier.tellNow();
    QCOMPARE(messages.size(), 1);
    QCOMPARE(messages.at(0).at(0).toString(), u"4 tasks finished, 1 failed"_s);
    QCOMPARE(messages.at(0).at(1).toString(), u"Task 1; Task 2; Task 3"_s);
    QVERIFY(messages.at(0).at(2).toBool());
    QCOMPARE(notifier.lastTarget().kind, Notifier::Target::Kind::Tasks);
    notifier.tellNow();
    QCOMPARE(messages.size(), 1); // nothing twice
}

void TestDesktop::secondStart_handsItsArgumentsOver()
{
    QTemporaryDir home;
    SingleInstance first(home.path());
    QVERIFY(first.becomeFirst());
    SingleInstance second(home.path());
    QVERIFY(!second.becomeFirst());
    QSignalSpy received(&first, &SingleInstance::argumentsReceived);
    std::optional<bool> acknowledged;
    second.handOver({ u"--background"_s, u"文件"_s }, 3s, [&](bool ok) { acknowledged = ok; });
    QTRY_VERIFY(acknowledged.has_value());
    QVERIFY(*acknowledged);
    QCOMPARE(received.size(), 1);
    QCOMPARE(received.at(0).at(0).toStringList(), (QStringList { u"--background"_s, u"文件"_s }));
}

void TestDesktop::secondStart_noAnswer_isNoticed()
{
    QTemporaryDir home;
    SingleInstance second(home.path());
    // Something listens there and says nothing.
    QLocalServer mute;
    QVERIFY(mute.listen(second.socketName()));
    std::optional<bool> acknowledged;
    second.handOver({}, 50ms, [&](bool ok) { acknowledged = ok; });
    QTRY_VERIFY(acknowledged.has_value());
    QVERIFY(!*acknowledged);
}

void TestDesktop::secondStart_otherHome_isIndependent()
{
    QTemporaryDir one;
    QTemporaryDir two;
    SingleInstance first(one.path());
    SingleInstance second(two.path());
    QVERIFY(first.becomeFirst());
    QVERIFY(second.becomeFirst());
}

QTEST_MAIN(TestDesktop)
#include "tst_desktop.moc"
