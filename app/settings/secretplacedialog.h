// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/core.h"

#include <QDialog>

class QPushButton;
class QRadioButton;

namespace deskhand::app {

class FieldNote;

/// The owner's explicit choice of where the sign-in and keys are kept when the system's key store
/// cannot be used. Nothing is chosen in advance. Main thread.
class SecretPlaceDialog final : public QDialog
{
    Q_OBJECT
public:
    SecretPlaceDialog(Core &core, const StatusSnapshot &status, QWidget *parent = nullptr);

private:
    void apply();

    Core &m_core;
    QRadioButton *m_keyStore;
    QRadioButton *m_file;
    QRadioButton *m_session;
    QPushButton *m_ok;
    FieldNote *m_note;
};

} // namespace deskhand::app
