// SPDX-License-Identifier: Apache-2.0
#include "app/language.h"
#include "app/preferences.h"
#include "app/tasks/historywindow.h"
#include "app/tasks/newtaskdialog.h"
#include "app/tasks/outputtext.h"
#include "app/tasks/taskbook.h"
#include "app/tasks/taskwindow.h"
#include "tests/app/fakecore.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QElapsedTimer>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScopeGuard>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QTextBlock>

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;
using namespace deskhand;
using namespace deskhand::app;
using namespace deskhand::engines;

namespace {

Item command(const QString &id, const QString &line)
{
    Item item;
    item.id = id;
    item.kind = ItemKind::Command;
    item.name = u"shell"_s;
    item.command = line;
    return item;
}

struct House
{
    explicit House(const QString &taskId = u"t1"_s)
        : id(taskId)
    {
        core.setTask(test::runningTask(id, u"Fix the login"_s));
    }
    void open()
    {
        window = std::make_unique<TaskWindow>(core, book, preferences, id);
        window->show();
        QVERIFY(QTest::qWaitForWindowExposed(window.get(), 30'000));
        QTRY_VERIFY(window->isUpToDate());
    }
    [[nodiscard]] QString text() const { return story()->toPlainText(); }
    [[nodiscard]] StoryView *story() const { return window->findChild<StoryView *>(u"story"_s); }
    template <typename Widget> Widget *find(const char *name) const
    {
        return window->findChild<Widget *>(QLatin1StringView(name));
    }

    QTemporaryDir folder;
    QString id;
    test::FakeCore core;
    TaskBook book { core };
    Preferences preferences { folder.filePath(u"preferences.ini"_s) };
    std::unique_ptr<TaskWindow> window;
};

} // namespace

class TestTaskWindow final : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { useLanguage(QLocale::c()); }
    void output_controlSequences_areReadable_data();
    void output_controlSequences_areReadable();
    void output_styles_areKept_data();
    void output_styles_areKept();
    void output_styles_areReadableOnEveryGround();
    void story_beforeAndAfterOpening_isComplete();
    void story_interleavedItems_growInPlace();
    void story_messageEnded_isCorrected();
    void story_longOutput_isBoundedAndCanBeSeen();
    void story_prompts_areShown();
    void story_colouredOutput_isShownInColours();
    void story_blockedBySandbox_isSaidOnce();
    void story_wordsOfTheCore_areInTheProgramsLanguage();
    void header_levelAndSandbox_areShown();
    void story_requestAndAnswer_areShown();
    void follow_scrolledUp_countsNewOnes();
    void manyDeltas_stayFluid();
    void quiet_afterALimit_saysSo();
    void stop_asksTheCore();
    void followUp_ofALocalTask_isSent();
    void find_wrapsAround();
    void newTask_badFolder_isNamed();
    void newTask_levelAboveCeiling_isNotOffered();
    void newTask_remembersTheFolder();
    void history_filtersAndOpens();
};

void TestTaskWindow::output_controlSequences_areReadable_data()
{
    QTest::addColumn<QStringList>("pieces");
    QTest::addColumn<QString>("text");
    QTest::newRow("colours") << QStringList { u"\u001B[31mred\u001B[0m\n"_s } << u"red\n"_s;
    QTest::newRow("sequence cut in two")
        << QStringList { u"a\u001B["_s, u"1;32mb\n"_s } << u"ab\n"_s;
    QTest::newRow("progress") << QStringList { u"10%\r"_s, u"50%\r100%\r\n"_s } << u"100%\n"_s;
    QTest::newRow("title") << QStringList { u"\u001B]0;title\u0007x\n"_s } << u"x\n"_s;
    QTest::newRow("title ended by escape")
        << QStringList { u"\u001B]0;t\u001B"_s, u"\\x"_s } << u"x"_s;
    QTest::newRow("backspace") << QStringList { u"ab\bc\n"_s } << u"ac\n"_s;
    QTest::newRow("hidden") << QStringList { u"a\u202Eb\n"_s } << u"a‹U+202E›b\n"_s;
    QTest::newRow("erased line") << QStringList { u"old\u001B[2K\u001B[1Gnew\n"_s } << u"new\n"_s;
    QTest::newRow("moves and modes are left out")
        << QStringList { u"\u001B[?25l\u001B[2Aa\u001B(Bb\u001B[K\u001B=c\n"_s } << u"abc\n"_s;
    QTest::newRow("very long line")
        << QStringList { u"x"_s.repeated(9'000), u"y\n"_s } << u"x"_s.repeated(9'000) + u"y\n"_s;
    QTest::newRow("unfinished line") << QStringList { u"a\nb"_s } << u"a\nb"_s;
}

void TestTaskWindow::output_controlSequences_areReadable()
{
    QFETCH(QStringList, pieces);
    QFETCH(QString, text);
    OutputText output;
    QString shown;
    for (const QString &piece : pieces) {
        shown += plainText(output.feed(piece));
    }
    QCOMPARE(shown + plainText(output.openLine()), text);
    QCOMPARE(OutputText::readable(pieces.join(QString())), text);
}

void TestTaskWindow::output_styles_areKept_data()
{
    QTest::addColumn<QString>("sequence");
    QTest::addColumn<TextStyle>("style");
    using Kind = TextStyle::Color::Kind;
    const auto style = [](auto change) {
        TextStyle made;
        change(made);
        return made;
    };
    const auto foreground = [&](TextStyle::Color color) {
        return style([&](TextStyle &s) { s.foreground = color; });
    };
    QTest::newRow("nothing") << QString() << TextStyle();
    QTest::newRow("bold red") << u"\u001B[1;31m"_s << style([](TextStyle &s) {
        s.bold = true;
        s.foreground = { Kind::Indexed, 1, 0 };
    });
    QTest::newRow("one after the other")
        << u"\u001B[4m\u001B[3;9m"_s
        << style([](TextStyle &s) { s.underline = s.italic = s.strike = true; });
    QTest::newRow("bright") << u"\u001B[93m"_s << foreground({ Kind::Indexed, 11, 0 });
    QTest::newRow("background") << u"\u001B[104m"_s << style([](TextStyle &s) {
        s.background = { Kind::Indexed, 12, 0 };
    });
    QTest::newRow("256") << u"\u001B[38;5;208m"_s << foreground({ Kind::Indexed, 208, 0 });
    QTest::newRow("256 with colons")
        << u"\u001B[38:5:208m"_s << foreground({ Kind::Indexed, 208, 0 });
    QTest::newRow("direct") << u"\u001B[38;2;1;2;3m"_s
                            << foreground({ Kind::Direct, 0, qRgb(1, 2, 3) });
    QTest::newRow("direct with colons")
        << u"\u001B[38:2:1:2:3m"_s << foreground({ Kind::Direct, 0, qRgb(1, 2, 3) });
    QTest::newRow("direct with a colour space")
        << u"\u001B[38:2::1:2:3m"_s << foreground({ Kind::Direct, 0, qRgb(1, 2, 3) });
    QTest::newRow("underline colour is not a foreground")
        << u"\u001B[58;5;1;7m"_s << style([](TextStyle &s) { s.inverse = true; });
    QTest::newRow("reset") << u"\u001B[1;4;31;42m\u001B[m"_s << TextStyle();
    QTest::newRow("each off again")
        << u"\u001B[1;2;3;4;7;9;31;41m\u001B[22;23;24;27;29;39;49m"_s << TextStyle();
    QTest::newRow("no underline") << u"\u001B[4m\u001B[4:0m"_s << TextStyle();
    QTest::newRow("concealed is shown") << u"\u001B[8m"_s << TextStyle();
    QTest::newRow("unknown and beyond") << u"\u001B[77;300;38;5;999;38;5m"_s << TextStyle();
    QTest::newRow("overflow") << u"\u001B[99999999999999999999m"_s << TextStyle();
    QTest::newRow("private") << u"\u001B[>4;1m\u001B[?25h"_s << TextStyle();
    QTest::newRow("too long") << u"\u001B[%1m"_s.arg(u"1;"_s.repeated(500)) << TextStyle();
}

void TestTaskWindow::output_styles_areKept()
{
    QFETCH(QString, sequence);
    QFETCH(TextStyle, style);
    // Whole, and cut at every place.
    const QString all = sequence + u"x"_s;
    for (qsizetype cut = 0; cut <= all.size(); ++cut) {
        OutputText output;
        QVERIFY(output.feed(all.left(cut)).isEmpty());
        QVERIFY(output.feed(all.mid(cut)).isEmpty());
        QCOMPARE(plainText(output.openLine()), u"x"_s);
        QCOMPARE(output.openLine().first().style, style);
    }
}

void TestTaskWindow::output_styles_areReadableOnEveryGround()
{
    for (const QRgb base : { 0xffffffU, 0x1e1e1eU }) {
        QPalette palette;
        palette.setColor(QPalette::Base, QColor(base));
        palette.setColor(QPalette::Text, QColor(base == 0xffffff ? 0x202020 : 0xf0f0f0));
        for (int front = -1; front < 256; ++front) {
            for (int ground = -1; ground < 256; ground += front % 16 == 0 ? 1 : 15) {
                for (const bool inverse : { false, true }) {
                    TextStyle style;
                    using Kind = TextStyle::Color::Kind;
                    if (front >= 0) {
                        style.foreground = { Kind::Indexed, static_cast<quint8>(front), 0 };
                    }
                    if (ground >= 0) {
                        style.background = { Kind::Indexed, static_cast<quint8>(ground), 0 };
                    }
                    style.inverse = inverse;
                    if (style == TextStyle()) {
                        continue;
                    }
                    const QTextCharFormat format = styledFormat(style, {}, palette);
                    const QColor below = format.background().style() == Qt::NoBrush
                        ? QColor(base)
                        : format.background().color();
                    QVERIFY2(contrast(format.foreground().color(), below) >= 4.4,
                        qPrintable(u"%1 on %2"_s.arg(front).arg(ground)));
                }
            }
        }
    }
}

void TestTaskWindow::story_prompts_areShown()
{
    House house;
    house.open();
    house.core.tell(u"t1"_s, PromptGiven { u"Fix the <b>login</b>\nand test it.\n"_s, 2 });
    house.core.tell(u"t1"_s, TurnStarted {});
    house.core.tell(u"t1"_s, TextDelta { u"m1"_s, u"Done."_s });
    QTRY_COMPARE(house.text(), u"You\nFix the <b>login</b>\nand test it.\n2 pictures\nDone."_s);
    // Set apart from what the agent says.
    const QTextBlock prompt = house.story()->document()->find(u"test it"_s).block();
    const QTextBlock answer = house.story()->document()->find(u"Done."_s).block();
    QVERIFY(prompt.blockFormat().background().style() != Qt::NoBrush);
    QVERIFY(prompt.blockFormat().leftMargin() > answer.blockFormat().leftMargin());
    QCOMPARE(answer.blockFormat().background().style(), Qt::NoBrush);

    // A long one is folded, and all of it can be seen and copied.
    QString longOne;
    for (int i = 0; i < 200; ++i) {
        longOne += u"line %1\n"_s.arg(i);
    }
    TaskEventRecord record;
    record.ref = { u"t1"_s, u"turn2"_s };
    record.seq = 100;
    record.event = PromptGiven { longOne, 0 };
    Q_EMIT house.core.taskEvent(record);
    record.seq = 101;
    record.event = TurnStarted {};
    Q_EMIT house.core.taskEvent(record);
    QTRY_VERIFY(house.text().contains("Show all 200 lines"_L1));
    QVERIFY(!house.text().contains("line 50\n"_L1));
    QVERIFY(!house.text().contains("Next turn"_L1)); // the prompt says so
    Q_EMIT house.story()->anchorClicked(QUrl(u"turn2/prompt"_s));
    auto *dialog = house.window->findChild<QDialog *>(u"fullText"_s);
    QVERIFY(dialog);
    QVERIFY(dialog->findChild<QPlainTextEdit *>()->toPlainText().endsWith("line 199"_L1));
    dialog->close();
    QTest::mouseClick(house.find<QPushButton>("copyMarkdown"), Qt::LeftButton);
    QVERIFY(QGuiApplication::clipboard()->text().contains("**You**\n\nline 0\n"_L1));
    QVERIFY(QGuiApplication::clipboard()->text().contains("line 199"_L1));
}

void TestTaskWindow::story_colouredOutput_isShownInColours()
{
    House house;
    house.open();
    house.core.tell(u"t1"_s, ItemStarted { command(u"c1"_s, u"make"_s) });
    house.core.tell(u"t1"_s, ItemProgress { u"c1"_s, u"plain \u001B[1;32mgre"_s, {} });
    house.core.tell(u"t1"_s, ItemProgress { u"c1"_s, u"en\u001B[0m end\n\u001B]0;x\u0007"_s, {} });
    QTRY_VERIFY(house.text().contains("plain green end"_L1));
    const auto formatOf = [&](const QString &word) {
        return house.story()->document()->find(word).charFormat();
    };
    QCOMPARE(formatOf(u"green"_s).fontWeight(), static_cast<int>(QFont::Bold));
    const QColor green = formatOf(u"green"_s).foreground().color();
    QVERIFY(green.green() > green.red() && green.green() > green.blue());
    QVERIFY(formatOf(u"end"_s).fontWeight() != static_cast<int>(QFont::Bold));
    QCOMPARE(formatOf(u"plain"_s).foreground(), formatOf(u"end"_s).foreground());
    QTest::mouseClick(house.find<QPushButton>("copyMarkdown"), Qt::LeftButton);
    QVERIFY(QGuiApplication::clipboard()->text().contains("plain green end\n"_L1));
    QVERIFY(!QGuiApplication::clipboard()->text().contains(QChar(0x1B)));
}

void TestTaskWindow::story_beforeAndAfterOpening_isComplete()
{
    House house;
    house.core.tell(u"t1"_s, TurnStarted {});
    house.core.tell(u"t1"_s, TextDelta { u"m1"_s, u"Hello "_s });
    house.window = std::make_unique<TaskWindow>(house.core, house.book, house.preferences, u"t1"_s);
    // Arrives while the story is being fetched.
    house.core.tell(u"t1"_s, TextDelta { u"m1"_s, u"wor"_s });
    house.core.tell(u"other"_s, TextDelta { u"m1"_s, u"not mine"_s });
    QTRY_VERIFY(house.window->isUpToDate());
    house.core.tell(u"t1"_s, TextDelta { u"m1"_s, u"ld"_s });
    QTRY_COMPARE(house.text(), u"Hello world"_s);
    TurnEnded ended;
    ended.outcome = TurnOutcome::Failed;
    ended.errorMessage = u"quota used up"_s;
    house.core.tell(u"t1"_s, ended);
    QTRY_VERIFY(house.text().endsWith("Failed: quota used up"_L1));
}

void TestTaskWindow::story_interleavedItems_growInPlace()
{
    House house;
    house.open();
    house.core.tell(u"t1"_s, ItemStarted { command(u"c1"_s, u"make"_s) });
    house.core.tell(u"t1"_s, ItemStarted { command(u"c2"_s, u"npm test"_s) });
    house.core.tell(u"t1"_s, ItemProgress { u"c1"_s, u"one\ntw"_s, {} });
    house.core.tell(u"t1"_s, ItemProgress { u"c2"_s, u"green\n"_s, {} });
    house.core.tell(u"t1"_s, ItemProgress { u"c1"_s, u"o\n"_s, {} });
    house.core.tell(u"t1"_s, TextDelta { u"m"_s, u"Done."_s });
    Item ended = command(u"c1"_s, u"make"_s);
    ended.status = ItemStatus::Failed;
    ended.exitCode = 2;
    ended.output = u"one\ntwo\n"_s;
    ended.durationMs = 61'000;
    house.core.tell(u"t1"_s, ItemEnded { ended });
    QTRY_VERIFY(house.text().contains("failed, exit code 2, 1 min"_L1));
    QCOMPARE(house.text(),
        u"$ make   failed, exit code 2, 1 min\none\ntwo\n\n$ npm test   running\ngreen\n\nDone."_s);

    // The end brings output that never came as pieces.
    Item late = command(u"c2"_s, u"npm test"_s);
    late.status = ItemStatus::Completed;
    late.exitCode = 0;
    late.output = u"green\nall passed\n"_s;
    house.core.tell(u"t1"_s, ItemEnded { late });
    QTRY_VERIFY(house.text().contains("exit code 0\ngreen\nall passed\n"_L1));
    QVERIFY(house.text().endsWith("Done."_L1));

    // A patch that grows.
    Item patch;
    patch.id = u"p1"_s;
    patch.kind = ItemKind::FileChange;
    patch.title = u"Edit files"_s;
    patch.changes = { { u"/w/a.txt"_s, {}, FileChange::Action::Update, u"-a\n+b"_s } };
    house.core.tell(u"t1"_s, ItemStarted { patch });
    house.core.tell(u"t1"_s, TextDelta { u"m2"_s, u"After."_s });
    house.core.tell(u"t1"_s,
        ItemProgress { u"p1"_s, {},
            { { u"/w/a.txt"_s, {}, FileChange::Action::Update, u"-a\n+b"_s },
                { u"/w/n.txt"_s, {}, FileChange::Action::Add, u"+new"_s } } });
    QTRY_VERIFY(house.text().endsWith("~ /w/a.txt\n-a\n+b\n+ /w/n.txt\n+new\nAfter."_L1));
}

void TestTaskWindow::story_messageEnded_isCorrected()
{
    House house;
    house.open();
    house.core.tell(u"t1"_s, TextDelta { u"m1"_s, u"Hel"_s });
    house.core.tell(u"t1"_s, TextAbandoned { u"m1"_s });
    house.core.tell(u"t1"_s, TextDelta { u"m1"_s, u"Hello"_s });
    house.core.tell(u"t1"_s, TextEnded { u"m1"_s, u"Hello there"_s, true });
    house.core.tell(u"t1"_s, TextEnded { u"m2"_s, u"Second"_s, false });
    QTRY_COMPARE(house.text(), u"Hel\nHello there\nSecond"_s);
}

void TestTaskWindow::story_longOutput_isBoundedAndCanBeSeen()
{
    House house;
    house.open();
    house.core.tell(u"t1"_s, ItemStarted { command(u"c1"_s, u"seq 20000"_s) });
    QString all;
    for (int i = 0; i < 20; ++i) {
        QString piece;
        for (int j = 1; j <= 1000; ++j) {
            piece += QString::number(i * 1000 + j) + u'\n';
        }
        all += piece;
        house.core.tell(u"t1"_s, ItemProgress { u"c1"_s, piece, {} });
    }
    QTRY_VERIFY(house.text().contains("\n20000\n"_L1));
    QVERIFY(house.story()->document()->blockCount() < 6'100);
    QVERIFY(house.text().contains("earlier lines hidden"_L1));
    QVERIFY(!house.text().contains("\n17\n"_L1));
    QVERIFY(house.text().startsWith("$ seq 20000   running"_L1));

    Q_EMIT house.story()->anchorClicked(QUrl(u"turn1/c1"_s));
    auto *dialog = house.window->findChild<QDialog *>(u"fullText"_s);
    QVERIFY(dialog);
    QCOMPARE(dialog->findChild<QPlainTextEdit *>()->toPlainText(), all);
    dialog->close();
}

void TestTaskWindow::story_blockedBySandbox_isSaidOnce()
{
    House house;
    house.open();
    house.core.tell(u"t1"_s,
        StatusNote { StatusNote::Level::Warning, u"sandbox_blocked"_s,
            u"Blocked by the sandbox: write denied: .git is protected in /w"_s });
    QTRY_COMPARE(
        house.text(), u"▲ Blocked by the sandbox: write denied: .git is protected in /w"_s);
}

void TestTaskWindow::story_wordsOfTheCore_areInTheProgramsLanguage()
{
    useLanguage(QLocale(u"zh_CN"_s));
    const auto english = qScopeGuard([] { useLanguage(QLocale::c()); });
    House house;
    house.open();
    house.core.tell(u"t1"_s,
        StatusNote { StatusNote::Level::Warning, u"sandbox_blocked"_s,
            u"Blocked by the sandbox: write denied: .git is protected in /w"_s });
    house.core.tell(u"t1"_s,
        RetryNotice { u"The model provider is asked again in 1.5 s (attempt 2 of 4)"_s,
            u"no answer came within the time limit"_s });
    house.core.tell(u"t1"_s,
        RetryNotice { u"The model provider is asked again in 3.0 s (attempt 3 of 4)"_s,
            u"Try again later."_s });
    Item change;
    change.id = u"p1"_s;
    change.kind = ItemKind::FileChange;
    change.title = u"Change 2 files"_s;
    change.status = ItemStatus::Completed;
    house.core.tell(u"t1"_s, ItemEnded { change });
    TurnEnded ended;
    ended.outcome = TurnOutcome::Failed;
    ended.errorMessage
        = u"The model provider refuses the key. Check the key of the model. (a.example.org, HTTP "
          "401: Bad key %1. Try again later.)"_s;
    house.core.tell(u"t1"_s, ended);
    QTRY_VERIFY(house.text().contains("a.example.org"_L1));
    const QString text = house.text();
    for (const QString &part :
        { u"▲ 被沙箱阻止：禁止写入：.git 在 /w 中受保护"_s,
            u"▲ 将在 1.5 秒后再次请求模型服务商（第 2 次，共 4 次）（在时限内没有收到回答）"_s,
            u"▲ 将在 3.0 秒后再次请求模型服务商（第 3 次，共 4 次）（Try again later.）"_s,
            u"修改 2 个文件"_s,
            u"失败：模型服务商拒绝了密钥。请检查模型的密钥。（a.example.org, HTTP 401: Bad key %1. Try again later.）"_s }) {
        QVERIFY2(text.contains(part), qPrintable(part + u"\n\n"_s + text));
    }
}

void TestTaskWindow::header_levelAndSandbox_areShown()
{
    House house;
    house.open();
    auto task = test::runningTask(u"t1"_s, u"Fix the login"_s);
    task.profile = u":workspace"_s;
    house.core.setTask(task);
    const auto facts = [&house] {
        return house.find<QLabel>("facts")->text();
    };
    QTRY_VERIFY(facts().contains(u"Permission level: Workspace\nSandbox: the engine's: "
                                 "commands write in the folder and have no network"_s));
    StatusSnapshot status = test::wellStatus();
    status.sandbox.engineWall = u"on"_s;
    house.core.setStatus(status);
    house.core.setTask(task);
    QTRY_VERIFY(facts().contains(u"your secrets are hidden from the engine too"_s));
    task.profile = u":danger-full-access"_s;
    house.core.setTask(task);
    QTRY_VERIFY(facts().contains(u"Sandbox: none"_s));

    // It wished for more than it got.
    task.profile = u":read-only"_s;
    house.core.setTask(task);
    house.core.tell(u"t1"_s,
        StatusNote { StatusNote::Level::Warning, u"profile_lowered"_s,
            u"Permission level lowered from :workspace to :read-only: this device allows no more."_s });
    QTRY_VERIFY(facts().contains(u"Permission level: Read only (asked for: Workspace)"_s));
    QVERIFY(facts().contains(u"commands write nothing"_s));
    QVERIFY(house.text().contains(u"Permission level lowered from"_s));
}

void TestTaskWindow::story_requestAndAnswer_areShown()
{
    House house;
    house.open();
    const auto request = test::commandRequest(u"r1"_s, u"t1"_s, u"npm ci"_s);
    house.core.tell(u"t1"_s, RequestOpened { request });
    house.core.tell(u"t1"_s, RequestClosed { u"r1"_s, RequestOutcome::Allowed, u"owner"_s, {} });
    house.core.tell(u"t1"_s,
        PlanUpdated {
            u"Steps"_s, { { u"one"_s, u"completed"_s }, { u"two"_s, u"pending"_s } }, {} });
    house.core.tell(u"t1"_s,
        PlanUpdated {
            u"Steps"_s, { { u"one"_s, u"completed"_s }, { u"two"_s, u"completed"_s } }, {} });
    QTRY_COMPARE(house.text(),
        u"Permission asked: Run a command outside the sandbox\n$ npm ci\n"
        "→ Answered here: allowed once\nSteps\n  ☑ one\n  ☑ two"_s);
    auto task = test::runningTask(u"t1"_s, u"Fix the login"_s);
    task.openRequests = 1;
    task.state = tasks::TaskState::WaitingForYou;
    house.core.setTask(task);
    QVERIFY(house.find<QWidget>("banner")->isVisible());
    QSignalSpy chosen(house.window.get(), &TaskWindow::requestsChosen);
    QTest::mouseClick(house.find<QPushButton>("bannerButton"), Qt::LeftButton);
    QCOMPARE(chosen.size(), 1);
}

void TestTaskWindow::follow_scrolledUp_countsNewOnes()
{
    House house;
    house.open();
    QString lines;
    for (int i = 0; i < 300; ++i) {
        lines += u"line %1\n"_s.arg(i);
    }
    house.core.tell(u"t1"_s, TextDelta { u"m1"_s, lines });
    QScrollBar *bar = house.story()->verticalScrollBar();
    QTRY_VERIFY(bar->maximum() > 0 && bar->value() == bar->maximum());
    QVERIFY(!house.find<QPushButton>("newButton")->isVisible());

    bar->triggerAction(QAbstractSlider::SliderToMinimum);
    house.core.tell(u"t1"_s, TextDelta { u"m2"_s, u"later"_s });
    house.core.tell(u"t1"_s, StatusNote { StatusNote::Level::Info, u"x"_s, u"note"_s });
    QTRY_VERIFY(house.find<QPushButton>("newButton")->isVisible());
    QCOMPARE(bar->value(), 0);
    QTRY_COMPARE(house.find<QPushButton>("newButton")->text(), u"2 new"_s);
    QTest::mouseClick(house.find<QPushButton>("newButton"), Qt::LeftButton);
    QCOMPARE(bar->value(), bar->maximum());
    QVERIFY(!house.find<QPushButton>("newButton")->isVisible());
}

void TestTaskWindow::manyDeltas_stayFluid()
{
    House house;
    house.open();
    // 20,000 pieces in bursts, as fast as the event loop takes them.
    QString expected;
    for (int i = 0; i < 20'000; ++i) {
        const QString piece = i % 12 == 11 ? u"word%1.\n"_s.arg(i) : u"word%1 "_s.arg(i);
        expected += piece;
        house.core.tell(u"t1"_s, TextDelta { u"m1"_s, piece });
        if (i % 200 == 199) {
            QCoreApplication::processEvents();
        }
    }
    QTRY_VERIFY_WITH_TIMEOUT(house.window->isUpToDate(), 30'000);
    QCOMPARE(house.text(), expected);
}

void TestTaskWindow::quiet_afterALimit_saysSo()
{
    House house;
    house.open();
    QVERIFY(!house.find<QWidget>("banner")->isVisible());
    house.core.tell(u"t1"_s, ItemStarted { command(u"c1"_s, u"sleep 600"_s) });
    house.window->setQuietLimit(1ms);
    QTRY_VERIFY(house.find<QWidget>("banner")->isVisible());
    QTRY_VERIFY(house.find<QLabel>("bannerText")->text().contains("Still running: $ sleep 600"_L1));
    house.window->setQuietLimit(1h);
    QTest::mouseClick(house.find<QPushButton>("bannerButton"), Qt::LeftButton);
    QVERIFY(!house.find<QWidget>("banner")->isVisible());
}

void TestTaskWindow::stop_asksTheCore()
{
    House house;
    house.open();
    QTest::mouseClick(house.find<QPushButton>("stop"), Qt::LeftButton);
    QCOMPARE(house.core.stoppedTasks, QStringList { u"t1"_s });
    auto task = test::runningTask(u"t1"_s, u"Fix the login"_s);
    task.state = tasks::TaskState::Stopped;
    task.endedAtMs = task.startedAtMs + 5'000;
    house.core.setTask(task);
    QVERIFY(!house.find<QPushButton>("stop")->isVisible());
    QCOMPARE(house.find<QLabel>("state")->text(), u"Stopped - 5 s"_s);
}

void TestTaskWindow::followUp_ofALocalTask_isSent()
{
    House house;
    house.open();
    QVERIFY(!house.find<QLineEdit>("compose")->isEnabled()); // the backend's own task
    auto task = test::runningTask(u"t1"_s, u"Fix the login"_s);
    task.origin = tasks::Origin::Local;
    task.state = tasks::TaskState::Finished;
    task.endedAtMs = task.startedAtMs + 5'000;
    house.core.setTask(task);
    auto *compose = house.find<QLineEdit>("compose");
    QVERIFY(compose->isEnabled());
    compose->setText(u"And the tests?"_s);
    QTest::mouseClick(house.find<QPushButton>("send"), Qt::LeftButton);
    QCOMPARE(house.core.started.size(), 1);
    QCOMPARE(house.core.started.at(0).continueTask, u"t1"_s);
    QCOMPARE(house.core.started.at(0).prompt, u"And the tests?"_s);
    QTRY_COMPARE(compose->text(), QString());
}

void TestTaskWindow::find_wrapsAround()
{
    House house;
    house.open();
    house.core.tell(u"t1"_s, TextDelta { u"m1"_s, u"needle one\nneedle two\n"_s });
    QTRY_VERIFY(house.text().contains("two"_L1));
    auto *text = house.find<QLineEdit>("findText");
    text->setText(u"needle"_s);
    const auto place = [&] {
        return house.story()->textCursor().selectionStart();
    };
    Q_EMIT text->returnPressed();
    QCOMPARE(place(), 0);
    Q_EMIT text->returnPressed();
    QCOMPARE(place(), 11);
    Q_EMIT text->returnPressed();
    QCOMPARE(place(), 0);
    text->setText(u"absent"_s);
    Q_EMIT text->returnPressed();
    QVERIFY(house.find<QLabel>("message")->text().contains("absent"_L1));
}

void TestTaskWindow::newTask_badFolder_isNamed()
{
    House house;
    NewTaskDialog dialog(house.core, house.preferences);
    dialog.show();
    auto *folder = dialog.findChild<QLineEdit *>(u"folder"_s);
    auto *note = dialog.findChild<QLabel *>(u"folderNote"_s);
    auto *start = dialog.findChild<QPushButton *>(u"start"_s);
    QVERIFY(!start->isEnabled());
    dialog.findChild<QPlainTextEdit *>(u"prompt"_s)->setPlainText(u"Do it"_s);
    QVERIFY(start->isEnabled());
    for (const QString &bad :
        { QString(), u"relative/path"_s, house.folder.filePath(u"missing"_s) }) {
        folder->setText(bad);
        QTest::mouseClick(start, Qt::LeftButton);
        QVERIFY(note->isVisible() && !note->text().isEmpty());
        QVERIFY(dialog.isVisible());
    }
    QVERIFY(house.core.started.isEmpty());
    // The core's refusal is shown too.
    house.core.failWith = Error { ErrorKind::Policy, u"this folder is not allowed"_s, {} };
    folder->setText(house.folder.path());
    QTest::mouseClick(start, Qt::LeftButton);
    QTRY_COMPARE(dialog.findChild<QLabel *>(u"error"_s)->text(), u"this folder is not allowed"_s);
    QVERIFY(start->isEnabled());
}

void TestTaskWindow::newTask_levelAboveCeiling_isNotOffered()
{
    House house;
    NewTaskDialog dialog(house.core, house.preferences);
    auto *level = dialog.findChild<QComboBox *>(u"level"_s);
    QCOMPARE(level->count(), 2);
    QCOMPARE(level->currentData().toString(), u":workspace"_s);
    QCOMPARE(level->findData(u":danger-full-access"_s), -1);
}

void TestTaskWindow::newTask_remembersTheFolder()
{
    House house;
    NewTaskDialog dialog(house.core, house.preferences);
    dialog.show();
    dialog.findChild<QLineEdit *>(u"folder"_s)->setText(house.folder.path());
    dialog.findChild<QPlainTextEdit *>(u"prompt"_s)->setPlainText(u" Do it \n"_s);
    QSignalSpy started(&dialog, &NewTaskDialog::taskStarted);
    QTest::mouseClick(dialog.findChild<QPushButton *>(u"start"_s), Qt::LeftButton);
    QTRY_COMPARE(started.size(), 1);
    QVERIFY(!dialog.isVisible());
    QCOMPARE(house.core.started.at(0).prompt, u"Do it"_s);
    QCOMPARE(house.core.started.at(0).cwd, house.folder.path());
    NewTaskDialog second(house.core, house.preferences);
    QCOMPARE(second.findChild<QLineEdit *>(u"folder"_s)->text(), house.folder.path());
}

void TestTaskWindow::history_filtersAndOpens()
{
    House house;
    for (int i = 0; i < 50; ++i) {
        auto task = test::runningTask(u"h%1"_s.arg(i), u"Old task %1"_s.arg(i));
        task.state = tasks::TaskState::Finished;
        task.createdAtMs -= 1'000'000 * (i + 1);
        task.startedAtMs = task.createdAtMs;
        task.endedAtMs = task.createdAtMs + 90'000;
        house.core.history.append(task);
    }
    house.book.load();
    HistoryWindow window(house.core, house.book, house.preferences);
    window.show();
    auto *table = window.findChild<QTableView *>(u"tasks"_s);
    QTRY_COMPARE(table->model()->rowCount(), 51);
    QCOMPARE(table->model()->index(0, 1).data().toString(), u"Fix the login"_s);
    auto *tabs = window.findChild<QTabBar *>(u"tabs"_s);
    tabs->setCurrentIndex(0);
    QCOMPARE(table->model()->rowCount(), 1);
    tabs->setCurrentIndex(2);
    QCOMPARE(table->model()->rowCount(), 50);
    window.findChild<QLineEdit *>(u"search"_s)->setText(u"task 49"_s);
    QCOMPARE(table->model()->rowCount(), 1);
    table->selectRow(0);
    QVERIFY(!window.findChild<QPushButton *>(u"stop"_s)->isEnabled());
    QSignalSpy chosen(&window, &HistoryWindow::taskChosen);
    QTest::mouseClick(window.findChild<QPushButton *>(u"open"_s), Qt::LeftButton);
    QCOMPARE(chosen.size(), 1);
    QCOMPARE(chosen.at(0).at(0).toString(), u"h49"_s);
    QTest::mouseClick(window.findChild<QPushButton *>(u"copyId"_s), Qt::LeftButton);
    QCOMPARE(QGuiApplication::clipboard()->text(), u"h49"_s);
}

QTEST_MAIN(TestTaskWindow)
#include "tst_taskwindow.moc"
