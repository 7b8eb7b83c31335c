// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/core.h"

#include <QPushButton>
#include <QTimer>
#include <QWidget>

#include <chrono>

class QLabel;
class QLineEdit;
class QScrollArea;
class QToolButton;

namespace deskhand::app {

class RequestView;
class TaskBook;

/// A button of the prompt. Those that grant something never react to Return or Space, whoever has
/// the focus: only a click or their own shortcut counts.
class DecisionButton final : public QPushButton
{
    Q_OBJECT
public:
    DecisionButton(engines::Choice choice, QWidget *parent);
    [[nodiscard]] engines::Choice choice() const { return m_choice; }

protected:
    void keyPressEvent(QKeyEvent *event) override;
    void keyReleaseEvent(QKeyEvent *event) override;

private:
    engines::Choice m_choice;
};

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
    /// A request the window knows: waiting, being delivered, or over and shown for a moment more.
    struct Entry
    {
        engines::PermissionRequest request;
        bool sending = false;
        bool over = false;
        QString note; ///< what became of it, or why the decision did not arrive
    };

    void buildLayout();
    void buildButtons();
    void onOpened(const engines::PermissionRequest &request);
    void onClosed(const engines::PermissionRequest &request, engines::RequestOutcome outcome,
        const QString &by, const QString &reason);
    void decide(engines::Choice choice);
    void onDelivered(const QString &requestId, const Result<> &result);
    void showEntry(qsizetype index);
    void showNext();
    void step(int by);
    void remove(const QString &requestId);
    void refreshTexts();
    void refreshButtons();
    [[nodiscard]] qsizetype indexOf(const QString &requestId) const;
    [[nodiscard]] QString countdown(const engines::PermissionRequest &request) const;

    Core &m_core;
    TaskBook &m_book;
    QList<Entry> m_entries;
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
    QLabel *m_note;
    QList<DecisionButton *> m_buttons;
};

} // namespace deskhand::app
