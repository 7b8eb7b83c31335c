// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/engines/permission.h"

#include <QPushButton>

namespace deskhand::app {

/// Allowing something, once or for the task.
[[nodiscard]] inline bool grants(engines::Choice choice)
{
    return choice == engines::Choice::AllowOnce || choice == engines::Choice::AllowForTask;
}

/// A button of the prompt. Those that grant something never react to Return or Space, whoever has
/// the focus: only a click or their own shortcut counts. Main thread.
class DecisionButton final : public QPushButton
{
    Q_OBJECT
public:
    DecisionButton(engines::Choice choice, QWidget *parent);
    [[nodiscard]] engines::Choice choice() const { return m_choice; }

protected:
    void keyPressEvent(QKeyEvent *event) override;
    void keyReleaseEvent(QKeyEvent *event) override;

private:
    engines::Choice m_choice;
};

} // namespace deskhand::app
