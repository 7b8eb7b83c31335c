// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/settings/settingspage.h"

class QLineEdit;
class QPushButton;

namespace deskhand::app {

/// Engine: which program, its state, restarting it.
class EnginePage final : public SettingsPage
{
    Q_OBJECT
public:
    explicit EnginePage(Core &core, QWidget *parent = nullptr);
    void refresh() override;

private:
    void applyPath();
    void restart();
    void refreshState();

    QLineEdit *m_path;
    FieldNote *m_pathNote;
    QLabel *m_state;
    QPushButton *m_browse;
    QPushButton *m_restart;
    FieldNote *m_restartNote;
};

} // namespace deskhand::app
