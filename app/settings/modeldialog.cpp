// SPDX-License-Identifier: Apache-2.0
#include "app/settings/modeldialog.h"

#include "app/fieldnote.h"
#include "app/guarded.h"
#include "app/settings/addresscheck.h"
#include "app/settings/modeltesttext.h"
#include "app/visibletext.h"
#include "app/wording.h"
#include "executor/common/ids.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QHostAddress>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QUrl>
#include <QVBoxLayout>

using namespace Qt::StringLiterals;

namespace deskhand::app {
namespace {

constexpr auto kBaseUrl = "base_url"_L1;
constexpr auto kModelId = "model_id"_L1;
constexpr auto kFormat = "api_format"_L1;
constexpr auto kContextWindow = "context_window"_L1;
constexpr int kLargestContext = 2'000'000; // tokens
constexpr int kSmallestContext = 4'000;

QString formatWord(modelproxy::WireFormat format)
{
    switch (format) {
    case modelproxy::WireFormat::Responses:
        return u"openai-responses"_s;
    case modelproxy::WireFormat::Chat:
        return u"openai-chat-completions"_s;
    case modelproxy::WireFormat::Messages:
        break;
    }
    return u"anthropic-messages"_s;
}

} // namespace

ModelDialog::ModelDialog(
    Core &core, const settings::OwnModel &model, const QStringList &takenNames, QWidget *parent)
    : QDialog(parent)
    , m_core(core)
    , m_model(model)
    , m_taken(takenNames)
    , m_presets(core.providerPresets())
    , m_preset(new QComboBox(this))
    , m_name(new QLineEdit(this))
    , m_nameNote(new FieldNote(u"nameNote"_s, this))
    , m_address(new QLineEdit(this))
    , m_addressNote(new FieldNote(u"addressNote"_s, this))
    , m_format(new QComboBox(this))
    , m_key(new QLineEdit(this))
    , m_keyNote(new FieldNote(u"keyNote"_s, this))
    , m_removeKey(new QPushButton(tr("Remo&ve"), this))
    , m_id(new QComboBox(this))
    , m_idNote(new FieldNote(u"idNote"_s, this))
    , m_fetch(new QPushButton(tr("&Get list"), this))
    , m_context(new QSpinBox(this))
    , m_test(new QPushButton(tr("&Test"), this))
    , m_testNote(new FieldNote(u"testNote"_s, this))
    , m_error(new FieldNote(u"error"_s, this))
    , m_ok(nullptr)
{
    setObjectName(u"modelDialog"_s);
    setWindowTitle(model.name.isEmpty() ? tr("Add a model") : tr("Edit the model"));
    resize(520, 420);
    buildForm();

    m_name->setText(model.name);
    m_address->setText(model.values.value(kBaseUrl).toString());
    const int format = m_format->findData(model.values.value(kFormat).toString());
    m_format->setCurrentIndex(qMax(0, format));
    m_id->setEditText(model.values.value(kModelId).toString());
    m_context->setValue(model.values.value(kContextWindow).toInt(m_context->minimum()));
    if (!model.keySecret.isEmpty()) {
        m_key->setPlaceholderText(tr("Stored. Type to replace it."));
    }
    if (model.name.isEmpty() && !m_presets.isEmpty()) {
        usePreset();
    }
}

void ModelDialog::buildForm()
{
    auto *form = new QFormLayout;
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    const auto row
        = [&](const QString &text, QWidget *field, FieldNote *note, QWidget *beside = nullptr) {
              auto *column = new QVBoxLayout;
              column->setSpacing(2);
              auto *line = new QHBoxLayout;
              line->addWidget(field, 1);
              if (beside != nullptr) {
                  line->addWidget(beside);
              }
              column->addLayout(line);
              if (note != nullptr) {
                  column->addWidget(note);
              }
              auto *label = new QLabel(text, this);
              label->setBuddy(field);
              form->addRow(label, column);
          };

    m_preset->setObjectName(u"preset"_s);
    m_preset->addItem(tr("Other"), -1);
    for (qsizetype i = 0; i < m_presets.size(); ++i) {
        m_preset->addItem(m_presets.at(i).name, static_cast<int>(i));
    }
    if (m_model.name.isEmpty() && !m_presets.isEmpty()) {
        m_preset->setCurrentIndex(1);
    }
    row(tr("&Provider:"), m_preset, nullptr);
    m_address->setObjectName(u"address"_s);
    row(tr("Base &address:"), m_address, m_addressNote);
    m_format->setObjectName(u"format"_s);
    m_format->addItem(tr("OpenAI Responses"), formatWord(modelproxy::WireFormat::Responses));
    m_format->addItem(tr("OpenAI Chat Completions"), formatWord(modelproxy::WireFormat::Chat));
    m_format->addItem(tr("Anthropic Messages"), formatWord(modelproxy::WireFormat::Messages));
    row(tr("P&rotocol:"), m_format, nullptr);
    m_key->setObjectName(u"key"_s);
    m_key->setEchoMode(QLineEdit::Password);
    m_removeKey->setObjectName(u"removeKey"_s);
    m_removeKey->setAutoDefault(false);
    m_removeKey->setCheckable(true);
    m_removeKey->setToolTip(tr("Removes the stored key when you save."));
    m_removeKey->setVisible(!m_model.keySecret.isEmpty());
    connect(m_removeKey, &QPushButton::toggled, this, [this](bool on) {
        m_key->setEnabled(!on);
        if (on) {
            m_key->clear();
            m_keyNote->showRemark(tr("The stored key is removed when you save."));
        } else {
            m_keyNote->clearNote();
        }
    });
    row(tr("API &key:"), m_key, m_keyNote, m_removeKey);
    m_id->setObjectName(u"modelId"_s);
    m_id->setEditable(true);
    m_id->setInsertPolicy(QComboBox::NoInsert);
    m_fetch->setObjectName(u"fetchModels"_s);
    m_fetch->setAutoDefault(false);
    row(tr("&Model id:"), m_id, m_idNote, m_fetch);
    m_context->setObjectName(u"contextWindow"_s);
    m_context->setRange(kSmallestContext - 1, kLargestContext);
    m_context->setSpecialValueText(tr("Automatic"));
    m_context->setSuffix(tr(" tokens"));
    m_context->setGroupSeparatorShown(true);
    m_context->setSingleStep(1000);
    m_context->setValue(m_context->minimum());
    row(tr("&Context window:"), m_context, nullptr);
    m_name->setObjectName(u"name"_s);
    row(tr("&Name:"), m_name, m_nameNote);

    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
    buttons->button(QDialogButtonBox::Cancel)->setText(tr("Cancel"));
    m_ok = buttons->addButton(tr("&Save"), QDialogButtonBox::AcceptRole);
    m_ok->setObjectName(u"save"_s);
    buttons->addButton(m_test, QDialogButtonBox::ActionRole);
    m_test->setObjectName(u"test"_s);
    m_test->setAutoDefault(false);
    auto *layout = new QVBoxLayout(this);
    layout->addLayout(form);
    layout->addWidget(m_testNote);
    layout->addWidget(m_error);
    layout->addStretch();
    layout->addWidget(buttons);

    connect(m_preset, &QComboBox::activated, this, &ModelDialog::usePreset);
    connect(m_address, &QLineEdit::editingFinished, this, [this] {
        const AddressVerdict verdict = AddressCheck::model(m_address->text());
        if (!verdict.error.isEmpty()) {
            m_addressNote->showError(verdict.error);
        } else {
            m_address->setText(verdict.address);
            m_addressNote->showRemark(verdict.warning);
        }
    });
    connect(m_fetch, &QPushButton::clicked, this, &ModelDialog::fetchModels);
    connect(m_test, &QPushButton::clicked, this, &ModelDialog::test);
    connect(buttons, &QDialogButtonBox::accepted, this, &ModelDialog::save);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
}

void ModelDialog::usePreset()
{
    const int index = m_preset->currentData().toInt();
    if (index < 0 || index >= m_presets.size()) {
        return;
    }
    const modelproxy::ProviderPreset &preset = m_presets.at(index);
    m_address->setText(preset.baseUrl);
    m_addressNote->clearNote();
    m_format->setCurrentIndex(m_format->findData(formatWord(preset.format)));
    m_id->clear();
    m_id->lineEdit()->setPlaceholderText(preset.exampleModel);
    m_keyNote->showRemark(preset.needsKey
            ? (preset.keyUrl.isEmpty() ? QString() : tr("Keys are made at %1").arg(preset.keyUrl))
            : tr("Runs on this computer; no key is needed."));
    if (m_taken.contains(preset.name)) {
        m_name->clear();
    } else {
        m_name->setText(preset.name);
    }
}

settings::OwnModel ModelDialog::model() const
{
    settings::OwnModel model = m_model;
    model.name = m_name->text().trimmed();
    model.values.insert(kBaseUrl, AddressCheck::model(m_address->text()).address);
    model.values.insert(kModelId, m_id->currentText().trimmed());
    model.values.insert(kFormat, m_format->currentData().toString());
    if (m_context->value() < kSmallestContext) {
        model.values.remove(kContextWindow);
    } else {
        model.values.insert(kContextWindow, m_context->value());
    }
    return model;
}

bool ModelDialog::isLocalAddress() const
{
    const QString host = QUrl(AddressCheck::model(m_address->text()).address).host();
    return host == "localhost"_L1 || QHostAddress(host).isLoopback();
}

bool ModelDialog::check()
{
    const settings::OwnModel entered = model();
    bool fine = true;
    const auto fail = [&fine](FieldNote *note, const QString &sentence) {
        note->showError(sentence);
        fine = false;
    };
    m_nameNote->clearNote();
    m_idNote->clearNote();
    if (entered.name.isEmpty() || entered.name.size() > 64
        || visibleText(entered.name) != entered.name) {
        fail(m_nameNote, tr("1 to 64 characters, none of them invisible."));
    } else if (m_taken.contains(entered.name)) {
        fail(m_nameNote, tr("Another model has this name."));
    }
    const AddressVerdict verdict = AddressCheck::model(m_address->text());
    if (!verdict.error.isEmpty()) {
        fail(m_addressNote, verdict.error);
    } else if (verdict.address.isEmpty()) {
        fail(m_addressNote, tr("Give the base address of the provider."));
    }
    if (entered.values.value(kModelId).toString().isEmpty()) {
        fail(m_idNote, tr("Give the id of the model."));
    }
    const bool hasStored = !m_model.keySecret.isEmpty() && !m_removeKey->isChecked();
    if (m_key->text().trimmed().isEmpty() && !hasStored && !isLocalAddress()) {
        fail(m_keyNote, tr("This provider needs a key."));
    }
    return fine;
}

void ModelDialog::save()
{
    m_error->clearNote();
    if (!check()) {
        return;
    }
    const QString key = m_key->text().trimmed();
    if (m_removeKey->isChecked()) {
        m_ok->setEnabled(false);
        m_core.setModelKey(m_model.keySecret, {}, guarded(this, [this](const Result<> &result) {
            if (result) {
                m_model.keySecret.clear();
                accept();
                return;
            }
            m_ok->setEnabled(true);
            m_error->showError(
                tr("The key could not be removed: %1").arg(Wording::failure(result.error())));
        }));
        return;
    }
    if (key.isEmpty()) {
        accept();
        return;
    }
    if (m_model.keySecret.isEmpty()) {
        m_model.keySecret = u"model-"_s + randomHex(8);
    }
    m_ok->setEnabled(false);
    m_core.setModelKey(m_model.keySecret, key, guarded(this, [this](const Result<> &result) {
        if (result) {
            m_key->clear();
            accept();
            return;
        }
        m_ok->setEnabled(true);
        m_error->showError(
            tr("The key could not be stored: %1").arg(Wording::failure(result.error())));
    }));
}

void ModelDialog::fetchModels()
{
    m_fetch->setEnabled(false);
    m_idNote->showRemark(tr("Asking the provider…"));
    m_core.listModels(model(), m_key->text().trimmed(),
        guarded(this, [this](const Result<QList<modelproxy::ListedModel>> &result) {
            m_fetch->setEnabled(true);
            if (!result) {
                m_idNote->showError(Wording::failure(result.error()));
                return;
            }
            const QString entered = m_id->currentText();
            m_id->clear();
            for (const modelproxy::ListedModel &listed : *result) {
                m_id->addItem(listed.id);
            }
            m_id->setEditText(entered);
            m_idNote->showRemark(
                tr("%n model(s) offered.", nullptr, static_cast<int>(result->size())));
        }));
}

void ModelDialog::test()
{
    m_test->setEnabled(false);
    m_testNote->showRemark(tr("Testing with a real question and a tool call…"));
    m_core.testModel(model(), m_key->text().trimmed(),
        guarded(this, [this](const Result<modelproxy::ModelTestReport> &result) {
            m_test->setEnabled(true);
            if (!result) {
                m_testNote->showError(Wording::failure(result.error()));
                return;
            }
            const QString said = ModelTestText::of(*result);
            if (result->problem.isEmpty()) {
                m_testNote->showRemark(said);
            } else {
                m_testNote->showError(said);
            }
        }));
}

} // namespace deskhand::app
