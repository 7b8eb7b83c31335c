// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/common/result.h"
#include "executor/net/httpmessage.h"

#include <QByteArray>
#include <QObject>
#include <QTimer>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

namespace deskhand::net {

struct CurlApi;
class CurlLoop;
class Transfer;

/// One outgoing request.
struct HttpRequest
{
    QByteArray method = "POST";
    QByteArray url; ///< encoded
    HeaderList headers;
    std::shared_ptr<const std::string> body; ///< may be null
    QByteArray proxyUrl; ///< http, https, socks5, socks5h; empty: environment, then system
    bool insecureTls = false; ///< the certificate is not verified
    bool followSameOrigin = true; ///< 307 and 308 to the same scheme, host and port
    std::chrono::milliseconds connectTimeout { 30000 };
    std::chrono::milliseconds firstByteTimeout { 300000 };
    std::chrono::milliseconds idleTimeout { 300000 }; ///< between bytes; there is no total limit
};

/// Why a transfer ended without a complete answer.
enum class TransferFault {
    None,
    Url, ///< malformed or of a scheme that is not served
    Proxy, ///< the proxy is invalid or unreachable
    Resolve,
    Connect, ///< refused, reset, unreachable
    Tls, ///< handshake cut or failed for another reason than the certificate
    Certificate, ///< the peer is not who it should be
    ClosedEarly, ///< closed before a status line
    NotHttp, ///< an answer without a status line
    CutBody, ///< closed or broken within the body
    ConnectTimeout,
    FirstByteTimeout,
    IdleTimeout,
    Library ///< libcurl is missing or failed
};

/// Hears about one transfer, on the client's thread. onFinished is the last call and comes once,
/// unless the transfer was cancelled.
class TransferListener
{
public:
    virtual ~TransferListener() = default;
    virtual void onHead(int status, const HeaderList &headers) = 0;
    /// Decompressed bytes of the body.
    virtual void onBytes(std::string_view bytes) = 0;
    /// `message` is for people and has no URL query and no secret in it.
    virtual void onFinished(TransferFault fault, const QString &message) = 0;
};

/// A running request. Deleting it cancels it and closes its stream; also allowed from within a
/// callback of its listener.
class TransferHandle final
{
public:
    explicit TransferHandle(std::shared_ptr<Transfer> transfer);
    ~TransferHandle();
    Q_DISABLE_COPY_MOVE(TransferHandle)

    /// Stops reading from the peer, so that its sending stalls.
    void pause();
    void resume();

private:
    std::shared_ptr<Transfer> m_transfer;
};

/// The one way out to HTTP servers: libcurl's multi interface on Qt's event loop. HTTP/2 by ALPN,
/// verified TLS, proxies (never for loopback), decompression, any number of parallel streams per
/// host. Owned by whoever sends, lives on one thread; initialised at the first request.
class HttpClient final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(HttpClient)

public:
    /// `extraCaFile`: PEM authorities trusted in addition to the system's; may be empty.
    explicit HttpClient(const QString &extraCaFile = {}, QObject *parent = nullptr);
    ~HttpClient() override;

    /// The listener must outlive the handle. A request that cannot even start is reported to the
    /// listener too, never from within send().
    [[nodiscard]] std::unique_ptr<TransferHandle> send(
        const HttpRequest &request, TransferListener &listener);

private:
    QString m_extraCaFile;
    std::shared_ptr<CurlLoop> m_loop; // handles may outlive the client
};

} // namespace deskhand::net
