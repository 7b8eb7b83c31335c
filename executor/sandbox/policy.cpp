// SPDX-License-Identifier: Apache-2.0
#include "executor/sandbox/policy.h"

#include <algorithm>

#ifdef Q_OS_UNIX
#include <unistd.h>
#endif

using namespace Qt::StringLiterals;

namespace deskhand::sandbox {

namespace {

constexpr qint64 kMiB = 1024 * 1024;

qint64 physicalMemory()
{
#if defined(Q_OS_UNIX) && defined(_SC_PHYS_PAGES)
    return static_cast<qint64>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGE_SIZE);
#else
    return 0;
#endif
}

} // namespace

QStringList FilePolicy::defaultProtectedNames()
{
    return { u".git"_s, u".agents"_s, u".codex"_s, u".deskhand"_s };
}

QStringList FilePolicy::defaultWatchedNames()
{
    return { u"AGENTS.md"_s, u"AGENTS.override.md"_s, u".envrc"_s, u".vscode"_s, u".idea"_s,
        u".husky"_s, u".github"_s };
}

QStringList FilePolicy::defaultSecretPaths()
{
    return { u"~/.ssh"_s, u"~/.gnupg"_s, u"~/.aws"_s, u"~/.azure"_s, u"~/.config/gcloud"_s,
        u"~/.kube"_s, u"~/.docker/config.json"_s, u"~/.netrc"_s, u"~/.npmrc"_s, u"~/.pypirc"_s,
        u"~/.cargo/credentials*"_s, u"~/.git-credentials"_s, u"~/.config/gh"_s,
        u"~/.config/glab-cli"_s, u"~/.password-store"_s, u"~/.mozilla"_s,
        u"~/.config/google-chrome"_s, u"~/.config/chromium"_s, u"~/.config/BraveSoftware"_s,
        u"~/.config/microsoft-edge"_s, u"~/.local/share/keyrings"_s, u"~/.local/share/kwalletd"_s,
        u"~/.codex/auth.json"_s, u"~/.claude/.credentials.json"_s,
        // the executor's own: device credentials, engine homes, sessions and journal
        u"~/.wegent-executor/device-config.json"_s, u"~/.wegent-executor/agents"_s,
        u"~/.wegent-executor/codex"_s, u"~/.wegent-executor/sessions"_s,
        u"~/.wegent-executor/data"_s, u"~/.wegent-executor/control.sock"_s, u"/etc/shadow"_s,
        u"/etc/shadow-"_s, u"/etc/gshadow"_s, u"/etc/gshadow-"_s, u"/etc/sudoers"_s,
        u"/etc/sudoers.d"_s, u"/etc/ssh/ssh_host_*_key"_s };
}

LimitPolicy LimitPolicy::withSystemDefaults()
{
    LimitPolicy limits;
    const qint64 half = physicalMemory() / 2;
    limits.memoryBytes = half > 0 ? std::min<qint64>(4096 * kMiB, half) : 4096 * kMiB;
    return limits;
}

PermissionProfile PermissionProfile::readOnly()
{
    PermissionProfile profile;
    profile.id = kReadOnly;
    profile.files.scratchBytes = 64 * kMiB;
    profile.limits = LimitPolicy::withSystemDefaults();
    return profile;
}

PermissionProfile PermissionProfile::workspace()
{
    PermissionProfile profile = readOnly();
    profile.id = kWorkspace;
    profile.files.scratchBytes = 512 * kMiB;
    profile.files.rules.append(
        { { RuleTarget::Kind::WorkspaceRoots, {} }, Access::Write, OnMissing::Default });
    return profile;
}

PermissionProfile PermissionProfile::fullAccess()
{
    PermissionProfile profile;
    profile.id = kFullAccess;
    profile.enforcement = Enforcement::None;
    profile.files.rules = { { { RuleTarget::Kind::Root, {} }, Access::Write, OnMissing::Default } };
    profile.files.scratch = Scratch::Host;
    profile.files.protectedNames.clear();
    profile.files.secretPaths.clear();
    profile.network.mode = NetworkMode::Full;
    profile.limits.processes = 0;
    profile.limits.niceness = 0;
    profile.limits.fileBytes = 0;
    profile.limits.growthReportBytes = 0;
    profile.limits.growthStopBytes = 0;
    profile.limits.freeSpaceStopBytes = 0;
    profile.limits.newFilesStop = 0;
    profile.limits.openFiles = 0;
    profile.environment.start = EnvironmentPolicy::Start::All;
    return profile;
}

std::optional<PermissionProfile> PermissionProfile::builtIn(const QString &id)
{
    if (id == kReadOnly) {
        return readOnly();
    }
    if (id == kWorkspace) {
        return workspace();
    }
    if (id == kFullAccess) {
        return fullAccess();
    }
    return std::nullopt;
}

QString accessName(Access access)
{
    switch (access) {
    case Access::Deny:
        return u"deny"_s;
    case Access::Read:
        return u"read"_s;
    case Access::Write:
        return u"write"_s;
    }
    return {};
}

QString networkModeName(NetworkMode mode)
{
    switch (mode) {
    case NetworkMode::Off:
        return u"off"_s;
    case NetworkMode::Local:
        return u"local"_s;
    case NetworkMode::Proxy:
        return u"proxy"_s;
    case NetworkMode::Full:
        return u"full"_s;
    }
    return {};
}

std::optional<NetworkMode> networkModeFromName(const QString &name)
{
    for (const NetworkMode mode :
        { NetworkMode::Off, NetworkMode::Local, NetworkMode::Proxy, NetworkMode::Full }) {
        if (networkModeName(mode) == name) {
            return mode;
        }
    }
    return std::nullopt;
}

} // namespace deskhand::sandbox
