// SPDX-License-Identifier: Apache-2.0
#include "executor/sandbox/domainrules.h"
#include "executor/sandbox/sandboxedrun.h"
#include "tests/executor/sandbox/sandboxfolders.h"

#include <QTcpServer>
#include <QTcpSocket>
#include <QTest>
#include <QThread>

#include <mutex>

using namespace Qt::StringLiterals;
using namespace deskhand::sandbox;
using deskhand::test::SandboxFolders;

namespace {

/// A host's server on the loopback that answers every request with a secret word. Own thread,
/// because the test's thread is busy with the run.
class HostServer final
{
public:
    HostServer()
    {
        m_thread.start();
        m_server.moveToThread(&m_thread);
        QMetaObject::invokeMethod(
            &m_server,
            [this] {
                m_listener = new QTcpServer(&m_server);
                m_listener->listen(QHostAddress::LocalHost);
                QObject::connect(m_listener, &QTcpServer::newConnection, &m_server, [this] {
                    while (QTcpSocket *socket = m_listener->nextPendingConnection()) {
                        QObject::connect(socket, &QTcpSocket::readyRead, socket, [this, socket] {
                            const std::lock_guard lock(m_mutex);
                            m_seen += socket->readAll();
                            if (m_seen.contains("\r\n\r\n")) {
                                socket->write("HTTP/1.1 200 OK\r\nContent-Length: 6\r\nConnection: "
                                              "close\r\n\r\nSECRET");
                                socket->disconnectFromHost();
                            }
                        });
                    }
                });
                m_port = m_listener->serverPort();
            },
            Qt::BlockingQueuedConnection);
    }
    ~HostServer()
    {
        QMetaObject::invokeMethod(
            &m_server, [this] { delete m_listener; }, Qt::BlockingQueuedConnection);
        m_thread.quit();
        m_thread.wait();
    }
    Q_DISABLE_COPY_MOVE(HostServer)

    [[nodiscard]] int port() const { return m_port; }
    [[nodiscard]] QByteArray seen()
    {
        const std::lock_guard lock(m_mutex);
        return m_seen;
    }

private:
    QThread m_thread;
    QObject m_server;
    QTcpServer *m_listener = nullptr;
    std::mutex m_mutex; ///< guards m_seen
    QByteArray m_seen;
    int m_port = 0;
};

QByteArray clientHello(const QByteArray &name)
{
    const auto length = [](qsizetype value, int bytes) {
        QByteArray result;
        for (int i = bytes - 1; i >= 0; --i) {
            result += static_cast<char>((value >> (8 * i)) & 0xff);
        }
        return result;
    };
    const QByteArray entry = QByteArray(1, 0) + length(name.size(), 2) + name;
    const QByteArray list = length(entry.size(), 2) + entry;
    const QByteArray extension = QByteArray("\0\0", 2) + length(list.size(), 2) + list;
    const QByteArray body = QByteArray("\x03\x03") + QByteArray(32, 'r') + QByteArray(1, 0)
        + QByteArray("\0\x02\x13\x01", 4) + QByteArray("\x01\0", 2) + length(extension.size(), 2)
        + extension;
    const QByteArray handshake = QByteArray("\x01") + length(body.size(), 3) + body;
    return QByteArray("\x16\x03\x01") + length(handshake.size(), 2) + handshake;
}

} // namespace

/// The network modes: what is reachable from inside, by which way, and what is said about it.
class TestNetworkProxy final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void patterns_data();
    void patterns();
    void badPatterns();
    void hostsAreNormalised_data();
    void hostsAreNormalised();
    void privateAddresses_data();
    void privateAddresses();
    void serverNames();
    void listedAddressThroughHttp();
    void listedAddressThroughSocks();
    void nameLeadingToAPrivateAddress();
    void unlistedHostIsACertainDenial();
    void theOwnerIsAsked();
    void directWaysStayShut();
    void localModeHasItsOwnLoopback();
    void localModeHidesHostSockets();
    void fullModeRefusesUnlistedSockets();

private:
    static SandboxRequest request(
        const SandboxFolders &folders, const QByteArray &command, NetworkMode mode);
    static bool haveCurl();
};

SandboxRequest TestNetworkProxy::request(
    const SandboxFolders &folders, const QByteArray &command, NetworkMode mode)
{
    SandboxRequest result;
    result.directory = folders.workspace();
    result.command = { "/bin/sh", "-c", command };
    result.profile.network.mode = mode;
    result.callId = u"call-1"_s;
    return result;
}

bool TestNetworkProxy::haveCurl()
{
    return !SandboxFolders::findProgram(u"curl"_s).isEmpty();
}

void TestNetworkProxy::patterns_data()
{
    QTest::addColumn<QString>("pattern");
    QTest::addColumn<QString>("host");
    QTest::addColumn<bool>("allowed");
    QTest::newRow("exact") << u"example.org"_s << u"example.org"_s << true;
    QTest::newRow("exact is not its sub-domain") << u"example.org"_s << u"a.example.org"_s << false;
    QTest::newRow("star is sub-domains") << u"*.example.org"_s << u"a.b.example.org"_s << true;
    QTest::newRow("star is not the host itself") << u"*.example.org"_s << u"example.org"_s << false;
    QTest::newRow("two stars are both") << u"**.example.org"_s << u"example.org"_s << true;
    QTest::newRow("no suffix of a name") << u"**.example.org"_s << u"badexample.org"_s << false;
    QTest::newRow("case and dot") << u"Example.ORG."_s << u"example.org"_s << true;
    QTest::newRow("international") << u"bücher.example"_s << u"xn--bcher-kva.example"_s << true;
}

void TestNetworkProxy::patterns()
{
    QFETCH(const QString, pattern);
    QFETCH(const QString, host);
    QFETCH(const bool, allowed);
    const auto rules = DomainRules::parse({ { pattern, true } });
    QVERIFY(rules.has_value());
    QCOMPARE(rules->check(normalisedHost(host)) == DomainRules::Answer::Allowed, allowed);
    const auto denied = DomainRules::parse({ { pattern, true }, { host, false } });
    QCOMPARE(denied->check(normalisedHost(host)), DomainRules::Answer::Denied);
}

void TestNetworkProxy::badPatterns()
{
    for (const QString &pattern :
        { u"*"_s, u"**"_s, u"a.*.org"_s, u"*.*.org"_s, u""_s, u"a b"_s, u"*."_s }) {
        QVERIFY2(!DomainRules::parse({ { pattern, true } }).has_value(), qPrintable(pattern));
    }
}

void TestNetworkProxy::hostsAreNormalised_data()
{
    QTest::addColumn<QString>("typed");
    QTest::addColumn<QString>("host");
    QTest::newRow("plain") << u"EXAMPLE.org."_s << u"example.org"_s;
    QTest::newRow("bracketed") << u"[::1]"_s << u"::1"_s;
    QTest::newRow("decimal address") << u"2130706433"_s << QString();
    QTest::newRow("hexadecimal address") << u"0x7f.1"_s << QString();
    QTest::newRow("scoped") << u"fe80::1%eth0"_s << QString();
    QTest::newRow("line break") << u"a\r\nb"_s << QString();
    QTest::newRow("double dot") << u"a..b"_s << QString();
}

void TestNetworkProxy::hostsAreNormalised()
{
    QFETCH(const QString, typed);
    QFETCH(const QString, host);
    QCOMPARE(normalisedHost(typed), host);
}

void TestNetworkProxy::privateAddresses_data()
{
    QTest::addColumn<bool>("open");
    for (const char *address :
        { "127.0.0.1", "10.1.2.3", "172.31.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1",
            "0.0.0.0", "224.0.0.1", "255.255.255.255", "198.18.0.1", "192.0.2.1", "::1",
            "::", "fe80::1", "fc00::1", "fd12::1", "ff02::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1",
            "64:ff9b::7f00:1", "2002:7f00:1::", "2002:a00:1::", "2001:db8::1", "::7f00:1" }) {
        QTest::newRow(address) << false;
    }
    for (const char *address : { "9.9.9.9", "1.1.1.1", "2620:fe::fe", "::ffff:9.9.9.9",
             "64:ff9b::909:909", "2002:909:909::" }) {
        QTest::newRow(address) << true;
    }
}

void TestNetworkProxy::privateAddresses()
{
    QFETCH(const bool, open);
    QCOMPARE(isPublicAddress(QHostAddress(QString::fromLatin1(QTest::currentDataTag()))), open);
}

void TestNetworkProxy::serverNames()
{
    const QByteArray hello = clientHello("Example.org");
    const ClientHello whole = ClientHello::read(hello);
    QCOMPARE(whole.state, ClientHello::State::Complete);
    QCOMPARE(whole.serverName, u"example.org"_s);
    for (qsizetype size = 0; size < hello.size(); ++size) {
        QCOMPARE(ClientHello::read(hello.left(size)).state, ClientHello::State::Incomplete);
    }
    QCOMPARE(ClientHello::read("GET / HTTP/1.1").state, ClientHello::State::NotTls);
}

void TestNetworkProxy::listedAddressThroughHttp()
{
    if (!haveCurl()) {
        QSKIP("curl is not installed");
    }
    HostServer server;
    const SandboxFolders folders(SandboxFolders::Owner::User);
    const QByteArray url = "http://127.0.0.1:" + QByteArray::number(server.port()) + "/a%20b?c#d";
    SandboxRequest run = request(folders,
        "curl -s -m 10 -H 'Proxy-Secret: x' -H 'X-Own: y' '" + url + "'", NetworkMode::Proxy);
    run.profile.network.domains = { { u"127.0.0.1"_s, true } };
    run.profile.network.extraPorts = { server.port() };
    QList<ProxyDecision> journal;
    SandboxHooks hooks;
    hooks.journal = [&journal](const ProxyDecision &decision) {
        journal.append(decision);
    };
    deskhand::process::RunControl control;
    const SandboxResult result = runSandboxed(run, control, hooks);
    QVERIFY2(result.outcome.output.retained.joined() == "SECRET",
        result.outcome.merged.joined().constData());
    QVERIFY(server.seen().startsWith("GET /a%20b?c HTTP/1.1\r\n"));
    QVERIFY(server.seen().contains("X-Own: y\r\n"));
    QVERIFY(!server.seen().contains("Proxy-"));
    QCOMPARE(journal.size(), 1);
    QVERIFY(journal[0].allowed);
    QCOMPARE(journal[0].callId, u"call-1"_s);
}

void TestNetworkProxy::listedAddressThroughSocks()
{
    if (!haveCurl()) {
        QSKIP("curl is not installed");
    }
    HostServer server;
    const SandboxFolders folders(SandboxFolders::Owner::User);
    SandboxRequest run = request(folders,
        "curl -s -m 10 -x \"$ALL_PROXY\" http://127.0.0.1:" + QByteArray::number(server.port())
            + "/",
        NetworkMode::Proxy);
    run.profile.network.domains = { { u"127.0.0.1"_s, true } };
    run.profile.network.extraPorts = { server.port() };
    deskhand::process::RunControl control;
    const SandboxResult result = runSandboxed(run, control);
    QVERIFY2(result.outcome.output.retained.joined() == "SECRET",
        result.outcome.merged.joined().constData());
}

void TestNetworkProxy::nameLeadingToAPrivateAddress()
{
    if (!haveCurl()) {
        QSKIP("curl is not installed");
    }
    HostServer server;
    const SandboxFolders folders(SandboxFolders::Owner::User);
    SandboxRequest run = request(folders,
        "curl -s -m 10 -o /dev/null -w '%{http_code}' http://localhost:"
            + QByteArray::number(server.port()) + "/",
        NetworkMode::Proxy);
    run.profile.network.domains = { { u"localhost"_s, true } };
    run.profile.network.extraPorts = { server.port() };
    deskhand::process::RunControl control;
    const SandboxResult result = runSandboxed(run, control);
    QCOMPARE(result.outcome.output.retained.joined(), QByteArray("403"));
    QCOMPARE(result.denials.value(0).grade, DenialGrade::Certain);
    QCOMPARE(result.denials.value(0).target, u"localhost"_s);
    QVERIFY(result.denials.value(0).reason.contains(u"private-address"_s));
    QVERIFY(server.seen().isEmpty());
}

void TestNetworkProxy::unlistedHostIsACertainDenial()
{
    if (!haveCurl()) {
        QSKIP("curl is not installed");
    }
    const SandboxFolders folders(SandboxFolders::Owner::User);
    SandboxRequest run = request(folders,
        "curl -s -m 10 -i http://example.invalid/ | grep -i x-proxy-error", NetworkMode::Proxy);
    deskhand::process::RunControl control;
    const SandboxResult result = runSandboxed(run, control);
    QVERIFY2(result.outcome.output.retained.joined().contains("blocked-by-allowlist"),
        result.outcome.merged.joined().constData());
    QCOMPARE(result.denials.value(0).target, u"example.invalid"_s);
    QVERIFY(result.denials.value(0).offersRetry());
}

void TestNetworkProxy::theOwnerIsAsked()
{
    if (!haveCurl()) {
        QSKIP("curl is not installed");
    }
    HostServer server;
    const SandboxFolders folders(SandboxFolders::Owner::User);
    const QByteArray url = "http://127.0.0.1:" + QByteArray::number(server.port()) + "/";
    SandboxRequest run = request(folders,
        "curl -s -m 10 -w ' %{http_code} ' " + url + " http://9.9.9.9:1/", NetworkMode::Proxy);
    run.profile.network.extraPorts = { server.port(), 1 };
    QStringList asked;
    SandboxHooks hooks;
    hooks.broker
        = [&asked](const HostQuestion &question, const std::function<void(HostAnswer)> &answer) {
              asked.append(question.host);
              answer(question.host == u"127.0.0.1"_s ? HostAnswer::Allow : HostAnswer::Deny);
          };
    deskhand::process::RunControl control;
    const SandboxResult result = runSandboxed(run, control, hooks);
    QCOMPARE(asked, (QStringList { u"127.0.0.1"_s, u"9.9.9.9"_s }));
    // Allowed as a name; a private address must be listed itself all the same.
    QCOMPARE(result.outcome.output.retained.joined().count(" 403 "), 2);
}

void TestNetworkProxy::directWaysStayShut()
{
    HostServer server;
    const SandboxFolders folders(SandboxFolders::Owner::User);
    SandboxRequest run = request(folders,
        "python3 -c \"import socket\n"
        "def t(f):\n  try:\n    f(); print('OPEN')\n  except OSError as e: print('shut')\n"
        "t(lambda: socket.create_connection(('127.0.0.1',"
            + QByteArray::number(server.port())
            + "),2))\n"
              "t(lambda: socket.socket(socket.AF_UNIX))\n"
              "t(lambda: "
              "socket.socket(socket.AF_INET,socket.SOCK_DGRAM).sendto(b'x',('9.9.9.9',53)))\"",
        NetworkMode::Proxy);
    deskhand::process::RunControl control;
    const SandboxResult result = runSandboxed(run, control);
    QVERIFY2(result.outcome.output.retained.joined() == "shut\nshut\nshut\n",
        result.outcome.merged.joined().constData());
}

void TestNetworkProxy::localModeHasItsOwnLoopback()
{
    HostServer server;
    const SandboxFolders folders(SandboxFolders::Owner::User);
    SandboxRequest run = request(folders,
        "python3 -c \"import socket\ns=socket.create_server(('127.0.0.1',0)); "
        "c=socket.create_connection(s.getsockname()); print('own')\n"
        "try:\n  socket.create_connection(('127.0.0.1',"
            + QByteArray::number(server.port())
            + "),2); print('HOST')\nexcept OSError: print('shut')\"",
        NetworkMode::Local);
    deskhand::process::RunControl control;
    const SandboxResult result = runSandboxed(run, control);
    QVERIFY2(result.outcome.output.retained.joined() == "own\nshut\n",
        result.outcome.merged.joined().constData());
}

void TestNetworkProxy::localModeHidesHostSockets()
{
    const SandboxFolders folders(SandboxFolders::Owner::User);
    const QString path = folders.outside() + u"/s.sock"_s;
    QProcess host;
    folders.applyOwner(host);
    host.start(SandboxFolders::findProgram(u"python3"_s),
        { u"-c"_s,
            u"import socket,sys\ns=socket.socket(socket.AF_UNIX); s.bind('%1'); s.listen(4); print('up',flush=True)\nwhile 1: s.accept()"_s
                .arg(path) });
    QByteArray seen;
    QTRY_VERIFY_WITH_TIMEOUT((seen += host.readAllStandardOutput()).contains("up"), 20'000);
    SandboxRequest run = request(folders,
        "python3 -c \"import socket\ntry:\n  socket.socket(socket.AF_UNIX).connect('"
            + QFile::encodeName(path) + "'); print('HOST')\nexcept OSError: print('shut')\"",
        NetworkMode::Local);
    deskhand::process::RunControl control;
    const SandboxResult result = runSandboxed(run, control);
    host.kill();
    host.waitForFinished();
    QVERIFY2(result.outcome.output.retained.joined() == "shut\n",
        result.outcome.merged.joined().constData());
}

void TestNetworkProxy::fullModeRefusesUnlistedSockets()
{
    HostServer server;
    const SandboxFolders folders(SandboxFolders::Owner::User);
    SandboxRequest run = request(folders,
        "python3 -c \"import socket\nsocket.create_connection(('127.0.0.1',"
            + QByteArray::number(server.port())
            + "),2); print('host')\n"
              "try:\n  socket.socket(socket.AF_UNIX); print('UNIX')\nexcept OSError: "
              "print('shut')\"",
        NetworkMode::Full);
    deskhand::process::RunControl control;
    const SandboxResult result = runSandboxed(run, control);
    QVERIFY2(result.outcome.output.retained.joined() == "host\nshut\n",
        result.outcome.merged.joined().constData());
}

QTEST_GUILESS_MAIN(TestNetworkProxy)
#include "tst_networkproxy.moc"
