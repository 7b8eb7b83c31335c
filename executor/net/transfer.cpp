// SPDX-License-Identifier: Apache-2.0
#include "executor/net/transfer_p.h"

#include <QNetworkProxyFactory>
#include <QUrl>

#include <algorithm>
#include <array>

#undef curl_easy_setopt
#undef curl_easy_getinfo

namespace deskhand::net {
namespace {

constexpr int kMostRedirects = 3;

/// Variable that names the proxy for this URL, in the way curl reads the environment; null when
/// there is none or the host is excepted. curl applies it itself.
const char *proxyVariable(const QUrl &url)
{
    const QByteArray exceptions
        = qgetenv(qEnvironmentVariableIsEmpty("no_proxy") ? "NO_PROXY" : "no_proxy");
    const QByteArray host = url.host().toLower().toLatin1();
    for (QByteArray entry : exceptions.split(',')) {
        entry = entry.trimmed().toLower();
        if (entry.startsWith('.')) {
            entry.remove(0, 1);
        }
        if (entry == "*" || (!entry.isEmpty() && (host == entry || host.endsWith('.' + entry)))) {
            return nullptr;
        }
    }
    // Never HTTP_PROXY: a web server sets it from a client's header.
    static constexpr std::array kHttp { "http_proxy", "all_proxy", "ALL_PROXY" };
    static constexpr std::array kHttps { "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY" };
    const auto firstSet = [](const auto &names) -> const char * {
        for (const char *name : names) {
            if (!qEnvironmentVariableIsEmpty(name)) {
                return name;
            }
        }
        return nullptr;
    };
    return url.scheme() == QLatin1StringView("https") ? firstSet(kHttps) : firstSet(kHttp);
}

/// "host:port" of a proxy's address, whatever else is written around it.
QString placeOf(QByteArray proxy)
{
    if (const qsizetype scheme = proxy.indexOf("://"); scheme >= 0) {
        proxy.remove(0, scheme + 3);
    }
    if (const qsizetype path = proxy.indexOf('/'); path >= 0) {
        proxy.truncate(path);
    }
    return QString::fromUtf8(proxy.mid(proxy.lastIndexOf('@') + 1));
}

QByteArray systemProxy(const QUrl &url)
{
    const QList<QNetworkProxy> proxies
        = QNetworkProxyFactory::systemProxyForQuery(QNetworkProxyQuery(url));
    if (proxies.isEmpty()) {
        return {};
    }
    const QNetworkProxy &first = proxies.first();
    QUrl proxy;
    if (first.type() == QNetworkProxy::Socks5Proxy) {
        proxy.setScheme(QStringLiteral("socks5h"));
    } else if (first.type() == QNetworkProxy::HttpProxy) {
        proxy.setScheme(QStringLiteral("http"));
    } else {
        return {};
    }
    proxy.setHost(first.hostName());
    proxy.setPort(first.port());
    proxy.setUserName(first.user());
    proxy.setPassword(first.password());
    return proxy.toEncoded();
}

} // namespace

Transfer::Transfer(
    std::weak_ptr<CurlLoop> loop, const HttpRequest &request, TransferListener &listener)
    : m_loop(std::move(loop))
    , m_request(request)
    , m_listener(&listener)
    , m_lastActivity(std::chrono::steady_clock::now())
{ }

Transfer::~Transfer()
{
    if (m_easy != nullptr) {
        m_api->easyCleanup(m_easy);
    }
    if (m_headerLines != nullptr) {
        m_api->slistFreeAll(m_headerLines);
    }
}

void Transfer::cancel()
{
    m_listener = nullptr;
    if (const std::shared_ptr<CurlLoop> loop = m_loop.lock()) {
        loop->cancelled(*this);
    }
}

void Transfer::pause()
{
    m_paused = true; // takes effect at the next bytes
}

void Transfer::resume()
{
    if (!m_paused) {
        return;
    }
    m_paused = false;
    touch();
    if (const std::shared_ptr<CurlLoop> loop = m_loop.lock()) {
        loop->resume(*this);
    }
}

QString Transfer::configure(const CurlApi &api, const std::string &caBundle)
{
    const QUrl url = QUrl::fromEncoded(m_request.url, QUrl::StrictMode);
    if (!url.isValid() || url.host().isEmpty()
        || (url.scheme() != QLatin1StringView("http")
            && url.scheme() != QLatin1StringView("https"))) {
        return QStringLiteral("the address is not a valid http or https URL");
    }
    m_api = &api;
    m_easy = api.easyInit();
    if (m_easy == nullptr) {
        return QStringLiteral("libcurl could not make a handle");
    }
    const auto set = [&](CURLoption option, auto value) {
        api.easySetopt(m_easy, option, value);
    };
    set(CURLOPT_URL, m_request.url.constData());
    set(CURLOPT_PROTOCOLS_STR, "http,https");
    set(CURLOPT_PRIVATE, static_cast<void *>(this));
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_TCP_NODELAY, 1L);
    set(CURLOPT_TCP_KEEPALIVE, 1L);
    set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(m_request.connectTimeout.count()));
    set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_2TLS));
    set(CURLOPT_ACCEPT_ENCODING, "");
    set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    set(CURLOPT_FOLLOWLOCATION, 0L); // see headComplete()
    set(CURLOPT_BUFFERSIZE, 32768L);
    set(CURLOPT_HEADERFUNCTION, &Transfer::onHeaderLine);
    set(CURLOPT_HEADERDATA, static_cast<void *>(this));
    set(CURLOPT_WRITEFUNCTION, &Transfer::onBody);
    set(CURLOPT_WRITEDATA, static_cast<void *>(this));
    set(CURLOPT_SSL_VERIFYPEER, m_request.insecureTls ? 0L : 1L);
    set(CURLOPT_SSL_VERIFYHOST, m_request.insecureTls ? 0L : 2L);
    if (!caBundle.empty()) {
        curl_blob blob { const_cast<char *>(caBundle.data()), caBundle.size(), CURL_BLOB_NOCOPY };
        set(CURLOPT_CAINFO_BLOB, &blob);
    }
    chooseProxy(url);
    const size_t bodySize = m_request.body != nullptr ? m_request.body->size() : 0;
    if (m_request.method == "POST") {
        set(CURLOPT_POST, 1L);
        set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(bodySize));
        set(CURLOPT_POSTFIELDS, bodySize > 0 ? m_request.body->data() : "");
    } else if (m_request.method != "GET") {
        set(CURLOPT_CUSTOMREQUEST, m_request.method.constData());
    }
    for (const auto &[name, value] : m_request.headers) {
        // curl's way to say "present and empty" is a semicolon.
        const QByteArray line = value.isEmpty() ? name + ';' : name + ": " + value;
        m_headerLines = api.slistAppend(m_headerLines, line.constData());
    }
    m_headerLines = api.slistAppend(m_headerLines, "Expect:");
    set(CURLOPT_HTTPHEADER, m_headerLines);
    return {};
}

void Transfer::chooseProxy(const QUrl &url)
{
    const auto use = [this](const QByteArray &proxy, const QString &source) {
        m_api->easySetopt(m_easy, CURLOPT_PROXY, proxy.constData());
        if (!proxy.isEmpty()) {
            m_proxyWords
                = QStringLiteral("the network proxy %1 (from %2)").arg(placeOf(proxy), source);
        }
    };
    if (isLoopbackHost(url.host())) {
        use({}, {});
    } else if (!m_request.proxyUrl.isEmpty()) {
        use(m_request.proxyUrl, QStringLiteral("the model's configuration"));
        m_api->easySetopt(m_easy, CURLOPT_NOPROXY, "");
    } else if (const char *variable = proxyVariable(url); variable != nullptr) {
        use(qgetenv(variable),
            QStringLiteral("the environment variable %1").arg(QLatin1StringView(variable)));
    } else {
        use(systemProxy(url), QStringLiteral("the system's settings"));
    }
}

size_t Transfer::onHeaderLine(char *data, size_t size, size_t count, void *self)
{
    return static_cast<Transfer *>(self)->takeHeaderLine(std::string_view(data, size * count));
}

size_t Transfer::takeHeaderLine(std::string_view line)
{
    constexpr qsizetype kMostHeaders = 256;
    touch();
    if (line.starts_with("HTTP/")) {
        m_headers.clear();
        m_sawByte = true;
        return line.size();
    }
    const QByteArray text = QByteArray(line.data(), static_cast<qsizetype>(line.size())).trimmed();
    if (text.isEmpty()) {
        headComplete();
        return m_listener != nullptr ? line.size() : 0;
    }
    const qsizetype colon = text.indexOf(':');
    if (colon > 0 && m_headers.size() < kMostHeaders && !m_headDone) {
        m_headers.append({ text.left(colon), text.mid(colon + 1).trimmed() });
    }
    return line.size();
}

void Transfer::headComplete()
{
    long status = 0;
    m_api->easyGetinfo(m_easy, CURLINFO_RESPONSE_CODE, &status);
    if (m_headDone || status < 200) {
        return; // an interim answer, or trailers
    }
    m_status = static_cast<int>(status);
    m_headDone = true;
    if (m_request.followSameOrigin && (status == 307 || status == 308)
        && m_redirects < kMostRedirects) {
        const QUrl from = QUrl::fromEncoded(m_request.url);
        const QUrl to = from.resolved(QUrl::fromEncoded(headerValue(m_headers, "location")));
        const auto port = [](const QUrl &url) {
            return url.port(url.scheme() == QLatin1StringView("https") ? 443 : 80);
        };
        // Another origin never gets the key: such an answer is handed to the listener as it is.
        if (to.isValid() && to.scheme() == from.scheme() && to.host() == from.host()
            && port(to) == port(from)) {
            m_location = to.toEncoded();
            m_redirecting = true;
            return;
        }
    }
    if (m_listener != nullptr) {
        m_listener->onHead(m_status, m_headers);
    }
}

size_t Transfer::onBody(char *data, size_t size, size_t count, void *self)
{
    auto *transfer = static_cast<Transfer *>(self);
    const size_t total = size * count;
    if (transfer->m_listener == nullptr) {
        return CURL_WRITEFUNC_ERROR;
    }
    if (transfer->m_paused) {
        return CURL_WRITEFUNC_PAUSE;
    }
    transfer->touch();
    if (!transfer->m_redirecting) {
        transfer->m_listener->onBytes(std::string_view(data, total));
    }
    return transfer->m_listener != nullptr ? total : CURL_WRITEFUNC_ERROR;
}

} // namespace deskhand::net
