// SPDX-License-Identifier: Apache-2.0
#include "executor/executor.h"

#include "executor/control/homelock.h"
#include "executor/executorcore.h"
#include "executor/heapsettings.h"
#include "executor/localtasks.h"
#include "executor/logging/log.h"
#include "executor/ownmodels.h"

#include <QCoreApplication>
#include <QDeadlineTimer>
#include <QPointer>
#include <QThread>

namespace deskhand {

namespace {

template <typename T> using Callback = std::function<void(const Result<T> &)>;

} // namespace

class Executor::Private
{
public:
    explicit Private(Executor *owner, ExecutorOptions given)
        : q(owner)
        , options(std::move(given))
        , thread(std::make_unique<QThread>())
    {
        thread->setObjectName(QStringLiteral("executor"));
    }

    /// Runs `call` on the executor thread; without a running core the callback gets Unavailable.
    template <typename T, typename Call> void ask(const Callback<T> &done, Call call)
    {
        if (!core) {
            QMetaObject::invokeMethod(
                q,
                [done] {
                    done(
                        failure(ErrorKind::Unavailable, QStringLiteral("Deskhand is not running")));
                },
                Qt::QueuedConnection);
            return;
        }
        // The answer comes back to the facade's thread, unless the facade is gone by then.
        const QPointer<Executor> facade(q);
        const Callback<T> back = [facade, done](const Result<T> &result) {
            QMetaObject::invokeMethod(
                QCoreApplication::instance(),
                [facade, done, result] {
                    if (facade) {
                        done(result);
                    }
                },
                Qt::QueuedConnection);
        };
        QMetaObject::invokeMethod(core, [core = core, call, back] { call(*core, back); });
    }

    template <typename Call> void tell(Call call)
    {
        if (core) {
            QMetaObject::invokeMethod(core, [core = core, call] { call(*core); });
        }
    }

    void connectCore();
    void endThread();

    Executor *q;
    ExecutorOptions options;
    std::unique_ptr<control::HomeLock> lock;
    std::unique_ptr<QThread> thread;
    ExecutorCore *core = nullptr; ///< on `thread`; deleted there
    // What the core told last.
    StatusSnapshot snapshot;
    QList<tasks::TaskSummary> active;
    QList<engines::PermissionRequest> requests;
    settings::ExecutorSettings settings;
    settings::DeviceConfig device;
};

void Executor::Private::connectCore()
{
    QObject::connect(core, &ExecutorCore::snapshotChanged, q, [this](const StatusSnapshot &told) {
        snapshot = told;
        Q_EMIT q->statusChanged();
    });
    QObject::connect(core, &ExecutorCore::activeTasksChanged, q,
        [this](const QList<tasks::TaskSummary> &told) { active = told; });
    QObject::connect(core, &ExecutorCore::taskChanged, q, &Executor::taskChanged);
    QObject::connect(core, &ExecutorCore::taskEvent, q, &Executor::taskEvent);
    QObject::connect(
        core, &ExecutorCore::requestOpened, q, [this](const engines::PermissionRequest &request) {
            requests.append(request);
            Q_EMIT q->requestOpened(request);
        });
    QObject::connect(core, &ExecutorCore::requestClosed, q,
        [this](const engines::PermissionRequest &request, engines::RequestOutcome outcome,
            const QString &by, const QString &reason) {
            requests.removeIf([&request](const engines::PermissionRequest &other) {
                return other.id == request.id;
            });
            Q_EMIT q->requestClosed(request, outcome, by, reason);
        });
    QObject::connect(
        core, &ExecutorCore::settingsChanged, q, [this](const settings::ExecutorSettings &told) {
            settings = told;
            Q_EMIT q->settingsChanged();
        });
    QObject::connect(
        core, &ExecutorCore::deviceConfigChanged, q, [this](const settings::DeviceConfig &told) {
            device = told;
            Q_EMIT q->settingsChanged();
        });
    QObject::connect(core, &ExecutorCore::stopped, q, [this] {
        endThread();
        Q_EMIT q->stopped();
    });
}

void Executor::Private::endThread()
{
    if (!core) {
        return;
    }
    ExecutorCore *ending = std::exchange(core, nullptr);
    ending->disconnect(q);
    QMetaObject::invokeMethod(ending, [ending, running = thread.get()] {
        delete ending;
        running->quit();
    });
    if (thread->wait(QDeadlineTimer(options.threadEndLimit))) {
        lock.reset();
        return;
    }
    // A call into the system that hangs. The thread may still use the home, so the lock stays with
    // it; both go when it comes back, else with the process.
    logging::logger("executor")->error("the executor thread did not end in time");
    QThread *hanging = thread.release();
    QObject::connect(hanging, &QThread::finished, hanging,
        [hanging, held = std::shared_ptr<control::HomeLock>(std::move(lock))] {
            hanging->deleteLater();
        });
}

Executor::Executor(ExecutorOptions options, QObject *parent)
    : QObject(parent)
    , d(std::make_unique<Private>(this, std::move(options)))
{
    qRegisterMetaType<tasks::TaskSummary>();
    qRegisterMetaType<engines::PermissionRequest>();
    d->snapshot.sandbox.state = QStringLiteral("checking");
}

Executor::~Executor()
{
    d->endThread();
}

Result<> Executor::start()
{
    Result<std::unique_ptr<control::HomeLock>> lock
        = control::HomeLock::acquire(d->options.home, QCoreApplication::applicationName());
    if (!lock) {
        return tl::unexpected<Error>(lock.error());
    }
    d->lock = std::move(*lock);
    if (!d->thread) {
        d->thread = std::make_unique<QThread>(); // the one of an earlier start hangs
        d->thread->setObjectName(QStringLiteral("executor"));
    }
    returnLargeBlocks();
    d->core = new ExecutorCore(d->options);
    d->core->moveToThread(d->thread.get());
    d->connectCore();
    d->thread->start();
    d->tell([](ExecutorCore &core) { core.start(); });
    return {};
}

void Executor::drainAndStop(std::chrono::milliseconds limit)
{
    d->tell([limit](ExecutorCore &core) { core.drainAndStop(limit); });
}

void Executor::stopNow()
{
    d->tell([](ExecutorCore &core) { core.stopNow(); });
}

StatusSnapshot Executor::status() const
{
    return d->snapshot;
}

QList<tasks::TaskSummary> Executor::activeTasks() const
{
    return d->active;
}

QList<engines::PermissionRequest> Executor::requests() const
{
    return d->requests;
}

settings::ExecutorSettings Executor::settings() const
{
    return d->settings;
}

settings::DeviceConfig Executor::deviceConfig() const
{
    return d->device;
}

void Executor::startLocalTask(
    const LocalTask &task, const std::function<void(const Result<QString> &)> &done)
{
    d->ask<QString>(done, [task](ExecutorCore &core, const Callback<QString> &back) {
        core.localTasks().start(task, back);
    });
}

void Executor::stopTask(const QString &taskId, const Done &done)
{
    d->ask<void>(
        done, [taskId](ExecutorCore &core, const Done &back) { core.stopTask(taskId, back); });
}

void Executor::answerRequest(
    const QString &requestId, const engines::Decision &decision, const Done &done)
{
    d->ask<void>(done, [requestId, decision](ExecutorCore &core, const Done &back) {
        core.answerRequest(requestId, decision, back);
    });
}

void Executor::setPaused(bool paused, std::chrono::milliseconds limit)
{
    d->tell([paused, limit](ExecutorCore &core) { core.setPaused(paused, limit); });
}

void Executor::tryLinkNow()
{
    d->tell([](ExecutorCore &core) { core.tryLinkNow(); });
}

void Executor::restartEngine(const Done &done)
{
    d->ask<void>(done, [](ExecutorCore &core, const Done &back) { core.restartEngine(back); });
}

void Executor::checkSandbox()
{
    d->tell([](ExecutorCore &core) { core.checkSandbox(); });
}

void Executor::updateSettings(const settings::ExecutorSettings &settings, const Done &done)
{
    d->ask<void>(done,
        [settings](ExecutorCore &core, const Done &back) { core.updateSettings(settings, back); });
}

void Executor::updateConnection(const QString &backendUrl, const QString &socketUrl,
    const QString &deviceName, const Done &done)
{
    d->ask<void>(done, [=](ExecutorCore &core, const Done &back) {
        core.updateConnection(backendUrl, socketUrl, deviceName, back);
    });
}

void Executor::setToken(const QString &token, const Done &done)
{
    d->ask<void>(
        done, [token](ExecutorCore &core, const Done &back) { core.setToken(token, back); });
}

void Executor::setModelKey(const QString &secretName, const QString &key, const Done &done)
{
    d->ask<void>(done, [secretName, key](ExecutorCore &core, const Done &back) {
        core.setModelKey(secretName, key, back);
    });
}

void Executor::chooseSecretPlace(SecretPlace place, const Done &done)
{
    d->ask<void>(done,
        [place](ExecutorCore &core, const Done &back) { core.chooseSecretPlace(place, back); });
}

void Executor::reload()
{
    d->tell([](ExecutorCore &core) { core.reload(); });
}

void Executor::ownModels(const std::function<void(const Result<QList<OwnModelState>> &)> &done)
{
    d->ask<QList<OwnModelState>>(
        done, [](ExecutorCore &core, const Callback<QList<OwnModelState>> &back) {
            core.models().list(back);
        });
}

void Executor::addOwnModel(const settings::OwnModel &model, const QString &key, const Done &done)
{
    d->ask<void>(done, [model, key](ExecutorCore &core, const Done &back) {
        core.models().add(model, key, back);
    });
}

void Executor::replaceModelKey(const QString &name, const QString &key, const Done &done)
{
    d->ask<void>(done, [name, key](ExecutorCore &core, const Done &back) {
        core.models().replaceKey(name, key, back);
    });
}

void Executor::removeOwnModel(const QString &name, const Done &done)
{
    d->ask<void>(
        done, [name](ExecutorCore &core, const Done &back) { core.models().remove(name, back); });
}

void Executor::setDefaultModel(const QString &name, const Done &done)
{
    d->ask<void>(done,
        [name](ExecutorCore &core, const Done &back) { core.models().setDefault(name, back); });
}

void Executor::listModels(const settings::OwnModel &model, const QString &key,
    const std::function<void(const Result<QList<modelproxy::ListedModel>> &)> &done)
{
    d->ask<QList<modelproxy::ListedModel>>(done,
        [model, key](ExecutorCore &core, const Callback<QList<modelproxy::ListedModel>> &back) {
            core.models().listModels(model, key, back);
        });
}

void Executor::testModel(const settings::OwnModel &model, const QString &key,
    const std::function<void(const Result<modelproxy::ModelTestReport> &)> &done)
{
    d->ask<modelproxy::ModelTestReport>(
        done, [model, key](ExecutorCore &core, const Callback<modelproxy::ModelTestReport> &back) {
            core.models().testModel(model, key, back);
        });
}

void Executor::modelUsage(
    const QDate &since, const std::function<void(const Result<QList<tasks::UsageRow>> &)> &done)
{
    d->ask<QList<tasks::UsageRow>>(
        done, [since](ExecutorCore &core, const Callback<QList<tasks::UsageRow>> &back) {
            core.modelUsage(since, back);
        });
}

void Executor::taskHistory(
    int limit, const std::function<void(const Result<QList<tasks::TaskSummary>> &)> &done)
{
    d->ask<QList<tasks::TaskSummary>>(
        done, [limit](ExecutorCore &core, const Callback<QList<tasks::TaskSummary>> &back) {
            core.taskHistory(limit, back);
        });
}

void Executor::taskStory(
    const QString &taskId, const std::function<void(const Result<QList<TaskEventRecord>> &)> &done)
{
    d->ask<QList<TaskEventRecord>>(
        done, [taskId](ExecutorCore &core, const Callback<QList<TaskEventRecord>> &back) {
            core.taskStory(taskId, back);
        });
}

} // namespace deskhand
