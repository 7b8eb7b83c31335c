// SPDX-License-Identifier: Apache-2.0
#include "executor/modelproxy/outbound.h"

#include <QUrl>

#include <algorithm>
#include <array>

namespace deskhand::modelproxy {
namespace {

using net::HeaderList;

// For a Responses provider; others get the user agent only.
constexpr std::array<const char *, 16> kForwarded {
    "user-agent",
    "originator",
    "session-id",
    "thread-id",
    "x-client-request-id",
    "x-codex-installation-id",
    "x-codex-turn-state",
    "x-codex-turn-metadata",
    "x-codex-parent-thread-id",
    "x-codex-window-id",
    "x-codex-beta-features",
    "x-openai-subagent",
    "x-openai-memgen-request",
    "x-openai-internal-codex-responses-lite",
    "openai-beta",
    "x-responsesapi-include-timing-metrics",
};

HeaderList credentials(const Upstream &upstream)
{
    HeaderList headers;
    const QByteArray key = upstream.apiKey.toUtf8();
    const bool anthropic
        = QUrl(upstream.requestUrl).host() == QLatin1StringView("api.anthropic.com");
    if (!key.isEmpty() && !upstream.keyHeader.isEmpty()) {
        headers.append({ upstream.keyHeader, key });
    } else if (!key.isEmpty() && !(upstream.format == WireFormat::Messages && anthropic)) {
        headers.append({ "Authorization", "Bearer " + key });
    }
    if (upstream.format == WireFormat::Messages) {
        if (!key.isEmpty()) {
            headers.append({ "x-api-key", key });
        }
        net::setHeader(headers, "anthropic-version", "2023-06-01");
    }
    return headers;
}

} // namespace

net::HttpRequest outboundRequest(
    const Upstream &upstream, const HeaderList &clientHeaders, const ProxyTiming &timing)
{
    net::HttpRequest request;
    request.url = QUrl(upstream.requestUrl).toEncoded();
    request.proxyUrl = upstream.proxyUrl.toUtf8();
    request.insecureTls = upstream.insecureTls;
    request.connectTimeout = timing.connect;
    request.firstByteTimeout = timing.firstByte;
    request.idleTimeout = timing.idle;
    request.headers = { { "Content-Type", "application/json" }, { "Accept", "text/event-stream" } };
    request.headers.append(credentials(upstream));
    for (const char *name : kForwarded) {
        const QByteArray value = net::headerValue(clientHeaders, name);
        if (!value.isEmpty()) {
            request.headers.append({ name, value });
        }
        if (upstream.format != WireFormat::Responses) {
            break; // the user agent is the first
        }
    }
    for (const auto &[name, value] : upstream.defaultHeaders) {
        net::setHeader(request.headers, name, value);
    }
    return request;
}

QString modelsUrl(const Upstream &upstream)
{
    QUrl url(upstream.requestUrl);
    QString path = url.path();
    for (const QLatin1StringView ending : { QLatin1StringView("/responses"),
             QLatin1StringView("/chat/completions"), QLatin1StringView("/messages") }) {
        if (path.endsWith(ending)) {
            path.chop(ending.size());
            break;
        }
    }
    url.setPath(path + QLatin1StringView("/models"));
    return QString::fromLatin1(url.toEncoded());
}

HeaderList passedReplyHeaders(const HeaderList &headers)
{
    static constexpr std::array<QByteArrayView, 5> kNames { "x-request-id", "retry-after",
        "openai-model", "x-models-etag", "retry-after-ms" };
    static constexpr std::array<QByteArrayView, 2> kPrefixes { "x-codex-", "x-ratelimit-" };
    HeaderList passed;
    for (const auto &[name, value] : headers) {
        const QByteArray lower = name.toLower();
        const auto starts = [&lower](QByteArrayView prefix) {
            return lower.startsWith(prefix);
        };
        if (std::find(kNames.begin(), kNames.end(), lower) != kNames.end()
            || std::any_of(kPrefixes.begin(), kPrefixes.end(), starts)) {
            passed.append({ name, value });
        }
    }
    return passed;
}

} // namespace deskhand::modelproxy
