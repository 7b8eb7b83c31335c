// SPDX-License-Identifier: Apache-2.0
#include "executor/localtasks.h"

#include "executor/common/ids.h"
#include "executor/ownmodels.h"

namespace deskhand {

using namespace Qt::StringLiterals;

namespace {

/// One line of at most 60 characters for lists.
QString titleOf(const QString &prompt)
{
    const QString line = prompt.simplified();
    return line.size() <= 60 ? line : line.left(59) + u'…';
}

} // namespace

LocalTasks::LocalTasks(OwnModels &models, tasks::TaskManager &tasks, tasks::Journal &journal)
    : m_models(models)
    , m_tasks(tasks)
    , m_journal(journal)
{ }

void LocalTasks::start(const LocalTask &task, const Started &done)
{
    if (task.prompt.trimmed().isEmpty()) {
        done(failure(ErrorKind::Usage, u"the prompt is empty"_s));
        return;
    }
    if (task.model.isEmpty()) {
        place(task, {}, done);
        return;
    }
    m_models.resolve(task.model, [this, task, done](const Result<engines::ModelConfig> &model) {
        if (model) {
            place(task, *model, done);
        } else {
            done(tl::unexpected<Error>(model.error()));
        }
    });
}

void LocalTasks::place(const LocalTask &task, const Model &model, const Started &done)
{
    if (!task.cwd.isEmpty() || task.continueTask.isEmpty()) {
        submit(task, task.cwd, model, done);
        return;
    }
    // A follow-up without a folder runs where the task ran.
    m_journal.history(
        1000, this, [this, task, model, done](const Result<QList<tasks::TaskSummary>> &history) {
            if (!history) {
                done(tl::unexpected<Error>(history.error()));
                return;
            }
            for (const tasks::TaskSummary &summary : *history) {
                if (summary.taskId == task.continueTask) {
                    submit(task, summary.cwd, model, done);
                    return;
                }
            }
            done(failure(ErrorKind::NotFound, u"there is no task %1"_s.arg(task.continueTask)));
        });
}

void LocalTasks::submit(
    const LocalTask &task, const QString &cwd, const Model &model, const Started &done)
{
    tasks::TurnRequest request;
    request.ref.taskId
        = task.continueTask.isEmpty() ? u"local-"_s + randomHex(6) : task.continueTask;
    request.ref.turnId = u"turn-"_s + randomHex(6);
    request.origin = tasks::Origin::Local;
    request.title = titleOf(task.prompt);
    request.prompt = task.prompt;
    request.cwd = cwd;
    request.profileWish = task.profile;
    request.model = model;
    const Result<> taken = m_tasks.submit(request);
    if (!taken) {
        done(tl::unexpected<Error>(taken.error()));
        return;
    }
    done(request.ref.taskId);
}

} // namespace deskhand
