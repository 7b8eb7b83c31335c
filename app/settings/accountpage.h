// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/settings/settingspage.h"

class QCheckBox;
class QLineEdit;
class QPushButton;
class QSpinBox;

namespace deskhand::app {

/// Account and device: where the server is, the sign-in, what this device is called and takes.
class AccountPage final : public SettingsPage
{
    Q_OBJECT
public:
    explicit AccountPage(Core &core, QWidget *parent = nullptr);
    void refresh() override;

private:
    void applyConnection(FieldNote *note);
    void saveToken(const QString &token);
    void refreshSignIn();

    QLineEdit *m_backend;
    FieldNote *m_backendNote;
    QLineEdit *m_socket;
    FieldNote *m_socketNote;
    QLabel *m_signIn;
    QLineEdit *m_token;
    QPushButton *m_saveToken;
    QPushButton *m_signOut;
    FieldNote *m_tokenNote;
    QLineEdit *m_name;
    FieldNote *m_nameNote;
    QLineEdit *m_id;
    QCheckBox *m_accept;
    FieldNote *m_acceptNote;
    QSpinBox *m_parallel;
    FieldNote *m_parallelNote;
};

} // namespace deskhand::app
