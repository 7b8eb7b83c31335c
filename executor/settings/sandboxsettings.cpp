// SPDX-License-Identifier: Apache-2.0
#include "executor/settings/executorsettings.h"
#include "executor/settings/sandboxsettings_p.h"

#include <array>

namespace deskhand::settings {
namespace {

using namespace Qt::StringLiterals;
using sandbox::OwnerPolicy;

constexpr std::array<QLatin1StringView, 3> kScratchWords { QLatin1StringView("private"),
    QLatin1StringView("host"), QLatin1StringView("none") };

/// Within the range, or 0: what the profile has.
Result<int> readLimit(const QJsonValue &value, int lowest, int highest)
{
    if (value.isDouble() && value.toDouble() == 0.0) {
        return 0;
    }
    return readInt(
        value, lowest, highest, u"from %1 to %2, or 0 for the usual"_s.arg(lowest).arg(highest));
}

Result<> readTextList(
    const QJsonValue &value, Result<> (*check)(const QString &text), QStringList &into)
{
    return readTexts(
        value, OwnerPolicy::kMostEntries,
        [check](const QJsonValue &entry) -> Result<QString> {
            if (!entry.isString()) {
                return bad(u"must be a text, not "_s + shown(entry));
            }
            const QString text = entry.toString();
            return check(text).map([&text] { return text; });
        },
        into);
}

template <int OwnerPolicy::*member, int lowest, int highest> constexpr Key limit(const char *name)
{
    return { QLatin1StringView(name),
        [](const QJsonValue &value, ExecutorSettings &into) {
            return assign(readLimit(value, lowest, highest), into.sandbox.*member);
        },
        [](const ExecutorSettings &from) {
            return QJsonValue(from.sandbox.*member);
        } };
}

template <QStringList OwnerPolicy::*member> QJsonValue writeList(const ExecutorSettings &from)
{
    return QJsonArray::fromStringList(from.sandbox.*member);
}

const std::array<Key, 10> kKeys { {
    { "sandbox.scratch"_L1,
        [](const QJsonValue &value, ExecutorSettings &into) -> Result<> {
            const Result<QString> word = readWord(value, kScratchWords);
            if (!word) {
                return tl::unexpected<Error>(word.error());
            }
            into.sandbox.scratch
                = sandbox::scratchFromName(*word).value_or(sandbox::Scratch::Private);
            return {};
        },
        [](const ExecutorSettings &from) {
            return QJsonValue(sandbox::scratchName(from.sandbox.scratch));
        } },
    limit<&OwnerPolicy::scratchMegabytes, OwnerPolicy::kLeastScratch, OwnerPolicy::kMostScratch>(
        "sandbox.scratch_mb"),
    { "sandbox.secret_paths"_L1,
        [](const QJsonValue &value, ExecutorSettings &into) {
            return readTextList(value, &sandbox::checkSecretPath, into.sandbox.secretPaths);
        },
        &writeList<&OwnerPolicy::secretPaths> },
    { "sandbox.allowed_hosts"_L1,
        [](const QJsonValue &value, ExecutorSettings &into) {
            return readTextList(value, &sandbox::checkHostPattern, into.sandbox.allowedHosts);
        },
        &writeList<&OwnerPolicy::allowedHosts> },
    { "sandbox.denied_hosts"_L1,
        [](const QJsonValue &value, ExecutorSettings &into) {
            return readTextList(value, &sandbox::checkHostPattern, into.sandbox.deniedHosts);
        },
        &writeList<&OwnerPolicy::deniedHosts> },
    limit<&OwnerPolicy::memoryMegabytes, OwnerPolicy::kLeastMemory, OwnerPolicy::kMostMemory>(
        "sandbox.memory_mb"),
    limit<&OwnerPolicy::processes, OwnerPolicy::kLeastProcesses, OwnerPolicy::kMostProcesses>(
        "sandbox.processes"),
    limit<&OwnerPolicy::timeSeconds, 1, OwnerPolicy::kMostSeconds>("sandbox.time_seconds"),
    limit<&OwnerPolicy::growthMegabytes, 1, OwnerPolicy::kMostGrowth>("sandbox.growth_mb"),
    limit<&OwnerPolicy::outputKilobytes, 1, OwnerPolicy::kMostOutput>("sandbox.output_kb"),
} };

} // namespace

std::span<const Key> sandboxKeys()
{
    return kKeys;
}

} // namespace deskhand::settings
