// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/modelproxy/json.h"
#include "executor/modelproxy/modelproxy.h"
#include "executor/net/httpclient.h"

#include <QObject>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace deskhand::modelproxy {

/// Catalog entries that a provider serves itself, in Codex's form. Asked for with the provider's
/// key, kept for some minutes, asked again with its ETag; when the provider fails, the old copy
/// serves on. Owned by the server, on the proxy thread.
class ProviderCatalog final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ProviderCatalog)

public:
    /// An array of entries, empty when there are none to be had.
    using Done = std::function<void(const Json &entries)>;

    ProviderCatalog(net::HttpClient &client, const ProxyTiming &timing, QObject *parent = nullptr);
    ~ProviderCatalog() override;

    /// Calls back once, at once or later. Only Responses providers with a key are asked: others
    /// have no such list. `clientVersion` is passed on.
    void fetch(const Upstream &upstream, const QByteArray &clientVersion, const Done &done);

private:
    class Request;
    struct Copy
    {
        Json entries = Json::array();
        QByteArray etag;
        std::chrono::steady_clock::time_point asked;
        std::vector<Done> waiting;
        std::unique_ptr<Request> request;
    };

    void answered(const std::string &key, int status, const QByteArray &etag, const Json *entries);

    net::HttpClient &m_client;
    const ProxyTiming &m_timing;
    std::unordered_map<std::string, Copy> m_copies; // by address, version and key
    std::vector<std::unique_ptr<Request>> m_finished; // not deleted within their own call
};

} // namespace deskhand::modelproxy
