// SPDX-License-Identifier: Apache-2.0
#include "executor/sandbox/init/wall.h"

#include "filters.inc"

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <initializer_list>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef DESKHAND_HAVE_FILTERS
#error "no system-call filter for this architecture; add it to seccompgenerator.cpp"
#endif

// The interface is stable, but the headers of older distributions lack its later parts.
namespace {

constexpr long kCreateRuleset = 444;
constexpr long kAddRule = 445;
constexpr long kRestrictSelf = 446;
constexpr uint32_t kVersionQuestion = 1;
constexpr int kRulePathBeneath = 1;

struct RulesetAttributes
{
    uint64_t handledFiles;
    uint64_t handledNetwork;
    uint64_t scoped;
};
struct __attribute__((packed)) PathBeneath
{
    uint64_t allowed;
    int32_t parent;
};

constexpr uint64_t kWriteFile = 1U << 1;
constexpr uint64_t kTruncate = 1U << 14;
// Remove, make and refer: bits 4 to 13.
constexpr uint64_t kChangeTree = 0x3ff0;
constexpr uint64_t kScopeAbstractSockets = 1U << 0;
constexpr uint64_t kScopeSignals = 1U << 1;

bool restrictSelf(int ruleset)
{
    const bool done = syscall(kRestrictSelf, ruleset, 0) == 0;
    const int error = errno;
    close(ruleset);
    errno = error;
    return done;
}

} // namespace

namespace deskhand::wall {

int landlockAbi()
{
    const long abi = syscall(kCreateRuleset, nullptr, 0, kVersionQuestion);
    return abi > 0 ? static_cast<int>(abi) : 0;
}

bool restrictScopes()
{
    if (landlockAbi() < 6) {
        return true;
    }
    const RulesetAttributes attributes { 0, 0, kScopeAbstractSockets | kScopeSignals };
    const long ruleset = syscall(kCreateRuleset, &attributes, sizeof attributes, 0);
    return ruleset >= 0 && restrictSelf(static_cast<int>(ruleset));
}

bool restrictFilesToReading()
{
    if (landlockAbi() < 3) {
        errno = ENOSYS;
        return false;
    }
    const RulesetAttributes attributes { kWriteFile | kTruncate | kChangeTree, 0, 0 };
    const long ruleset = syscall(kCreateRuleset, &attributes, sizeof attributes.handledFiles, 0);
    if (ruleset < 0) {
        return false;
    }
    for (const char *device :
        { "/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty" }) {
        const int fd = open(device, O_PATH | O_CLOEXEC);
        if (fd < 0) {
            continue;
        }
        const PathBeneath rule { kWriteFile | kTruncate, fd };
        const long added = syscall(kAddRule, ruleset, kRulePathBeneath, &rule, 0);
        close(fd);
        if (added != 0) {
            close(static_cast<int>(ruleset));
            return false;
        }
    }
    return restrictSelf(static_cast<int>(ruleset));
}

bool loadFilter(const char *name)
{
    struct Entry
    {
        const char *name;
        const sock_filter *lines;
        unsigned short count;
    };
#define DESKHAND_FILTER(mode)                                                                      \
    {                                                                                              \
#mode, kFilter_##mode, sizeof kFilter_##mode / sizeof(sock_filter)                         \
    }
    static constexpr Entry kFilters[] = { DESKHAND_FILTER(off), DESKHAND_FILTER(local),
        DESKHAND_FILTER(proxy), DESKHAND_FILTER(full), DESKHAND_FILTER(full_unix) };
#undef DESKHAND_FILTER
    for (const Entry &entry : kFilters) {
        if (std::strcmp(entry.name, name) == 0) {
            const sock_fprog program { entry.count, const_cast<sock_filter *>(entry.lines) };
            return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0;
        }
    }
    errno = EINVAL;
    return false;
}

} // namespace deskhand::wall
