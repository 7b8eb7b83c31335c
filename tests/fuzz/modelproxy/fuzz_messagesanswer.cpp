// SPDX-License-Identifier: Apache-2.0
#include "executor/modelproxy/messagesanswer.h"
#include "executor/modelproxy/messagesin.h"
#include "tests/fuzz/modelproxy/answerfuzz.h"

using namespace deskhand::modelproxy;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, size_t size)
{
    static const ToolNames names = ToolNames::fromTools(
        Json::parse(R"([{"type":"function","name":"exec_command"},{"type":"custom","name":"p"}])"));
    deskhand::fuzz::runAnswer(
        data, size, [&] { return std::make_unique<MessagesAnswer>(names, "m"); });
    deskhand::fuzz::runAnswer(data, size, [] { return std::make_unique<MessagesPassage>(); });
    // There and back again.
    deskhand::fuzz::runAnswer(data, size, [&] {
        return std::make_unique<MessagesFromResponses>(
            std::make_unique<MessagesAnswer>(names, "m"));
    });
    return 0;
}
