// SPDX-License-Identifier: Apache-2.0
#include "app/coretext/catalogue.h"
#include "app/coretext/coretext.h"
#include "app/language.h"

#include <QCoreApplication>
#include <QRegularExpression>
#include <QTest>

using namespace Qt::StringLiterals;
using namespace deskhand;
using namespace deskhand::app;
using coretext::Sentence;
using Voice = CoreText::Voice;

namespace {

/// Known sentences, for the places that must hold one of the core or of the model proxy.
constexpr auto kKnown = "it is locked";
constexpr auto kKnownOfProxy = "the connection broke within the answer";

QList<Sentence> allSentences()
{
    QList<Sentence> all;
    for (const auto sentences : { coretext::linkSentences(), coretext::engineSentences(),
             coretext::modelSentences(), coretext::sandboxSentences(),
             coretext::settingsSentences(), coretext::taskSentences() }) {
        all.append(QList<Sentence>(sentences.begin(), sentences.end()));
    }
    return all;
}

QString inProgramLanguage(const char *english)
{
    return QCoreApplication::translate("CoreText", english);
}

/// The sentence with something in each place, known words only where they must be.
QString example(QString text, const Sentence &sentence, QString (*words)(const char *))
{
    const QString places = QString::fromLatin1(sentence.places);
    for (int place = 1; place <= 9; ++place) {
        const QString number = QString::number(place);
        QString thing = u"\u00abthing %1\u00bb"_s.arg(place);
        if (places.contains(number + "!?"_L1)) {
            thing = words(kKnownOfProxy);
        } else if (places.contains(number + u'!')) {
            thing = words(kKnown);
        }
        text.replace(u'%' + number, thing);
    }
    return text;
}

QString inEnglish(const char *english)
{
    return QString::fromUtf8(english);
}

} // namespace

class TestCoreText final : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void init() { useLanguage(QLocale(u"zh_CN"_s)); }
    void cleanupTestCase() { useLanguage(QLocale::c()); }

    void catalogue_eachSentenceIsFoundAgain();
    void catalogue_everyTranslationIsChinese();
    void english_staysByteForByte();
    void sentence_isSaidInChinese_data();
    void sentence_isSaidInChinese();
    void argument_comesThroughUnchanged_data();
    void argument_comesThroughUnchanged();
    void someoneElsesWords_areLeftAlone_data();
    void someoneElsesWords_areLeftAlone();
    void longTexts_areRead();
    void hostileJoints_end();
    void failure_joinsBothSentences();
};

void TestCoreText::catalogue_eachSentenceIsFoundAgain()
{
    QVERIFY(inProgramLanguage(kKnown) != inEnglish(kKnown));
    QStringList faults;
    const QList<Sentence> sentences = allSentences();
    QVERIFY(sentences.size() > 500);
    for (const Sentence &sentence : sentences) {
        const QString said = example(inEnglish(sentence.english), sentence, inEnglish);
        const QString wanted
            = example(inProgramLanguage(sentence.english), sentence, inProgramLanguage);
        if (const QString shown = CoreText::translated(said); shown != wanted) {
            faults << said + u"\n   shown  "_s + shown + u"\n   wanted "_s + wanted;
        }
    }
    QVERIFY2(faults.isEmpty(), qPrintable(u'\n' + faults.join(u'\n')));
}

void TestCoreText::catalogue_everyTranslationIsChinese()
{
    static const QRegularExpression kHan(u"\\p{Han}"_s);
    static const QRegularExpression kLetters(u"[A-Za-z]{2}"_s);
    // Only punctuation, or a name with punctuation.
    const QStringList same { u"%1, HTTP %2: %3"_s, u"model_config: %1"_s, u"%1 by %2"_s,
        u"bubblewrap (%1)"_s };
    for (const Sentence &sentence : allSentences()) {
        const QString english = QString::fromUtf8(sentence.english);
        if (english.contains(kLetters) && !same.contains(english)) {
            QVERIFY2(inProgramLanguage(sentence.english).contains(kHan), sentence.english);
        }
    }
}

void TestCoreText::english_staysByteForByte()
{
    useLanguage(QLocale::c());
    for (const Sentence &sentence : allSentences()) {
        const QString said = example(inEnglish(sentence.english), sentence, inEnglish);
        QCOMPARE(CoreText::translated(said), said);
        QCOMPARE(CoreText::translated(said, Voice::Anyone), said);
        QCOMPARE(CoreText::translated(said, Voice::Provider), said);
    }
}

void TestCoreText::sentence_isSaidInChinese_data()
{
    QTest::addColumn<QString>("said");
    QTest::addColumn<QString>("wanted");
    QTest::newRow("a cause of the link") << u"no ping from the server within 45000 ms"_s
                                         << u"在 45000 毫秒内没有收到服务器的 ping"_s;
    QTest::newRow("a path of a proxy within")
        << u"no connection to example.org:443 through the proxy 10.0.0.1:3128 within 9 ms"_s
        << u"在 9 毫秒内无法通过代理 10.0.0.1:3128 连接 example.org:443"_s;
    QTest::newRow("sentences within sentences")
        << u"codex has ended 3 times within a minute. The last time: codex ended while it was "
           "started from /opt/codex: exit code 2. It said: no such option"_s
        << u"Codex 在一分钟内结束了 3 次。最后一次：从 /opt/codex 启动 Codex 时它已结束：退出代码 2。它的输出：no such option"_s;
    QTest::newRow("a message and its hint as one text")
        << u"codex ended: killed by signal 9. Run \"deskhand-executor doctor\" to see why."_s
        << u"Codex 已结束：被信号 9 终止。运行“deskhand-executor doctor”可查看原因。"_s;
    QTest::newRow("two full sentences")
        << u"The folder /a b does not exist. Choose another folder."_s
        << u"目录 /a b 不存在。请选择其他目录。"_s;
    QTest::newRow("a broken setting")
        << u"\"max_parallel\" must be a whole number from 1 to 16, not 99"_s
        << u"“max_parallel”必须是 1 到 16 的整数，而不是 99"_s;
    QTest::newRow("a broken setting of a file")
        << u"settings.json: \"ceiling\" must be one of :a, :b, not \"x: y\"."_s
        << u"settings.json：“ceiling”必须是 :a, :b 之一，而不是 \"x: y\"。"_s;
    QTest::newRow("several broken settings")
        << u"every entry must be an absolute path, not \"a\"; every entry must be an absolute "
           u"path, "
           "not \"b\""_s
        << u"每一项必须是绝对路径，而不是 \"a\"；每一项必须是绝对路径，而不是 \"b\""_s;
    QTest::newRow("a denial")
        << u"Blocked by the sandbox: write denied: .git is protected in /home/x"_s
        << u"被沙箱阻止：禁止写入：.git 在 /home/x 中受保护"_s;
    QTest::newRow("a sentence without its full stop")
        << u"The request is no longer waiting: The turn is over."_s
        << u"请求已不再等待：本轮已结束。"_s;
    QTest::newRow("who answered")
        << u"The request is already answered: allowed once by command line."_s
        << u"请求已经答复：已允许一次（命令行）。"_s;
    QTest::newRow("a situation in front")
        << u"the model is gone, but its key is still in the store: it is locked"_s
        << u"模型已删除，但其密钥仍在密钥库中：已锁定"_s;
    QTest::newRow("a program by its duty")
        << u"bubblewrap (the bundled bubblewrap /usr/lib/a b is not the one that belongs to this program)"_s
        << u"bubblewrap（随附的 bubblewrap /usr/lib/a b 不属于此程序）"_s;
    QTest::newRow("unknown") << u"Qt says: Permission denied"_s << u"Qt says: Permission denied"_s;
    QTest::newRow("empty") << QString() << QString();
}

void TestCoreText::sentence_isSaidInChinese()
{
    QFETCH(QString, said);
    QFETCH(QString, wanted);
    QCOMPARE(CoreText::translated(said), wanted);
}

void TestCoreText::argument_comesThroughUnchanged_data()
{
    QTest::addColumn<QString>("argument");
    QTest::newRow("places") << u"/a/%1 and %2 %L1 %n %%1"_s;
    QTest::newRow("patterns") << u"^(.*)\\[a-z]+$ | ?{2,3} \\1 \\E"_s;
    QTest::newRow("lines") << u"one\r\ntwo\n\n\tthree "_s;
    QTest::newRow("quotes") << u"\"it's\" 'so' “such” `x`"_s;
    QTest::newRow("a known sentence") << u"Try again later."_s;
    QTest::newRow("parts of the sentence") << u"x cannot be read: the folder (y): z"_s;
    QTest::newRow("beyond the first plane") << u"\U0001F600 路径 \u202e\u0000x"_s;
    QTest::newRow("a half of a pair") << QString(QChar(0xd83d));
    QTest::newRow("markup") << u"<b>&amp;</b>"_s;
    QTest::newRow("nothing") << QString();
}

void TestCoreText::argument_comesThroughUnchanged()
{
    QFETCH(QString, argument);
    QCOMPARE(CoreText::translated(u"The folder "_s + argument + u" cannot be read."_s),
        u"无法读取目录 "_s + argument + u"。"_s);
    QCOMPARE(CoreText::translated(
                 u"the model \""_s + argument + u"\" cannot be used: "_s + u"it has no base_url"_s),
        u"无法使用模型“"_s + argument + u"”：它没有 base_url"_s);
    QCOMPARE(CoreText::translated(u"The provider refuses the key (HTTP 401): "_s + argument),
        u"服务商拒绝了密钥（HTTP 401）："_s + argument);
}

void TestCoreText::someoneElsesWords_areLeftAlone_data()
{
    QTest::addColumn<QString>("said");
    QTest::addColumn<QString>("wanted");
    const auto same = [](const char *name, const QString &text) {
        QTest::newRow(name) << text << text;
    };
    same("a hint", u"Try again later."_s);
    same("what could be anybody's", u"The model gpt-9 does not exist"_s);
    same("a short word", u"a list"_s);
    same("a joint", u"error: it is locked"_s);
    same("its sentence, then ours", u"It is too big. Try again later."_s);
    QTest::newRow("its two sentences at the end of ours")
        << u"The engine's sandbox failed: It is too big. Try again later."_s
        << u"引擎的沙箱出错：It is too big. Try again later."_s;
    QTest::newRow("a provider within ours")
        << u"The model provider limits the number of requests. Try again later. (api.example.com, "
           "HTTP 429: Try again later.)"_s
        << u"模型服务商限制了请求次数。请稍后重试。（api.example.com, HTTP 429: Try again later.）"_s;
    QTest::newRow("the proxy within ours")
        << u"The model provider refused the request: api.example.com, HTTP 502: the provider's "
           "stream ended without an answer"_s
        << u"模型服务商拒绝了请求：api.example.com，HTTP 502：服务商的数据流结束了，但没有回答"_s;
    QTest::newRow("ours")
        << u"%1 cannot be seen behind the engine's wall. Move it to another place, or switch the "
           "engine's wall off."_s
        << u"在引擎的隔离墙内看不到 %1。请把它移到其他位置，或关闭引擎的隔离墙。"_s;
}

void TestCoreText::someoneElsesWords_areLeftAlone()
{
    QFETCH(QString, said);
    QFETCH(QString, wanted);
    QCOMPARE(CoreText::translated(said, Voice::Anyone), wanted);
}

void TestCoreText::longTexts_areRead()
{
    // A megabyte, full of what the catalogue looks for.
    QString body;
    while (body.size() < 1'000'000) {
        body += u": cannot be used (it is locked). does not exist; \"x\" must be "_s;
    }
    QCOMPARE(CoreText::translated(body), body);
    QCOMPARE(CoreText::translated(body, Voice::Anyone), body);
    QCOMPARE(
        CoreText::translated(u"The model stopped before it was done: "_s + body, Voice::Anyone),
        u"模型没有完成就停止了："_s + body);
    QCOMPARE(CoreText::translated(u"the provider's stream broke: "_s + body, Voice::Provider),
        u"服务商的数据流中断："_s + body);
}

void TestCoreText::hostileJoints_end()
{
    // Each could be parted at hundreds of places, and each part again.
    for (const QString &joint : { u": "_s, u". "_s, u"; "_s, u" by "_s, u"\" "_s }) {
        const QString text = u"a"_s + QString(joint + u'a').repeated(900);
        QCOMPARE(CoreText::translated(text), text);
    }
    const QString nested = u"it is locked"_s + u"; it is locked"_s.repeated(40);
    QVERIFY(!CoreText::translated(nested).isEmpty());
}

void TestCoreText::failure_joinsBothSentences()
{
    const Error known { ErrorKind::Conflict, u"there is a model \"x\" already"_s,
        u"Choose another name, or remove that one first."_s };
    QCOMPARE(CoreText::failure(known), u"已有名为“x”的模型。请选择其他名称，或先删除那个模型。"_s);
    QCOMPARE(CoreText::failure({ ErrorKind::Io, u"Odd."_s }), u"Odd."_s);
    useLanguage(QLocale::c());
    QCOMPARE(CoreText::failure(known),
        u"there is a model \"x\" already. Choose another name, or remove that one first."_s);
    QCOMPARE(CoreText::failure({ ErrorKind::Io, u"It broke."_s, u"Mend it."_s }),
        u"It broke. Mend it."_s);
    QCOMPARE(CoreText::failure(
                 { ErrorKind::Conflict, u"/a is locked by another program"_s, u"try again"_s }),
        u"/a is locked by another program; try again"_s);
}

QTEST_GUILESS_MAIN(TestCoreText)
#include "tst_coretext.moc"
