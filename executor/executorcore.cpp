// SPDX-License-Identifier: Apache-2.0
#include "executor/executorcore.h"

#include "executor/engines/codex/codexengine.h"
#include "executor/localtasks.h"
#include "executor/logging/log.h"
#include "executor/logging/masking.h"
#include "executor/modelproxy/modelproxy.h"
#include "executor/modelreports.h"
#include "executor/ownmodels.h"
#include "executor/proxyroutes.h"
#include "executor/sandbox/probe.h"
#include "executor/settings/secretshelf.h"
#include "executor/tasks/journal.h"
#include "executor/tasks/permissionbroker.h"

#include <QDate>
#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QFileInfo>

namespace deskhand {
namespace {

using namespace std::chrono_literals;
using namespace Qt::StringLiterals;

const QString kTokenSecret = u"auth-token"_s;

// Together below the five seconds that a quit may take.
constexpr auto kTurnsStopLimit = 1500ms;
constexpr auto kEngineStopLimit = 1300ms;
constexpr auto kLinkStopLimit = 900ms;
constexpr auto kStoresStopLimit = 900ms;
constexpr auto kProxyGrace = 300ms;

std::shared_ptr<spdlog::logger> log()
{
    static const std::shared_ptr<spdlog::logger> instance = logging::logger("executor");
    return instance;
}

tasks::TaskPolicy policyOf(const settings::ExecutorSettings &settings, const ExecutorHome &home)
{
    tasks::TaskPolicy policy;
    policy.parallelLimit = settings.parallelTasks;
    policy.defaultProfile = engines::profileFromName(settings.defaultProfile)
                                .value_or(engines::PermissionProfile::Workspace);
    policy.ceiling = engines::profileFromName(settings.ceiling)
                         .value_or(engines::PermissionProfile::Workspace);
    policy.requestLimit = std::chrono::minutes(settings.requestLimitMinutes);
    policy.workspaceRoot = home.workspaceRoot();
    policy.ownFolder = home.root;
    policy.allowedRoots = settings.allowedRoots;
    const QString fixedRoots = qEnvironmentVariable("WEGENT_WORKSPACE_ROOTS").trimmed();
    if (!fixedRoots.isEmpty()) {
        policy.allowedRoots.clear();
        for (const QString &root : fixedRoots.split(QDir::listSeparator(), Qt::SkipEmptyParts)) {
            policy.allowedRoots.append(root.trimmed());
        }
        policy.allowedRoots.append(policy.workspaceRoot);
    }
    return policy;
}

} // namespace

ExecutorCore::ExecutorCore(ExecutorOptions options)
    : m_options(std::move(options))
{
    m_announceTimer.setParent(this);
    m_announceTimer.setSingleShot(true);
    connect(&m_announceTimer, &QTimer::timeout, this, &ExecutorCore::announce);
    m_stopTimer.setParent(this);
    m_stopTimer.setSingleShot(true);
    m_pauseTimer.setParent(this);
    m_pauseTimer.setSingleShot(true);
    connect(&m_pauseTimer, &QTimer::timeout, this, [this] { setPaused(false, {}); });
}

ExecutorCore::~ExecutorCore() = default;

void ExecutorCore::start()
{
    buildRooms();
    connectRooms();
    makeSecrets();
    m_settingsProblems = m_settings->load();
    applySettings(m_settings->current());
    m_journal->open();
    readDeviceConfig();
    // The probe starts processes of its own; the link comes first.
    QTimer::singleShot(250ms, this, &ExecutorCore::checkSandbox);
    announceSoon();
}

void ExecutorCore::buildRooms()
{
    m_settings = std::make_unique<settings::SettingsStore>(m_options.home.settingsFile());
    tasks::JournalOptions journal;
    journal.file = m_options.home.journalFile();
    // What a program that is killed may lose of a running text, beside what is being committed.
    journal.coalesceDelay = 250ms;
    m_journal = std::make_unique<tasks::Journal>(journal);
    modelproxy::ProxyOptions proxy;
    proxy.timing.stopGrace = kProxyGrace;
    m_proxy = std::make_unique<modelproxy::ModelProxy>(proxy);
    m_routes = std::make_unique<ProxyRoutes>(*m_proxy);
    m_models = std::make_unique<OwnModels>(*m_settings, *m_proxy, *m_routes);
    engines::codex::CodexOptions engine;
    engine.agentsFolder = m_options.home.agentsFolder();
    m_engine = std::make_unique<engines::codex::CodexEngine>(engine, m_routes.get());
    m_wall = std::make_unique<EngineWallSwitch>(*m_engine,
        QStringList { m_options.home.secretsFile(), m_options.home.deviceConfigFile(),
            QFileInfo(m_options.home.journalFile()).path() },
        QStringList { m_options.home.agentsFolder(), m_options.home.workspaceRoot() });
    m_broker = std::make_unique<tasks::PermissionBroker>();
    m_broker->setHome(m_options.home);
    m_tasks = std::make_unique<tasks::TaskManager>(*m_engine, *m_broker, *m_journal);
    m_local = std::make_unique<LocalTasks>(*m_models, *m_tasks, *m_journal);
    m_link = std::make_unique<device::DeviceLink>(*m_tasks, *m_journal);
    m_probe = std::make_unique<sandbox::Probe>();
}

void ExecutorCore::connectRooms()
{
    connect(
        m_settings.get(), &settings::SettingsStore::changed, this, &ExecutorCore::applySettings);
    const auto problem = [this](const QString &sentence) {
        if (!m_runProblems.contains(sentence)) {
            m_runProblems.append(sentence);
            announceSoon();
        }
    };
    connect(m_journal.get(), &tasks::Journal::problem, this, problem);
    connect(m_journal.get(), &tasks::Journal::recovered, this, [this] {
        m_runProblems.clear();
        announceSoon();
    });
    reportModels(*m_proxy, *m_routes, *m_tasks, *m_journal);
    connect(m_probe.get(), &sandbox::Probe::finished, this,
        [this](const sandbox::SandboxStatus &found) {
            m_sandbox.state = sandbox::sandboxStateName(found.state);
            m_sandbox.cause = found.cause;
            m_sandbox.fix = found.fix;
            m_sandbox.wall = found.wall();
            announceSoon();
        });
    connect(m_wall.get(), &EngineWallSwitch::changed, this, [this] {
        applyPause();
        announceSoon();
    });
    connect(m_engine.get(), &engines::Engine::statusChanged, this, &ExecutorCore::announceSoon);
    connect(m_link.get(), &device::DeviceLink::statusChanged, this, &ExecutorCore::announceSoon);
    connect(m_tasks.get(), &tasks::TaskManager::runningChanged, this, &ExecutorCore::announceSoon);
    connect(m_tasks.get(), &tasks::TaskManager::taskChanged, this,
        [this](const tasks::TaskSummary &summary) {
            Q_EMIT activeTasksChanged(m_tasks->activeTasks());
            Q_EMIT taskChanged(summary);
            announceSoon();
        });
    connect(m_journal.get(), &tasks::Journal::eventAppended, this,
        [this](const tasks::StoredEvent &stored) {
            Q_EMIT taskEvent(
                TaskEventRecord { stored.ref, stored.seq, stored.timeMs, stored.event });
        });
    connect(m_broker.get(), &tasks::PermissionBroker::opened, this,
        [this](const engines::PermissionRequest &request) {
            Q_EMIT requestOpened(request);
            announceSoon();
        });
    connect(m_broker.get(), &tasks::PermissionBroker::closed, this,
        [this](const engines::PermissionRequest &request, engines::RequestOutcome outcome,
            const QString &by, const QString &reason) {
            Q_EMIT requestClosed(request, outcome, by, reason);
            announceSoon();
        });
    connect(m_tasks.get(), &tasks::TaskManager::drained, this, [this] {
        if (m_draining && !m_stopping) {
            stopNow();
        }
    });
}

void ExecutorCore::announceSoon()
{
    if (!m_announceTimer.isActive()) {
        m_announceTimer.start(0ms);
    }
}

void ExecutorCore::announce()
{
    if (!m_link) {
        return;
    }
    StatusSnapshot snapshot;
    snapshot.link = m_link->status();
    snapshot.engine = m_engine->status();
    snapshot.sandbox = m_sandbox;
    snapshot.sandbox.engineWall = engineWallName(m_wall->state());
    snapshot.sandbox.engineWallCause = m_wall->cause();
    snapshot.secrets = m_secretsState;
    snapshot.secretsPlace = m_secrets->place();
    snapshot.deviceId = m_device.deviceId;
    snapshot.deviceName = m_device.deviceName;
    snapshot.running = m_tasks->runningCount();
    snapshot.queued = m_tasks->queuedCount();
    snapshot.requests = static_cast<int>(m_broker->pending().size());
    snapshot.paused = m_paused;
    snapshot.pausedUntilMs = m_pausedUntilMs;
    snapshot.draining = m_draining;
    snapshot.problems = m_settingsProblems + m_device.problems + m_runProblems;
    if (!m_modelProblem.isEmpty()) {
        snapshot.problems.append(m_modelProblem);
    }
    Q_EMIT snapshotChanged(snapshot);
}

// ---- settings, identity, secrets

void ExecutorCore::readDeviceConfig()
{
    Result<settings::DeviceConfig> config
        = settings::loadDeviceConfig(m_options.home.deviceConfigFile());
    if (!config) {
        log()->error("device configuration: {}", config.error().message);
        m_device.problems = { config.error().message };
        announceSoon();
        return;
    }
    m_device = *config;
    for (const QString &sentence : std::as_const(m_device.problems)) {
        log()->warn("device configuration: {}", sentence);
    }
    logging::addSecret(m_device.authToken);
    logging::addSecret(m_device.runtimeAuthToken);
    settings::DeviceConfig told = m_device;
    told.authToken.clear();
    told.runtimeAuthToken.clear();
    Q_EMIT deviceConfigChanged(told);
    if (m_device.authToken.isEmpty()) {
        readToken();
    } else {
        configureLink();
    }
}

void ExecutorCore::readToken()
{
    m_secrets->read(kTokenSecret, [this](const Result<QString> &token) {
        if (token) {
            m_storedToken = *token;
            logging::addSecret(m_storedToken);
        } else {
            log()->warn("the sign-in token cannot be read: {}", token.error().message);
        }
        m_secretsState = m_secrets->state();
        configureLink();
        announceSoon();
    });
}

void ExecutorCore::configureLink()
{
    if (!m_options.connectToBackend || m_stopping) {
        return;
    }
    settings::DeviceConfig config = m_device;
    if (config.authToken.isEmpty()) {
        config.authToken = m_storedToken;
    }
    m_link->configure(config);
    announceSoon();
}

void ExecutorCore::makeSecrets()
{
    // Where the owner once chose the file, the file is there.
    const QString file = m_options.home.secretsFile();
    m_secrets = std::make_unique<settings::SecretShelf>(
        QFile::exists(file) || !m_options.makeSecretStore ? settings::makeFileStore(file)
                                                          : m_options.makeSecretStore());
    m_models->setSecrets(m_secrets.get());
    m_secretsState = m_secrets->state();
    connect(m_secrets.get(), &settings::SecretStore::stateChanged, this,
        [this](settings::SecretsState state) {
            m_secretsState = state;
            announceSoon();
        });
}

void ExecutorCore::applySettings(const settings::ExecutorSettings &settings)
{
    tasks::TaskPolicy policy = policyOf(settings, m_options.home);
    policy.ownModel = m_tasks->policy().ownModel;
    policy.ownModelProblem = m_tasks->policy().ownModelProblem;
    policy.ownModelPending = m_tasks->policy().ownModelPending;
    m_tasks->setPolicy(policy);
    m_broker->setRequestLimit(policy.requestLimit);
    m_engine->setProgram(settings.codexPath);
    m_broker->setOwnerPolicy(settings.sandbox);
    m_wall->setWanted(settings.engineWall, settings.sandbox.secretPaths);
    readCommandRules();
    applyPause();
    resolveOwnModel(settings);
    Q_EMIT settingsChanged(settings);
}

/// With a file that cannot be used the rules read before stay.
void ExecutorCore::readCommandRules()
{
    const Result<sandbox::CommandRules> rules
        = sandbox::CommandRules::load(QDir(m_options.home.root).filePath(u"command-rules.json"_s));
    if (rules) {
        m_broker->setCommandRules(*rules);
    } else if (!m_runProblems.contains(rules.error().message)) {
        log()->warn("{}", rules.error().message);
        m_runProblems.append(rules.error().message);
        announceSoon();
    }
}

void ExecutorCore::applyPause()
{
    m_tasks->setPaused(m_paused || m_wall->isBuilding());
    m_link->setPaused(m_paused || !m_settings->current().acceptTasks);
    announceSoon();
}

void ExecutorCore::resolveOwnModel(const settings::ExecutorSettings &settings)
{
    const quint64 reading = ++m_modelRead;
    if (settings.defaultModel.isEmpty()) {
        adoptOwnModel(std::nullopt);
        return;
    }
    // Turns that need it wait meanwhile: the engine's own account is not what the owner chose.
    tasks::TaskPolicy policy = m_tasks->policy();
    policy.ownModelPending = true;
    m_tasks->setPolicy(policy);
    m_models->resolve(
        settings.defaultModel, [this, reading](const Result<engines::ModelConfig> &model) {
            if (reading == m_modelRead) {
                adoptOwnModel(model.map(
                    [](const engines::ModelConfig &read) { return std::optional(read); }));
            }
        });
}

void ExecutorCore::adoptOwnModel(const Result<std::optional<engines::ModelConfig>> &model)
{
    m_modelProblem.clear();
    if (!model) {
        const Error &error = model.error();
        m_modelProblem = u"The default model of this device cannot be used: %1. %2"_s
                             .arg(error.message, error.hint)
                             .trimmed();
        log()->warn("{}", m_modelProblem);
    }
    tasks::TaskPolicy policy = m_tasks->policy();
    policy.ownModel = model.value_or(std::nullopt);
    policy.ownModelProblem = m_modelProblem;
    policy.ownModelPending = false;
    m_tasks->setPolicy(policy);
    announceSoon();
}

void ExecutorCore::updateSettings(
    const settings::ExecutorSettings &settings, const Executor::Done &done)
{
    done(m_settings->update(settings));
}

void ExecutorCore::updateConnection(const QString &backendUrl, const QString &socketUrl,
    const QString &deviceName, const Executor::Done &done)
{
    const QJsonObject keys { { u"connection.backend_url"_s, backendUrl.trimmed() },
        { u"connection.socket_url"_s, socketUrl.trimmed() },
        { u"device_name"_s, deviceName.trimmed() } };
    const Result<> stored = settings::updateDeviceConfig(m_options.home.deviceConfigFile(), keys);
    if (stored) {
        readDeviceConfig();
    }
    done(stored);
}

void ExecutorCore::setToken(const QString &token, const Executor::Done &done)
{
    if (m_device.tokenFromEnvironment) {
        done(failure(ErrorKind::Policy, u"the sign-in token is fixed by WEGENT_AUTH_TOKEN"_s,
            u"Change or unset that variable and start again."_s));
        return;
    }
    const QString clean = settings::cleanToken(token);
    logging::addSecret(clean);
    const auto stored = [this, clean, done](const Result<> &outcome) {
        if (!outcome) {
            m_secretsState = m_secrets->state();
            announceSoon();
            done(outcome);
            return;
        }
        m_storedToken = clean;
        m_secretsState = m_secrets->state();
        // One place only: a token in the file would win over the new one at the next start.
        const Result<> cleared = m_device.authToken.isEmpty()
            ? Result<>()
            : settings::updateDeviceConfig(
                m_options.home.deviceConfigFile(), { { u"connection.auth_token"_s, QString() } });
        if (cleared) {
            m_device.authToken.clear();
        }
        configureLink();
        done(cleared);
    };
    if (clean.isEmpty()) {
        m_secrets->remove(kTokenSecret, stored);
    } else {
        m_secrets->write(kTokenSecret, clean, stored);
    }
}

void ExecutorCore::setModelKey(
    const QString &secretName, const QString &key, const Executor::Done &done)
{
    logging::addSecret(key);
    const auto stored = [this, done](const Result<> &outcome) {
        if (outcome) {
            resolveOwnModel(m_settings->current());
        }
        m_secretsState = m_secrets->state();
        announceSoon();
        done(outcome);
    };
    if (key.isEmpty()) {
        m_secrets->remove(secretName, stored);
    } else {
        m_secrets->write(secretName, key, stored);
    }
}

void ExecutorCore::chooseSecretPlace(Executor::SecretPlace place, const Executor::Done &done)
{
    const QString file = m_options.home.secretsFile();
    std::unique_ptr<settings::SecretStore> next;
    switch (place) {
    case Executor::SecretPlace::KeyStore:
        if (!m_options.makeSecretStore) {
            done(failure(ErrorKind::Unavailable, u"this program has no key store"_s));
            return;
        }
        next = m_options.makeSecretStore();
        break;
    case Executor::SecretPlace::File:
        next = settings::makeFileStore(file);
        break;
    case Executor::SecretPlace::SessionOnly:
        next = settings::makeSessionStore();
        break;
    }
    // The sign-in and the keys move along; the file goes when nothing in it is needed any more.
    QStringList names { kTokenSecret };
    for (const settings::OwnModel &model : m_settings->current().models) {
        if (!model.keySecret.isEmpty()) {
            names.append(model.keySecret);
        }
    }
    QHash<QString, QString> known;
    if (!m_storedToken.isEmpty()) {
        known.insert(kTokenSecret, m_storedToken);
    }
    m_secrets->moveTo(
        std::move(next), names, known, [this, place, file, done](const Result<> &moved) {
            m_secretsState = m_secrets->state();
            announceSoon();
            if (!moved) {
                done(moved);
                return;
            }
            resolveOwnModel(m_settings->current());
            readToken();
            if (place != Executor::SecretPlace::File && QFile::exists(file)
                && !QFile::remove(file)) {
                done(failure(ErrorKind::Io,
                    u"the secrets were moved, but %1 cannot be removed"_s.arg(file),
                    u"Remove it by hand; the next start would use it."_s));
                return;
            }
            done({});
        });
}

void ExecutorCore::reload()
{
    m_settingsProblems = m_settings->load();
    applySettings(m_settings->current());
    readDeviceConfig();
}

// ---- models

void ExecutorCore::modelUsage(
    const QDate &since, const std::function<void(const Result<QList<tasks::UsageRow>> &)> &done)
{
    m_journal->usage(since, this, done);
}

// ---- tasks and requests

void ExecutorCore::stopTask(const QString &taskId, const Executor::Done &done)
{
    done(m_tasks->cancel(taskId, {}, u"stopped by the owner"_s));
}

void ExecutorCore::answerRequest(
    const QString &requestId, const engines::Decision &decision, const Executor::Done &done)
{
    m_broker->answer(requestId, decision, done);
}

void ExecutorCore::setPaused(bool paused, std::chrono::milliseconds limit)
{
    m_paused = paused;
    m_pauseTimer.stop();
    m_pausedUntilMs = 0;
    if (paused && limit.count() > 0) {
        m_pauseTimer.start(limit);
        m_pausedUntilMs = QDateTime::currentMSecsSinceEpoch() + limit.count();
    }
    applyPause();
}

void ExecutorCore::tryLinkNow()
{
    m_link->tryNow();
}

void ExecutorCore::restartEngine(const Executor::Done &done)
{
    m_engine->restart();
    done({});
}

void ExecutorCore::checkSandbox()
{
    if (m_stopping) {
        return;
    }
    m_sandbox = SandboxStatus {};
    m_sandbox.state = u"checking"_s;
    announceSoon();
    m_probe->start();
}

void ExecutorCore::taskHistory(
    int limit, const std::function<void(const Result<QList<tasks::TaskSummary>> &)> &done)
{
    m_journal->history(limit, this, done);
}

void ExecutorCore::taskStory(
    const QString &taskId, const std::function<void(const Result<QList<TaskEventRecord>> &)> &done)
{
    m_journal->story(taskId, this, [done](const Result<QList<tasks::StoredEvent>> &story) {
        if (!story) {
            done(tl::unexpected<Error>(story.error()));
            return;
        }
        QList<TaskEventRecord> records;
        records.reserve(story->size());
        for (const tasks::StoredEvent &stored : *story) {
            records.append(TaskEventRecord { stored.ref, stored.seq, stored.timeMs, stored.event });
        }
        done(records);
    });
}

// ---- stopping, step by step, each with its deadline

void ExecutorCore::drainAndStop(std::chrono::milliseconds limit)
{
    if (m_stopping || m_draining) {
        return;
    }
    m_draining = true;
    announceSoon();
    connect(&m_stopTimer, &QTimer::timeout, this, &ExecutorCore::stopNow);
    m_stopTimer.start(limit);
    m_tasks->drain(); // drained() may come from inside this call
}

void ExecutorCore::stopNow()
{
    if (m_stopping) {
        return;
    }
    m_stopping = true;
    m_stopTimer.disconnect(this);
    if (m_tasks->activeTasks().isEmpty()) {
        stopLinkAndEngine();
        return;
    }
    connect(m_tasks.get(), &tasks::TaskManager::drained, this, &ExecutorCore::stopLinkAndEngine);
    connect(&m_stopTimer, &QTimer::timeout, this, &ExecutorCore::stopLinkAndEngine);
    m_stopTimer.start(kTurnsStopLimit);
    m_tasks->stopAll(u"Deskhand was stopped"_s);
}

void ExecutorCore::stopLinkAndEngine()
{
    m_tasks->disconnect(this);
    m_stopTimer.disconnect(this);
    // The engine ends what is left first: those endings still go over the link.
    connect(m_engine.get(), &engines::Engine::stopped, this, [this] {
        m_engine->disconnect(this);
        connect(m_link.get(), &device::DeviceLink::stopped, this, &ExecutorCore::closeStores);
        m_stopTimer.disconnect(this);
        connect(&m_stopTimer, &QTimer::timeout, this, &ExecutorCore::closeStores);
        m_stopTimer.start(kLinkStopLimit + 200ms);
        m_link->requestStop(kLinkStopLimit);
    });
    m_engine->requestStop(kEngineStopLimit);
}

void ExecutorCore::closeStores()
{
    m_link->disconnect(this);
    m_stopTimer.disconnect(this);
    m_openStops = 2;
    const auto one = [this] {
        if (--m_openStops == 0) {
            finishStop();
        }
    };
    connect(m_proxy.get(), &modelproxy::ModelProxy::stopped, this, one);
    connect(m_journal.get(), &tasks::Journal::closed, this, one);
    connect(&m_stopTimer, &QTimer::timeout, this, &ExecutorCore::finishStop);
    m_stopTimer.start(kStoresStopLimit + 200ms);
    m_proxy->requestStop();
    m_journal->requestClose(kStoresStopLimit);
}

void ExecutorCore::finishStop()
{
    m_stopTimer.stop();
    m_stopTimer.disconnect(this);
    m_journal->disconnect(this);
    m_proxy->disconnect(this);
    m_proxy->disconnect(m_tasks.get());
    log()->info("stopped");
    Q_EMIT stopped();
}

} // namespace deskhand
