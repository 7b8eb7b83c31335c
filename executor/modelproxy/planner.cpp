// SPDX-License-Identifier: Apache-2.0
#include "executor/modelproxy/planner.h"

#include "executor/logging/log.h"
#include "executor/modelproxy/modelswitch.h"
#include "executor/modelproxy/outbound.h"
#include "executor/modelproxy/responsesanswer.h"
#include "executor/modelproxy/responsesrequest.h"

namespace deskhand::modelproxy {

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
    Result<PreparedRequest> prepared = prepareResponsesRequest(std::move(body), facts, context);
    if (!prepared) {
        return tl::unexpected(prepared.error());
    }
    plan.model = prepared->model;
    plan.request.body = prepared->body;
    plan.unchangedErrors = true;
    plan.makeTranslator
        = [names = std::move(prepared->names),
              bridging = prepared->bridging]() -> std::unique_ptr<AnswerTranslator> {
        return std::make_unique<ResponsesAnswer>(names, bridging);
    };
    return plan;
}

} // namespace deskhand::modelproxy
