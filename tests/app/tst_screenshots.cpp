// SPDX-License-Identifier: Apache-2.0
#include "app/language.h"
#include "app/pauseclock.h"
#include "app/preferences.h"
#include "app/prompts/promptwindow.h"
#include "app/status/statuswatch.h"
#include "app/status/statuswindow.h"
#include "app/tasks/taskbook.h"
#include "app/tray/tray.h"
#include "tests/app/fakecore.h"

#include <QApplication>
#include <QDir>
#include <QPainter>
#include <QScreen>
#include <QTemporaryDir>
#include <QTest>

using namespace Qt::StringLiterals;
using namespace deskhand;
using namespace deskhand::app;

class TestScreenshots final : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void icons();
};

void TestScreenshots::icons()
{
    const QString folder = qEnvironmentVariable("DESKHAND_SCREENSHOTS");
    QDir().mkpath(folder);
    QImage sheet(9 * 80, 2 * 170, QImage::Format_ARGB32);
    QPainter painter(&sheet);
    for (int tone = 0; tone < 2; ++tone) {
        painter.fillRect(
            0, tone * 170, sheet.width(), 170, tone == 0 ? QColor(0xe8e8e8) : QColor(0x202020));
        for (int state = 0; state < 9; ++state) {
            int y = tone * 170 + 4;
            for (const int size : { 64, 32, 22, 16 }) {
                painter.drawPixmap(state * 80 + 8, y,
                    drawTrayIcon(
                        static_cast<OverallState>(state), 3, static_cast<IconTone>(tone), size));
                y += size + 6;
            }
        }
    }
    QVERIFY(sheet.save(folder + u"/icons.png"_s));
}

QTEST_MAIN(TestScreenshots)
#include "tst_screenshots.moc"
