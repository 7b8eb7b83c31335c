// SPDX-License-Identifier: Apache-2.0
#include "executor/modelproxy/chatrequest.h"
#include "executor/modelproxy/messagesin.h"
#include "executor/modelproxy/messagesrequest.h"
#include "executor/modelproxy/requestfacts.h"
#include "executor/modelproxy/responsesrequest.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

using namespace deskhand;
using namespace deskhand::modelproxy;

namespace {

/// Our reader and the library's must agree, but for three things: the library takes a NUL for the
/// end, has no limit of depth, and refuses numbers beyond a double.
void compareReaders(const std::string &body)
{
    const auto opening = [](char c) {
        return c == '{' || c == '[';
    };
    const bool deep = std::count_if(body.begin(), body.end(), opening) > kMaxJsonDepth;
    // A double ends at 309 digits.
    size_t digits = 0;
    size_t longest = 0;
    for (const char c : body) {
        digits = c >= '0' && c <= '9' ? digits + 1 : 0;
        longest = std::max(longest, digits);
    }
    const bool comparable = !deep && longest < 300 && body.find('\0') == std::string::npos
        && body.find_first_of("eE") == std::string::npos;
    if (!comparable) {
        return;
    }
    const Result<Json> ours = parseJson(body);
    const Json theirs = Json::parse(body, nullptr, false);
    if (ours.has_value() == theirs.is_discarded()) {
        std::abort();
    }
    if (ours && parseJson(dumpJson(*ours)).value() != *ours) {
        std::abort(); // written and read again it is the same
    }
}

} // namespace

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
    compareReaders(body);
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
        if (!passed || !parseJson(*passed->body)) {
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
        if (messages && !parseJson(*messages->body)) {
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
