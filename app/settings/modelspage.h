// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/settings/settingspage.h"

class QComboBox;
class QPushButton;
class QTreeWidget;

namespace deskhand::app {

/// Models: the owner's own models, and which one tasks without a model of their own use.
class ModelsPage final : public SettingsPage
{
    Q_OBJECT
public:
    explicit ModelsPage(Core &core, QWidget *parent = nullptr);
    void refresh() override;

private:
    void edit(int index); ///< -1 = a new one
    void remove();
    void refreshButtons();

    QTreeWidget *m_list;
    QPushButton *m_add;
    QPushButton *m_edit;
    QPushButton *m_remove;
    FieldNote *m_listNote;
    QComboBox *m_default;
    FieldNote *m_defaultNote;
};

} // namespace deskhand::app
