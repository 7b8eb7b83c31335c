// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/settings/settingspage.h"

class QCheckBox;
class QComboBox;
class QSpinBox;

namespace deskhand::app {

class EntryList;

/// The sandbox: its state, the wall around the engine, and what the owner says about every command:
/// what it cannot see, which hosts it reaches, what it may use up.
class SandboxPage final : public SettingsPage
{
    Q_OBJECT
public:
    explicit SandboxPage(Core &core, QWidget *parent = nullptr);
    void refresh() override;

private:
    /// One number of the owner's sandbox settings; 0 stands for the usual.
    struct Limit
    {
        int sandbox::OwnerPolicy::*member;
        int lowest;
        int highest;
        QSpinBox *box;
        FieldNote *note;
        QString usual; ///< the remark while it is 0
    };
    using Texts = QStringList sandbox::OwnerPolicy::*;

    void buildState();
    void buildHidden();
    void buildNetwork();
    void buildLimits();
    void addLimit(const char *label, const char *keywords, const char *name, const QString &unit,
        const QString &usual, Limit limit);
    void connectList(EntryList *list, FieldNote *note, Texts member,
        const std::function<QString(const QString &)> &problem);
    void applyLimit(const Limit &limit);
    void browse();
    void refreshState();

    QLabel *m_state;
    QCheckBox *m_wall;
    FieldNote *m_wallNote;
    EntryList *m_secrets;
    FieldNote *m_secretsNote;
    EntryList *m_allowed;
    FieldNote *m_allowedNote;
    EntryList *m_denied;
    FieldNote *m_deniedNote;
    QComboBox *m_scratch;
    FieldNote *m_scratchNote;
    QList<Limit> m_limits;
};

} // namespace deskhand::app
