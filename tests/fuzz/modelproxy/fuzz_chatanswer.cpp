// SPDX-License-Identifier: Apache-2.0
#include "executor/modelproxy/chatanswer.h"
#include "tests/fuzz/modelproxy/answerfuzz.h"

using namespace deskhand::modelproxy;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, size_t size)
{
    static const ToolNames names = ToolNames::fromTools(Json::parse(
        R"([{"type":"function","name":"exec_command"},{"type":"custom","name":"apply_patch"},)"
        R"({"type":"local_shell"},{"type":"tool_search"},)"
        R"({"type":"namespace","name":"mcp__files","tools":[{"type":"function","name":"stat"}]}])"));
    ProviderProfile profile;
    profile.inlineThink = size > 0 && (data[0] & 0x80U) != 0;
    deskhand::fuzz::runAnswer(
        data, size, [&] { return std::make_unique<ChatAnswer>(names, profile, "m"); });
    return 0;
}
