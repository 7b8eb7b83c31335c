// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/cli/output.h"
#include "executor/executor.h"

#include <optional>

namespace deskhand::cli {

/// Shows the story of a task as it comes: the agent's words on standard output, what happens on
/// standard error; with --json one line for each event on standard output. Main thread.
class TaskView final
{
public:
    /// Whoever has just typed the prompt does not want to read it again.
    enum class Prompts { Shown, Hidden };
    TaskView(Output &output, Prompts prompts);

    void show(const TaskEventRecord &record);
    /// The latest ending shown.
    [[nodiscard]] const std::optional<engines::TurnEnded> &ending() const { return m_ending; }

private:
    void on(const engines::TurnStarted &event);
    void on(const engines::StatusNote &event);
    void on(const engines::TextDelta &event);
    void on(const engines::TextEnded &event);
    void on(const engines::TextAbandoned &event);
    void on(const engines::ReasoningDelta &event);
    void on(const engines::ItemStarted &event);
    void on(const engines::ItemProgress &event);
    void on(const engines::ItemEnded &event);
    void on(const engines::PlanUpdated &event);
    void on(const engines::DiffUpdated &event);
    void on(const engines::UsageUpdated &event);
    void on(const engines::RequestOpened &event);
    void on(const engines::RequestClosed &event);
    void on(const engines::RetryNotice &event);
    void on(const engines::PromptGiven &event);
    void on(const engines::TurnEnded &event);

    void say(const QString &itemId, const QString &text);
    void note(const QString &text);

    Output &m_output;
    bool m_showsPrompts;
    QString m_item; ///< message being said
    QString m_said; ///< its text so far
    QString m_tail; ///< end of everything said, to know where the line is
    std::optional<engines::TurnEnded> m_ending;
};

} // namespace deskhand::cli
