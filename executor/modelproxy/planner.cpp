// SPDX-License-Identifier: Apache-2.0
#include "executor/modelproxy/planner.h"

#include "executor/logging/log.h"
#include "executor/modelproxy/chatanswer.h"
#include "executor/modelproxy/chatrequest.h"
#include "executor/modelproxy/messagesanswer.h"
#include "executor/modelproxy/messagesin.h"
#include "executor/modelproxy/messagesrequest.h"
#include "executor/modelproxy/modelswitch.h"
#include "executor/modelproxy/outbound.h"
#include "executor/modelproxy/responsesanswer.h"
#include "executor/modelproxy/responsesrequest.h"
#include "executor/modelproxy/visionsidecars.h"

#include <algorithm>

namespace deskhand::modelproxy {
namespace {

Result<PreparedRequest> prepare(
    std::string body, const RequestFacts &facts, const RequestContext &context)
{
    const WireFormat format = context.upstream.format;
    if (format == WireFormat::Responses) {
        return prepareResponsesRequest(std::move(body), facts, context);
    }
    Result<Json> request = parseJson(body);
    if (!request) {
        return tl::unexpected(request.error());
    }
    body.clear();
    body.shrink_to_fit(); // a long history exists once, not twice
    if (Json *input = member(*request, "input"); input != nullptr) {
        if (context.switching) {
            dropForeignState(*input);
        }
        // A stateless provider needs the calls that the client left to the former response.
        if (context.history != nullptr) {
            context.history->restore(
                *input, context.switching ? std::string() : facts.previousResponseId);
            if (context.switching) {
                dropForeignState(*input); // what was just restored may be of the former model
            }
        }
        addPatchAdvice(*input);
        const auto largest = context.profile.imageBytes
            ? static_cast<size_t>(*context.profile.imageBytes)
            : kMaxImageBytes;
        limitImages(*input, std::min(largest, kMaxImageBytes));
        if (context.forked) {
            stripForkedState(*input);
        }
    }
    return format == WireFormat::Chat ? chatRequestFromResponses(std::move(*request), context)
                                      : messagesRequestFromResponses(std::move(*request), context);
}

std::function<std::unique_ptr<AnswerTranslator>()> translatorFor(WireFormat format,
    const PreparedRequest &prepared, std::shared_ptr<const ProviderProfile> profile)
{
    return [format, names = prepared.names, bridging = prepared.bridging, model = prepared.model,
               profile = std::move(profile)]() -> std::unique_ptr<AnswerTranslator> {
        switch (format) {
        case WireFormat::Responses:
            break;
        case WireFormat::Chat:
            return std::make_unique<ChatAnswer>(names, *profile, model);
        case WireFormat::Messages:
            return std::make_unique<MessagesAnswer>(names, model);
        }
        return std::make_unique<ResponsesAnswer>(names, bridging);
    };
}

} // namespace

Result<ExchangePlan> planResponsesRequest(const RouteView &route, std::string body,
    const RequestFacts &facts, const net::HeaderList &clientHeaders, const ProxyTiming &timing)
{
    const Upstream &upstream = *route.upstream;
    const std::string realModel
        = upstream.modelId.isEmpty() ? facts.model : upstream.modelId.toStdString();
    if (facts.model != realModel) {
        logging::logger("modelproxy")
            ->debug("{}: the client asks for \"{}\", the route's model is \"{}\"", route.scope,
                facts.model, realModel);
    }
    RequestContext context { upstream, *route.profile };
    context.history = &route.memory->history;
    const bool otherModel
        = !route.memory->lastModel.empty() && route.memory->lastModel != realModel;
    context.switching = route.switchPending || (otherModel && facts.modelSwitchText);
    context.forked
        = isForked(net::headerValue(clientHeaders, "x-codex-turn-metadata").toStdString());

    ExchangePlan plan;
    plan.route = route;
    plan.request = outboundRequest(upstream, clientHeaders, timing);
    plan.commitsSwitch = context.switching;
    plan.wholeAnswer = facts.wholeAnswer;
    plan.toWholeAnswer = wholeResponse;
    Result<PreparedRequest> prepared = prepare(std::move(body), facts, context);
    if (!prepared) {
        return tl::unexpected(prepared.error());
    }
    plan.model = prepared->model;
    plan.request.body = prepared->body;
    plan.unchangedErrors = upstream.format == WireFormat::Responses;
    plan.makeTranslator = translatorFor(upstream.format, *prepared, route.profile);
    return plan;
}

Result<ExchangePlan> planMessagesRequest(const RouteView &route, Json &&request,
    const net::HeaderList &clientHeaders, const ProxyTiming &timing)
{
    const Upstream &upstream = *route.upstream;
    ExchangePlan plan;
    plan.route = route;
    plan.request = outboundRequest(upstream, clientHeaders, timing);
    plan.forHarness = true;
    plan.wholeAnswer = request.contains("stream") && request["stream"] == false;
    plan.toWholeAnswer = wholeMessage;
    if (upstream.format == WireFormat::Messages) {
        plan.model = upstream.modelId.isEmpty() ? std::string(textMember(request, "model"))
                                                : upstream.modelId.toStdString();
        request["model"] = plan.model;
        request["stream"] = true;
        if (upstream.maxOutputTokens && !request.contains("max_tokens")) {
            request["max_tokens"] = *upstream.maxOutputTokens;
        }
        plan.request.body = std::make_shared<const std::string>(dumpJson(request));
        for (const char *name : { "anthropic-beta" }) {
            const QByteArray value = net::headerValue(clientHeaders, name);
            if (!value.isEmpty() && !net::hasHeader(plan.request.headers, name)) {
                net::setHeader(plan.request.headers, name, value);
            }
        }
        plan.makeTranslator = []() -> std::unique_ptr<AnswerTranslator> {
            return std::make_unique<MessagesPassage>();
        };
        return plan;
    }
    const Json *messages = member(request, "messages");
    if (messages == nullptr || !messages->is_array() || messages->empty()) {
        return failure(ErrorKind::Protocol,
            QStringLiteral("\"messages\" must be a list with a message in it"));
    }
    const RequestContext context { upstream, *route.profile };
    Json responses = responsesRequestFromMessages(std::move(request));
    Result<PreparedRequest> prepared = tl::unexpected(Error {});
    if (upstream.format == WireFormat::Chat) {
        prepared = chatRequestFromResponses(std::move(responses), context);
    } else {
        responses.erase("stop"); // the Responses API has none
        const std::string body = dumpJson(responses);
        const Result<RequestFacts> facts = readRequestFacts(body);
        if (!facts) {
            return tl::unexpected(facts.error());
        }
        prepared = prepareResponsesRequest(body, *facts, context);
    }
    if (!prepared) {
        return tl::unexpected(prepared.error());
    }
    plan.model = prepared->model;
    plan.request.body = prepared->body;
    plan.makeTranslator = [inner = translatorFor(upstream.format, *prepared,
                               route.profile)]() -> std::unique_ptr<AnswerTranslator> {
        return std::make_unique<MessagesFromResponses>(inner());
    };
    return plan;
}

} // namespace deskhand::modelproxy
