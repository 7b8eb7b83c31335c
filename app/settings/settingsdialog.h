// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/core.h"

#include <QDialog>
#include <QTimer>
#include <QTranslator>

class QLineEdit;
class QListWidget;
class QPushButton;
class QStackedWidget;

namespace deskhand::app {

class FieldNote;
class SettingsPage;

/// The settings: a search and the pages at the left, the chosen one at the right. Changes apply at
/// once and can be undone for ten seconds. Owned by the desktop, main thread.
class SettingsDialog final : public QDialog
{
    Q_OBJECT
public:
    enum class Page { Account, Engine, Permissions, Sandbox, Models, Logs };

    SettingsDialog(Core &core, const QString &logFolder, QWidget *parent = nullptr);
    void showPage(Page page);

private:
    void addPage(const QString &title, SettingsPage *page);
    void search(const QString &text);
    void onChanged(const settings::ExecutorSettings &before);
    void undo();

    Core &m_core;
    QLineEdit *m_search;
    FieldNote *m_searchNote;
    QListWidget *m_list;
    QStackedWidget *m_stack;
    QWidget *m_strip;
    FieldNote *m_stripNote;
    QPushButton *m_undo;
    QTimer m_stripTimer;
    settings::ExecutorSettings m_before;
    QList<SettingsPage *> m_pages;
    QTranslator m_chinese; ///< so that Chinese words find settings in every language
};

} // namespace deskhand::app
