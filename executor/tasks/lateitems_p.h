// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/tasks/taskmanager.h"

#include <QSet>

#include <deque>
#include <optional>

namespace deskhand::tasks {

/// Turns that ended while items were open; the endings of those may still come. Executor thread.
class LateItems
{
public:
    /// Remembers the latest turns only.
    void expect(const TurnRequest &request, const QSet<QString> &openItems);
    /// The turn that waited for the item's ending; each is given once.
    [[nodiscard]] std::optional<TurnRequest> take(
        const engines::TurnRef &ref, const QString &itemId);

private:
    struct Ended
    {
        TurnRequest request;
        QSet<QString> openItems;
    };
    std::deque<Ended> m_ended;
};

} // namespace deskhand::tasks
