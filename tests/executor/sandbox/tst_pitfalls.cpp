// SPDX-License-Identifier: Apache-2.0
#include "executor/sandbox/bubblewrapchoice.h"
#include "executor/sandbox/bwraparguments.h"
#include "executor/sandbox/guards.h"
#include "executor/sandbox/preflight.h"
#include "executor/sandbox/resolvedpolicy.h"
#include "executor/sandbox/sandboxedrun.h"
#include "executor/sandbox/tools.h"
#include "executor/sandbox/workspacechanges.h"
#include "tests/executor/sandbox/sandboxfolders.h"

#include <QTest>

#include <sys/stat.h>
#include <unistd.h>

using namespace Qt::StringLiterals;
using namespace deskhand::sandbox;
using deskhand::test::SandboxFolders;

namespace {

PolicyEntry entry(const std::string &path, Access access, PathKind kind = PathKind::Directory)
{
    PolicyEntry result;
    result.path = path;
    result.access = access;
    result.kind = kind;
    result.origin = Origin::Rule;
    return result;
}

PolicyEntry guard(const std::string &path)
{
    PolicyEntry result = entry(path, Access::Read, PathKind::Missing);
    result.guard = true;
    result.origin = Origin::ProtectedName;
    return result;
}

BwrapFeatures full()
{
    return { true, true, true, true, true, false };
}

BwrapPlan workspacePlan()
{
    BwrapPlan plan;
    plan.features = full();
    plan.entries = { entry("/", Access::Read), entry("/w", Access::Write),
        entry("/w/.git", Access::Read), guard("/w/.codex"), entry("/home/u/.ssh", Access::Deny),
        entry("/home/u/.netrc", Access::Deny, PathKind::File) };
    plan.privatePlaces = { { "/run", 100, false }, { "/tmp", 200, false } };
    plan.sharedMemoryBytes = 300;
    plan.binds = { { "/opt/helper", "/run/deskhand/sandbox-init" } };
    plan.directory = "/w";
    plan.command = { "/run/deskhand/sandbox-init", "init", "--", "true" };
    return plan;
}

/// The options as one text, so that a failure shows the whole vector.
QString vector(const BwrapPlan &plan)
{
    const deskhand::Result<BwrapCommand> command = buildBwrapCommand(plan);
    if (!command) {
        return u"refused: "_s + command.error().message;
    }
    return QString::fromUtf8(command->options.join(' '));
}

qsizetype at(const QString &text, const QString &part)
{
    return (text + u' ').indexOf(part + u' ');
}

} // namespace

#define VERIFY_ORDER(text, first, second)                                                          \
    QVERIFY2(at(text, first) >= 0 && at(text, second) >= 0 && at(text, first) < at(text, second),  \
        qPrintable(text))

/// One function for each pitfall of wrapping commands in bubblewrap; the numbers are those of the
/// table in docs/sandbox.md.
class TestPitfalls final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void golden_workspace();
    void pitfall01_rootComesFirst();
    void pitfall02_parentBeforeReadOnlyChild();
    void pitfall03_privatePlacesBeforeWorkspaces();
    void pitfall04_missingSources();
    void pitfall05_guardIsRemovedOnlyWhenOurs();
    void pitfall06_noGuardInsideABiggerRepository();
    void pitfall07_protectedNameIsALink();
    void pitfall08_denyThroughAWritableLink();
    void pitfall09_workspaceGivenThroughALink();
    void pitfall10_deviceFileSystemsAreBounded();
    void pitfall11_newSessionAlways();
    void pitfall12_consoleIsCoveredByTheFilter();
    void pitfall13_rootBecomesTheOwner();
    void pitfall14_userNamespaceIsNamed();
    void pitfall15_nestedWallsAreExplained();
    void pitfall16_setUserIdProgram();
    void pitfall17_appArmorTexts();
    void pitfall18_refusedProc();
    void pitfall19_plantedProgramIsSkipped();
    void pitfall20_optionsDecideNotVersions();
    void pitfall21_noUserNamespaces();
    void pitfall22_hardLinksAreReported();
    void pitfall23_nestedRepositoriesAreMasked();
    void pitfall24_sysctlsAreReadOnly();
    void pitfall25_lastUserRemovesTheGuard();
    void pitfall26_helperOutsideTheView();
    void nestedCarveOuts();
    void siblingWithACommonPrefix();
    void tooManyArgumentsAreRefused();
    void emptyRootKeepsLinks();
};

void TestPitfalls::golden_workspace()
{
    QCOMPARE(vector(workspacePlan()),
        u"--unshare-user --unshare-pid --unshare-ipc --unshare-uts --unshare-cgroup-try "
        u"--unshare-net "
        "--disable-userns --die-with-parent --new-session --hostname sandbox --cap-drop ALL "
        "--as-pid-1 "
        "--ro-bind / / --dev /dev --perms 1777 --size 300 --tmpfs /dev/shm --remount-ro /dev "
        "--proc /proc --ro-bind /proc/sys /proc/sys "
        "--perms 755 --size 100 --tmpfs /run --perms 1777 --size 200 --tmpfs /tmp "
        "--ro-bind /opt/helper /run/deskhand/sandbox-init "
        "--perms 000 --ro-bind-data 10 /home/u/.netrc "
        "--perms 000 --tmpfs /home/u/.ssh --remount-ro /home/u/.ssh "
        "--bind /w /w "
        "--perms 555 --tmpfs /w/.codex --remount-ro /w/.codex "
        "--ro-bind /w/.git /w/.git "
        "--chdir /w"_s);
}

void TestPitfalls::pitfall01_rootComesFirst()
{
    const QString text = vector(workspacePlan());
    VERIFY_ORDER(text, u"--ro-bind / /"_s, u"--dev /dev"_s);
    VERIFY_ORDER(text, u"--ro-bind / /"_s, u"--proc /proc"_s);
}

void TestPitfalls::pitfall02_parentBeforeReadOnlyChild()
{
    BwrapPlan plan = workspacePlan();
    std::reverse(plan.entries.begin(), plan.entries.end());
    VERIFY_ORDER(vector(plan), u"--bind /w /w"_s, u"--ro-bind /w/.git /w/.git"_s);
}

void TestPitfalls::pitfall03_privatePlacesBeforeWorkspaces()
{
    BwrapPlan plan = workspacePlan();
    plan.entries.push_back(entry("/tmp/work", Access::Write));
    VERIFY_ORDER(vector(plan), u"--tmpfs /tmp"_s, u"--bind /tmp/work /tmp/work"_s);
}

void TestPitfalls::pitfall04_missingSources()
{
    BwrapPlan plan = workspacePlan();
    plan.entries.push_back(entry("/gone", Access::Write, PathKind::Missing));
    QVERIFY(!vector(plan).contains(u"/gone"_s));

    const SandboxFolders folders(SandboxFolders::Owner::Self);
    PermissionProfile profile = PermissionProfile::workspace();
    profile.files.rules.append({ { RuleTarget::Kind::Path, folders.outside() + u"/gone"_s },
        Access::Write, OnMissing::Default });
    const auto policy
        = ResolvedPolicy::resolve(profile, { { folders.workspace() }, folders.home(), {}, {}, {} });
    QVERIFY(policy.has_value());
    QVERIFY(policy->notes().join(u'\n').contains(u"/gone does not exist"_s));
    profile.files.rules.last().onMissing = OnMissing::Error;
    QVERIFY(!ResolvedPolicy::resolve(profile,
        { { folders.workspace() }, folders.home(), {}, {},
            {} }).has_value());
}

void TestPitfalls::pitfall05_guardIsRemovedOnlyWhenOurs()
{
    const SandboxFolders folders(SandboxFolders::Owner::Self);
    const QString codex = folders.workspace() + u"/.codex"_s;
    const QString agents = folders.workspace() + u"/.agents"_s;
    QVERIFY(QDir().mkpath(agents)); // an empty directory of the owner's own
    const auto policy = ResolvedPolicy::resolve(
        PermissionProfile::workspace(), { { folders.workspace() }, folders.home(), {}, {}, {} });
    QVERIFY(policy.has_value());
    {
        GuardSet guards;
        QVERIFY(guards.stand(*policy).has_value());
        QVERIFY(QFileInfo::exists(codex));
        QVERIFY(guards.release().isEmpty());
    }
    QVERIFY(!QFileInfo::exists(codex));
    QVERIFY(QFileInfo::exists(agents));
    {
        // Content in it is not removed, and it is reported.
        GuardSet guards;
        QVERIFY(guards.stand(*policy).has_value());
        QVERIFY(QDir().mkpath(codex + u"/made"_s));
        QCOMPARE(guards.release(), QStringList(codex));
    }
    QVERIFY(QFileInfo::exists(codex));
}

void TestPitfalls::pitfall06_noGuardInsideABiggerRepository()
{
    const SandboxFolders folders(SandboxFolders::Owner::Self);
    const QString sub = folders.workspace() + u"/sub"_s;
    QVERIFY(QDir().mkpath(sub));
    QProcess git;
    git.start(u"git"_s, { u"init"_s, u"-q"_s, folders.workspace() });
    QVERIFY(git.waitForFinished());
    SandboxRequest request;
    request.directory = sub;
    request.command = { "/bin/sh", "-c", "git rev-parse --show-toplevel && mkdir -p .git/hooks" };
    deskhand::process::RunControl control;
    const SandboxResult result = runSandboxed(request, control);
    QVERIFY2(result.outcome.output.retained.joined().contains(folders.workspace().toUtf8()),
        result.outcome.merged.joined().constData());
    QVERIFY(!QFileInfo::exists(sub + u"/.git"_s));
    QCOMPARE(result.violations, QStringList(sub + u"/.git"_s));
    QCOMPARE(result.denials.value(0).grade, DenialGrade::Certain);
}

void TestPitfalls::pitfall07_protectedNameIsALink()
{
    const SandboxFolders folders(SandboxFolders::Owner::Self);
    QVERIFY(QFile::link(folders.outside(), folders.workspace() + u"/.git"_s));
    const auto policy = ResolvedPolicy::resolve(
        PermissionProfile::workspace(), { { folders.workspace() }, folders.home(), {}, {}, {} });
    QVERIFY(!policy.has_value());
    QCOMPARE(policy.error().kind, deskhand::ErrorKind::Policy);
    QVERIFY(policy.error().message.contains(folders.workspace() + u"/.git"_s));
}

void TestPitfalls::pitfall08_denyThroughAWritableLink()
{
    const SandboxFolders folders(SandboxFolders::Owner::Self);
    QVERIFY(QDir().mkpath(folders.outside() + u"/secret"_s));
    QVERIFY(QFile::link(folders.outside(), folders.workspace() + u"/link"_s));
    PermissionProfile profile = PermissionProfile::workspace();
    profile.files.rules.append(
        { { RuleTarget::Kind::Path, folders.workspace() + u"/link/secret"_s }, Access::Deny,
            OnMissing::Default });
    const auto policy
        = ResolvedPolicy::resolve(profile, { { folders.workspace() }, folders.home(), {}, {}, {} });
    QVERIFY(!policy.has_value());
    QVERIFY2(policy.error().message.contains(folders.workspace() + u"/link"_s),
        qPrintable(policy.error().message));
}

void TestPitfalls::pitfall09_workspaceGivenThroughALink()
{
    const SandboxFolders folders(SandboxFolders::Owner::Self);
    const QString link = folders.outside() + u"/by-link"_s;
    QVERIFY(QFile::link(folders.workspace(), link));
    SandboxRequest request;
    request.directory = link;
    request.command = { "/bin/sh", "-c", "echo x > f; echo $PWD" };
    deskhand::process::RunControl control;
    const SandboxResult result = runSandboxed(request, control);
    QVERIFY2(result.exitStatus() == 0, qPrintable(result.error.message));
    QCOMPARE(result.outcome.output.retained.joined().trimmed(), link.toUtf8());
    QVERIFY(QFileInfo::exists(folders.workspace() + u"/f"_s));
}

void TestPitfalls::pitfall10_deviceFileSystemsAreBounded()
{
    const QString text = vector(workspacePlan());
    VERIFY_ORDER(text, u"--size 300 --tmpfs /dev/shm"_s, u"--remount-ro /dev"_s);
}

void TestPitfalls::pitfall11_newSessionAlways()
{
    // Also on a terminal: the helper opens a second session there and takes the terminal into it.
    QVERIFY(vector(workspacePlan()).contains(u"--new-session"_s));
}

void TestPitfalls::pitfall12_consoleIsCoveredByTheFilter()
{
    const SandboxFolders folders(SandboxFolders::Owner::Self);
    SandboxRequest request;
    request.directory = folders.workspace();
    request.terminal = deskhand::process::TerminalSize {};
    request.command = { "/usr/bin/perl", "-e",
        "for my $n ('/dev/tty', '/dev/console') { open(my $f, '+<', $n) or next;"
        " my $c = 'x'; print ioctl($f, 0x5412, $c) ? \"IN\" : \"no $!\", \"\\n\";"
        " print ioctl($f, 0x541C, $c) ? \"IN\" : \"no $!\", \"\\n\"; }" };
    deskhand::process::RunControl control;
    const QByteArray output = runSandboxed(request, control).outcome.output.retained.joined();
    QVERIFY2(!output.contains("IN"), output.constData());
    QVERIFY2(output.contains("not permitted"), output.constData());
}

void TestPitfalls::pitfall13_rootBecomesTheOwner()
{
    if (geteuid() != 0) {
        QSKIP("needs root");
    }
    const SandboxFolders folders(SandboxFolders::Owner::User);
    SandboxRequest request;
    request.directory = folders.workspace();
    request.command
        = { "/bin/sh", "-c", "id -u; id -G; echo x > made; grep CapEff /proc/self/status" };
    deskhand::process::RunControl control;
    const SandboxResult result = runSandboxed(request, control);
    const QByteArray output = result.outcome.output.retained.joined();
    QVERIFY2(output.startsWith("12345\n12345\n"),
        qPrintable(QString::fromUtf8(output) + result.error.message));
    QVERIFY(output.contains("CapEff:\t0000000000000000"));
    struct stat info
    { };
    QCOMPARE(stat(QFile::encodeName(folders.workspace() + u"/made"_s).constData(), &info), 0);
    QCOMPARE(info.st_uid, SandboxFolders::kTestUid);
}

void TestPitfalls::pitfall14_userNamespaceIsNamed()
{
    for (const NetworkMode mode :
        { NetworkMode::Off, NetworkMode::Local, NetworkMode::Proxy, NetworkMode::Full }) {
        BwrapPlan plan = workspacePlan();
        plan.network = mode;
        const QString text = vector(plan);
        QVERIFY(text.startsWith(u"--unshare-user "_s));
        QVERIFY(text.contains(u"--cap-drop ALL"_s));
        QCOMPARE(text.contains(u"--unshare-net"_s), mode != NetworkMode::Full);
    }
}

void TestPitfalls::pitfall15_nestedWallsAreExplained()
{
    qputenv("DESKHAND_SANDBOX", "bwrap");
    const deskhand::Error error = explainWallFailure(
        { deskhand::ErrorKind::Process, u"bwrap: Can't mount proc on /newroot/proc"_s, {} });
    qunsetenv("DESKHAND_SANDBOX");
    QVERIFY(error.message.contains(u"already runs inside a sandbox"_s));
    QVERIFY(error.hint.contains(u"external"_s));
}

void TestPitfalls::pitfall16_setUserIdProgram()
{
    BwrapPlan plan = workspacePlan();
    plan.features.setUserId = true;
    const QString text = vector(plan);
    QVERIFY(!text.contains(u"--size"_s));
    QVERIFY(!text.contains(u"--disable-userns"_s));
    QVERIFY(text.contains(u"--perms 1777 --tmpfs /dev/shm"_s));
}

void TestPitfalls::pitfall17_appArmorTexts()
{
    for (const QString &text : { u"bwrap: setting up uid map: Permission denied"_s,
             u"bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted"_s,
             u"bwrap: loopback: Failed RTM_NEWLINK: Operation not permitted"_s }) {
        const deskhand::Error error
            = explainWallFailure({ deskhand::ErrorKind::Process, text, {} });
        QCOMPARE(error.kind, deskhand::ErrorKind::Unavailable);
        QVERIFY(error.message.contains(u"without power"_s));
        QVERIFY(!error.hint.isEmpty());
        QVERIFY2(!error.hint.contains(u"apparmor_restrict"_s),
            "never advise to switch the restriction off");
    }
}

void TestPitfalls::pitfall18_refusedProc()
{
    const deskhand::Error error = explainWallFailure({ deskhand::ErrorKind::Process,
        u"bwrap: Can't mount proc on /newroot/proc: Operation not permitted"_s, {} });
    QVERIFY(error.message.contains(u"process view"_s));
    QVERIFY(error.hint.contains(u"/proc"_s));
}

void TestPitfalls::pitfall19_plantedProgramIsSkipped()
{
    const SandboxFolders folders(SandboxFolders::Owner::Self);
    const QString planted = folders.workspace() + u"/bwrap"_s;
    QVERIFY(QFile::copy(u"/bin/true"_s, planted));
    const QString link = folders.outside() + u"/bwrap"_s;
    QVERIFY(QFile::link(planted, link));
    const deskhand::Result<QString> found
        = findBubblewrap({ planted, link, u"/usr/bin/bwrap"_s }, { folders.workspace() });
    QVERIFY(found.has_value());
    QCOMPARE(*found, u"/usr/bin/bwrap"_s);
    const deskhand::Result<QString> none
        = findBubblewrap({ planted, link }, { folders.workspace() });
    QVERIFY(!none.has_value());
    QVERIFY(none.error().message.contains(u"where commands may write"_s));
}

void TestPitfalls::pitfall20_optionsDecideNotVersions()
{
    const BwrapFeatures old
        = BwrapFeatures::fromHelp("usage: bwrap\n --args FD\n --tmpfs DEST\n", false);
    QVERIFY(!old.sufficient());
    const deskhand::Result<BwrapFeatures> present = bubblewrapFeatures(u"/usr/bin/bwrap"_s);
    QVERIFY(present.has_value());
    QVERIFY(present->sufficient());
}

void TestPitfalls::pitfall21_noUserNamespaces()
{
    const deskhand::Error error = explainWallFailure({ deskhand::ErrorKind::Process,
        u"bwrap: No permissions to create a new namespace, likely because the kernel does not allow it"_s,
        {} });
    QVERIFY(error.message.contains(u"does not allow user namespaces"_s));
    QVERIFY(!error.hint.isEmpty());
}

void TestPitfalls::pitfall22_hardLinksAreReported()
{
    const SandboxFolders folders(SandboxFolders::Owner::Self);
    QFile outside(folders.outside() + u"/shared"_s);
    QVERIFY(outside.open(QIODevice::WriteOnly));
    outside.close();
    QCOMPARE(link(QFile::encodeName(outside.fileName()).constData(),
                 QFile::encodeName(folders.workspace() + u"/alias"_s).constData()),
        0);
    SandboxRequest request;
    request.directory = folders.workspace();
    request.command = { "/bin/sh", "-c", "echo changed >> alias" };
    deskhand::process::RunControl control;
    QCOMPARE(runSandboxed(request, control).linkedOutside,
        QStringList(folders.workspace() + u"/alias"_s));
}

void TestPitfalls::pitfall23_nestedRepositoriesAreMasked()
{
    const SandboxFolders folders(SandboxFolders::Owner::Self);
    QVERIFY(QDir().mkpath(folders.workspace() + u"/lib/old/.git/hooks"_s));
    SandboxRequest request;
    request.directory = folders.workspace();
    request.command = { "/bin/sh", "-c",
        "echo x > lib/old/.git/hooks/pre-commit; mkdir -p lib/new/.git; true" };
    deskhand::process::RunControl control;
    const SandboxResult result = runSandboxed(request, control);
    QVERIFY(!QFileInfo::exists(folders.workspace() + u"/lib/old/.git/hooks/pre-commit"_s));
    QCOMPARE(result.newRepositories, QStringList(folders.workspace() + u"/lib/new/.git"_s));
}

void TestPitfalls::pitfall24_sysctlsAreReadOnly()
{
    VERIFY_ORDER(vector(workspacePlan()), u"--proc /proc"_s, u"--ro-bind /proc/sys /proc/sys"_s);
    const SandboxFolders folders(SandboxFolders::Owner::Self);
    SandboxRequest request;
    request.directory = folders.workspace();
    request.command = { "/bin/sh", "-c",
        "v=$(cat /proc/sys/kernel/core_pattern); echo \"$v\" > /proc/sys/kernel/core_pattern && "
        "echo WROTE" };
    deskhand::process::RunControl control;
    QVERIFY(!runSandboxed(request, control).outcome.output.retained.joined().contains("WROTE"));
}

void TestPitfalls::pitfall25_lastUserRemovesTheGuard()
{
    const SandboxFolders folders(SandboxFolders::Owner::Self);
    const QString codex = folders.workspace() + u"/.codex"_s;
    const auto policy = ResolvedPolicy::resolve(
        PermissionProfile::workspace(), { { folders.workspace() }, folders.home(), {}, {}, {} });
    QVERIFY(policy.has_value());
    GuardSet first;
    GuardSet second;
    QVERIFY(first.stand(*policy).has_value());
    QVERIFY(second.stand(*policy).has_value());
    QVERIFY(first.release().isEmpty());
    QVERIFY2(QFileInfo::exists(codex), "the second run still needs it");
    QVERIFY(second.release().isEmpty());
    QVERIFY(!QFileInfo::exists(codex));

    // What a killed program left is found by its mark and removed.
    GuardSet killed;
    QVERIFY(killed.stand(*policy).has_value());
    GuardSet::sweep({ folders.workspace() }, FilePolicy::defaultProtectedNames());
    QVERIFY2(QFileInfo::exists(codex), "it is in use");
    const QString mark = folders.workspace() + u"/.agents"_s;
    QVERIFY(killed.release().isEmpty());
    QVERIFY(QDir().mkpath(mark));
    GuardSet::sweep({ folders.workspace() }, FilePolicy::defaultProtectedNames());
    QVERIFY2(QFileInfo::exists(mark), "an empty directory of somebody else's stays");
}

void TestPitfalls::pitfall26_helperOutsideTheView()
{
    // Wherever the helper lies on the host, inside it is bound at one place in the private /run.
    BwrapPlan plan = workspacePlan();
    plan.binds = { { "/tmp/build/helper", "/run/deskhand/sandbox-init" } };
    const QString text = vector(plan);
    VERIFY_ORDER(
        text, u"--tmpfs /tmp"_s, u"--ro-bind /tmp/build/helper /run/deskhand/sandbox-init"_s);
    QVERIFY(findHelper().has_value());
    const SandboxFolders folders(SandboxFolders::Owner::Self);
    const QString other = folders.outside() + u"/deskhand-sandbox-init"_s;
    QVERIFY(QFile::copy(u"/bin/true"_s, other));
    const deskhand::Result<> replaced = verifyHelper(other);
    QVERIFY(!replaced.has_value());
    QCOMPARE(replaced.error().kind, deskhand::ErrorKind::Unavailable);
}

void TestPitfalls::nestedCarveOuts()
{
    BwrapPlan plan = workspacePlan();
    plan.entries = { entry("/w", Access::Write), entry("/w/a", Access::Deny),
        entry("/w/a/x/b", Access::Write), entry("/w/a/x/b/c", Access::Read) };
    const QString text = vector(plan);
    QVERIFY2(text.contains(u"--bind /w /w --perms 111 --tmpfs /w/a --perms 111 --dir /w/a/x --bind "
                           u"/w/a/x/b /w/a/x/b "
                           "--ro-bind /w/a/x/b/c /w/a/x/b/c --remount-ro /w/a"_s),
        qPrintable(text));
}

void TestPitfalls::siblingWithACommonPrefix()
{
    BwrapPlan plan = workspacePlan();
    plan.entries
        = { entry("/w", Access::Write), entry("/w-b", Access::Write), entry("/w/c", Access::Read) };
    const QString text = vector(plan);
    QVERIFY2(
        text.contains(u"--bind /w /w --ro-bind /w/c /w/c --bind /w-b /w-b"_s), qPrintable(text));
}

void TestPitfalls::tooManyArgumentsAreRefused()
{
    BwrapPlan plan = workspacePlan();
    for (int i = 0; i < 4000; ++i) {
        plan.entries.push_back(entry("/w/f" + std::to_string(i), Access::Deny, PathKind::File));
    }
    QVERIFY(vector(plan).startsWith(u"refused: "_s));
}

void TestPitfalls::emptyRootKeepsLinks()
{
    BwrapPlan plan = workspacePlan();
    plan.root = Access::Deny;
    PolicyEntry link = entry("/bin", Access::Read, PathKind::Symlink);
    link.alias = true;
    link.subject = "/usr/bin";
    plan.entries = { entry("/usr/bin", Access::Read), link, entry("/w", Access::Write) };
    const QString text = vector(plan);
    QVERIFY2(text.contains(u"--tmpfs / --dev /dev"_s), qPrintable(text));
    VERIFY_ORDER(text, u"--symlink /usr/bin /bin"_s, u"--remount-ro /"_s);
}

QTEST_GUILESS_MAIN(TestPitfalls)
#include "tst_pitfalls.moc"
