// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/cli/output.h"
#include "executor/cli/terminal.h"
#include "executor/engines/permission.h"

#include <QJsonObject>
#include <QObject>

#include <memory>

namespace deskhand::cli {

/// Asks the person at the terminal about permission requests, one after the other: everything that
/// is asked is shown first, and an empty line decides nothing. Without a terminal it says how to
/// answer elsewhere. Owned by its command, main thread.
class RequestAsker final : public QObject
{
    Q_OBJECT
public:
    /// `terminal` may be null.
    RequestAsker(Output &output, std::unique_ptr<Terminal> terminal, QObject *parent = nullptr);

    void add(const engines::PermissionRequest &request);
    /// Answered elsewhere, expired or withdrawn.
    void remove(const QString &requestId);

Q_SIGNALS:
    /// Parameters of requests.answer.
    void decided(const QJsonObject &params);

private:
    void next();
    void askChoice();
    void askQuestion(qsizetype index);
    void takeChoice(const QString &word);
    void takeAnswer(qsizetype index, const QString &line);
    void decide(engines::Choice choice);

    Output &m_output;
    std::unique_ptr<Terminal> m_terminal;
    QList<engines::PermissionRequest> m_waiting; ///< the first one is being asked
    QJsonObject m_answers;
    bool m_asking = false;
};

} // namespace deskhand::cli
