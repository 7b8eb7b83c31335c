// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/core.h"

#include <QCoreApplication>
#include <QStringList>

namespace deskhand::app {

/// The single next step that may be offered to the owner.
enum class Step {
    None,
    OpenAccount,
    OpenEngine,
    OpenPermissions,
    ChooseSecretPlace,
    RestartEngine,
    TryNow,
    CheckSandbox,
    Resume
};

enum class Mood { Good, Waiting, Problem };

/// One of the four parts as a person sees it.
struct PartView
{
    QString key; ///< "link", "engine", "sandbox", "secrets"
    QString name;
    QString state;
    QString cause;
    Mood mood = Mood::Waiting;
    Step step = Step::None;
    QString stepLabel;
    QStringList details; ///< "Name: value" lines
};

enum class OverallState {
    Ready,
    Working,
    NeedsYou,
    Paused,
    Reconnecting,
    Offline,
    SignInNeeded,
    Problem,
    Draining
};

/// What the program itself adds to the core's status.
struct Situation
{
    qint64 nowMs = 0;
    qint64 pausedUntilMs = 0; ///< 0 = until resumed
    bool draining = false;
};

struct Overall
{
    OverallState state = OverallState::Ready;
    QString line; ///< first line of the tooltip
    int badge = 0; ///< number on the icon, 0 = none
    Step step = Step::None;
    QString stepLabel;
};

/// Reads a status for people. Pure functions; main thread because of translation.
class Parts final
{
    Q_DECLARE_TR_FUNCTIONS(deskhand::app::Parts)
public:
    [[nodiscard]] static PartView link(const StatusSnapshot &status, qint64 nowMs);
    [[nodiscard]] static PartView engine(const StatusSnapshot &status);
    [[nodiscard]] static PartView sandbox(const StatusSnapshot &status);
    [[nodiscard]] static PartView secrets(const StatusSnapshot &status);

    /// The first that applies: needs you, problem, working, paused, offline, ready. A link that has
    /// been reconnecting for less than three seconds still counts as ready.
    [[nodiscard]] static Overall overall(const StatusSnapshot &status, const Situation &situation);
    /// At most three lines and 120 characters.
    [[nodiscard]] static QString tooltip(const StatusSnapshot &status, const Overall &overall);
    /// Milliseconds until overall() may change by time alone, -1 = not.
    [[nodiscard]] static qint64 nextChange(const StatusSnapshot &status, qint64 nowMs);
    /// All four parts as text for a report.
    [[nodiscard]] static QString summary(const StatusSnapshot &status, qint64 nowMs);
};

} // namespace deskhand::app
