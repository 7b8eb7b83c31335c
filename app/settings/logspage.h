// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/settings/settingspage.h"

class QComboBox;
class QLineEdit;

namespace deskhand::app {

/// Logs: how much is written, and where.
class LogsPage final : public SettingsPage
{
    Q_OBJECT
public:
    LogsPage(Core &core, const QString &folder, QWidget *parent = nullptr);
    void refresh() override;

private:
    QComboBox *m_level;
    FieldNote *m_levelNote;
    QLineEdit *m_folder;
};

} // namespace deskhand::app
