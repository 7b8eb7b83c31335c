// SPDX-License-Identifier: Apache-2.0
#include "app/settings/secretplacedialog.h"

#include "app/fieldnote.h"
#include "app/guarded.h"
#include "app/status/parts.h"
#include "app/wording.h"

#include <QButtonGroup>
#include <QDialogButtonBox>
#include <QPushButton>
#include <QRadioButton>
#include <QVBoxLayout>

using namespace Qt::StringLiterals;

namespace deskhand::app {

SecretPlaceDialog::SecretPlaceDialog(Core &core, const StatusSnapshot &status, QWidget *parent)
    : QDialog(parent)
    , m_core(core)
    , m_keyStore(new QRadioButton(tr("Try the system's &key store again"), this))
    , m_file(new QRadioButton(tr("In a &file that only you can read"), this))
    , m_session(new QRadioButton(tr("For this &session only"), this))
    , m_note(new FieldNote(u"error"_s, this))
{
    setObjectName(u"secretPlaceDialog"_s);
    setWindowTitle(tr("Where to keep the sign-in"));
    auto *layout = new QVBoxLayout(this);
    const PartView part = Parts::secrets(status);
    auto *text = new QLabel(part.cause, this);
    text->setTextFormat(Qt::PlainText);
    text->setWordWrap(true);
    layout->addWidget(text);

    auto *group = new QButtonGroup(this);
    const auto option = [&](QRadioButton *button, const QString &name, const QString &remark) {
        button->setObjectName(name);
        group->addButton(button);
        layout->addWidget(button);
        auto *label = new FieldNote(name + "Note"_L1, this);
        label->setContentsMargins(24, 0, 0, 0);
        label->showRemark(remark);
        layout->addWidget(label);
    };
    option(m_keyStore, u"keyStore"_s,
        tr("Unlock it first, for instance by signing in to your desktop again."));
    option(m_file, u"file"_s,
        tr("Not encrypted. Other programs you run can read it; other users cannot."));
    option(m_session, u"session"_s, tr("Kept in memory and forgotten when you quit."));
    layout->addWidget(m_note);

    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
    buttons->button(QDialogButtonBox::Cancel)->setText(tr("Cancel"));
    m_ok = buttons->addButton(tr("&Use this"), QDialogButtonBox::AcceptRole);
    m_ok->setObjectName(u"ok"_s);
    m_ok->setEnabled(false);
    layout->addWidget(buttons);
    connect(group, &QButtonGroup::buttonToggled, this, [this] { m_ok->setEnabled(true); });
    connect(buttons, &QDialogButtonBox::accepted, this, &SecretPlaceDialog::apply);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
}

void SecretPlaceDialog::apply()
{
    Executor::SecretPlace place = Executor::SecretPlace::SessionOnly;
    if (m_keyStore->isChecked()) {
        place = Executor::SecretPlace::KeyStore;
    } else if (m_file->isChecked()) {
        place = Executor::SecretPlace::File;
    }
    m_ok->setEnabled(false);
    m_core.chooseSecretPlace(place, guarded(this, [this](const Result<> &result) {
        if (result) {
            accept();
            return;
        }
        m_note->showError(Wording::failure(result.error()));
        m_ok->setEnabled(true);
    }));
}

} // namespace deskhand::app
