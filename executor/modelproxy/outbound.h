// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/modelproxy/modelproxy.h"
#include "executor/modelproxy/upstream.h"
#include "executor/net/httpclient.h"

#include <memory>
#include <string>

namespace deskhand::modelproxy {

/// The request to a provider but for its body: address, time limits, proxy, and the headers, which
/// are the provider's own credentials, the few of the client that may pass, and the configured
/// ones, which replace by name.
[[nodiscard]] net::HttpRequest outboundRequest(
    const Upstream &upstream, const net::HeaderList &clientHeaders, const ProxyTiming &timing);

/// ".../models" beside the address that requests are posted to.
[[nodiscard]] QString modelsUrl(const Upstream &upstream);

/// Headers of a provider's answer that Codex reads.
[[nodiscard]] net::HeaderList passedReplyHeaders(const net::HeaderList &headers);

} // namespace deskhand::modelproxy
