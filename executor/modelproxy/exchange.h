// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/modelproxy/answer.h"
#include "executor/modelproxy/modelproxy.h"
#include "executor/modelproxy/retrypolicy.h"
#include "executor/modelproxy/routes.h"
#include "executor/net/httpclient.h"
#include "executor/net/httpexchange.h"

#include <QObject>
#include <QPointer>
#include <QTimer>

#include <functional>
#include <memory>

namespace deskhand::modelproxy {

/// What is to be done for one model request: made by the request's reader, carried out here.
struct ExchangePlan
{
    RouteView route;
    net::HttpRequest request;
    std::string model; ///< as sent
    std::function<std::unique_ptr<AnswerTranslator>()> makeTranslator;
    bool unchangedErrors = false; ///< refusals pass as they are (Responses to Responses)
    bool forHarness = false; ///< the client speaks Messages: errors in that form
    bool wholeAnswer = false; ///< the client wants one JSON object instead of a stream
    bool commitsSwitch = false; ///< a 2xx means that the model switch arrived
    std::function<std::string(const std::string &events)> toWholeAnswer; ///< with wholeAnswer
};

/// One model request from the client to the provider and back: sends, waits and sends again,
/// translates, holds the provider back when the client is slow. Owned by the server, on the proxy
/// thread. Emits finished() once, last.
class ModelExchange final : public QObject, private net::TransferListener
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ModelExchange)

public:
    ModelExchange(net::HttpClient &client, const ProxyTiming &timing, net::HttpExchange &peer,
        ExchangePlan plan);
    ~ModelExchange() override;

    void start();
    /// Ends a running answer as failed; used when the program stops.
    void cut();

Q_SIGNALS:
    void retryWaiting(const deskhand::modelproxy::RetryNotice &notice);
    void upstreamFailed(const deskhand::modelproxy::UpstreamFailure &failure);
    void usageReported(const deskhand::modelproxy::UsageReport &usage);
    /// At most once for each route.
    void contextWarned(const deskhand::modelproxy::ContextWarning &warning);
    /// The provider has accepted the request of a switched model.
    void switchCommitted(const QString &scope);
    void finished();

private:
    void onHead(int status, const net::HeaderList &headers) override;
    void onBytes(std::string_view bytes) override;
    void onFinished(net::TransferFault fault, const QString &message) override;

    void attempt();
    void forward();
    void commit();
    void attemptFailed(const AttemptOutcome &outcome, const QString &words);
    void replyRefusal(const AttemptOutcome &outcome);
    void replyLocal(int status, std::string_view code, const QString &message);
    void answerEnded();
    void checkContext(std::int64_t inputTokens);
    void tick();
    void onDrained();
    void done();
    void report(int status, const ProviderError &error);

    net::HttpClient &m_client;
    const ProxyTiming &m_timing;
    QPointer<net::HttpExchange> m_peer;
    ExchangePlan m_plan;
    RetryPolicy m_policy;
    std::unique_ptr<AnswerTranslator> m_translator;
    std::unique_ptr<net::TransferHandle> m_transfer;
    std::string m_whole; // with wholeAnswer: the events
    std::string m_errorBody; // of a non-2xx answer
    net::HeaderList m_headers;
    int m_status = 0;
    bool m_committed = false;
    bool m_ended = false;
    bool m_paused = false;
    bool m_cappedOnce = false;
    QTimer m_retry;
    QTimer m_tick;
    size_t m_signsOfLife = 0;
    std::chrono::steady_clock::time_point m_lastLife;
    std::chrono::steady_clock::time_point m_lastWrite;
    std::optional<std::chrono::steady_clock::time_point> m_finishingSince;
};

} // namespace deskhand::modelproxy
