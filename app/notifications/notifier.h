// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/core.h"

#include <QHash>
#include <QObject>
#include <QTimer>

#include <functional>

namespace deskhand::app {

class StatusWatch;
class TaskBook;

/// Decides what is worth a message and says it once: a waiting request (again after five minutes),
/// a task that failed, a long task that finished, a part that stops all work. What comes together
/// becomes one message. Nothing while the owner looks at the task, nothing at start. Owned by the
/// desktop, main thread.
class Notifier final : public QObject
{
    Q_OBJECT
public:
    /// What a click on the last message should open.
    struct Target
    {
        enum class Kind { Nothing, Request, Task, Tasks, Status };
        Kind kind = Kind::Nothing;
        QString id;
    };

    Notifier(Core &core, StatusWatch &watch, TaskBook &book, QObject *parent = nullptr);

    /// Tells whether the owner is looking at the task right now.
    void setWatcher(std::function<bool(const QString &taskId)> isWatched);
    void setReminderTime(std::chrono::milliseconds time) { m_reminder.setInterval(time); }
    /// How long a message waits for others that come at the same moment, and how long after it
    /// others are collected into the next one. For tests.
    void setMergeTimes(std::chrono::milliseconds together, std::chrono::milliseconds after);
    /// Says what is being collected without waiting any longer.
    void tellNow();
    [[nodiscard]] Target lastTarget() const { return m_last; }

Q_SIGNALS:
    void message(const QString &title, const QString &text, bool problem);

private:
    void say(const Target &target, const QString &title, const QString &text, bool problem);
    void onRequest(const engines::PermissionRequest &request);
    void onTaskEnded(const tasks::TaskSummary &task);
    void tellRequests();
    void tellEndings();
    void onStatus();
    void remind();
    [[nodiscard]] bool isWatched(const QString &taskId) const;

    Core &m_core;
    StatusWatch &m_watch;
    TaskBook &m_book;
    std::function<bool(const QString &)> m_isWatched;
    std::chrono::milliseconds m_together;
    std::chrono::milliseconds m_after;
    QTimer m_requestTimer; ///< runs while requests are collected
    QTimer m_endingTimer; ///< runs while endings are collected
    QStringList m_newRequests; ///< ids, not told yet
    QList<tasks::TaskSummary> m_newEndings; ///< not told yet
    QTimer m_reminder;
    QHash<QString, qint64> m_lastByTask; ///< when a task was last spoken of
    QString m_problem; ///< the problem already spoken of
    Target m_last;
};

} // namespace deskhand::app
