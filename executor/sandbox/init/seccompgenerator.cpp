// SPDX-License-Identifier: Apache-2.0
// Build-time program: writes the system-call filters of the sandbox as C arrays, one for each
// architecture and network mode, so that no library builds them while a command waits to start.
// Usage: seccompgenerator OUTPUT.inc

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <linux/filter.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace {

struct Mode
{
    const char *name;
    bool off;
    bool proxy;
    bool unixSockets; ///< socket(AF_UNIX) is allowed
};

// "full" with listed UNIX sockets is its own program: a filter cannot look at a path.
constexpr Mode kModes[] = {
    { "off", true, false, true },
    { "local", false, false, true },
    { "proxy", false, true, false },
    { "full", false, false, false },
    { "full_unix", false, false, true },
};

[[noreturn]] void die(const char *what, int error)
{
    std::fprintf(stderr, "seccompgenerator: %s: %s\n", what, std::strerror(error));
    std::exit(1);
}

class Filter
{
public:
    explicit Filter(uint32_t arch)
        : m_context(seccomp_init(SCMP_ACT_ALLOW))
    {
        if (m_context == nullptr) {
            die("seccomp_init", ENOMEM);
        }
        if (arch != seccomp_arch_native()) {
            check("arch", seccomp_arch_add(m_context, arch));
            check("arch", seccomp_arch_remove(m_context, seccomp_arch_native()));
        }
        // A foreign architecture (and x32 on x86-64) would number its calls differently.
        check("bad arch",
            seccomp_attr_set(m_context, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS));
        check("optimise", seccomp_attr_set(m_context, SCMP_FLTATR_CTL_OPTIMIZE, 2));
    }
    ~Filter() { seccomp_release(m_context); }
    Filter(const Filter &) = delete;
    Filter &operator=(const Filter &) = delete;

    template <typename... Conditions>
    void refuse(int error, const char *call, Conditions... conditions)
    {
        const int number = seccomp_syscall_resolve_name(call);
        if (number == __NR_SCMP_ERROR) {
            std::fprintf(stderr, "seccompgenerator: this libseccomp does not know %s\n", call);
            std::exit(1);
        }
        const int rc = seccomp_rule_add(m_context, SCMP_ACT_ERRNO(static_cast<uint32_t>(error)),
            number, sizeof...(conditions), conditions...);
        // libseccomp itself leaves out what the target architecture does not have.
        if (rc != 0) {
            die(call, -rc);
        }
    }

    std::vector<sock_filter> program()
    {
        char name[] = "/tmp/deskhand-filter-XXXXXX";
        const int fd = mkstemp(name);
        if (fd < 0) {
            die("mkstemp", errno);
        }
        unlink(name);
        check("export", seccomp_export_bpf(m_context, fd));
        const off_t size = lseek(fd, 0, SEEK_END);
        std::vector<sock_filter> result(static_cast<size_t>(size) / sizeof(sock_filter));
        if (pread(fd, result.data(), static_cast<size_t>(size), 0) != size) {
            die("read back", errno);
        }
        close(fd);
        return result;
    }

private:
    static void check(const char *what, int rc)
    {
        if (rc != 0) {
            die(what, -rc);
        }
    }

    scmp_filter_ctx m_context;
};

void refuseDangerousCalls(Filter &filter)
{
    for (const char *call : { "ptrace", "process_vm_readv", "process_vm_writev", "process_madvise",
             "pidfd_getfd", "kcmp", "mount", "umount2", "pivot_root", "chroot", "move_mount",
             "open_tree", "fsopen", "fsconfig", "fsmount", "fspick", "mount_setattr", "unshare",
             "setns", "bpf", "perf_event_open", "userfaultfd", "kexec_load", "kexec_file_load",
             "init_module", "finit_module", "delete_module", "reboot", "swapon", "swapoff", "acct",
             "quotactl", "quotactl_fd", "iopl", "ioperm", "syslog", "settimeofday", "clock_settime",
             "adjtimex", "clock_adjtime", "keyctl", "add_key", "request_key", "name_to_handle_at",
             "open_by_handle_at" }) {
        filter.refuse(EPERM, call);
    }
    // "No such call" makes libraries fall back; EPERM would make them fail.
    for (const char *call : { "io_uring_setup", "io_uring_enter", "io_uring_register", "clone3" }) {
        filter.refuse(ENOSYS, call);
    }
    constexpr uint64_t kNamespaceFlags[] = { CLONE_NEWNS, CLONE_NEWCGROUP, CLONE_NEWUTS,
        CLONE_NEWIPC, CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET };
    for (const uint64_t flag : kNamespaceFlags) {
        filter.refuse(EPERM, "clone", SCMP_A0(SCMP_CMP_MASKED_EQ, flag, flag));
    }
    // Personality bits that weaken memory protection. All bits set is only a question.
    constexpr uint64_t kPersonalityBits[] = { 0x0100000, 0x0200000, 0x0400000, 0x0800000, 0x1000000,
        0x2000000, 0x4000000, 0x8000000 };
    for (const uint64_t bit : kPersonalityBits) {
        filter.refuse(EPERM, "personality", SCMP_A0(SCMP_CMP_MASKED_EQ, bit | 0x80000000U, bit));
    }
    for (const uint64_t type : { uint64_t { S_IFCHR }, uint64_t { S_IFBLK } }) {
        filter.refuse(EPERM, "mknod", SCMP_A1(SCMP_CMP_MASKED_EQ, S_IFMT, type));
        filter.refuse(EPERM, "mknodat", SCMP_A2(SCMP_CMP_MASKED_EQ, S_IFMT, type));
    }
    // The kernel looks at 32 bits of the request; so must the comparison.
    for (const uint64_t request : { uint64_t { TIOCSTI }, uint64_t { TIOCLINUX } }) {
        filter.refuse(EPERM, "ioctl", SCMP_A1(SCMP_CMP_MASKED_EQ, 0xffffffffU, request));
    }
}

void refuseFamilyRange(Filter &filter, uint64_t first, uint64_t last)
{
    for (uint64_t family = first; family <= last; ++family) {
        filter.refuse(EPERM, "socket", SCMP_A0(SCMP_CMP_EQ, family));
    }
}

void refuseSockets(Filter &filter, const Mode &mode)
{
    filter.refuse(EPERM, "socketpair", SCMP_A0(SCMP_CMP_NE, AF_UNIX));
    if (mode.off) {
        filter.refuse(EPERM, "socket", SCMP_A0(SCMP_CMP_NE, AF_UNIX));
        // A datagram socket can send to a path without connecting first, and the address of sendmsg
        // lies in memory, out of a filter's sight. (SOCK_RAW means datagram for this family.)
        for (const uint64_t type : { uint64_t { SOCK_DGRAM }, uint64_t { SOCK_RAW } }) {
            filter.refuse(EPERM, "socket", SCMP_A0(SCMP_CMP_EQ, AF_UNIX),
                SCMP_A1(SCMP_CMP_MASKED_EQ, 0xf, type));
        }
        for (const char *call :
            { "connect", "bind", "listen", "accept", "accept4", "sendmmsg", "recvmmsg" }) {
            filter.refuse(EPERM, call);
        }
        filter.refuse(EPERM, "sendto", SCMP_A4(SCMP_CMP_NE, 0));
        return;
    }
    // Families left: UNIX 1, INET 2, INET6 10, NETLINK 16 (routes only).
    filter.refuse(EPERM, "socket", SCMP_A0(SCMP_CMP_LT, AF_UNIX));
    refuseFamilyRange(filter, AF_INET + 1, AF_INET6 - 1);
    if (!mode.unixSockets) {
        filter.refuse(EPERM, "socket", SCMP_A0(SCMP_CMP_EQ, AF_UNIX));
    }
    if (mode.proxy) {
        filter.refuse(EPERM, "socket", SCMP_A0(SCMP_CMP_GT, AF_INET6));
    } else {
        refuseFamilyRange(filter, AF_INET6 + 1, AF_NETLINK - 1);
        filter.refuse(EPERM, "socket", SCMP_A0(SCMP_CMP_GT, AF_NETLINK));
        filter.refuse(EPERM, "socket", SCMP_A0(SCMP_CMP_EQ, AF_NETLINK), SCMP_A2(SCMP_CMP_NE, 0));
    }
    for (const uint64_t family : { uint64_t { AF_INET }, uint64_t { AF_INET6 } }) {
        for (const uint64_t type : { uint64_t { SOCK_RAW }, uint64_t { SOCK_PACKET } }) {
            filter.refuse(EPERM, "socket", SCMP_A0(SCMP_CMP_EQ, family),
                SCMP_A1(SCMP_CMP_MASKED_EQ, 0xf, type));
        }
    }
}

} // namespace

int main(int argc, char **argv)
{
    if (argc != 2) {
        std::fprintf(stderr, "usage: seccompgenerator OUTPUT\n");
        return 2;
    }
    FILE *out = std::fopen(argv[1], "w");
    if (out == nullptr) {
        die(argv[1], errno);
    }
    struct Architecture
    {
        uint32_t token;
        const char *macro;
    };
    constexpr Architecture kArchitectures[]
        = { { SCMP_ARCH_X86_64, "__x86_64__" }, { SCMP_ARCH_AARCH64, "__aarch64__" } };
    std::fprintf(out,
        "// Generated at build time from the table in seccompgenerator.cpp.\n#include "
        "<linux/filter.h>\n");
    for (const Architecture &architecture : kArchitectures) {
        std::fprintf(out, "#ifdef %s\n#define DESKHAND_HAVE_FILTERS 1\n", architecture.macro);
        for (const Mode &mode : kModes) {
            Filter filter(architecture.token);
            refuseDangerousCalls(filter);
            refuseSockets(filter, mode);
            const std::vector<sock_filter> program = filter.program();
            std::fprintf(out, "static const struct sock_filter kFilter_%s[] = {\n", mode.name);
            for (const sock_filter &line : program) {
                std::fprintf(
                    out, "    { 0x%02x, %u, %u, 0x%08xU },\n", line.code, line.jt, line.jf, line.k);
            }
            std::fprintf(out, "};\n");
        }
        std::fprintf(out, "#endif\n");
    }
    if (std::fclose(out) != 0) {
        die(argv[1], errno);
    }
    return 0;
}
