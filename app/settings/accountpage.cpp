// SPDX-License-Identifier: Apache-2.0
#include "app/settings/accountpage.h"

#include "app/coretext/coretext.h"
#include "app/fieldnote.h"
#include "app/guarded.h"
#include "app/settings/addresscheck.h"
#include "app/visibletext.h"
#include "app/wording.h"

#include <QCheckBox>
#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QThread>

using namespace Qt::StringLiterals;

namespace deskhand::app {
namespace {

constexpr int kNameLimit = 64;

} // namespace

AccountPage::AccountPage(Core &core, QWidget *parent)
    : SettingsPage(core, parent)
    , m_backend(new QLineEdit(this))
    , m_backendNote(new FieldNote(u"backendNote"_s, this))
    , m_socket(new QLineEdit(this))
    , m_socketNote(new FieldNote(u"socketNote"_s, this))
    , m_signIn(new QLabel(this))
    , m_token(new QLineEdit(this))
    , m_saveToken(new QPushButton(tr("Sa&ve"), this))
    , m_signOut(new QPushButton(tr("Sign &out"), this))
    , m_tokenNote(new FieldNote(u"tokenNote"_s, this))
    , m_name(new QLineEdit(this))
    , m_nameNote(new FieldNote(u"nameNote"_s, this))
    , m_id(new QLineEdit(this))
    , m_accept(new QCheckBox(tr("Accept tasks from the se&rver"), this))
    , m_acceptNote(new FieldNote(u"acceptNote"_s, this))
    , m_parallel(new QSpinBox(this))
    , m_parallelNote(new FieldNote(u"parallelNote"_s, this))
{
    setObjectName(u"accountPage"_s);
    addHeading(QT_TR_NOOP("Server"));
    m_backend->setObjectName(u"backendUrl"_s);
    m_backend->setPlaceholderText(u"https://wegent.example.com"_s);
    addField(QT_TR_NOOP("&Backend address:"), m_backend, m_backendNote);
    addKeywords(QT_TR_NOOP("server url web workspace host connection"));
    m_socket->setObjectName(u"socketUrl"_s);
    m_socket->setPlaceholderText(tr("Automatic: the same as the backend"));
    addField(QT_TR_NOOP("So&cket address:"), m_socket, m_socketNote);
    addKeywords(QT_TR_NOOP("websocket wss server url"));

    m_signIn->setObjectName(u"signInState"_s);
    m_signIn->setTextFormat(Qt::PlainText);
    m_signIn->setWordWrap(true);
    m_token->setObjectName(u"token"_s);
    m_token->setEchoMode(QLineEdit::Password);
    m_token->setPlaceholderText(tr("Paste a new token here"));
    m_saveToken->setObjectName(u"saveToken"_s);
    m_saveToken->setAutoDefault(false);
    m_saveToken->setEnabled(false);
    m_signOut->setObjectName(u"signOut"_s);
    m_signOut->setAutoDefault(false);
    auto *token = new QHBoxLayout;
    token->addWidget(m_token, 1);
    token->addWidget(m_saveToken);
    token->addWidget(m_signOut);
    addField({}, m_signIn);
    addField(QT_TR_NOOP("Access &token:"), token, m_token, m_tokenNote);
    addKeywords(QT_TR_NOOP("sign in sign out login password account"));

    addHeading(QT_TR_NOOP("This device"));
    m_name->setObjectName(u"deviceName"_s);
    addField(QT_TR_NOOP("Device &name:"), m_name, m_nameNote);
    m_id->setObjectName(u"deviceId"_s);
    m_id->setReadOnly(true);
    auto *copy = new QPushButton(tr("Cop&y"), this);
    copy->setObjectName(u"copyDeviceId"_s);
    copy->setAutoDefault(false);
    auto *id = new QHBoxLayout;
    id->addWidget(m_id, 1);
    id->addWidget(copy);
    addField(QT_TR_NOOP("Device &id:"), id, m_id, nullptr);

    addHeading(QT_TR_NOOP("Tasks"));
    m_accept->setObjectName(u"acceptTasks"_s);
    addField({}, m_accept, m_acceptNote);
    addKeywords(QT_TR_NOOP("accept tasks from the server pause"));
    m_parallel->setObjectName(u"parallelTasks"_s);
    m_parallel->setRange(1, 16);
    addField(QT_TR_NOOP("Tasks at the same ti&me:"), m_parallel, m_parallelNote);
    addKeywords(QT_TR_NOOP("parallel limit queue"));
    finish();

    connect(m_backend, &QLineEdit::editingFinished, this, [this] {
        const AddressVerdict verdict = AddressCheck::server(m_backend->text());
        if (!verdict.error.isEmpty()) {
            m_backendNote->showError(verdict.error);
        } else if (verdict.address != this->core().deviceConfig().backendUrl) {
            m_backend->setText(verdict.address);
            m_backendNote->showRemark(verdict.warning);
            applyConnection(m_backendNote);
        } else {
            m_backendNote->showRemark(verdict.warning);
        }
    });
    connect(m_socket, &QLineEdit::editingFinished, this, [this] {
        const AddressVerdict verdict = AddressCheck::socket(m_socket->text());
        if (!verdict.error.isEmpty()) {
            m_socketNote->showError(verdict.error);
        } else if (verdict.address != this->core().deviceConfig().socketUrl) {
            m_socket->setText(verdict.address);
            m_socketNote->showRemark(verdict.warning);
            applyConnection(m_socketNote);
        } else {
            m_socketNote->showRemark(verdict.warning);
        }
    });
    connect(m_name, &QLineEdit::editingFinished, this, [this] {
        const QString name = m_name->text().trimmed();
        if (name.isEmpty() || name.size() > kNameLimit || visibleText(name) != name) {
            m_nameNote->showError(
                tr("1 to %1 characters, none of them invisible.").arg(kNameLimit));
        } else if (name != this->core().deviceConfig().deviceName) {
            m_nameNote->clearNote();
            applyConnection(m_nameNote);
        } else {
            m_nameNote->clearNote();
        }
    });
    connect(m_token, &QLineEdit::textChanged, this,
        [this](const QString &text) { m_saveToken->setEnabled(!text.trimmed().isEmpty()); });
    connect(m_saveToken, &QPushButton::clicked, this, [this] { saveToken(m_token->text()); });
    connect(m_signOut, &QPushButton::clicked, this, [this] { saveToken({}); });
    connect(copy, &QPushButton::clicked, this,
        [this] { QGuiApplication::clipboard()->setText(m_id->text()); });
    connect(m_accept, &QCheckBox::clicked, this, [this](bool on) {
        change([on](settings::ExecutorSettings &s) { s.acceptTasks = on; }, m_acceptNote);
    });
    connect(m_parallel, &QSpinBox::editingFinished, this, [this] {
        const int value = m_parallel->value();
        if (value != this->core().settings().parallelTasks) {
            change([value](settings::ExecutorSettings &s) { s.parallelTasks = value; },
                m_parallelNote);
        }
    });
    connect(&core, &Core::statusChanged, this, &AccountPage::refreshSignIn);
    refresh();
}

void AccountPage::refresh()
{
    const settings::DeviceConfig config = core().deviceConfig();
    // A field the owner is typing in keeps the text.
    const auto show = [](QLineEdit *field, const QString &text) {
        if (!field->hasFocus()) {
            field->setText(text);
        }
    };
    show(m_backend, config.backendUrl);
    show(m_socket, config.socketUrl);
    show(m_name, config.deviceName);
    m_id->setText(config.deviceId);
    m_id->setCursorPosition(0);
    lock(m_backend, m_backendNote, fixedBy({ "WEGENT_BACKEND_URL" }));
    lock(m_socket, m_socketNote, fixedBy({ "WEGENT_SOCKET_URL" }));
    lock(m_name, m_nameNote, fixedBy({ "DEVICE_NAME" }));
    const QString tokenVariable
        = config.tokenFromEnvironment ? fixedBy({ "WEGENT_AUTH_TOKEN" }) : QString();
    lock(m_token, m_tokenNote, tokenVariable);
    m_signOut->setEnabled(tokenVariable.isEmpty());

    const settings::ExecutorSettings settings = core().settings();
    m_accept->setChecked(settings.acceptTasks);
    const QSignalBlocker quiet(m_parallel);
    m_parallel->setValue(settings.parallelTasks);
    const int cores = QThread::idealThreadCount();
    m_parallelNote->showRemark(settings.parallelTasks * 2 > cores
            ? tr("This computer has %n core(s); tasks may slow each other down.", nullptr, cores)
            : QString());
    refreshSignIn();
}

void AccountPage::refreshSignIn()
{
    const StatusSnapshot status = core().status();
    m_signIn->setText(tr("Sign-in: %1").arg(Wording::linkState(status.link.state))
        + (status.link.cause.isEmpty()
                ? QString()
                : u" - "_s + visibleText(CoreText::translated(status.link.cause))));
}

void AccountPage::applyConnection(FieldNote *note)
{
    core().updateConnection(AddressCheck::server(m_backend->text()).address,
        AddressCheck::socket(m_socket->text()).address, m_name->text().trimmed(),
        guarded(this, [this, note](const Result<> &result) {
            if (!result) {
                note->showError(Wording::failure(result.error()));
            } else {
                refreshSignIn();
            }
        }));
}

void AccountPage::saveToken(const QString &token)
{
    m_saveToken->setEnabled(false);
    core().setToken(token.trimmed(), guarded(this, [this, token](const Result<> &result) {
        if (!result) {
            m_tokenNote->showError(Wording::failure(result.error()));
            m_saveToken->setEnabled(!m_token->text().trimmed().isEmpty());
            return;
        }
        // What the owner typed meanwhile stays.
        if (m_token->text() == token) {
            m_token->clear();
        }
        m_tokenNote->showRemark(token.isEmpty() ? tr("Signed out.") : tr("Saved."));
    }));
}

} // namespace deskhand::app
