// SPDX-License-Identifier: Apache-2.0
#include "executor/sandbox/policyloader.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>

/// A project's file, however it looks, must never widen what a profile allows.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    using namespace deskhand::sandbox;
    const QByteArray json(reinterpret_cast<const char *>(data), static_cast<qsizetype>(size));
    PolicySet user;
    if (user.addLayer(PolicyLayer::User, json)) {
        for (const QString &name : user.names()) {
            (void)user.profile(name);
        }
    }
    PolicySet set;
    set.setProjectTrusted(true);
    if (!set.addLayer(PolicyLayer::Project, json)) {
        return 0;
    }
    const auto before = PermissionProfile::readOnly();
    const auto after = set.profile(PermissionProfile::kReadOnly);
    if (!after) {
        return 0;
    }
    const auto &rules = after->files.rules;
    const bool writes = std::any_of(rules.begin(), rules.end(),
        [](const FileRule &rule) { return rule.access == Access::Write; });
    if (writes || after->enforcement != Enforcement::Managed
        || after->network.mode != NetworkMode::Off
        || after->limits.processes > before.limits.processes || after->limits.processes == 0
        || after->files.secretPaths.size() < before.files.secretPaths.size()
        || after->files.protectedNames.size() < before.files.protectedNames.size()) {
        std::abort();
    }
    return 0;
}
