// SPDX-License-Identifier: Apache-2.0
#include "app/prompts/decisionbutton.h"

#include <QKeyEvent>

namespace deskhand::app {
namespace {

bool pressesButton(const QKeyEvent &event)
{
    return event.key() == Qt::Key_Return || event.key() == Qt::Key_Enter
        || event.key() == Qt::Key_Space || event.key() == Qt::Key_Select;
}

} // namespace

DecisionButton::DecisionButton(engines::Choice choice, QWidget *parent)
    : QPushButton(parent)
    , m_choice(choice)
{
    setAutoDefault(false);
}

void DecisionButton::keyPressEvent(QKeyEvent *event)
{
    if (grants(m_choice) && pressesButton(*event)) {
        event->accept();
        return;
    }
    QPushButton::keyPressEvent(event);
}

void DecisionButton::keyReleaseEvent(QKeyEvent *event)
{
    if (grants(m_choice) && pressesButton(*event)) {
        event->accept();
        return;
    }
    QPushButton::keyReleaseEvent(event);
}

} // namespace deskhand::app
