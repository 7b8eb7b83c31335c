// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/core.h"

#include <QDialog>
#include <QTimer>

class QLabel;
class QListWidget;
class QPushButton;
class QStackedWidget;

namespace deskhand::app {

class FieldNote;
class SettingsPage;

/// The settings: pages at the left, the chosen one at the right. Changes apply at once and can be
/// undone for ten seconds. Owned by the desktop, main thread.
class SettingsDialog final : public QDialog
{
    Q_OBJECT
public:
    enum class Page { Account, Engine, Permissions, Models };

    explicit SettingsDialog(Core &core, QWidget *parent = nullptr);
    void showPage(Page page);

private:
    void addPage(const QString &title, SettingsPage *page);
    void onChanged(const settings::ExecutorSettings &before);
    void undo();

    Core &m_core;
    QListWidget *m_list;
    QStackedWidget *m_stack;
    QWidget *m_strip;
    FieldNote *m_stripNote;
    QPushButton *m_undo;
    QTimer m_stripTimer;
    settings::ExecutorSettings m_before;
    QList<SettingsPage *> m_pages;
};

} // namespace deskhand::app
