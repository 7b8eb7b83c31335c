// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <QString>
#include <QUdpSocket>
#include <QUrl>

namespace deskhand::device {

/// The address of this computer on the way to the backend: a UDP socket "connected" to it sends
/// nothing and knows its own side. Advisory for the backend. Owner: DeviceLink; executor thread.
class LocalAddress final : public QObject
{
    Q_OBJECT
public:
    explicit LocalAddress(QObject *parent = nullptr);

    /// Begins to look; a host name may take a moment.
    void detect(const QUrl &backend);
    /// What is known, else the loopback address.
    [[nodiscard]] QString current() const;

private:
    QUdpSocket m_socket;
    QString m_address;
};

} // namespace deskhand::device
