// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace deskhand::modelproxy {

/// Hears what a JSON text holds, in order. False ends the reading.
class JsonVisitor
{
public:
    virtual ~JsonVisitor() = default;
    [[nodiscard]] virtual bool onNull() = 0;
    [[nodiscard]] virtual bool onBool(bool value) = 0;
    [[nodiscard]] virtual bool onInteger(std::int64_t value) = 0;
    /// A number that is no integer of 64 bits, as it is written.
    [[nodiscard]] virtual bool onOtherNumber(std::string_view text) = 0;
    /// Without quotes and escapes; valid during the call.
    [[nodiscard]] virtual bool onString(std::string_view value) = 0;
    [[nodiscard]] virtual bool onKey(std::string_view key) = 0;
    [[nodiscard]] virtual bool onObject() = 0;
    [[nodiscard]] virtual bool onObjectEnd() = 0;
    [[nodiscard]] virtual bool onArray() = 0;
    [[nodiscard]] virtual bool onArrayEnd() = 0;
};

enum class JsonFault {
    None,
    Malformed, ///< or not UTF-8
    TooDeep,
    Stopped ///< by the visitor
};

struct JsonReading
{
    JsonFault fault = JsonFault::None;
    size_t offset = 0; ///< of the byte at fault
};

/// Reads one JSON value (RFC 8259) of valid UTF-8 from front to end. Histories have megabytes,
/// nearly all of them in strings: these are searched eight bytes at a time and handed over without
/// a copy where they have no escapes.
[[nodiscard]] JsonReading readJsonText(std::string_view text, JsonVisitor &visitor, int maxDepth);

/// Whether the text is one JSON value of limited depth.
[[nodiscard]] bool isJsonText(std::string_view text);

/// Length of the beginning that can stand in a JSON string as it is; bytes above ASCII can.
[[nodiscard]] size_t plainJsonRun(std::string_view text);

} // namespace deskhand::modelproxy
