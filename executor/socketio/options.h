// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QJsonObject>
#include <QList>
#include <QNetworkProxy>
#include <QSslCertificate>
#include <QSslConfiguration>
#include <QString>
#include <QStringList>

#include <chrono>
#include <optional>

namespace deskhand::socketio {

/// How a lost link is sought again. The waiting never ends by itself.
struct ReconnectPolicy
{
    bool enabled = true;
    std::chrono::milliseconds initialDelay { 1000 };
    std::chrono::milliseconds maxDelay { 60000 };
    double factor = 2.0; ///< >= 1
    double jitter = 0.3; ///< share of the delay it may differ by either way, 0..1
    /// After the loss of a link that was up, the first try comes without delay.
    bool firstRetryImmediate = true;
    /// A link lost sooner than this after it was up counts as one more failed try.
    std::chrono::milliseconds stableAfter { 5000 };
    /// A namespace refused by CONNECT_ERROR is tried again by the back-off; otherwise its owner
    /// decides (retryIn, reconnectNow, stop); a reconnect of the link does not ask it again.
    bool retryAfterRefusal = false;
    /// The same for a namespace the server has disconnected.
    bool retryAfterServerDisconnect = false;
};

/// What a SocketIoClient connects to and by which limits. Value type.
struct ClientOptions
{
    QString url; ///< http, https, ws or wss
    QString path; ///< overrides the path of `url`; see engineUrl()
    QStringList namespaces = { QStringLiteral("/") };
    QJsonObject auth; ///< sent with each CONNECT; empty: none

    std::chrono::milliseconds linkTimeLimit { 20000 }; ///< TCP, TLS, WebSocket, open packet
    std::chrono::milliseconds namespaceTimeLimit { 10000 }; ///< open packet to CONNECT's answer
    std::chrono::milliseconds closeTimeLimit { 2000 }; ///< clean close, then the socket is cut
    ReconnectPolicy reconnect;

    qint64 maxIncomingBytes = 32 * 1024 * 1024; ///< one message; a larger one cuts the link
    /// Received and not yet handled; a slower reader loses the link instead of the memory.
    qint64 maxQueuedBytes = 64 * 1024 * 1024;
    qint64 maxOutgoingBytes = 1'000'000; ///< per frame, when the server announces no maxPayload

    QNetworkProxy proxy { QNetworkProxy::NoProxy };
    std::optional<QSslConfiguration> tls; ///< absent: the system's default
    QList<QSslCertificate> extraCaCertificates;
};

} // namespace deskhand::socketio
