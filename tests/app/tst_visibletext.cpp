// SPDX-License-Identifier: Apache-2.0
#include "app/visibletext.h"

#include <QTest>

using namespace Qt::StringLiterals;
using namespace deskhand::app;

class TestVisibleText final : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void hiddenCharacters_shownAsCodePoints_data();
    void hiddenCharacters_shownAsCodePoints();
    void ordinaryText_staysAsItIs();
    void chain_isSplitWithoutLoss_data();
    void chain_isSplitWithoutLoss();
    void wrappedScript_isUnwrapped_data();
    void wrappedScript_isUnwrapped();
    void host_withLookAlikes_showsItsAsciiForm();
};

void TestVisibleText::hiddenCharacters_shownAsCodePoints_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("shown");
    QTest::newRow("right-to-left override") << u"a\u202Eb"_s << u"a‹U+202E›b"_s;
    QTest::newRow("isolate") << u"\u2066x\u2069"_s << u"‹U+2066›x‹U+2069›"_s;
    QTest::newRow("zero width space") << u"rm\u200B -rf"_s << u"rm‹U+200B› -rf"_s;
    QTest::newRow("no-break space") << u"a\u00A0b"_s << u"a‹U+00A0›b"_s;
    QTest::newRow("escape") << u"\u001B[2K"_s << u"‹U+001B›[2K"_s;
    QTest::newRow("carriage return") << u"safe\rrm"_s << u"safe‹U+000D›rm"_s;
    QTest::newRow("line feed on one line") << u"a\nb"_s << u"a‹U+000A›b"_s;
    QTest::newRow("tab") << u"a\tb"_s << u"a‹TAB›b"_s;
    QTest::newRow("hangul filler") << u"a\u3164b"_s << u"a‹U+3164›b"_s;
    QTest::newRow("tag character beyond the first plane") << u"a\U000E0041b"_s << u"a‹U+E0041›b"_s;
    QTest::newRow("lone surrogate") << QString(QChar(0xD800)) << u"‹U+D800›"_s;
    QTest::newRow("line separator") << u"a\u2028b"_s << u"a‹U+2028›b"_s;
}

void TestVisibleText::hiddenCharacters_shownAsCodePoints()
{
    QFETCH(QString, text);
    QFETCH(QString, shown);
    QCOMPARE(visibleText(text), shown);
}

void TestVisibleText::ordinaryText_staysAsItIs()
{
    const QString text = u"cp 文件 naïve.txt \U0001F600 \"q\"\n\tx"_s;
    QCOMPARE(visibleText(text, true), text);
    QVERIFY(!hidesSomething(text));
    QVERIFY(hidesSomething(u"a\u202E"_s));
}

void TestVisibleText::chain_isSplitWithoutLoss_data()
{
    QTest::addColumn<QString>("line");
    QTest::addColumn<QStringList>("texts");
    QTest::newRow("one command") << u"git status"_s << QStringList { u"git status"_s };
    QTest::newRow("and") << u"a && b"_s << QStringList { u"a "_s, u" b"_s };
    QTest::newRow("all joiners") << u"a||b;c|d&e\nf|&g"_s
                                 << QStringList { u"a"_s, u"b"_s, u"c"_s, u"d"_s, u"e"_s, u"f"_s,
                                        u"g"_s };
    QTest::newRow("quoted joiners stay")
        << u"echo 'a && b' \"c; d\""_s << QStringList { u"echo 'a && b' \"c; d\""_s };
    QTest::newRow("escaped joiner stays") << u"echo a\\;b"_s << QStringList { u"echo a\\;b"_s };
    QTest::newRow("redirection is no joiner")
        << u"make 2>&1 &>log"_s << QStringList { u"make 2>&1 &>log"_s };
    QTest::newRow("substitution inside quotes is split")
        << u"echo \"$(id; whoami)\""_s << QStringList { u"echo \"$(id"_s, u" whoami)\""_s };
    QTest::newRow("unclosed quote") << u"echo 'a && b"_s << QStringList { u"echo 'a && b"_s };
}

void TestVisibleText::chain_isSplitWithoutLoss()
{
    QFETCH(QString, line);
    QFETCH(QStringList, texts);
    const CommandView view = takeApart(line);
    QStringList found;
    QString joined;
    for (const CommandPart &part : view.parts) {
        found << part.text;
        joined += part.joiner + part.text;
    }
    QCOMPARE(found, texts);
    QCOMPARE(joined, line);
}

void TestVisibleText::wrappedScript_isUnwrapped_data()
{
    QTest::addColumn<QString>("line");
    QTest::addColumn<QString>("shell");
    QTest::addColumn<QString>("script");
    QTest::newRow("single quotes")
        << u"/bin/bash -lc 'cd x && make'"_s << u"/bin/bash -lc"_s << u"cd x && make"_s;
    QTest::newRow("quote inside") << u"bash -lc 'echo '\\''a'\\'''"_s << u"bash -lc"_s
                                  << u"echo 'a'"_s;
    QTest::newRow("double quotes without expansion")
        << u"sh -c \"ls \\\"a b\\\"\""_s << u"sh -c"_s << u"ls \"a b\""_s;
    QTest::newRow("expansion is not unwrapped")
        << u"sh -c \"ls $HOME\""_s << QString() << u"sh -c \"ls $HOME\""_s;
    QTest::newRow("more words are not unwrapped")
        << u"sh -c 'ls' x"_s << QString() << u"sh -c 'ls' x"_s;
    QTest::newRow("another program") << u"env -lc 'ls'"_s << QString() << u"env -lc 'ls'"_s;
}

void TestVisibleText::wrappedScript_isUnwrapped()
{
    QFETCH(QString, line);
    QFETCH(QString, shell);
    QFETCH(QString, script);
    const CommandView view = takeApart(line);
    QCOMPARE(view.shell, shell);
    QCOMPARE(view.script, script);
}

void TestVisibleText::host_withLookAlikes_showsItsAsciiForm()
{
    QCOMPARE(visibleHost(u"api.example.com"_s), u"api.example.com"_s);
    QVERIFY(visibleHost(u"аpi.example.com"_s).startsWith("xn--"_L1));
}

QTEST_GUILESS_MAIN(TestVisibleText)
#include "tst_visibletext.moc"
