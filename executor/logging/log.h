// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/common/result.h"

#include <QByteArray>
#include <QString>

#include <functional>
#include <memory>
#include <spdlog/fmt/fmt.h>
#include <spdlog/spdlog.h>

/// Lets every logger take QString and QByteArray arguments.
template <> struct fmt::formatter<QString> : fmt::formatter<fmt::string_view>
{
    template <typename Context> auto format(const QString &text, Context &context) const
    {
        const QByteArray utf8 = text.toUtf8();
        return fmt::formatter<fmt::string_view>::format(
            fmt::string_view(utf8.constData(), static_cast<size_t>(utf8.size())), context);
    }
};
template <> struct fmt::formatter<QByteArray> : fmt::formatter<fmt::string_view>
{
    template <typename Context> auto format(const QByteArray &bytes, Context &context) const
    {
        return fmt::formatter<fmt::string_view>::format(
            fmt::string_view(bytes.constData(), static_cast<size_t>(bytes.size())), context);
    }
};

namespace deskhand::logging {

/// One line as a listener sees it; text is already masked.
struct LogLine
{
    qint64 timeMs = 0; ///< milliseconds since the epoch, UTC
    int level = 2; ///< spdlog's numbers: 1 debug, 2 info, 3 warn, 4 error
    QString source; ///< logger name, e.g. "socketio"
    QString text;
};

struct Options
{
    QString file; ///< empty: no file
    qint64 maxFileBytes = 10 * 1024 * 1024;
    int backupCount = 5;
    QString level = QStringLiteral("info");
    bool toStderr = false;
};

/// Sets the sinks up; called once by a program's main before any thread starts. Loggers used
/// earlier (as in tests) write warnings and errors to stderr. A file that cannot be opened is an
/// error in the result, and logging goes on without it.
[[nodiscard]] Result<> start(const Options &options);
/// Writes what is queued and closes the file. After it only stderr is left.
void stop();

/// The logger of one room ("device", "engine.codex"); the same object for the same name.
/// Thread-safe.
[[nodiscard]] std::shared_ptr<spdlog::logger> logger(const char *name);

/// From now on lines below this level are dropped: trace, debug, info, warn or error. Thread-safe.
void setLevel(const QString &level);

/// Called for each line on an unspecified thread; pass an empty function to stop. One listener.
void setListener(std::function<void(const LogLine &)> listener);

} // namespace deskhand::logging
