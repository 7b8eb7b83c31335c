// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/modelproxy/answer.h"
#include "executor/modelproxy/providerprofile.h"
#include "executor/modelproxy/toolhistory.h"
#include "tests/executor/modelproxy/vectors.h"

#include <string>

namespace deskhand::test {

/// The profile of a family without overrides.
[[nodiscard]] modelproxy::ProviderProfile profileOf(const char *family);

/// A Responses request as a Chat provider gets it; null when it cannot be translated.
[[nodiscard]] modelproxy::Json chatBody(modelproxy::Json request,
    const modelproxy::ProviderProfile &profile, const modelproxy::ToolHistory *history = nullptr);

/// The whole output of a translator for a whole stream.
[[nodiscard]] std::string answered(
    modelproxy::AnswerTranslator &&translator, const std::string &stream);

/// `response` of the last event.
[[nodiscard]] modelproxy::Json lastResponse(const std::string &stream);

/// A Responses request as a Responses provider gets it.
[[nodiscard]] std::string passedThrough(const std::string &body,
    const modelproxy::Upstream &upstream, const modelproxy::ProviderProfile &profile = {},
    bool switching = false, bool forked = false);

} // namespace deskhand::test
