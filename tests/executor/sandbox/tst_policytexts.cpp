// SPDX-License-Identifier: Apache-2.0
#include "executor/sandbox/seatbelt.h"
#include "executor/sandbox/windows/acljournal.h"
#include "executor/sandbox/windows/backendchoice.h"
#include "executor/sandbox/windows/names.h"

#include <QRandomGenerator>
#include <QTest>

#include <regex>

using namespace Qt::StringLiterals;
using namespace deskhand::sandbox;

namespace {

PolicyEntry entry(const std::string &path, Access access)
{
    PolicyEntry result;
    result.path = path;
    result.access = access;
    result.kind = PathKind::Directory;
    return result;
}

SeatbeltPlan macPlan()
{
    SeatbeltPlan plan;
    plan.entries = { entry("/", Access::Read), entry("/tmp/ws", Access::Write),
        entry("/tmp/ws/.git", Access::Read), entry("/Users/me/.ssh", Access::Deny) };
    plan.canonical = [](const std::string &path) {
        return path.rfind("/tmp", 0) == 0 || path.rfind("/var", 0) == 0 ? "/private" + path : path;
    };
    return plan;
}

QByteArray afterBase(const SeatbeltProfile &profile)
{
    return profile.text.mid(profile.text.indexOf("(allow file-read*\n"));
}

} // namespace

/// The policies of the two systems that cannot run here, as texts and pure functions.
class TestPolicyTexts final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void seatbelt_golden();
    void seatbelt_startsClosed();
    void seatbelt_network_data();
    void seatbelt_network();
    void seatbelt_hostileNamesStayParameters();
    void seatbelt_globs_data();
    void seatbelt_globs();
    void seatbelt_globOfALinkedPrefix();
    void seatbelt_programIsAbsolute();
    void windows_quotingSurvivesTheRoundTrip();
    void windows_knownQuotings_data();
    void windows_knownQuotings();
    void windows_batchFiles();
    void windows_names_data();
    void windows_names();
    void windows_protectedNameInAnySpelling();
    void windows_journalUndoesAfterACrashAnywhere();
    void windows_journalKeepsWhatItCannotUndo();
    void windows_backendChoice();
    void windows_environmentBlock();
};

void TestPolicyTexts::seatbelt_golden()
{
    const SeatbeltProfile profile = buildSeatbeltProfile(macPlan());
    QCOMPARE(afterBase(profile),
        "(allow file-read*\n"
        "  (require-all (subpath \"/\")\n"
        "    (require-not (literal (param \"P0\")))\n"
        "    (require-not (subpath (param \"P0\")))))\n"
        "(allow file-read*\n"
        "  (subpath (param \"P1\")))\n"
        "(allow file-read*\n"
        "  (subpath (param \"P2\")))\n"
        "(allow file-write*\n"
        "  (require-all (subpath (param \"P3\"))\n"
        "    (require-not (literal (param \"P4\")))\n"
        "    (require-not (subpath (param \"P4\")))))\n");
    QCOMPARE(profile.parameters.value(0).second, QByteArray("/Users/me/.ssh"));
    QCOMPARE(profile.parameters.value(3).second, QByteArray("/private/tmp/ws"));
    QCOMPARE(profile.parameters.value(4).second, QByteArray("/private/tmp/ws/.git"));
}

void TestPolicyTexts::seatbelt_startsClosed()
{
    const QByteArray text = buildSeatbeltProfile(macPlan()).text;
    QVERIFY(text.startsWith("(version 1)\n(deny default)\n"));
    QVERIFY(!text.contains("network"));
    QCOMPARE(text.count('('), text.count(')'));
}

void TestPolicyTexts::seatbelt_network_data()
{
    QTest::addColumn<int>("mode");
    QTest::addColumn<QList<int>>("ports");
    QTest::addColumn<bool>("binding");
    QTest::addColumn<QByteArray>("clauses");
    const QByteArray local = "(allow network-bind (local ip \"localhost:*\"))\n"
                             "(allow network-inbound (local ip \"localhost:*\"))\n"
                             "(allow network-outbound (remote ip \"localhost:*\"))\n";
    QTest::newRow("off") << static_cast<int>(NetworkMode::Off) << QList<int> { 3128 } << true
                         << QByteArray();
    QTest::newRow("proxy") << static_cast<int>(NetworkMode::Proxy) << QList<int> { 3128 } << false
                           << QByteArray(
                                  "(allow network-outbound (remote ip \"localhost:3128\"))\n");
    QTest::newRow("proxy without a usable port is no network")
        << static_cast<int>(NetworkMode::Proxy) << QList<int> { 0, 99999 } << false << QByteArray();
    QTest::newRow("local") << static_cast<int>(NetworkMode::Local) << QList<int>() << false
                           << local;
    QTest::newRow("full") << static_cast<int>(NetworkMode::Full) << QList<int>() << false
                          << QByteArray("(allow network-outbound)\n(allow network-inbound)\n(allow "
                                        "network-bind)\n(allow system-socket)\n");
}

void TestPolicyTexts::seatbelt_network()
{
    QFETCH(const int, mode);
    QFETCH(const QList<int>, ports);
    QFETCH(const bool, binding);
    QFETCH(const QByteArray, clauses);
    SeatbeltPlan plan = macPlan();
    const QByteArray without = buildSeatbeltProfile(plan).text;
    plan.network.mode = static_cast<NetworkMode>(mode);
    plan.proxyPorts = std::vector<int>(ports.begin(), ports.end());
    plan.allowLocalBinding = binding && plan.network.mode == NetworkMode::Proxy;
    QCOMPARE(buildSeatbeltProfile(plan).text, without + clauses);
}

void TestPolicyTexts::seatbelt_hostileNamesStayParameters()
{
    SeatbeltPlan plan = macPlan();
    const std::string hostile = "/Users/me/a\")(allow default)#\"\n(";
    plan.entries.push_back(entry(hostile, Access::Write));
    const SeatbeltProfile profile = buildSeatbeltProfile(plan);
    QVERIFY(!profile.text.contains("allow default"));
    QVERIFY(std::any_of(profile.parameters.begin(), profile.parameters.end(),
        [&](const auto &p) { return p.second == QByteArray::fromStdString(hostile); }));
    QVERIFY(seatbeltRegex("/a\"b(c)#\n*") == "^/a.b.c...[^/]*(/.*)?$");
}

void TestPolicyTexts::seatbelt_globs_data()
{
    QTest::addColumn<QString>("glob");
    QTest::addColumn<QString>("path");
    QTest::addColumn<bool>("matches");
    QTest::newRow("star stays in its component") << u"/w/*.key"_s << u"/w/a/b.key"_s << false;
    QTest::newRow("star") << u"/w/*.key"_s << u"/w/b.key"_s << true;
    QTest::newRow("below a match") << u"/w/*.d"_s << u"/w/x.d/inner"_s << true;
    QTest::newRow("two stars over none") << u"/w/**/.env"_s << u"/w/.env"_s << true;
    QTest::newRow("two stars over many") << u"/w/**/.env"_s << u"/w/a/b/c/.env"_s << true;
    QTest::newRow("the dot is a dot") << u"/w/a.b"_s << u"/w/axb"_s << false;
    QTest::newRow("question mark") << u"/w/?"_s << u"/w/ab"_s << false;
    QTest::newRow("class") << u"/w/[ab]c"_s << u"/w/ac"_s << true;
    QTest::newRow("unclosed bracket is a character") << u"/w/a[b"_s << u"/w/a[b"_s << true;
    QTest::newRow("anchored") << u"/w/x"_s << u"/v/w/x"_s << false;
}

void TestPolicyTexts::seatbelt_globs()
{
    QFETCH(const QString, glob);
    QFETCH(const QString, path);
    QFETCH(const bool, matches);
    const std::regex regex(seatbeltRegex(glob.toStdString()), std::regex::extended);
    QCOMPARE(std::regex_search(path.toStdString(), regex), matches);
}

void TestPolicyTexts::seatbelt_globOfALinkedPrefix()
{
    SeatbeltPlan plan = macPlan();
    plan.denyGlobs = { "/var/x/**/*.pem" };
    const QByteArray text = buildSeatbeltProfile(plan).text;
    QVERIFY(text.contains(
        "(deny file-read* file-write-unlink (regex #\"^/var/x/(.*/)?[^/]*[.]pem(/.*)?$\"))"));
    QVERIFY(text.contains("(regex #\"^/private/var/x/(.*/)?[^/]*[.]pem(/.*)?$\")"));
}

void TestPolicyTexts::seatbelt_programIsAbsolute()
{
    const QList<QByteArray> arguments = buildSeatbeltProfile(macPlan()).arguments({ "make" });
    QCOMPARE(arguments.first(), QByteArray("/usr/bin/sandbox-exec"));
    QVERIFY(arguments.contains("-DP3=/private/tmp/ws"));
    QCOMPARE(arguments.mid(arguments.size() - 2), (QList<QByteArray> { "--", "make" }));
}

void TestPolicyTexts::windows_quotingSurvivesTheRoundTrip()
{
    QRandomGenerator random(3);
    const std::wstring alphabet = L"ab \\\\\"\"\t\n";
    for (int round = 0; round < 3000; ++round) {
        std::vector<std::wstring> arguments { L"program.exe" };
        for (int i = 0; i < 3; ++i) {
            std::wstring argument;
            const int length = random.bounded(8);
            for (int c = 0; c < length; ++c) {
                argument += alphabet[static_cast<size_t>(
                    random.bounded(static_cast<int>(alphabet.size())))];
            }
            arguments.push_back(argument);
        }
        QVERIFY(windows::splitArguments(windows::quoteArguments(arguments)) == arguments);
    }
}

void TestPolicyTexts::windows_knownQuotings_data()
{
    QTest::addColumn<QString>("argument");
    QTest::addColumn<QString>("line");
    QTest::newRow("plain") << u"abc"_s << u"abc"_s;
    QTest::newRow("empty") << u""_s << u"\"\""_s;
    QTest::newRow("space") << u"a b"_s << u"\"a b\""_s;
    QTest::newRow("quote") << u"a\"b"_s << u"\"a\\\"b\""_s;
    QTest::newRow("backslash at the end of a quoted one") << u"a b\\"_s << u"\"a b\\\\\""_s;
    QTest::newRow("backslashes elsewhere stay") << u"c:\\d\\e"_s << u"c:\\d\\e"_s;
}

void TestPolicyTexts::windows_knownQuotings()
{
    QFETCH(const QString, argument);
    QFETCH(const QString, line);
    QCOMPARE(QString::fromStdWString(windows::quoteArguments({ argument.toStdWString() })), line);
}

void TestPolicyTexts::windows_batchFiles()
{
    QVERIFY(windows::isBatchFile(L"c:\\x\\npm.CMD"));
    QVERIFY(windows::isBatchFile(L"run.bat. "));
    QVERIFY(windows::isBatchFile(L"run.bat::$DATA"));
    QVERIFY(!windows::isBatchFile(L"c:\\x.bat\\tool.exe"));
}

void TestPolicyTexts::windows_names_data()
{
    QTest::addColumn<QString>("typed");
    QTest::addColumn<QString>("normal");
    const QString git = u"c:\\ws\\.git"_s;
    QTest::newRow("case and slashes") << u"C:/WS/.Git"_s << git;
    QTest::newRow("verbatim form") << u"\\\\?\\C:\\ws\\.git"_s << git;
    QTest::newRow("device form") << u"\\\\.\\C:\\ws\\.git"_s << git;
    QTest::newRow("stream") << u"C:\\ws\\.git::$INDEX_ALLOCATION"_s << git;
    QTest::newRow("trailing dots and spaces") << u"C:\\ws\\.git. ."_s << git;
    QTest::newRow("dot dot") << u"C:\\ws\\a\\..\\.git"_s << git;
    QTest::newRow("short name") << u"C:\\ws\\GIT~1"_s << git;
    QTest::newRow("administrative share") << u"\\\\localhost\\C$\\ws\\.git"_s << git;
    QTest::newRow("verbatim share")
        << u"\\\\?\\UNC\\server\\share\\x"_s << u"\\\\server\\share\\x"_s;
    QTest::newRow("relative") << u"ws\\.git"_s << QString();
    QTest::newRow("device") << u"\\\\.\\PhysicalDrive0"_s << QString();
}

void TestPolicyTexts::windows_names()
{
    QFETCH(const QString, typed);
    QFETCH(const QString, normal);
    const auto longName = [](const std::wstring &path) {
        std::wstring result = path;
        const size_t at = result.find(L"GIT~1");
        return at == std::wstring::npos ? result : result.replace(at, 5, L".git");
    };
    const std::optional<std::wstring> result
        = windows::normalisedPath(typed.toStdWString(), longName);
    QCOMPARE(result ? QString::fromStdWString(*result) : QString(), normal);
    if (result && normal.startsWith(u'c')) {
        QVERIFY(windows::isBelow(*result, L"c:\\ws"));
        QVERIFY(!windows::isBelow(*result, L"c:\\w"));
    }
}

void TestPolicyTexts::windows_protectedNameInAnySpelling()
{
    for (const wchar_t *name :
        { L".git", L".GIT", L".git.", L".git  ", L".git:stream", L".git::$INDEX_ALLOCATION" }) {
        QVERIFY(windows::meansName(name, L".git"));
    }
    QVERIFY(!windows::meansName(L".github", L".git"));
}

void TestPolicyTexts::windows_journalUndoesAfterACrashAnywhere()
{
    using windows::AclChange;
    const std::vector<AclChange> wanted { { L"C:\\ws", L"S-1-15-2-1",
                                              AclChange::Right::AllowWrite },
        { L"C:\\ws\\.git \x4e2d", L"S-1-15-2-1", AclChange::Right::DenyWrite } };
    // Each step of the device may be the last one that happens.
    for (int steps = 0; steps < 6; ++steps) {
        std::string disk;
        std::vector<AclChange> acls;
        int left = steps;
        const auto alive = [&left] {
            return left-- > 0;
        };
        {
            windows::AclDevice device;
            device.store = [&](const std::string &text) {
                return alive() && ((disk = text), true);
            };
            device.load = [&] {
                return disk;
            };
            device.apply = [&](const AclChange &change) {
                return alive() && (acls.push_back(change), true);
            };
            device.revoke = [](const AclChange &) {
                return false;
            }; // dead
            windows::AclJournal journal(device);
            (void)journal.apply(wanted);
        }
        windows::AclDevice next;
        next.store = [&](const std::string &text) {
            return (disk = text), true;
        };
        next.load = [&] {
            return disk;
        };
        next.apply = [](const AclChange &) {
            return true;
        };
        next.revoke = [&](const AclChange &change) {
            return std::erase(acls, change), true;
        };
        windows::AclJournal journal(next);
        QVERIFY(journal.recover());
        QVERIFY2(acls.empty(), qPrintable(u"after %1 steps"_s.arg(steps)));
        QVERIFY(disk.empty());
    }
}

void TestPolicyTexts::windows_journalKeepsWhatItCannotUndo()
{
    using windows::AclChange;
    std::string disk;
    windows::AclDevice device;
    device.store = [&](const std::string &text) {
        return (disk = text), true;
    };
    device.load = [&] {
        return disk + "garbage\n9 0041 0041\n1 00";
    };
    device.apply = [](const AclChange &) {
        return true;
    };
    device.revoke = [](const AclChange &change) {
        return change.path != L"C:\\busy";
    };
    windows::AclJournal journal(device);
    QVERIFY(journal.apply({ { L"C:\\busy", L"S-1-1-0", AclChange::Right::AllowRead },
        { L"C:\\free", L"S-1-1-0", AclChange::Right::AllowRead } }));
    QVERIFY(!journal.undoAll());
    QCOMPARE(journal.pending().size(), size_t { 1 });
    QVERIFY(!journal.recover());
    QCOMPARE(windows::AclJournal::fromText(disk).size(), size_t { 1 });
}

void TestPolicyTexts::windows_backendChoice()
{
    using namespace windows;
    QCOMPARE(chooseBackend({}).backend, Backend::AppContainer);
    Wish wish;
    wish.toolNeedsFullToken = true;
    QCOMPARE(chooseBackend(wish).backend, Backend::Refuse);
    wish.userAcceptsOpenNetwork = true;
    QCOMPARE(chooseBackend(wish).backend, Backend::RestrictedToken);
    QVERIFY(chooseBackend(wish).networkIsOpen);
    wish.hidesPaths = true;
    QCOMPARE(chooseBackend(wish).backend, Backend::Refuse);
    wish = {};
    wish.needsLocalNetwork = true;
    QCOMPARE(chooseBackend(wish).backend, Backend::Refuse);
}

void TestPolicyTexts::windows_environmentBlock()
{
    const std::wstring block = windows::environmentBlock({ L"b=2", L"A=1", L"a2=3" });
    QVERIFY(block == std::wstring(L"A=1\0a2=3\0b=2\0\0", 14));
}

QTEST_APPLESS_MAIN(TestPolicyTexts)
#include "tst_policytexts.moc"
