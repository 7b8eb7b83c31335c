// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/modelproxy/json.h"
#include "executor/modelproxy/providerprofile.h"
#include "executor/modelproxy/requestfacts.h"
#include "executor/modelproxy/toolhistory.h"
#include "executor/modelproxy/toolnames.h"
#include "executor/modelproxy/upstream.h"

#include <memory>
#include <string>

namespace deskhand::modelproxy {

/// What applies to one request besides its body.
struct RequestContext
{
    const Upstream &upstream;
    const ProviderProfile &profile;
    const ToolHistory *history = nullptr;
    bool switching = false; ///< drop what only the former model can read
    bool forked = false;
};

/// A body as the provider gets it, and what the answer needs to be turned back.
struct PreparedRequest
{
    std::shared_ptr<const std::string> body;
    ToolNames names;
    bool bridging = false; ///< tools were sent in another form than Codex knows
    std::string model; ///< as sent
};

/// A Responses request for a Responses provider. Only what must change changes: the other bytes of
/// the body stay as they are, also the order of keys and the blanks between them.
[[nodiscard]] Result<PreparedRequest> prepareResponsesRequest(
    std::string body, const RequestFacts &facts, const RequestContext &context);

/// The body with one member of the top level set to `json`, the rest untouched.
[[nodiscard]] std::string withMember(
    std::string_view body, const std::string &key, std::string json);

/// Gives every id of the input a form that all providers take. True when anything changed.
bool rewriteUnsafeIds(Json &input);

} // namespace deskhand::modelproxy
