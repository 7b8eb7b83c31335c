// SPDX-License-Identifier: Apache-2.0
#include "app/prompts/promptwindow.h"

#include "app/coretext/coretext.h"
#include "app/guarded.h"
#include "app/prompts/decisionbutton.h"
#include "app/prompts/requestview.h"
#include "app/tasks/taskbook.h"
#include "app/tray/trayicon.h"
#include "app/visibletext.h"
#include "app/wording.h"

#include <QCheckBox>
#include <QCloseEvent>
#include <QCursor>
#include <QDateTime>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QScreen>
#include <QScrollArea>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace deskhand::app {
namespace {

using engines::Choice;
using engines::PermissionRequest;
using engines::RequestKind;

constexpr auto kGuard = 700ms;
constexpr qint64 kLastMinute = 60'000; // milliseconds

QLabel *plainLabel(const QString &name, QWidget *parent)
{
    auto *label = new QLabel(parent);
    label->setObjectName(name);
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
    return label;
}

} // namespace

PromptWindow::PromptWindow(Core &core, TaskBook &book, QWidget *parent)
    : QWidget(parent, Qt::Window | Qt::WindowStaysOnTopHint)
    , m_core(core)
    , m_book(book)
    , m_position(plainLabel(u"position"_s, this))
    , m_countdown(plainLabel(u"countdown"_s, this))
    , m_previous(new QToolButton(this))
    , m_next(new QToolButton(this))
    , m_sentence(plainLabel(u"sentence"_s, this))
    , m_about(plainLabel(u"about"_s, this))
    , m_openTask(new QPushButton(tr("Show task"), this))
    , m_why(plainLabel(u"why"_s, this))
    , m_scroll(new QScrollArea(this))
    , m_body(new QWidget(this))
    , m_risks(plainLabel(u"risks"_s, this))
    , m_level(plainLabel(u"level"_s, this))
    , m_reason(new QLineEdit(this))
    , m_alike(new QCheckBox(this))
    , m_note(plainLabel(u"note"_s, this))
{
    setObjectName(u"promptWindow"_s);
    setWindowTitle(tr("Permission requests - Deskhand"));
    setFocusPolicy(Qt::StrongFocus);
    resize(600, 520);
    buildLayout();
    buildButtons();

    m_guard.setSingleShot(true);
    m_guard.setInterval(kGuard);
    connect(&m_guard, &QTimer::timeout, this, &PromptWindow::refreshButtons);
    m_tick.setInterval(1s);
    connect(&m_tick, &QTimer::timeout, this, &PromptWindow::refreshTexts);
    connect(&book, &TaskBook::changed, this, &PromptWindow::refreshTexts);
    connect(&core, &Core::requestOpened, this, &PromptWindow::onOpened);
    connect(&core, &Core::requestClosed, this, &PromptWindow::onClosed);
    for (const PermissionRequest &request : core.requests()) {
        onOpened(request);
    }
}

void PromptWindow::setTimes(std::chrono::milliseconds guard, std::chrono::milliseconds farewell)
{
    m_guard.setInterval(guard);
    m_farewell = farewell;
}

void PromptWindow::buildLayout()
{
    const auto stepButton = [this](QToolButton *button, const QString &name, const QString &icon,
                                const QString &text, int by, Qt::Key key) {
        button->setObjectName(name);
        button->setIcon(symbol(icon, palette().color(QPalette::ButtonText)));
        button->setToolTip(text);
        button->setAccessibleName(text);
        button->setAutoRaise(true);
        button->setShortcut(QKeyCombination(Qt::ALT, key));
        connect(button, &QToolButton::clicked, this, [this, by] { step(by); });
    };
    stepButton(m_previous, u"previous"_s, u"previous"_s, tr("Previous request"), -1, Qt::Key_Left);
    stepButton(m_next, u"next"_s, u"next"_s, tr("Next request"), 1, Qt::Key_Right);
    m_position->setWordWrap(false);
    m_countdown->setAlignment(Qt::AlignRight | Qt::AlignVCenter);

    auto *top = new QHBoxLayout;
    top->addWidget(m_previous);
    top->addWidget(m_position);
    top->addWidget(m_next);
    top->addWidget(m_countdown, 1);

    QFont big = m_sentence->font();
    big.setBold(true);
    big.setPointSizeF(big.pointSizeF() * 1.25);
    m_sentence->setFont(big);

    m_openTask->setObjectName(u"openTask"_s);
    m_openTask->setAutoDefault(false);
    m_openTask->setFlat(true);
    connect(m_openTask, &QPushButton::clicked, this, [this] {
        const qsizetype index = m_queue.indexOf(m_shownId);
        if (index >= 0) {
            Q_EMIT taskChosen(m_queue.at(index).request.taskId);
        }
    });
    auto *about = new QHBoxLayout;
    about->addWidget(m_about, 1);
    about->addWidget(m_openTask, 0, Qt::AlignTop);

    m_why->setFrameShape(QFrame::StyledPanel);
    m_why->setContentsMargins(6, 4, 6, 4);

    m_scroll->setObjectName(u"details"_s);
    m_scroll->setWidgetResizable(true);
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setFocusPolicy(Qt::NoFocus);
    m_scroll->setWidget(m_body);
    auto *body = new QVBoxLayout(m_body);
    body->setContentsMargins(0, 0, 0, 0);

    QFont bold = m_risks->font();
    bold.setBold(true);
    m_risks->setFont(bold);
    m_risks->setAutoFillBackground(true);
    m_risks->setContentsMargins(8, 6, 8, 6);

    m_reason->setObjectName(u"denyReason"_s);
    m_reason->setPlaceholderText(tr("Tell the agent why (optional, goes with Deny)"));
    m_reason->setAccessibleName(tr("Reason for denying"));
    m_reason->setMaxLength(500);

    auto *layout = new QVBoxLayout(this);
    layout->addLayout(top);
    layout->addWidget(m_sentence);
    layout->addLayout(about);
    layout->addWidget(m_why);
    layout->addWidget(m_scroll, 1);
    layout->addWidget(m_risks);
    layout->addWidget(m_level);
    layout->addWidget(m_note);
    layout->addWidget(m_reason);
    m_alike->setObjectName(u"alike"_s);
    m_alike->hide();
    layout->addWidget(m_alike);
}

void PromptWindow::buildButtons()
{
#ifdef Q_OS_MACOS
    constexpr Qt::KeyboardModifier kModifier = Qt::ControlModifier;
#else
    constexpr Qt::KeyboardModifier kModifier = Qt::AltModifier;
#endif
    struct Kind
    {
        Choice choice;
        QString name;
        Qt::Key key;
    };
    const Kind kinds[] = {
        { Choice::Deny, u"deny"_s, Qt::Key_D },
        { Choice::DenyAndStop, u"denyAndStop"_s, Qt::Key_S },
        { Choice::AllowOnce, u"allowOnce"_s, Qt::Key_A },
        { Choice::AllowForTask, u"allowForTask"_s, Qt::Key_T },
    };
    auto *row = new QHBoxLayout;
    for (const Kind &kind : kinds) {
        if (kind.choice == Choice::AllowOnce) {
            row->addSpacing(24);
            row->addStretch();
        }
        auto *button = new DecisionButton(kind.choice, this);
        button->setObjectName(kind.name);
        const QKeySequence keys(QKeyCombination(kModifier, kind.key));
        button->setProperty("keys", keys);
        connect(
            button, &QPushButton::clicked, this, [this, choice = kind.choice] { decide(choice); });
        m_buttons.append(button);
        row->addWidget(button);
    }
    static_cast<QVBoxLayout *>(layout())->addLayout(row);
}

void PromptWindow::onOpened(const PermissionRequest &request)
{
    if (!m_queue.add(request)) {
        return;
    }
    if (m_shownId.isEmpty()) {
        showNext();
    } else {
        refreshTexts();
    }
}

void PromptWindow::onClosed(const PermissionRequest &request, engines::RequestOutcome outcome,
    const QString &by, const QString &reason)
{
    const qsizetype index = m_queue.indexOf(request.id);
    if (index < 0) {
        return;
    }
    Entry &entry = m_queue.at(index);
    const bool ours = entry.sending && by == "owner"_L1;
    entry.sending = false;
    entry.over = true;
    if (ours || request.id != m_shownId || !isVisible()) {
        // The owner just decided it, or was not looking at it: nothing to explain.
        remove(request.id);
        return;
    }
    entry.note = Wording::requestClosed(outcome, by, reason);
    refreshTexts();
    refreshButtons();
    QTimer::singleShot(m_farewell, this, [this, id = request.id] { remove(id); });
}

void PromptWindow::decide(Choice choice)
{
    const qsizetype index = m_queue.indexOf(m_shownId);
    if (index < 0 || m_guard.isActive()) {
        return;
    }
    Entry &entry = m_queue.at(index);
    if (!entry.isOpen() || !entry.request.choices.contains(choice)
        || (grants(choice) && !m_view->isComplete())) {
        return;
    }
    engines::Decision decision;
    decision.choice = choice;
    decision.by = u"owner"_s;
    if (grants(choice)) {
        decision.answers = m_view->answers();
    } else {
        decision.note = m_reason->text().trimmed();
    }
    const QStringList alike = m_alike->isChecked() ? m_alikeIds : QStringList();
    handOver(entry, decision);
    for (const QString &id : alike) {
        const qsizetype other = m_queue.indexOf(id);
        if (other >= 0 && m_queue.at(other).isOpen()) {
            handOver(m_queue.at(other), decision);
        }
    }
    refreshTexts();
    refreshButtons();
}

void PromptWindow::handOver(Entry &entry, const engines::Decision &decision)
{
    entry.sending = true;
    entry.note.clear();
    m_core.answerRequest(entry.request.id, decision,
        guarded(this,
            [this, id = entry.request.id](const Result<> &result) { onDelivered(id, result); }));
}

void PromptWindow::onDelivered(const QString &requestId, const Result<> &result)
{
    const qsizetype index = m_queue.indexOf(requestId);
    if (index < 0) {
        return;
    }
    if (result) {
        remove(requestId);
        return;
    }
    Entry &entry = m_queue.at(index);
    entry.sending = false;
    entry.note = tr("The decision did not arrive: %1").arg(Wording::failure(result.error()));
    if (result.error().kind == ErrorKind::NotFound || result.error().kind == ErrorKind::Conflict) {
        entry.over = true;
        QTimer::singleShot(m_farewell, this, [this, requestId] { remove(requestId); });
    }
    refreshTexts();
    refreshButtons();
}

void PromptWindow::remove(const QString &requestId)
{
    const qsizetype index = m_queue.indexOf(requestId);
    if (index < 0) {
        return;
    }
    m_queue.remove(requestId);
    if (m_shownId == requestId) {
        showNext();
    } else {
        refreshTexts();
    }
}

void PromptWindow::showNext()
{
    const qsizetype index = m_queue.next();
    if (index >= 0) {
        showEntry(index);
        return;
    }
    m_shownId.clear();
    hide();
}

void PromptWindow::step(int by)
{
    const qsizetype index = m_queue.indexOf(m_shownId) + by;
    if (index >= 0 && index < m_queue.size()) {
        showEntry(index);
    }
}

void PromptWindow::showEntry(qsizetype index)
{
    const PermissionRequest &request = m_queue.at(index).request;
    m_shownId = request.id;
    m_guard.start();

    delete m_view;
    m_view = new RequestView(request, m_body);
    connect(m_view, &RequestView::changed, this, &PromptWindow::refreshButtons);
    m_body->layout()->addWidget(m_view);
    m_scroll->ensureVisible(0, 0);

    m_sentence->setText(Wording::requestSentence(request));
    if (request.reason.isEmpty()) {
        m_why->setText(tr("No reason given."));
    } else {
        // After a denial it is the sandbox that speaks, not the model.
        m_why->setText(Wording::isOneGrant(request)
                ? tr("Blocked by the sandbox: %1")
                      .arg(visibleText(CoreText::translated(request.reason), true))
                : tr("The model says: “%1”").arg(visibleText(request.reason, true)));
    }
    QStringList risks;
    for (const QString &risk : request.risks) {
        risks << u"▲ "_s + Wording::risk(risk);
    }
    const bool dark = palette().color(QPalette::Window).lightness() < 128;
    QPalette strip = m_risks->palette();
    strip.setColor(QPalette::Window, QColor(dark ? 0x5a2d00 : 0xffe2c2));
    strip.setColor(QPalette::WindowText, QColor(dark ? 0xffe2c2 : 0x5a2d00));
    m_risks->setPalette(strip);
    m_risks->setText(risks.join(u'\n'));
    m_risks->setVisible(!risks.isEmpty());
    m_reason->clear();
    m_alike->setChecked(false);
    m_alikeIds.clear();
    m_reason->setVisible(
        request.choices.contains(Choice::Deny) || request.choices.contains(Choice::DenyAndStop));

    const bool question = request.kind == RequestKind::Question;
    for (DecisionButton *button : std::as_const(m_buttons)) {
        switch (button->choice()) {
        case Choice::Deny:
            button->setText(question ? tr("&Do not answer") : tr("&Deny"));
            break;
        case Choice::DenyAndStop:
            button->setText(tr("Deny and &stop task"));
            break;
        case Choice::AllowOnce:
            button->setText(question ? tr("Send &answer") : tr("&Allow once"));
            break;
        case Choice::AllowForTask:
            button->setText(tr("Allow for this &task"));
            break;
        }
        // The letter stays the same in every language; setText() took it from the text.
        const auto keys = button->property("keys").value<QKeySequence>();
        button->setShortcut(keys);
        button->setToolTip(keys.toString(QKeySequence::NativeText));
        button->setVisible(request.choices.contains(button->choice()));
    }
    setFocus(); // the neutral place: no button is under the fingers
    refreshTexts();
    refreshButtons();
}

QString PromptWindow::countdown(const PermissionRequest &request) const
{
    if (request.expiresAtMs == 0) {
        return {};
    }
    const qint64 left = request.expiresAtMs - QDateTime::currentMSecsSinceEpoch();
    if (left <= kLastMinute) {
        return tr("Denied automatically in %1 s").arg(qMax<qint64>(0, (left + 999) / 1000));
    }
    return tr("Denied in %1").arg(Wording::duration(left));
}

void PromptWindow::refreshTexts()
{
    const qsizetype index = m_queue.indexOf(m_shownId);
    if (index < 0) {
        return;
    }
    const Entry &entry = m_queue.at(index);
    const PermissionRequest &request = entry.request;
    m_position->setText(tr("%1 of %2").arg(index + 1).arg(m_queue.size()));
    m_previous->setEnabled(index > 0);
    m_next->setEnabled(index + 1 < m_queue.size());
    m_previous->setVisible(m_queue.size() > 1);
    m_next->setVisible(m_queue.size() > 1);
    m_countdown->setText(entry.over ? QString() : countdown(request));

    const QString age
        = Wording::duration(QDateTime::currentMSecsSinceEpoch() - request.createdAtMs);
    const auto task = m_book.find(request.taskId);
    if (task) {
        m_about->setText(tr("“%1” in %2, %3 - asked %4 ago", "task, folder, origin, age")
                             .arg(Wording::oneLine(task->title, 60),
                                 Wording::oneLine(Wording::folderName(task->cwd), 30),
                                 Wording::origin(task->origin), age));
        m_level->setText(tr("Permission level: %1").arg(Wording::profile(task->profile)));
    } else {
        m_about->setText(tr("Task %1 - asked %2 ago").arg(visibleText(request.taskId), age));
    }
    m_level->setVisible(task && !task->profile.isEmpty());
    m_note->setText(entry.sending ? tr("Handing the decision over…") : entry.note);
    m_note->setVisible(!m_note->text().isEmpty());
    refreshAlike();
}

void PromptWindow::refreshAlike()
{
    const QStringList ids = m_queue.alike(m_shownId);
    const Entry &shown = m_queue.at(m_queue.indexOf(m_shownId));
    // A tick counts for those it was set for, not for one that came afterwards.
    const bool grew = std::any_of(
        ids.cbegin(), ids.cend(), [this](const QString &id) { return !m_alikeIds.contains(id); });
    if (grew) {
        m_alike->setChecked(false);
    }
    m_alikeIds = ids;
    m_alike->setText(
        tr("Also the %n &identical request(s)", nullptr, static_cast<int>(ids.size())));
    m_alike->setVisible(!ids.isEmpty() && !shown.over);
    m_alike->setEnabled(!shown.sending);
}

void PromptWindow::refreshButtons()
{
    const qsizetype index = m_queue.indexOf(m_shownId);
    const bool open = index >= 0 && m_queue.at(index).isOpen() && !m_guard.isActive();
    for (DecisionButton *button : std::as_const(m_buttons)) {
        button->setEnabled(open && (!grants(button->choice()) || m_view->isComplete()));
    }
}

void PromptWindow::presentQuietly()
{
    if (m_shownId.isEmpty() || isVisible()) {
        return;
    }
    const QScreen *screen = QGuiApplication::screenAt(QCursor::pos());
    if (screen == nullptr) {
        screen = QGuiApplication::primaryScreen();
    }
    setAttribute(Qt::WA_ShowWithoutActivating, true);
    if (screen != nullptr) {
        const QRect area = screen->availableGeometry();
        const QSize room(qMin(width(), area.width()), qMin(height(), area.height() - 40));
        resize(room);
        move(area.right() - room.width() - 12, area.bottom() - room.height() - 36);
    }
    show();
}

void PromptWindow::presentForOwner(const QString &requestId)
{
    const qsizetype index = m_queue.indexOf(requestId);
    if (index >= 0 && requestId != m_shownId) {
        showEntry(index);
    }
    if (m_shownId.isEmpty()) {
        return;
    }
    setAttribute(Qt::WA_ShowWithoutActivating, false);
    showNormal();
    raise();
    activateWindow();
}

void PromptWindow::closeEvent(QCloseEvent *event)
{
    // Closing hides; the request goes on waiting.
    event->accept();
}

void PromptWindow::keyPressEvent(QKeyEvent *event)
{
    if (event->key() == Qt::Key_Escape) {
        hide();
        return;
    }
    QWidget::keyPressEvent(event);
}

void PromptWindow::showEvent(QShowEvent *event)
{
    m_tick.start();
    if (!event->spontaneous()) {
        m_guard.start();
        setFocus();
    }
    refreshTexts();
    refreshButtons();
    QWidget::showEvent(event);
}

void PromptWindow::hideEvent(QHideEvent *event)
{
    m_tick.stop();
    QWidget::hideEvent(event);
}

} // namespace deskhand::app
