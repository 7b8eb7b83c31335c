// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/engines/codex/appserver.h"
#include "executor/engines/codex/binarylocator.h"
#include "executor/engines/engine.h"
#include "executor/engines/modelroutes.h"

#include <QHash>
#include <QProcessEnvironment>
#include <QTimer>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace deskhand::engines::codex {

class RequestDesk;
class Turn;
struct Runtime;

/// What stands around the engine's processes. Empty functions: nothing.
struct EngineEnclosure
{
    /// Puts itself in front of the program; an error means that nothing may start.
    std::function<Result<>(process::ChildSpec &spec)> wrap;
    std::function<bool(const QString &path)> hides; ///< what is not to be seen inside
};

struct CodexOptions
{
    QString agentsFolder; ///< $H/agents, absolute
    /// Where the binary is looked for and what the child's environment is made of.
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    Timings timings;
    int keptThreads = 32; ///< idle conversations kept in memory per home
};

/// Runs turns with `codex app-server`: one process per home, many conversations in each. Owned by
/// the executor; executor thread. `routes` may be null (then only the engine's own account works)
/// and outlives the engine.
class CodexEngine final : public Engine
{
    Q_OBJECT
public:
    CodexEngine(CodexOptions options, ModelRoutes *routes, QObject *parent = nullptr);
    ~CodexEngine() override;

    void startTurn(const TurnSpec &spec) override;
    void interruptTurn(const TurnRef &ref, const QString &message) override;
    void decide(const QString &requestId, const Decision &decision) override;
    void forgetTask(const QString &taskId) override;
    void requestStop(std::chrono::milliseconds limit) override;
    [[nodiscard]] EngineStatus status() const override { return m_status; }

    /// The program that the owner chose; empty = search. Counts for processes started afterwards.
    void setProgram(const QString &path);
    /// Counts for processes started afterwards; one without a turn is replaced before its next. A
    /// turn in a folder that it hides fails.
    void setWall(const EngineEnclosure &wall);
    /// Ends the processes (running turns fail) and looks for the program again.
    void restart();

    /// Process ids of the running app-servers; for diagnostics.
    [[nodiscard]] QList<qint64> processIds() const;

private:
    struct Entry; // one turn and where it runs

    void locateProgram();
    void schedule(Entry &entry);
    void run(Entry &entry);
    void runWith(const TurnRef &ref, const LocatedBinary &binary);
    [[nodiscard]] Result<Runtime *> runtimeFor(
        const QString &agentName, const LocatedBinary &binary);
    void connectRuntime(Runtime &runtime);
    void onNotification(Runtime &runtime, const QString &method, const QJsonObject &params);
    [[nodiscard]] bool onRequest(Runtime &runtime, const jsonrpc::IncomingRequest &request);
    void onLost(Runtime &runtime, const QString &reason);
    void onTurnEnded(Turn *turn);
    void failTurn(const TurnRef &ref, const Error &error, const QString &code);
    void startNextOf(const QString &threadId);
    void trimThreads(Runtime &runtime);
    bool letGoOfIdle(Runtime &runtime); ///< false: a turn uses it
    void checkStopped();
    void updateStatus();
    [[nodiscard]] Entry *find(const TurnRef &ref);

    CodexOptions m_options;
    ModelRoutes *m_routes;
    BinaryLocator m_locator;
    std::optional<LocatedBinary> m_binary; ///< as found last
    EngineEnclosure m_wall;
    quint64 m_wallChange = 0; ///< counts setWall()
    std::unique_ptr<RequestDesk> m_desk;
    std::map<QString, std::unique_ptr<Runtime>> m_runtimes; ///< by home folder
    std::vector<std::unique_ptr<Entry>> m_entries;
    QHash<QString, QString> m_threadOfTask; ///< task id -> its latest conversation
    QHash<QString, Runtime *> m_runtimeOfTask;
    QList<std::pair<QString, QPointer<Turn>>> m_lateTurns; ///< ended, may get late items
    EngineStatus m_status;
    QString m_sandboxCause;
    QTimer m_stopLimit;
    bool m_stopping = false;
};

} // namespace deskhand::engines::codex
