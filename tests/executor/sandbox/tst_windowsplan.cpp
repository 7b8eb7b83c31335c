// SPDX-License-Identifier: Apache-2.0
#include "executor/sandbox/windows/names.h"
#include "executor/sandbox/windows/plan.h"

#include <QTest>

#include <set>

using namespace Qt::StringLiterals;
using namespace deskhand::sandbox::windows;

namespace {

const std::wstring kWorkspace = L"C:\\Users\\me\\Project";
constexpr char kSid[] = "S-1-15-2-42";

/// A computer as a table.
struct Computer
{
    std::set<std::wstring> paths { L"c:\\users\\me\\project", L"c:\\users\\me\\project\\.git",
        L"c:\\users\\me\\lib", L"c:\\temp\\run" };
    bool appContainerWorks = true;
    std::wstring program = L"C:\\Tools\\tool.exe";

    [[nodiscard]] PlanFacts facts() const
    {
        PlanFacts facts;
        facts.appContainerWorks = appContainerWorks;
        facts.longName = [](const std::wstring &path) {
            return path;
        };
        facts.exists = [this](const std::wstring &path) {
            return paths.count(*normalisedPath(path, {})) > 0;
        };
        facts.findProgram = [this](const std::wstring &name) {
            return name == L"missing" ? std::wstring() : program;
        };
        facts.containerSid = [this](const std::wstring &name) {
            return appContainerWorks && !name.empty() ? QString::fromLatin1(kSid).toStdWString()
                                                      : std::wstring();
        };
        return facts;
    }
};

PlanRequest workspaceRequest()
{
    PlanRequest request;
    request.command = { L"tool", L"a b" };
    request.directory = kWorkspace;
    request.readsWholeDisk = true;
    request.rules = { { kWorkspace, PlanRule::Access::Write } };
    request.protectedNames = { L".git", L".codex" };
    request.containerName = L"deskhand-1";
    return request;
}

QStringList shown(const Plan &plan)
{
    QStringList result;
    const char *const names[] = { "read", "write", "deny-write", "deny-all" };
    for (const AclChange &change : plan.changes) {
        result.append(QLatin1StringView(names[static_cast<int>(change.right)]) + u' '
            + QString::fromStdWString(change.path));
    }
    return result;
}

} // namespace

/// From a request to what is done for it on Windows: pure, so it is tested everywhere.
class TestWindowsPlan final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void workspaceGolden();
    void nestedRules();
    void scratchHasNoProtectedNames();
    void fullAccessHasOnlyTheJob();
    void refusals_data();
    void refusals();
    void patterns_data();
    void patterns();
    void masks();
    void commandLines_data();
    void commandLines();
};

void TestWindowsPlan::workspaceGolden()
{
    const Computer computer;
    const Plan plan = makePlan(workspaceRequest(), computer.facts());
    QCOMPARE(plan.verdict, Plan::Verdict::Run);
    QCOMPARE(plan.spec.isolation, Isolation::AppContainer);
    QVERIFY(!plan.spec.internetAllowed);
    QVERIFY(plan.spec.program == computer.program);
    QVERIFY(plan.spec.arguments == std::vector<std::wstring> { L"a b" });
    QVERIFY(plan.spec.containerName == L"deskhand-1");
    QCOMPARE(shown(plan),
        (QStringList { u"write c:\\users\\me\\project"_s,
            u"deny-write c:\\users\\me\\project\\.git"_s,
            u"deny-write c:\\users\\me\\project\\.codex"_s }));
    QVERIFY(plan.guards == std::vector<std::wstring> { L"c:\\users\\me\\project\\.codex" });
    for (const AclChange &change : plan.changes) {
        QCOMPARE(QString::fromStdWString(change.sid), QString::fromLatin1(kSid));
    }
    QCOMPARE(plan.notes.size(), size_t { 1 }); // the whole disk cannot be opened for reading

    PlanRequest open = workspaceRequest();
    open.network = PlanRequest::Network::Full;
    QVERIFY(makePlan(open, computer.facts()).spec.internetAllowed);
}

void TestWindowsPlan::nestedRules()
{
    Computer computer;
    computer.paths.insert({ L"c:\\users\\me\\project\\a", L"c:\\users\\me\\project\\a\\b",
        L"c:\\users\\me\\project\\docs" });
    PlanRequest request = workspaceRequest();
    request.protectedNames = { L".git" };
    request.rules.push_back({ L"C:/Users/Me/Project/A", PlanRule::Access::Deny });
    request.rules.push_back({ kWorkspace + L"\\a\\b", PlanRule::Access::Write });
    request.rules.push_back({ kWorkspace + L"\\docs", PlanRule::Access::Read });
    request.rules.push_back({ kWorkspace + L"\\secret", PlanRule::Access::Deny });
    request.rules.push_back({ L"C:\\Users\\me\\.ssh", PlanRule::Access::Deny });
    request.rules.push_back({ L"C:\\Users\\me\\lib", PlanRule::Access::Read });
    request.rules.push_back({ kWorkspace + L"\\.GIT.\\hooks", PlanRule::Access::Write });
    const Plan plan = makePlan(request, computer.facts());
    QCOMPARE(plan.verdict, Plan::Verdict::Run);
    const QStringList changes = shown(plan);
    QCOMPARE(changes,
        (QStringList { u"read c:\\users\\me\\lib"_s, u"write c:\\users\\me\\project"_s,
            u"deny-all c:\\users\\me\\project\\a"_s, u"write c:\\users\\me\\project\\a\\b"_s,
            u"deny-write c:\\users\\me\\project\\a\\b\\.git"_s,
            u"deny-write c:\\users\\me\\project\\docs"_s,
            u"deny-all c:\\users\\me\\project\\secret"_s }));
    // A rule below .git says what is to be; the stand-ins are for what does not exist.
    QVERIFY(plan.guards
        == (std::vector<std::wstring> {
            L"c:\\users\\me\\project\\a\\b\\.git", L"c:\\users\\me\\project\\secret" }));

    // Of two rules for one path, in whatever spelling, the stricter one counts.
    request = workspaceRequest();
    request.rules.push_back({ L"c:\\USERS\\me\\project.", PlanRule::Access::Read });
    QCOMPARE(shown(makePlan(request, computer.facts())),
        (QStringList { u"read c:\\users\\me\\project"_s }));
}

void TestWindowsPlan::scratchHasNoProtectedNames()
{
    const Computer computer;
    PlanRequest request = workspaceRequest();
    request.scratch = L"C:\\Temp\\run";
    const QStringList changes = shown(makePlan(request, computer.facts()));
    QVERIFY(changes.contains(u"write c:\\temp\\run"_s));
    QVERIFY(!changes.join(u'\n').contains(u"run\\.git"_s));
}

void TestWindowsPlan::fullAccessHasOnlyTheJob()
{
    PlanRequest request = workspaceRequest();
    request.enforcement = PlanRequest::Enforcement::None;
    request.network = PlanRequest::Network::Full;
    request.writesWholeDisk = true;
    request.memoryBytes = 1000;
    request.processes = 7;
    const Computer computer;
    const Plan plan = makePlan(request, computer.facts());
    QCOMPARE(plan.verdict, Plan::Verdict::Run);
    QCOMPARE(plan.spec.isolation, Isolation::JobOnly);
    QVERIFY(plan.changes.empty() && plan.guards.empty());
    QCOMPARE(plan.spec.memoryBytes, std::uint64_t { 1000 });
    QCOMPARE(plan.spec.processes, 7U);
}

void TestWindowsPlan::refusals_data()
{
    QTest::addColumn<QString>("what");
    QTest::addColumn<int>("verdict");
    QTest::addColumn<QString>("says");
    const auto row = [](const char *what, Plan::Verdict verdict, const QString &says) {
        QTest::newRow(what) << QString::fromLatin1(what) << static_cast<int>(verdict) << says;
    };
    row("no command", Plan::Verdict::Refused, u"no command"_s);
    row("NUL", Plan::Verdict::Refused, u"NUL"_s);
    row("missing program", Plan::Verdict::NotFound, u"not found"_s);
    row("batch file", Plan::Verdict::Refused, u"batch file"_s);
    row("proxy", Plan::Verdict::Refused, u"proxy"_s);
    row("loopback", Plan::Verdict::Refused, u"loopback"_s);
    row("write the disk", Plan::Verdict::Refused, u"whole disk"_s);
    row("write a drive", Plan::Verdict::Refused, u"whole drive"_s);
    row("device path", Plan::Verdict::Refused, u"no path of a local drive"_s);
    row("outside directory", Plan::Verdict::Refused, u"not visible"_s);
    row("denied directory", Plan::Verdict::Refused, u"not visible"_s);
    row("missing directory", Plan::Verdict::NotFound, u"does not exist"_s);
    row("no containers, closed network", Plan::Verdict::Unavailable, u"close the network"_s);
    row("no containers, secrets", Plan::Verdict::Unavailable, u"hide files"_s);
    row("external, closed network", Plan::Verdict::Refused, u"can only be full"_s);
}

void TestWindowsPlan::refusals()
{
    QFETCH(QString, what);
    QFETCH(int, verdict);
    QFETCH(QString, says);
    Computer computer;
    PlanRequest request = workspaceRequest();
    if (what == u"no command"_s) {
        request.command.clear();
    } else if (what == u"NUL"_s) {
        request.command.emplace_back(L"a\0b", 3);
    } else if (what == u"missing program"_s) {
        request.command = { L"missing" };
    } else if (what == u"batch file"_s) {
        computer.program = L"C:\\Tools\\npm.CMD";
    } else if (what == u"proxy"_s) {
        request.network = PlanRequest::Network::Proxy;
    } else if (what == u"loopback"_s) {
        request.network = PlanRequest::Network::Local;
    } else if (what == u"write the disk"_s) {
        request.writesWholeDisk = true;
    } else if (what == u"write a drive"_s) {
        request.rules.push_back({ L"D:\\", PlanRule::Access::Write });
    } else if (what == u"device path"_s) {
        request.rules.push_back({ L"\\\\.\\PhysicalDrive0", PlanRule::Access::Read });
    } else if (what == u"outside directory"_s) {
        request.directory = L"C:\\Users\\me\\lib";
    } else if (what == u"denied directory"_s) {
        request.rules = { { kWorkspace, PlanRule::Access::Deny } };
    } else if (what == u"missing directory"_s) {
        request.directory = kWorkspace + L"\\gone";
    } else if (what == u"no containers, closed network"_s) {
        computer.appContainerWorks = false;
        request.rules = { { kWorkspace, PlanRule::Access::Read } };
    } else if (what == u"no containers, secrets"_s) {
        computer.appContainerWorks = false;
        request.rules.push_back({ L"C:\\Users\\me\\.ssh", PlanRule::Access::Deny });
    } else {
        request.enforcement = PlanRequest::Enforcement::External;
    }
    const Plan plan = makePlan(request, computer.facts());
    QCOMPARE(static_cast<int>(plan.verdict), verdict);
    QVERIFY2(QString::fromStdString(plan.reason).contains(says), plan.reason.c_str());
    QVERIFY(plan.changes.empty());
}

void TestWindowsPlan::patterns_data()
{
    QTest::addColumn<QString>("pattern");
    QTest::addColumn<bool>("runs");
    QTest::newRow("elsewhere") << u"C:\\Users\\me\\.cargo\\credentials*"_s << true;
    QTest::newRow("inside") << u"C:\\Users\\me\\project\\*.key"_s << false;
    QTest::newRow("above") << u"C:\\Users\\**\\*.key"_s << false;
    QTest::newRow("beside, similar name") << u"C:\\Users\\me\\project2\\*.key"_s << true;
    QTest::newRow("not absolute") << u"*.key"_s << false;
}

void TestWindowsPlan::patterns()
{
    QFETCH(QString, pattern);
    QFETCH(bool, runs);
    const Computer computer;
    PlanRequest request = workspaceRequest();
    request.rules.push_back({ pattern.toStdWString(), PlanRule::Access::Deny });
    const Plan plan = makePlan(request, computer.facts());
    QCOMPARE(plan.verdict == Plan::Verdict::Run, runs);
}

void TestWindowsPlan::masks()
{
    using Right = AclChange::Right;
    constexpr unsigned long kDeleteChild = 0x40;
    constexpr unsigned long kWriteDac = 0x40000;
    constexpr unsigned long kWriteOwner = 0x80000;
    constexpr unsigned long kReading = 0x1 | 0x20000 | 0x100000; // data, list and synchronize
    // With these a command could lift what is denied to it.
    QCOMPARE(accessMask(Right::AllowWrite) & (kDeleteChild | kWriteDac | kWriteOwner), 0UL);
    QCOMPARE(accessMask(Right::DenyWrite) & (kDeleteChild | kWriteDac | kWriteOwner),
        kDeleteChild | kWriteDac | kWriteOwner);
    // Denying to write must not deny to read.
    QCOMPARE(accessMask(Right::DenyWrite) & accessMask(Right::AllowRead), 0UL);
    QCOMPARE(accessMask(Right::DenyAll) & kReading, kReading);
    QCOMPARE(
        accessMask(Right::DenyAll) & accessMask(Right::AllowWrite), accessMask(Right::AllowWrite));

    AclChange change { L"C:\\x", L"S-1-1-0", Right::DenyAll };
    QVERIFY(AclJournal::fromText(AclJournal::toText({ change })) == std::vector { change });
}

void TestWindowsPlan::commandLines_data()
{
    QTest::addColumn<QStringList>("words");
    QTest::addColumn<QString>("line");
    QTest::newRow("program") << QStringList { u"C:\\a b\\tool.exe"_s, u"x\"y"_s }
                             << u"\"C:\\a b\\tool.exe\" \"x\\\"y\""_s;
    QTest::newRow("cmd") << QStringList { u"C:\\Windows\\System32\\CMD.EXE"_s, u"/d"_s, u"/C"_s,
        u"echo \"a\" & dir"_s }
                         << u"C:\\Windows\\System32\\CMD.EXE /d /s /C \"echo \"a\" & dir\""_s;
    QTest::newRow("cmd alone") << QStringList { u"cmd.exe"_s } << u"cmd.exe"_s;
    QTest::newRow("not cmd") << QStringList { u"mycmd.exe"_s, u"/c"_s, u"a b"_s }
                             << u"mycmd.exe /c \"a b\""_s;
}

void TestWindowsPlan::commandLines()
{
    QFETCH(QStringList, words);
    QFETCH(QString, line);
    std::vector<std::wstring> wide;
    for (const QString &word : std::as_const(words)) {
        wide.push_back(word.toStdWString());
    }
    QCOMPARE(QString::fromStdWString(commandLine(wide)), line);
}

QTEST_APPLESS_MAIN(TestWindowsPlan)
#include "tst_windowsplan.moc"
