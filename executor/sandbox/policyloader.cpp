// SPDX-License-Identifier: Apache-2.0
#include "executor/sandbox/policyloader.h"

#include "executor/common/jsonreader.h"
#include "executor/sandbox/domainrules.h"
#include "executor/sandbox/globmatcher.h"

#include <QJsonArray>
#include <QSet>

#include <algorithm>
#include <functional>

using namespace Qt::StringLiterals;

namespace deskhand::sandbox {

namespace {

tl::unexpected<Error> bad(const QString &key, const QString &what)
{
    return failure(ErrorKind::Usage, u"\"%1\" %2"_s.arg(key, what));
}

Result<> readStrings(const QJsonObject &object, const QString &key, QStringList &target)
{
    const Result<std::optional<QJsonArray>> list = json::optionalArray(object, key);
    if (!list) {
        return tl::unexpected(list.error());
    }
    if (!*list) {
        return {};
    }
    QStringList result;
    for (const QJsonValue &value : **list) {
        if (!value.isString() || value.toString().contains(QChar(0))) {
            return bad(key, u"is a list of texts"_s);
        }
        result.append(value.toString());
    }
    target = result;
    return {};
}

template <typename Number>
Result<> readNumber(const QJsonObject &object, const QString &key, qint64 most, Number &target)
{
    const Result<std::optional<qint64>> value = json::optionalInt(object, key);
    if (!value) {
        return tl::unexpected(value.error());
    }
    if (!*value) {
        return {};
    }
    if (**value < 0 || **value > most) {
        return bad(key, u"is a number from 0 to %1"_s.arg(most));
    }
    target = Number(**value);
    return {};
}

std::optional<Access> accessFromName(const QString &name)
{
    if (name == u"none"_s) {
        return Access::Deny; // the older spelling
    }
    for (const Access access : { Access::Deny, Access::Read, Access::Write }) {
        if (accessName(access) == name) {
            return access;
        }
    }
    return std::nullopt;
}

Result<FileRule> readRule(const QJsonObject &object)
{
    FileRule rule;
    const Result<QString> target = json::requireString(object, u"target"_s);
    if (!target) {
        return tl::unexpected(target.error());
    }
    rule.target = targetFromText(*target);
    const std::optional<Access> access = accessFromName(object.value(u"access"_s).toString());
    if (!access) {
        return bad(u"access"_s, u"is read, write or deny"_s);
    }
    rule.access = *access;
    const QString missing = object.value(u"on_missing"_s).toString();
    if (missing == u"skip"_s) {
        rule.onMissing = OnMissing::Skip;
    } else if (missing == u"guard"_s) {
        rule.onMissing = OnMissing::Guard;
    } else if (missing == u"error"_s) {
        rule.onMissing = OnMissing::Error;
    } else if (!missing.isEmpty()) {
        return bad(u"on_missing"_s, u"is skip, guard or error"_s);
    }
    if (rule.target.kind == RuleTarget::Kind::Glob) {
        if (rule.access != Access::Deny) {
            return bad(u"target"_s, u"may be a pattern only to deny: %1"_s.arg(*target));
        }
        QString pattern = rule.target.path;
        if (pattern.startsWith(u"~/"_s)) {
            pattern.replace(0, 1, u"/home"_s); // only its form is checked here
        }
        if (const Result<PathGlob> glob = PathGlob::parse(pattern); !glob) {
            return tl::unexpected(glob.error());
        }
    }
    return rule;
}

Result<> applyFiles(const QJsonObject &object, FilePolicy &files)
{
    const Result<std::optional<QJsonArray>> rules = json::optionalArray(object, u"rules"_s);
    if (!rules) {
        return tl::unexpected(rules.error());
    }
    for (const QJsonValue &value : rules->value_or(QJsonArray())) {
        Result<FileRule> rule = readRule(value.toObject());
        if (!rule) {
            return tl::unexpected(rule.error());
        }
        files.rules.append(*rule);
    }
    const QString scratch = object.value(u"scratch"_s).toString();
    if (scratch == u"private"_s) {
        files.scratch = Scratch::Private;
    } else if (scratch == u"host"_s) {
        files.scratch = Scratch::Host;
    } else if (scratch == u"none"_s) {
        files.scratch = Scratch::None;
    } else if (!scratch.isEmpty()) {
        return bad(u"scratch"_s, u"is private, host or none"_s);
    }
    constexpr qint64 kMostScratch = 1LL << 40;
    return readNumber(object, u"scratch_bytes"_s, kMostScratch, files.scratchBytes)
        .and_then([&] { return readStrings(object, u"protected_names"_s, files.protectedNames); })
        .and_then([&]() -> Result<> {
            for (const QString &name : std::as_const(files.protectedNames)) {
                if (name.isEmpty() || name.contains(u'/') || name == u"."_s || name == u".."_s) {
                    return bad(u"protected_names"_s, u"holds names, not paths: \"%1\""_s.arg(name));
                }
            }
            return {};
        })
        .and_then([&] { return readStrings(object, u"watched_names"_s, files.watchedNames); })
        .and_then([&] { return readStrings(object, u"secret_paths"_s, files.secretPaths); })
        .and_then([&] { return readNumber(object, u"glob_max_depth"_s, 64, files.globMaxDepth); })
        .and_then(
            [&] { return readNumber(object, u"glob_max_matches"_s, 8192, files.globMaxMatches); });
}

Result<> applyNetwork(const QJsonObject &object, NetworkPolicy &network)
{
    const Result<std::optional<QJsonObject>> domains = json::optionalObject(object, u"domains"_s);
    if (!domains) {
        return tl::unexpected(domains.error());
    }
    if (*domains) {
        for (auto it = (*domains)->begin(); it != (*domains)->end(); ++it) {
            const QString answer = it.value().toString();
            if (answer != u"allow"_s && answer != u"deny"_s) {
                return bad(u"domains"_s,
                    u"says allow or deny for each pattern, not for \"%1\""_s.arg(it.key()));
            }
            network.domains.insert(it.key(), answer == u"allow"_s);
        }
        if (const Result<DomainRules> checked = DomainRules::parse(network.domains); !checked) {
            return tl::unexpected(checked.error());
        }
        // Listing hosts is to want the proxy.
        if (network.mode == NetworkMode::Off) {
            network.mode = NetworkMode::Proxy;
        }
    }
    if (object.contains(u"mode"_s)) {
        const std::optional<NetworkMode> mode
            = networkModeFromName(object.value(u"mode"_s).toString());
        if (!mode) {
            return bad(u"mode"_s, u"is off, local, proxy or full"_s);
        }
        network.mode = *mode;
    }
    const Result<std::optional<bool>> limited = json::optionalBool(object, u"limited_methods"_s);
    if (!limited) {
        return tl::unexpected(limited.error());
    }
    network.limitedMethods = limited->value_or(network.limitedMethods);
    const Result<std::optional<QJsonArray>> ports = json::optionalArray(object, u"ports"_s);
    if (!ports) {
        return tl::unexpected(ports.error());
    }
    for (const QJsonValue &port : ports->value_or(QJsonArray())) {
        if (port.toInt() < 1 || port.toInt() > 65535) {
            return bad(u"ports"_s, u"holds numbers from 1 to 65535"_s);
        }
        network.extraPorts.append(port.toInt());
    }
    return readStrings(object, u"unix_sockets"_s, network.unixSockets);
}

Result<> applyLimits(const QJsonObject &object, LimitPolicy &limits)
{
    constexpr qint64 kMostMs = LimitPolicy::kWallCeiling.count();
    constexpr qint64 kMostBytes = 1LL << 50;
    return readNumber(object, u"wall_ms"_s, kMostMs, limits.wall)
        .and_then([&] { return readNumber(object, u"grace_ms"_s, kMostMs, limits.grace); })
        .and_then(
            [&] { return readNumber(object, u"memory_bytes"_s, kMostBytes, limits.memoryBytes); })
        .and_then([&] { return readNumber(object, u"processes"_s, 1'000'000, limits.processes); })
        .and_then([&] { return readNumber(object, u"nice"_s, 19, limits.niceness); })
        .and_then([&] { return readNumber(object, u"file_bytes"_s, kMostBytes, limits.fileBytes); })
        .and_then([&] {
            return readNumber(
                object, u"growth_report_bytes"_s, kMostBytes, limits.growthReportBytes);
        })
        .and_then([&] {
            return readNumber(object, u"growth_stop_bytes"_s, kMostBytes, limits.growthStopBytes);
        })
        .and_then([&] {
            return readNumber(
                object, u"free_space_stop_bytes"_s, kMostBytes, limits.freeSpaceStopBytes);
        })
        .and_then([&] {
            return readNumber(object, u"new_files_stop"_s, kMostBytes, limits.newFilesStop);
        })
        .and_then([&] { return readNumber(object, u"open_files"_s, 1'048'576, limits.openFiles); })
        .and_then(
            [&] { return readNumber(object, u"output_bytes"_s, 256LL << 20, limits.outputBytes); });
}

Result<> applyEnvironment(const QJsonObject &object, EnvironmentPolicy &environment)
{
    const QString start = object.value(u"start"_s).toString();
    if (start == u"core"_s) {
        environment.start = EnvironmentPolicy::Start::Core;
    } else if (start == u"all"_s) {
        environment.start = EnvironmentPolicy::Start::All;
    } else if (start == u"none"_s) {
        environment.start = EnvironmentPolicy::Start::None;
    } else if (!start.isEmpty()) {
        return bad(u"start"_s, u"is core, all or none"_s);
    }
    const QJsonObject sets = object.value(u"sets"_s).toObject();
    for (auto it = sets.begin(); it != sets.end(); ++it) {
        if (!it.value().isString() || it.key().contains(u'=') || it.key().isEmpty()) {
            return bad(u"sets"_s, u"maps names to texts"_s);
        }
        environment.sets.insert(it.key(), it.value().toString());
    }
    return readStrings(object, u"excludes"_s, environment.excludes).and_then([&] {
        return readStrings(object, u"include_only"_s, environment.includeOnly);
    });
}

Result<> applyPart(const QJsonObject &json, const QString &key,
    const std::function<Result<>(const QJsonObject &)> &apply)
{
    const Result<std::optional<QJsonObject>> part = json::optionalObject(json, key);
    if (!part) {
        return tl::unexpected(part.error());
    }
    if (!*part) {
        return {};
    }
    if (Result<> applied = apply(**part); !applied) {
        return tl::unexpected(applied.error().within(key));
    }
    return {};
}

template <typename Number> Number lesser(Number base, Number wish)
{
    // 0 is "no limit"
    const Number none {};
    return base == none ? wish : (wish == none ? base : std::min(base, wish));
}

int strictness(NetworkMode mode)
{
    return static_cast<int>(mode); // off, local, proxy, full
}

} // namespace

RuleTarget targetFromText(const QString &text)
{
    const QString roots = u"workspace_roots"_s;
    if (text == u"root"_s || text == u"/"_s) {
        return { RuleTarget::Kind::Root, {} };
    }
    if (text == u"minimal"_s) {
        return { RuleTarget::Kind::Minimal, {} };
    }
    if (text == roots || text.startsWith(roots + u'/')) {
        const QString sub = text.mid(roots.size() + 1);
        if (!sub.split(u'/').contains(u".."_s)) {
            return { RuleTarget::Kind::WorkspaceRoots, sub };
        }
    }
    if (text == u"tmpdir"_s) {
        return { RuleTarget::Kind::TemporaryFolder, {} };
    }
    if (text == u"slash_tmp"_s) {
        return { RuleTarget::Kind::SlashTmp, {} };
    }
    const bool path = text.startsWith(u'/') || text.startsWith(u"~/"_s) || text == u"~"_s;
    if (!path || text.contains(QChar(0))) {
        return { RuleTarget::Kind::Unknown, text };
    }
    const bool pattern = text.contains(u'*') || text.contains(u'?') || text.contains(u'[');
    return { pattern ? RuleTarget::Kind::Glob : RuleTarget::Kind::Path, text };
}

Result<> applyProfileJson(const QJsonObject &json, PermissionProfile &base)
{
    const QString enforcement = json.value(u"enforcement"_s).toString();
    if (enforcement == u"managed"_s) {
        base.enforcement = Enforcement::Managed;
    } else if (enforcement == u"external"_s) {
        base.enforcement = Enforcement::External;
    } else if (enforcement == u"none"_s) {
        base.enforcement = Enforcement::None;
    } else if (!enforcement.isEmpty()) {
        return bad(u"enforcement"_s, u"is managed, external or none"_s);
    }
    return applyPart(
        json, u"files"_s, [&base](const QJsonObject &part) { return applyFiles(part, base.files); })
        .and_then([&] {
            return applyPart(json, u"network"_s,
                [&base](const QJsonObject &part) { return applyNetwork(part, base.network); });
        })
        .and_then([&] {
            return applyPart(json, u"limits"_s,
                [&base](const QJsonObject &part) { return applyLimits(part, base.limits); });
        })
        .and_then([&] {
            return applyPart(json, u"environment"_s, [&base](const QJsonObject &part) {
                return applyEnvironment(part, base.environment);
            });
        });
}

PermissionProfile narrowed(const PermissionProfile &base, const PermissionProfile &wish)
{
    PermissionProfile result = base;
    for (const FileRule &rule : wish.files.rules) {
        if (rule.access == Access::Deny && !result.files.rules.contains(rule)) {
            result.files.rules.append(rule);
        }
    }
    // An enforced wall cannot be wished away; one that is not there can be wished for.
    if (wish.enforcement == Enforcement::Managed && base.enforcement == Enforcement::None) {
        result.enforcement = Enforcement::Managed;
    }
    const auto add = [](QStringList &to, const QStringList &from) {
        for (const QString &entry : from) {
            if (!to.contains(entry)) {
                to.append(entry);
            }
        }
    };
    add(result.files.protectedNames, wish.files.protectedNames);
    add(result.files.watchedNames, wish.files.watchedNames);
    add(result.files.secretPaths, wish.files.secretPaths);
    add(result.files.ownerSecrets, wish.files.ownerSecrets);
    add(result.environment.excludes, wish.environment.excludes);
    if (strictness(wish.network.mode) < strictness(base.network.mode)) {
        result.network.mode = wish.network.mode;
    }
    for (auto it = wish.network.domains.begin(); it != wish.network.domains.end(); ++it) {
        if (!it.value()) {
            result.network.domains.insert(it.key(), false);
        }
    }
    result.network.limitedMethods = base.network.limitedMethods || wish.network.limitedMethods;
    LimitPolicy &limits = result.limits;
    limits.wall = lesser(base.limits.wall, wish.limits.wall);
    limits.memoryBytes = lesser(base.limits.memoryBytes, wish.limits.memoryBytes);
    limits.processes = lesser(base.limits.processes, wish.limits.processes);
    limits.fileBytes = lesser(base.limits.fileBytes, wish.limits.fileBytes);
    limits.openFiles = lesser(base.limits.openFiles, wish.limits.openFiles);
    limits.outputBytes = std::min(base.limits.outputBytes, wish.limits.outputBytes);
    return result;
}

Result<> PolicySet::addLayer(PolicyLayer layer, const QByteArray &json)
{
    if (json.size() > kMaxFileBytes) {
        return failure(ErrorKind::Usage, u"the policy file is over 1 MiB"_s);
    }
    const Result<QJsonObject> root = json::parseObject(json);
    if (!root) {
        return tl::unexpected(root.error());
    }
    Layer result;
    const Result<std::optional<QJsonObject>> profiles = json::optionalObject(*root, u"profiles"_s);
    if (!profiles) {
        return tl::unexpected(profiles.error());
    }
    const QJsonObject list = profiles->value_or(QJsonObject());
    for (auto it = list.begin(); it != list.end(); ++it) {
        if (it.key().startsWith(u':')) {
            return failure(ErrorKind::Usage,
                u"the profile \"%1\" is built in and cannot be redefined"_s.arg(it.key()));
        }
        PermissionProfile trial = PermissionProfile::readOnly();
        if (const Result<> applied = applyProfileJson(it.value().toObject(), trial); !applied) {
            return tl::unexpected(applied.error().within(u"profile \"%1\""_s.arg(it.key())));
        }
        result.profiles.insert(it.key(), it.value().toObject());
    }
    const Result<std::optional<QJsonObject>> narrow = json::optionalObject(*root, u"narrow"_s);
    if (!narrow) {
        return tl::unexpected(narrow.error());
    }
    result.narrow = narrow->value_or(QJsonObject());
    PermissionProfile trial = PermissionProfile::readOnly();
    if (const Result<> applied = applyProfileJson(result.narrow, trial); !applied) {
        return tl::unexpected(applied.error().within(u"narrow"_s));
    }
    if (layer == PolicyLayer::Project) {
        // It may come from anyone who can write to the repository.
        if (!result.profiles.isEmpty() || root->contains(u"default_profile"_s)) {
            m_reports.append(
                u"the project's file defines profiles; that is ignored, it may only narrow"_s);
            result.profiles.clear();
        }
    }
    m_layers[static_cast<size_t>(layer)] = result;
    return {};
}

const QJsonObject *PolicySet::find(const QString &id) const
{
    for (const Layer &layer : m_layers) {
        if (const auto found = layer.profiles.constFind(id); found != layer.profiles.constEnd()) {
            return &*found;
        }
    }
    return nullptr;
}

QStringList PolicySet::names() const
{
    QStringList result { PermissionProfile::kReadOnly, PermissionProfile::kWorkspace,
        PermissionProfile::kFullAccess };
    for (const Layer &layer : m_layers) {
        result.append(layer.profiles.keys());
    }
    result.removeDuplicates();
    return result;
}

Result<PermissionProfile> PolicySet::build(const QString &id, QStringList path) const
{
    if (const std::optional<PermissionProfile> builtIn = PermissionProfile::builtIn(id)) {
        return *builtIn;
    }
    if (path.contains(id)) {
        return failure(ErrorKind::Usage,
            u"the profiles extend each other in a circle: %1"_s.arg((path << id).join(u" -> "_s)));
    }
    const QJsonObject *json = find(id);
    if (json == nullptr) {
        return failure(ErrorKind::Usage, u"there is no profile \"%1\""_s.arg(id),
            u"known are: %1"_s.arg(names().join(u", "_s)));
    }
    path.append(id);
    Result<PermissionProfile> base
        = build(json->value(u"extends"_s).toString(PermissionProfile::kReadOnly), path);
    if (!base) {
        return base;
    }
    base->id = id;
    if (const Result<> applied = applyProfileJson(*json, *base); !applied) {
        return tl::unexpected(applied.error().within(u"profile \"%1\""_s.arg(id)));
    }
    return base;
}

Result<PermissionProfile> PolicySet::profile(const QString &id) const
{
    Result<PermissionProfile> result = build(id, {});
    if (!result) {
        return result;
    }
    for (const PolicyLayer layer :
        { PolicyLayer::User, PolicyLayer::Project, PolicyLayer::Session, PolicyLayer::Managed }) {
        const QJsonObject &narrow = m_layers[static_cast<size_t>(layer)].narrow;
        if (narrow.isEmpty() || (layer == PolicyLayer::Project && !m_projectTrusted)) {
            continue;
        }
        PermissionProfile wish = *result;
        if (const Result<> applied = applyProfileJson(narrow, wish); !applied) {
            return tl::unexpected(applied.error().within(u"narrow"_s));
        }
        *result = narrowed(*result, wish);
    }
    return result;
}

} // namespace deskhand::sandbox
