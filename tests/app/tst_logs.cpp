// SPDX-License-Identifier: Apache-2.0
#include "app/language.h"
#include "app/logs/logmodel.h"
#include "app/logs/logswindow.h"
#include "app/preferences.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>

#include <thread>

using namespace Qt::StringLiterals;
using namespace deskhand;
using namespace deskhand::app;

namespace {

logging::LogLine line(int level, const QString &source, const QString &text)
{
    return { 1'700'000'000'000, level, source, text };
}

} // namespace

class TestLogs final : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { useLanguage(QLocale::c()); }
    void lines_fromOtherThreads_arrive();
    void lines_aboveTheLimit_dropTheOldest();
    void realLog_isMaskedAndShown();
    void window_filters();
    void window_followsUntilScrolledUp();
    void window_copiesSelectedLines();
};

void TestLogs::lines_fromOtherThreads_arrive()
{
    LogModel model;
    std::thread first([&] {
        for (int i = 0; i < 500; ++i) {
            model.push(line(2, u"a"_s, QString::number(i)));
        }
    });
    std::thread second([&] {
        for (int i = 0; i < 500; ++i) {
            model.push(line(2, u"b"_s, QString::number(i)));
        }
    });
    first.join();
    second.join();
    QTRY_COMPARE(model.rowCount(), 1000);
    QCOMPARE(model.sources(), (QStringList { u"a"_s, u"b"_s }));
}

void TestLogs::lines_aboveTheLimit_dropTheOldest()
{
    LogModel model;
    for (int i = 0; i < LogModel::kLimit + 1; ++i) {
        model.push(line(2, u"a"_s, QString::number(i)));
        if (i % 1000 == 0) {
            QCoreApplication::processEvents();
        }
    }
    QTRY_COMPARE(model.line(model.rowCount() - 1).text, QString::number(LogModel::kLimit));
    QVERIFY(model.rowCount() <= LogModel::kLimit);
    QVERIFY(model.rowCount() > LogModel::kLimit - 5'000);
}

void TestLogs::realLog_isMaskedAndShown()
{
    LogModel model;
    model.listen();
    logging::logger("tst")->error("Authorization: Bearer abcdefghijklmnop");
    QTRY_COMPARE(model.rowCount(), 1);
    QVERIFY(!model.line(0).text.contains("abcdefghijklmnop"_L1));
    QCOMPARE(model.index(0, LogModel::Level).data().toString(), u"E"_s);
}

void TestLogs::window_filters()
{
    QTemporaryDir folder;
    Preferences preferences(folder.filePath(u"p.ini"_s));
    LogModel model;
    model.push(line(1, u"device"_s, u"detail"_s));
    model.push(line(2, u"device"_s, u"registered as x"_s));
    model.push(line(3, u"engine"_s, u"slow start"_s));
    model.push(line(4, u"engine"_s, u"exit code 3"_s));
    LogsWindow window(model, preferences, folder.path());
    window.show();
    QTRY_COMPARE(model.rowCount(), 4);
    const QAbstractItemModel *shown = window.findChild<QTableView *>(u"lines"_s)->model();
    QCOMPARE(shown->rowCount(), 3); // details are off at first
    auto *level = window.findChild<QComboBox *>(u"level"_s);
    level->setCurrentIndex(0);
    QCOMPARE(shown->rowCount(), 4);
    level->setCurrentIndex(2);
    QCOMPARE(shown->rowCount(), 2);
    auto *source = window.findChild<QComboBox *>(u"source"_s);
    level->setCurrentIndex(0);
    source->setCurrentIndex(source->findData(u"device"_s));
    QCOMPARE(shown->rowCount(), 2);
    source->setCurrentIndex(0);
    auto *text = window.findChild<QLineEdit *>(u"text"_s);
    text->setText(u"EXIT"_s);
    QCOMPARE(shown->rowCount(), 1);
    text->setText(u"/code \\d$/"_s);
    QCOMPARE(shown->rowCount(), 1);
    text->setText(u"/code (/"_s);
    QVERIFY(window.findChild<QLabel *>(u"textNote"_s)->isVisible());
    QCOMPARE(shown->rowCount(), 1); // the last good one stays
}

void TestLogs::window_followsUntilScrolledUp()
{
    QTemporaryDir folder;
    Preferences preferences(folder.filePath(u"p.ini"_s));
    LogModel model;
    LogsWindow window(model, preferences, folder.path());
    window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&window, 30'000));
    auto *table = window.findChild<QTableView *>(u"lines"_s);
    auto *follow = window.findChild<QPushButton *>(u"follow"_s);
    const auto add = [&] {
        for (int i = 0; i < 200; ++i) {
            model.push(line(2, u"a"_s, u"line"_s));
        }
        const int wanted = model.rowCount() + 200;
        QTRY_COMPARE(model.rowCount(), wanted);
    };
    add();
    QScrollBar *bar = table->verticalScrollBar();
    QTRY_VERIFY(bar->maximum() > 0 && bar->value() == bar->maximum());
    bar->triggerAction(QAbstractSlider::SliderToMinimum);
    QVERIFY(!follow->isChecked());
    add();
    QCOMPARE(bar->value(), 0);
    QTest::mouseClick(follow, Qt::LeftButton);
    QTRY_COMPARE(bar->value(), bar->maximum());
}

void TestLogs::window_copiesSelectedLines()
{
    QTemporaryDir folder;
    Preferences preferences(folder.filePath(u"p.ini"_s));
    LogModel model;
    model.push(line(2, u"device"_s, u"first"_s));
    model.push(line(4, u"engine"_s, u"second"_s));
    LogsWindow window(model, preferences, folder.path());
    window.show();
    QTRY_COMPARE(model.rowCount(), 2);
    window.findChild<QTableView *>(u"lines"_s)->selectAll();
    QTest::mouseClick(window.findChild<QPushButton *>(u"copy"_s), Qt::LeftButton);
    const QStringList copied = QGuiApplication::clipboard()->text().split(u'\n');
    QCOMPARE(copied.size(), 3);
    QVERIFY(copied.at(0).endsWith("I device: first"_L1));
    QVERIFY(copied.at(1).endsWith("E engine: second"_L1));
}

QTEST_MAIN(TestLogs)
#include "tst_logs.moc"
