// SPDX-License-Identifier: Apache-2.0
#include "executor/sandbox/enginewall.h"

#include "executor/process/boundedrun.h"
#include "executor/sandbox/bubblewrapchoice.h"
#include "executor/sandbox/pathfacts.h"
#include "executor/sandbox/policyresolver.h"
#include "executor/sandbox/preflight.h"

#include <QDir>
#include <QFile>

#include <algorithm>
#include <unistd.h>

using namespace Qt::StringLiterals;

namespace deskhand::sandbox {

namespace {

constexpr std::chrono::milliseconds kTryLimit { 10'000 };
const QString kScratchBytes = QString::number(2LL * 1024 * 1024 * 1024);

std::string bytes(const QString &path)
{
    return QFile::encodeName(path).toStdString();
}

bool within(const QString &path, const QString &folder)
{
    return paths::isWithin(bytes(path), bytes(folder));
}

QString canonical(const QString &path)
{
    return QFile::decodeName(
        QByteArray::fromStdString(paths::canonical(paths::clean(bytes(path)))));
}

/// Those of `shown` that lie below `folder`, parents first.
QStringList below(const QStringList &shown, const QString &folder)
{
    QStringList result;
    for (const QString &path : shown) {
        if (within(path, folder)) {
            result.append(path);
        }
    }
    result.sort();
    return result;
}

} // namespace

QStringList engineWallArguments(const EngineWallPlan &plan)
{
    QStringList arguments { u"--unshare-user"_s, u"--die-with-parent"_s, u"--bind"_s, u"/"_s,
        u"/"_s, u"--dev-bind"_s, u"/dev"_s, u"/dev"_s };
    const auto show = [&arguments, &plan](const QString &folder) {
        for (const QString &path : below(plan.shown, folder)) {
            arguments.append({ u"--bind"_s, path, path });
        }
    };
    for (const QString &place : plan.privatePlaces) {
        arguments.append(
            { u"--perms"_s, u"1777"_s, u"--size"_s, kScratchBytes, u"--tmpfs"_s, place });
        show(place);
    }
    for (const QString &folder : plan.hiddenFolders) {
        // Passable where something below it stays, but never to be listed.
        const bool passage = !below(plan.shown, folder).isEmpty();
        arguments.append({ u"--perms"_s, passage ? u"111"_s : u"000"_s, u"--tmpfs"_s, folder });
        show(folder);
        arguments.append({ u"--remount-ro"_s, folder });
    }
    for (const QString &file : plan.hiddenFiles) {
        // Mounted without device access, so that opening it is refused.
        arguments.append({ u"--ro-bind"_s, u"/dev/null"_s, file });
    }
    arguments.append(u"--"_s);
    return arguments;
}

Result<EngineWall> EngineWall::build(const Options &options)
{
    EngineWall wall;
    EngineWallPlan &plan = wall.m_plan;
    for (const QString &path : options.shown) {
        const QString real = canonical(path);
        if (QFileInfo(real).isDir()) {
            plan.shown.append(real);
        }
    }
    for (const QString &place : { u"/tmp"_s, u"/var/tmp"_s }) {
        const QString real = canonical(place);
        if (QFileInfo(real).isDir() && !plan.privatePlaces.contains(real)) {
            plan.privatePlaces.append(real);
        }
    }
    QStringList hidden = options.hidden;
    // Sockets of the key ring, of the agents and of the desktop.
    hidden.append(u"/run/user/%1"_s.arg(geteuid()));
    PermissionProfile profile = PermissionProfile::readOnly();
    profile.files.ownerSecrets = options.secretPaths;
    PolicyContext context;
    context.home = options.home;
    if (const Result<ResolvedPolicy> policy = ResolvedPolicy::resolve(profile, context)) {
        for (const PolicyEntry &entry : policy->entries()) {
            const bool secret
                = entry.origin == Origin::Secret || entry.origin == Origin::OwnerSecret;
            if (secret && !entry.alias) {
                hidden.append(QFile::decodeName(QByteArray::fromStdString(entry.path)));
            }
        }
    } else {
        return tl::unexpected(policy.error());
    }
    for (const QString &path : std::as_const(hidden)) {
        const QFileInfo info(canonical(path));
        QStringList &list = info.isDir() ? plan.hiddenFolders : plan.hiddenFiles;
        const bool covered
            = std::any_of(plan.privatePlaces.begin(), plan.privatePlaces.end(),
                  [&](const QString &place) {
                      return within(info.filePath(), place) && below(plan.shown, place).isEmpty();
                  })
            || std::any_of(plan.hiddenFolders.begin(), plan.hiddenFolders.end(),
                [&](const QString &folder) { return within(info.filePath(), folder); });
        if (info.exists() && !covered && !plan.shown.contains(info.filePath())) {
            list.append(info.filePath());
        }
    }

    const Result<QString> system
        = findBubblewrap(options.bubblewrapCandidates.isEmpty() ? bubblewrapCandidates()
                                                                : options.bubblewrapCandidates,
            options.shown);
    Result<> stands = system ? wall.tryWith(*system) : tl::unexpected(system.error());
    if (!stands && hasBundledBubblewrap()) {
        const Result<Bubblewrap> bundled = bundledBubblewrap(options.shown);
        Result<> second = bundled ? wall.tryWith(bundled->path) : tl::unexpected(bundled.error());
        wall.m_bundled = second.has_value();
        if (second) {
            stands = second;
        } else if (!system) {
            stands.error().message += u"; "_s + second.error().message;
        }
    }
    if (!stands) {
        return tl::unexpected(stands.error());
    }
    return wall;
}

/// Builds this wall and another one inside of it.
Result<> EngineWall::tryWith(const QString &bubblewrap)
{
    m_plan.bubblewrap = bubblewrap;
    process::RunSpec spec;
    spec.program = QFile::encodeName(bubblewrap);
    const QStringList inner = arguments(bubblewrap,
        { u"--unshare-user"_s, u"--unshare-pid"_s, u"--unshare-net"_s, u"--ro-bind"_s, u"/"_s,
            u"/"_s, u"--dev"_s, u"/dev"_s, u"--proc"_s, u"/proc"_s, u"--"_s, u"/bin/true"_s });
    for (const QString &argument : inner) {
        spec.arguments.append(QFile::encodeName(argument));
    }
    spec.environment = { "PATH=/usr/bin:/bin", "LC_ALL=C" };
    spec.directory = "/";
    spec.wallLimit = kTryLimit;
    process::RunControl control;
    const process::RunOutcome outcome = process::runBounded(spec, control);
    if (outcome.shellStatus() == 0) {
        return {};
    }
    const Error raw { ErrorKind::Unavailable,
        QString::fromUtf8(outcome.error.retained.joined()).trimmed(), {} };
    Error error = explainWallFailure(raw);
    error.message = u"no sandbox can be built inside another one here: %1"_s.arg(error.message);
    return tl::unexpected(error);
}

Result<> EngineWall::verify() const
{
    return m_bundled ? bundledBubblewrap(m_plan.shown).map([](const Bubblewrap &) {}) : Result<>();
}

QStringList EngineWall::arguments(const QString &program, const QStringList &arguments) const
{
    return engineWallArguments(m_plan) + QStringList(program) + arguments;
}

bool EngineWall::hides(const QString &folder) const
{
    const QString real = canonical(folder);
    const auto holds = [&real](const QString &place) {
        return within(real, place);
    };
    // The nearest folder that says something counts.
    qsizetype shown = -1;
    qsizetype hidden = -1;
    for (const QString &path : m_plan.shown) {
        shown = holds(path) ? std::max(shown, path.size()) : shown;
    }
    for (const QString &path : m_plan.privatePlaces + m_plan.hiddenFolders) {
        hidden = holds(path) ? std::max(hidden, path.size()) : hidden;
    }
    return hidden > shown;
}

} // namespace deskhand::sandbox
