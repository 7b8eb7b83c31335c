// SPDX-License-Identifier: Apache-2.0
#include "executor/tasks/lateitems_p.h"

namespace deskhand::tasks {

namespace {

constexpr size_t kRememberedEndings = 64;

} // namespace

void LateItems::expect(const TurnRequest &request, const QSet<QString> &openItems)
{
    m_ended.push_back({ request, openItems });
    if (m_ended.size() > kRememberedEndings) {
        m_ended.pop_front();
    }
}

std::optional<TurnRequest> LateItems::take(const engines::TurnRef &ref, const QString &itemId)
{
    for (Ended &turn : m_ended) {
        if (turn.request.ref == ref && turn.openItems.remove(itemId)) {
            return turn.request;
        }
    }
    return std::nullopt;
}

} // namespace deskhand::tasks
