// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/core.h"

#include <QDialog>

class QCheckBox;

namespace deskhand::app {

/// Asked once when the main window is closed: keep running or quit. Esc does nothing. Main thread.
class CloseDialog final : public QDialog
{
    Q_OBJECT
public:
    explicit CloseDialog(QWidget *parent = nullptr);
    [[nodiscard]] bool doNotAskAgain() const;

Q_SIGNALS:
    void keepRunningChosen();
    void quitChosen();

private:
    QCheckBox *m_remember;
};

/// Asked when quitting would cut work: finish first, stop now, or stay. Main thread.
class QuitDialog final : public QDialog
{
    Q_OBJECT
public:
    QuitDialog(const QList<tasks::TaskSummary> &running, int queued, int requests,
        QWidget *parent = nullptr);

Q_SIGNALS:
    void finishFirstChosen();
    void stopNowChosen();
};

/// Asked before all tasks are stopped. Main thread.
class StopAllDialog final : public QDialog
{
    Q_OBJECT
public:
    explicit StopAllDialog(const QList<tasks::TaskSummary> &tasks, QWidget *parent = nullptr);
};

} // namespace deskhand::app
