// SPDX-License-Identifier: Apache-2.0
#include "app/desktop.h"
#include "app/language.h"
#include "app/logs/logmodel.h"
#include "app/preferences.h"
#include "app/status/statuswindow.h"
#include "tests/app/fakecore.h"

#include <QApplication>
#include <QLabel>
#include <QProcess>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace Qt::StringLiterals;
using namespace deskhand;
using namespace deskhand::app;

/// A desktop without a tray host, and one that gets its host later. Runs on a display without one.
class TestNoTray final : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase()
    {
        useLanguage(QLocale::c());
        QGuiApplication::setQuitOnLastWindowClosed(false);
    }
    void noHost_windowStaysReachable();
};

void TestNoTray::noHost_windowStaysReachable()
{
    QTemporaryDir folder;
    test::FakeCore core;
    Preferences preferences(folder.filePath(u"preferences.ini"_s));
    LogModel logs;
    Desktop desktop(core, preferences, logs, folder.path());
    QVERIFY(!QSystemTrayIcon::isSystemTrayAvailable());
    QSignalSpy settled(&desktop.tray(), &Tray::settled);
    desktop.show(false);
    QVERIFY(!desktop.tray().hasHost());
    QTRY_COMPARE(settled.size(), 1); // nothing to wait for: the program goes on
    StatusWindow *window = nullptr;
    for (QWidget *widget : QApplication::topLevelWidgets()) {
        if (auto *status = qobject_cast<StatusWindow *>(widget)) {
            window = status;
        }
    }
    QVERIFY(window && window->isVisible());
    auto *hint = window->findChild<QLabel *>(u"hint"_s);
    QVERIFY(hint->isVisible() && hint->text().contains("no tray"_L1));

    // Closing only minimises, a second start brings it back.
    Q_EMIT window->closedByOwner();
    QTRY_VERIFY(window->isMinimized());
    QVERIFY(window->isVisible());
    desktop.onSecondStart({});
    QTRY_VERIFY(!window->isMinimized());

    // A host that appears later is used and the hint goes.
    QProcess host;
    host.start(u"trayer"_s, { u"--SetDockType"_s, u"true"_s });
    QVERIFY(host.waitForStarted());
    QTRY_VERIFY_WITH_TIMEOUT(desktop.tray().hasHost(), 20'000);
    QTRY_VERIFY(!hint->isVisible());
    host.terminate();
    host.waitForFinished(5000);
}

QTEST_MAIN(TestNoTray)
#include "tst_notray.moc"
