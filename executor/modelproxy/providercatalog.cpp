// SPDX-License-Identifier: Apache-2.0
#include "executor/modelproxy/providercatalog.h"

#include "executor/logging/log.h"
#include "executor/modelproxy/outbound.h"
#include "executor/modelproxy/wireids.h"

#include <QTimer>
#include <QUrl>
#include <QUrlQuery>

#include <algorithm>

using namespace Qt::StringLiterals;

namespace deskhand::modelproxy {
namespace {

constexpr size_t kMaxAnswer = size_t(8) * 1024 * 1024;
constexpr size_t kMostCopies = 32;

} // namespace

/// One question to a provider.
class ProviderCatalog::Request final : private net::TransferListener
{
public:
    Request(ProviderCatalog &catalog, std::string key)
        : m_catalog(catalog)
        , m_key(std::move(key))
    { }

    void start(const net::HttpRequest &request)
    {
        m_transfer = m_catalog.m_client.send(request, *this);
    }

private:
    void onHead(int status, const net::HeaderList &headers) override
    {
        m_status = status;
        m_etag = net::headerValue(headers, "etag");
    }
    void onBytes(std::string_view bytes) override
    {
        m_body.append(bytes.substr(0, kMaxAnswer - std::min(kMaxAnswer, m_body.size())));
    }
    void onFinished(net::TransferFault fault, const QString &) override
    {
        const Result<Json> body = parseJson(m_body);
        const Json *entries = body ? member(*body, "models") : nullptr;
        const bool whole = fault == net::TransferFault::None;
        m_catalog.answered(m_key, whole ? m_status : 0, m_etag,
            entries != nullptr && entries->is_array() ? entries : nullptr);
    }

    ProviderCatalog &m_catalog;
    const std::string m_key;
    std::unique_ptr<net::TransferHandle> m_transfer;
    int m_status = 0;
    QByteArray m_etag;
    std::string m_body;
};

ProviderCatalog::ProviderCatalog(
    net::HttpClient &client, const ProxyTiming &timing, QObject *parent)
    : QObject(parent)
    , m_client(client)
    , m_timing(timing)
{ }

ProviderCatalog::~ProviderCatalog() = default;

void ProviderCatalog::fetch(
    const Upstream &upstream, const QByteArray &clientVersion, const Done &done)
{
    if (upstream.format != WireFormat::Responses || upstream.apiKey.isEmpty()) {
        done(Json::array());
        return;
    }
    Upstream target = upstream;
    QUrl url(modelsUrl(upstream));
    QUrlQuery query(url);
    if (!clientVersion.isEmpty()) {
        query.addQueryItem(u"client_version"_s, QString::fromLatin1(clientVersion));
        url.setQuery(query);
    }
    target.requestUrl = QString::fromLatin1(url.toEncoded());
    const std::string key
        = sha256Hex(target.requestUrl.toStdString() + '\n' + upstream.apiKey.toStdString());
    const auto now = std::chrono::steady_clock::now();
    if (!m_copies.contains(key) && m_copies.size() >= kMostCopies) {
        std::erase_if(m_copies, [](const auto &copy) { return copy.second.waiting.empty(); });
    }
    const bool known = m_copies.contains(key);
    Copy &copy = m_copies[key];
    if (copy.waiting.empty() && known && now - copy.asked < m_timing.catalogLife) {
        done(copy.entries);
        return;
    }
    copy.waiting.push_back(done);
    if (copy.waiting.size() > 1) {
        return; // asked already
    }
    net::HttpRequest request = outboundRequest(target, {}, m_timing);
    request.method = "GET";
    request.headers.removeIf([](const auto &header) { return header.first == "Content-Type"; });
    net::setHeader(request.headers, "Accept", "application/json");
    if (!copy.etag.isEmpty()) {
        net::setHeader(request.headers, "If-None-Match", copy.etag);
    }
    request.connectTimeout = std::min(request.connectTimeout, m_timing.catalogWait);
    request.firstByteTimeout = std::min(request.firstByteTimeout, m_timing.catalogWait);
    request.idleTimeout = std::min(request.idleTimeout, m_timing.catalogWait);
    copy.request = std::make_unique<Request>(*this, key);
    copy.request->start(request);
}

void ProviderCatalog::answered(
    const std::string &key, int status, const QByteArray &etag, const Json *entries)
{
    Copy &copy = m_copies[key];
    copy.asked = std::chrono::steady_clock::now();
    if (status == 200 && entries != nullptr) {
        copy.entries = Json::array();
        for (const Json &entry : *entries) {
            if (!isBlank(textMember(entry, "slug"))) {
                copy.entries.push_back(entry);
            }
        }
        copy.etag = etag;
    } else if (status != 304) {
        logging::logger("modelproxy")
            ->info("the provider's catalog is not to be had (status {}), {} former entries serve "
                   "on",
                status, copy.entries.size());
    }
    m_finished.push_back(std::move(copy.request));
    QTimer::singleShot(0, this, [this] { m_finished.clear(); });
    for (const Done &done : std::exchange(copy.waiting, {})) {
        done(copy.entries);
    }
}

} // namespace deskhand::modelproxy
