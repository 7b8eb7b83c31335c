// SPDX-License-Identifier: Apache-2.0
#include "executor/sandbox/bubblewrapchoice.h"
#include "executor/sandbox/probe.h"
#include "executor/sandbox/sandboxedrun.h"
#include "tests/executor/sandbox/sandboxfolders.h"

#include <QJsonObject>
#include <QTest>

#include <sys/stat.h>

using namespace Qt::StringLiterals;
using namespace deskhand::sandbox;
using deskhand::Result;
using deskhand::test::SandboxFolders;

/// The bubblewrap that comes with this program: when it serves, and when it must not be started.
/// Where a build has none, the tests say so; what is without it is shown by tst_degraded.
class TestBundled final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void cleanup();
    void systemOneComesFirst();
    void servesWhenMissing();
    void servesWhenTooOld();
    void servesBeforeASetUserIdOne();
    void servesWhenTheSystemOneFails();
    void setUserIdOneServesWithoutIt();
    void otherContentIsRefused();
    void contentIsCheckedBeforeEachRun();
    void neverFromAWorkspace();
    void neverWhereAnyoneMayWrite();
    void neverFromPath();
    void bothFail();
    void probeSaysWhichOne();

private:
    QString copyOfBundled();
    QString script(const QByteArray &content);
    SandboxResult attempt(const QString &systemOne);
    void append(const QString &path, const QByteArray &content);

    std::unique_ptr<SandboxFolders> m_folders;
};

namespace {

const QString kNone = QStringLiteral("/no/such/bwrap");

} // namespace

void TestBundled::init()
{
    if (!hasBundledBubblewrap()) {
        QSKIP("this build bundles no bubblewrap");
    }
    m_folders = std::make_unique<SandboxFolders>(SandboxFolders::Owner::Self);
}

void TestBundled::cleanup()
{
    qunsetenv("DESKHAND_BUNDLED_BWRAP");
}

void TestBundled::append(const QString &path, const QByteArray &content)
{
    QFile file(path);
    QVERIFY(file.open(QIODevice::Append));
    file.write(content);
}

/// Used in place of the one beside this program.
QString TestBundled::copyOfBundled()
{
    const Result<Bubblewrap> original = bundledBubblewrap({});
    const QString path = m_folders->outside() + u"/deskhand-bwrap"_s;
    if (!original || !QFile::copy(original->path, path)) {
        qWarning("no copy could be made");
    }
    qputenv("DESKHAND_BUNDLED_BWRAP", QFile::encodeName(path));
    return path;
}

QString TestBundled::script(const QByteArray &content)
{
    const QString path = m_folders->outside() + u"/bwrap"_s;
    append(path, "#!/bin/sh\n" + content);
    chmod(QFile::encodeName(path).constData(), 0755);
    return path;
}

/// Writes inside and tries to write outside.
SandboxResult TestBundled::attempt(const QString &systemOne)
{
    SandboxRequest request;
    request.directory = m_folders->workspace();
    request.command = { "/bin/sh", "-c",
        "echo ran > ran; (echo x > " + QFile::encodeName(m_folders->outside())
            + "/escaped) 2>/dev/null; true" };
    request.bubblewrapCandidates = { systemOne };
    deskhand::process::RunControl control;
    SandboxResult result = runSandboxed(request, control);
    const bool ran = QFile::remove(m_folders->workspace() + u"/ran"_s);
    if (ran != (result.endedBy == EndedBy::Command)
        || QFileInfo::exists(m_folders->outside() + u"/escaped"_s)) {
        result.notes.append(u"what ran does not fit what is told"_s);
    }
    return result;
}

void TestBundled::systemOneComesFirst()
{
    append(copyOfBundled(), "x"); // not even looked at
    const SandboxResult result = attempt(u"/usr/bin/bwrap"_s);
    QCOMPARE(result.endedBy, EndedBy::Command);
    QCOMPARE(result.bubblewrap, u"/usr/bin/bwrap"_s);
    QCOMPARE(result.bubblewrapNote, QString());
    QCOMPARE(result.notes, QStringList());
}

void TestBundled::servesWhenMissing()
{
    const SandboxResult result = attempt(kNone);
    QVERIFY2(result.endedBy == EndedBy::Command, qPrintable(result.error.message));
    QCOMPARE(result.backend, u"bwrap"_s);
    QCOMPARE(QFileInfo(result.bubblewrap).fileName(), u"deskhand-bwrap"_s);
    QVERIFY2(result.bubblewrapNote.contains(u"not installed"_s), qPrintable(result.bubblewrapNote));
    QCOMPARE(result.notes, QStringList());
}

void TestBundled::servesWhenTooOld()
{
    const SandboxResult result
        = attempt(script("echo 'usage: bwrap --args FD --tmpfs DEST'; exit 0\n"));
    QVERIFY2(result.endedBy == EndedBy::Command, qPrintable(result.error.message));
    QCOMPARE(QFileInfo(result.bubblewrap).fileName(), u"deskhand-bwrap"_s);
    QVERIFY(result.bubblewrapNote.contains(u"too old"_s));
}

void TestBundled::servesBeforeASetUserIdOne()
{
    const QString program = m_folders->outside() + u"/bwrap"_s;
    QVERIFY(QFile::copy(u"/usr/bin/bwrap"_s, program));
    chmod(QFile::encodeName(program).constData(), 04755);
    const SandboxResult result = attempt(program);
    QVERIFY2(result.endedBy == EndedBy::Command, qPrintable(result.error.message));
    QCOMPARE(QFileInfo(result.bubblewrap).fileName(), u"deskhand-bwrap"_s);
    QVERIFY(result.bubblewrapNote.contains(u"set-user-id"_s));
}

void TestBundled::setUserIdOneServesWithoutIt()
{
    qputenv("DESKHAND_BUNDLED_BWRAP", "/no/such/bwrap");
    const QString program = m_folders->outside() + u"/bwrap"_s;
    QVERIFY(QFile::copy(u"/usr/bin/bwrap"_s, program));
    chmod(QFile::encodeName(program).constData(), 04755);
    const Result<BubblewrapChoice> choice = chooseBubblewrap({ program }, {});
    QVERIFY(choice.has_value());
    QCOMPARE(choice->usable.size(), 1);
    QVERIFY(choice->usable.first().features.setUserId);
}

void TestBundled::servesWhenTheSystemOneFails()
{
    const QByteArray calls = QFile::encodeName(m_folders->outside()) + "/calls";
    const QString program = script("[ \"$1\" = --help ] && exec /usr/bin/bwrap --help\necho x >> "
        + calls + "\necho 'bwrap: setting up uid map: Permission denied' >&2\nexit 1\n");
    for (int run = 0; run < 3; ++run) {
        const SandboxResult result = attempt(program);
        QVERIFY2(result.endedBy == EndedBy::Command, qPrintable(result.error.message));
        QCOMPARE(result.exitStatus(), 0);
        QCOMPARE(QFileInfo(result.bubblewrap).fileName(), u"deskhand-bwrap"_s);
        QVERIFY2(result.bubblewrapNote.contains(u"Permission denied"_s),
            qPrintable(result.bubblewrapNote));
        QCOMPARE(result.notes, QStringList());
        QCOMPARE(result.outcome.error.retained.joined(), QByteArray());
    }
    QFile counted(QFile::decodeName(calls));
    QVERIFY(counted.open(QIODevice::ReadOnly));
    QCOMPARE(counted.readAll(), QByteArray("x\n")); // once was enough
}

void TestBundled::otherContentIsRefused()
{
    append(copyOfBundled(), "x");
    const SandboxResult result = attempt(kNone);
    QCOMPARE(result.endedBy, EndedBy::Unavailable);
    QCOMPARE(result.exitStatus(), 126);
    QVERIFY2(result.error.message.contains(u"not installed"_s), qPrintable(result.error.message));
    QVERIFY2(result.error.message.contains(u"not the one that belongs to this program"_s),
        qPrintable(result.error.message));
    QCOMPARE(result.notes, QStringList());
}

void TestBundled::contentIsCheckedBeforeEachRun()
{
    const QString copy = copyOfBundled();
    QCOMPARE(attempt(kNone).endedBy, EndedBy::Command);
    // Replaced by a program that would run the command without any wall.
    QVERIFY(QFile::remove(copy));
    append(copy, "#!/bin/sh\nwhile [ \"$1\" != -- ]; do shift; done; shift; exec \"$@\"\n");
    chmod(QFile::encodeName(copy).constData(), 0755);
    const SandboxResult result = attempt(kNone);
    QCOMPARE(result.endedBy, EndedBy::Unavailable);
    QVERIFY(result.error.message.contains(u"not the one that belongs"_s));
    QCOMPARE(result.notes, QStringList());
}

void TestBundled::neverFromAWorkspace()
{
    const QString inside = m_folders->workspace() + u"/deskhand-bwrap"_s;
    QVERIFY(QFile::rename(copyOfBundled(), inside));
    qputenv("DESKHAND_BUNDLED_BWRAP", QFile::encodeName(inside));
    const SandboxResult result = attempt(kNone);
    QCOMPARE(result.endedBy, EndedBy::Unavailable);
    QVERIFY(result.error.message.contains(u"lies where commands may write"_s));
    // A link that leads there is no other place.
    const QString link = m_folders->outside() + u"/link"_s;
    QVERIFY(QFile::link(inside, link));
    qputenv("DESKHAND_BUNDLED_BWRAP", QFile::encodeName(link));
    QVERIFY(attempt(kNone).error.message.contains(u"lies where commands may write"_s));
}

void TestBundled::neverWhereAnyoneMayWrite()
{
    const QString copy = copyOfBundled();
    const auto mode = [](const QString &path, mode_t bits) {
        return chmod(QFile::encodeName(path).constData(), bits) == 0;
    };
    QVERIFY(mode(copy, 0757));
    QVERIFY(attempt(kNone).error.message.contains(u"any user may write"_s));
    QVERIFY(mode(copy, 0755));
    QVERIFY(mode(m_folders->outside(), 01777)); // as /tmp
    QVERIFY(attempt(kNone).error.message.contains(u"any user may write"_s));
    QVERIFY(mode(m_folders->outside(), 0755));
    QCOMPARE(attempt(kNone).endedBy, EndedBy::Command);
}

void TestBundled::neverFromPath()
{
    (void)copyOfBundled();
    const QByteArray before = qgetenv("PATH");
    qputenv("PATH", QFile::encodeName(m_folders->outside()) + ':' + before);
    qputenv("DESKHAND_BUNDLED_BWRAP", "/no/such/bwrap");
    const SandboxResult result = attempt(kNone);
    qputenv("PATH", before);
    QCOMPARE(result.endedBy, EndedBy::Unavailable);
    QVERIFY(result.error.message.contains(u"the bundled bubblewrap is missing"_s));
}

void TestBundled::bothFail()
{
    // A policy that neither can build: the folder vanishes between the look and the mount.
    const QString extra = m_folders->outside() + u"/extra"_s;
    QVERIFY(QDir().mkpath(extra));
    const QString program = script("[ \"$1\" = --help ] && exec /usr/bin/bwrap --help\nrm -rf "
        + QFile::encodeName(extra) + "\necho 'bwrap: the first words' >&2\nexit 1\n");
    SandboxRequest request;
    request.directory = m_folders->workspace();
    request.command = { "/bin/true" };
    request.bubblewrapCandidates = { program };
    request.profile.files.rules.append(
        { { RuleTarget::Kind::Path, extra }, Access::Write, OnMissing::Default });
    deskhand::process::RunControl control;
    const SandboxResult result = runSandboxed(request, control);
    QCOMPARE(result.endedBy, EndedBy::Unavailable);
    QVERIFY2(result.error.message.contains(u"the first words"_s), qPrintable(result.error.message));
    // It is not blamed for good: nobody showed that the bundled one would have done.
    const Result<BubblewrapChoice> choice = chooseBubblewrap({ program }, {});
    QVERIFY(choice.has_value());
    QCOMPARE(choice->usable.first().path, program);
}

void TestBundled::probeSaysWhichOne()
{
    ProbeOptions options;
    options.bubblewrapCandidates = { kNone };
    const SandboxStatus bundled = probeBlocking(options);
    QVERIFY2(bundled.state == SandboxState::Protected, qPrintable(bundled.summary()));
    QVERIFY(bundled.bundled);
    QVERIFY2(bundled.summary().contains(u"the bundled bubblewrap"_s)
            && bundled.summary().contains(u"not installed"_s),
        qPrintable(bundled.summary()));
    QCOMPARE(bundled.toJson().value(u"bwrap_bundled"_s), QJsonValue(true));
    QVERIFY(bundled.toJson().value(u"bwrap_note"_s).toString().contains(u"not installed"_s));

    options.bubblewrapCandidates = { u"/usr/bin/bwrap"_s };
    const SandboxStatus system = probeBlocking(options);
    QVERIFY(!system.bundled);
    QCOMPARE(system.bwrapPath, u"/usr/bin/bwrap"_s);
    QCOMPARE(system.summary(), u"protected (bwrap)"_s);
}

QTEST_GUILESS_MAIN(TestBundled)
#include "tst_bundled.moc"
