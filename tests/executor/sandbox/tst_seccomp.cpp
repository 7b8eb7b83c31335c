// SPDX-License-Identifier: Apache-2.0
#include "executor/sandbox/sandboxedrun.h"
#include "tests/executor/sandbox/sandboxfolders.h"

#include <QTest>

#include <cerrno>
#include <csignal>

using namespace Qt::StringLiterals;
using namespace deskhand::sandbox;
using deskhand::test::SandboxFolders;

namespace {

const QStringList kRefused { u"ptrace"_s, u"process_vm_readv"_s, u"process_vm_writev"_s,
    u"process_madvise"_s, u"pidfd_getfd"_s, u"kcmp"_s, u"mount"_s, u"umount2"_s, u"pivot_root"_s,
    u"chroot"_s, u"move_mount"_s, u"open_tree"_s, u"fsopen"_s, u"fsconfig"_s, u"fsmount"_s,
    u"fspick"_s, u"mount_setattr"_s, u"unshare"_s, u"setns"_s, u"bpf"_s, u"perf_event_open"_s,
    u"userfaultfd"_s, u"init_module"_s, u"finit_module"_s, u"delete_module"_s, u"kexec_load"_s,
    u"reboot"_s, u"swapon"_s, u"swapoff"_s, u"acct"_s, u"quotactl"_s, u"syslog"_s,
    u"settimeofday"_s, u"clock_settime"_s, u"adjtimex"_s, u"clock_adjtime"_s, u"keyctl"_s,
    u"add_key"_s, u"request_key"_s, u"name_to_handle_at"_s, u"open_by_handle_at"_s,
    u"personality_read_implies_exec"_s, u"clone_newuser"_s, u"mknod_device"_s, u"ioctl_sti"_s,
    u"ioctl_sti_high_bits"_s, u"ioctl_linux"_s };
const QStringList kMissing { u"io_uring_setup"_s, u"io_uring_enter"_s, u"io_uring_register"_s,
    u"clone3"_s };
/// Calls that must come through: another answer than EPERM.
const QStringList kOpen { u"personality_query"_s, u"mknod_pipe"_s, u"ioctl_winsize"_s,
    u"sendto_plain"_s, u"recvfrom"_s, u"getsockopt"_s, u"socketpair_unix"_s };
const QStringList kSockets { u"socket_unix"_s, u"socket_unix_datagram"_s, u"socket_inet"_s,
    u"socket_inet_datagram"_s, u"socket_inet6"_s, u"socket_raw"_s, u"socket_packet"_s,
    u"socket_route"_s, u"socket_audit"_s, u"socket_vsock"_s, u"socket_alg"_s, u"socket_xdp"_s,
    u"socketpair_inet"_s };
const QStringList kConnections { u"connect"_s, u"bind"_s, u"listen"_s, u"accept4"_s,
    u"sendto_address"_s };

} // namespace

/// Each filter against its table, by making the calls.
class TestSeccomp final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void callsAreAnsweredAsTheTableSays_data();
    void callsAreAnsweredAsTheTableSays();
    void foreignArchitectureIsKilled();
};

void TestSeccomp::callsAreAnsweredAsTheTableSays_data()
{
    QTest::addColumn<int>("mode");
    QTest::addColumn<QStringList>("openSockets");
    QTest::addColumn<bool>("connectionsOpen");
    QTest::addColumn<bool>("listedSocket");
    const QStringList inet { u"socket_inet"_s, u"socket_inet_datagram"_s, u"socket_inet6"_s };
    QTest::newRow("off") << static_cast<int>(NetworkMode::Off) << QStringList { u"socket_unix"_s }
                         << false << false;
    QTest::newRow("local") << static_cast<int>(NetworkMode::Local)
                           << inet
            + QStringList { u"socket_unix"_s, u"socket_unix_datagram"_s, u"socket_route"_s }
                           << true << false;
    QTest::newRow("proxy") << static_cast<int>(NetworkMode::Proxy) << inet << true << false;
    QTest::newRow("full") << static_cast<int>(NetworkMode::Full)
                          << inet + QStringList { u"socket_route"_s } << true << false;
    QTest::newRow("full with a listed socket")
        << static_cast<int>(NetworkMode::Full)
        << inet + QStringList { u"socket_unix"_s, u"socket_unix_datagram"_s, u"socket_route"_s }
        << true << true;
}

void TestSeccomp::callsAreAnsweredAsTheTableSays()
{
    QFETCH(const int, mode);
    QFETCH(const QStringList, openSockets);
    QFETCH(const bool, connectionsOpen);
    QFETCH(const bool, listedSocket);
    const SandboxFolders folders(SandboxFolders::Owner::User);
    const QString program = folders.workspace() + u"/calls"_s;
    QVERIFY(QFile::copy(
        QCoreApplication::applicationDirPath() + u"/deskhand-test-seccompcalls"_s, program));
    SandboxRequest request;
    request.directory = folders.workspace();
    request.command = { QFile::encodeName(program) };
    request.profile.network.mode = static_cast<NetworkMode>(mode);
    if (listedSocket) {
        request.profile.network.unixSockets = { u"/var/lib/none.sock"_s };
    }
    deskhand::process::RunControl control;
    const SandboxResult result = runSandboxed(request, control);
    QVERIFY2(result.exitStatus() == 0,
        qPrintable(
            u"status %1 %2 %3"_s.arg(result.exitStatus())
                .arg(result.error.message, QString::fromUtf8(result.outcome.merged.joined()))));
    QMap<QString, int> answers;
    for (const QByteArray &line : result.outcome.output.retained.joined().split('\n')) {
        const QList<QByteArray> words = line.split(' ');
        if (words.size() == 2) {
            answers.insert(QString::fromLatin1(words[0]), words[1].toInt());
        }
    }
    const auto expect = [&answers](const QString &call, int error) {
        return answers.contains(call) && answers.value(call) == error;
    };
    for (const QString &call : kRefused) {
        QVERIFY2(expect(call, EPERM),
            qPrintable(call + u' ' + QString::number(answers.value(call, -1))));
    }
    for (const QString &call : kMissing) {
        QVERIFY2(expect(call, ENOSYS), qPrintable(call));
    }
    for (const QString &call : kOpen) {
        QVERIFY2(answers.contains(call) && answers.value(call) != EPERM, qPrintable(call));
    }
    for (const QString &call : kSockets) {
        QVERIFY2(
            answers.contains(call) && (answers.value(call) != EPERM) == openSockets.contains(call),
            qPrintable(call + u' ' + QString::number(answers.value(call))));
    }
    for (const QString &call : kConnections) {
        QVERIFY2(answers.contains(call) && (answers.value(call) != EPERM) == connectionsOpen,
            qPrintable(call));
    }
}

void TestSeccomp::foreignArchitectureIsKilled()
{
#if defined(__x86_64__)
    // int 0x80 enters the kernel with the numbers of another architecture.
    const SandboxFolders folders(SandboxFolders::Owner::User);
    SandboxRequest request;
    request.directory = folders.workspace();
    const QString program = folders.workspace() + u"/foreign"_s;
    QVERIFY(QFile::copy(
        QCoreApplication::applicationDirPath() + u"/deskhand-test-foreigncall"_s, program));
    request.command = { QFile::encodeName(program) };
    deskhand::process::RunControl control;
    const SandboxResult result = runSandboxed(request, control);
    QCOMPARE(result.outcome.signal, SIGSYS);
    QCOMPARE(result.denials.value(0).grade, DenialGrade::Certain);
#else
    QSKIP("only x86-64 has a second way in");
#endif
}

QTEST_GUILESS_MAIN(TestSeccomp)
#include "tst_seccomp.moc"
