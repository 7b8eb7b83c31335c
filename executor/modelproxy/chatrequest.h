// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/modelproxy/responsesrequest.h"

namespace deskhand::modelproxy {

/// A Responses request as a Chat Completions request. Consumes `request`, an object.
[[nodiscard]] Result<PreparedRequest> chatRequestFromResponses(
    Json &&request, const RequestContext &context);

/// Messages of the body: every assistant message with calls is followed by exactly one tool message
/// for each of them, before anything else. Empty when that holds, otherwise what is wrong.
[[nodiscard]] std::string pairingFault(const Json &messages);

} // namespace deskhand::modelproxy
