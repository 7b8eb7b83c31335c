// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/settings/settingspage.h"

#include <QHash>

#include <optional>

class QComboBox;
class QPushButton;
class QTreeWidget;

namespace deskhand::app {

class UsageView;

/// Models: the owner's own models, which one tasks without a model of their own use, and the tokens
/// that were used.
class ModelsPage final : public SettingsPage
{
    Q_OBJECT
public:
    explicit ModelsPage(Core &core, QWidget *parent = nullptr);
    void refresh() override;

private:
    void edit(int index); ///< -1 = a new one
    void remove();
    void test();
    void refreshKeys();
    void refreshButtons();
    [[nodiscard]] std::optional<settings::OwnModel> chosen() const;

    QTreeWidget *m_list;
    QPushButton *m_add;
    QPushButton *m_edit;
    QPushButton *m_test;
    QPushButton *m_remove;
    FieldNote *m_listNote;
    QComboBox *m_default;
    FieldNote *m_defaultNote;
    UsageView *m_usage;
    /// What the last test of a model in this dialog found, by name.
    struct Tested
    {
        settings::OwnModel model; ///< as it was tested
        QString state; ///< one word or two for the list
        QString sentence;
    };
    QHash<QString, Tested> m_tested;
};

} // namespace deskhand::app
