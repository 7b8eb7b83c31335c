// SPDX-License-Identifier: Apache-2.0
#include "executor/modelproxy/proxyserver.h"

#include "executor/common/ids.h"
#include "executor/logging/log.h"
#include "executor/modelproxy/bodydecoder.h"
#include "executor/modelproxy/catalog.h"
#include "executor/modelproxy/modelswitch.h"
#include "executor/modelproxy/outbound.h"
#include "executor/modelproxy/planner.h"
#include "executor/modelproxy/requestfacts.h"
#include "executor/modelproxy/wireids.h"

#include <QJsonDocument>
#include <QPointer>
#include <QTimer>
#include <QUrlQuery>

using namespace Qt::StringLiterals;

namespace deskhand::modelproxy {
namespace {

constexpr size_t kMaxBody = size_t(64) * 1024 * 1024;

net::HttpServerLimits serverLimits()
{
    net::HttpServerLimits limits;
    limits.bodyBytes = kMaxBody;
    return limits;
}

} // namespace

net::HttpReply localReply(int status, std::string_view code, const QString &message)
{
    return { status, { { "Content-Type", "application/json" } },
        QByteArray::fromStdString(localErrorBody(status, code, message.toStdString())) };
}

ProxyServer::ProxyServer(const ProxyOptions &options, RouteTable &routes, HarnessContexts &contexts,
    const QByteArray &bearerKey)
    : m_options(options)
    , m_routes(routes)
    , m_contexts(contexts)
    , m_bearerKey(bearerKey)
    , m_client(options.extraCaFile, this)
    , m_vision(m_client, this)
    , m_catalog(m_client, m_options.timing, this)
    , m_http(*this, serverLimits(), this)
{ }

ProxyServer::~ProxyServer()
{
    // They hold transfers of m_client, so they go first.
    const QSet<ModelExchange *> running = std::exchange(m_running, {});
    for (ModelExchange *exchange : running) {
        exchange->disconnect(this);
        delete exchange;
    }
}

Result<> ProxyServer::listen()
{
    return m_http.listen(QHostAddress::LocalHost, 0);
}

ProxyServer::Target ProxyServer::target(const QByteArray &path) const
{
    const QList<QByteArray> parts = path.split('/'); // "", "v1", ...
    const auto part = [&parts](qsizetype i) {
        return parts.value(i);
    };
    if (parts.size() < 3 || !part(0).isEmpty() || part(1) != "v1") {
        return {};
    }
    const auto placeOf = [](const QByteArray &word) {
        return word == "responses" ? Place::Responses
            : word == "models"     ? Place::Models
                                   : Place::Unknown;
    };
    if (part(2) == "codex-router") {
        if (parts.size() == 4) {
            return { placeOf(part(3)), {}, {}, false };
        }
        if (parts.size() == 5) {
            return { placeOf(part(4)), part(3), {}, false };
        }
    } else if (part(2) == "harness-router" && parts.size() == 6 && part(4) == "v1"
        && part(5) == "messages") {
        return { Place::Messages, part(3), {}, false };
    } else if (part(2) == "harness-context" && parts.size() == 5
        && (part(4) == "user" || part(4) == "model" || part(4) == "status")) {
        return { Place::Context, part(3), part(4), false };
    } else if (m_directory != nullptr && parts.size() == 3) {
        const Place place = part(2) == "messages" ? Place::Messages : placeOf(part(2));
        return { place, {}, {}, true };
    }
    return {};
}

bool ProxyServer::hasBearer(const net::HttpRequestHead &head) const
{
    // "Bearer" in any case; extra text after the token is ignored. Messages clients send x-api-key.
    const QList<QByteArray> words = head.header("authorization").simplified().split(' ');
    if (words.size() >= 2 && words.at(0).toLower() == "bearer"
        && equalConstantTime(words.at(1), m_bearerKey)) {
        return true;
    }
    return equalConstantTime(head.header("x-api-key"), m_bearerKey);
}

std::optional<net::HttpReply> ProxyServer::admit(const net::HttpRequestHead &head)
{
    if (!net::isLoopbackHostHeader(head.header("host"))) {
        return localReply(403, "foreign_host", u"Only requests to this computer are served."_s);
    }
    const Target where = target(head.path);
    if (where.place == Place::Unknown) {
        return localReply(404, "not_found", u"There is nothing at this address."_s);
    }
    const bool getOnly = where.place == Place::Models;
    const bool both = where.place == Place::Context;
    const bool allowed
        = head.method == (getOnly ? "GET" : "POST") || (both && head.method == "GET");
    if (!allowed) {
        net::HttpReply reply
            = localReply(405, "method_not_allowed", u"This address does not take that method."_s);
        net::setHeader(reply.headers, "Allow", both ? "GET, POST" : getOnly ? "GET" : "POST");
        return reply;
    }
    if (m_stopping) {
        return localReply(503, "stopping", u"The program is stopping."_s);
    }
    if (where.place == Place::Context) {
        return std::nullopt;
    }
    if (!where.token.isEmpty()) {
        const bool harness = where.place == Place::Messages;
        if (!m_routes.hasToken(where.token, harness)) {
            return localReply(
                404, "route_not_found", u"This model route is unknown or has expired."_s);
        }
    } else if (!hasBearer(head)) {
        return localReply(401, "unauthorized", u"The bearer token is missing or wrong."_s);
    }
    return std::nullopt;
}

void ProxyServer::serve(net::HttpExchange &exchange)
{
    const Target where = target(exchange.head().path);
    if (where.place == Place::Context) {
        const std::optional<QJsonObject> context = m_contexts.read(where.token, where.what);
        const QByteArray body = context ? QJsonDocument(*context).toJson(QJsonDocument::Compact)
                                        : QByteArrayLiteral("{\"error\":\"context_unavailable\"}");
        exchange.reply({ context ? 200 : 401, { { "Content-Type", "application/json" } }, body });
        return;
    }
    if (where.place == Place::Models) {
        serveModels(exchange, where);
        return;
    }
    Result<std::string> body
        = decodedBody(exchange.takeBody(), exchange.head().header("content-encoding"), kMaxBody);
    if (!body) {
        const int status = body.error().kind == ErrorKind::Policy ? 413
            : body.error().kind == ErrorKind::Unavailable         ? 415
                                                                  : 400;
        exchange.reply(localReply(status, "invalid_body", body.error().message));
        return;
    }
    if (where.place == Place::Responses) {
        serveResponses(exchange, where, std::move(*body));
    } else {
        serveMessages(exchange, where, std::move(*body));
    }
}

void ProxyServer::serveResponses(net::HttpExchange &exchange, const Target &where, std::string body)
{
    const Result<RequestFacts> facts = readRequestFacts(body);
    if (!facts) {
        exchange.reply(localReply(400, "invalid_json", facts.error().message));
        return;
    }
    tl::expected<RouteView, RouteRefusal> route = tl::unexpected(RouteRefusal {});
    if (where.byName) {
        if (const std::optional<RouteView> named = m_directory->find(facts->model)) {
            route = *named;
        } else {
            route = tl::unexpected(RouteRefusal { 404, "model_not_found",
                "the configuration has no model \"" + facts->model + "\"" });
        }
    } else {
        const ThreadIdentity identity { QString::fromStdString(facts->threadId),
            QString::fromStdString(facts->parentThreadId) };
        route = where.token.isEmpty() ? m_routes.byThread(identity)
                                      : m_routes.byToken(where.token, identity, false);
    }
    if (!route) {
        exchange.reply(localReply(route.error().status, route.error().code,
            QString::fromStdString(route.error().message)));
        return;
    }
    if (!route->upstream->vision || !facts->images) {
        runResponses(exchange, *route, std::move(body), *facts);
        return;
    }
    // The model cannot see: another one describes the images first.
    Result<Json> request = parseJson(body);
    if (!request) {
        exchange.reply(localReply(400, "invalid_json", request.error().message));
        return;
    }
    QPointer<net::HttpExchange> peer(&exchange);
    m_vision.describe(std::move(*request), facts->threadId, *route->upstream->vision, &exchange,
        [this, peer, view = *route](Json &&described) {
            std::string text = dumpJson(described);
            const Result<RequestFacts> newFacts = readRequestFacts(text);
            if (peer != nullptr && newFacts) {
                runResponses(*peer, view, std::move(text), *newFacts);
            }
        });
}

void ProxyServer::runResponses(net::HttpExchange &exchange, const RouteView &route,
    std::string body, const RequestFacts &facts)
{
    Result<ExchangePlan> plan = planResponsesRequest(
        route, std::move(body), facts, exchange.head().headers, m_options.timing);
    if (!plan) {
        exchange.reply(localReply(400, "untranslatable_request", plan.error().message));
        return;
    }
    run(exchange, std::move(*plan));
}

void ProxyServer::serveMessages(net::HttpExchange &exchange, const Target &where, std::string body)
{
    Result<Json> request = parseJson(body);
    if (!request || !request->is_object()) {
        exchange.reply(localReply(400, "invalid_json",
            request ? u"The request is not a JSON object."_s : request.error().message));
        return;
    }
    tl::expected<RouteView, RouteRefusal> route = tl::unexpected(RouteRefusal {});
    if (where.byName) {
        const std::string model(textMember(*request, "model"));
        if (const std::optional<RouteView> named = m_directory->find(model)) {
            route = *named;
        } else {
            route = tl::unexpected(RouteRefusal {
                404, "model_not_found", "the configuration has no model \"" + model + "\"" });
        }
    } else {
        route = m_routes.byToken(where.token, {}, true);
    }
    if (!route) {
        exchange.reply(localReply(route.error().status, route.error().code,
            QString::fromStdString(route.error().message)));
        return;
    }
    Result<ExchangePlan> plan = planMessagesRequest(
        *route, std::move(*request), exchange.head().headers, m_options.timing);
    if (!plan) {
        exchange.reply(localReply(400, "untranslatable_request", plan.error().message));
        return;
    }
    run(exchange, std::move(*plan));
}

void ProxyServer::serveModels(net::HttpExchange &exchange, const Target &where)
{
    const std::shared_ptr<const Upstream> upstream
        = where.token.isEmpty() ? nullptr : m_routes.upstreamOf(where.token);
    if (upstream == nullptr) {
        replyModels(exchange, Json::array());
        return;
    }
    const QUrlQuery query(QString::fromLatin1(exchange.head().query));
    QPointer<net::HttpExchange> peer(&exchange);
    m_catalog.fetch(*upstream, query.queryItemValue(u"client_version"_s).toLatin1().left(64),
        [this, peer](const Json &entries) {
            if (peer != nullptr) {
                replyModels(*peer, entries);
            }
        });
}

void ProxyServer::replyModels(net::HttpExchange &exchange, const Json &ofProvider)
{
    Json document = catalogDocument(m_options.customCatalogFile, ofProvider);
    if (m_directory != nullptr) {
        Json &models = document["models"];
        for (const QString &name : m_directory->names()) {
            const std::optional<RouteView> route = m_directory->find(name.toStdString());
            if (route) {
                models.push_back(catalogEntryFor(name.toStdString(), *route->upstream));
            }
        }
    }
    const QByteArray body = QByteArray::fromStdString(dumpJson(document));
    const QByteArray tag
        = '"' + QByteArray::fromStdString(sha256Hex(body.toStdString())).left(32) + '"';
    if (exchange.head().header("if-none-match") == tag) {
        exchange.reply({ 304, { { "ETag", tag } }, {} });
        return;
    }
    exchange.reply({ 200, { { "Content-Type", "application/json" }, { "ETag", tag } }, body });
}

void ProxyServer::run(net::HttpExchange &exchange, ExchangePlan plan)
{
    auto *running = new ModelExchange(m_client, m_options.timing, exchange, std::move(plan));
    running->setParent(this);
    m_running.insert(running);
    connect(running, &ModelExchange::retryWaiting, this, &ProxyServer::retryWaiting);
    connect(running, &ModelExchange::upstreamFailed, this, &ProxyServer::upstreamFailed);
    connect(running, &ModelExchange::usageReported, this, &ProxyServer::usageReported);
    connect(running, &ModelExchange::contextWarned, this, &ProxyServer::contextWarned);
    connect(running, &ModelExchange::switchCommitted, this,
        [this](const QString &scope) { m_routes.switchDone(scope); });
    connect(running, &ModelExchange::finished, this, [this, running] {
        m_running.remove(running);
        if (m_stopping && m_running.isEmpty()) {
            QTimer::singleShot(0, this, &ProxyServer::stopped);
        }
    });
    running->start();
}

void ProxyServer::requestStop()
{
    if (m_stopping) {
        return;
    }
    m_stopping = true;
    if (m_running.isEmpty()) {
        Q_EMIT stopped();
        return;
    }
    QTimer::singleShot(m_options.timing.stopGrace, this, [this] {
        const QSet<ModelExchange *> running = m_running;
        for (ModelExchange *exchange : running) {
            exchange->cut();
        }
    });
}

} // namespace deskhand::modelproxy
