// SPDX-License-Identifier: Apache-2.0
#include "executor/modelproxy/exchange.h"

#include "executor/logging/log.h"
#include "executor/logging/masking.h"
#include "executor/modelproxy/outbound.h"
#include "executor/modelproxy/responsesrequest.h"

#include <QRegularExpression>

#include <algorithm>

using namespace Qt::StringLiterals;

namespace deskhand::modelproxy {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// A slow client: the provider is held back above the first, let go below the second.
constexpr qint64 kPauseAbove = 512 * 1024;
constexpr size_t kMaxErrorBody = 1024 * 1024;

QString faultWord(net::TransferFault fault)
{
    using net::TransferFault;
    switch (fault) {
    case TransferFault::None:
        return {};
    case TransferFault::Url:
        return u"the address is invalid"_s;
    case TransferFault::Proxy:
        return u"the network proxy cannot be used"_s;
    case TransferFault::Resolve:
        return u"the host name cannot be resolved"_s;
    case TransferFault::Connect:
        return u"the connection was refused or is impossible"_s;
    case TransferFault::Tls:
        return u"the secure connection could not be set up"_s;
    case TransferFault::Certificate:
        return u"the server's certificate is not trusted"_s;
    case TransferFault::ClosedEarly:
        return u"the connection was closed before an answer"_s;
    case TransferFault::NotHttp:
        return u"what answers there does not speak HTTP"_s;
    case TransferFault::CutBody:
        return u"the connection broke within the answer"_s;
    case TransferFault::ConnectTimeout:
        return u"connecting took too long"_s;
    case TransferFault::FirstByteTimeout:
        return u"no answer came within the time limit"_s;
    case TransferFault::IdleTimeout:
        return u"the answer stopped and nothing more came"_s;
    case TransferFault::Library:
        return u"the HTTP library cannot be used"_s;
    }
    return {};
}

/// `type` of an error as Messages clients know it.
std::string_view messagesErrorType(int status, std::string_view code)
{
    if (code == kRateLimitExceeded) {
        return "rate_limit_error";
    }
    if (code == kServerOverloaded) {
        return "overloaded_error";
    }
    return status == 401 ? "authentication_error"
        : status == 403  ? "permission_error"
        : status == 404  ? "not_found_error"
        : status >= 500  ? "api_error"
                         : "invalid_request_error";
}

/// A provider that repeats the key in its refusal must not hand it to the client.
void hideKeys(std::string &text, const Upstream &upstream)
{
    const auto hide = [&text](const std::string &secret) {
        constexpr size_t kShortest = 6; // a shorter one would tear ordinary words
        for (size_t at = text.find(secret); secret.size() >= kShortest && at != std::string::npos;
             at = text.find(secret, at)) {
            text.replace(at, secret.size(), "***");
        }
    };
    hide(upstream.apiKey.toStdString());
    for (const auto &[name, value] : upstream.defaultHeaders) {
        const QByteArray lower = name.toLower();
        if (lower.contains("key") || lower.contains("auth") || lower.contains("token")) {
            hide(value.toStdString());
        }
    }
}

ProxyTiming withoutRetries(ProxyTiming timing)
{
    timing.retryDelays.clear();
    timing.connectRetryDelays.clear();
    return timing;
}

} // namespace

ModelExchange::ModelExchange(
    net::HttpClient &client, const ProxyTiming &timing, net::HttpExchange &peer, ExchangePlan plan)
    : m_client(client)
    , m_timing(timing)
    , m_peer(&peer)
    , m_plan(std::move(plan))
    , m_policy(m_plan.route.singleAttempt ? withoutRetries(timing) : timing)
    , m_retry(this)
    , m_tick(this)
{
    m_retry.setSingleShot(true);
    connect(&m_retry, &QTimer::timeout, this, &ModelExchange::attempt);
    m_tick.setInterval(
        std::clamp(std::min({ timing.keepAlive, timing.idle, timing.afterFinish }) / 4,
            milliseconds(10), milliseconds(2000)));
    connect(&m_tick, &QTimer::timeout, this, &ModelExchange::tick);
    connect(&peer, &net::HttpExchange::clientGone, this, [this] {
        // Waiting is over, the provider's stream is closed, nothing is remembered.
        m_ended = true;
        done();
    });
    connect(&peer, &net::HttpExchange::drained, this, &ModelExchange::onDrained);
}

ModelExchange::~ModelExchange() = default;

void ModelExchange::start()
{
    attempt();
}

void ModelExchange::attempt()
{
    m_translator = m_plan.makeTranslator();
    m_errorBody.clear();
    m_headers.clear();
    m_status = 0;
    m_signsOfLife = 0;
    m_lastLife = m_lastWrite = steady_clock::now();
    m_transfer = m_client.send(m_plan.request, *this);
}

void ModelExchange::onHead(int status, const net::HeaderList &headers)
{
    m_status = status;
    m_headers = headers;
    m_lastLife = steady_clock::now();
    m_tick.start();
}

void ModelExchange::onBytes(std::string_view bytes)
{
    if (m_ended) {
        return;
    }
    if (m_status < 200 || m_status > 299) {
        m_errorBody.append(
            bytes.substr(0, kMaxErrorBody - std::min(kMaxErrorBody, m_errorBody.size())));
        return;
    }
    m_translator->feed(bytes);
    if (const size_t signs = m_translator->signsOfLife(); signs != m_signsOfLife) {
        m_signsOfLife = signs;
        m_lastLife = steady_clock::now();
    }
    forward();
}

void ModelExchange::forward()
{
    if (m_ended || m_translator == nullptr || m_peer == nullptr) {
        return;
    }
    const AnswerState &state = m_translator->state();
    if (!m_committed && m_translator->hasOutput()) {
        if (state.end == AnswerEnd::Failed && !state.substance) {
            // Nothing has gone to the client: a failure in the first event is like a refusal. One
            // after the model spoke is not, however the network cut the stream into pieces.
            AttemptOutcome outcome;
            outcome.status = statusOfError(state.error);
            outcome.headers = m_headers;
            outcome.error = state.error;
            attemptFailed(outcome, QString::fromStdString(state.error.code));
            return;
        }
        commit();
    }
    if (m_translator->hasOutput()) {
        const std::string output = m_translator->takeOutput();
        if (m_plan.wholeAnswer) {
            m_whole += output;
        } else {
            m_peer->write(output);
        }
        m_lastWrite = steady_clock::now();
    }
    if (m_ended) {
        return; // the client left while it was written to
    }
    if (m_translator->ended()) {
        answerEnded();
        return;
    }
    if (state.finishing && !m_finishingSince) {
        m_finishingSince = steady_clock::now();
    }
    if (!m_paused && m_peer->pendingBytes() > kPauseAbove) {
        m_paused = true;
        m_transfer->pause();
    }
}

void ModelExchange::commit()
{
    m_committed = true;
    if (m_plan.commitsSwitch) {
        Q_EMIT switchCommitted(m_plan.route.scope);
    }
    if (m_plan.route.memory != nullptr) {
        m_plan.route.memory->lastModel = m_plan.model;
    }
    if (m_plan.wholeAnswer) {
        return;
    }
    net::HeaderList headers { { "Content-Type", "text/event-stream" },
        { "Cache-Control", "no-cache" } };
    if (m_plan.unchangedErrors) {
        headers.append(passedReplyHeaders(m_headers));
    }
    m_peer->begin(200, headers);
}

void ModelExchange::onFinished(net::TransferFault fault, const QString &message)
{
    if (m_ended) {
        return;
    }
    m_transfer.reset();
    const bool accepted = m_status >= 200 && m_status <= 299;
    if (!accepted && (fault == net::TransferFault::None || m_status != 0)) {
        hideKeys(m_errorBody, *m_plan.route.upstream);
        AttemptOutcome outcome;
        outcome.status = m_status;
        outcome.headers = m_headers;
        const Result<Json> body = parseJson(m_errorBody);
        outcome.error = body ? providerError(*body, m_status)
                             : providerErrorFromText({}, m_errorBody.substr(0, 2000), m_status);
        attemptFailed(outcome, u"HTTP %1"_s.arg(m_status));
        return;
    }
    if (!accepted) {
        AttemptOutcome outcome;
        outcome.fault = fault;
        outcome.error.message = message.toStdString();
        // What is wrong with a network proxy is nothing without its address.
        attemptFailed(outcome, fault == net::TransferFault::Proxy ? message : faultWord(fault));
        return;
    }
    if (fault != net::TransferFault::None) {
        m_translator->fail(
            kServerError, "the provider's stream broke: " + faultWord(fault).toStdString());
    } else if (m_translator->isForeign() && !m_committed) {
        const QString text = QString::fromStdString(m_translator->foreignExcerpt());
        replyLocal(502, "upstream_unreadable",
            u"The provider's address answered with neither an event stream nor JSON: %1"_s.arg(
                text));
        return;
    } else {
        m_translator->finish();
    }
    forward();
}

void ModelExchange::attemptFailed(const AttemptOutcome &outcome, const QString &words)
{
    m_transfer.reset();
    m_tick.stop();
    // OpenRouter names what the balance still pays for.
    static const QRegularExpression affordable(u"can only afford (\\d+)"_s);
    if (outcome.status == 402 && !m_cappedOnce) {
        const QRegularExpressionMatch match
            = affordable.match(QString::fromStdString(outcome.error.message));
        if (match.hasMatch()) {
            m_cappedOnce = true;
            m_plan.request.body = std::make_shared<const std::string>(
                withMember(*m_plan.request.body, "max_tokens", match.captured(1).toStdString()));
            attempt();
            return;
        }
    }
    const std::optional<milliseconds> delay
        = m_policy.next(outcome, QDateTime::currentDateTimeUtc());
    if (delay) {
        logging::logger("modelproxy")
            ->info("{}: {}, sending again in {} ms (attempt {} of {})", m_plan.route.scope, words,
                delay->count(), m_policy.attempt(), m_policy.maxAttempts());
        Q_EMIT retryWaiting(
            { m_plan.route.scope, m_policy.attempt(), m_policy.maxAttempts(), *delay, words });
        m_retry.start(*delay);
        return;
    }
    if (outcome.fault != net::TransferFault::None) {
        replyLocal(502, "upstream_unreachable",
            u"The model provider cannot be reached (%1): %2"_s.arg(
                m_plan.route.upstream->describe(), words));
        return;
    }
    if (m_status >= 200 && m_status <= 299) {
        // Failed in its first event, for good: the stream says so itself.
        commit();
        forward();
        return;
    }
    replyRefusal(outcome);
}

void ModelExchange::replyRefusal(const AttemptOutcome &outcome)
{
    report(outcome.status, outcome.error);
    if (m_peer != nullptr) {
        net::HeaderList headers;
        QByteArray body;
        if (m_plan.unchangedErrors) {
            const QByteArray type = net::headerValue(m_headers, "content-type");
            net::setHeader(headers, "Content-Type", type.isEmpty() ? "application/json" : type);
            body = QByteArray::fromStdString(m_errorBody);
        } else if (m_plan.forHarness) {
            net::setHeader(headers, "Content-Type", "application/json");
            const Json error { { "type", messagesErrorType(outcome.status, outcome.error.code) },
                { "message", outcome.error.message } };
            body = QByteArray::fromStdString(dumpJson({ { "type", "error" }, { "error", error } }));
        } else {
            net::setHeader(headers, "Content-Type", "application/json");
            body = QByteArray::fromStdString(errorBody(outcome.error));
        }
        headers.append(passedReplyHeaders(m_headers));
        m_peer->reply({ outcome.status, headers, body });
    }
    done();
}

void ModelExchange::replyLocal(int status, std::string_view code, const QString &message)
{
    ProviderError error;
    error.code = code;
    error.message = logging::maskSecrets(message.toStdString());
    report(status, error);
    if (m_peer != nullptr) {
        std::string body = localErrorBody(status, code, error.message);
        if (m_plan.forHarness) {
            body = dumpJson({ { "type", "error" },
                { "error",
                    { { "type", messagesErrorType(status, code) },
                        { "message", error.message } } } });
        }
        m_peer->reply({ status, { { "Content-Type", "application/json" } },
            QByteArray::fromStdString(body) });
    }
    done();
}

void ModelExchange::report(int status, const ProviderError &error)
{
    UpstreamFailure failure;
    failure.scope = m_plan.route.scope;
    failure.status = status;
    failure.code = QString::fromStdString(error.code);
    failure.message = QString::fromStdString(
        logging::maskSecrets(std::string_view(error.message).substr(0, 2000)));
    logging::logger("modelproxy")
        ->warn("{}: {} failed: status {}, {}", failure.scope, m_plan.route.upstream->describe(),
            status, failure.code);
    Q_EMIT upstreamFailed(failure);
}

void ModelExchange::answerEnded()
{
    const AnswerState &state = m_translator->state();
    if (state.end == AnswerEnd::Failed) {
        report(200, state.error);
    } else if (m_plan.route.memory != nullptr) {
        m_plan.route.memory->history.record(state.responseId, state.calls);
        m_plan.route.memory->history.recordExtras(state.callExtras);
    }
    if (state.usage) {
        UsageReport usage;
        usage.scope = m_plan.route.scope;
        usage.model = QString::fromStdString(m_plan.model);
        usage.inputTokens = state.usage->input;
        usage.cachedTokens = state.usage->cached;
        usage.outputTokens = state.usage->output;
        usage.time = QDateTime::currentDateTimeUtc();
        Q_EMIT usageReported(usage);
        checkContext(usage.inputTokens);
    }
    if (m_peer != nullptr) {
        if (m_plan.wholeAnswer) {
            const bool failed = state.end == AnswerEnd::Failed;
            m_peer->reply({ failed ? statusOfError(state.error) : 200,
                { { "Content-Type", "application/json" } },
                QByteArray::fromStdString(m_plan.toWholeAnswer(m_whole)) });
        } else {
            m_peer->end();
        }
    }
    done();
}

void ModelExchange::checkContext(std::int64_t inputTokens)
{
    RouteMemory *memory = m_plan.route.memory.get();
    const ProviderProfile &profile = *m_plan.route.profile;
    if (!profile.truncatesSilently || memory == nullptr || memory->contextWarned) {
        return;
    }
    const std::string &body = *m_plan.request.body;
    std::optional<std::int64_t> window = profile.contextWindow;
    if (m_plan.route.upstream->contextWindow) {
        window = *m_plan.route.upstream->contextWindow;
    }
    constexpr std::int64_t kBytesPerToken = 4; // at least: so the estimate is low
    constexpr std::int64_t kWorthWarning = 2000;
    const auto estimate = static_cast<std::int64_t>(body.size()) / kBytesPerToken;
    QString message;
    if (estimate > kWorthWarning && inputTokens < estimate / 2
        && body.find("\"image_url\"") == std::string::npos) {
        message = u"The provider read %1 tokens of a prompt of about %2: its context window is too "
                  "small, and it drops the beginning. Give it a larger one (Ollama: "
                  "OLLAMA_CONTEXT_LENGTH)."_s.arg(inputTokens)
                      .arg(estimate);
    } else if (window && inputTokens >= *window / 10 * 9) {
        message = u"The prompt fills %1 of the %2 tokens of the model's context window. What does "
                  "not fit, this provider drops without a word; start a new conversation."_s
                      .arg(inputTokens)
                      .arg(*window);
    }
    if (!message.isEmpty()) {
        memory->contextWarned = true;
        logging::logger("modelproxy")->warn("{}: {}", m_plan.route.scope, message);
        Q_EMIT contextWarned({ m_plan.route.scope, message });
    }
}

void ModelExchange::tick()
{
    if (m_ended || m_paused || m_transfer == nullptr || m_translator == nullptr) {
        return;
    }
    const auto now = steady_clock::now();
    if (m_finishingSince && now - *m_finishingSince >= m_timing.afterFinish) {
        m_translator->finish(); // the numbers did not come; some servers keep the socket open
        forward();
        return;
    }
    if (now - m_lastLife >= m_timing.idle) {
        m_transfer.reset();
        m_translator->fail(kServerError, "the provider sent nothing complete for too long");
        forward();
        return;
    }
    if (m_committed && !m_plan.wholeAnswer && now - m_lastWrite >= m_timing.keepAlive) {
        const std::string event = m_translator->keepAlive();
        if (!event.empty() && m_peer != nullptr) {
            m_lastWrite = now;
            m_peer->write(event);
        }
    }
}

void ModelExchange::onDrained()
{
    if (m_paused && m_transfer != nullptr) {
        m_paused = false;
        m_lastLife = steady_clock::now();
        m_transfer->resume();
    }
}

void ModelExchange::cut()
{
    if (m_ended) {
        return;
    }
    m_transfer.reset();
    if (m_committed && m_translator != nullptr) {
        m_translator->fail(kServerError, "the program is stopping");
        forward();
    } else {
        replyLocal(503, "stopping", u"The program is stopping."_s);
    }
}

void ModelExchange::done()
{
    m_ended = true;
    m_retry.stop();
    m_tick.stop();
    m_transfer.reset();
    Q_EMIT finished();
    deleteLater();
}

} // namespace deskhand::modelproxy
