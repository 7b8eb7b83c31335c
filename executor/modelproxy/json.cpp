// SPDX-License-Identifier: Apache-2.0
#include "executor/modelproxy/json.h"

#include <algorithm>
#include <array>

namespace deskhand::modelproxy {
namespace {

/// Builds the value from the parser's events; unlike the library's own builder it limits depth and
/// does not search an object for each new key.
class Builder final : public nlohmann::json_sax<Json>
{
public:
    explicit Builder(int maxDepth)
        : m_maxDepth(maxDepth)
    { }

    Json root;
    QString problem;

    bool null() override { return put(nullptr); }
    bool boolean(bool value) override { return put(value); }
    bool number_integer(number_integer_t value) override { return put(value); }
    bool number_unsigned(number_unsigned_t value) override { return put(value); }
    bool number_float(number_float_t value, const string_t &) override { return put(value); }
    bool string(string_t &value) override { return put(std::move(value)); }
    bool binary(binary_t &) override { return false; }
    bool start_object(std::size_t) override { return open(Json::object()); }
    bool start_array(std::size_t) override { return open(Json::array()); }
    bool end_object() override { return close(); }
    bool end_array() override { return close(); }

    bool key(string_t &value) override
    {
        auto &object = m_open.back()->get_ref<Json::object_t &>();
        // A repeated key of a small object replaces the first; large ones are not searched.
        constexpr size_t kSearched = 64;
        if (object.size() <= kSearched) {
            const auto found = std::find_if(object.begin(), object.end(),
                [&](const auto &pair) { return pair.first == value; });
            if (found != object.end()) {
                m_target = &found->second;
                return true;
            }
        }
        object.emplace_back(std::move(value), nullptr);
        m_target = &object.back().second;
        return true;
    }

    bool parse_error(std::size_t position, const std::string &, const Json::exception &) override
    {
        problem = QStringLiteral("malformed JSON at byte %1").arg(position);
        return false;
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
        if (static_cast<int>(m_open.size()) >= m_maxDepth) {
            problem = QStringLiteral("JSON nested more than %1 levels deep").arg(m_maxDepth);
            return false;
        }
        m_open.push_back(place(std::move(value)));
        return true;
    }

    bool close()
    {
        m_open.pop_back();
        return true;
    }

    int m_maxDepth;
    // Pointers into the tree stay valid: a container grows only while it is the innermost one.
    std::vector<Json *> m_open;
    Json *m_target = nullptr;
};

} // namespace

Result<Json> parseJson(std::string_view text, int maxDepth)
{
    Builder builder(maxDepth);
    if (!Json::sax_parse(text.begin(), text.end(), &builder)) {
        return failure(ErrorKind::Protocol,
            builder.problem.isEmpty() ? QStringLiteral("malformed JSON") : builder.problem);
    }
    return std::move(builder.root);
}

std::string dumpJson(const Json &value)
{
    return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void appendJsonString(std::string &out, std::string_view text)
{
    static constexpr std::string_view kHex = "0123456789abcdef";
    out.push_back('"');
    size_t plain = 0;
    for (size_t i = 0; i < text.size(); ++i) {
        const auto c = static_cast<unsigned char>(text[i]);
        if (c >= 0x20 && c != '"' && c != '\\') {
            continue;
        }
        out.append(text, plain, i - plain);
        plain = i + 1;
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
    out.append(text, plain, text.size() - plain);
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
            i += text[i] == '\\' ? 2 : 1;
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
