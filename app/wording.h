// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/core.h"

#include <QCoreApplication>

namespace deskhand::app {

/// The words people read for the core's states and numbers, in the language of the program.
/// Pure functions; main thread because of translation.
class Wording final
{
    Q_DECLARE_TR_FUNCTIONS(deskhand::app::Wording)
public:
    [[nodiscard]] static QString linkState(device::LinkState state);
    [[nodiscard]] static QString engineState(engines::EngineStatus::State state);
    [[nodiscard]] static QString sandboxState(const QString &word);
    [[nodiscard]] static QString secretsState(settings::SecretsState state);
    [[nodiscard]] static QString taskState(tasks::TaskState state);
    [[nodiscard]] static QString origin(tasks::Origin origin);
    /// Of a wire name such as ":workspace".
    [[nodiscard]] static QString profile(const QString &wireName);
    [[nodiscard]] static QString profileExplained(const QString &wireName);
    /// What keeps the commands of a task of that level; `walled`: the engine's wall stands now.
    [[nodiscard]] static QString taskSandbox(const QString &profile, bool walled);

    /// The sandbox kept a command from exactly one path or host, and letting it through is asked.
    [[nodiscard]] static bool isOneGrant(const engines::PermissionRequest &request);
    /// The one sentence at the top of a request.
    [[nodiscard]] static QString requestSentence(const engines::PermissionRequest &request);
    /// "Answered on the command line: allowed once".
    [[nodiscard]] static QString requestClosed(
        engines::RequestOutcome outcome, const QString &by, const QString &reason);
    /// Of a model as the core describes it: "gpt-5 at https://models.example.org (responses)".
    [[nodiscard]] static QString model(const QString &description);
    [[nodiscard]] static QString risk(const QString &word);

    /// "12 s", "4 min", "1 h 5 min".
    [[nodiscard]] static QString duration(qint64 ms);
    /// A moment as people read it: the time today, date and time otherwise.
    [[nodiscard]] static QString moment(qint64 msSinceEpoch);
    /// What happened and the next step, of a core's failure.
    [[nodiscard]] static QString failure(const Error &error);

    /// One line without control characters, shortened in the middle.
    [[nodiscard]] static QString oneLine(const QString &text, int limit = 48);
    /// The same for a menu, where '&' would underline.
    [[nodiscard]] static QString menuLine(const QString &text, int limit = 48);
    /// The last part of a folder's path.
    [[nodiscard]] static QString folderName(const QString &path);
};

} // namespace deskhand::app
