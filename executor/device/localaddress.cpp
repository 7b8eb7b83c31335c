// SPDX-License-Identifier: Apache-2.0
#include "executor/device/localaddress.h"

using namespace Qt::StringLiterals;

namespace deskhand::device {
namespace {

constexpr int kSecurePort = 443;
constexpr int kPlainPort = 80;

} // namespace

LocalAddress::LocalAddress(QObject *parent)
    : QObject(parent)
{
    connect(&m_socket, &QUdpSocket::connected, this, [this] {
        const QHostAddress own = m_socket.localAddress();
        if (!own.isNull() && !own.isMulticast() && own != QHostAddress(QHostAddress::AnyIPv4)
            && own != QHostAddress(QHostAddress::AnyIPv6)) {
            m_address = own.toString();
        }
        m_socket.abort();
    });
}

void LocalAddress::detect(const QUrl &backend)
{
    if (backend.host().isEmpty()) {
        return;
    }
    const bool secure = backend.scheme() == u"https" || backend.scheme() == u"wss";
    m_socket.abort();
    m_socket.connectToHost(
        backend.host(), static_cast<quint16>(backend.port(secure ? kSecurePort : kPlainPort)));
}

QString LocalAddress::current() const
{
    return m_address.isEmpty() ? u"127.0.0.1"_s : m_address;
}

} // namespace deskhand::device
