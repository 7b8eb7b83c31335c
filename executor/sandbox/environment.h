// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/sandbox/policy.h"

#include <QByteArray>
#include <QList>

namespace deskhand::sandbox {

/// Facts about a run that are told to the command and that nothing can override.
struct EnvironmentMarkers
{
    QString sandbox; ///< bwrap, landlock, seatbelt, wintoken, container, none
    NetworkMode network = NetworkMode::Off;
    QString profile;
};

/// The environment of a command: start set, minus what looks like a secret or steers programs
/// behind their back, minus the user's excludes, plus explicit sets, cut to an include-only list,
/// plus `additions` of the call, plus the markers. `inherited` is a list of "NAME=value". Pure.
[[nodiscard]] QList<QByteArray> commandEnvironment(const QList<QByteArray> &inherited,
    const EnvironmentPolicy &policy, const QMap<QString, QString> &additions,
    const EnvironmentMarkers &markers);

/// This process's environment in that form.
[[nodiscard]] QList<QByteArray> currentEnvironment();

/// True for names that must never reach a managed command: keys, tokens, loader variables, sockets.
[[nodiscard]] bool isWithheldVariable(const QByteArray &name);

/// Sets or replaces one variable.
void setVariable(QList<QByteArray> &environment, const QByteArray &name, const QByteArray &value);
[[nodiscard]] QByteArray variable(const QList<QByteArray> &environment, const QByteArray &name);

/// The variables by which programs find a proxy at that address ("http://127.0.0.1:3128").
[[nodiscard]] QMap<QString, QString> proxyVariables(
    const QString &httpUrl, const QString &socksUrl);

} // namespace deskhand::sandbox
