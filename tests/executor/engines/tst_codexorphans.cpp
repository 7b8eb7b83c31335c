// SPDX-License-Identifier: Apache-2.0
#include "tests/support/codex/enginebench.h"
#include "tests/support/codex/modelserver.h"

#include <QDir>
#include <QFile>
#include <QJsonDocument>
#include <QProcess>
#include <QTest>

using namespace Qt::StringLiterals;
using deskhand::testing::EngineBench;
using deskhand::testing::ModelServer;

namespace {

QByteArray processFile(const QString &pid, const QString &name)
{
    QFile file(u"/proc/%1/%2"_s.arg(pid, name));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

bool isAlive(const QString &pid)
{
    const QByteArray stat = processFile(pid, u"stat"_s);
    return !stat.isEmpty() && stat.mid(stat.lastIndexOf(')') + 2, 1) != "Z";
}

// Living processes with this text in their command line.
int countRunning(const QByteArray &text)
{
    int count = 0;
    const QStringList entries = QDir(u"/proc"_s).entryList(QDir::Dirs);
    for (const QString &pid : entries) {
        if (processFile(pid, u"cmdline"_s).contains(text) && isAlive(pid)) {
            ++count;
        }
    }
    return count;
}

} // namespace

// Whatever happens to the program, codex and its commands do not outlive it.
class TestCodexOrphans final : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase()
    {
        if (!QFile::exists(u"/proc/self/stat"_s)) {
            QSKIP("needs /proc to look at processes");
        }
    }

    void programKilled_engineThatIgnoresTheEndOfInputGoesToo()
    {
        QTemporaryDir folder;
        QFile script(folder.filePath(u"script.json"_s));
        QVERIFY(script.open(QIODevice::WriteOnly));
        script.write("{\"ignore_eof\": true, \"ignore_term\": true}");
        script.close();
        QProcess host;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(u"FAKE_CODEX_SCRIPT"_s, script.fileName());
        host.setProcessEnvironment(environment);
        killHost(host, EngineBench::fakeCodex(), {});
    }

    void programKilled_realEngineAndItsCommandGoToo()
    {
        const QString codex = EngineBench::realCodex();
        if (codex.isEmpty()) {
            QFAIL("the codex program is not installed below DESKHAND_PEERS");
        }
        const QString seconds = u"86400.%1"_s.arg(QCoreApplication::applicationPid());
        ModelServer model;
        QVERIFY(model.start({ { u"steps"_s,
            QJsonArray { QJsonObject { { u"calls"_s,
                QJsonArray { QJsonObject { { u"name"_s, u"exec_command"_s },
                    { u"arguments"_s,
                        QJsonObject { { u"cmd"_s, u"sleep "_s + seconds } } } } } } } } } }));
        QProcess host;
        killHost(host, codex, model.baseUrl());
        QTRY_COMPARE_WITH_TIMEOUT(countRunning(seconds.toUtf8()), 0, 10'000);
    }

private:
    static void killHost(QProcess &host, const QString &program, const QString &url)
    {
        host.setProcessChannelMode(QProcess::ForwardedErrorChannel);
        host.start(QStringLiteral(DESKHAND_ENGINE_HOST), { program, url });
        QTRY_VERIFY_WITH_TIMEOUT(host.canReadLine(), 30'000);
        const QString pid = QString::fromLatin1(host.readLine().trimmed());
        QVERIFY(isAlive(pid));
        host.kill();
        QTRY_COMPARE_WITH_TIMEOUT(host.state(), QProcess::NotRunning, 10'000);
        QTRY_VERIFY_WITH_TIMEOUT(!isAlive(pid), 10'000);
    }
};

QTEST_GUILESS_MAIN(TestCodexOrphans)
#include "tst_codexorphans.moc"
