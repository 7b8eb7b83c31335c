// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/core.h"
#include "app/tasks/timeline.h"

#include <QTextBrowser>
#include <QTimer>
#include <QWidget>

class QLabel;
class QLineEdit;
class QPushButton;

namespace deskhand::app {

class Preferences;
class TaskBook;

/// Text that never loads anything from anywhere.
class StoryView final : public QTextBrowser
{
    Q_OBJECT
public:
    using QTextBrowser::QTextBrowser;

protected:
    QVariant loadResource(int type, const QUrl &name) override;
};

/// One task, live: its story, its state, the way to stop it and to go on with it. Events are
/// collected and shown in batches, so that bursts stay cheap. Owned by the desktop, main thread.
class TaskWindow final : public QWidget
{
    Q_OBJECT
public:
    TaskWindow(Core &core, TaskBook &book, Preferences &preferences, const QString &taskId,
        QWidget *parent = nullptr);

    [[nodiscard]] QString taskId() const { return m_taskId; }
    /// How long a running task may be silent before the window says so. For tests.
    void setQuietLimit(std::chrono::milliseconds limit) { m_quietLimit = limit; }
    /// Everything that arrived is on screen.
    [[nodiscard]] bool isUpToDate() const { return m_loaded && m_waiting.isEmpty(); }

Q_SIGNALS:
    void requestsChosen();
    void closed();

protected:
    void closeEvent(QCloseEvent *event) override;
    void changeEvent(QEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;

private:
    void buildHeader();
    void buildStory();
    void buildFooter();
    void load();
    void onEvent(const TaskEventRecord &record);
    void flush();
    void refreshHeader();
    void refreshBanner();
    void setFollowing(bool following);
    void find(bool backwards);
    void stop();
    void sendFollowUp();
    void showFullText(const QString &title, const QString &text);
    void say(const QString &sentence);

    Core &m_core;
    TaskBook &m_book;
    Preferences &m_preferences;
    QString m_taskId;
    Timeline *m_timeline;
    QList<TaskEventRecord> m_waiting;
    QTimer m_flushTimer;
    QTimer m_tick;
    std::chrono::milliseconds m_quietLimit { 60'000 };
    qint64 m_lastEventMs = 0;
    qint64 m_patienceUntilMs = 0;
    int m_new = 0;
    bool m_loaded = false;
    bool m_following = true;

    QLabel *m_title;
    QLabel *m_state;
    QLabel *m_facts;
    QPushButton *m_stopButton;
    QPushButton *m_changesButton;
    QWidget *m_banner;
    QLabel *m_bannerText;
    QPushButton *m_bannerButton;
    StoryView *m_story;
    QPushButton *m_newButton;
    QWidget *m_findBar;
    QLineEdit *m_findText;
    QLabel *m_message;
    QLineEdit *m_compose;
    QPushButton *m_send;
};

} // namespace deskhand::app
