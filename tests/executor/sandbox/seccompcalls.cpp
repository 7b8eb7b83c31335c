// SPDX-License-Identifier: Apache-2.0
// Makes one system call after another and prints its errno, so that a filter can be compared with
// its table. Arguments are chosen so that an unfiltered call is harmless: bad pointers, bad
// descriptors, or things that this process may do to itself.
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/personality.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

namespace {

void show(const char *name, long result)
{
    std::printf("%s %d\n", name, result < 0 ? errno : 0);
    if (result > 2 && result < 1024) {
        close(static_cast<int>(result));
    }
}

template <typename... Arguments> void call(const char *name, long number, Arguments... arguments)
{
    errno = 0;
    show(name, syscall(number, arguments...));
}

} // namespace

int main()
{
    std::setvbuf(stdout, nullptr, _IONBF, 0);
    constexpr long kNo = -1;
    char *const bad = nullptr;
#define CALL(name, ...) call(#name, SYS_##name, __VA_ARGS__)
    CALL(ptrace, kNo, 0, 0, 0);
    CALL(process_vm_readv, kNo, bad, 0, bad, 0, 0);
    CALL(process_vm_writev, kNo, bad, 0, bad, 0, 0);
    CALL(process_madvise, kNo, bad, 0, 0, 0);
    CALL(pidfd_getfd, kNo, kNo, 0);
    CALL(kcmp, kNo, kNo, 0, 0, 0);
    CALL(io_uring_setup, 0, bad);
    CALL(io_uring_enter, kNo, 0, 0, 0, bad, 0);
    CALL(io_uring_register, kNo, 0, bad, 0);
    CALL(mount, bad, bad, bad, 0, bad);
    CALL(umount2, bad, 0);
    CALL(pivot_root, bad, bad);
    CALL(chroot, bad);
    CALL(move_mount, kNo, bad, kNo, bad, 0);
    CALL(open_tree, kNo, bad, 0);
    CALL(fsopen, bad, 0);
    CALL(fsconfig, kNo, 0, bad, bad, 0);
    CALL(fsmount, kNo, 0, 0);
    CALL(fspick, kNo, bad, 0);
    CALL(mount_setattr, kNo, bad, 0, bad, 0);
    CALL(unshare, 0);
    CALL(setns, kNo, 0);
    CALL(clone3, bad, 0);
    CALL(bpf, kNo, bad, 0);
    CALL(perf_event_open, bad, 0, 0, kNo, 0);
    CALL(userfaultfd, kNo);
    CALL(init_module, bad, 0, bad);
    CALL(finit_module, kNo, bad, 0);
    CALL(delete_module, bad, 0);
    CALL(kexec_load, 0, 0, bad, kNo);
    CALL(reboot, 0, 0, 0, bad);
    CALL(swapon, bad, 0);
    CALL(swapoff, bad);
    CALL(acct, "/no/such/file");
    CALL(quotactl, kNo, bad, 0, bad);
    CALL(syslog, kNo, bad, 0);
    CALL(settimeofday, 1L, bad);
    CALL(clock_settime, kNo, bad);
    CALL(adjtimex, bad);
    CALL(clock_adjtime, kNo, bad);
    CALL(keyctl, kNo, 0, 0, 0, 0);
    CALL(add_key, bad, bad, bad, 0, 0);
    CALL(request_key, bad, bad, bad, 0);
    CALL(name_to_handle_at, kNo, bad, bad, bad, 0);
    CALL(open_by_handle_at, kNo, bad, 0);
    call("personality_query", SYS_personality, 0xffffffffUL);
    call("personality_read_implies_exec", SYS_personality, 0x0400000UL);
    call("clone_newuser", SYS_clone,
        static_cast<unsigned long>(CLONE_NEWUSER | CLONE_NEWPID) | 0x80000000UL, 0, 0, 0, 0);
    call("mknod_device", SYS_mknodat, kNo, "dev", S_IFCHR | 0600, 0);
    call("mknod_pipe", SYS_mknodat, kNo, "pipe", S_IFIFO | 0600, 0);
    call("ioctl_sti", SYS_ioctl, kNo, static_cast<unsigned long>(TIOCSTI), bad);
    call("ioctl_sti_high_bits", SYS_ioctl, kNo, 0x100000000UL | TIOCSTI, bad);
    call("ioctl_linux", SYS_ioctl, kNo, static_cast<unsigned long>(TIOCLINUX), bad);
    call("ioctl_winsize", SYS_ioctl, kNo, static_cast<unsigned long>(TIOCGWINSZ), bad);
    const struct
    {
        const char *name;
        int family;
        int type;
        int protocol;
    } sockets[] = { { "socket_unix", AF_UNIX, SOCK_STREAM, 0 },
        { "socket_unix_datagram", AF_UNIX, SOCK_DGRAM, 0 },
        { "socket_inet", AF_INET, SOCK_STREAM, 0 },
        { "socket_inet_datagram", AF_INET, SOCK_DGRAM, 0 },
        { "socket_inet6", AF_INET6, SOCK_STREAM, 0 },
        { "socket_raw", AF_INET, SOCK_RAW, IPPROTO_ICMP },
        { "socket_packet", AF_PACKET, SOCK_RAW, 0 },
        { "socket_route", AF_NETLINK, SOCK_RAW, NETLINK_ROUTE },
        { "socket_audit", AF_NETLINK, SOCK_RAW, NETLINK_AUDIT },
        { "socket_vsock", AF_VSOCK, SOCK_STREAM, 0 }, { "socket_alg", AF_ALG, SOCK_SEQPACKET, 0 },
        { "socket_xdp", 44, SOCK_RAW, 0 } };
    for (const auto &socket : sockets) {
        call(socket.name, SYS_socket, socket.family, socket.type, socket.protocol);
    }
    int pair[2];
    call("socketpair_unix", SYS_socketpair, AF_UNIX, SOCK_DGRAM, 0, pair);
    call("socketpair_inet", SYS_socketpair, AF_INET, SOCK_STREAM, 0, pair);
    CALL(connect, kNo, bad, 0);
    CALL(bind, kNo, bad, 0);
    CALL(listen, kNo, 0);
    CALL(accept4, kNo, bad, bad, 0);
    call("sendto_address", SYS_sendto, kNo, bad, 0, 0, reinterpret_cast<const char *>(sockets), 16);
    call("sendto_plain", SYS_sendto, kNo, bad, 0, 0, bad, 0);
    CALL(recvfrom, kNo, bad, 0, 0, bad, bad);
    CALL(getsockopt, kNo, 0, 0, bad, bad);
    return 0;
}
