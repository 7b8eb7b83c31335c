// SPDX-License-Identifier: Apache-2.0
#include "tests/executor/modelproxy/translations.h"

#include "executor/modelproxy/chatrequest.h"
#include "executor/modelproxy/responsesrequest.h"

using namespace deskhand::modelproxy;

namespace deskhand::test {

ProviderProfile profileOf(const char *family)
{
    return ProviderProfile::fromOverrides(
        { { QStringLiteral("family"), QLatin1StringView(family) } })
        .value();
}

Json chatBody(Json request, const ProviderProfile &profile, const ToolHistory *history)
{
    const Upstream upstream;
    const RequestContext context { upstream, profile, history };
    const auto prepared = chatRequestFromResponses(std::move(request), context);
    return prepared ? parseJson(*prepared->body).value() : Json(nullptr);
}

std::string answered(AnswerTranslator &&translator, const std::string &stream)
{
    translator.feed(stream);
    translator.finish();
    return translator.takeOutput();
}

Json lastResponse(const std::string &stream)
{
    return joinedEvents(stream).back()["data"]["response"];
}

std::string passedThrough(const std::string &body, const Upstream &upstream,
    const ProviderProfile &profile, bool switching, bool forked)
{
    const auto facts = readRequestFacts(body);
    const RequestContext context { upstream, profile, nullptr, switching, forked };
    return *prepareResponsesRequest(body, *facts, context)->body;
}

} // namespace deskhand::test
