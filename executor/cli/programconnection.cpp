// SPDX-License-Identifier: Apache-2.0
#include "executor/cli/programconnection.h"

#include "executor/control/controlserver.h"
#include "executor/control/executorsubject.h"
#include "executor/executor.h"
#include "executor/logging/log.h"

#include <QTimer>

namespace deskhand::cli {

using namespace std::chrono_literals;

namespace {

constexpr auto kOpenLimit = 5s;
/// The facade stops within five seconds.
constexpr auto kStopLimit = 6s;
/// This process talks to itself on one thread: what it has not read yet, it cannot read sooner.
constexpr qint64 kOwnUnreadBytes = 512LL * 1024 * 1024;

} // namespace

ProgramConnection::ProgramConnection(ExecutorHome home, QObject *parent)
    : QObject(parent)
    , m_home(std::move(home))
{ }

ProgramConnection::~ProgramConnection() = default;

void ProgramConnection::connectClient(const Opened &opened)
{
    m_client = std::make_unique<control::ControlClient>(m_home);
    connect(m_client.get(), &control::ControlClient::closed, this, &ProgramConnection::lost);
    m_client->open(kOpenLimit, opened);
}

void ProgramConnection::open(const Opened &opened)
{
    connectClient(opened);
}

void ProgramConnection::openOrStart(const Opened &opened)
{
    connectClient([this, opened](const Result<> &outcome) {
        if (outcome || outcome.error().kind != ErrorKind::NotFound) {
            opened(outcome);
            return;
        }
        if (const Result<> started = startHere(); !started) {
            opened(started);
            return;
        }
        // Not from inside the old client's own callback, which this replaces.
        QMetaObject::invokeMethod(
            this, [this, opened] { connectClient(opened); }, Qt::QueuedConnection);
    });
}

Result<> ProgramConnection::startHere()
{
    logging::Options log;
    log.file = m_home.logFile();
    if (const Result<> logging = logging::start(log); !logging) {
        return logging;
    }
    ExecutorOptions options;
    options.home = m_home;
    options.connectToBackend = false;
    options.makeSecretStore = [file = m_home.secretsFile()] {
        return settings::makeFileStore(file);
    };
    m_executor = std::make_unique<Executor>(options);
    if (const Result<> started = m_executor->start(); !started) {
        m_executor.reset();
        return started;
    }
    m_subject = std::make_unique<control::ExecutorSubject>(*m_executor);
    control::ServerOptions server;
    server.maxUnreadBytes = kOwnUnreadBytes;
    m_server = std::make_unique<control::ControlServer>(*m_subject, m_home, server);
    return m_server->listen();
}

void ProgramConnection::close(const std::function<void()> &closed)
{
    if (m_client) {
        m_client->disconnect(this);
    }
    if (!m_executor) {
        closed();
        return;
    }
    connect(m_executor.get(), &Executor::stopped, this, closed);
    QTimer::singleShot(kStopLimit, this, closed);
    m_server.reset();
    m_executor->stopNow();
}

} // namespace deskhand::cli
