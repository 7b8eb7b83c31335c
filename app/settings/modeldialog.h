// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/core.h"

#include <QDialog>

class QComboBox;
class QLineEdit;
class QPushButton;
class QSpinBox;

namespace deskhand::app {

class FieldNote;

/// One model of the owner: where it is, how it is spoken to, its key. The key goes to the key store
/// before the dialog is accepted and is never shown again. Main thread.
class ModelDialog final : public QDialog
{
    Q_OBJECT
public:
    ModelDialog(Core &core, const settings::OwnModel &model, const QStringList &takenNames,
        QWidget *parent = nullptr);

    /// As entered; complete once the dialog was accepted.
    [[nodiscard]] settings::OwnModel model() const;

private:
    void buildForm();
    void usePreset();
    [[nodiscard]] bool check();
    void save();
    void fetchModels();
    void test();
    [[nodiscard]] bool isLocalAddress() const;

    Core &m_core;
    settings::OwnModel m_model;
    QStringList m_taken;
    QList<modelproxy::ProviderPreset> m_presets;
    QComboBox *m_preset;
    QLineEdit *m_name;
    FieldNote *m_nameNote;
    QLineEdit *m_address;
    FieldNote *m_addressNote;
    QComboBox *m_format;
    QLineEdit *m_key;
    FieldNote *m_keyNote;
    QPushButton *m_removeKey;
    QComboBox *m_id;
    FieldNote *m_idNote;
    QPushButton *m_fetch;
    QSpinBox *m_context;
    QPushButton *m_test;
    FieldNote *m_testNote;
    FieldNote *m_error;
    QPushButton *m_ok;
};

} // namespace deskhand::app
