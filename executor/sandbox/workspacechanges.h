// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/sandbox/resolvedpolicy.h"

#include <QStringList>

#include <map>
#include <string>
#include <vector>

namespace deskhand::sandbox {

/// Compares the writable roots before and after a run in the few points that matter for safety:
/// watched names, new nested repositories, changed files that have names elsewhere. Bounded in
/// time. Owned by one run; one thread.
class WorkspaceChanges final
{
public:
    WorkspaceChanges(const ResolvedPolicy &policy, const QStringList &watchedNames);

    struct Report
    {
        QStringList watchedChanged;
        QStringList newRepositories;
        QStringList linkedOutside;
    };
    [[nodiscard]] Report compare() const;

private:
    std::vector<std::string> m_roots;
    std::vector<std::string> m_known; ///< nested repositories that were there
    std::map<std::string, std::string> m_watched; ///< path to a stamp of its state
    qint64 m_startSeconds;
};

} // namespace deskhand::sandbox
