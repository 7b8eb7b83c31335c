// SPDX-License-Identifier: Apache-2.0
#include "executor/modelproxy/ssereader.h"
#include "executor/modelproxy/utf8check.h"

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

using namespace deskhand::modelproxy;

namespace {

class Collector final : public SseReader::Sink
{
public:
    std::string seen;

    void onSseEvent(std::string_view event, std::string_view data, bool complete) override
    {
        seen.append(event).append("|").append(data).append(complete ? "+" : "-");
    }
};

std::string read(std::string_view bytes, size_t piece)
{
    Collector collector;
    SseReader reader(collector, 4096);
    for (size_t at = 0; at < bytes.size(); at += piece) {
        if (!reader.feed(bytes.substr(at, piece))) {
            return "too large";
        }
    }
    reader.finish();
    return collector.seen;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, size_t size)
{
    const std::string_view bytes(reinterpret_cast<const char *>(data), size);
    const std::string whole = read(bytes, size + 1);
    const std::string byByte = read(bytes, 1);
    if (whole != byByte && whole != "too large" && byByte != "too large") {
        std::abort(); // the division into pieces must not matter
    }
    Utf8Check one;
    Utf8Check all;
    bool valid = true;
    for (const char &byte : bytes) {
        valid = one.feed(std::string_view(&byte, 1)) && valid;
    }
    if (all.feed(bytes) != valid || (valid && one.complete() != all.complete())) {
        std::abort();
    }
    return 0;
}
