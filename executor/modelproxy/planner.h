// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/modelproxy/exchange.h"
#include "executor/modelproxy/requestfacts.h"

#include <string>

namespace deskhand::modelproxy {

/// Makes the provider's request out of a Responses request, in the provider's protocol.
[[nodiscard]] Result<ExchangePlan> planResponsesRequest(const RouteView &route, std::string body,
    const RequestFacts &facts, const net::HeaderList &clientHeaders, const ProxyTiming &timing);

/// Makes the provider's request out of an Anthropic Messages request. `clientModel` is what the
/// client asked for; it counts only when the route names no model.
[[nodiscard]] Result<ExchangePlan> planMessagesRequest(const RouteView &route, Json &&request,
    const net::HeaderList &clientHeaders, const ProxyTiming &timing);

} // namespace deskhand::modelproxy
