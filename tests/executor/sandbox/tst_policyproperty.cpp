// SPDX-License-Identifier: Apache-2.0
#include "executor/sandbox/sandboxedrun.h"
#include "tests/executor/sandbox/sandboxfolders.h"

#include <QTest>

using namespace Qt::StringLiterals;
using namespace deskhand::sandbox;
using deskhand::test::SandboxFolders;

/// Random nested rules on a random tree: what the evaluator says about each file must be what a
/// real open for reading and for writing finds inside the sandbox.
class TestPolicyProperty final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void evaluatorAgreesWithTheKernel_data();
    void evaluatorAgreesWithTheKernel();

private:
    static QStringList makeTree(const QString &top, QRandomGenerator &random);
};

QStringList TestPolicyProperty::makeTree(const QString &top, QRandomGenerator &random)
{
    QStringList directories { top };
    for (int i = 0; i < 24; ++i) {
        const QString parent = directories[random.bounded(static_cast<int>(directories.size()))];
        const QString path = parent + u"/d%1"_s.arg(i);
        if (path.count(u'/') < top.count(u'/') + 5) {
            QDir().mkpath(path);
            directories.append(path);
        }
    }
    for (const QString &directory : directories) {
        for (const QString &name : { u"f"_s, u"g h"_s }) {
            QFile file(directory + u'/' + name);
            if (file.open(QIODevice::WriteOnly)) {
                file.write("content");
            }
        }
    }
    return directories;
}

void TestPolicyProperty::evaluatorAgreesWithTheKernel_data()
{
    QTest::addColumn<quint32>("seed");
    for (quint32 seed = 1; seed <= 25; ++seed) {
        QTest::addRow("tree and rules of seed %u", seed) << seed;
    }
}

void TestPolicyProperty::evaluatorAgreesWithTheKernel()
{
    QFETCH(const quint32, seed);
    QRandomGenerator random(seed);
    const SandboxFolders folders(SandboxFolders::Owner::Self);
    const QStringList directories = makeTree(folders.workspace(), random);
    SandboxRequest request;
    request.directory = folders.workspace();
    request.profile = PermissionProfile::readOnly();
    request.profile.files.protectedNames = { u"d3"_s, u"d5"_s, u"absent"_s };
    request.profile.files.secretPaths.clear();
    constexpr Access kAccesses[] = { Access::Deny, Access::Read, Access::Write };
    for (int i = 0; i < 9; ++i) {
        QString path = directories[1 + random.bounded(static_cast<int>(directories.size()) - 1)];
        if (random.bounded(4) == 0) {
            path += u"/f"_s;
        }
        request.profile.files.rules.append(
            { { RuleTarget::Kind::Path, path }, kAccesses[random.bounded(3)], OnMissing::Default });
    }
    request.profile.files.rules.append(
        { { RuleTarget::Kind::Glob, folders.workspace() + u"/**/d7/g*"_s }, Access::Deny,
            OnMissing::Default });
    // The command itself needs a place to stand on.
    request.profile.files.rules.append({ { RuleTarget::Kind::Path, folders.workspace() },
        random.bounded(2) == 0 ? Access::Write : Access::Read, OnMissing::Default });

    QByteArray script
        = "check() { if head -c1 -- \"$1\" >/dev/null 2>&1; then r=1; else r=0; fi;"
          " if ( : >> \"$1\" ) 2>/dev/null; then w=1; else w=0; fi; echo \"$r$w $1\"; }\n";
    QStringList files;
    for (const QString &directory : directories) {
        for (const QString &name : { u"f"_s, u"g h"_s }) {
            files.append(directory + u'/' + name);
            script += "check '" + files.last().toUtf8() + "'\n";
        }
    }
    request.command = { "/bin/sh", "-c", script };
    const auto policy = ResolvedPolicy::resolve(
        request.profile, { { folders.workspace() }, folders.home(), {}, {}, {} });
    QVERIFY2(policy.has_value(), policy ? "" : qPrintable(policy.error().message));
    deskhand::process::RunControl control;
    const SandboxResult result = runSandboxed(request, control);
    QVERIFY2(result.endedBy == EndedBy::Command, qPrintable(result.error.message));
    const QList<QByteArray> lines = result.outcome.output.retained.joined().trimmed().split('\n');
    QCOMPARE(lines.size(), files.size());
    for (qsizetype i = 0; i < files.size(); ++i) {
        const bool read = policy->verdict(files[i], Access::Read).allowed;
        const bool write = policy->verdict(files[i], Access::Write).allowed;
        const QByteArray expected
            = QByteArray(read ? "1" : "0") + (write ? "1 " : "0 ") + files[i].toUtf8();
        QVERIFY2(lines[i] == expected,
            qPrintable(u"real: %1, said: %2, %3"_s.arg(QString::fromUtf8(lines[i]),
                QString::fromUtf8(expected), policy->verdict(files[i], Access::Write).reason)));
    }
}

QTEST_GUILESS_MAIN(TestPolicyProperty)
#include "tst_policyproperty.moc"
