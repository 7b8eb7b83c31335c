// SPDX-License-Identifier: Apache-2.0
#include "executor/engines/codex/threadopener.h"

#include "executor/engines/codex/wire.h"
#include "executor/logging/masking.h"

#include <QCryptographicHash>
#include <QJsonArray>
#include <QJsonDocument>

#include <algorithm>
#include <optional>

using namespace Qt::StringLiterals;

namespace deskhand::engines::codex {

int Runtime::activeTurns() const
{
    return static_cast<int>(std::count_if(threads.begin(), threads.end(),
        [](const LoadedThread &thread) { return thread.turn != nullptr; }));
}

Turn *Runtime::turnOf(QString threadId) const
{
    constexpr int kDeepest = 8;
    for (int depth = 0; depth < kDeepest; ++depth) {
        if (const auto thread = threads.constFind(threadId); thread != threads.constEnd()) {
            return thread->turn;
        }
        threadId = parents.value(threadId);
    }
    return nullptr;
}

QJsonValue approvalPolicy(PermissionProfile profile)
{
    if (profile != PermissionProfile::FullAccess) {
        return u"on-request"_s;
    }
    // Nothing is asked with full access, except what a tool server itself wants to know.
    return QJsonObject { { u"granular"_s,
        QJsonObject { { u"sandbox_approval"_s, false }, { u"rules"_s, false },
            { u"skill_approval"_s, false }, { u"request_permissions"_s, false },
            { u"mcp_elicitations"_s, true } } } };
}

namespace {

// How much the answer says that the conversation may do; nothing when it does not say.
std::optional<PermissionProfile> grantedProfile(const QJsonObject &result)
{
    const QString type
        = wire::kind(result.value("sandbox"_L1).toObject().value("type"_L1).toString());
    if (type == "readonly"_L1) {
        return PermissionProfile::ReadOnly;
    }
    if (type == "workspacewrite"_L1) {
        return PermissionProfile::Workspace;
    }
    if (type == "dangerfullaccess"_L1 || type == "externalsandbox"_L1) {
        return PermissionProfile::FullAccess;
    }
    return std::nullopt;
}

} // namespace

QString modelSlug(const ModelConfig &model)
{
    return model.catalogModelId.isEmpty() ? model.modelId : model.catalogModelId;
}

ThreadOpener::ThreadOpener(const TurnSpec &spec, Runtime &runtime, ModelRoutes *routes,
    const Timings &timings, Handler handler, QObject *parent)
    : QObject(parent)
    , m_spec(spec)
    , m_runtime(runtime)
    , m_routes(routes)
    , m_accountLimit(timings.accountCheck)
    , m_handler(std::move(handler))
{ }

Result<> ThreadOpener::prepareSetup()
{
    QJsonObject config { { u"projects"_s, untrustedProjects(m_spec.cwd) } };
    m_overrides = {
        { u"cwd"_s, m_spec.cwd },
        { u"permissions"_s, profileName(m_spec.profile) },
        { u"approvalPolicy"_s, approvalPolicy(m_spec.profile) },
        { u"approvalsReviewer"_s, u"user"_s },
    };
    QJsonObject fingerprint { { u"instructions"_s, m_spec.developerInstructions } };
    if (!m_spec.developerInstructions.isEmpty()) {
        m_overrides.insert(u"developerInstructions"_s, m_spec.developerInstructions);
    }
    if (m_spec.model) {
        const ModelConfig &model = *m_spec.model;
        const QString slug = modelSlug(model);
        if (slug.isEmpty()) {
            return failure(ErrorKind::Usage, u"the model of the task has no model_id"_s);
        }
        if (m_routes == nullptr) {
            return failure(ErrorKind::Unavailable,
                u"the model proxy does not run, so the task's model cannot be used"_s);
        }
        const Result<ModelRoute> route = m_routes->acquire(m_spec.ref.taskId, model);
        if (!route) {
            return tl::unexpected<Error>(route.error());
        }
        QJsonObject provider {
            { u"name"_s, u"Deskhand model proxy"_s },
            { u"base_url"_s, route->baseUrl },
            { u"wire_api"_s, u"responses"_s },
            { u"requires_openai_auth"_s, false },
            { u"supports_websockets"_s, false },
            // The proxy retries on its own; more here would only multiply the waiting.
            { u"request_max_retries"_s, 0 },
            { u"stream_max_retries"_s, 2 },
            { u"stream_idle_timeout_ms"_s, 600'000 },
        };
        if (!route->bearer.isEmpty()) {
            logging::addSecret(route->bearer);
            provider.insert(u"experimental_bearer_token"_s, route->bearer);
        }
        if (!m_runtime.server->knownModels().contains(slug)) {
            const Result<QString> catalog = m_runtime.home->writeCatalog(model, slug);
            if (!catalog) {
                return tl::unexpected<Error>(catalog.error());
            }
            config.insert(u"model_catalog_json"_s, *catalog);
        }
        if (model.contextWindow > 0) {
            config.insert(u"model_context_window"_s, model.contextWindow);
        }
        if (!model.reasoningEffort.isEmpty()) {
            config.insert(u"model_reasoning_effort"_s, model.reasoningEffort);
        }
        config.insert(u"model_provider"_s, kProviderId);
        config.insert(u"model_providers"_s, QJsonObject { { kProviderId, provider } });
        m_overrides.insert(u"model"_s, slug);
        m_overrides.insert(u"modelProvider"_s, kProviderId);
    }
    m_overrides.insert(u"config"_s, config);
    fingerprint.insert(u"config"_s, config);
    m_setup = QString::fromLatin1(QCryptographicHash::hash(
        QJsonDocument(fingerprint).toJson(QJsonDocument::Compact), QCryptographicHash::Sha256)
                                      .toHex());
    return {};
}

void ThreadOpener::open()
{
    if (const Result<> prepared = prepareSetup(); !prepared) {
        fail(u"model_config"_s, prepared.error().message);
        return;
    }
    // A broken configuration file says nothing about accounts; opening the conversation names it.
    if (m_spec.model || !m_runtime.server->configWarning().isEmpty()) {
        bringIn();
    } else {
        checkAccount();
    }
}

// Without an account the engine would try for minutes before it says so.
void ThreadOpener::checkAccount()
{
    m_runtime.server->peer()->request(
        u"account/read"_s, {}, this,
        [this](const jsonrpc::Reply &reply) {
            if (reply.outcome == jsonrpc::Reply::Outcome::Closed) {
                return; // the loss of the process ends the turn
            }
            // Versions that do not know the question are asked for the conversation all the same.
            const QJsonObject result = reply.result.toObject();
            const bool needed
                = wire::member(result, { "requiresOpenaiAuth"_L1, "requires_openai_auth"_L1 })
                      .toBool();
            if (reply.ok() && needed && !result.value("account"_L1).isObject()) {
                fail(kNotSignedIn,
                    u"This device has no model of its own and Codex is not signed in. Add a model "
                    "(\"deskhand-executor models add\", or Settings, Models), or sign Codex in: "
                    "CODEX_HOME=\"%1\" codex login"_s.arg(m_runtime.home->codexHome()));
                return;
            }
            bringIn();
        },
        m_accountLimit);
}

void ThreadOpener::bringIn()
{
    if (m_spec.threadId.isEmpty()) {
        begin();
        return;
    }
    const auto loaded = m_runtime.threads.constFind(m_spec.threadId);
    if (loaded == m_runtime.threads.constEnd()) {
        resume();
    } else if (loaded->stuck) {
        fail(u"engine_busy"_s,
            u"The turn before this one could not be stopped and may still run. Restart the "
            "engine, or start a new task."_s);
    } else if (loaded->proxied != m_spec.model.has_value()) {
        fork();
    } else if (loaded->setup == m_setup) {
        m_handler(OpenedThread { m_spec.threadId, {} });
    } else {
        // A loaded conversation ignores new settings until it was let go of.
        m_runtime.server->peer()->request(u"thread/unsubscribe"_s,
            { { u"threadId"_s, m_spec.threadId } }, this, [this](const jsonrpc::Reply &) {
                m_runtime.threads.remove(m_spec.threadId);
                resume();
            });
    }
}

void ThreadOpener::begin()
{
    send(u"thread/start"_s, {});
}

void ThreadOpener::resume()
{
    send(u"thread/resume"_s, { { u"threadId"_s, m_spec.threadId }, { u"excludeTurns"_s, true } });
}

void ThreadOpener::fork()
{
    send(u"thread/fork"_s, { { u"threadId"_s, m_spec.threadId }, { u"excludeTurns"_s, true } });
}

void ThreadOpener::send(const QString &method, const QJsonObject &extra)
{
    QJsonObject params = m_overrides;
    for (auto it = extra.constBegin(); it != extra.constEnd(); ++it) {
        params.insert(it.key(), it.value());
    }
    m_runtime.server->peer()->request(
        method, params, this, [this, method](const jsonrpc::Reply &reply) {
            if (reply.ok()) {
                accept(reply.result.toObject());
            } else {
                refused(method, reply);
            }
        });
}

void ThreadOpener::accept(const QJsonObject &result)
{
    const QString id = wire::threadId(result);
    const QString provider = wire::text(result, { "modelProvider"_L1, "model_provider"_L1 });
    if (id.isEmpty()) {
        fail(u"engine_protocol"_s, u"codex opened a conversation without an id"_s);
        return;
    }
    // Never on another provider than the one asked for: it would see the task, or be paid for it.
    if (m_spec.model.has_value() != (provider == kProviderId)) {
        fail(u"engine_protocol"_s,
            u"codex opened the conversation with the model provider \"%1\", which is not the one "
            "of the task"_s.arg(provider));
        return;
    }
    // A version that does not know the permissions we ask for ignores them without a word.
    const auto granted = grantedProfile(result);
    if (granted && *granted > m_spec.profile) {
        fail(u"engine_protocol"_s,
            u"codex %1 opened the conversation with more access (%2) than the task may have (%3). "
            "Install a newer version of codex."_s.arg(
                m_runtime.server->version(), profileName(*granted), profileName(m_spec.profile)));
        return;
    }
    if (m_spec.model) {
        m_routes->bindThread(m_spec.ref.taskId, id);
    }
    if (id != m_spec.threadId && m_runtime.threads.remove(m_spec.threadId)) {
        // Left behind by a fork: nobody will use it again in this process.
        m_runtime.server->peer()->request(u"thread/unsubscribe"_s,
            { { u"threadId"_s, m_spec.threadId } }, this, [](const jsonrpc::Reply &) {});
    }
    LoadedThread thread;
    thread.setup = m_setup;
    thread.proxied = m_spec.model.has_value();
    m_runtime.threads.insert(id, thread);
    m_handler(OpenedThread { id, m_notes });
}

void ThreadOpener::refused(const QString &method, const jsonrpc::Reply &reply)
{
    const QString &said = reply.message;
    const QString type = reply.data.toObject().value("type"_L1).toString();
    if (method == "thread/resume"_L1
        && (type == "modelProviderNotConfigured"_L1
            || said.contains("Cannot change this thread's model provider"_L1))) {
        fork();
        return;
    }
    if (method != "thread/start"_L1
        && (said.contains("no rollout found"_L1) || said.contains("thread not found"_L1))) {
        m_notes.append(u"The earlier conversation of this task is no longer stored here; a new one "
                       "was begun."_s);
        begin();
        return;
    }
    if (said.contains("already has an active writer"_L1)) {
        fail(u"engine_conflict"_s,
            u"Another program has this conversation open. Close it there, then try again."_s);
        return;
    }
    if (said.contains("failed to load configuration"_L1)) {
        const QString warning = m_runtime.server->configWarning();
        fail(u"engine_config"_s, warning.isEmpty() ? said : u"%1 (%2)"_s.arg(warning, said));
        return;
    }
    if (reply.outcome == jsonrpc::Reply::Outcome::Closed) {
        return; // the loss of the process ends the turn
    }
    fail(u"engine_refused"_s, u"codex could not open the conversation: %1"_s.arg(said));
}

void ThreadOpener::fail(const QString &code, const QString &message)
{
    m_handler(tl::unexpected<Failure>(Failure { code, message }));
}

} // namespace deskhand::engines::codex
