// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/common/result.h"
#include "executor/executor.h"

#include <QJsonObject>
#include <QJsonValue>

namespace deskhand::control {

// The words of the control endpoint: JSON-RPC, one object per line, over the local socket. Keys of
// values are those of `--json` on the command line. Pure; any thread.

inline constexpr int kProtocolVersion = 1;
/// Longest line either side accepts. A prompt may have several megabytes; escaped it doubles.
inline constexpr qsizetype kMaxLineBytes = 16 * 1024 * 1024;
/// Error code for everything that is not JSON-RPC's own business; `data` has kind and hint.
inline constexpr int kFailureCode = -32000;

namespace method {
inline constexpr QLatin1StringView hello("hello");
inline constexpr QLatin1StringView status("status");
inline constexpr QLatin1StringView statusSubscribe("status.subscribe");
inline constexpr QLatin1StringView settings("settings.get");
inline constexpr QLatin1StringView tasksList("tasks.list");
inline constexpr QLatin1StringView tasksShow("tasks.show");
inline constexpr QLatin1StringView tasksStart("tasks.start");
inline constexpr QLatin1StringView tasksStop("tasks.stop");
inline constexpr QLatin1StringView tasksSubscribe("tasks.subscribe");
inline constexpr QLatin1StringView requestsList("requests.list");
inline constexpr QLatin1StringView requestsAnswer("requests.answer");
inline constexpr QLatin1StringView requestsSubscribe("requests.subscribe");
inline constexpr QLatin1StringView modelsList("models.list");
inline constexpr QLatin1StringView modelsTest("models.test");
inline constexpr QLatin1StringView modelsAdd("models.add");
inline constexpr QLatin1StringView modelsKey("models.key");
inline constexpr QLatin1StringView modelsRemove("models.remove");
inline constexpr QLatin1StringView modelsDefault("models.default");
inline constexpr QLatin1StringView modelsUsage("models.usage");
inline constexpr QLatin1StringView pause("pause");
inline constexpr QLatin1StringView resume("resume");
inline constexpr QLatin1StringView reload("reload");
inline constexpr QLatin1StringView quit("quit");
inline constexpr QLatin1StringView tokenSet("token.set");
// Notifications to those who subscribed.
inline constexpr QLatin1StringView statusChanged("status.changed");
inline constexpr QLatin1StringView taskChanged("task.changed");
inline constexpr QLatin1StringView taskEvent("task.event");
inline constexpr QLatin1StringView requestOpened("request.opened");
inline constexpr QLatin1StringView requestClosed("request.closed");
} // namespace method

/// {"task_id","turn_id","seq","time_ms","event":{"type",…}}.
[[nodiscard]] QJsonObject toJson(const TaskEventRecord &record);
[[nodiscard]] Result<TaskEventRecord> taskEventRecordFromJson(const QJsonObject &object);

/// {"name","default","key","protocol","model_id","base_url","family","context_window"}; no secret.
[[nodiscard]] QJsonObject toJson(const OwnModelState &state);
/// {"ok","answered","called_tool","first_byte_ms","total_ms","context_window","model","text",
/// "problem","hint"}; what is not known is null.
[[nodiscard]] QJsonObject toJson(const modelproxy::ModelTestReport &report);
/// {"day","model","input_tokens","cached_input_tokens","output_tokens"}.
[[nodiscard]] QJsonObject toJson(const tasks::UsageRow &row);

/// {"kind","hint"}: what an error's `data` says besides its message.
[[nodiscard]] QJsonObject errorData(const Error &error);
/// The reverse; an unknown kind is Internal.
[[nodiscard]] Error errorFromReply(const QString &message, const QJsonValue &data);

} // namespace deskhand::control
