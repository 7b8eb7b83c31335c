// SPDX-License-Identifier: Apache-2.0
#include "tests/executor/modelproxy/proxyfixture.h"

using namespace Qt::StringLiterals;

namespace deskhand::test {

modelproxy::ProxyOptions quickOptions()
{
    using std::chrono::milliseconds;
    modelproxy::ProxyOptions options;
    // The real delays, a thousand times shorter.
    options.timing.retryDelays = { milliseconds(1), milliseconds(5), milliseconds(10),
        milliseconds(30), milliseconds(60) };
    options.timing.connectRetryDelays = { milliseconds(1), milliseconds(5) };
    options.timing.longestRetryAfter = milliseconds(60);
    options.timing.afterFinish = milliseconds(60);
    options.timing.stopGrace = milliseconds(100);
    options.timing.jitter = 0;
    return options;
}

ProxyFixture::ProxyFixture(modelproxy::ProxyOptions options)
    : proxy(std::move(options))
{ }

bool ProxyFixture::addRoute(const QString &format, const QJsonObject &extra)
{
    if (proxy.port() == 0 && !proxy.start()) {
        return false;
    }
    QJsonObject config { { u"base_url"_s, upstream.baseUrl() },
        { u"api_key"_s, u"provider-key-123456"_s }, { u"api_format"_s, format } };
    for (auto it = extra.begin(); it != extra.end(); ++it) {
        config.insert(it.key(), it.value());
    }
    const Result<modelproxy::Upstream> read = modelproxy::Upstream::fromJson(config);
    if (!read) {
        qWarning("%s", qPrintable(read.error().message));
        return false;
    }
    const Result<modelproxy::RouteGrant> registered = proxy.registerRoute(u"task"_s, *read);
    if (!registered) {
        return false;
    }
    grant = *registered;
    path = "/v1/codex-router/" + grant.token.toLatin1() + "/responses";
    return true;
}

std::unique_ptr<RawClient> ProxyFixture::connectClient() const
{
    return std::make_unique<RawClient>(proxy.port());
}

std::unique_ptr<RawClient> ProxyFixture::post(
    const QByteArray &body, const QList<std::pair<QByteArray, QByteArray>> &headers) const
{
    auto client = connectClient();
    client->post(path, body, headers);
    return client;
}

QByteArray responsesStream(const QByteArray &text)
{
    return R"(event: response.created
data: {"type":"response.created","response":{"id":"resp_1","object":"response","status":"in_progress","model":"m","output":[]}}

event: response.output_item.added
data: {"type":"response.output_item.added","output_index":0,"item":{"id":"msg_1","type":"message","role":"assistant","status":"in_progress","content":[]}}

event: response.output_text.delta
data: {"type":"response.output_text.delta","item_id":"msg_1","output_index":0,"content_index":0,"delta":")"
        + text + R"("}

event: response.output_item.done
data: {"type":"response.output_item.done","output_index":0,"item":{"id":"msg_1","type":"message","role":"assistant","status":"completed","content":[{"type":"output_text","text":")"
        + text + R"(","annotations":[]}]}}

event: response.completed
data: {"type":"response.completed","response":{"id":"resp_1","object":"response","status":"completed","model":"m","output":[{"id":"msg_1","type":"message","role":"assistant","status":"completed","content":[{"type":"output_text","text":")"
        + text
        + R"(","annotations":[]}]}],"usage":{"input_tokens":11,"input_tokens_details":{"cached_tokens":3},"output_tokens":2,"output_tokens_details":{"reasoning_tokens":0},"total_tokens":13}}}

)";
}

QByteArray chatStream(const QByteArray &text)
{
    return R"(data: {"id":"chatcmpl-1","model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":")"
        + text + R"("},"finish_reason":null}]}

data: {"id":"chatcmpl-1","model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}

data: {"id":"chatcmpl-1","model":"m","choices":[],"usage":{"prompt_tokens":11,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":3}}}

data: [DONE]

)";
}

} // namespace deskhand::test
