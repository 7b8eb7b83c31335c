// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/tray/trayicon.h"
#include "app/tray/traymenu.h"

#include <QSystemTrayIcon>
#include <QTimer>

namespace deskhand::app {

/// The icon in the tray: follows the overall state and the desktop's palette, and appears when a
/// tray host appears, also later. Owned by the desktop, main thread.
class Tray final : public QObject
{
    Q_OBJECT
public:
    Tray(Core &core, StatusWatch &watch, TaskBook &book, PauseClock &pause,
        QObject *parent = nullptr);
    ~Tray() override;

    /// Shows the icon if there is a host; keeps looking for one while there is none.
    void show();
    [[nodiscard]] bool hasHost() const { return m_hasHost; }
    [[nodiscard]] TrayMenu &menu() { return m_menu; }
    [[nodiscard]] OverallState shownState() const { return m_shown; }
    /// Whether settled() is still to come.
    [[nodiscard]] bool isSettling() const { return m_settleLimit.isActive(); }
    [[nodiscard]] QString toolTip() const { return m_icon.toolTip(); }

    void showMessage(const QString &title, const QString &text, bool problem);

Q_SIGNALS:
    /// Once: the icon is on the screen, or there is nothing to wait for.
    void settled();
    /// The icon was clicked.
    void activated();
    void messageClicked();
    /// A host appeared or went away.
    void hostChanged(bool present);

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void refresh();
    void lookForHost();
    void settle();

    StatusWatch &m_watch;
    TrayMenu m_menu;
    QSystemTrayIcon m_icon;
    QTimer m_hostTimer;
    QTimer m_settleLimit; ///< of waiting for the icon to be painted
    bool m_hasHost = false;
    bool m_drawn = false;
    bool m_settled = false;
    OverallState m_shown = OverallState::Ready;
    int m_shownBadge = 0;
    IconTone m_shownTone;
};

} // namespace deskhand::app
