// SPDX-License-Identifier: Apache-2.0
#include "app/desktop.h"
#include "app/facadecore.h"
#include "app/language.h"
#include "app/logs/logmodel.h"
#include "app/preferences.h"

#include <QApplication>
#include <QDir>
#include <QFile>
#include <QJsonDocument>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTemporaryDir>
#include <QTest>
#include <QTextBrowser>

using namespace Qt::StringLiterals;
using namespace deskhand;
using namespace deskhand::app;

namespace {

QWidget *visible(const QString &name)
{
    for (QWidget *window : QApplication::topLevelWidgets()) {
        if (window->objectName() == name && window->isVisible()) {
            return window;
        }
    }
    return nullptr;
}

ExecutorOptions optionsFor(const QString &home)
{
    ExecutorOptions options;
    options.home.root = home;
    options.makeSecretStore = [] {
        return settings::makeSessionStore();
    };
    return options;
}

} // namespace

/// The windows over the real core: what the fake promises is what the core does.
class TestRealCore final : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase()
    {
        useLanguage(QLocale::c());
        QGuiApplication::setQuitOnLastWindowClosed(false);
        // No engine: every task ends with a reason, quickly.
        qputenv("CODEX_BINARY_PATH", "/nonexistent/codex");
    }
    void desktop_overTheRealCore_works();
};

void TestRealCore::desktop_overTheRealCore_works()
{
    QTemporaryDir folder;
    const QString home = folder.filePath(u"home"_s);
    // Beside the home: a task may not work in a folder that holds it.
    const QString work = folder.filePath(u"work"_s);
    QVERIFY(QDir().mkpath(work));
    FacadeCore core(optionsFor(home));
    Preferences preferences(folder.filePath(u"preferences.ini"_s));
    LogModel logs;
    Desktop desktop(core, preferences, logs, folder.path());
    desktop.show(true);
    const Result<> started = core.start();
    QVERIFY2(started, started ? "" : qPrintable(started.error().message));
    desktop.coreStarted();

    // A second core on the same home is told who holds it.
    FacadeCore second(optionsFor(home));
    const Result<> refused = second.start();
    QVERIFY(!refused);
    QCOMPARE(refused.error().kind, ErrorKind::Conflict);

    desktop.openStatus();
    QWidget *status = visible(u"statusWindow"_s);
    QVERIFY(status);
    QTRY_VERIFY(status->findChild<QLabel *>(u"linkState"_s)->text().contains("Not set up"_L1));
    QTRY_VERIFY(status->findChild<QLabel *>(u"engineState"_s)->text().contains("Not found"_L1));

    // A setting goes through the core into its file and comes back.
    desktop.openSettings();
    QWidget *settings = visible(u"settingsDialog"_s);
    auto *parallel = settings->findChild<QSpinBox *>(u"parallelTasks"_s);
    parallel->setValue(5);
    Q_EMIT parallel->editingFinished();
    QTRY_COMPARE(core.settings().parallelTasks, 5);
    QFile file(home + "/settings.json"_L1);
    QVERIFY(file.open(QIODevice::ReadOnly));
    QVERIFY(QJsonDocument::fromJson(file.readAll()).isObject());
    settings->close();

    // A task without an engine fails with a reason in its own window.
    desktop.openNewTask();
    QWidget *dialog = visible(u"newTaskDialog"_s);
    dialog->findChild<QLineEdit *>(u"folder"_s)->setText(work);
    dialog->findChild<QPlainTextEdit *>(u"prompt"_s)->setPlainText(u"Say hello"_s);
    QTest::mouseClick(dialog->findChild<QPushButton *>(u"start"_s), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(visible(u"taskWindow"_s), 20'000);
    QWidget *task = visible(u"taskWindow"_s);
    QTRY_VERIFY_WITH_TIMEOUT(
        task->findChild<QLabel *>(u"state"_s)->text().startsWith("Failed"_L1), 30'000);
    QTRY_VERIFY(task->findChild<QTextBrowser *>(u"story"_s)->toPlainText().contains("Failed"_L1));

    QSignalSpy finished(&desktop, &Desktop::finished);
    desktop.quit();
    QTRY_COMPARE_WITH_TIMEOUT(finished.size(), 1, 30'000);
}

QTEST_MAIN(TestRealCore)
#include "tst_realcore.moc"
