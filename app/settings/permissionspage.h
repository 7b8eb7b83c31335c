// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/settings/settingspage.h"

class QCheckBox;
class QComboBox;
class QLineEdit;
class QListWidget;
class QPushButton;
class QSpinBox;

namespace deskhand::app {

/// Permissions: the level tasks get, the highest they may get, how long requests wait, the folders
/// tasks may name.
class PermissionsPage final : public SettingsPage
{
    Q_OBJECT
public:
    explicit PermissionsPage(Core &core, QWidget *parent = nullptr);
    void refresh() override;

private:
    void onCeilingChosen();
    void setCeiling(const QString &level);
    void applyLimit();
    void addRoot();
    void removeRoot();

    QComboBox *m_level;
    FieldNote *m_levelNote;
    QComboBox *m_ceiling;
    FieldNote *m_ceilingNote;
    QWidget *m_confirm;
    QLineEdit *m_confirmText;
    QPushButton *m_confirmButton;
    QSpinBox *m_minutes;
    QCheckBox *m_forEver;
    FieldNote *m_limitNote;
    QListWidget *m_roots;
    QPushButton *m_addRoot;
    QPushButton *m_removeRoot;
    FieldNote *m_rootsNote;
};

} // namespace deskhand::app
