// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QJsonObject>
#include <QString>
#include <QStringList>

#include <initializer_list>

// Tolerant readers for what `codex app-server` sends: names differ between its versions, absent and
// null mean the same, surplus members are noise. All pure; any thread.
namespace deskhand::engines::codex::wire {

/// The first of these members that is there and not null.
[[nodiscard]] QJsonValue member(
    const QJsonObject &object, std::initializer_list<QLatin1StringView> names);
/// The same as text; a number becomes its decimal form.
[[nodiscard]] QString text(
    const QJsonObject &object, std::initializer_list<QLatin1StringView> names);

[[nodiscard]] QString threadId(const QJsonObject &params);
[[nodiscard]] QString turnId(const QJsonObject &params);
[[nodiscard]] QString itemId(const QJsonObject &params);

/// "commandExecution", "command_execution" and "CommandExecution" become "commandexecution".
[[nodiscard]] QString kind(const QString &word);

/// The text members of a content list, joined by line breaks; other members in brackets.
[[nodiscard]] QString contentText(const QJsonValue &content);

} // namespace deskhand::engines::codex::wire
