// SPDX-License-Identifier: Apache-2.0
// Windows has no flat policy of canonical POSIX paths: its plan is made in windows/plan. What asks
// the evaluator about a path is told so.
#include "executor/sandbox/pathfacts.h"
#include "executor/sandbox/resolvedpolicy.h"

using namespace Qt::StringLiterals;

namespace deskhand::sandbox {

Result<ResolvedPolicy> ResolvedPolicy::resolve(const PermissionProfile &, const PolicyContext &)
{
    return failure(
        ErrorKind::Unavailable, u"what a profile means for a single path is not told on Windows"_s);
}

std::string paths::clean(std::string_view path)
{
    return std::string(path);
}

std::string paths::canonical(const std::string &path)
{
    return path;
}

} // namespace deskhand::sandbox
