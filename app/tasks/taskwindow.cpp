// SPDX-License-Identifier: Apache-2.0
#include "app/tasks/taskwindow.h"

#include "app/guarded.h"
#include "app/preferences.h"
#include "app/prompts/diffview.h"
#include "app/tasks/taskbook.h"
#include "app/visibletext.h"
#include "app/wording.h"

#include <QClipboard>
#include <QCloseEvent>
#include <QDateTime>
#include <QDialog>
#include <QDialogButtonBox>
#include <QElapsedTimer>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QPushButton>
#include <QScrollBar>
#include <QShortcut>
#include <QVBoxLayout>

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace deskhand::app {
namespace {

using tasks::TaskState;

/// Time between two batches on screen.
constexpr auto kFrame = 33ms;
/// Time one batch may take before the rest waits for the next, in milliseconds.
constexpr qint64 kBatchTime = 12;

QPushButton *pushButton(const QString &text, const QString &name, QWidget *parent)
{
    auto *button = new QPushButton(text, parent);
    button->setObjectName(name);
    button->setAutoDefault(false);
    return button;
}

} // namespace

QVariant StoryView::loadResource(int, const QUrl &)
{
    return {};
}

TaskWindow::TaskWindow(
    Core &core, TaskBook &book, Preferences &preferences, const QString &taskId, QWidget *parent)
    : QWidget(parent)
    , m_core(core)
    , m_book(book)
    , m_preferences(preferences)
    , m_taskId(taskId)
    , m_title(new QLabel(this))
    , m_state(new QLabel(this))
    , m_facts(new QLabel(this))
    , m_stopButton(pushButton(tr("&Stop task"), u"stop"_s, this))
    , m_changesButton(pushButton(tr("&Changes…"), u"changes"_s, this))
    , m_banner(new QWidget(this))
    , m_bannerText(new QLabel(m_banner))
    , m_bannerButton(pushButton({}, u"bannerButton"_s, m_banner))
    , m_story(new StoryView(this))
    , m_newButton(pushButton({}, u"newButton"_s, this))
    , m_findBar(new QWidget(this))
    , m_findText(new QLineEdit(m_findBar))
    , m_message(new QLabel(this))
    , m_compose(new QLineEdit(this))
    , m_send(pushButton(tr("S&end"), u"send"_s, this))
{
    setObjectName(u"taskWindow"_s);
    resize(720, 620);
    m_timeline = new Timeline(m_story->document(), this);
    new QVBoxLayout(this);
    buildHeader();
    buildStory();
    buildFooter();

    m_flushTimer.setSingleShot(true);
    m_flushTimer.setInterval(kFrame);
    connect(&m_flushTimer, &QTimer::timeout, this, &TaskWindow::flush);
    m_tick.setInterval(1s);
    connect(&m_tick, &QTimer::timeout, this, [this] {
        refreshHeader();
        refreshBanner();
    });
    m_tick.start();
    connect(&core, &Core::taskEvent, this, &TaskWindow::onEvent);
    connect(&book, &TaskBook::changed, this, [this] {
        refreshHeader();
        refreshBanner();
    });
    refreshHeader();
    refreshBanner();
    preferences.restorePlace(*this);
    load();
}

void TaskWindow::buildHeader()
{
    m_title->setObjectName(u"title"_s);
    m_title->setTextFormat(Qt::PlainText);
    m_title->setWordWrap(true);
    QFont big = m_title->font();
    big.setBold(true);
    big.setPointSizeF(big.pointSizeF() * 1.2);
    m_title->setFont(big);
    m_state->setObjectName(u"state"_s);
    m_state->setTextFormat(Qt::PlainText);
    m_facts->setObjectName(u"facts"_s);
    m_facts->setTextFormat(Qt::PlainText);
    m_facts->setWordWrap(true);
    m_facts->setTextInteractionFlags(Qt::TextSelectableByMouse);

    auto *texts = new QVBoxLayout;
    texts->setSpacing(2);
    texts->addWidget(m_title);
    texts->addWidget(m_state);
    texts->addWidget(m_facts);
    auto *buttons = new QVBoxLayout;
    buttons->addWidget(m_stopButton);
    buttons->addWidget(m_changesButton);
    buttons->addStretch();
    auto *header = new QHBoxLayout;
    header->addLayout(texts, 1);
    header->addLayout(buttons);
    static_cast<QVBoxLayout *>(layout())->addLayout(header);
    connect(m_stopButton, &QPushButton::clicked, this, &TaskWindow::stop);
    connect(m_changesButton, &QPushButton::clicked, this,
        [this] { showFullText(tr("Changes of this turn"), m_timeline->turnDiff()); });

    m_banner->setObjectName(u"banner"_s);
    m_bannerText->setObjectName(u"bannerText"_s);
    m_bannerText->setTextFormat(Qt::PlainText);
    m_bannerText->setWordWrap(true);
    m_banner->setAutoFillBackground(true);
    auto *line = new QHBoxLayout(m_banner);
    line->setContentsMargins(8, 4, 8, 4);
    line->addWidget(m_bannerText, 1);
    line->addWidget(m_bannerButton);
    layout()->addWidget(m_banner);
    m_banner->hide();
    connect(m_bannerButton, &QPushButton::clicked, this, [this] {
        const auto task = m_book.find(m_taskId);
        if (task && task->openRequests > 0) {
            Q_EMIT requestsChosen();
        } else {
            m_patienceUntilMs = QDateTime::currentMSecsSinceEpoch() + m_quietLimit.count();
            refreshBanner();
        }
    });
}

void TaskWindow::buildStory()
{
    m_story->setObjectName(u"story"_s);
    m_story->setAccessibleName(tr("Story of the task"));
    m_story->setOpenLinks(false);
    m_story->setTabChangesFocus(true);
    m_story->document()->setDocumentMargin(8);
    connect(m_story, &QTextBrowser::anchorClicked, this, [this](const QUrl &link) {
        showFullText(tr("All output"), m_timeline->fullText(link.toString()));
    });
    // Scrolling up stops following, reaching the end resumes it.
    connect(m_story->verticalScrollBar(), &QScrollBar::actionTriggered, this, [this] {
        const QScrollBar *bar = m_story->verticalScrollBar();
        setFollowing(bar->sliderPosition() >= bar->maximum());
    });
    layout()->addWidget(m_story);
    static_cast<QVBoxLayout *>(layout())->setStretchFactor(m_story, 1);

    m_newButton->hide();
    connect(m_newButton, &QPushButton::clicked, this, [this] { setFollowing(true); });

    m_findText->setObjectName(u"findText"_s);
    m_findText->setPlaceholderText(tr("Find in this task"));
    m_findText->setAccessibleName(m_findText->placeholderText());
    auto *nextButton = pushButton(tr("Ne&xt"), u"findNext"_s, m_findBar);
    auto *previousButton = pushButton(tr("&Previous"), u"findPrevious"_s, m_findBar);
    auto *bar = new QHBoxLayout(m_findBar);
    bar->setContentsMargins(0, 0, 0, 0);
    bar->addWidget(m_findText, 1);
    bar->addWidget(previousButton);
    bar->addWidget(nextButton);
    m_findBar->setObjectName(u"findBar"_s);
    m_findBar->hide();
    connect(m_findText, &QLineEdit::returnPressed, this, [this] { find(false); });
    connect(nextButton, &QPushButton::clicked, this, [this] { find(false); });
    connect(previousButton, &QPushButton::clicked, this, [this] { find(true); });
    auto *shortcut = new QShortcut(QKeySequence::Find, this);
    connect(shortcut, &QShortcut::activated, this, [this] {
        m_findBar->show();
        m_findText->setFocus();
        m_findText->selectAll();
    });
    layout()->addWidget(m_findBar);
}

void TaskWindow::buildFooter()
{
    m_message->setObjectName(u"message"_s);
    m_message->setTextFormat(Qt::PlainText);
    m_message->setWordWrap(true);
    m_message->hide();
    layout()->addWidget(m_message);

    auto *copy = pushButton(tr("Copy &all"), u"copyAll"_s, this);
    auto *markdown = pushButton(tr("Copy as &Markdown"), u"copyMarkdown"_s, this);
    connect(copy, &QPushButton::clicked, this,
        [this] { QGuiApplication::clipboard()->setText(m_story->toPlainText()); });
    connect(markdown, &QPushButton::clicked, this,
        [this] { QGuiApplication::clipboard()->setText(m_timeline->markdown()); });
    auto *tools = new QHBoxLayout;
    tools->addWidget(copy);
    tools->addWidget(markdown);
    tools->addStretch();
    tools->addWidget(m_newButton);
    static_cast<QVBoxLayout *>(layout())->addLayout(tools);

    m_compose->setObjectName(u"compose"_s);
    m_compose->setPlaceholderText(tr("Go on with this task…"));
    m_compose->setAccessibleName(tr("Next message to this task"));
    auto *compose = new QHBoxLayout;
    compose->addWidget(m_compose, 1);
    compose->addWidget(m_send);
    static_cast<QVBoxLayout *>(layout())->addLayout(compose);
    connect(m_send, &QPushButton::clicked, this, &TaskWindow::sendFollowUp);
    connect(m_compose, &QLineEdit::returnPressed, this, &TaskWindow::sendFollowUp);
}

void TaskWindow::load()
{
    m_loaded = false;
    m_timeline->clear();
    m_timeline->setPalette(palette());
    m_core.taskStory(m_taskId, guarded(this, [this](const Result<QList<TaskEventRecord>> &story) {
        m_loaded = true;
        if (story) {
            // What came live while the story was fetched follows it.
            const QList<TaskEventRecord> live = std::exchange(m_waiting, *story);
            const qint64 last = m_waiting.isEmpty() ? 0 : m_waiting.last().seq;
            for (const TaskEventRecord &record : live) {
                if (record.seq > last) {
                    m_waiting.append(record);
                }
            }
        } else {
            say(Wording::failure(story.error()));
        }
        flush();
    }));
}

void TaskWindow::onEvent(const TaskEventRecord &record)
{
    if (record.ref.taskId != m_taskId) {
        return;
    }
    m_lastEventMs = QDateTime::currentMSecsSinceEpoch();
    m_waiting.append(record);
    if (m_loaded && !m_flushTimer.isActive()) {
        m_flushTimer.start();
    }
}

void TaskWindow::flush()
{
    QElapsedTimer clock;
    clock.start();
    QTextCursor batch(m_story->document());
    batch.beginEditBlock();
    qsizetype at = 0;
    int shown = 0;
    while (at < m_waiting.size() && clock.elapsed() < kBatchTime) {
        TaskEventRecord record = m_waiting.at(at++);
        if (record.seq <= m_timeline->lastSeq()) {
            continue;
        }
        if (auto *text = std::get_if<engines::TextDelta>(&record.event)) {
            // A run of pieces of one message is one insertion.
            for (; at < m_waiting.size(); ++at) {
                const auto *more = std::get_if<engines::TextDelta>(&m_waiting.at(at).event);
                if (more == nullptr || more->itemId != text->itemId
                    || m_waiting.at(at).ref.turnId != record.ref.turnId) {
                    break;
                }
                text->text += more->text;
                record.seq = m_waiting.at(at).seq;
            }
        }
        m_timeline->add(record);
        ++shown;
    }
    batch.endEditBlock();
    m_waiting.remove(0, at);
    if (!m_waiting.isEmpty()) {
        m_flushTimer.start();
    }
    if (m_following) {
        QScrollBar *bar = m_story->verticalScrollBar();
        bar->setValue(bar->maximum());
    } else if (shown > 0) {
        m_new += shown;
        m_newButton->setText(tr("%n new", nullptr, m_new));
        m_newButton->show();
    }
    m_changesButton->setVisible(!m_timeline->turnDiff().isEmpty());
    if (!m_timeline->loweredFrom().isEmpty()) {
        refreshHeader();
    }
    refreshBanner();
}

void TaskWindow::setFollowing(bool following)
{
    m_following = following;
    if (following) {
        m_new = 0;
        m_newButton->hide();
        QScrollBar *bar = m_story->verticalScrollBar();
        bar->setValue(bar->maximum());
    }
}

void TaskWindow::refreshHeader()
{
    const auto task = m_book.find(m_taskId);
    if (!task) {
        m_title->setText(tr("Task %1").arg(visibleText(m_taskId)));
        m_stopButton->hide();
        m_compose->setEnabled(false);
        m_send->setEnabled(false);
        setWindowTitle(m_title->text());
        return;
    }
    const QString title = Wording::oneLine(task->title, 120);
    m_title->setText(title);
    setWindowTitle(tr("%1 - Deskhand").arg(Wording::oneLine(task->title, 60)));

    const bool over = TaskBook::isOver(task->state);
    const qint64 end = over ? task->endedAtMs : QDateTime::currentMSecsSinceEpoch();
    QString state = Wording::taskState(task->state);
    if (task->startedAtMs > 0 && end >= task->startedAtMs) {
        state += u" - "_s + Wording::duration(end - task->startedAtMs);
    }
    if (!task->error.isEmpty()) {
        state += u" - "_s + Wording::oneLine(task->error, 160);
    }
    m_state->setText(state);

    QStringList facts { tr("Folder: %1").arg(visibleText(task->cwd)) };
    if (!task->model.isEmpty()) {
        facts << tr("Model: %1").arg(visibleText(Wording::model(task->model)));
    }
    const QString wished = m_timeline->loweredFrom();
    facts << (wished.isEmpty()
            ? tr("Permission level: %1").arg(Wording::profile(task->profile))
            : tr("Permission level: %1 (asked for: %2)")
                  .arg(Wording::profile(task->profile), Wording::profile(wished)));
    const bool walled = !over && m_core.status().sandbox.engineWall == "on"_L1;
    facts << tr("Sandbox: %1").arg(Wording::taskSandbox(task->profile, walled));
    const engines::Usage usage = m_timeline->usage();
    if (usage.totalTokens > 0) {
        facts << tr("Tokens: %1").arg(QLocale().toString(usage.totalTokens));
    }
    m_facts->setText(facts.join(u"\n"_s));

    m_stopButton->setVisible(!over);
    m_stopButton->setEnabled(task->state != TaskState::Stopping);
    const bool local = task->origin == tasks::Origin::Local;
    m_compose->setEnabled(local);
    m_send->setEnabled(local);
    if (!local) {
        m_compose->setPlaceholderText(tr("This task goes on in the web workspace."));
    } else {
        m_compose->setPlaceholderText(
            over ? tr("Go on with this task…") : tr("Runs after the present turn…"));
    }
}

void TaskWindow::refreshBanner()
{
    const auto task = m_book.find(m_taskId);
    const qint64 now = QDateTime::currentMSecsSinceEpoch();
    QString text;
    QString button;
    if (task && task->openRequests > 0 && !TaskBook::isOver(task->state)) {
        text = tr("This task waits for your decision.");
        button = tr("Show &request");
    } else if (task && task->state == TaskState::Running) {
        const qint64 last = qMax(m_lastEventMs, task->lastEventAtMs);
        const qint64 quiet = now - last;
        if (last > 0 && quiet >= m_quietLimit.count() && now >= m_patienceUntilMs) {
            const QString open = m_timeline->openWork();
            text = open.isEmpty()
                ? tr("No news for %1. Nothing is open.").arg(Wording::duration(quiet))
                : tr("No news for %1. Still running: %2")
                      .arg(Wording::duration(quiet), Wording::oneLine(open, 80));
            button = tr("&Keep waiting");
        }
    }
    if (!text.isEmpty()) {
        const bool dark = palette().color(QPalette::Window).lightness() < 128;
        QPalette strip = palette();
        strip.setColor(QPalette::Window, QColor(dark ? 0x4a3a10 : 0xfff0c2));
        strip.setColor(QPalette::WindowText, QColor(dark ? 0xfff0c2 : 0x4a3200));
        m_banner->setPalette(strip);
        m_bannerButton->setPalette(palette());
        m_bannerText->setText(text);
        m_bannerButton->setText(button);
    }
    m_banner->setVisible(!text.isEmpty());
}

void TaskWindow::find(bool backwards)
{
    const QString text = m_findText->text();
    if (text.isEmpty()) {
        return;
    }
    setFollowing(false);
    const auto flags = backwards ? QTextDocument::FindBackward : QTextDocument::FindFlags();
    if (!m_story->find(text, flags)) {
        // From the other end once more.
        QTextCursor cursor = m_story->textCursor();
        cursor.movePosition(backwards ? QTextCursor::End : QTextCursor::Start);
        m_story->setTextCursor(cursor);
        if (!m_story->find(text, flags)) {
            say(tr("“%1” was not found.").arg(Wording::oneLine(text)));
            return;
        }
    }
    say({});
}

void TaskWindow::stop()
{
    m_stopButton->setEnabled(false);
    m_core.stopTask(m_taskId, guarded(this, [this](const Result<> &result) {
        if (!result) {
            say(Wording::failure(result.error()));
            refreshHeader();
        }
    }));
}

void TaskWindow::sendFollowUp()
{
    const QString prompt = m_compose->text().trimmed();
    const auto task = m_book.find(m_taskId);
    if (prompt.isEmpty() || !task) {
        return;
    }
    m_send->setEnabled(false);
    LocalTask next;
    next.prompt = prompt;
    next.cwd = task->cwd;
    next.profile = task->profile;
    next.continueTask = m_taskId;
    m_core.startLocalTask(next, guarded(this, [this](const Result<QString> &result) {
        if (result) {
            m_compose->clear();
            say({});
        } else {
            say(Wording::failure(result.error()));
        }
        refreshHeader();
    }));
}

void TaskWindow::showFullText(const QString &title, const QString &text)
{
    auto *dialog = new QDialog(this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setObjectName(u"fullText"_s);
    dialog->setWindowTitle(title);
    dialog->resize(size());
    auto *view = new DiffView(dialog);
    view->setDiff(text);
    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Close, dialog);
    buttons->button(QDialogButtonBox::Close)->setText(tr("&Close"));
    auto *column = new QVBoxLayout(dialog);
    column->addWidget(view);
    column->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::reject);
    dialog->open();
}

void TaskWindow::say(const QString &sentence)
{
    m_message->setText(sentence);
    m_message->setVisible(!sentence.isEmpty());
}

void TaskWindow::keyPressEvent(QKeyEvent *event)
{
    if (event->key() == Qt::Key_Escape && m_findBar->isVisible()) {
        m_findBar->hide();
        say({});
        return;
    }
    QWidget::keyPressEvent(event);
}

void TaskWindow::changeEvent(QEvent *event)
{
    QWidget::changeEvent(event);
    // Colours are in the text itself: write it again in the new ones.
    if (event->type() == QEvent::PaletteChange && m_loaded
        && m_story->document()->characterCount() > 1) {
        load();
    }
}

void TaskWindow::closeEvent(QCloseEvent *event)
{
    m_preferences.savePlace(*this);
    QWidget::closeEvent(event);
    Q_EMIT closed();
}

} // namespace deskhand::app
