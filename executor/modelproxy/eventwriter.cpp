// SPDX-License-Identifier: Apache-2.0
#include "executor/modelproxy/eventwriter.h"

namespace deskhand::modelproxy {
namespace {

void normaliseDetails(Json &usage, std::string_view key, std::string_view counter)
{
    Json *details = member(usage, key);
    if (details == nullptr || details->is_null()) {
        return;
    }
    if (!details->is_object()) {
        *details = nullptr;
        return;
    }
    const std::string name(counter);
    const std::optional<std::int64_t> value = countMember(*details, counter);
    (*details)[name] = value.value_or(0);
}

std::optional<std::int64_t> firstOf(const Json &usage, std::string_view a, std::string_view b)
{
    const std::optional<std::int64_t> value = countMember(usage, a);
    return value ? value : countMember(usage, b);
}

} // namespace

void appendEvent(std::string &out, std::string_view type, std::string_view json)
{
    out.append("event: ").append(type).append("\ndata: ").append(json).append("\n\n");
}

bool isEventName(std::string_view type)
{
    return !type.empty() && type.find_first_of("\r\n") == std::string_view::npos;
}

void normaliseUsage(Json &response)
{
    Json *usage = member(response, "usage");
    if (usage == nullptr || usage->is_null()) {
        return;
    }
    const auto input = firstOf(*usage, "input_tokens", "prompt_tokens");
    const auto output = firstOf(*usage, "output_tokens", "completion_tokens");
    const auto total = countMember(*usage, "total_tokens");
    if (!usage->is_object() || (!input && !output && !total)) {
        *usage = nullptr;
        return;
    }
    (*usage)["input_tokens"] = input.value_or(0);
    (*usage)["output_tokens"] = output.value_or(0);
    (*usage)["total_tokens"] = total.value_or(input.value_or(0) + output.value_or(0));
    normaliseDetails(*usage, "input_tokens_details", "cached_tokens");
    normaliseDetails(*usage, "output_tokens_details", "reasoning_tokens");
}

} // namespace deskhand::modelproxy
