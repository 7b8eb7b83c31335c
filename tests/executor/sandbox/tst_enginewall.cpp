// SPDX-License-Identifier: Apache-2.0
#include "executor/sandbox/enginewall.h"
#include "tests/executor/sandbox/sandboxfolders.h"

#include <QProcess>
#include <QScopeGuard>
#include <QTest>

using namespace Qt::StringLiterals;
using namespace deskhand;
using namespace deskhand::sandbox;
using deskhand::test::SandboxFolders;

namespace {

constexpr int kLimitMs = 60'000;

struct Ran
{
    int exit = -1;
    QByteArray output;
};

Ran run(const QString &program, const QStringList &arguments)
{
    QProcess process;
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.start(program, arguments);
    if (!process.waitForFinished(kLimitMs)) {
        return { -1, "no end: " + process.errorString().toUtf8() };
    }
    return { process.exitCode(), process.readAll() };
}

} // namespace

/// The wall around an engine that brings its own sandbox.
class TestEngineWall final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void argumentsInTheirOrder();
    void secretsAreHiddenAndTheRestWorks();
    void secretPathsOfTheOwnerAreHidden();
    void innerSandboxStandsInside();
    void codexSandboxStandsInside();
    void unusableBubblewrapIsNamed();
    void bundledBubblewrapServes();

private:
    EngineWall::Options options() const;
    void write(const QString &file, const QByteArray &content);

    SandboxFolders m_folders { SandboxFolders::Owner::Self };
    QString m_secret; ///< below the home
    bool m_nesting = false;
};

EngineWall::Options TestEngineWall::options() const
{
    EngineWall::Options options;
    options.home = m_folders.home();
    options.hidden = { m_folders.outside() + u"/secrets.json"_s };
    options.shown = { m_folders.workspace() };
    return options;
}

void TestEngineWall::write(const QString &file, const QByteArray &content)
{
    QVERIFY(QDir().mkpath(QFileInfo(file).path()));
    QFile target(file);
    QVERIFY(target.open(QIODevice::WriteOnly));
    QCOMPARE(target.write(content), content.size());
}

void TestEngineWall::initTestCase()
{
    m_secret = m_folders.home() + u"/.ssh/id_test"_s;
    write(m_secret, "PRIVATEKEY99\n");
    write(m_folders.home() + u"/.netrc"_s, "PRIVATEKEY99\n");
    write(m_folders.outside() + u"/secrets.json"_s, "PRIVATEKEY99\n");
    write(m_folders.outside() + u"/plain"_s, "plain\n");
    const Result<EngineWall> wall = EngineWall::build(options());
    m_nesting = wall.has_value();
    if (!wall) {
        QVERIFY2(wall.error().message.contains(u"no sandbox can be built inside another one"_s),
            qPrintable(wall.error().message));
        QVERIFY(!wall.error().hint.isEmpty());
    }
}

void TestEngineWall::argumentsInTheirOrder()
{
    EngineWallPlan plan;
    plan.bubblewrap = u"/usr/bin/bwrap"_s;
    plan.privatePlaces = { u"/tmp"_s };
    plan.hiddenFolders = { u"/home/u/.ssh"_s, u"/home/u/.wegent"_s };
    plan.hiddenFiles = { u"/home/u/.netrc"_s };
    plan.shown = { u"/tmp/work"_s, u"/home/u/.wegent/agents"_s };
    QCOMPARE(engineWallArguments(plan).join(u' '),
        u"--unshare-user --die-with-parent --bind / / --dev-bind /dev /dev "
        "--perms 1777 --size 2147483648 --tmpfs /tmp --bind /tmp/work /tmp/work "
        "--perms 000 --tmpfs /home/u/.ssh --remount-ro /home/u/.ssh "
        "--perms 111 --tmpfs /home/u/.wegent --bind /home/u/.wegent/agents /home/u/.wegent/agents "
        "--remount-ro /home/u/.wegent --ro-bind /dev/null /home/u/.netrc --"_s);
}

void TestEngineWall::secretsAreHiddenAndTheRestWorks()
{
    if (!m_nesting) {
        QSKIP("no sandbox can be built inside another one here");
    }
    const Result<EngineWall> wall = EngineWall::build(options());
    QVERIFY(wall.has_value());
    const QString script
        = u"cat %1/.ssh/id_test %1/.netrc %2/secrets.json; cat %2/plain; "
          "echo written > %3/made && echo x > /tmp/enginewall-%4 && echo end"_s.arg(
              m_folders.home(), m_folders.outside(), m_folders.workspace(),
              QString::number(QRandomGenerator::global()->generate()));
    const Ran ran = run(wall->program(), wall->arguments(u"/bin/sh"_s, { u"-c"_s, script }));
    QVERIFY2(!ran.output.contains("PRIVATEKEY99"), ran.output.constData());
    QVERIFY2(ran.output.contains("plain\nend\n"), ran.output.constData());
    QVERIFY(QFile::exists(m_folders.workspace() + u"/made"_s));
    QVERIFY(QDir(u"/tmp"_s).entryList({ u"enginewall-*"_s }).isEmpty());
    // Nothing of the wall is left on the host.
    QFile secret(m_secret);
    QVERIFY(secret.open(QIODevice::ReadOnly));
    QCOMPARE(secret.readAll(), QByteArray("PRIVATEKEY99\n"));

    QVERIFY(wall->hides(m_secret));
    QVERIFY(wall->hides(u"/tmp/somewhere"_s));
    QVERIFY(!wall->hides(m_folders.workspace()));
    QVERIFY(!wall->hides(u"/usr/bin"_s));
}

void TestEngineWall::secretPathsOfTheOwnerAreHidden()
{
    if (!m_nesting) {
        QSKIP("no sandbox can be built inside another one here");
    }
    write(m_folders.home() + u"/diary/1"_s, "PRIVATEKEY99\n");
    write(m_folders.outside() + u"/a.pem"_s, "PRIVATEKEY99\n");
    write(m_folders.outside() + u"/b.pem"_s, "PRIVATEKEY99\n");
    EngineWall::Options wanted = options();
    wanted.secretPaths = { u"~/diary"_s, m_folders.outside() + u"/*.pem"_s };
    const Result<EngineWall> wall = EngineWall::build(wanted);
    QVERIFY2(wall.has_value(), qPrintable(wall ? QString() : wall.error().message));
    QVERIFY(wall->hides(m_folders.home() + u"/diary/1"_s));
    const QString script
        = u"cat %1/diary/1 %2/a.pem %2/b.pem %2/plain"_s.arg(m_folders.home(), m_folders.outside());
    const Ran ran = run(wall->program(), wall->arguments(u"/bin/sh"_s, { u"-c"_s, script }));
    QVERIFY2(!ran.output.contains("PRIVATEKEY99"), ran.output.constData());
    QVERIFY2(ran.output.contains("plain\n"), ran.output.constData());
}

void TestEngineWall::innerSandboxStandsInside()
{
    if (!m_nesting) {
        QSKIP("no sandbox can be built inside another one here");
    }
    const Result<EngineWall> wall = EngineWall::build(options());
    const QString script = u"echo in > %1/inner; echo out > %2/escaped; cat %3; ls /proc"_s.arg(
        m_folders.workspace(), m_folders.outside(), m_secret);
    const Ran ran = run(wall->program(),
        wall->arguments(wall->program(),
            { u"--unshare-all"_s, u"--ro-bind"_s, u"/"_s, u"/"_s, u"--dev"_s, u"/dev"_s,
                u"--proc"_s, u"/proc"_s, u"--bind"_s, m_folders.workspace(), m_folders.workspace(),
                u"--"_s, u"/bin/sh"_s, u"-c"_s, script }));
    QVERIFY2(QFile::exists(m_folders.workspace() + u"/inner"_s), ran.output.constData());
    QVERIFY(!QFile::exists(m_folders.outside() + u"/escaped"_s));
    QVERIFY(!ran.output.contains("PRIVATEKEY99"));
}

void TestEngineWall::codexSandboxStandsInside()
{
    const QString peers = qEnvironmentVariable("DESKHAND_PEERS");
    const QString codex = QFileInfo(peers
        + u"/node_modules/@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex"_s)
                              .canonicalFilePath();
    if (!m_nesting || codex.isEmpty()) {
        QSKIP("no codex, or no sandbox can be built inside another one here");
    }
    EngineWall::Options wanted = options();
    wanted.shown.append(QFileInfo(codex).path());
    const Result<EngineWall> wall = EngineWall::build(wanted);
    QVERIFY(wall.has_value());
    const QString script
        = u"echo in > %1/codex-inner; echo out > %2/codex-escaped; cat %3; true"_s.arg(
            m_folders.workspace(), m_folders.outside(), m_secret);
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(u"CODEX_HOME"_s, m_folders.workspace());
    environment.insert(u"HOME"_s, m_folders.workspace());
    process.setProcessEnvironment(environment);
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.start(wall->program(),
        wall->arguments(codex,
            { u"sandbox"_s, u"-P"_s, u":workspace"_s, u"-C"_s, m_folders.workspace(), u"--"_s,
                u"/bin/sh"_s, u"-c"_s, script }));
    QVERIFY(process.waitForFinished(kLimitMs));
    const QByteArray output = process.readAll();
    QVERIFY2(QFile::exists(m_folders.workspace() + u"/codex-inner"_s), output.constData());
    QVERIFY(!QFile::exists(m_folders.outside() + u"/codex-escaped"_s));
    QVERIFY2(!output.contains("PRIVATEKEY99"), output.constData());
}

void TestEngineWall::unusableBubblewrapIsNamed()
{
    qputenv("DESKHAND_BUNDLED_BWRAP", "/no/such/bwrap");
    const auto restore = qScopeGuard([] { qunsetenv("DESKHAND_BUNDLED_BWRAP"); });
    EngineWall::Options wanted = options();
    wanted.bubblewrapCandidates = { u"/nonexistent/bwrap"_s };
    const Result<EngineWall> missing = EngineWall::build(wanted);
    QVERIFY(!missing.has_value());
    QVERIFY(missing.error().message.contains(u"not installed"_s));

    // As where user namespaces are switched off.
    const QString fake = m_folders.outside() + u"/bwrap"_s;
    write(fake, "#!/bin/sh\necho 'bwrap: No permissions to create a new namespace' >&2\nexit 1\n");
    QVERIFY(QFile(fake).setPermissions(QFile::ReadOwner | QFile::ExeOwner));
    wanted.bubblewrapCandidates = { fake };
    const Result<EngineWall> refused = EngineWall::build(wanted);
    QVERIFY(!refused.has_value());
    QVERIFY2(refused.error().message.contains(u"does not allow user namespaces"_s),
        qPrintable(refused.error().message));
    QVERIFY(!refused.error().hint.isEmpty());
}

void TestEngineWall::bundledBubblewrapServes()
{
    const QString bundled = SandboxFolders::bundledBubblewrap();
    if (!m_nesting || bundled.isEmpty()) {
        QSKIP("no bundled bubblewrap, or no sandbox can be built inside another one here");
    }
    const QString copy = m_folders.outside() + u"/copy-of-bwrap"_s;
    QVERIFY(QFile::copy(bundled, copy));
    qputenv("DESKHAND_BUNDLED_BWRAP", QFile::encodeName(copy));
    const auto restore = qScopeGuard([] { qunsetenv("DESKHAND_BUNDLED_BWRAP"); });
    EngineWall::Options wanted = options();
    wanted.bubblewrapCandidates = { u"/nonexistent/bwrap"_s };
    const Result<EngineWall> wall = EngineWall::build(wanted);
    QVERIFY2(wall.has_value(), wall ? "" : qPrintable(wall.error().message));
    QCOMPARE(wall->program(), copy);
    QVERIFY(wall->verify().has_value());
    const Ran ran
        = run(wall->program(), wall->arguments(u"/bin/cat"_s, { m_secret, u"/dev/null"_s }));
    QVERIFY(!ran.output.contains("PRIVATEKEY99"));
    // Another content in its place is not started any more.
    QFile file(copy);
    QVERIFY(file.open(QIODevice::Append));
    file.write("x");
    file.close();
    const Result<> changed = wall->verify();
    QVERIFY(!changed.has_value());
    QVERIFY(changed.error().message.contains(u"not the one that belongs"_s));
}

QTEST_GUILESS_MAIN(TestEngineWall)
#include "tst_enginewall.moc"
