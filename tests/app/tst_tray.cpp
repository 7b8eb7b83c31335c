// SPDX-License-Identifier: Apache-2.0
#include "app/language.h"
#include "app/pauseclock.h"
#include "app/status/statuswatch.h"
#include "app/tasks/taskbook.h"
#include "app/tray/tray.h"
#include "app/wording.h"
#include "tests/app/fakecore.h"

#include <QApplication>
#include <QDir>
#include <QScreen>
#include <QSignalSpy>
#include <QTest>

#include <algorithm>
#include <memory>
#include <vector>

using namespace Qt::StringLiterals;
using namespace deskhand;
using namespace deskhand::app;
using device::LinkState;

namespace {

QAction *entry(QMenu &menu, const QString &name)
{
    return menu.findChild<QAction *>(name);
}

QStringList entries(QMenu &menu)
{
    QStringList names;
    for (const QAction *action : menu.actions()) {
        if (!action->objectName().isEmpty()) {
            names << action->objectName();
        }
    }
    return names;
}

/// The program's parts behind the tray.
struct House
{
    test::FakeCore core;
    PauseClock pause { core };
    StatusWatch watch { core, pause };
    TaskBook book { core };
    Tray tray { core, watch, book, pause };
};

} // namespace

class TestTray final : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { useLanguage(QLocale::c()); }
    void icon_withHost_isShown();
    void icon_inEveryState_looksDifferent();
    void icon_reconnectingBriefly_isUnchanged();
    void state_timeAlone_isNeverMissed();
    void icon_darkPalette_isRedrawn();
    void menu_byState_hasTheRightEntries();
    void menu_whileOpen_doesNotChange();
    void menu_accessKeys_areUnique();
    void menu_level_isLimitedByCeiling();
    void menu_pauseForAWhile_resumesAtTheEnd();
};

void TestTray::icon_withHost_isShown()
{
    House house;
    QTRY_VERIFY_WITH_TIMEOUT(QSystemTrayIcon::isSystemTrayAvailable(), 30'000);
    QSignalSpy host(&house.tray, &Tray::hostChanged);
    QSignalSpy settled(&house.tray, &Tray::settled);
    house.tray.show();
    QVERIFY(house.tray.hasHost());
    QCOMPARE(host.size(), 1);
    // The rest of the program waits for the icon to be painted, and is told once.
    QVERIFY(settled.isEmpty());
    QTRY_COMPARE(settled.size(), 1);
    QVERIFY(!house.tray.isSettling());
    QCOMPARE(house.tray.toolTip().section(u'\n', 0, 0), u"Ready - workbench online"_s);
}

void TestTray::icon_inEveryState_looksDifferent()
{
    for (const IconTone tone : { IconTone::ForLightPanel, IconTone::ForDarkPanel }) {
        QList<QImage> seen;
        for (int i = 0; i <= static_cast<int>(OverallState::Draining); ++i) {
            for (const int size : { 16, 22, 64 }) {
                const QPixmap pixmap = drawTrayIcon(static_cast<OverallState>(i), 3, tone, size);
                QCOMPARE(pixmap.size(), QSize(size, size));
                const QImage image = pixmap.toImage();
                // Told by shape: different also without any colour.
                const QImage shape = image.convertToFormat(QImage::Format_Alpha8);
                QVERIFY2(!seen.contains(shape), qPrintable(u"state %1, %2 px"_s.arg(i).arg(size)));
                seen.append(shape);
            }
        }
    }
    QVERIFY(drawTrayIcon(OverallState::NeedsYou, 3, IconTone::ForDarkPanel, 22).toImage()
        != drawTrayIcon(OverallState::NeedsYou, 12, IconTone::ForDarkPanel, 22).toImage());
}

void TestTray::icon_reconnectingBriefly_isUnchanged()
{
    House house;
    StatusSnapshot status = test::wellStatus();
    status.link.state = LinkState::Reconnecting;
    status.link.sinceMs = QDateTime::currentMSecsSinceEpoch();
    house.core.setStatus(status);
    const OverallState shown = house.tray.shownState();
    // On a busy machine the three seconds may be over before the state was read.
    if (QDateTime::currentMSecsSinceEpoch() - status.link.sinceMs < 3'000) {
        QCOMPARE(shown, OverallState::Ready);
    }
    // Nothing else happens; time alone changes it.
    QTRY_COMPARE_WITH_TIMEOUT(house.tray.shownState(), OverallState::Reconnecting, 30'000);
}

void TestTray::state_timeAlone_isNeverMissed()
{
    // Timers may fire early; each of these waits for another moment.
    struct Watcher
    {
        test::FakeCore core;
        PauseClock pause { core };
        StatusWatch watch { core, pause };
        OverallState seen = OverallState::Ready;
    };
    std::vector<std::unique_ptr<Watcher>> watchers;
    for (int i = 0; i < 60; ++i) {
        watchers.push_back(std::make_unique<Watcher>());
        Watcher &one = *watchers.back();
        connect(&one.watch, &StatusWatch::changed, this,
            [&one] { one.seen = one.watch.overall().state; });
        StatusSnapshot status = test::wellStatus();
        status.link.state = LinkState::Reconnecting;
        status.link.sinceMs = QDateTime::currentMSecsSinceEpoch() - 3'000 + 25 * i;
        one.core.setStatus(status);
    }
    QTRY_VERIFY_WITH_TIMEOUT(
        std::all_of(watchers.begin(), watchers.end(),
            [](const auto &one) { return one->seen == OverallState::Reconnecting; }),
        30'000);
}

void TestTray::icon_darkPalette_isRedrawn()
{
    House house;
    const QPalette light = qApp->palette();
    QCOMPARE(currentTone(), IconTone::ForLightPanel);
    QPalette dark = light;
    dark.setColor(QPalette::Window, QColor(0x202020));
    qApp->setPalette(dark);
    QCOMPARE(currentTone(), IconTone::ForDarkPanel);
    qApp->setPalette(light);
}

void TestTray::menu_byState_hasTheRightEntries()
{
    House house;
    TrayMenu &menu = house.tray.menu();
    const QStringList always { u"newTask"_s, u"openStatus"_s, u"openTasks"_s, u"openLogs"_s,
        u"openWeb"_s };
    QTRY_COMPARE(entry(menu, u"statusLine"_s)->text(), u"Online as workbench"_s);
    QVERIFY(!entry(menu, u"statusLine"_s)->isEnabled());
    QVERIFY(!entry(menu, u"requests"_s) && !entry(menu, u"fix"_s) && !entry(menu, u"stopAll"_s));
    for (const QString &name : always) {
        QVERIFY2(entry(menu, name), qPrintable(name));
    }

    house.core.setTask(test::runningTask(u"t1"_s, u"Fix & test\nthe login"_s));
    house.core.openRequest(test::commandRequest(u"r1"_s, u"t1"_s, u"npm ci"_s));
    QTRY_VERIFY(entry(menu, u"requests"_s));
    QCOMPARE(entry(menu, u"requests"_s)->text(), u"&Requests (1)…"_s);
    QVERIFY(entry(menu, u"requests"_s)->font().bold());
    QTRY_VERIFY(entry(menu, u"task:t1"_s));
    QVERIFY(entry(menu, u"task:t1"_s)->text().startsWith("Fix && test the login - webshop - "_L1));
    QVERIFY(entry(menu, u"stopAll"_s));
    QSignalSpy chosen(&menu, &TrayMenu::taskChosen);
    entry(menu, u"task:t1"_s)->trigger();
    QCOMPARE(chosen.size(), 1);
    QCOMPARE(chosen.at(0).at(0).toString(), u"t1"_s);

    // Many tasks: five and a way to the rest.
    for (int i = 2; i < 9; ++i) {
        house.core.setTask(test::runningTask(u"t%1"_s.arg(i), u"Task %1"_s.arg(i)));
    }
    QTRY_COMPARE(entries(menu).filter(u"task:"_s).size(), 5);

    // What ended and was not looked at is listed until it is marked read.
    auto done = test::runningTask(u"t1"_s, u"Fix it"_s);
    done.state = tasks::TaskState::Finished;
    done.endedAtMs = QDateTime::currentMSecsSinceEpoch();
    house.core.setTask(done);
    QTRY_VERIFY(entry(menu, u"unreadHeading"_s));
    entry(menu, u"markAllRead"_s)->trigger();
    QTRY_VERIFY(!entry(menu, u"unreadHeading"_s));
}

void TestTray::menu_whileOpen_doesNotChange()
{
    House house;
    TrayMenu &menu = house.tray.menu();
    menu.popup(QPoint(200, 200));
    QTRY_VERIFY(menu.isVisible());
    const QStringList before = entries(menu);
    const QList<QAction *> actions = menu.actions();
    house.core.setTask(test::runningTask(u"t1"_s, u"Something"_s));
    StatusSnapshot status = test::wellStatus();
    status.paused = true;
    house.core.setStatus(status);
    QVERIFY(!menu.isStale()); // no rebuild is on its way
    QCOMPARE(entries(menu), before);
    QCOMPARE(menu.actions(), actions);
    menu.close();
    QTRY_VERIFY(entry(menu, u"resume"_s));
}

void TestTray::menu_accessKeys_areUnique()
{
    House house;
    StatusSnapshot status = test::wellStatus();
    status.engine.state = engines::EngineStatus::State::Failed;
    house.core.setTask(test::runningTask(u"t1"_s, u"Something"_s));
    status.running = 1;
    house.core.setStatus(status);
    QTRY_VERIFY(entry(house.tray.menu(), u"fix"_s));
    QSet<QString> keys;
    for (const QAction *action : house.tray.menu().actions()) {
        QString text = action->text();
        text.remove(u"&&"_s);
        const qsizetype at = text.indexOf(u'&');
        if (at >= 0) {
            const QString key = text.mid(at + 1, 1).toLower();
            QVERIFY2(!keys.contains(key), qPrintable(action->text()));
            keys.insert(key);
        }
    }
}

void TestTray::menu_level_isLimitedByCeiling()
{
    House house;
    TrayMenu &menu = house.tray.menu();
    QVERIFY(!entry(menu, u"level:danger-full-access"_s)->isEnabled());
    QVERIFY(entry(menu, u"level:danger-full-access"_s)->text().contains("ceiling"_L1));
    QVERIFY(entry(menu, u"level:workspace"_s)->isChecked());
    entry(menu, u"level:read-only"_s)->trigger();
    QCOMPARE(house.core.settingsNow.defaultProfile, u":read-only"_s);
    QTRY_VERIFY(entry(menu, u"level:read-only"_s)->isChecked());
}

void TestTray::menu_pauseForAWhile_resumesAtTheEnd()
{
    House house;
    entry(house.tray.menu(), u"pause30"_s)->trigger();
    QCOMPARE(house.core.calls, QStringList { u"pause"_s });
    QVERIFY(house.tray.toolTip().startsWith("Paused until "_L1));
    QVERIFY(house.pause.untilMs() > QDateTime::currentMSecsSinceEpoch());
    house.pause.pauseFor(std::chrono::milliseconds(20));
    QTRY_COMPARE(house.core.calls.last(), u"resume"_s);
    QCOMPARE(house.pause.untilMs(), 0);
}

QTEST_MAIN(TestTray)
#include "tst_tray.moc"
