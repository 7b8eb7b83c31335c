// SPDX-License-Identifier: Apache-2.0
#include "app/tray/tray.h"

#include "app/status/statuswatch.h"
#include "app/wording.h"

#include <QApplication>
#include <QEvent>

#include <algorithm>

using namespace std::chrono_literals;

namespace deskhand::app {
namespace {

/// How often a tray host is looked for: Qt has no signal for its coming and going.
constexpr auto kHostInterval = 2s;
/// How long a host may take to put the icon on the screen before the rest of the program starts
/// without it.
constexpr auto kSettleLimit = 500ms;
constexpr int kTitleLimit = 60;
constexpr int kTextLimit = 140;

bool isTrayWindow(const QObject *object)
{
    return object->inherits("QSystemTrayIconSys");
}

} // namespace

Tray::Tray(Core &core, StatusWatch &watch, TaskBook &book, PauseClock &pause, QObject *parent)
    : QObject(parent)
    , m_watch(watch)
    , m_menu(core, watch, book, pause)
    , m_shownTone(currentTone())
{
    m_icon.setContextMenu(&m_menu);
    connect(&m_icon, &QSystemTrayIcon::activated, this,
        [this](QSystemTrayIcon::ActivationReason reason) {
            if (reason == QSystemTrayIcon::Trigger) {
                Q_EMIT activated();
            }
        });
    connect(&m_icon, &QSystemTrayIcon::messageClicked, this, &Tray::messageClicked);
    connect(&watch, &StatusWatch::changed, this, &Tray::refresh);
    m_hostTimer.setInterval(kHostInterval);
    connect(&m_hostTimer, &QTimer::timeout, this, &Tray::lookForHost);
    m_settleLimit.setSingleShot(true);
    connect(&m_settleLimit, &QTimer::timeout, this, &Tray::settle);
    qApp->installEventFilter(this);
    refresh();
}

Tray::~Tray()
{
    m_icon.hide();
}

void Tray::show()
{
    lookForHost();
    m_hostTimer.start();
    // In an X11 tray the icon is a window of ours and is painted once the host took it; elsewhere
    // the host paints it.
    const QWidgetList windows = QApplication::topLevelWidgets();
    const bool ownWindow = std::any_of(windows.cbegin(), windows.cend(), isTrayWindow);
    m_settleLimit.start(ownWindow ? kSettleLimit : 0ms);
}

void Tray::settle()
{
    if (!m_settled) {
        m_settled = true;
        m_settleLimit.stop();
        Q_EMIT settled();
    }
}

void Tray::lookForHost()
{
    const bool present = QSystemTrayIcon::isSystemTrayAvailable();
    if (present && !m_icon.isVisible()) {
        m_icon.show();
    }
    if (present != m_hasHost) {
        m_hasHost = present;
        Q_EMIT hostChanged(present);
    }
}

void Tray::refresh()
{
    const Overall overall = m_watch.overall();
    const IconTone tone = currentTone();
    if (!m_drawn || overall.state != m_shown || overall.badge != m_shownBadge
        || tone != m_shownTone) {
        m_drawn = true;
        m_shown = overall.state;
        m_shownBadge = overall.badge;
        m_shownTone = tone;
        m_icon.setIcon(trayIcon(m_shown, m_shownBadge, m_shownTone));
    }
    const QString tip = Parts::tooltip(m_watch.status(), overall);
    if (tip != m_icon.toolTip()) {
        m_icon.setToolTip(tip);
    }
}

bool Tray::eventFilter(QObject *watched, QEvent *event)
{
    if (event->type() == QEvent::ApplicationPaletteChange && watched == qApp) {
        QMetaObject::invokeMethod(this, &Tray::refresh, Qt::QueuedConnection);
    }
    if (!m_settled && event->type() == QEvent::Paint && isTrayWindow(watched)) {
        // After this very paint.
        QMetaObject::invokeMethod(this, &Tray::settle, Qt::QueuedConnection);
    }
    return QObject::eventFilter(watched, event);
}

void Tray::showMessage(const QString &title, const QString &text, bool problem)
{
    if (m_icon.isVisible() && QSystemTrayIcon::supportsMessages()) {
        m_icon.showMessage(Wording::oneLine(title, kTitleLimit), Wording::oneLine(text, kTextLimit),
            problem ? QSystemTrayIcon::Warning : QSystemTrayIcon::Information);
    }
}

} // namespace deskhand::app
