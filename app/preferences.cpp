// SPDX-License-Identifier: Apache-2.0
#include "app/preferences.h"

#include <QGuiApplication>
#include <QScreen>
#include <QWidget>

using namespace Qt::StringLiterals;

namespace deskhand::app {
namespace {

constexpr auto kLastFolder = "newTask/folder"_L1;
constexpr auto kCloseAction = "window/onClose"_L1;
constexpr auto kNoTrayHint = "tray/noHostHintShown"_L1;

} // namespace

Preferences::Preferences(const QString &file)
    : m_store(file.isEmpty() ? std::make_unique<QSettings>()
                             : std::make_unique<QSettings>(file, QSettings::IniFormat))
{ }

QString Preferences::lastFolder() const
{
    return m_store->value(kLastFolder).toString();
}

void Preferences::setLastFolder(const QString &folder)
{
    m_store->setValue(kLastFolder, folder);
}

Preferences::CloseAction Preferences::closeAction() const
{
    const QString word = m_store->value(kCloseAction).toString();
    if (word == "keep"_L1) {
        return CloseAction::KeepRunning;
    }
    return word == "quit"_L1 ? CloseAction::Quit : CloseAction::Ask;
}

void Preferences::setCloseAction(CloseAction action)
{
    switch (action) {
    case CloseAction::Ask:
        m_store->remove(kCloseAction);
        break;
    case CloseAction::KeepRunning:
        m_store->setValue(kCloseAction, u"keep"_s);
        break;
    case CloseAction::Quit:
        m_store->setValue(kCloseAction, u"quit"_s);
        break;
    }
}

bool Preferences::noTrayHintShown() const
{
    return m_store->value(kNoTrayHint).toBool();
}

void Preferences::setNoTrayHintShown()
{
    m_store->setValue(kNoTrayHint, true);
}

void Preferences::restorePlace(QWidget &window) const
{
    const QByteArray place = m_store->value("place/"_L1 + window.objectName()).toByteArray();
    if (place.isEmpty() || !window.restoreGeometry(place)) {
        return;
    }
    const QScreen *screen = QGuiApplication::screenAt(window.geometry().center());
    if (screen == nullptr && QGuiApplication::primaryScreen() != nullptr) {
        window.move(
            QGuiApplication::primaryScreen()->availableGeometry().topLeft() + QPoint(40, 40));
    }
}

void Preferences::savePlace(const QWidget &window)
{
    m_store->setValue("place/"_L1 + window.objectName(), window.saveGeometry());
}

} // namespace deskhand::app
