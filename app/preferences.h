// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QByteArray>
#include <QSettings>
#include <QString>

#include <memory>

class QWidget;

namespace deskhand::app {

/// What the desktop program remembers for itself: places of windows, the last folder, hints that
/// were shown. Nothing the executor needs. Owned by main, main thread only.
class Preferences final
{
public:
    /// An empty file name means the place QSettings chooses.
    explicit Preferences(const QString &file = {});

    [[nodiscard]] QString lastFolder() const;
    void setLastFolder(const QString &folder);

    enum class CloseAction { Ask, KeepRunning, Quit };
    [[nodiscard]] CloseAction closeAction() const;
    void setCloseAction(CloseAction action);

    [[nodiscard]] bool noTrayHintShown() const;
    void setNoTrayHintShown();

    /// Puts the window where it was, moved into a visible screen when that one is gone.
    void restorePlace(QWidget &window) const;
    void savePlace(const QWidget &window);

private:
    std::unique_ptr<QSettings> m_store;
};

} // namespace deskhand::app
