// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/core.h"

#include <QDialog>

class QComboBox;
class QLineEdit;
class QPlainTextEdit;
class QPushButton;

namespace deskhand::app {

class FieldNote;
class Preferences;

/// Asks for a folder, a prompt and a level, and starts a task here, with or without a server. Owned
/// by the desktop, main thread.
class NewTaskDialog final : public QDialog
{
    Q_OBJECT
public:
    NewTaskDialog(Core &core, Preferences &preferences, QWidget *parent = nullptr);

Q_SIGNALS:
    void taskStarted(const QString &taskId);

private:
    void chooseFolder();
    [[nodiscard]] bool checkFolder();
    void start();
    void fillLevels();

    Core &m_core;
    Preferences &m_preferences;
    QLineEdit *m_folder;
    FieldNote *m_folderNote;
    QPlainTextEdit *m_prompt;
    QComboBox *m_level;
    FieldNote *m_levelNote;
    FieldNote *m_error;
    QPushButton *m_start;
};

} // namespace deskhand::app
