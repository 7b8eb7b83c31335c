// SPDX-License-Identifier: Apache-2.0
#include "app/language.h"
#include "app/status/parts.h"
#include "app/wording.h"
#include "tests/app/fakecore.h"

#include <QFile>
#include <QRegularExpression>
#include <QTest>

using namespace Qt::StringLiterals;
using namespace deskhand;
using namespace deskhand::app;
using device::LinkState;
using EngineState = engines::EngineStatus::State;

namespace {
constexpr qint64 kNow = 1'700'000'000'000;
}

class TestParts final : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { useLanguage(QLocale::c()); }
    void overall_firstThatApplies_data();
    void overall_firstThatApplies();
    void reconnecting_shortOne_isNotShown();
    void tooltip_longNames_staysShort();
    void part_inEveryState_hasTextAndStep();
    void oneLine_cutsInTheMiddleAndCleans();
    void plural_inEnglish_isRight();
    void risks_everyWordOfTheBroker_isTranslated();
    void causes_areInTheProgramsLanguage();
};

void TestParts::overall_firstThatApplies_data()
{
    QTest::addColumn<StatusSnapshot>("status");
    QTest::addColumn<bool>("draining");
    QTest::addColumn<OverallState>("expected");
    QTest::addColumn<Step>("step");
    const auto row = [](const char *name, auto change, OverallState expected,
                         Step step = Step::None, bool draining = false) {
        StatusSnapshot status = test::wellStatus();
        status.link.sinceMs = kNow - 60'000;
        change(status);
        QTest::newRow(name) << status << draining << expected << step;
    };
    row(
        "all well", [](StatusSnapshot &) {}, OverallState::Ready);
    row(
        "a task runs", [](StatusSnapshot &s) { s.running = 1; }, OverallState::Working);
    row(
        "a request beats a failed engine",
        [](StatusSnapshot &s) {
            s.requests = 2;
            s.running = 1;
            s.engine.state = EngineState::Failed;
        },
        OverallState::NeedsYou);
    row(
        "sign-in beats a running task",
        [](StatusSnapshot &s) {
            s.link.state = LinkState::SignInNeeded;
            s.running = 1;
        },
        OverallState::SignInNeeded, Step::OpenAccount);
    row(
        "locked secrets", [](StatusSnapshot &s) { s.secrets = settings::SecretsState::Locked; },
        OverallState::SignInNeeded, Step::ChooseSecretPlace);
    row(
        "engine not found",
        [](StatusSnapshot &s) {
            s.engine.state = EngineState::NotFound;
            s.running = 1;
        },
        OverallState::Problem, Step::OpenEngine);
    row(
        "engine failed", [](StatusSnapshot &s) { s.engine.state = EngineState::Failed; },
        OverallState::Problem, Step::RestartEngine);
    row(
        "sandbox unavailable", [](StatusSnapshot &s) { s.sandbox.state = u"unavailable"_s; },
        OverallState::Problem, Step::CheckSandbox);
    row(
        "conflict", [](StatusSnapshot &s) { s.link.state = LinkState::Conflict; },
        OverallState::Problem, Step::TryNow);
    row(
        "working beats paused",
        [](StatusSnapshot &s) {
            s.running = 1;
            s.paused = true;
        },
        OverallState::Working);
    row(
        "paused", [](StatusSnapshot &s) { s.paused = true; }, OverallState::Paused, Step::Resume);
    row(
        "offline", [](StatusSnapshot &s) { s.link.state = LinkState::Offline; },
        OverallState::Offline, Step::TryNow);
    row(
        "reconnecting", [](StatusSnapshot &s) { s.link.state = LinkState::Reconnecting; },
        OverallState::Reconnecting, Step::TryNow);
    row(
        "not set up", [](StatusSnapshot &s) { s.link.state = LinkState::NotSetUp; },
        OverallState::Ready);
    row(
        "draining", [](StatusSnapshot &s) { s.running = 2; }, OverallState::Draining, Step::None,
        true);
}

void TestParts::overall_firstThatApplies()
{
    QFETCH(StatusSnapshot, status);
    QFETCH(bool, draining);
    QFETCH(OverallState, expected);
    QFETCH(Step, step);
    const Overall overall = Parts::overall(status, { kNow, 0, draining });
    QCOMPARE(overall.state, expected);
    QCOMPARE(overall.step, step);
    QCOMPARE(overall.stepLabel.isEmpty(), step == Step::None);
    QVERIFY(!overall.line.isEmpty());
    const QString tip = Parts::tooltip(status, overall);
    QVERIFY(tip.size() <= 120);
    QVERIFY(tip.count(u'\n') <= 2);
}

void TestParts::reconnecting_shortOne_isNotShown()
{
    StatusSnapshot status = test::wellStatus();
    status.link.state = LinkState::Reconnecting;
    status.link.sinceMs = kNow - 2'900;
    QCOMPARE(Parts::overall(status, { kNow, 0, false }).state, OverallState::Ready);
    QCOMPARE(Parts::nextChange(status, kNow), 100);
    QCOMPARE(Parts::overall(status, { kNow + 101, 0, false }).state, OverallState::Reconnecting);
    QCOMPARE(Parts::nextChange(status, kNow + 101), -1);
    // The window says what is true at once.
    QCOMPARE(Parts::link(status, kNow).state, Wording::linkState(LinkState::Reconnecting));
}

void TestParts::tooltip_longNames_staysShort()
{
    StatusSnapshot status = test::wellStatus();
    status.deviceName = QString(64, u'w');
    status.link.host = QString(200, u'h');
    status.running = 3;
    status.queued = 99;
    status.engine.state = EngineState::Failed;
    status.engine.cause = QString(300, u'x');
    const QString tip = Parts::tooltip(status, Parts::overall(status, { kNow, 0, false }));
    QVERIFY2(tip.size() <= 120, qPrintable(tip));
}

void TestParts::part_inEveryState_hasTextAndStep()
{
    for (int i = 0; i <= static_cast<int>(LinkState::Paused); ++i) {
        StatusSnapshot status = test::wellStatus();
        status.link.state = static_cast<LinkState>(i);
        const PartView part = Parts::link(status, kNow);
        QVERIFY(!part.state.isEmpty());
        QCOMPARE(part.mood == Mood::Good, status.link.state == LinkState::Online);
        QCOMPARE(part.step == Step::None, status.link.state == LinkState::Online);
    }
    for (const QString &word :
        { u"checking"_s, u"protected"_s, u"reduced"_s, u"unavailable"_s, u"external"_s }) {
        StatusSnapshot status = test::wellStatus();
        status.sandbox.state = word;
        QVERIFY(!Parts::sandbox(status).state.isEmpty());
    }
}

void TestParts::oneLine_cutsInTheMiddleAndCleans()
{
    QCOMPARE(Wording::oneLine(u"a\n\tb\u202Ec"_s), u"a bc"_s);
    const QString cut = Wording::oneLine(QString(100, u'a') + QString(100, u'b'), 48);
    QCOMPARE(cut.size(), 48);
    QVERIFY(cut.contains(u'…') && cut.startsWith(u'a') && cut.endsWith(u'b'));
    QString faces;
    for (int i = 0; i < 60; ++i) {
        faces += u"\U0001F600"_s;
    }
    QVERIFY(!Wording::oneLine(faces, 47).contains(QChar(QChar::ReplacementCharacter)));
    QVERIFY(Wording::oneLine(faces, 47).toUcs4().contains(U'…'));
    QCOMPARE(Wording::menuLine(u"a & b"_s), u"a && b"_s);
}

void TestParts::plural_inEnglish_isRight()
{
    StatusSnapshot status = test::wellStatus();
    status.running = 1;
    QCOMPARE(Parts::overall(status, { kNow, 0, false }).line, u"1 task running"_s);
    status.running = 3;
    QCOMPARE(Parts::overall(status, { kNow, 0, false }).line, u"3 tasks running"_s);
}

void TestParts::risks_everyWordOfTheBroker_isTranslated()
{
    // The words as the broker writes them, so that a new one cannot be forgotten here.
    QFile source(QStringLiteral(DESKHAND_SOURCE_DIR "/executor/tasks/safetyrules.cpp"));
    QVERIFY(source.open(QIODevice::ReadOnly));
    const QString text = QString::fromUtf8(source.readAll());
    static const QRegularExpression kWord(
        u"(?:addRisk\\(findings,|const QString k\\w+ =)\\s*u\"([a-z ]+)\"_s"_s);
    QStringList words;
    auto matches = kWord.globalMatch(text);
    while (matches.hasNext()) {
        words << matches.next().captured(1);
    }
    words.removeDuplicates();
    QVERIFY2(words.size() >= 5, qPrintable(words.join(u", "_s)));
    useLanguage(QLocale(u"zh_CN"_s));
    QStringList untranslated;
    for (const QString &word : std::as_const(words)) {
        static const QRegularExpression kLatin(u"[A-Za-z]"_s);
        if (Wording::risk(word).contains(kLatin)) {
            untranslated << word;
        }
    }
    useLanguage(QLocale::c());
    QVERIFY2(untranslated.isEmpty(), qPrintable(untranslated.join(u", "_s)));
}

void TestParts::causes_areInTheProgramsLanguage()
{
    StatusSnapshot status = test::wellStatus();
    status.link.state = device::LinkState::Reconnecting;
    status.link.cause = u"no ping from the server within 45000 ms"_s;
    status.engine.state = engines::EngineStatus::State::Failed;
    status.engine.cause = u"codex ended: exit code 2"_s;
    status.sandbox.state = u"unavailable"_s;
    status.sandbox.cause = u"bubblewrap (the program bwrap) is not installed"_s;
    status.sandbox.fix = u"install the package \"bubblewrap\""_s;
    status.secretsPlace = u"a file only you can read"_s;
    status.problems
        = { u"settings.json: \"version\" is 9, this program knows 1; only what it knows "
            "is used."_s };
    QCOMPARE(Parts::link(status, 0).cause, status.link.cause);
    QCOMPARE(Parts::engine(status).cause, status.engine.cause);

    useLanguage(QLocale(u"zh_CN"_s));
    const PartView link = Parts::link(status, 0);
    const PartView engine = Parts::engine(status);
    const PartView sandbox = Parts::sandbox(status);
    const PartView secrets = Parts::secrets(status);
    const QString summary = Parts::summary(status, 0);
    const QString model = Wording::model(u"a at b at https://models.example.org/v1 (chat)"_s);
    useLanguage(QLocale::c());
    QCOMPARE(model, u"a at b，位于 https://models.example.org/v1（chat）"_s);
    QCOMPARE(Wording::model(u"gpt-5"_s), u"gpt-5"_s);
    QCOMPARE(Wording::model(u"a (b)"_s), u"a (b)"_s);
    QCOMPARE(link.cause, u"在 45000 毫秒内没有收到服务器的 ping"_s);
    QCOMPARE(engine.cause, u"Codex 已结束：退出代码 2"_s);
    QCOMPARE(sandbox.cause, u"没有安装 bubblewrap（程序 bwrap）"_s);
    QVERIFY2(sandbox.details.join(u'\n').contains(u"请安装软件包“bubblewrap”"_s),
        qPrintable(sandbox.details.join(u'\n')));
    QVERIFY2(secrets.details.join(u'\n').contains(u"仅你可读取的文件"_s),
        qPrintable(secrets.details.join(u'\n')));
    QVERIFY2(
        summary.contains(u"settings.json：“version”为 9，而此程序支持 1；只使用它认识的部分。"_s),
        qPrintable(summary));
}

QTEST_MAIN(TestParts)
#include "tst_parts.moc"
