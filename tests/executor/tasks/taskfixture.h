// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/tasks/journal.h"
#include "executor/tasks/permissionbroker.h"
#include "executor/tasks/taskmanager.h"
#include "tests/support/fakeengine/fakeengine.h"

#include <QTemporaryDir>
#include <QTest>

namespace deskhand::tests {

/// A task manager over the fake engine and a journal in memory, with everything it tells recorded.
struct TaskFixture
{
    explicit TaskFixture(tasks::JournalOptions options = {})
        : journal(std::move(options))
        , manager(engine, broker, journal)
    {
        broker.setHome({ folder.filePath(QStringLiteral("home")) });
        policy.workspaceRoot = folder.filePath(QStringLiteral("workspace"));
        manager.setPolicy(policy);
        QObject::connect(&manager, &tasks::TaskManager::event, &manager,
            [this](const tasks::TurnRequest &request, const engines::TaskEvent &event) {
                events.append({ request.ref, event });
            });
        QObject::connect(&manager, &tasks::TaskManager::taskChanged, &manager,
            [this](const tasks::TaskSummary &summary) { changes.append(summary); });
        QObject::connect(
            &manager, &tasks::TaskManager::drained, &manager, [this] { ++drainedCount; });
        journal.open();
    }

    [[nodiscard]] tasks::TurnRequest turn(const QString &task, const QString &id) const
    {
        tasks::TurnRequest request;
        request.ref = { task, id };
        request.title = QStringLiteral("A task");
        request.prompt = QStringLiteral("Do it");
        return request;
    }

    [[nodiscard]] static engines::PermissionRequest command(
        const engines::TurnRef &ref, const QString &id, const QString &line)
    {
        engines::PermissionRequest request;
        request.id = id;
        request.taskId = ref.taskId;
        request.turnId = ref.turnId;
        request.kind = engines::RequestKind::Command;
        request.summary = QStringLiteral("Run a command outside the sandbox");
        request.command = line;
        request.cwd = QStringLiteral("/tmp");
        request.choices = { engines::Choice::Deny, engines::Choice::DenyAndStop,
            engines::Choice::AllowOnce, engines::Choice::AllowForTask };
        return request;
    }

    template <typename T> [[nodiscard]] QList<T> eventsOf(const engines::TurnRef &ref) const
    {
        QList<T> list;
        for (const auto &[of, event] : events) {
            if (const T *one = std::get_if<T>(&event); one != nullptr && of == ref) {
                list.append(*one);
            }
        }
        return list;
    }
    [[nodiscard]] QList<engines::TurnEnded> endings(const engines::TurnRef &ref) const
    {
        return eventsOf<engines::TurnEnded>(ref);
    }
    [[nodiscard]] tasks::TaskState stateOf(const QString &task) const
    {
        const auto summary = manager.task(task);
        return summary ? summary->state : tasks::TaskState::Finished;
    }

    QTemporaryDir folder;
    FakeEngine engine;
    tasks::PermissionBroker broker;
    tasks::Journal journal;
    tasks::TaskManager manager;
    tasks::TaskPolicy policy;
    QList<std::pair<engines::TurnRef, engines::TaskEvent>> events;
    QList<tasks::TaskSummary> changes;
    int drainedCount = 0;
};

} // namespace deskhand::tests
