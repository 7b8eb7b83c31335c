// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/core.h"
#include "app/prompts/requestqueue.h"

#include <QTimer>
#include <QWidget>

#include <chrono>

class QCheckBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QScrollArea;
class QToolButton;

namespace deskhand::app {

class DecisionButton;
class RequestView;
class TaskBook;

/// The one window for all permission requests: shows one at a time, oldest first, and hands the
/// owner's decision to the core. Opens without taking the focus; nothing is decided by Return,
/// Space, Esc, closing or time. Decisions are ignored for a moment after the content changed.
/// Owned by the desktop, main thread.
class PromptWindow final : public QWidget
{
    Q_OBJECT
public:
    PromptWindow(Core &core, TaskBook &book, QWidget *parent = nullptr);

    /// Shows the window at the corner of the screen without taking the focus.
    void presentQuietly();
    /// Shows it because the owner asked for it; with an id, that request first.
    void presentForOwner(const QString &requestId = {});
    [[nodiscard]] QString shownRequest() const { return m_shownId; }

    /// How long decisions are ignored after the content changed, and how long a request that was
    /// answered elsewhere stays. For tests.
    void setTimes(std::chrono::milliseconds guard, std::chrono::milliseconds farewell);

Q_SIGNALS:
    void taskChosen(const QString &taskId);

protected:
    void closeEvent(QCloseEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void showEvent(QShowEvent *event) override;
    void hideEvent(QHideEvent *event) override;

private:
    using Entry = RequestQueue::Entry;

    void buildLayout();
    void buildButtons();
    void onOpened(const engines::PermissionRequest &request);
    void onClosed(const engines::PermissionRequest &request, engines::RequestOutcome outcome,
        const QString &by, const QString &reason);
    void decide(engines::Choice choice);
    void handOver(Entry &entry, const engines::Decision &decision);
    void onDelivered(const QString &requestId, const Result<> &result);
    void showEntry(qsizetype index);
    void showNext();
    void step(int by);
    void remove(const QString &requestId);
    void refreshTexts();
    void refreshAlike();
    void refreshButtons();
    [[nodiscard]] QString countdown(const engines::PermissionRequest &request) const;

    Core &m_core;
    TaskBook &m_book;
    RequestQueue m_queue;
    QString m_shownId;
    QTimer m_guard;
    QTimer m_tick;
    std::chrono::milliseconds m_farewell { 3000 };

    QLabel *m_position;
    QLabel *m_countdown;
    QToolButton *m_previous;
    QToolButton *m_next;
    QLabel *m_sentence;
    QLabel *m_about;
    QPushButton *m_openTask;
    QLabel *m_why;
    QScrollArea *m_scroll;
    QWidget *m_body;
    RequestView *m_view = nullptr;
    QLabel *m_risks;
    QLabel *m_level;
    QLineEdit *m_reason;
    QCheckBox *m_alike; ///< the decision also counts for the identical ones
    QStringList m_alikeIds; ///< of those the tick speaks of
    QLabel *m_note;
    QList<DecisionButton *> m_buttons;
};

} // namespace deskhand::app
