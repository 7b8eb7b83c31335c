// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/executor.h"
#include "executor/tasks/journal.h"

#include <functional>
#include <optional>

namespace deskhand {

class OwnModels;

/// Turns what the owner types into tasks of this computer: finds the model, finds the folder of a
/// follow-up, hands the turn over. Owned by the core, lives on the executor thread.
class LocalTasks final : public QObject
{
    Q_OBJECT
public:
    using Started = std::function<void(const Result<QString> &taskId)>;

    LocalTasks(OwnModels &models, tasks::TaskManager &tasks, tasks::Journal &journal);

    void start(const LocalTask &task, const Started &done);

private:
    using Model = std::optional<engines::ModelConfig>;
    void place(const LocalTask &task, const Model &model, const Started &done);
    void submit(const LocalTask &task, const QString &cwd, const Model &model, const Started &done);

    OwnModels &m_models;
    tasks::TaskManager &m_tasks;
    tasks::Journal &m_journal;
};

} // namespace deskhand
