// SPDX-License-Identifier: Apache-2.0
#include "executor/sandbox/ownerpolicy.h"

#include "executor/sandbox/domainrules.h"

#include <QDir>

#include <algorithm>

using namespace Qt::StringLiterals;

namespace deskhand::sandbox {

namespace {

constexpr qint64 kKiB = 1024;
constexpr qint64 kMiB = 1024 * kKiB;

} // namespace

void OwnerPolicy::applyTo(PermissionProfile &profile) const
{
    LimitPolicy &limits = profile.limits;
    if (timeSeconds > 0) {
        limits.wall = std::chrono::seconds(timeSeconds);
    }
    if (outputKilobytes > 0) {
        limits.outputBytes = outputKilobytes * kKiB;
    }
    if (profile.enforcement == Enforcement::None) {
        return;
    }
    FilePolicy &files = profile.files;
    if (scratch != Scratch::Private) {
        files.scratch = scratch;
    }
    if (scratch == Scratch::Host && profile.id != PermissionProfile::kReadOnly) {
        for (const auto kind : { RuleTarget::Kind::SlashTmp, RuleTarget::Kind::TemporaryFolder }) {
            const FileRule rule { { kind, {} }, Access::Write, OnMissing::Default };
            if (!files.rules.contains(rule)) {
                files.rules.append(rule);
            }
        }
    }
    if (scratchMegabytes > 0) {
        files.scratchBytes = scratchMegabytes * kMiB;
    }
    for (const QString &path : secretPaths) {
        if (!files.ownerSecrets.contains(path)) {
            files.ownerSecrets.append(path);
        }
    }
    const QMap<QString, bool> hosts = domains();
    for (auto it = hosts.begin(); it != hosts.end(); ++it) {
        // A profile's own denial stays.
        profile.network.domains.insert(
            it.key(), it.value() && profile.network.domains.value(it.key(), true));
    }
    if (!deniedHosts.isEmpty() && profile.network.mode == NetworkMode::Full) {
        profile.network.mode = NetworkMode::Proxy; // nothing could hold them otherwise
    }
    if (!allowedHosts.isEmpty() && profile.network.mode == NetworkMode::Off
        && profile.id != PermissionProfile::kReadOnly) {
        profile.network.mode = NetworkMode::Proxy;
    }
    if (memoryMegabytes > 0) {
        limits.memoryBytes = memoryMegabytes * kMiB;
    }
    if (processes > 0) {
        limits.processes = processes;
    }
    if (growthMegabytes > 0) {
        limits.growthStopBytes = growthMegabytes * kMiB;
        limits.growthReportBytes = std::min(limits.growthReportBytes, limits.growthStopBytes);
    }
}

QMap<QString, bool> OwnerPolicy::domains() const
{
    QMap<QString, bool> result;
    for (const QString &host : allowedHosts) {
        result.insert(host, true);
    }
    for (const QString &host : deniedHosts) {
        result.insert(host, false);
    }
    return result;
}

bool isNamePattern(const QString &name)
{
    return std::any_of(
        name.begin(), name.end(), [](QChar c) { return c == u'*' || c == u'?' || c == u'['; });
}

Result<> checkSecretPath(const QString &path)
{
    const auto bad = [&path](const QString &sentence) {
        return failure(ErrorKind::Usage, sentence.arg(path.simplified().left(80)));
    };
    const bool home = path.startsWith(u"~/"_s);
    if ((!home && !path.startsWith(u'/')) || path.contains(QChar::Null)) {
        return bad(u"must be an absolute path or begin with \"~/\", not \"%1\""_s);
    }
    const QStringList names = path.mid(home ? 2 : 1).split(u'/', Qt::SkipEmptyParts);
    if (names.contains(u".."_s) || names.contains(u"."_s)) {
        return bad(u"must not contain \".\" or \"..\", not \"%1\""_s);
    }
    if (names.isEmpty() || (!home && QDir::cleanPath(path) == QDir::homePath())) {
        return bad(u"must be less than the whole disk or the whole home folder, not \"%1\""_s);
    }
    if (std::any_of(names.begin(), names.end() - 1, isNamePattern)) {
        return bad(u"may have \"*\", \"?\" and \"[\" in its last name only, not \"%1\""_s);
    }
    if (names.last() == u"*"_s) {
        return bad(u"must name more than \"*\", not \"%1\""_s);
    }
    return {};
}

Result<> checkHostPattern(const QString &pattern)
{
    if (const Result<DomainRules> rules = DomainRules::parse({ { pattern, true } }); !rules) {
        return failure(ErrorKind::Usage,
            u"must be a host name, *.name for its sub-domains or **.name for both, not \"%1\""_s
                .arg(pattern.simplified().left(80)));
    }
    return {};
}

QString scratchName(Scratch scratch)
{
    switch (scratch) {
    case Scratch::Private:
        return u"private"_s;
    case Scratch::Host:
        return u"host"_s;
    case Scratch::None:
        break;
    }
    return u"none"_s;
}

std::optional<Scratch> scratchFromName(const QString &name)
{
    for (const Scratch scratch : { Scratch::Private, Scratch::Host, Scratch::None }) {
        if (scratchName(scratch) == name) {
            return scratch;
        }
    }
    return std::nullopt;
}

} // namespace deskhand::sandbox
