// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/modelproxy/exchange.h"
#include "executor/modelproxy/harnesscontext.h"
#include "executor/modelproxy/modelproxy.h"
#include "executor/modelproxy/providercatalog.h"
#include "executor/modelproxy/requestfacts.h"
#include "executor/modelproxy/routes.h"
#include "executor/modelproxy/visionsidecars.h"
#include "executor/net/httpclient.h"
#include "executor/net/httpserver.h"

#include <QObject>
#include <QSet>

#include <functional>
#include <memory>
#include <optional>

namespace deskhand::modelproxy {

/// Models by name instead of by task, for the stand-alone server. Called on the proxy thread.
class ModelDirectory
{
public:
    virtual ~ModelDirectory() = default;
    [[nodiscard]] virtual std::optional<RouteView> find(const std::string &model) const = 0;
    [[nodiscard]] virtual QStringList names() const = 0;
};

/// Reads requests to the proxy's URLs, decides who may do what, and carries the model requests
/// out. Lives on the proxy thread, owned there; the route table is shared with the facade.
class ProxyServer final : public QObject, private net::HttpHandler
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ProxyServer)

public:
    ProxyServer(const ProxyOptions &options, RouteTable &routes, HarnessContexts &contexts,
        const QByteArray &bearerKey);
    ~ProxyServer() override;

    [[nodiscard]] Result<> listen();
    [[nodiscard]] quint16 port() const { return m_http.port(); }
    /// Serves /v1/responses, /v1/messages and /v1/models for models of the directory as well,
    /// which must outlive the server.
    void setDirectory(const ModelDirectory *directory) { m_directory = directory; }

    /// New requests get 503, running ones the grace; stopped() follows.
    void requestStop();

    [[nodiscard]] net::HttpClient &httpClient() { return m_client; }
    [[nodiscard]] const ProxyOptions &options() const { return m_options; }

Q_SIGNALS:
    void retryWaiting(const deskhand::modelproxy::RetryNotice &notice);
    void upstreamFailed(const deskhand::modelproxy::UpstreamFailure &failure);
    void usageReported(const deskhand::modelproxy::UsageReport &usage);
    /// At most once for each route.
    void contextWarned(const deskhand::modelproxy::ContextWarning &warning);
    void stopped();

private:
    enum class Place { Unknown, Responses, Messages, Models, Context };
    struct Target
    {
        Place place = Place::Unknown;
        QByteArray token; ///< empty: the shared or the stand-alone one
        QByteArray what; ///< of Context
        bool byName = false; ///< stand-alone: the model's name decides
    };

    [[nodiscard]] std::optional<net::HttpReply> admit(const net::HttpRequestHead &head) override;
    void serve(net::HttpExchange &exchange) override;

    [[nodiscard]] Target target(const QByteArray &path) const;
    [[nodiscard]] bool hasBearer(const net::HttpRequestHead &head) const;
    void serveResponses(net::HttpExchange &exchange, const Target &target, std::string body);
    void serveMessages(net::HttpExchange &exchange, const Target &target, std::string body);
    void serveModels(net::HttpExchange &exchange, const Target &target);
    void replyModels(net::HttpExchange &exchange, const Json &ofProvider);
    void runResponses(net::HttpExchange &exchange, const RouteView &route, std::string body,
        const RequestFacts &facts);
    void run(net::HttpExchange &exchange, ExchangePlan plan);

    ProxyOptions m_options;
    RouteTable &m_routes;
    HarnessContexts &m_contexts;
    QByteArray m_bearerKey;
    const ModelDirectory *m_directory = nullptr;
    net::HttpClient m_client;
    VisionSidecars m_vision;
    ProviderCatalog m_catalog;
    net::HttpServer m_http;
    QSet<ModelExchange *> m_running;
    bool m_stopping = false;
};

/// An error of our own, in the form all clients of the proxy can show.
[[nodiscard]] net::HttpReply localReply(int status, std::string_view code, const QString &message);

} // namespace deskhand::modelproxy
