// SPDX-License-Identifier: Apache-2.0
#include "executor/settings/secretstore.h"

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

#include <cstdio>

#ifdef Q_OS_UNIX
#include <csignal>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#endif

using namespace deskhand;
using namespace Qt::StringLiterals;

namespace {

constexpr auto kLongLimit = "20000";
constexpr auto kShortLimit = "700";

/// The program under a desktop's environment: the tests start themselves again as this. It does
/// what the arguments say, one after the other ("write NAME VALUE", "read NAME", "remove NAME",
/// "pause" waits for a line of input), and prints one line for each outcome: "ok VALUE STATE" or
class Probe final : public QObject
{
public:
    Probe(QStringList script, std::chrono::milliseconds limit)
        : m_script(std::move(script))
        , m_store(settings::makeKeychainStore(u"deskhand-test"_s, limit))
    { }

    void next()
    {
        if (m_script.isEmpty()) {
            QCoreApplication::quit();
            return;
        }
        const QStringList words = m_script.takeFirst().split(u' ');
        const QString &verb = words.first();
        const auto withoutValue = [this](const Result<> &outcome) {
            report(outcome.map([] { return QString(); }));
        };
        if (verb == u"pause"_s) {
            say(u"paused"_s);
            (void)std::getchar();
            QMetaObject::invokeMethod(
                this, [this] { next(); }, Qt::QueuedConnection);
        } else if (verb == u"write"_s) {
            m_store->write(words.at(1), words.at(2), withoutValue);
        } else if (verb == u"remove"_s) {
            m_store->remove(words.at(1), withoutValue);
        } else {
            m_store->read(words.at(1), [this](const Result<QString> &outcome) { report(outcome); });
        }
    }

private:
    void report(const Result<QString> &outcome)
    {
        const QString state = settings::secretsStateName(m_store->state());
        say(outcome ? u"ok %1 %2"_s.arg(*outcome, state)
                    : u"error %1 %2"_s.arg(errorKindName(outcome.error().kind), state));
        if (!outcome) {
            std::fprintf(stderr, "%s\n", qPrintable(outcome.error().message));
        }
        next();
    }

    static void say(const QString &line)
    {
        std::printf("%s\n", line.toUtf8().constData());
        std::fflush(stdout);
    }

    QStringList m_script;
    std::unique_ptr<settings::SecretStore> m_store;
};

} // namespace

class TestKeychain : public QObject
{
    Q_OBJECT
    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<QProcess> m_bus;
    std::unique_ptr<QProcess> m_keyring;
    QProcessEnvironment m_environment;

    /// A message bus of the test's own, on which nothing is started by name.
    void startBus()
    {
        const QString config = m_folder->filePath(u"bus.conf"_s);
        QFile file(config);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("<busconfig><type>session</type><listen>unix:path="
            + m_folder->filePath(u"bus"_s).toUtf8()
            + "</listen><policy context=\"default\"><allow send_destination=\"*\"/>"
              "<allow receive_sender=\"*\"/>"
              "<allow own=\"*\"/></policy></busconfig>");
        file.close();
        m_bus = std::make_unique<QProcess>();
        m_bus->start(u"dbus-daemon"_s,
            { u"--nofork"_s, u"--print-address"_s, u"--config-file="_s + config });
        QVERIFY(m_bus->waitForReadyRead());
        m_environment.insert(u"DBUS_SESSION_BUS_ADDRESS"_s,
            QString::fromUtf8(m_bus->readAllStandardOutput()).trimmed());
    }

    [[nodiscard]] bool keyringIsOnTheBus() const
    {
        QProcess ask;
        ask.setProcessEnvironment(m_environment);
        ask.start(u"dbus-send"_s,
            { u"--session"_s, u"--print-reply"_s, u"--dest=org.freedesktop.DBus"_s, u"/"_s,
                u"org.freedesktop.DBus.NameHasOwner"_s, u"string:org.freedesktop.secrets"_s });
        return ask.waitForFinished() && ask.readAllStandardOutput().contains("true");
    }

    void startKeyring(bool unlocked)
    {
        m_keyring = std::make_unique<QProcess>();
        m_keyring->setProcessEnvironment(m_environment);
        m_keyring->setProcessChannelMode(QProcess::ForwardedErrorChannel);
        QStringList arguments { u"--foreground"_s, u"--components=secrets"_s };
        if (unlocked) {
            arguments.append(u"--unlock"_s);
        }
        m_keyring->start(u"gnome-keyring-daemon"_s, arguments);
        QVERIFY(m_keyring->waitForStarted());
        if (unlocked) {
            m_keyring->write("test password");
        }
        m_keyring->closeWriteChannel();
        QTRY_VERIFY_WITH_TIMEOUT(keyringIsOnTheBus(), 20000);
    }

    static void stop(std::unique_ptr<QProcess> &process)
    {
        if (process && process->state() != QProcess::NotRunning) {
            process->kill();
            process->waitForFinished();
        }
        process.reset();
    }

    std::unique_ptr<QProcess> startProbe(const char *limit, const QStringList &script)
    {
        auto probe = std::make_unique<QProcess>();
        probe->setProcessEnvironment(m_environment);
        probe->setProcessChannelMode(QProcess::ForwardedErrorChannel);
        probe->start(QCoreApplication::applicationFilePath(),
            QStringList { u"--probe"_s, QString::fromLatin1(limit) } + script);
        return probe;
    }

    QStringList runProbe(const char *limit, const QStringList &script)
    {
        const auto probe = startProbe(limit, script);
        if (!probe->waitForFinished(20000) || probe->exitCode() != 0) {
            return { u"the probe did not end: %1"_s.arg(probe->errorString()) };
        }
        return QString::fromUtf8(probe->readAllStandardOutput()).trimmed().split(u'\n');
    }

private Q_SLOTS:
    void initTestCase()
    {
#ifndef Q_OS_LINUX
        QSKIP("the key store of this system has no test daemon");
#endif
        for (const QString &program :
            { u"dbus-daemon"_s, u"gnome-keyring-daemon"_s, u"dbus-send"_s }) {
            if (QStandardPaths::findExecutable(program).isEmpty()) {
                QSKIP(qPrintable(program + u" is not installed"_s));
            }
        }
    }

    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_environment = QProcessEnvironment::systemEnvironment();
        for (const QString &name : { u"DISPLAY"_s, u"WAYLAND_DISPLAY"_s, u"XDG_CURRENT_DESKTOP"_s,
                 u"DBUS_SESSION_BUS_ADDRESS"_s, u"GNOME_KEYRING_CONTROL"_s }) {
            m_environment.remove(name);
        }
        m_environment.insert(u"HOME"_s, m_folder->path());
        m_environment.insert(u"XDG_DATA_HOME"_s, m_folder->filePath(u"share"_s));
        m_environment.insert(u"XDG_RUNTIME_DIR"_s, m_folder->path());
    }

    void cleanup()
    {
        stop(m_keyring);
        stop(m_bus);
        m_folder.reset();
    }

    void unlockedKeyring_writeReadRemove_works()
    {
        startBus();
        startKeyring(true);
        const QStringList said = runProbe(kLongLimit,
            { u"read token"_s, u"write token 秘密🔑"_s, u"read token"_s, u"write token second"_s,
                u"read token"_s, u"remove token"_s, u"remove token"_s, u"read token"_s });
        QCOMPARE(said,
            QStringList({ u"ok  ready"_s, u"ok  ready"_s, u"ok 秘密🔑 ready"_s, u"ok  ready"_s,
                u"ok second ready"_s, u"ok  ready"_s, u"ok  ready"_s, u"ok  ready"_s }));
    }

    void unlockedKeyring_anotherProcess_readsWhatWasWritten()
    {
        startBus();
        startKeyring(true);
        QCOMPARE(runProbe(kLongLimit, { u"write token abc"_s }), QStringList { u"ok  ready"_s });
        QCOMPARE(runProbe(kLongLimit, { u"read token"_s }), QStringList { u"ok abc ready"_s });
    }

    void lockedKeyring_nobodyUnlocks_isLockedNotAbsent()
    {
        startBus();
        startKeyring(true);
        QCOMPARE(runProbe(kLongLimit, { u"write token abc"_s }), QStringList { u"ok  ready"_s });
        stop(m_keyring);
        startKeyring(false);
        // Never "there is none", never "removed": the secret is there.
        const QStringList said = runProbe(
            kLongLimit, { u"read token"_s, u"write token x"_s, u"remove token"_s, u"read none"_s });
        QCOMPARE(said,
            QStringList({ u"error unavailable locked"_s, u"error unavailable locked"_s,
                u"error unavailable locked"_s, u"ok  ready"_s }));
    }

    void noBus_isMissing()
    {
        m_environment.insert(
            u"DBUS_SESSION_BUS_ADDRESS"_s, u"unix:path="_s + m_folder->filePath(u"nothing here"_s));
        const QStringList said = runProbe(kLongLimit, { u"read token"_s, u"write token x"_s });
        QCOMPARE(
            said, QStringList({ u"error unavailable missing"_s, u"error unavailable missing"_s }));
    }

    void noBusConfigured_isMissing()
    {
        const QStringList said = runProbe(kLongLimit, { u"read token"_s });
        QCOMPARE(said, QStringList { u"error unavailable missing"_s });
    }

    void busWithoutKeyring_isMissing()
    {
        startBus();
        const QStringList said = runProbe(kLongLimit, { u"read token"_s, u"write token x"_s });
        QCOMPARE(
            said, QStringList({ u"error unavailable missing"_s, u"error unavailable missing"_s }));
    }

    void hangingBus_timesOutAndTheProgramEnds()
    {
#ifdef Q_OS_UNIX
        // Takes connections and never says a word.
        const QByteArray path = QFile::encodeName(m_folder->filePath(u"deaf"_s));
        const int listener = ::socket(AF_UNIX, SOCK_STREAM, 0);
        QVERIFY(listener >= 0);
        sockaddr_un address = {};
        address.sun_family = AF_UNIX;
        QVERIFY(static_cast<size_t>(path.size()) < sizeof(address.sun_path));
        std::copy(path.cbegin(), path.cend(), address.sun_path);
        QCOMPARE(
            ::bind(listener, reinterpret_cast<const sockaddr *>(&address), sizeof(address)), 0);
        QCOMPARE(::listen(listener, 5), 0);
        m_environment.insert(
            u"DBUS_SESSION_BUS_ADDRESS"_s, u"unix:path="_s + QFile::decodeName(path));
        const QStringList said = runProbe(kShortLimit, { u"read token"_s, u"write token x"_s });
        ::close(listener);
        QCOMPARE(said, QStringList({ u"error timeout locked"_s, u"error timeout locked"_s }));
#endif
    }

    void stoppedKeyring_lateAnswer_isIgnoredAndTheStoreRecovers()
    {
#ifdef Q_OS_UNIX
        startBus();
        startKeyring(true);
        QCOMPARE(runProbe(kLongLimit, { u"write token abc"_s }), QStringList { u"ok  ready"_s });
        const auto daemon = static_cast<pid_t>(m_keyring->processId());
        QCOMPARE(::kill(daemon, SIGSTOP), 0);
        const auto probe
            = startProbe("2000", { u"read token"_s, u"pause"_s, u"read token"_s, u"read token"_s });
        QTRY_VERIFY_WITH_TIMEOUT(probe->bytesAvailable() > 25 || probe->state() == 0, 20000);
        QCOMPARE(probe->readLine(), "error timeout locked\n");
        QTRY_VERIFY(probe->canReadLine());
        QCOMPARE(probe->readLine(), "paused\n");
        QCOMPARE(::kill(daemon, SIGCONT), 0);
        probe->write("\n");
        QVERIFY(probe->waitForFinished(20000));
        // Two questions, two answers: the one that came late counts for neither.
        QCOMPARE(probe->readAllStandardOutput(), "ok abc ready\nok abc ready\n");
#endif
    }
};

int main(int argc, char **argv)
{
    const QCoreApplication application(argc, argv);
    const QStringList arguments = QCoreApplication::arguments();
    if (arguments.size() > 3 && arguments.at(1) == u"--probe"_s) {
        Probe probe(arguments.mid(3), std::chrono::milliseconds(arguments.at(2).toInt()));
        QMetaObject::invokeMethod(
            &probe, [&probe] { probe.next(); }, Qt::QueuedConnection);
        return QCoreApplication::exec();
    }
    TestKeychain test;
    return QTest::qExec(&test, argc, argv);
}

#include "tst_keychain.moc"
