// SPDX-License-Identifier: Apache-2.0
#include "executor/cli/runcommand.h"

#include "executor/cli/exitcodes.h"
#include "executor/common/atomicfile.h"
#include "executor/common/jsonreader.h"
#include "executor/control/controlserver.h"
#include "executor/control/executorsubject.h"
#include "executor/control/homelock.h"
#include "executor/executor.h"
#include "executor/logging/log.h"

namespace deskhand::cli {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

constexpr qint64 kDefaultDrainMs = 60'000;
constexpr auto kLastResort = 8s;
constexpr qint64 kMaxSettingsBytes = 1024 * 1024;
const QStringList kLevels { u"trace"_s, u"debug"_s, u"info"_s, u"warn"_s, u"error"_s };

std::shared_ptr<spdlog::logger> log()
{
    return logging::logger("run");
}

} // namespace

RunCommand::RunCommand(Invocation given, ExecutorHome home, Output &output)
    : Command(std::move(given), std::move(home), output)
{
    m_lastResort.setSingleShot(true);
    connect(&m_lastResort, &QTimer::timeout, this, [this] {
        log()->error("not everything could be stopped in time");
        finish(kFailed);
    });
    connect(&m_signals, &SystemSignals::stopRequested, this, &RunCommand::onStopSignal);
    connect(&m_signals, &SystemSignals::reloadRequested, this, [this] {
        if (m_executor) {
            log()->info("reading the configuration again");
            m_executor->reload();
        }
    });
}

RunCommand::~RunCommand() = default;

/// Of the settings file, which the executor itself reads and judges later.
QString RunCommand::storedLevel() const
{
    const QString level
        = readFileLimited(home().settingsFile(), kMaxSettingsBytes)
              .and_then([](const QByteArray &content) { return json::parseObject(content); })
              .map([](const QJsonObject &file) { return file.value("log_level"_L1).toString(); })
              .value_or(QString());
    return kLevels.contains(level) ? level : u"info"_s;
}

Result<> RunCommand::startLogging()
{
    logging::Options options;
    options.toStderr = true;
    options.file = home().logFile();
    options.level
        = invocation().has("log-level"_L1) ? invocation().value("log-level"_L1) : storedLevel();
    if (!kLevels.contains(options.level)) {
        return failure(ErrorKind::Usage,
            u"--log-level must be one of %1, not \"%2\""_s.arg(
                kLevels.join(u", "_s), options.level));
    }
    if (const Result<> started = logging::start(options); !started) {
        // Standard error is left.
        log()->error("{}", started.error().message);
    }
    return {};
}

void RunCommand::start()
{
    const Result<qint64> drain = readSeconds(invocation(), "drain-timeout"_L1, 0, kDefaultDrainMs);
    if (!drain) {
        fail(drain.error());
        return;
    }
    m_drainLimit = std::chrono::milliseconds(*drain);
    // A log file is opened only by the one who has the home.
    if (const auto holder = control::HomeLock::holder(home())) {
        fail(Error { ErrorKind::Conflict,
            u"%1 is already running for %2 (pid %3)"_s
                .arg(
                    holder->program.isEmpty() ? u"another program"_s : holder->program, home().root)
                .arg(holder->pid),
            u"Use the one that runs, quit it first, or set WEGENT_EXECUTOR_HOME to another "
            "folder."_s });
        return;
    }
    if (const Result<> logging = startLogging(); !logging) {
        fail(logging.error());
        return;
    }

    ExecutorOptions options;
    options.home = home();
    options.makeSecretStore = [file = home().secretsFile()] {
        return settings::makeFileStore(file);
    };
    m_executor = std::make_unique<Executor>(options);
    connect(m_executor.get(), &Executor::stopped, this, [this] { finish(kOk); });
    if (const Result<> started = m_executor->start(); !started) {
        fail(started.error());
        return;
    }
    m_subject = std::make_unique<control::ExecutorSubject>(*m_executor);
    m_server = std::make_unique<control::ControlServer>(*m_subject, home());
    connect(m_server.get(), &control::ControlServer::quitRequested, this, &RunCommand::drain);
    if (const Result<> listening = m_server->listen(); !listening) {
        // Tasks still run; only other commands cannot reach this program.
        log()->error("{}", listening.error().message);
    }
    log()->info("deskhand-executor {} runs for {}", QStringLiteral(DESKHAND_VERSION), home().root);
}

void RunCommand::onStopSignal()
{
    if (!m_executor) {
        finish(kFailed);
    } else if (m_draining) {
        stopNow();
    } else {
        drain(m_drainLimit);
    }
}

void RunCommand::drain(std::chrono::milliseconds limit)
{
    if (limit.count() == 0) {
        stopNow();
        return;
    }
    if (m_draining) {
        return;
    }
    m_draining = true;
    log()->info("stopping; running tasks may take {} s", limit.count() / 1000);
    m_lastResort.start(limit + kLastResort);
    m_executor->drainAndStop(limit);
}

void RunCommand::stopNow()
{
    m_draining = true;
    log()->info("stopping now");
    m_lastResort.start(kLastResort);
    m_executor->stopNow();
}

} // namespace deskhand::cli
