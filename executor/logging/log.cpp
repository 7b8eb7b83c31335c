// SPDX-License-Identifier: Apache-2.0
#include "executor/logging/log.h"

#include "executor/logging/masking.h"

#include <QDateTime>
#include <QDir>
#include <QFileInfo>
#include <QLoggingCategory>

#include <map>
#include <mutex>
#include <spdlog/async.h>
#include <spdlog/async_logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/rotating_file_sink.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <string>

namespace deskhand::logging {
namespace {

constexpr const char *kPattern = "%Y-%m-%dT%H:%M:%S.%e%z %L %n: %v";

constexpr size_t kQueuedLines = 8192; // older lines give way when a disk hangs

/// The one sink of every logger: masks a line on the caller's thread, then leaves writing to the
/// log thread. Without a log thread (before start(), after stop()) it writes itself.
class MaskingSink final : public spdlog::sinks::base_sink<std::mutex>
{
public:
    void setTargets(std::vector<spdlog::sink_ptr> targets)
    {
        const std::lock_guard lock(mutex_);
        m_targets = std::move(targets);
        for (const spdlog::sink_ptr &target : m_targets) {
            target->set_pattern(kPattern);
        }
    }

    void startLogThread()
    {
        const std::lock_guard lock(mutex_);
        m_pool = std::make_shared<spdlog::details::thread_pool>(kQueuedLines, 1);
        m_writer = std::make_shared<spdlog::async_logger>(
            "writer", m_targets.begin(), m_targets.end(), m_pool);
        m_writer->set_level(spdlog::level::trace);
    }

    /// Returns when every queued line is written.
    void stopLogThread()
    {
        std::shared_ptr<spdlog::details::thread_pool> pool;
        {
            const std::lock_guard lock(mutex_);
            pool = std::move(m_pool);
            m_writer.reset();
        }
        // The last owner of the pool empties the queue and joins its thread.
        pool.reset();
    }

    void setListener(std::function<void(const LogLine &)> listener)
    {
        const std::lock_guard lock(mutex_);
        m_listener = std::move(listener);
    }

protected:
    void sink_it_(const spdlog::details::log_msg &message) override
    {
        const std::string text
            = maskSecrets(std::string_view(message.payload.data(), message.payload.size()));
        spdlog::details::log_msg masked = message;
        masked.payload = spdlog::string_view_t(text.data(), text.size());
        if (m_pool) {
            m_pool->post_log(std::shared_ptr<spdlog::async_logger>(m_writer), masked,
                spdlog::async_overflow_policy::overrun_oldest);
        } else {
            for (const spdlog::sink_ptr &target : m_targets) {
                target->log(masked);
            }
        }
        if (m_listener) {
            LogLine line;
            line.timeMs = std::chrono::duration_cast<std::chrono::milliseconds>(
                message.time.time_since_epoch())
                              .count();
            line.level = static_cast<int>(message.level);
            line.source = QString::fromUtf8(
                message.logger_name.data(), static_cast<qsizetype>(message.logger_name.size()));
            line.text = QString::fromStdString(text);
            m_listener(line);
        }
    }

    void flush_() override
    {
        if (m_pool) {
            m_pool->post_flush(std::shared_ptr<spdlog::async_logger>(m_writer),
                spdlog::async_overflow_policy::overrun_oldest);
            return;
        }
        for (const spdlog::sink_ptr &target : m_targets) {
            target->flush();
        }
    }

private:
    // Guarded by base_sink's mutex_, all of it.
    std::vector<spdlog::sink_ptr> m_targets;
    std::shared_ptr<spdlog::details::thread_pool> m_pool;
    std::shared_ptr<spdlog::async_logger> m_writer;
    std::function<void(const LogLine &)> m_listener;
};

struct State
{
    std::mutex mutex; // guards everything below
    std::shared_ptr<MaskingSink> sink;
    std::map<std::string, std::shared_ptr<spdlog::logger>> loggers;
    spdlog::level::level_enum level = spdlog::level::warn;
};

State &state()
{
    static State instance;
    return instance;
}

spdlog::sink_ptr stderrSink()
{
    return std::make_shared<spdlog::sinks::stderr_color_sink_mt>();
}

std::shared_ptr<MaskingSink> sinkLocked(State &s)
{
    if (!s.sink) {
        s.sink = std::make_shared<MaskingSink>();
        s.sink->setTargets({ stderrSink() });
    }
    return s.sink;
}

void toSpdlog(QtMsgType type, const QMessageLogContext &context, const QString &text)
{
    const auto log = logger("qt");
    const QString line = context.category && qstrcmp(context.category, "default") != 0
        ? QString::fromUtf8(context.category) + QStringLiteral(": ") + text
        : text;
    switch (type) {
    case QtDebugMsg:
        log->debug("{}", line);
        break;
    case QtInfoMsg:
        log->info("{}", line);
        break;
    case QtWarningMsg:
        log->warn("{}", line);
        break;
    case QtCriticalMsg:
    case QtFatalMsg:
        log->error("{}", line);
        break;
    }
}

} // namespace

Result<> start(const Options &options)
{
    State &s = state();
    std::vector<spdlog::sink_ptr> targets;
    Result<> outcome;
    if (options.toStderr) {
        targets.push_back(stderrSink());
    }
    if (!options.file.isEmpty()) {
        QDir().mkpath(QFileInfo(options.file).absolutePath());
        try {
            targets.push_back(std::make_shared<spdlog::sinks::rotating_file_sink_mt>(
                options.file.toStdString(), static_cast<size_t>(options.maxFileBytes),
                static_cast<size_t>(options.backupCount)));
            QFile::setPermissions(options.file, QFile::ReadOwner | QFile::WriteOwner);
        } catch (const spdlog::spdlog_ex &error) {
            outcome = failure(ErrorKind::Io,
                QStringLiteral("cannot write the log file %1: %2")
                    .arg(options.file, QString::fromUtf8(error.what())));
        }
    }
    {
        const std::lock_guard lock(s.mutex);
        s.level = spdlog::level::from_str(options.level.toLower().toStdString());
        const std::shared_ptr<MaskingSink> sink = sinkLocked(s);
        sink->setTargets(std::move(targets));
        sink->startLogThread();
        // Loggers handed out earlier keep working: same objects, new targets and level.
        for (auto &[name, log] : s.loggers) {
            log->set_level(s.level);
        }
    }
    qInstallMessageHandler(toSpdlog);
    return outcome;
}

void stop()
{
    qInstallMessageHandler(nullptr);
    State &s = state();
    const std::lock_guard lock(s.mutex);
    if (!s.sink) {
        return;
    }
    s.sink->setListener({});
    s.sink->flush();
    s.sink->stopLogThread();
    s.sink->setTargets({ stderrSink() });
}

std::shared_ptr<spdlog::logger> logger(const char *name)
{
    State &s = state();
    const std::lock_guard lock(s.mutex);
    auto &entry = s.loggers[name];
    if (!entry) {
        entry = std::make_shared<spdlog::logger>(name, sinkLocked(s));
        entry->set_level(s.level);
        entry->flush_on(spdlog::level::info); // readers of the file see lines as they come
    }
    return entry;
}

void setLevel(const QString &level)
{
    State &s = state();
    const std::lock_guard lock(s.mutex);
    s.level = spdlog::level::from_str(level.toLower().toStdString());
    for (auto &[name, log] : s.loggers) {
        log->set_level(s.level);
    }
}

void setListener(std::function<void(const LogLine &)> listener)
{
    State &s = state();
    const std::lock_guard lock(s.mutex);
    sinkLocked(s)->setListener(std::move(listener));
}

} // namespace deskhand::logging
