// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/modelproxy/modelproxy.h"
#include "tests/support/modelpeers/rawclient.h"
#include "tests/support/modelpeers/scriptedupstream.h"

#include <QJsonObject>

#include <memory>

namespace deskhand::test {

/// Options with time limits short enough for tests, and no jitter.
[[nodiscard]] modelproxy::ProxyOptions quickOptions();

/// A running proxy with one provider and one route named "task".
class ProxyFixture final
{
public:
    explicit ProxyFixture(modelproxy::ProxyOptions options = quickOptions());

    /// Registers the route; `extra` adds to or replaces base_url, api_key and api_format.
    [[nodiscard]] bool addRoute(const QString &format, const QJsonObject &extra = {});
    [[nodiscard]] std::unique_ptr<RawClient> connectClient() const;
    /// Posts to the route and gives the client that waits for the answer.
    [[nodiscard]] std::unique_ptr<RawClient> post(
        const QByteArray &body, const QList<std::pair<QByteArray, QByteArray>> &headers = {}) const;

    ScriptedUpstream upstream;
    modelproxy::ModelProxy proxy;
    modelproxy::RouteGrant grant;
    QByteArray path; ///< /v1/codex-router/TOKEN/responses
};

/// A complete Responses stream that says `text`.
[[nodiscard]] QByteArray responsesStream(const QByteArray &text);
/// A complete Chat Completions stream that says `text`.
[[nodiscard]] QByteArray chatStream(const QByteArray &text);

} // namespace deskhand::test
