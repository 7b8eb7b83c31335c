// SPDX-License-Identifier: Apache-2.0
#include "executor/modelproxy/modelprobe.h"

#include "executor/logging/masking.h"
#include "executor/modelproxy/catalog.h"
#include "executor/modelproxy/errorcodes.h"
#include "executor/modelproxy/json.h"
#include "executor/modelproxy/outbound.h"

#include <algorithm>

using namespace Qt::StringLiterals;

namespace deskhand::modelproxy {
namespace {

constexpr size_t kMaxList = size_t(8) * 1024 * 1024;
constexpr size_t kMaxTestAnswer = size_t(4) * 1024 * 1024;
constexpr std::chrono::milliseconds kPatience { 60000 };
constexpr std::string_view kTestTool = "report_ready";

QString text(std::string_view utf8)
{
    return QString::fromUtf8(utf8.data(), static_cast<qsizetype>(utf8.size()));
}

std::optional<qint64> windowOf(const Json &entry)
{
    for (const char *key : { "context_window", "context_length", "max_model_len",
             "max_context_length", "max_context_window", "inputTokenLimit" }) {
        if (const auto window = intMember(entry, key); window && *window > 0) {
            return *window;
        }
    }
    return std::nullopt;
}

std::string testRequest(const std::string &model)
{
    const Json tool { { "type", "function" }, { "name", kTestTool },
        { "description", "Reports that tools can be called." },
        { "parameters",
            { { "type", "object" }, { "properties", { { "ready", { { "type", "boolean" } } } } },
                { "required", Json::array({ "ready" }) } } } };
    const Json message { { "type", "message" }, { "role", "user" },
        { "content",
            Json::array({ { { "type", "input_text" },
                { "text",
                    "Call the tool report_ready with ready set "
                    "to true. Say nothing else." } } }) } };
    return dumpJson(
        { { "model", model }, { "instructions", "You are being tested for tool calls." },
            { "input", Json::array({ message }) }, { "tools", Json::array({ tool }) },
            { "tool_choice", "auto" }, { "parallel_tool_calls", false }, { "store", false },
            { "stream", true } });
}

} // namespace

void explainRefusal(
    int status, const std::string &code, const std::string &message, ModelTestReport &report)
{
    const QString words = text(logging::maskSecrets(std::string_view(message).substr(0, 500)));
    if (status == 401 || status == 403) {
        report.problem = u"The provider refuses the key (HTTP %1): %2"_s.arg(status).arg(words);
        report.hint = u"Check the key, and that it is meant for this address."_s;
    } else if (status == 404) {
        report.problem
            = u"The provider knows neither this model nor this address (HTTP 404): %1"_s.arg(words);
        report.hint = u"Choose a model from the list, or correct the base URL."_s;
    } else if (code == kInsufficientQuota || status == 402) {
        report.problem = u"The account has no balance left: %1"_s.arg(words);
        report.hint = u"Top up the account at the provider."_s;
    } else if (status == 429 || code == kRateLimitExceeded) {
        report.problem = u"The provider limits the rate of requests: %1"_s.arg(words);
        report.hint = u"Wait a little and test again."_s;
    } else if (status == 502) {
        report.problem = words;
        report.hint = u"Check the base URL and the network proxy."_s;
    } else if (status == 400 || status == 422) {
        report.problem
            = u"The provider does not accept the request (HTTP %1): %2"_s.arg(status).arg(words);
        report.hint = u"Check the wire format and the provider family of this model."_s;
    } else {
        report.problem = u"The provider failed (HTTP %1): %2"_s.arg(status).arg(words);
        report.hint = u"Try again later."_s;
    }
}

ModelLister::ModelLister(const Upstream &upstream, const ProxyTiming &timing)
    : m_upstream(upstream)
    , m_timing(timing)
{ }

void ModelLister::start(net::HttpClient &client)
{
    Upstream target = m_upstream;
    target.requestUrl = modelsUrl(m_upstream);
    net::HttpRequest request = outboundRequest(target, {}, m_timing);
    request.method = "GET";
    request.headers.removeIf([](const auto &header) { return header.first == "Content-Type"; });
    net::setHeader(request.headers, "Accept", "application/json");
    request.firstByteTimeout = std::min(request.firstByteTimeout, kPatience);
    request.idleTimeout = std::min(request.idleTimeout, kPatience);
    m_transfer = client.send(request, *this);
}

void ModelLister::onHead(int status, const net::HeaderList &)
{
    m_status = status;
}

void ModelLister::onBytes(std::string_view bytes)
{
    m_body.append(bytes.substr(0, kMaxList - std::min(kMaxList, m_body.size())));
}

void ModelLister::onFinished(net::TransferFault fault, const QString &message)
{
    if (fault != net::TransferFault::None) {
        end(failure(ErrorKind::Network, u"the provider cannot be reached: %1"_s.arg(message),
            u"Check the base URL and the network proxy."_s));
        return;
    }
    const Result<Json> body = parseJson(m_body);
    if (m_status != 200) {
        ModelTestReport report;
        const ProviderError error = body
            ? providerError(*body, m_status)
            : providerErrorFromText({}, m_body.substr(0, 200), m_status);
        explainRefusal(m_status, error.code, error.message, report);
        end(failure(m_status == 401 || m_status == 403 ? ErrorKind::Auth : ErrorKind::Protocol,
            report.problem, report.hint));
        return;
    }
    const Json *list = nullptr;
    if (body) {
        list = body->is_array() ? &*body : member(*body, "data");
        if (list == nullptr) {
            list = member(*body, "models");
        }
    }
    if (list == nullptr || !list->is_array()) {
        end(failure(ErrorKind::Protocol, u"the provider's list of models cannot be read"_s,
            u"Check the base URL."_s));
        return;
    }
    QList<ListedModel> models;
    for (const Json &entry : *list) {
        ListedModel model;
        for (const char *key : { "id", "slug", "name", "model" }) {
            if (model.id.isEmpty()) {
                model.id = text(textMember(entry, key));
            }
        }
        model.displayName = text(textMember(entry, "display_name"));
        if (model.displayName.isEmpty()) {
            model.displayName = model.id;
        }
        model.contextWindow = windowOf(entry);
        if (!model.id.isEmpty()) {
            models.append(model);
        }
    }
    end(models);
}

void ModelLister::end(const Result<QList<ListedModel>> &models)
{
    if (models) {
        Q_EMIT listed(*models);
    } else {
        Q_EMIT failed(models.error());
    }
    deleteLater();
}

ModelTester::ModelTester(const Upstream &upstream, const QString &routeUrl)
    : m_upstream(upstream)
    , m_routeUrl(routeUrl)
{ }

void ModelTester::start(net::HttpClient &client)
{
    const Json entry = catalogEntryFor(m_upstream.modelId.toStdString(), m_upstream);
    m_report.contextWindow = intMember(entry, "context_window");
    net::HttpRequest request;
    request.url = (m_routeUrl + "/responses"_L1).toLatin1();
    request.headers = { { "Content-Type", "application/json" } };
    request.firstByteTimeout = kPatience;
    request.idleTimeout = kPatience;
    request.body
        = std::make_shared<const std::string>(testRequest(m_upstream.modelId.toStdString()));
    m_begin = std::chrono::steady_clock::now();
    m_transfer = client.send(request, *this);
}

void ModelTester::onHead(int status, const net::HeaderList &)
{
    m_status = status;
}

void ModelTester::onBytes(std::string_view bytes)
{
    if (m_body.empty()) {
        m_report.firstByte = std::chrono::duration_cast<std::chrono::milliseconds>(
            std::chrono::steady_clock::now() - m_begin);
    }
    m_body.append(bytes.substr(0, kMaxTestAnswer - std::min(kMaxTestAnswer, m_body.size())));
}

void ModelTester::onFinished(net::TransferFault fault, const QString &message)
{
    m_report.total = std::chrono::duration_cast<std::chrono::milliseconds>(
        std::chrono::steady_clock::now() - m_begin);
    if (fault != net::TransferFault::None) {
        m_report.problem = u"The provider did not answer in time: %1"_s.arg(message);
        m_report.hint = u"Try again, or choose a faster model."_s;
    } else if (m_status != 200) {
        readRefusal();
    } else {
        readEvents();
    }
    Q_EMIT tested(m_report);
    deleteLater();
}

void ModelTester::readRefusal()
{
    const Result<Json> body = parseJson(m_body);
    const ProviderError error = body ? providerError(*body, m_status)
                                     : providerErrorFromText({}, m_body.substr(0, 200), m_status);
    explainRefusal(m_status, error.code, error.message, m_report);
}

void ModelTester::readEvents()
{
    constexpr std::string_view kData = "data: ";
    constexpr qsizetype kShownText = 200;
    size_t at = 0;
    while (at < m_body.size()) {
        const size_t end = std::min(m_body.find('\n', at), m_body.size());
        const std::string_view line = std::string_view(m_body).substr(at, end - at);
        at = end + 1;
        const Result<Json> event
            = line.starts_with(kData) ? parseJson(line.substr(kData.size())) : Result<Json>(Json());
        if (!event) {
            continue;
        }
        const std::string_view type = textMember(*event, "type");
        const Json *item = member(*event, "item");
        const Json *response = member(*event, "response");
        if (type == "response.output_item.done" && item != nullptr
            && textMember(*item, "type") == "function_call"
            && textMember(*item, "name") == kTestTool) {
            m_report.calledTool = Json::accept(textMember(*item, "arguments"));
        } else if (type == "response.output_text.delta" && m_report.text.size() < kShownText) {
            m_report.text += text(textMember(*event, "delta"));
        } else if (type == "response.completed" || type == "response.incomplete") {
            m_report.answered = true;
        } else if (type == "response.failed" && response != nullptr) {
            const ProviderError error = providerError(*response, 0);
            explainRefusal(200, error.code, error.message, m_report);
        }
        if (response != nullptr && m_report.model.isEmpty()) {
            m_report.model = text(textMember(*response, "model"));
        }
    }
    m_report.text.truncate(kShownText);
    if (m_report.answered && !m_report.calledTool) {
        m_report.problem = u"The model answered, but did not call the tool it was told to call."_s;
        m_report.hint = u"Coding tasks need tool calls: choose a model that supports them."_s;
    } else if (!m_report.answered && m_report.problem.isEmpty()) {
        m_report.problem = u"The provider's answer ended before it was complete."_s;
        m_report.hint = u"Try again; if it stays, check the wire format."_s;
    }
}

} // namespace deskhand::modelproxy
