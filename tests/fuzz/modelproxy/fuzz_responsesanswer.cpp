// SPDX-License-Identifier: Apache-2.0
#include "executor/modelproxy/responsesanswer.h"
#include "tests/fuzz/modelproxy/answerfuzz.h"

using namespace deskhand::modelproxy;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, size_t size)
{
    static const ToolNames names = ToolNames::fromTools(Json::parse(
        R"([{"type":"custom","name":"apply_patch"},{"type":"tool_search"},)"
        R"({"type":"namespace","name":"mcp__files","tools":[{"type":"function","name":"stat"}]}])"));
    deskhand::fuzz::runAnswer(data, size, [] { return std::make_unique<ResponsesAnswer>(); });
    deskhand::fuzz::runAnswer(
        data, size, [&] { return std::make_unique<ResponsesAnswer>(names, true); });
    return 0;
}
