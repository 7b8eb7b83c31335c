// SPDX-License-Identifier: Apache-2.0
#include "executor/net/httpclient.h"

#include "executor/logging/log.h"
#include "executor/net/transfer_p.h"

#include <QFile>

#include <algorithm>

#undef curl_easy_setopt
#undef curl_easy_getinfo
#undef curl_multi_setopt

namespace deskhand::net {
namespace {

TransferFault faultOf(CURLcode code, bool sawByte)
{
    switch (code) {
    case CURLE_OK:
        return TransferFault::None;
    case CURLE_URL_MALFORMAT:
        return TransferFault::Url;
    case CURLE_UNSUPPORTED_PROTOCOL: // the scheme was checked before: this is an HTTP/0.9 answer
    case CURLE_WEIRD_SERVER_REPLY:
        return TransferFault::NotHttp;
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_PROXY:
        return TransferFault::Proxy;
    case CURLE_COULDNT_RESOLVE_HOST:
        return TransferFault::Resolve;
    case CURLE_COULDNT_CONNECT:
        return TransferFault::Connect;
    case CURLE_SSL_CONNECT_ERROR:
        return TransferFault::Tls;
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_INVALIDCERTSTATUS:
        return TransferFault::Certificate;
    case CURLE_OPERATION_TIMEDOUT: // only the connect limit is curl's
        return TransferFault::ConnectTimeout;
    case CURLE_GOT_NOTHING:
        return TransferFault::ClosedEarly;
    default:
        return sawByte ? TransferFault::CutBody : TransferFault::ClosedEarly;
    }
}

/// The system's bundle followed by the extra file: setting one alone would replace the other.
Result<std::string> authoritiesWith(const CurlApi &api, const QString &extraFile)
{
    QFile extra(extraFile);
    if (!extra.open(QIODevice::ReadOnly)) {
        return failure(ErrorKind::Io,
            QStringLiteral("cannot read the certificate file %1: %2")
                .arg(extraFile, extra.errorString()));
    }
    QByteArray all;
    const curl_version_info_data *info = api.versionInfo(CURLVERSION_NOW);
    if (info != nullptr && info->age >= CURLVERSION_SEVENTH && info->cainfo != nullptr) {
        QFile bundle(QFile::decodeName(info->cainfo));
        if (bundle.open(QIODevice::ReadOnly)) {
            all = bundle.readAll() + '\n';
        }
    }
    all += extra.readAll();
    return all.toStdString();
}

} // namespace

CurlLoop::CurlLoop(const QString &extraCaFile)
    : m_extraCaFile(extraCaFile)
    , m_timer(this)
    , m_tick(this)
{
    m_timer.setSingleShot(true);
    connect(&m_timer, &QTimer::timeout, this, [this] { act(CURL_SOCKET_TIMEOUT, 0); });
    connect(&m_tick, &QTimer::timeout, this, &CurlLoop::checkTimeLimits);
}

CurlLoop::~CurlLoop()
{
    for (const std::shared_ptr<Transfer> &transfer : m_active) {
        if (transfer->m_added) {
            m_api->multiRemoveHandle(m_multi, transfer->m_easy);
            transfer->m_added = false;
        }
    }
    m_active.clear();
    m_sockets.clear();
    if (m_multi != nullptr) {
        m_api->multiSetopt(m_multi, CURLMOPT_SOCKETFUNCTION, nullptr);
        m_api->multiSetopt(m_multi, CURLMOPT_TIMERFUNCTION, nullptr);
        m_api->multiCleanup(m_multi);
    }
}

bool CurlLoop::initialise()
{
    if (m_multi != nullptr) {
        return true;
    }
    const Result<const CurlApi *> api = CurlApi::load();
    if (!api) {
        m_problem = api.error().message;
        return false;
    }
    m_api = *api;
    if (!m_extraCaFile.isEmpty()) {
        Result<std::string> bundle = authoritiesWith(*m_api, m_extraCaFile);
        if (!bundle) {
            m_problem = bundle.error().message;
            return false;
        }
        m_caBundle = std::move(*bundle);
    }
    m_multi = m_api->multiInit();
    m_api->multiSetopt(m_multi, CURLMOPT_SOCKETFUNCTION, &CurlLoop::onSocket);
    m_api->multiSetopt(m_multi, CURLMOPT_SOCKETDATA, static_cast<void *>(this));
    m_api->multiSetopt(m_multi, CURLMOPT_TIMERFUNCTION, &CurlLoop::onTimer);
    m_api->multiSetopt(m_multi, CURLMOPT_TIMERDATA, static_cast<void *>(this));
    m_api->multiSetopt(m_multi, CURLMOPT_MAXCONNECTS, 64L); // idle ones kept for reuse
    return true;
}

void CurlLoop::start(const std::shared_ptr<Transfer> &transfer)
{
    m_active.push_back(transfer);
    m_toAdd.push_back(transfer);
    if (m_depth == 0) {
        // Not within the caller's stack: a failure to start must not call back from send().
        QTimer::singleShot(0, this, &CurlLoop::afterCurl);
    }
}

void CurlLoop::cancelled(Transfer &transfer)
{
    const auto it = std::find_if(m_active.begin(), m_active.end(),
        [&](const auto &active) { return active.get() == &transfer; });
    if (it == m_active.end()) {
        return;
    }
    const std::shared_ptr<Transfer> kept = *it;
    m_active.erase(it);
    std::erase(m_toAdd, kept);
    if (m_depth > 0) {
        m_toRemove.push_back(kept);
    } else {
        remove(*kept);
    }
    adjustTick();
}

void CurlLoop::resume(Transfer &transfer)
{
    if (!transfer.m_added) {
        return;
    }
    ++m_depth;
    m_api->easyPause(transfer.m_easy, CURLPAUSE_CONT);
    --m_depth;
    if (m_depth == 0) {
        QTimer::singleShot(0, this, &CurlLoop::afterCurl);
    }
}

void CurlLoop::remove(Transfer &transfer)
{
    if (transfer.m_added) {
        transfer.m_added = false;
        ++m_depth;
        m_api->multiRemoveHandle(m_multi, transfer.m_easy);
        --m_depth;
    }
}

int CurlLoop::onSocket(CURL *, curl_socket_t socket, int what, void *self, void *)
{
    static_cast<CurlLoop *>(self)->watch(socket, what);
    return 0;
}

int CurlLoop::onTimer(CURLM *, long milliseconds, void *self)
{
    auto *loop = static_cast<CurlLoop *>(self);
    if (milliseconds < 0) {
        loop->m_timer.stop();
    } else {
        loop->m_timer.start(static_cast<int>(milliseconds));
    }
    return 0;
}

void CurlLoop::watch(curl_socket_t socket, int what)
{
    SocketWatch &watch = m_sockets[socket];
    const auto ensure = [&](std::unique_ptr<QSocketNotifier> &notifier, QSocketNotifier::Type type,
                            int event, bool wanted) {
        if (wanted && notifier == nullptr) {
            notifier = std::make_unique<QSocketNotifier>(static_cast<qintptr>(socket), type);
            connect(notifier.get(), &QSocketNotifier::activated, this,
                [this, socket, event] { act(socket, event); });
        }
        if (notifier != nullptr) {
            notifier->setEnabled(wanted);
        }
    };
    if (what == CURL_POLL_REMOVE) {
        for (auto *notifier : { &watch.read, &watch.write }) {
            if (*notifier != nullptr) {
                (*notifier)->setEnabled(false);
                m_retired.push_back(std::move(*notifier));
            }
        }
        m_sockets.erase(socket);
        return;
    }
    ensure(watch.read, QSocketNotifier::Read, CURL_CSELECT_IN, (what & CURL_POLL_IN) != 0);
    ensure(watch.write, QSocketNotifier::Write, CURL_CSELECT_OUT, (what & CURL_POLL_OUT) != 0);
}

void CurlLoop::act(curl_socket_t socket, int events)
{
    if (m_multi == nullptr) {
        return;
    }
    const std::shared_ptr<CurlLoop> alive = shared_from_this();
    int running = 0;
    ++m_depth;
    m_api->multiSocketAction(m_multi, socket, events, &running);
    --m_depth;
    afterCurl();
}

void CurlLoop::afterCurl()
{
    if (m_depth > 0) {
        return;
    }
    const std::shared_ptr<CurlLoop> alive = shared_from_this();
    if (!m_retired.empty()) {
        QTimer::singleShot(0, this, [this] { m_retired.clear(); });
    }
    for (const std::shared_ptr<Transfer> &transfer : std::exchange(m_toRemove, {})) {
        remove(*transfer);
    }
    collectFinished();
    for (const std::shared_ptr<Transfer> &transfer : std::exchange(m_toAdd, {})) {
        if (transfer->m_listener == nullptr) {
            continue;
        }
        if (!initialise()) {
            finish(transfer, TransferFault::Library, m_problem);
            continue;
        }
        const QString problem = transfer->configure(*m_api, m_caBundle);
        if (!problem.isEmpty()) {
            finish(transfer, TransferFault::Url, problem);
            continue;
        }
        transfer->m_added = true;
        transfer->touch();
        ++m_depth;
        m_api->multiAddHandle(m_multi, transfer->m_easy);
        --m_depth;
    }
    adjustTick();
}

void CurlLoop::collectFinished()
{
    if (m_multi == nullptr) {
        return;
    }
    int left = 0;
    while (CURLMsg *message = m_api->multiInfoRead(m_multi, &left)) {
        if (message->msg != CURLMSG_DONE) {
            continue;
        }
        const CURLcode code = message->data.result;
        void *tag = nullptr;
        m_api->easyGetinfo(message->easy_handle, CURLINFO_PRIVATE, &tag);
        const auto it = std::find_if(m_active.begin(), m_active.end(),
            [tag](const auto &active) { return active.get() == tag; });
        if (it == m_active.end()) {
            continue;
        }
        const std::shared_ptr<Transfer> transfer = *it;
        remove(*transfer);
        if (code == CURLE_OK && transfer->m_redirecting) {
            // The same request to the new place of the same origin.
            ++transfer->m_redirects;
            transfer->m_redirecting = false;
            transfer->m_headDone = false;
            transfer->m_headers.clear();
            transfer->m_request.url = transfer->m_location;
            m_api->easySetopt(transfer->m_easy, CURLOPT_URL, transfer->m_request.url.constData());
            transfer->m_added = true;
            ++m_depth;
            m_api->multiAddHandle(m_multi, transfer->m_easy);
            --m_depth;
            continue;
        }
        TransferFault fault = faultOf(code, transfer->m_sawByte);
        QString text;
        if (fault != TransferFault::None) {
            text = QString::fromUtf8(m_api->easyStrerror(code));
            long answer = 0; // of a proxy that was asked for a tunnel
            m_api->easyGetinfo(transfer->m_easy, CURLINFO_HTTP_CONNECTCODE, &answer);
            const bool atProxy = fault == TransferFault::Proxy || fault == TransferFault::Connect
                || fault == TransferFault::ConnectTimeout || answer >= 300;
            if (atProxy && !transfer->m_proxyWords.isEmpty()) {
                fault = TransferFault::Proxy;
                text
                    = answer >= 300 ? QStringLiteral("it answered with HTTP %1").arg(answer) : text;
                text = QStringLiteral("%1 cannot be used: %2").arg(transfer->m_proxyWords, text);
            }
        }
        finish(transfer, fault, text);
    }
}

void CurlLoop::finish(
    const std::shared_ptr<Transfer> &transfer, TransferFault fault, const QString &message)
{
    m_active.remove(transfer);
    TransferListener *listener = std::exchange(transfer->m_listener, nullptr);
    if (listener != nullptr) {
        listener->onFinished(fault, message);
    }
}

void CurlLoop::checkTimeLimits()
{
    const auto now = std::chrono::steady_clock::now();
    const std::shared_ptr<CurlLoop> alive = shared_from_this();
    const std::vector<std::shared_ptr<Transfer>> active(m_active.begin(), m_active.end());
    for (const std::shared_ptr<Transfer> &transfer : active) {
        if (!transfer->m_added || transfer->m_paused || transfer->m_listener == nullptr) {
            continue; // while we do not read, silence is our own
        }
        const auto silent = now - transfer->m_lastActivity;
        if (!transfer->m_headDone && silent > transfer->m_request.firstByteTimeout) {
            remove(*transfer);
            finish(transfer, TransferFault::FirstByteTimeout,
                QStringLiteral("no answer within the time limit"));
        } else if (transfer->m_headDone && silent > transfer->m_request.idleTimeout) {
            remove(*transfer);
            finish(transfer, TransferFault::IdleTimeout,
                QStringLiteral("the answer stopped and nothing more came"));
        }
    }
    adjustTick();
}

void CurlLoop::adjustTick()
{
    if (m_active.empty()) {
        m_tick.stop();
        return;
    }
    if (!m_tick.isActive() || m_tick.interval() > 20) {
        std::chrono::milliseconds shortest { 4000 };
        const HttpRequest &last = m_active.back()->m_request;
        shortest = std::min({ shortest, last.firstByteTimeout, last.idleTimeout });
        const auto interval = std::clamp(
            shortest / 4, std::chrono::milliseconds(10), std::chrono::milliseconds(1000));
        if (!m_tick.isActive() || m_tick.intervalAsDuration() > interval) {
            m_tick.start(interval);
        }
    }
}

TransferHandle::TransferHandle(std::shared_ptr<Transfer> transfer)
    : m_transfer(std::move(transfer))
{ }

TransferHandle::~TransferHandle()
{
    m_transfer->cancel();
}

void TransferHandle::pause()
{
    m_transfer->pause();
}

void TransferHandle::resume()
{
    m_transfer->resume();
}

HttpClient::HttpClient(const QString &extraCaFile, QObject *parent)
    : QObject(parent)
    , m_extraCaFile(extraCaFile)
{ }

HttpClient::~HttpClient() = default;

std::unique_ptr<TransferHandle> HttpClient::send(
    const HttpRequest &request, TransferListener &listener)
{
    if (m_loop == nullptr) {
        // Only now: by the first request the client is on the thread where it will stay.
        m_loop = std::make_shared<CurlLoop>(m_extraCaFile);
    }
    auto transfer = std::make_shared<Transfer>(m_loop, request, listener);
    m_loop->start(transfer);
    return std::make_unique<TransferHandle>(std::move(transfer));
}

} // namespace deskhand::net
