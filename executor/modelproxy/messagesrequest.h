// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/modelproxy/responsesrequest.h"

namespace deskhand::modelproxy {

/// A Responses request as an Anthropic Messages request. Consumes `request`, an object.
[[nodiscard]] Result<PreparedRequest> messagesRequestFromResponses(
    Json &&request, const RequestContext &context);

} // namespace deskhand::modelproxy
