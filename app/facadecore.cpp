// SPDX-License-Identifier: Apache-2.0
#include "app/facadecore.h"

#include "executor/logging/log.h"

namespace deskhand::app {

FacadeCore::FacadeCore(ExecutorOptions options, QObject *parent)
    : Core(parent)
    , m_home(options.home)
    , m_executor(std::move(options))
{
    connect(&m_executor, &Executor::statusChanged, this, &Core::statusChanged);
    connect(&m_executor, &Executor::taskChanged, this, &Core::taskChanged);
    connect(&m_executor, &Executor::taskEvent, this, &Core::taskEvent);
    connect(&m_executor, &Executor::requestOpened, this, &Core::requestOpened);
    connect(&m_executor, &Executor::requestClosed, this, &Core::requestClosed);
    connect(&m_executor, &Executor::settingsChanged, this, &Core::settingsChanged);
    connect(&m_executor, &Executor::stopped, this, &Core::stopped);
    connect(this, &Core::settingsChanged, this,
        [this] { logging::setLevel(m_executor.settings().logLevel); });
}

Result<> FacadeCore::start()
{
    const Result<> started = m_executor.start();
    if (!started) {
        return started;
    }
    m_subject = std::make_unique<control::ExecutorSubject>(m_executor);
    m_server = std::make_unique<control::ControlServer>(*m_subject, m_home);
    connect(m_server.get(), &control::ControlServer::quitRequested, this,
        [this](std::chrono::milliseconds drain) { m_executor.drainAndStop(drain); });
    if (const Result<> listening = m_server->listen(); !listening) {
        logging::logger("app")->error("{}", listening.error().message);
    }
    return {};
}

void FacadeCore::reload()
{
    m_executor.reload();
}

StatusSnapshot FacadeCore::status() const
{
    return m_executor.status();
}

QList<tasks::TaskSummary> FacadeCore::activeTasks() const
{
    return m_executor.activeTasks();
}

QList<engines::PermissionRequest> FacadeCore::requests() const
{
    return m_executor.requests();
}

settings::ExecutorSettings FacadeCore::settings() const
{
    return m_executor.settings();
}

settings::DeviceConfig FacadeCore::deviceConfig() const
{
    return m_executor.deviceConfig();
}

void FacadeCore::startLocalTask(
    const LocalTask &task, const std::function<void(const Result<QString> &)> &done)
{
    m_executor.startLocalTask(task, done);
}

void FacadeCore::stopTask(const QString &taskId, const Done &done)
{
    m_executor.stopTask(taskId, done);
}

void FacadeCore::answerRequest(
    const QString &requestId, const engines::Decision &decision, const Done &done)
{
    m_executor.answerRequest(requestId, decision, done);
}

void FacadeCore::setPaused(bool paused)
{
    m_executor.setPaused(paused);
}

void FacadeCore::tryLinkNow()
{
    m_executor.tryLinkNow();
}

void FacadeCore::restartEngine(const Done &done)
{
    m_executor.restartEngine(done);
}

void FacadeCore::checkSandbox()
{
    m_executor.checkSandbox();
}

void FacadeCore::updateSettings(const settings::ExecutorSettings &settings, const Done &done)
{
    m_executor.updateSettings(settings, done);
}

void FacadeCore::updateConnection(const QString &backendUrl, const QString &socketUrl,
    const QString &deviceName, const Done &done)
{
    m_executor.updateConnection(backendUrl, socketUrl, deviceName, done);
}

void FacadeCore::setToken(const QString &token, const Done &done)
{
    m_executor.setToken(token, done);
}

void FacadeCore::setModelKey(const QString &secretName, const QString &key, const Done &done)
{
    m_executor.setModelKey(secretName, key, done);
}

void FacadeCore::chooseSecretPlace(Executor::SecretPlace place, const Done &done)
{
    m_executor.chooseSecretPlace(place, done);
}

QList<modelproxy::ProviderPreset> FacadeCore::providerPresets() const
{
    return modelproxy::providerPresets();
}

void FacadeCore::listModels(const settings::OwnModel &model, const QString &key,
    const std::function<void(const Result<QList<modelproxy::ListedModel>> &)> &done)
{
    m_executor.listModels(model, key, done);
}

void FacadeCore::testModel(const settings::OwnModel &model, const QString &key,
    const std::function<void(const Result<modelproxy::ModelTestReport> &)> &done)
{
    m_executor.testModel(model, key, done);
}

void FacadeCore::ownModels(const std::function<void(const Result<QList<OwnModelState>> &)> &done)
{
    m_executor.ownModels(done);
}

void FacadeCore::modelUsage(
    const QDate &since, const std::function<void(const Result<QList<tasks::UsageRow>> &)> &done)
{
    m_executor.modelUsage(since, done);
}

void FacadeCore::taskHistory(
    int limit, const std::function<void(const Result<QList<tasks::TaskSummary>> &)> &done)
{
    m_executor.taskHistory(limit, done);
}

void FacadeCore::taskStory(
    const QString &taskId, const std::function<void(const Result<QList<TaskEventRecord>> &)> &done)
{
    m_executor.taskStory(taskId, done);
}

void FacadeCore::stopNow()
{
    m_executor.stopNow();
}

} // namespace deskhand::app
