// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/engines/codex/appserver.h"
#include "executor/engines/codex/codexhome.h"
#include "executor/engines/engine.h"
#include "executor/engines/modelroutes.h"

#include <QHash>
#include <QObject>

#include <functional>

namespace deskhand::engines::codex {

class Turn;

/// The name under which codex knows our model proxy. One for all tasks: codex refuses to continue
/// a conversation under another provider name than the one it was begun with.
inline constexpr QLatin1StringView kProviderId("deskhand");

/// Error code of a turn that needs the engine's own account while nobody is signed in to it.
inline constexpr QLatin1StringView kNotSignedIn("model_not_signed_in");

/// A conversation that the running process holds.
struct LoadedThread
{
    QString setup; ///< fingerprint of what it was opened with
    bool proxied = false; ///< on our provider rather than the engine's own account
    bool stuck = false; ///< a turn we gave up on may still run in it
    quint64 lastUse = 0;
    Turn *turn = nullptr; ///< the active turn
};

/// Everything of one engine home. Owned by the engine.
struct Runtime
{
    std::unique_ptr<CodexHome> home;
    std::unique_ptr<AppServer> server;
    QHash<QString, LoadedThread> threads; ///< of the running process
    QHash<QString, QString> parents; ///< conversation of a sub-agent -> the one it works for
    quint64 uses = 0;
    quint64 wallChange = 0; ///< of the process: which wall it got

    /// The active turn of a conversation, also of one that a sub-agent holds; null without.
    [[nodiscard]] Turn *turnOf(QString threadId) const;
    [[nodiscard]] int activeTurns() const;
};

struct OpenedThread
{
    QString threadId;
    QStringList notes; ///< sentences for the task, e.g. that its history could not be found
};

/// `approvalPolicy` that goes with a profile.
[[nodiscard]] QJsonValue approvalPolicy(PermissionProfile profile);
/// The name codex knows the model by.
[[nodiscard]] QString modelSlug(const ModelConfig &model);

/// Brings the conversation of one turn into the process, with the right model provider: begins it,
/// resumes it, re-opens it when its settings changed, or forks it when the provider changed. Owned
/// by a Turn; executor thread; one use.
class ThreadOpener final : public QObject
{
    Q_OBJECT
public:
    struct Failure
    {
        QString code;
        QString message;
    };
    using Handler = std::function<void(const tl::expected<OpenedThread, Failure> &)>;

    ThreadOpener(const TurnSpec &spec, Runtime &runtime, ModelRoutes *routes,
        const Timings &timings, Handler handler, QObject *parent = nullptr);

    void open();

private:
    [[nodiscard]] Result<> prepareSetup();
    void checkAccount();
    void bringIn();
    void begin();
    void resume();
    void fork();
    void send(const QString &method, const QJsonObject &extra);
    void accept(const QJsonObject &result);
    void refused(const QString &method, const jsonrpc::Reply &reply);
    void fail(const QString &code, const QString &message);

    TurnSpec m_spec;
    Runtime &m_runtime;
    ModelRoutes *m_routes;
    std::chrono::milliseconds m_accountLimit;
    Handler m_handler;
    QJsonObject m_overrides;
    QString m_setup;
    QStringList m_notes;
};

} // namespace deskhand::engines::codex
