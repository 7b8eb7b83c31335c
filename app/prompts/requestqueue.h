// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/engines/permission.h"

#include <QList>
#include <QStringList>

namespace deskhand::app {

/// The requests the prompt window knows, oldest first, with what is happening to each. Value type,
/// main thread.
class RequestQueue final
{
public:
    /// Waiting, being delivered, or over and shown for a moment more.
    struct Entry
    {
        engines::PermissionRequest request;
        bool sending = false;
        bool over = false;
        QString note; ///< what became of it, or why the decision did not arrive
        [[nodiscard]] bool isOpen() const { return !sending && !over; }
    };

    /// False when it is known already: the same request announced again, after a reconnect for
    /// instance.
    bool add(const engines::PermissionRequest &request);
    void remove(const QString &requestId);
    [[nodiscard]] qsizetype size() const { return m_entries.size(); }
    [[nodiscard]] bool isEmpty() const { return m_entries.isEmpty(); }
    [[nodiscard]] qsizetype indexOf(const QString &requestId) const; ///< -1 = unknown
    [[nodiscard]] Entry &at(qsizetype index) { return m_entries[index]; }
    [[nodiscard]] const Entry &at(qsizetype index) const { return m_entries.at(index); }
    /// The oldest that waits for a decision, else the oldest at all, -1 when there is none.
    [[nodiscard]] qsizetype next() const;
    /// Others that wait and ask for exactly the same thing in the same task, so that one answer can
    /// stand for all. Never for questions: their answers are texts.
    [[nodiscard]] QStringList alike(const QString &requestId) const;
    /// Those of a task that wait for a decision.
    [[nodiscard]] QStringList openOf(const QString &taskId) const;

private:
    QList<Entry> m_entries;
};

} // namespace deskhand::app
