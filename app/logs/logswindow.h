// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QWidget>

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QTableView;

namespace deskhand::app {

class LogFilter;
class LogModel;
class Preferences;

/// The log, live: follows until scrolled up; filtered by level, source and text; lines can be
/// copied. Owned by the desktop, main thread.
class LogsWindow final : public QWidget
{
    Q_OBJECT
public:
    LogsWindow(LogModel &model, Preferences &preferences, const QString &folder,
        QWidget *parent = nullptr);

protected:
    void closeEvent(QCloseEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;

private:
    void refreshSources();
    void applyText();
    void setFollowing(bool following);
    void copySelected();

    LogModel &m_model;
    Preferences &m_preferences;
    QString m_folder;
    LogFilter *m_filter;
    QComboBox *m_level;
    QComboBox *m_source;
    QLineEdit *m_text;
    QLabel *m_textNote;
    QTableView *m_table;
    QPushButton *m_follow;
    bool m_following = true;
};

} // namespace deskhand::app
