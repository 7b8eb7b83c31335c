// SPDX-License-Identifier: Apache-2.0
#include "executor/modelproxy/json.h"

#include "executor/modelproxy/utf8check.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

namespace deskhand::modelproxy {
namespace {

/// Builds the value from what the reader tells; unlike the library's own builder it does not search
/// an object for each new key.
class Builder final : public JsonVisitor
{
public:
    Json root;

    bool onNull() override { return put(nullptr); }
    bool onBool(bool value) override { return put(value); }
    bool onInteger(std::int64_t value) override { return put(value); }
    bool onOtherNumber(std::string_view text) override
    {
        Json number = Json::parse(text, nullptr, false);
        // Beyond what a double holds.
        constexpr double kLargest = std::numeric_limits<double>::max();
        return put(number.is_discarded() ? Json(text.front() == '-' ? -kLargest : kLargest)
                                         : std::move(number));
    }
    bool onString(std::string_view value) override { return put(std::string(value)); }
    bool onObject() override { return open(Json::object()); }
    bool onArray() override { return open(Json::array()); }
    bool onObjectEnd() override { return close(); }
    bool onArrayEnd() override { return close(); }

    bool onKey(std::string_view key) override
    {
        auto &object = m_open.back()->get_ref<Json::object_t &>();
        // A repeated key of a small object replaces the first; large ones are not searched.
        constexpr size_t kSearched = 64;
        if (object.size() <= kSearched) {
            const auto found = std::find_if(object.begin(), object.end(),
                [key](const auto &pair) { return pair.first == key; });
            if (found != object.end()) {
                m_target = &found->second;
                return true;
            }
        }
        object.emplace_back(std::string(key), nullptr);
        m_target = &object.back().second;
        return true;
    }

private:
    template <typename Value> bool put(Value &&value)
    {
        place(Json(std::forward<Value>(value)));
        return true;
    }

    Json *place(Json &&value)
    {
        if (m_open.empty()) {
            root = std::move(value);
            return &root;
        }
        if (m_open.back()->is_array()) {
            auto &array = m_open.back()->get_ref<Json::array_t &>();
            array.push_back(std::move(value));
            return &array.back();
        }
        *m_target = std::move(value);
        return m_target;
    }

    bool open(Json &&value)
    {
        m_open.push_back(place(std::move(value)));
        return true;
    }

    bool close()
    {
        m_open.pop_back();
        return true;
    }

    // Pointers into the tree stay valid: a container grows only while it is the innermost one.
    std::vector<Json *> m_open;
    Json *m_target = nullptr;
};

template <typename Number> void appendNumber(std::string &out, Number number)
{
    std::array<char, 24> digits {};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number);
    out.append(digits.data(), end.ptr);
}

void appendJson(std::string &out, const Json &value)
{
    switch (value.type()) {
    case Json::value_t::object: {
        char before = '{';
        for (const auto &[key, inner] : value.get_ref<const Json::object_t &>()) {
            out.push_back(before);
            before = ',';
            appendJsonString(out, key);
            out.push_back(':');
            appendJson(out, inner);
        }
        out.append(before == '{' ? "{}" : "}");
        break;
    }
    case Json::value_t::array: {
        char before = '[';
        for (const Json &inner : value.get_ref<const Json::array_t &>()) {
            out.push_back(before);
            before = ',';
            appendJson(out, inner);
        }
        out.append(before == '[' ? "[]" : "]");
        break;
    }
    case Json::value_t::string:
        appendJsonString(out, value.get_ref<const std::string &>());
        break;
    case Json::value_t::number_integer:
        appendNumber(out, value.get<std::int64_t>());
        break;
    case Json::value_t::number_unsigned:
        appendNumber(out, value.get<std::uint64_t>());
        break;
    default:
        out.append(value.dump());
    }
}

} // namespace

Result<Json> parseJson(std::string_view text, int maxDepth)
{
    Builder builder;
    const JsonReading reading = readJsonText(text, builder, maxDepth);
    if (reading.fault != JsonFault::None) {
        return tl::unexpected(jsonError(reading, maxDepth));
    }
    return std::move(builder.root);
}

Error jsonError(const JsonReading &reading, int maxDepth)
{
    return { ErrorKind::Protocol,
        reading.fault == JsonFault::TooDeep
            ? QStringLiteral("JSON nested more than %1 levels deep").arg(maxDepth)
            : QStringLiteral("malformed JSON at byte %1").arg(reading.offset) };
}

std::string dumpJson(const Json &value)
{
    std::string out;
    appendJson(out, value);
    return out;
}

void appendJsonString(std::string &out, std::string_view text)
{
    if (!isUtf8(text)) {
        // Only cut texts of our own making: the library replaces what is broken.
        out.append(Json(std::string(text)).dump(-1, ' ', false, Json::error_handler_t::replace));
        return;
    }
    static constexpr std::string_view kHex = "0123456789abcdef";
    out.push_back('"');
    while (true) {
        const size_t run = plainJsonRun(text);
        out.append(text.substr(0, run));
        if (run == text.size()) {
            break;
        }
        const auto c = static_cast<unsigned char>(text[run]);
        text.remove_prefix(run + 1);
        switch (c) {
        case '"':
            out.append("\\\"");
            break;
        case '\\':
            out.append("\\\\");
            break;
        case '\n':
            out.append("\\n");
            break;
        case '\r':
            out.append("\\r");
            break;
        case '\t':
            out.append("\\t");
            break;
        default:
            out.append("\\u00");
            out.push_back(kHex[c >> 4U]);
            out.push_back(kHex[c & 15U]);
        }
    }
    out.push_back('"');
}

const Json *member(const Json &object, std::string_view key)
{
    if (!object.is_object()) {
        return nullptr;
    }
    for (const auto &[name, value] : object.get_ref<const Json::object_t &>()) {
        if (name == key) {
            return &value;
        }
    }
    return nullptr;
}

Json *member(Json &object, std::string_view key)
{
    return const_cast<Json *>(member(std::as_const(object), key));
}

std::string_view textMember(const Json &object, std::string_view key)
{
    const Json *value = member(object, key);
    return value != nullptr && value->is_string()
        ? std::string_view(value->get_ref<const std::string &>())
        : std::string_view();
}

std::optional<std::int64_t> intMember(const Json &object, std::string_view key)
{
    const Json *value = member(object, key);
    if (value == nullptr) {
        return std::nullopt;
    }
    if (value->is_number_unsigned()) {
        const auto number = value->get<std::uint64_t>();
        constexpr auto kLargest
            = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
        return number <= kLargest ? std::optional(static_cast<std::int64_t>(number)) : std::nullopt;
    }
    if (value->is_number_integer()) {
        return value->get<std::int64_t>();
    }
    if (value->is_number_float()) {
        const double number = value->get<double>();
        constexpr double kExact = 9007199254740992.0; // 2^53
        if (number >= -kExact && number <= kExact
            && number == static_cast<double>(static_cast<std::int64_t>(number))) {
            return static_cast<std::int64_t>(number);
        }
    }
    return std::nullopt;
}

std::optional<std::int64_t> countMember(const Json &object, std::string_view key)
{
    constexpr std::int64_t kLargest = std::int64_t(1) << 53;
    const Json *value = member(object, key);
    if (value != nullptr && value->is_number_unsigned()
        && value->get<std::uint64_t>() > static_cast<std::uint64_t>(kLargest)) {
        return kLargest;
    }
    const std::optional<std::int64_t> number = intMember(object, key);
    return number ? std::optional(std::clamp<std::int64_t>(*number, 0, kLargest)) : number;
}

bool isBlank(std::string_view text)
{
    return text.find_first_not_of(" \t\r\n\v\f") == std::string_view::npos;
}

std::vector<TopLevelMember> topLevelMembers(std::string_view text)
{
    std::vector<TopLevelMember> members;
    size_t at = text.find('{');
    if (at == std::string_view::npos) {
        return members;
    }
    ++at;
    const auto skipString = [&](size_t from) { // from the opening quote to behind the closing one
        size_t i = from + 1;
        while (i < text.size() && text[i] != '"') {
            i += text[i] == '\\' ? 2 : std::max<size_t>(1, plainJsonRun(text.substr(i)));
        }
        return std::min(i + 1, text.size());
    };
    while (at < text.size()) {
        at = text.find_first_of("\"}", at);
        if (at == std::string_view::npos || text[at] == '}') {
            break;
        }
        const size_t keyEnd = skipString(at);
        TopLevelMember found;
        found.keyBegin = at;
        const std::string_view rawKey = text.substr(at, keyEnd - at);
        if (rawKey.find('\\') == std::string_view::npos) {
            found.key = std::string(rawKey.substr(1, rawKey.size() - 2));
        } else if (const Result<Json> key = parseJson(rawKey); key && key->is_string()) {
            found.key = key->get<std::string>();
        }
        at = text.find_first_not_of(" \t\r\n", text.find(':', keyEnd) + 1);
        if (at == std::string_view::npos) {
            break;
        }
        found.valueBegin = at;
        int depth = 0;
        while (at < text.size()) {
            const char c = text[at];
            if (c == '"') {
                at = skipString(at);
                continue;
            }
            if (c == '{' || c == '[') {
                ++depth;
            } else if (c == '}' || c == ']') {
                if (depth == 0) {
                    break;
                }
                --depth;
            } else if (c == ',' && depth == 0) {
                break;
            }
            ++at;
        }
        found.valueEnd = at;
        while (found.valueEnd > found.valueBegin
            && std::string_view(" \t\r\n").find(text[found.valueEnd - 1])
                != std::string_view::npos) {
            --found.valueEnd;
        }
        members.push_back(std::move(found));
    }
    return members;
}

} // namespace deskhand::modelproxy
