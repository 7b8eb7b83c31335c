// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/common/paths.h"
#include "executor/control/controlclient.h"

#include <QObject>

#include <functional>
#include <memory>

namespace deskhand {
class Executor;
namespace control {
class ControlServer;
class ExecutorSubject;
} // namespace control
} // namespace deskhand

namespace deskhand::cli {

/// The way of a command to a running executor: the program that holds the home, or, when none runs
/// and the command can do without a backend, an executor in this process, reached in the same way
/// (so that other commands reach it, too). Owned by its command, main thread.
class ProgramConnection final : public QObject
{
    Q_OBJECT
public:
    explicit ProgramConnection(ExecutorHome home, QObject *parent = nullptr);
    ~ProgramConnection() override;
    Q_DISABLE_COPY_MOVE(ProgramConnection)

    using Opened = std::function<void(const Result<> &)>;
    /// NotFound when no program runs.
    void open(const Opened &opened);
    /// Starts an executor here when no program runs.
    void openOrStart(const Opened &opened);
    [[nodiscard]] control::ControlClient &client() { return *m_client; }

    /// Ends an executor that was started here; `closed` is called at once when there is none.
    void close(const std::function<void()> &closed);

Q_SIGNALS:
    void lost(); ///< the program ended

private:
    void connectClient(const Opened &opened);
    [[nodiscard]] Result<> startHere();

    ExecutorHome m_home;
    std::unique_ptr<control::ControlClient> m_client;
    std::unique_ptr<Executor> m_executor;
    std::unique_ptr<control::ExecutorSubject> m_subject;
    std::unique_ptr<control::ControlServer> m_server;
};

} // namespace deskhand::cli
