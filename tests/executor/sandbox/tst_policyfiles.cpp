// SPDX-License-Identifier: Apache-2.0
#include "executor/sandbox/commandrules.h"
#include "executor/sandbox/commandsplitter.h"
#include "executor/sandbox/denial.h"
#include "executor/sandbox/environment.h"
#include "executor/sandbox/policyloader.h"
#include "executor/sandbox/resolvedpolicy.h"

#include <QJsonDocument>
#include <QTemporaryDir>
#include <QTest>

using namespace Qt::StringLiterals;
using namespace deskhand::sandbox;

namespace {

QJsonObject object(const QByteArray &json)
{
    return QJsonDocument::fromJson(json).object();
}

} // namespace

/// Policy files, command rules, environment and denials: what is read, what is decided, without any
/// sandbox running.
class TestPolicyFiles final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void profilesExtendEachOther();
    void circlesAreRefused();
    void badFilesNameTheKey_data();
    void badFilesNameTheKey();
    void unknownTargetsAreKeptWithoutEffect();
    void projectCanOnlyNarrow();
    void managedLayerWins();
    void precedenceOfRules();
    void gitFileAndCommonDirectory();
    void splitting_data();
    void splitting();
    void savedRuleDoesNotLetChainsPass_data();
    void savedRuleDoesNotLetChainsPass();
    void savedPrefixServesLaterCommands();
    void strictestRuleWins();
    void absoluteProgramsOnlyWhenListed();
    void examplesAreChecked();
    void approvalModes();
    void retryAsksForOneThing();
    void environmentIsFiltered();
    void markersCannotBeOverridden();
    void denialGrades();
};

void TestPolicyFiles::profilesExtendEachOther()
{
    PolicySet set;
    QVERIFY(set.addLayer(PolicyLayer::User, R"({"profiles":{
        "web":{"extends":":workspace","network":{"domains":{"*.example.org":"allow"}},"limits":{"wall_ms":5000}},
        "web2":{"extends":"web","files":{"rules":[{"target":"~/x","access":"none"}]}}}})")
                .has_value());
    const auto profile = set.profile(u"web2"_s);
    QVERIFY(profile.has_value());
    QCOMPARE(profile->id, u"web2"_s);
    QCOMPARE(profile->network.mode, NetworkMode::Proxy);
    QCOMPARE(profile->limits.wall, std::chrono::milliseconds(5000));
    QCOMPARE(profile->files.rules.last().access, Access::Deny);
    QCOMPARE(profile->files.rules.size(), 3);
    QVERIFY(!set.profile(u"none"_s).has_value());
}

void TestPolicyFiles::circlesAreRefused()
{
    PolicySet set;
    QVERIFY(
        set.addLayer(PolicyLayer::User, R"({"profiles":{"a":{"extends":"b"},"b":{"extends":"a"}}})")
            .has_value());
    const auto profile = set.profile(u"a"_s);
    QVERIFY(!profile.has_value());
    QVERIFY(profile.error().message.contains(u"a -> b -> a"_s));
}

void TestPolicyFiles::badFilesNameTheKey_data()
{
    QTest::addColumn<QByteArray>("json");
    QTest::addColumn<QString>("named");
    const auto profile = [](const QByteArray &body) {
        return R"({"profiles":{"p":{)" + body + "}}}";
    };
    QTest::newRow("no JSON") << QByteArray("{") << QString();
    QTest::newRow("built-in name")
        << QByteArray(R"({"profiles":{":workspace":{}}})") << u":workspace"_s;
    QTest::newRow("mode") << profile(R"("network":{"mode":"some"})") << u"mode"_s;
    QTest::newRow("lone star") << profile(R"("network":{"domains":{"*":"allow"}})") << u"*"_s;
    QTest::newRow("domain answer")
        << profile(R"("network":{"domains":{"x.org":"yes"}})") << u"domains"_s;
    QTest::newRow("access") << profile(R"("files":{"rules":[{"target":"/x","access":"exec"}]})")
                            << u"access"_s;
    QTest::newRow("writing pattern")
        << profile(R"("files":{"rules":[{"target":"/x/*","access":"write"}]})") << u"/x/*"_s;
    QTest::newRow("pattern over the whole disk")
        << profile(R"("files":{"rules":[{"target":"/**/x","access":"deny"}]})") << u"/**/x"_s;
    QTest::newRow("protected path")
        << profile(R"("files":{"protected_names":["a/b"]})") << u"protected_names"_s;
    QTest::newRow("negative limit") << profile(R"("limits":{"processes":-1})") << u"processes"_s;
    QTest::newRow("limit over the ceiling")
        << profile(R"("limits":{"wall_ms":99999999})") << u"wall_ms"_s;
    QTest::newRow("limit of another type")
        << profile(R"("limits":{"wall_ms":"1"})") << u"wall_ms"_s;
    QTest::newRow("start") << profile(R"("environment":{"start":"some"})") << u"start"_s;
    QTest::newRow("list of another type")
        << profile(R"("environment":{"excludes":"X"})") << u"excludes"_s;
}

void TestPolicyFiles::badFilesNameTheKey()
{
    QFETCH(const QByteArray, json);
    QFETCH(const QString, named);
    PolicySet set;
    const auto added = set.addLayer(PolicyLayer::User, json);
    QVERIFY(!added.has_value());
    QVERIFY2(added.error().message.contains(named), qPrintable(added.error().message));
    QVERIFY(set.profile(PermissionProfile::kWorkspace).has_value());
}

void TestPolicyFiles::unknownTargetsAreKeptWithoutEffect()
{
    PolicySet set;
    QVERIFY(
        set.addLayer(PolicyLayer::User,
               R"({"profiles":{"p":{"files":{"rules":[{"target":"future_thing","access":"write"}]}}}})")
            .has_value());
    const auto profile = set.profile(u"p"_s);
    QCOMPARE(profile->files.rules.last().target.kind, RuleTarget::Kind::Unknown);
    const QTemporaryDir folder;
    const auto policy
        = ResolvedPolicy::resolve(*profile, { { folder.path() }, folder.path(), {}, {}, {} });
    QVERIFY(policy.has_value());
    QVERIFY(policy->notes().join(u' ').contains(u"future_thing"_s));
    QVERIFY(policy->writableRoots().empty());
}

void TestPolicyFiles::projectCanOnlyNarrow()
{
    const QByteArray file = R"({"default_profile":":danger-full-access",
        "profiles":{"mine":{"extends":":danger-full-access"}},
        "narrow":{"enforcement":"none","network":{"mode":"full"},
                  "files":{"rules":[{"target":"/data","access":"write"},{"target":"/data/x","access":"deny"}],
                           "secret_paths":[],"protected_names":["dist"]},
                  "limits":{"processes":9}}})";
    PolicySet set;
    QVERIFY(set.addLayer(PolicyLayer::Project, file).has_value());
    QVERIFY(!set.reports().isEmpty());
    QVERIFY(!set.profile(u"mine"_s).has_value());
    // Nothing counts before the project is trusted.
    QCOMPARE(set.profile(PermissionProfile::kReadOnly)->limits.processes, 512);
    set.setProjectTrusted(true);
    const auto profile = set.profile(PermissionProfile::kReadOnly);
    QCOMPARE(profile->enforcement, Enforcement::Managed);
    QCOMPARE(profile->network.mode, NetworkMode::Off);
    QCOMPARE(profile->limits.processes, 9);
    QVERIFY(profile->files.secretPaths.contains(u"~/.ssh"_s));
    QVERIFY(profile->files.protectedNames.contains(u".git"_s));
    QVERIFY(profile->files.protectedNames.contains(u"dist"_s));
    const QList<FileRule> &rules = profile->files.rules;
    QVERIFY(std::none_of(rules.begin(), rules.end(),
        [](const FileRule &rule) { return rule.access == Access::Write; }));
    QCOMPARE(rules.last().target.path, u"/data/x"_s);
}

void TestPolicyFiles::managedLayerWins()
{
    PolicySet set;
    QVERIFY(set.addLayer(PolicyLayer::User,
                   R"({"profiles":{"p":{"extends":":workspace","limits":{"processes":100}}}})")
                .has_value());
    QVERIFY(
        set.addLayer(PolicyLayer::Managed,
               R"({"profiles":{"p":{"extends":":read-only","limits":{"processes":50}}},"narrow":{"limits":{"processes":40}}})")
            .has_value());
    const auto profile = set.profile(u"p"_s);
    QCOMPARE(profile->limits.processes, 40);
    QCOMPARE(profile->files.rules.size(), 1);
}

void TestPolicyFiles::precedenceOfRules()
{
    const QTemporaryDir folder;
    const QString top = folder.path();
    QVERIFY(QDir().mkpath(top + u"/repo/a/b/c"_s));
    QVERIFY(QDir().mkpath(top + u"/repo/.git/hooks"_s));
    PermissionProfile profile = PermissionProfile::workspace();
    const auto rule = [&](const QString &path, Access access) {
        profile.files.rules.append(
            { { RuleTarget::Kind::Path, top + path }, access, OnMissing::Default });
    };
    rule(u"/repo/a"_s, Access::Deny);
    rule(u"/repo/a/b"_s, Access::Write);
    rule(u"/repo/a/b/c"_s, Access::Write);
    rule(u"/repo/a/b/c"_s, Access::Read);
    auto policy = ResolvedPolicy::resolve(profile, { { top + u"/repo"_s }, top, {}, {}, {} });
    QVERIFY(policy.has_value());
    const auto access = [&](const QString &path) {
        return policy->verdict(top + path, Access::Read).effective;
    };
    QCOMPARE(access(u"/repo/x"_s), Access::Write);
    QCOMPARE(access(u"/repo/a/x"_s), Access::Deny);
    QCOMPARE(access(u"/repo/a/b/x"_s), Access::Write);
    QCOMPARE(access(u"/repo/a/b/c/x"_s), Access::Read);
    QCOMPARE(access(u"/repo/.git/hooks/x"_s), Access::Read);
    QCOMPARE(policy->verdict(top + u"/repo/.git/hooks/x"_s, Access::Write).reason,
        u"write denied: .git is protected in %1/repo"_s.arg(QDir(top).canonicalPath()));
    // Only a rule that names the very path lifts the protection.
    rule(u"/repo/.git"_s, Access::Write);
    policy = ResolvedPolicy::resolve(profile, { { top + u"/repo"_s }, top, {}, {}, {} });
    QCOMPARE(access(u"/repo/.git/hooks/x"_s), Access::Write);
}

void TestPolicyFiles::gitFileAndCommonDirectory()
{
    const QTemporaryDir folder;
    const QString top = QDir(folder.path()).canonicalPath();
    QVERIFY(QDir().mkpath(top + u"/ws/main/.git/worktrees/w"_s));
    QVERIFY(QDir().mkpath(top + u"/ws/tree"_s));
    const auto write = [](const QString &path, const QByteArray &text) {
        QFile file(path);
        return file.open(QIODevice::WriteOnly) && file.write(text) == text.size();
    };
    QVERIFY(write(top + u"/ws/.git"_s, "gitdir: main/.git/worktrees/w\n"));
    QVERIFY(write(top + u"/ws/main/.git/worktrees/w/commondir"_s, "../..\n"));
    const auto policy = ResolvedPolicy::resolve(
        PermissionProfile::workspace(), { { top + u"/ws"_s }, top, {}, {}, {} });
    QVERIFY(policy.has_value());
    QCOMPARE(policy->verdict(top + u"/ws/main/.git/config"_s, Access::Write).allowed, false);
    QCOMPARE(
        policy->verdict(top + u"/ws/main/.git/worktrees/w/HEAD"_s, Access::Write).allowed, false);
    QCOMPARE(policy->verdict(top + u"/ws/main/file"_s, Access::Write).allowed, true);
}

void TestPolicyFiles::splitting_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("parts"); ///< words by space, commands by "|"; "-" for opaque
    QTest::newRow("one") << u"git log -1"_s << u"git log -1"_s;
    QTest::newRow("joined") << u"a && b || c; d | e"_s << u"a|b|c|d|e"_s;
    QTest::newRow("without spaces") << u"a&&b||c;d|e"_s << u"a|b|c|d|e"_s;
    QTest::newRow("quotes") << u"echo 'a;b' \"c|d\" e'f'g"_s
                            << u"echo a;b c|d efg"_s.replace(u'|', u'\x1');
    QTest::newRow("last semicolon") << u"a;"_s << u"a"_s;
    for (const QString &opaque : { u"a &&"_s, u"&& a"_s, u"a & b"_s, u"a &"_s, u"a $(b)"_s,
             u"a `b`"_s, u"a $b"_s, u"a > b"_s, u"a < b"_s, u"a 2>&1"_s, u"a \"$b\""_s, u"a 'b"_s,
             u"a\\ b"_s, u"a\nb"_s, u"A=1 b"_s, u"if a"_s, u"(a)"_s, u"{ a; }"_s, u"! a"_s,
             u"a *"_s, u"a ?"_s, u"a [b]"_s, u"a {b,c}"_s, u"~/a"_s, u"# a"_s, u"a ;; b"_s,
             u"a |& b"_s, u"a <(b)"_s, u"eval a"_s, u"exec a"_s, u"source a"_s, u". a"_s,
             u"a \"`b`\""_s, u"''"_s, u""_s, u" "_s, u"a \"!b\""_s }) {
        QTest::addRow("opaque: %s", qPrintable(opaque)) << opaque << u"-"_s;
    }
}

void TestPolicyFiles::splitting()
{
    QFETCH(const QString, text);
    QFETCH(QString, parts);
    const auto result = splitPlainCommands(text);
    QString joined = u"-"_s;
    if (result) {
        QStringList commands;
        for (const QStringList &command : *result) {
            commands.append(command.join(u' '));
        }
        joined = commands.join(u'|');
    }
    QCOMPARE(joined, parts.replace(u'\x1', u'|'));
}

void TestPolicyFiles::savedRuleDoesNotLetChainsPass_data()
{
    QTest::addColumn<QString>("text");
    for (const QString &text : { u"git log && curl http://x/y | sh"_s, u"git log; id"_s,
             u"git log $(id)"_s, u"git log\nid"_s, u"git log & id"_s, u"git log > /etc/x"_s,
             u"git log `id`"_s, u"sh -c 'git log; id'"_s, u"git push"_s, u"gitlog"_s }) {
        QTest::addRow("%s", qPrintable(text)) << text;
    }
}

void TestPolicyFiles::savedRuleDoesNotLetChainsPass()
{
    QFETCH(const QString, text);
    CommandRules rules;
    rules.addAllowed({ u"git"_s, u"log"_s }, u"saved"_s);
    QCOMPARE(rules.judge({ u"bash"_s, u"-lc"_s, text }).decision, CommandDecision::Prompt);
    QCOMPARE(rules.judge({ u"bash"_s, u"-lc"_s, u"git log --oneline"_s }).decision,
        CommandDecision::Allow);
}

void TestPolicyFiles::savedPrefixServesLaterCommands()
{
    CommandRules rules;
    rules.addAllowed({ u"psql"_s, u"-c"_s }, u"saved"_s);
    const auto again = CommandRules::fromJson(rules.toJson());
    QVERIFY(again.has_value());
    QCOMPARE(again->judge({ u"psql"_s, u"-c"_s, u"select 2"_s }).decision, CommandDecision::Allow);
    QCOMPARE(again->judge({ u"bash"_s, u"-lc"_s, u"psql -c \"select 2\""_s }).decision,
        CommandDecision::Allow);
}

void TestPolicyFiles::strictestRuleWins()
{
    const auto rules = CommandRules::fromJson(object(R"({"rules":[
        {"prefix":["git"],"decision":"allow"},
        {"prefix":["git",["push","fetch"]],"decision":"prompt","reason":"network"},
        {"prefix":["git","push","--force"],"decision":"forbidden","reason":"never"}]})"));
    QVERIFY(rules.has_value());
    QCOMPARE(rules->judge({ u"git"_s, u"log"_s }).decision, CommandDecision::Allow);
    QCOMPARE(rules->judge({ u"git"_s, u"fetch"_s }).reason, u"network"_s);
    QCOMPARE(
        rules->judge({ u"git"_s, u"push"_s, u"--force"_s }).decision, CommandDecision::Forbidden);
    QCOMPARE(rules->judge({ u"sh"_s, u"-c"_s, u"git log && git push --force"_s }).decision,
        CommandDecision::Forbidden);
}

void TestPolicyFiles::absoluteProgramsOnlyWhenListed()
{
    const auto rules = CommandRules::fromJson(object(
        R"({"rules":[{"prefix":["git"],"decision":"allow"}],"programs":{"git":["/usr/bin/git"]}})"));
    QCOMPARE(rules->judge({ u"/usr/bin/git"_s, u"log"_s }).decision, CommandDecision::Allow);
    QCOMPARE(rules->judge({ u"/ws/git"_s, u"log"_s }).decision, CommandDecision::Prompt);
    QCOMPARE(rules->judge({ u"./git"_s, u"log"_s }).decision, CommandDecision::Prompt);
}

void TestPolicyFiles::examplesAreChecked()
{
    QVERIFY(CommandRules::fromJson(
        object(
            R"({"rules":[{"prefix":["git","log"],"decision":"allow","examples":["git log -1"],"counter_examples":["git push"]}]})"))
                .has_value());
    QVERIFY(!CommandRules::fromJson(
        object(
            R"({"rules":[{"prefix":["git","log"],"decision":"allow","examples":["git push"]}]})"))
                 .has_value());
    QVERIFY(!CommandRules::fromJson(
        object(
            R"({"rules":[{"prefix":["git"],"decision":"allow","counter_examples":["git push"]}]})"))
                 .has_value());
    QVERIFY(!CommandRules::fromJson(object(R"({"rules":[{"prefix":[],"decision":"allow"}]})"))
                 .has_value());
    QVERIFY(!CommandRules::fromJson(object(R"({"rules":[{"prefix":["a"],"decision":"maybe"}]})"))
                 .has_value());
}

void TestPolicyFiles::approvalModes()
{
    CommandJudgement none;
    CommandJudgement prompt;
    prompt.matchedPrefix = { u"git"_s };
    CommandJudgement forbidden;
    forbidden.decision = CommandDecision::Forbidden;
    QCOMPARE(approvalStep(ApprovalMode::Untrusted, none, false, false), ApprovalStep::Ask);
    QCOMPARE(approvalStep(ApprovalMode::Untrusted, none, true, false), ApprovalStep::Run);
    QCOMPARE(approvalStep(ApprovalMode::OnRequest, none, false, false), ApprovalStep::Run);
    QCOMPARE(approvalStep(ApprovalMode::OnRequest, none, false, true), ApprovalStep::Ask);
    QCOMPARE(approvalStep(ApprovalMode::OnRequest, prompt, false, false), ApprovalStep::Ask);
    QCOMPARE(approvalStep(ApprovalMode::Never, none, false, true), ApprovalStep::Refuse);
    QCOMPARE(approvalStep(ApprovalMode::Untrusted, forbidden, true, false), ApprovalStep::Refuse);
    QVERIFY(isKnownHarmless({ u"bash"_s, u"-lc"_s, u"ls -l | wc -l"_s }));
    QVERIFY(!isKnownHarmless({ u"bash"_s, u"-lc"_s, u"ls > x"_s }));
}

void TestPolicyFiles::retryAsksForOneThing()
{
    const Denial possible { DenialGrade::Possible, Denial::Kind::Write, u"/x"_s, {} };
    QVERIFY(!grantFor(possible).has_value());
    const Denial host { DenialGrade::Certain, Denial::Kind::Network, u"example.org"_s, {} };
    SandboxRequest request;
    applyGrant(*grantFor(host), request);
    QCOMPARE(request.profile.network.mode, NetworkMode::Proxy);
    QCOMPARE(request.profile.network.domains.keys(), QStringList(u"example.org"_s));
    const Denial path { DenialGrade::Likely, Denial::Kind::Write, u"/data/f"_s, {} };
    applyGrant(*grantFor(path), request);
    QCOMPARE(request.grantedWritable, QStringList(u"/data/f"_s));
    QVERIFY(!mayOfferUnsandboxedRetry(PermissionProfile::workspace()));
}

void TestPolicyFiles::environmentIsFiltered()
{
    const QList<QByteArray> inherited { "PATH=/bin", "HOME=/h", "OPENAI_API_KEY=a", "MY_token=b",
        "DB_PASSWORD=c", "LD_PRELOAD=d", "GIT_DIR=e", "GIT_AUTHOR_NAME=f", "FOO=g", "LC_ALL=C",
        "SSH_AUTH_SOCK=h", "BASH_FUNC_x%%=() { :; }" };
    EnvironmentPolicy policy;
    EnvironmentMarkers markers { u"bwrap"_s, NetworkMode::Off, u":workspace"_s };
    const auto names = [](const QList<QByteArray> &environment) {
        QList<QByteArray> result;
        for (const QByteArray &entry : environment) {
            result.append(entry.left(entry.indexOf('=')));
        }
        return result;
    };
    QList<QByteArray> core = names(commandEnvironment(inherited, policy, {}, markers));
    QCOMPARE(core.mid(0, 3), (QList<QByteArray> { "PATH", "HOME", "LC_ALL" }));
    policy.start = EnvironmentPolicy::Start::All;
    const QList<QByteArray> all = names(commandEnvironment(inherited, policy, {}, markers));
    QVERIFY(all.contains("FOO") && all.contains("GIT_AUTHOR_NAME"));
    for (const char *name : { "OPENAI_API_KEY", "MY_token", "DB_PASSWORD", "LD_PRELOAD", "GIT_DIR",
             "SSH_AUTH_SOCK", "BASH_FUNC_x%%" }) {
        QVERIFY2(!all.contains(name), name);
    }
    policy.excludes = { u"FO*"_s };
    QVERIFY(!names(commandEnvironment(inherited, policy, {}, markers)).contains("FOO"));
    policy.includeOnly = { u"PATH"_s };
    QCOMPARE(names(commandEnvironment(inherited, policy, {}, markers)).first(), QByteArray("PATH"));
    QVERIFY(!names(commandEnvironment(inherited, policy, {}, markers)).contains("HOME"));
}

void TestPolicyFiles::markersCannotBeOverridden()
{
    EnvironmentPolicy policy;
    policy.sets = { { u"DESKHAND_SANDBOX"_s, u"none"_s } };
    const QList<QByteArray> environment = commandEnvironment({ "CODEX_SANDBOX_NETWORK_DISABLED=0" },
        policy, { { u"DESKHAND_SANDBOX_NETWORK"_s, u"full"_s } },
        { u"bwrap"_s, NetworkMode::Off, u":workspace"_s });
    QCOMPARE(variable(environment, "DESKHAND_SANDBOX"), QByteArray("bwrap"));
    QCOMPARE(variable(environment, "DESKHAND_SANDBOX_NETWORK"), QByteArray("off"));
    QCOMPARE(variable(environment, "CODEX_SANDBOX_NETWORK_DISABLED"), QByteArray("1"));
}

void TestPolicyFiles::denialGrades()
{
    const QTemporaryDir folder;
    const auto policy = ResolvedPolicy::resolve(
        PermissionProfile::workspace(), { { folder.path() }, folder.path(), {}, {}, {} });
    DenialInput input;
    input.policy = &*policy;
    input.directory = folder.path();
    const auto first = [&input](int status, const QByteArray &text) {
        input.shellStatus = status;
        input.output = text;
        return findDenials(input).value(
            0, { DenialGrade::Possible, Denial::Kind::SystemCall, u"none"_s, {} });
    };
    QCOMPARE(first(1, "touch: cannot touch '/etc/x': Read-only file system\n").grade,
        DenialGrade::Likely);
    QCOMPARE(first(1, "touch: cannot touch '/etc/x': Read-only file system\n").target, u"/etc/x"_s);
    QCOMPARE(first(1, "sh: 1: cannot create /usr/x: Read-only file system\n").target, u"/usr/x"_s);
    QCOMPARE(first(1, "error: Permission denied\n").grade, DenialGrade::Possible);
    QVERIFY(!first(1, "error: Permission denied\n").offersRetry());
    // The policy allows that path: an ordinary failure.
    QCOMPARE(first(1, "cat: '" + folder.path().toUtf8() + "/f': Permission denied\n").grade,
        DenialGrade::Possible);
    QCOMPARE(first(0, "touch: cannot touch '/etc/x': Read-only file system\n").target, u"none"_s);
    QCOMPARE(first(127, "sh: nosuch: not found\n").target, u"none"_s);
    QCOMPARE(first(6, "curl: (6) Could not resolve host: example.org\n").target, u"example.org"_s);
    QCOMPARE(first(128 + 31, "").grade, DenialGrade::Certain);
}

QTEST_APPLESS_MAIN(TestPolicyFiles)
#include "tst_policyfiles.moc"
