// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/modelproxy/answer.h"
#include "executor/modelproxy/messagesin.h"

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string_view>

namespace deskhand::fuzz {

/// Feeds the bytes in pieces whose sizes the first byte chooses, and holds the translator to its
/// promise: exactly one end, and nothing after it.
inline void runAnswer(const std::uint8_t *data, size_t size,
    const std::function<std::unique_ptr<modelproxy::AnswerTranslator>()> &make)
{
    if (size == 0) {
        return;
    }
    const size_t piece = data[0] % 64U + 1U;
    const std::string_view bytes(reinterpret_cast<const char *>(data) + 1, size - 1);
    const auto translator = make();
    std::string written;
    for (size_t at = 0; at < bytes.size(); at += piece) {
        translator->feed(bytes.substr(at, piece));
        written += translator->takeOutput();
    }
    static_cast<void>(translator->keepAlive());
    translator->finish();
    written += translator->takeOutput();
    if (!translator->ended()) {
        std::abort(); // a client would wait for ever
    }
    // A client that wants no stream gets one object made of it.
    if (!modelproxy::Json::accept(modelproxy::wholeMessage(written))
        || !modelproxy::Json::accept(modelproxy::wholeResponse(written))) {
        std::abort();
    }
    translator->feed(bytes);
    translator->finish();
    if (!translator->takeOutput().empty()) {
        std::abort(); // something after the end
    }
    // Each byte may be announced and repeated a few times, never without bound.
    if (written.size() > 65536 + 4096 * bytes.size()) {
        std::abort();
    }
}

} // namespace deskhand::fuzz
