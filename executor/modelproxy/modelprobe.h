// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/modelproxy/modelproxy.h"
#include "executor/net/httpclient.h"

#include <QObject>

#include <chrono>
#include <memory>
#include <string>

namespace deskhand::modelproxy {

/// Asks a provider for its list of models. Lives on the proxy thread, deletes itself after its one
/// signal, which is one of the two.
class ModelLister final : public QObject, private net::TransferListener
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ModelLister)

public:
    ModelLister(const Upstream &upstream, const ProxyTiming &timing);
    void start(net::HttpClient &client);

Q_SIGNALS:
    void listed(const QList<deskhand::modelproxy::ListedModel> &models);
    void failed(const deskhand::Error &error);

private:
    void onHead(int status, const net::HeaderList &headers) override;
    void onBytes(std::string_view bytes) override;
    void onFinished(net::TransferFault fault, const QString &message) override;
    void end(const Result<QList<ListedModel>> &models);

    Upstream m_upstream;
    ProxyTiming m_timing;
    std::unique_ptr<net::TransferHandle> m_transfer;
    int m_status = 0;
    std::string m_body;
};

/// Sends one request with a tool through the proxy itself and looks at what comes back. Lives on
/// the proxy thread, deletes itself after its one signal.
class ModelTester final : public QObject, private net::TransferListener
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ModelTester)

public:
    /// `routeUrl`: of a route made for the test.
    ModelTester(const Upstream &upstream, const QString &routeUrl);
    void start(net::HttpClient &client);

Q_SIGNALS:
    void tested(const deskhand::modelproxy::ModelTestReport &report);

private:
    void onHead(int status, const net::HeaderList &headers) override;
    void onBytes(std::string_view bytes) override;
    void onFinished(net::TransferFault fault, const QString &message) override;
    void readEvents();
    void readRefusal();

    Upstream m_upstream;
    QString m_routeUrl;
    std::unique_ptr<net::TransferHandle> m_transfer;
    std::chrono::steady_clock::time_point m_begin;
    ModelTestReport m_report;
    int m_status = 0;
    std::string m_body;
};

/// What a refusal means for the owner: the problem in words and the one next step.
void explainRefusal(
    int status, const std::string &code, const std::string &message, ModelTestReport &report);

} // namespace deskhand::modelproxy
