// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/core.h"

#include <QHash>
#include <QSet>

#include <optional>

namespace deskhand::app {

/// The windows' common list of tasks: what is active, what ended lately, what nobody looked at yet.
/// Filled from the core's history once and kept by its signals. Owned by the desktop, main thread.
class TaskBook final : public QObject
{
    Q_OBJECT
public:
    explicit TaskBook(Core &core, QObject *parent = nullptr);

    /// Asks the core for the history; call once it runs.
    void load();

    [[nodiscard]] QList<tasks::TaskSummary> running() const; ///< oldest first
    [[nodiscard]] QList<tasks::TaskSummary> queued() const; ///< oldest first
    [[nodiscard]] QList<tasks::TaskSummary> ended() const; ///< newest first
    [[nodiscard]] QList<tasks::TaskSummary> unread() const; ///< newest first
    [[nodiscard]] QList<tasks::TaskSummary> all() const; ///< newest first
    [[nodiscard]] std::optional<tasks::TaskSummary> find(const QString &taskId) const;

    void markRead(const QString &taskId);
    void markAllRead();

    [[nodiscard]] static bool isOver(tasks::TaskState state);

Q_SIGNALS:
    void changed();
    /// Once per ending seen live.
    void taskEnded(const deskhand::tasks::TaskSummary &summary);

private:
    void onTaskChanged(const tasks::TaskSummary &summary);

    Core &m_core;
    QHash<QString, tasks::TaskSummary> m_tasks;
    QSet<QString> m_unread;
};

} // namespace deskhand::app
