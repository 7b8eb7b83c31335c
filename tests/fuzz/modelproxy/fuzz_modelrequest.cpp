// SPDX-License-Identifier: Apache-2.0
#include "executor/modelproxy/chatrequest.h"
#include "executor/modelproxy/messagesin.h"
#include "executor/modelproxy/messagesrequest.h"
#include "executor/modelproxy/requestfacts.h"
#include "executor/modelproxy/responsesrequest.h"

#include <cstdint>
#include <cstdlib>
#include <string>

using namespace deskhand;
using namespace deskhand::modelproxy;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, size_t size)
{
    static const ProviderProfile plain;
    static const ProviderProfile strict = [] {
        ProviderProfile profile;
        profile.reasoningEcho = ReasoningEcho::Required;
        profile.typedAnyOf = true;
        profile.nineCharacterIds = true;
        profile.mergeNeighbours = true;
        profile.imagesInToolOutput = false;
        profile.stripFields = { "store", "reasoning.summary" };
        profile.thinking = MessagesThinking::Budget;
        profile.cacheControl = true;
        return profile;
    }();
    const std::string body(reinterpret_cast<const char *>(data), size);
    const Result<RequestFacts> facts = readRequestFacts(body);
    const Result<Json> json = parseJson(body);
    if (facts && !json) {
        std::abort(); // both readers must agree
    }
    if (!facts) {
        return 0;
    }
    Upstream upstream;
    upstream.modelId = QStringLiteral("real");
    upstream.functionToolsOnly = true;
    for (const ProviderProfile &profile : { plain, strict }) {
        const RequestContext context { upstream, profile, nullptr, true, true };
        const auto passed = prepareResponsesRequest(body, *facts, context);
        if (!passed || !Json::accept(*passed->body)) {
            std::abort(); // what goes to a provider is always JSON
        }
        if (const auto chat = chatRequestFromResponses(Json(*json), context)) {
            const Json sent = parseJson(*chat->body).value();
            if (!pairingFault(sent["messages"]).empty()) {
                std::abort();
            }
        } else if (chat.error().kind == ErrorKind::Internal) {
            std::abort(); // the pairing is ours to keep
        }
        const auto messages = messagesRequestFromResponses(Json(*json), context);
        if (messages && !Json::accept(*messages->body)) {
            std::abort();
        }
        Json again = responsesRequestFromMessages(Json(*json));
        const auto translated = chatRequestFromResponses(std::move(again), context);
        if (!translated && translated.error().kind == ErrorKind::Internal) {
            std::abort();
        }
    }
    return 0;
}
