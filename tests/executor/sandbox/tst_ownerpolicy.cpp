// SPDX-License-Identifier: Apache-2.0
#include "executor/sandbox/commandrules.h"
#include "executor/sandbox/ownerpolicy.h"
#include "executor/sandbox/resolvedpolicy.h"
#include "executor/sandbox/sandboxedrun.h"
#include "executor/sandbox/sandboxoptions.h"
#include "tests/executor/sandbox/sandboxfolders.h"

#include <QTest>

using namespace Qt::StringLiterals;
using namespace deskhand;
using namespace deskhand::sandbox;
using deskhand::test::SandboxFolders;

/// What the owner of the computer says about every run: pure, on the command line, behind the wall.
class TestOwnerPolicy final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void nothingSaidChangesNothing();
    void everyPartReachesTheProfile();
    void readOnlyStaysWithoutNetwork();
    void theHostsTemporaryFilesCanBeChanged();
    void withoutAWallOnlyTimeAndOutputApply();
    void deniedHostsEndAFullNetwork();
    void secretPathsAreJudged_data();
    void secretPathsAreJudged();
    void commandLineWinsButOpensNothing();
    void noRuleNorGrantOpensASecret();
    void workspaceInASecretIsRefused();
    void aGrantDoesNotAllowADeniedHost();
    void secretsAreHiddenBehindTheWall();
    void limitsFire();

private:
    [[nodiscard]] PolicyContext context() const
    {
        PolicyContext context;
        context.workspaceRoots = { m_folders.workspace() };
        context.home = m_folders.home();
        return context;
    }
    [[nodiscard]] SandboxResult run(const OwnerPolicy &owner, const QByteArray &script) const
    {
        SandboxRequest request;
        request.directory = m_folders.workspace();
        request.command = { "/bin/sh", "-c", script };
        request.environment = { { u"HOME"_s, m_folders.home() } };
        owner.applyTo(request.profile);
        process::RunControl control;
        return runSandboxed(request, control);
    }

    SandboxFolders m_folders { SandboxFolders::Owner::User };
    QString m_secret; ///< a folder with a file in it
};

void TestOwnerPolicy::initTestCase()
{
    m_secret = m_folders.outside() + u"/private"_s;
    QVERIFY(QDir().mkpath(m_secret + u"/deeper"_s));
    for (const QString &name : { u"/key"_s, u"/deeper/key"_s }) {
        QFile file(m_secret + name);
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write("PRIVATEKEY77\n") > 0);
    }
    QFile plain(m_folders.outside() + u"/plain"_s);
    QVERIFY(plain.open(QIODevice::WriteOnly) && plain.write("plain\n") > 0);
}

void TestOwnerPolicy::nothingSaidChangesNothing()
{
    for (const QString &id : { PermissionProfile::kReadOnly, PermissionProfile::kWorkspace,
             PermissionProfile::kFullAccess }) {
        const PermissionProfile before = *PermissionProfile::builtIn(id);
        PermissionProfile after = before;
        OwnerPolicy().applyTo(after);
        QCOMPARE(after.files.scratch, before.files.scratch);
        QCOMPARE(after.files.scratchBytes, before.files.scratchBytes);
        QCOMPARE(after.files.secretPaths, before.files.secretPaths);
        QVERIFY(after.files.ownerSecrets.isEmpty());
        QCOMPARE(after.network.mode, before.network.mode);
        QVERIFY(after.network.domains.isEmpty());
        QCOMPARE(after.limits.wall, before.limits.wall);
        QCOMPARE(after.limits.memoryBytes, before.limits.memoryBytes);
        QCOMPARE(after.limits.processes, before.limits.processes);
        QCOMPARE(after.limits.growthStopBytes, before.limits.growthStopBytes);
        QCOMPARE(after.limits.outputBytes, before.limits.outputBytes);
    }
}

void TestOwnerPolicy::everyPartReachesTheProfile()
{
    OwnerPolicy owner;
    owner.scratch = Scratch::None;
    owner.scratchMegabytes = 16;
    owner.secretPaths = { u"~/keys"_s };
    owner.allowedHosts = { u"*.good.example"_s, u"both.example"_s };
    owner.deniedHosts = { u"both.example"_s };
    owner.memoryMegabytes = 100;
    owner.processes = 20;
    owner.timeSeconds = 3;
    owner.growthMegabytes = 5;
    owner.outputKilobytes = 7;
    PermissionProfile profile = PermissionProfile::workspace();
    profile.network.domains.insert(u"*.good.example"_s, false);
    owner.applyTo(profile);
    owner.applyTo(profile); // laid over twice it is the same
    QCOMPARE(profile.files.scratch, Scratch::None);
    QCOMPARE(profile.files.scratchBytes, 16LL * 1024 * 1024);
    QCOMPARE(profile.files.ownerSecrets, QStringList { u"~/keys"_s });
    QVERIFY(profile.files.secretPaths.contains(u"~/.ssh"_s));
    QCOMPARE(profile.network.mode, NetworkMode::Proxy);
    QCOMPARE(profile.network.domains.value(u"both.example"_s, true), false);
    QCOMPARE(profile.network.domains.value(u"*.good.example"_s, true), false);
    QCOMPARE(profile.limits.memoryBytes, 100LL * 1024 * 1024);
    QCOMPARE(profile.limits.processes, 20);
    QCOMPARE(profile.limits.wall, std::chrono::seconds(3));
    QCOMPARE(profile.limits.growthStopBytes, 5LL * 1024 * 1024);
    QCOMPARE(profile.limits.growthReportBytes, 5LL * 1024 * 1024);
    QCOMPARE(profile.limits.outputBytes, 7LL * 1024);
}

void TestOwnerPolicy::readOnlyStaysWithoutNetwork()
{
    OwnerPolicy owner;
    owner.allowedHosts = { u"good.example"_s };
    PermissionProfile profile = PermissionProfile::readOnly();
    owner.applyTo(profile);
    QCOMPARE(profile.network.mode, NetworkMode::Off);
}

void TestOwnerPolicy::theHostsTemporaryFilesCanBeChanged()
{
    OwnerPolicy owner;
    owner.scratch = Scratch::Host;
    PermissionProfile profile = PermissionProfile::workspace();
    owner.applyTo(profile);
    const Result<ResolvedPolicy> policy = ResolvedPolicy::resolve(profile, context());
    QVERIFY(policy.has_value());
    QVERIFY(policy->verdict(u"/tmp/x"_s, Access::Write).allowed);
    QVERIFY(!policy->verdict(u"/tmp/x"_s, Access::Write).privateView);
    PermissionProfile readOnly = PermissionProfile::readOnly();
    owner.applyTo(readOnly);
    const Result<ResolvedPolicy> narrow = ResolvedPolicy::resolve(readOnly, context());
    QVERIFY(narrow.has_value());
    QVERIFY(!narrow->verdict(u"/tmp/x"_s, Access::Write).allowed);
    QVERIFY(narrow->verdict(u"/tmp/x"_s, Access::Read).allowed);
}

void TestOwnerPolicy::withoutAWallOnlyTimeAndOutputApply()
{
    OwnerPolicy owner;
    owner.secretPaths = { u"~/keys"_s };
    owner.allowedHosts = { u"good.example"_s };
    owner.processes = 20;
    owner.timeSeconds = 3;
    owner.outputKilobytes = 7;
    PermissionProfile profile = PermissionProfile::fullAccess();
    owner.applyTo(profile);
    QCOMPARE(profile.limits.wall, std::chrono::seconds(3));
    QCOMPARE(profile.limits.outputBytes, 7LL * 1024);
    QCOMPARE(profile.limits.processes, 0);
    QCOMPARE(profile.network.mode, NetworkMode::Full);
    QVERIFY(profile.files.ownerSecrets.isEmpty());
}

void TestOwnerPolicy::deniedHostsEndAFullNetwork()
{
    OwnerPolicy owner;
    owner.deniedHosts = { u"bad.example"_s };
    PermissionProfile profile = PermissionProfile::workspace();
    owner.applyTo(profile);
    QCOMPARE(profile.network.mode, NetworkMode::Off);
    profile.network.mode = NetworkMode::Full;
    owner.applyTo(profile);
    QCOMPARE(profile.network.mode, NetworkMode::Proxy);
}

void TestOwnerPolicy::secretPathsAreJudged_data()
{
    QTest::addColumn<QString>("path");
    QTest::addColumn<QString>("problem"); // empty: good
    QTest::newRow("absolute") << u"/srv/keys"_s << QString();
    QTest::newRow("home") << u"~/keys"_s << QString();
    QTest::newRow("pattern") << u"~/keys/*.pem"_s << QString();
    QTest::newRow("spaces and letters") << u"~/私 密"_s << QString();
    QTest::newRow("slash at the end") << u"/srv/keys/"_s << QString();
    QTest::newRow("empty") << QString() << u"absolute"_s;
    QTest::newRow("relative") << u"keys"_s << u"absolute"_s;
    QTest::newRow("another's home") << u"~root/keys"_s << u"absolute"_s;
    QTest::newRow("zero") << u"/srv/"_s + QChar(0) << u"absolute"_s;
    QTest::newRow("root") << u"/"_s << u"whole disk"_s;
    QTest::newRow("home itself") << u"~/"_s << u"whole disk"_s;
    QTest::newRow("home written out") << QDir::homePath() << u"whole home"_s;
    QTest::newRow("up") << u"/srv/../etc"_s << u"\"..\""_s;
    QTest::newRow("star alone") << u"~/*"_s << u"name more"_s;
    QTest::newRow("star in the middle") << u"/srv/*/keys"_s << u"last name"_s;
}

void TestOwnerPolicy::secretPathsAreJudged()
{
    QFETCH(QString, path);
    QFETCH(QString, problem);
    const Result<> result = checkSecretPath(path);
    QCOMPARE(result.has_value(), problem.isEmpty());
    if (!result) {
        QVERIFY2(result.error().message.contains(problem), qPrintable(result.error().message));
    }
}

void TestOwnerPolicy::commandLineWinsButOpensNothing()
{
    OwnerPolicy owner;
    owner.secretPaths = { m_secret };
    owner.allowedHosts = { u"good.example"_s };
    owner.deniedHosts = { u"bad.example"_s };
    owner.timeSeconds = 30;
    owner.memoryMegabytes = 100;
    const auto parse = [&owner](const QStringList &options) {
        return SandboxOptions::parse(options + QStringList { u"--"_s, u"true"_s }, owner);
    };
    const Result<SandboxOptions> plain = parse({});
    QVERIFY(plain.has_value());
    QCOMPARE(plain->request.profile.limits.wall, std::chrono::seconds(30));
    QCOMPARE(plain->request.profile.network.mode, NetworkMode::Proxy);
    const Result<SandboxOptions> over = parse({ u"--timeout-ms"_s, u"60000"_s, u"--memory-mb"_s,
        u"200"_s, u"--network"_s, u"off"_s, u"--writable"_s, m_secret });
    QVERIFY(over.has_value());
    QCOMPARE(over->request.profile.limits.wall, std::chrono::seconds(60));
    QCOMPARE(over->request.profile.limits.memoryBytes, 200LL * 1024 * 1024);
    QCOMPARE(over->request.profile.network.mode, NetworkMode::Off);
    QCOMPARE(over->request.profile.files.ownerSecrets, QStringList { m_secret });
    const Result<SandboxOptions> host = parse({ u"--allow-host"_s, u"other.example"_s });
    QVERIFY(host.has_value());
    QCOMPARE(host->request.profile.network.domains.value(u"good.example"_s), true);
    QCOMPARE(host->request.profile.network.domains.value(u"other.example"_s), true);

    for (const QStringList &options : { QStringList { u"--profile"_s, u":danger-full-access"_s },
             QStringList { u"--network"_s, u"full"_s },
             QStringList { u"--allow-host"_s, u"bad.example"_s },
             QStringList { u"--allow-host"_s, u"BAD.example."_s } }) {
        const Result<SandboxOptions> refused = parse(options);
        QVERIFY(!refused);
        QCOMPARE(refused.error().kind, ErrorKind::Policy);
        QVERIFY2(
            refused.error().message.contains(u"settings"_s), qPrintable(refused.error().message));
        QVERIFY(!refused.error().hint.isEmpty());
    }
    QVERIFY(SandboxOptions::helpText().contains(u"your settings"_s));
}

void TestOwnerPolicy::noRuleNorGrantOpensASecret()
{
    PermissionProfile profile = PermissionProfile::workspace();
    profile.files.ownerSecrets = { m_secret };
    for (const QString &path : { m_secret, m_secret + u"/deeper"_s }) {
        profile.files.rules.append(
            { { RuleTarget::Kind::Path, path }, Access::Write, OnMissing::Default });
    }
    PolicyContext context = this->context();
    context.extraReadable = { m_secret + u"/key"_s };
    context.extraWritable = { m_secret + u"/deeper/key"_s };
    const Result<ResolvedPolicy> policy = ResolvedPolicy::resolve(profile, context);
    QVERIFY2(policy.has_value(), qPrintable(policy ? QString() : policy.error().message));
    for (const QString &name : { u""_s, u"/key"_s, u"/deeper"_s, u"/deeper/key"_s, u"/new"_s }) {
        for (const Access access : { Access::Read, Access::Write }) {
            const ResolvedPolicy::Verdict verdict = policy->verdict(m_secret + name, access);
            QVERIFY2(!verdict.allowed, qPrintable(m_secret + name));
            QVERIFY2(verdict.reason.contains(u"is kept secret by the owner"_s),
                qPrintable(verdict.reason));
        }
    }
    QVERIFY(policy->verdict(m_folders.outside() + u"/plain"_s, Access::Read).allowed);
    QVERIFY2(policy->notes().join(u'\n').contains(u"stays closed"_s),
        qPrintable(policy->notes().join(u'\n')));
    // A link to it is no way around either.
    const QString link = m_folders.outside() + u"/link"_s;
    QVERIFY(QFile::link(m_secret, link));
    QVERIFY(!policy->verdict(link + u"/key"_s, Access::Read).allowed);
}

void TestOwnerPolicy::workspaceInASecretIsRefused()
{
    PermissionProfile profile = PermissionProfile::workspace();
    profile.files.ownerSecrets = { m_secret };
    PolicyContext context = this->context();
    context.workspaceRoots = { m_secret + u"/deeper"_s };
    const Result<ResolvedPolicy> policy = ResolvedPolicy::resolve(profile, context);
    QVERIFY(!policy);
    QCOMPARE(policy.error().kind, ErrorKind::Policy);
    QVERIFY(policy.error().message.contains(m_secret));
}

void TestOwnerPolicy::aGrantDoesNotAllowADeniedHost()
{
    SandboxRequest request;
    OwnerPolicy owner;
    owner.deniedHosts = { u"bad.example"_s };
    owner.applyTo(request.profile);
    applyGrant({ Denial::Kind::Network, u"bad.example"_s }, request);
    QCOMPARE(request.profile.network.domains.value(u"bad.example"_s, true), false);
}

void TestOwnerPolicy::secretsAreHiddenBehindTheWall()
{
    OwnerPolicy owner;
    owner.secretPaths = { m_secret + u"/k*"_s, m_secret + u"/deeper"_s };
    const QByteArray place = QFile::encodeName(m_secret);
    const SandboxResult result = run(owner,
        "cat " + place + "/key " + place + "/deeper/key; echo x > " + place + "/deeper/new; cat "
            + QFile::encodeName(m_folders.outside()) + "/plain");
    if (result.endedBy == EndedBy::Unavailable) {
        QSKIP("no sandbox can be built here");
    }
    const QByteArray output = result.outcome.merged.joined();
    QVERIFY2(!output.contains("PRIVATEKEY77"), output.constData());
    QVERIFY2(output.contains("plain\n"), output.constData());
    QVERIFY(!QFile::exists(m_secret + u"/deeper/new"_s));
    // Without the setting the same command reads it.
    QVERIFY(run({}, "cat " + place + "/key").outcome.merged.joined().contains("PRIVATEKEY77"));
}

void TestOwnerPolicy::limitsFire()
{
    OwnerPolicy owner;
    owner.timeSeconds = 1;
    owner.outputKilobytes = 1;
    owner.scratchMegabytes = 16;
    const SandboxResult result = run(owner,
        "head -c 100000 /dev/zero | tr '\\0' a; head -c 40000000 /dev/zero > /tmp/big && echo "
        "fits; sleep 60");
    if (result.endedBy == EndedBy::Unavailable) {
        QSKIP("no sandbox can be built here");
    }
    QCOMPARE(result.endedBy, EndedBy::Timeout);
    QVERIFY(result.outcome.output.retained.omitted() > 90'000);
    QVERIFY(!result.outcome.merged.joined().contains("fits"));
}

QTEST_GUILESS_MAIN(TestOwnerPolicy)
#include "tst_ownerpolicy.moc"
