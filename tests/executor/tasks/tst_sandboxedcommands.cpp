// SPDX-License-Identifier: Apache-2.0
#include "executor/tasks/permissionbroker.h"
#include "executor/tasks/sandboxedcommands.h"
#include "tests/executor/sandbox/sandboxfolders.h"

#include <QJsonArray>
#include <QSignalSpy>
#include <QTest>

using namespace Qt::StringLiterals;
using namespace deskhand;
using namespace deskhand::tasks;
using deskhand::test::SandboxFolders;
using sandbox::EndedBy;
using sandbox::SandboxResult;

namespace {

constexpr int kLimitMs = 60'000;

/// Everything around the object under test: a real sandbox, a real broker, what both said.
class Desk final
{
public:
    Desk()
    {
        QObject::connect(&broker, &PermissionBroker::opened, &commands,
            [this](const engines::PermissionRequest &request) { opened.append(request); });
        QObject::connect(&broker, &PermissionBroker::closed, &commands,
            [this](const engines::PermissionRequest &, engines::RequestOutcome outcome) {
                outcomes.append(outcome);
            });
        QObject::connect(&commands, &SandboxedCommands::event, &commands,
            [this](const engines::TurnRef &, const engines::TaskEvent &event) {
                if (const auto *note = std::get_if<engines::StatusNote>(&event)) {
                    notes.append(note->code + u' ' + note->text);
                } else if (const auto *ended = std::get_if<engines::ItemEnded>(&event)) {
                    ends.append(ended->item);
                } else if (std::holds_alternative<engines::ItemStarted>(event)) {
                    ++starts;
                }
            });
        QObject::connect(&commands, &SandboxedCommands::finished, &commands,
            [this](const QString &, const SandboxResult &result) { results.append(result); });
    }

    QString run(const QByteArray &script, const QString &taskId = u"7"_s,
        sandbox::NetworkMode network = sandbox::NetworkMode::Off)
    {
        CommandWish wish;
        wish.ref = { taskId, u"1"_s };
        wish.execution.request.directory = folders.workspace();
        wish.execution.request.command = { "/bin/sh", "-c", script };
        wish.execution.request.profile.network.mode = network;
        return commands.run(wish);
    }
    void answer(const engines::PermissionRequest &request, engines::Choice choice)
    {
        broker.answer(request.id, { choice, u"owner"_s, {}, {} },
            [](const Result<> &result) { QVERIFY(result.has_value()); });
    }
    [[nodiscard]] QByteArray out(const QString &name) const
    {
        return folders.outside().toUtf8() + '/' + name.toUtf8();
    }
    [[nodiscard]] QByteArray content(const QString &name) const
    {
        QFile file(folders.outside() + u'/' + name);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("missing");
    }

    SandboxFolders folders { SandboxFolders::Owner::User };
    sandbox::ExecutionEngine engine;
    PermissionBroker broker;
    SandboxedCommands commands { engine, broker };
    QList<engines::PermissionRequest> opened;
    QList<engines::RequestOutcome> outcomes;
    QList<engines::Item> ends;
    QList<SandboxResult> results;
    QStringList notes;
    int starts = 0;
};

sandbox::CommandRules rules(const QString &program, const QString &decision)
{
    return *sandbox::CommandRules::fromJson({ { u"rules"_s,
        QJsonArray { QJsonObject { { u"prefix"_s, QJsonArray { program } },
            { u"decision"_s, decision }, { u"reason"_s, u"house rule"_s } } } } });
}

} // namespace

/// Commands of tasks behind the real wall: what is asked before, during and after a run.
class TestSandboxedCommands final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void plainCommandRunsWithoutAQuestion();
    void forbiddenCommandIsDeclined();
    void promptedCommandWaitsForTheOwner();
    void refusedWriteOffersExactlyThatPath();
    void grantForTheTaskCoversTheSameRootOnly();
    void refusedReadOffersExactlyThatPath();
    void hostsAreAskedForAndDecisionsTold();
    void secretPathOfTheOwnerIsNeverOffered();
    void hostsOfTheOwnerAreNotAskedFor();
    void nobodyIsAskedInModeNever();
    void cancelTakesTheQuestionBack();
    void endOfTheTurnEndsTheWaiting();
    void grantedFileThatIsNotUsedLeavesNothing();
    void commandLineIsShownAsAShellReadsIt();
};

void TestSandboxedCommands::plainCommandRunsWithoutAQuestion()
{
    Desk desk;
    const QString id = desk.run("echo hello; echo there > in");
    QVERIFY(!id.isEmpty());
    QTRY_COMPARE_WITH_TIMEOUT(desk.results.size(), 1, kLimitMs);
    QCOMPARE(desk.results[0].exitStatus(), 0);
    QCOMPARE(desk.starts, 1);
    QCOMPARE(desk.ends.size(), 1);
    QCOMPARE(desk.ends[0].id, id);
    QCOMPARE(desk.ends[0].status, engines::ItemStatus::Completed);
    QCOMPARE(desk.ends[0].output, u"hello\n"_s);
    QCOMPARE(desk.ends[0].exitCode, 0);
    QVERIFY(desk.opened.isEmpty());
}

void TestSandboxedCommands::forbiddenCommandIsDeclined()
{
    Desk desk;
    desk.commands.setRules(rules(u"touch"_s, u"forbidden"_s));
    desk.run("true && touch made");
    QTRY_COMPARE(desk.results.size(), 1);
    QCOMPARE(desk.results[0].endedBy, EndedBy::Refused);
    QCOMPARE(desk.ends[0].status, engines::ItemStatus::Declined);
    QVERIFY2(desk.ends[0].error.contains(u"house rule"_s), qPrintable(desk.ends[0].error));
    QVERIFY(!QFile::exists(desk.folders.workspace() + u"/made"_s));
    QVERIFY(desk.opened.isEmpty());
}

void TestSandboxedCommands::promptedCommandWaitsForTheOwner()
{
    Desk desk;
    desk.commands.setRules(rules(u"touch"_s, u"prompt"_s));
    desk.run("touch made");
    QTRY_COMPARE(desk.opened.size(), 1);
    QCOMPARE(desk.opened[0].kind, engines::RequestKind::Command);
    QCOMPARE(desk.opened[0].command, u"/bin/sh -c 'touch made'"_s);
    QCOMPARE(desk.opened[0].taskId, u"7"_s);
    desk.answer(desk.opened[0], engines::Choice::Deny);
    QTRY_COMPARE(desk.results.size(), 1);
    QCOMPARE(desk.ends[0].status, engines::ItemStatus::Declined);
    QVERIFY(!QFile::exists(desk.folders.workspace() + u"/made"_s));

    // For the task: the identical line runs, another one asks.
    desk.run("touch made");
    QTRY_COMPARE(desk.opened.size(), 2);
    desk.answer(desk.opened[1], engines::Choice::AllowForTask);
    QTRY_COMPARE_WITH_TIMEOUT(desk.results.size(), 2, kLimitMs);
    QCOMPARE(desk.results[1].exitStatus(), 0);
    desk.run("touch made");
    QTRY_COMPARE_WITH_TIMEOUT(desk.results.size(), 3, kLimitMs);
    QCOMPARE(desk.opened.size(), 2);
    desk.run("touch made too");
    QTRY_COMPARE(desk.opened.size(), 3);
}

void TestSandboxedCommands::refusedWriteOffersExactlyThatPath()
{
    Desk desk;
    desk.run("echo z > " + desk.out(u"z"_s) + "; echo y > " + desk.out(u"y"_s));
    QTRY_COMPARE_WITH_TIMEOUT(desk.opened.size(), 1, kLimitMs);
    const engines::PermissionRequest request = desk.opened[0];
    QCOMPARE(request.kind, engines::RequestKind::FileChange);
    QCOMPARE(request.grantRoot, desk.folders.outside() + u"/z"_s);
    QCOMPARE(request.files.size(), 1);
    QVERIFY(!request.choices.contains(engines::Choice::DenyAndStop));
    QVERIFY2(
        desk.notes.join(u'\n').contains(u"sandbox_blocked Blocked by the sandbox: write denied"_s),
        qPrintable(desk.notes.join(u'\n')));
    desk.answer(request, engines::Choice::AllowOnce);

    // The second try may write z, and nothing else: it asks for y.
    QTRY_COMPARE_WITH_TIMEOUT(desk.opened.size(), 2, kLimitMs);
    QCOMPARE(desk.content(u"z"_s), QByteArray("z\n"));
    QCOMPARE(desk.content(u"y"_s), QByteArray("missing"));
    QCOMPARE(desk.opened[1].grantRoot, desk.folders.outside() + u"/y"_s);
    desk.answer(desk.opened[1], engines::Choice::Deny);
    QTRY_COMPARE(desk.results.size(), 1);
    QCOMPARE(desk.ends.size(), 1);
    QCOMPARE(desk.ends[0].status, engines::ItemStatus::Failed);
    QVERIFY(desk.ends[0].error.startsWith(u"write denied"_s));
    QCOMPARE(desk.content(u"y"_s), QByteArray("missing"));
}

void TestSandboxedCommands::grantForTheTaskCoversTheSameRootOnly()
{
    Desk desk;
    const QByteArray script = "echo a >> " + desk.out(u"log"_s);
    desk.run(script);
    QTRY_COMPARE_WITH_TIMEOUT(desk.opened.size(), 1, kLimitMs);
    desk.answer(desk.opened[0], engines::Choice::AllowForTask);
    QTRY_COMPARE_WITH_TIMEOUT(desk.results.size(), 1, kLimitMs);
    QCOMPARE(desk.results[0].exitStatus(), 0);
    desk.run(script);
    QTRY_COMPARE_WITH_TIMEOUT(desk.results.size(), 2, kLimitMs);
    QCOMPARE(desk.opened.size(), 1);
    QCOMPARE(desk.content(u"log"_s), QByteArray("a\na\n"));
    // Another task has not been allowed anything.
    desk.run(script, u"8"_s);
    QTRY_COMPARE_WITH_TIMEOUT(desk.opened.size(), 2, kLimitMs);
    QCOMPARE(desk.opened[1].taskId, u"8"_s);
}

void TestSandboxedCommands::refusedReadOffersExactlyThatPath()
{
    Desk desk;
    const QString secret = desk.folders.outside() + u"/secret"_s;
    QFile file(secret);
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write("s3cret\n") > 0);
    file.close();
    CommandWish wish;
    wish.ref = { u"7"_s, u"1"_s };
    wish.execution.request.directory = desk.folders.workspace();
    wish.execution.request.command = { "/bin/cat", QFile::encodeName(secret) };
    wish.execution.request.profile.files.secretPaths.append(secret);
    desk.commands.run(wish);
    QTRY_COMPARE_WITH_TIMEOUT(desk.opened.size(), 1, kLimitMs);
    QCOMPARE(desk.opened[0].kind, engines::RequestKind::Permissions);
    QCOMPARE(desk.opened[0].grants, QStringList(u"read "_s + secret));
    desk.answer(desk.opened[0], engines::Choice::AllowOnce);
    QTRY_COMPARE_WITH_TIMEOUT(desk.results.size(), 1, kLimitMs);
    QCOMPARE(desk.results[0].exitStatus(), 0);
    QCOMPARE(desk.ends[0].output, u"s3cret\n"_s);
}

void TestSandboxedCommands::hostsAreAskedForAndDecisionsTold()
{
    if (SandboxFolders::findProgram(u"curl"_s).isEmpty()) {
        QSKIP("curl is not installed");
    }
    Desk desk;
    desk.run("curl -sf http://host.invalid/ || exit 3", u"7"_s, sandbox::NetworkMode::Proxy);
    QTRY_COMPARE_WITH_TIMEOUT(desk.opened.size(), 1, kLimitMs);
    const engines::PermissionRequest request = desk.opened[0];
    QCOMPARE(request.kind, engines::RequestKind::Network);
    QCOMPARE(request.host, u"host.invalid"_s);
    QCOMPARE(request.protocol, u"http"_s);
    QVERIFY(desk.results.isEmpty());
    desk.answer(request, engines::Choice::Deny);
    QTRY_COMPARE_WITH_TIMEOUT(desk.results.size(), 1, kLimitMs);
    // Refused once is enough: no second question for the same host afterwards.
    QCOMPARE(desk.opened.size(), 1);
    QCOMPARE(desk.ends[0].status, engines::ItemStatus::Failed);
    const QString told = desk.notes.join(u'\n');
    QVERIFY2(told.contains(u"network_decision The command was kept from host.invalid port 80"_s),
        qPrintable(told));
    QVERIFY2(
        told.contains(u"sandbox_blocked Blocked by the sandbox: network denied: host.invalid"_s),
        qPrintable(told));
}

void TestSandboxedCommands::secretPathOfTheOwnerIsNeverOffered()
{
    Desk desk;
    const QString secret = desk.folders.outside() + u"/vault"_s;
    QFile file(secret);
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write("s3cret\n") > 0);
    file.close();
    sandbox::OwnerPolicy owner;
    owner.secretPaths = { secret };
    desk.commands.setOwnerPolicy(owner);
    desk.broker.setOwnerPolicy(owner);
    desk.run("cat " + desk.out(u"vault"_s));
    QTRY_COMPARE_WITH_TIMEOUT(desk.results.size(), 1, kLimitMs);
    QVERIFY(desk.opened.isEmpty());
    QCOMPARE(desk.ends[0].status, engines::ItemStatus::Failed);
    QVERIFY(!desk.ends[0].output.contains(u"s3cret"_s));
    const QString told = desk.notes.join(u'\n');
    QVERIFY2(told.contains(secret + u" is kept secret by the owner"_s), qPrintable(told));
    // Taken off again, what starts next may.
    desk.commands.setOwnerPolicy({});
    desk.run("cat " + desk.out(u"vault"_s));
    QTRY_COMPARE_WITH_TIMEOUT(desk.results.size(), 2, kLimitMs);
    QCOMPARE(desk.ends[1].output, u"s3cret\n"_s);
}

void TestSandboxedCommands::hostsOfTheOwnerAreNotAskedFor()
{
    if (SandboxFolders::findProgram(u"curl"_s).isEmpty()) {
        QSKIP("curl is not installed");
    }
    Desk desk;
    sandbox::OwnerPolicy owner;
    owner.allowedHosts = { u"good.invalid"_s };
    owner.deniedHosts = { u"bad.invalid"_s };
    desk.commands.setOwnerPolicy(owner);
    desk.broker.setOwnerPolicy(owner);
    desk.run("for h in good bad; do curl -s -o /dev/null -w '%{http_code} ' http://$h.invalid/; "
             "done; exit 3");
    QTRY_COMPARE_WITH_TIMEOUT(desk.results.size(), 1, kLimitMs);
    QVERIFY(desk.opened.isEmpty());
    // The first was let through to the look-up of a name that does not exist.
    const QStringList codes = desk.ends[0].output.simplified().split(u' ');
    QCOMPARE(codes.size(), 2);
    QVERIFY2(codes[0].startsWith(u"50"_s), qPrintable(codes[0]));
    QCOMPARE(codes[1], u"403"_s);
    const QString told = desk.notes.join(u'\n');
    QVERIFY2(told.contains(u"network_decision The command was kept from bad.invalid port 80"_s),
        qPrintable(told));
    QVERIFY2(!told.contains(u"kept from good.invalid"_s), qPrintable(told));
}

void TestSandboxedCommands::nobodyIsAskedInModeNever()
{
    Desk desk;
    desk.commands.setApprovalMode(sandbox::ApprovalMode::Never);
    desk.run("echo z > " + desk.out(u"z"_s));
    QTRY_COMPARE_WITH_TIMEOUT(desk.results.size(), 1, kLimitMs);
    QCOMPARE(desk.ends[0].status, engines::ItemStatus::Failed);
    QVERIFY(desk.ends[0].error.startsWith(u"write denied"_s));
    QVERIFY(desk.opened.isEmpty());
}

void TestSandboxedCommands::cancelTakesTheQuestionBack()
{
    Desk desk;
    desk.commands.setRules(rules(u"touch"_s, u"prompt"_s));
    const QString id = desk.run("touch made");
    QTRY_COMPARE(desk.opened.size(), 1);
    desk.commands.cancel(id);
    QCOMPARE(desk.results.size(), 1);
    QCOMPARE(desk.results[0].endedBy, EndedBy::Cancel);
    QCOMPARE(desk.ends[0].status, engines::ItemStatus::Cancelled);
    QCOMPARE(desk.outcomes, QList { engines::RequestOutcome::Withdrawn });
    QVERIFY(desk.broker.pending().isEmpty());
}

void TestSandboxedCommands::endOfTheTurnEndsTheWaiting()
{
    Desk desk;
    desk.commands.setRules(rules(u"touch"_s, u"prompt"_s));
    desk.run("touch made");
    QTRY_COMPARE(desk.opened.size(), 1);
    desk.broker.withdraw(desk.opened[0].id, u"The turn is over."_s);
    QCOMPARE(desk.results.size(), 1);
    QCOMPARE(desk.ends[0].status, engines::ItemStatus::Declined);
}

void TestSandboxedCommands::grantedFileThatIsNotUsedLeavesNothing()
{
    Desk desk;
    CommandWish wish;
    wish.ref = { u"7"_s, u"1"_s };
    wish.execution.request.directory = desk.folders.workspace();
    wish.execution.request.command = { "/bin/true" };
    wish.execution.request.grantedWritable
        = { desk.folders.outside() + u"/unused"_s, desk.folders.outside() + u"/no/folder"_s };
    desk.commands.run(wish);
    QTRY_COMPARE_WITH_TIMEOUT(desk.results.size(), 1, kLimitMs);
    QCOMPARE(desk.results[0].exitStatus(), 0);
    QCOMPARE(QDir(desk.folders.outside()).entryList(QDir::AllEntries | QDir::NoDotAndDotDot),
        QStringList());

    // One that the command made, even as an empty file, is its own.
    wish.execution.request.grantedWritable = { desk.folders.outside() + u"/used"_s };
    wish.execution.request.command = { "/usr/bin/touch", desk.out(u"used"_s) };
    desk.commands.run(wish);
    QTRY_COMPARE_WITH_TIMEOUT(desk.results.size(), 2, kLimitMs);
    QCOMPARE(desk.content(u"used"_s), QByteArray());
}

void TestSandboxedCommands::commandLineIsShownAsAShellReadsIt()
{
    QCOMPARE(shownCommand({ "ls", "-l", "a b", "it's", "" }), u"ls -l 'a b' 'it'\\''s' ''"_s);
}

QTEST_GUILESS_MAIN(TestSandboxedCommands)
#include "tst_sandboxedcommands.moc"
