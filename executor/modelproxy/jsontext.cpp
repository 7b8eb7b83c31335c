// SPDX-License-Identifier: Apache-2.0
#include "executor/modelproxy/jsontext.h"

#include "executor/modelproxy/utf8check.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <vector>

namespace deskhand::modelproxy {
namespace {

constexpr int kDepthOfFragments = 256;

constexpr std::uint64_t everyByte(unsigned char byte)
{
    return 0x0101010101010101ULL * byte;
}

/// Not zero when any byte of `word` is below `limit` (at most 128); bytes from 128 on never are.
constexpr std::uint64_t anyBelow(std::uint64_t word, unsigned char limit)
{
    return (word - everyByte(limit)) & ~word & everyByte(0x80);
}

constexpr bool isSpecial(unsigned char byte)
{
    return byte < 0x20 || byte == '"' || byte == '\\';
}

constexpr bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}

void appendUtf8(std::string &out, std::uint32_t point)
{
    const auto add = [&out](std::uint32_t byte) {
        out.push_back(static_cast<char>(byte));
    };
    if (point < 0x80) {
        add(point);
    } else if (point < 0x800) {
        add(0xC0U | (point >> 6U));
        add(0x80U | (point & 0x3FU));
    } else if (point < 0x10000) {
        add(0xE0U | (point >> 12U));
        add(0x80U | ((point >> 6U) & 0x3FU));
        add(0x80U | (point & 0x3FU));
    } else {
        add(0xF0U | (point >> 18U));
        add(0x80U | ((point >> 12U) & 0x3FU));
        add(0x80U | ((point >> 6U) & 0x3FU));
        add(0x80U | (point & 0x3FU));
    }
}

class Reader final
{
public:
    Reader(std::string_view text, JsonVisitor &visitor, int maxDepth)
        : m_text(text)
        , m_visitor(visitor)
        , m_maxDepth(maxDepth)
    { }

    [[nodiscard]] JsonReading read();

private:
    enum class Container : char { Object, Array };

    [[nodiscard]] bool value();
    [[nodiscard]] bool afterValue();
    [[nodiscard]] bool key();
    [[nodiscard]] bool open(Container container);
    [[nodiscard]] bool close();
    [[nodiscard]] bool literal(std::string_view word);
    [[nodiscard]] bool number();
    /// Leaves the text in m_string.
    [[nodiscard]] bool string();
    [[nodiscard]] bool escape();
    [[nodiscard]] bool fourHexDigits(std::uint32_t &value);

    bool fail(JsonFault fault)
    {
        m_result = { fault, m_at };
        return false;
    }
    bool told(bool goesOn) { return goesOn || fail(JsonFault::Stopped); }
    void skipBlanks()
    {
        while (m_at < m_text.size()
            && (m_text[m_at] == ' ' || m_text[m_at] == '\n' || m_text[m_at] == '\r'
                || m_text[m_at] == '\t')) {
            ++m_at;
        }
    }
    [[nodiscard]] char peek() const { return m_at < m_text.size() ? m_text[m_at] : '\0'; }

    std::string_view m_text;
    JsonVisitor &m_visitor;
    int m_maxDepth;
    size_t m_at = 0;
    std::vector<Container> m_open;
    std::string_view m_string;
    std::string m_unescaped;
    JsonReading m_result;
};

JsonReading Reader::read()
{
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    if (m_text.starts_with(kByteOrderMark)) {
        m_at = kByteOrderMark.size();
    }
    bool goesOn = value();
    while (goesOn && !m_open.empty()) {
        goesOn = afterValue();
    }
    if (goesOn) {
        skipBlanks();
        if (m_at < m_text.size()) {
            fail(JsonFault::Malformed);
        }
    }
    return m_result;
}

/// One value; of a container only what leads to the end of its first value. The depth limit bounds
/// the recursion.
bool Reader::value()
{
    skipBlanks();
    switch (peek()) {
    case '{':
        if (!open(Container::Object)) {
            return false;
        }
        skipBlanks();
        return peek() == '}' ? close() : key() && value();
    case '[':
        if (!open(Container::Array)) {
            return false;
        }
        skipBlanks();
        return peek() == ']' ? close() : value();
    case '"':
        return string() && told(m_visitor.onString(m_string));
    case 't':
        return literal("true") && told(m_visitor.onBool(true));
    case 'f':
        return literal("false") && told(m_visitor.onBool(false));
    case 'n':
        return literal("null") && told(m_visitor.onNull());
    default:
        return number();
    }
}

/// What follows a value within a container.
bool Reader::afterValue()
{
    skipBlanks();
    const bool inObject = m_open.back() == Container::Object;
    const char next = peek();
    if (next == (inObject ? '}' : ']')) {
        return close();
    }
    if (next != ',' || m_at >= m_text.size()) {
        return fail(JsonFault::Malformed);
    }
    ++m_at;
    return (!inObject || key()) && value();
}

bool Reader::key()
{
    skipBlanks();
    if (peek() != '"') {
        return fail(JsonFault::Malformed);
    }
    if (!string() || !told(m_visitor.onKey(m_string))) {
        return false;
    }
    skipBlanks();
    if (peek() != ':') {
        return fail(JsonFault::Malformed);
    }
    ++m_at;
    return true;
}

bool Reader::open(Container container)
{
    if (static_cast<int>(m_open.size()) >= m_maxDepth) {
        return fail(JsonFault::TooDeep);
    }
    ++m_at;
    m_open.push_back(container);
    return told(container == Container::Object ? m_visitor.onObject() : m_visitor.onArray());
}

bool Reader::close()
{
    ++m_at;
    const Container container = m_open.back();
    m_open.pop_back();
    return told(container == Container::Object ? m_visitor.onObjectEnd() : m_visitor.onArrayEnd());
}

bool Reader::literal(std::string_view word)
{
    if (m_text.substr(m_at, word.size()) != word) {
        return fail(JsonFault::Malformed);
    }
    m_at += word.size();
    return true;
}

bool Reader::number()
{
    const size_t begin = m_at;
    const auto digits = [this] {
        const size_t first = m_at;
        while (isDigit(peek())) {
            ++m_at;
        }
        return m_at > first;
    };
    if (peek() == '-') {
        ++m_at;
    }
    const bool leadingZero = peek() == '0';
    if (leadingZero) {
        ++m_at;
    } else if (!digits()) {
        return fail(JsonFault::Malformed);
    }
    bool whole = true;
    if (peek() == '.') {
        whole = false;
        ++m_at;
        if (!digits()) {
            return fail(JsonFault::Malformed);
        }
    }
    if (peek() == 'e' || peek() == 'E') {
        whole = false;
        ++m_at;
        if (peek() == '+' || peek() == '-') {
            ++m_at;
        }
        if (!digits()) {
            return fail(JsonFault::Malformed);
        }
    }
    const std::string_view text = m_text.substr(begin, m_at - begin);
    std::int64_t integer = 0;
    if (whole
        && std::from_chars(text.data(), text.data() + text.size(), integer).ec == std::errc()) {
        return told(m_visitor.onInteger(integer));
    }
    return told(m_visitor.onOtherNumber(text));
}

bool Reader::string()
{
    ++m_at; // the quote
    const size_t begin = m_at;
    bool copied = false; // from the first escape on
    while (true) {
        const size_t run = plainJsonRun(m_text.substr(m_at));
        const std::string_view plain = m_text.substr(m_at, run);
        if (!isUtf8(plain)) {
            return fail(JsonFault::Malformed);
        }
        m_at += run;
        if (copied) {
            m_unescaped.append(plain);
        }
        if (peek() == '"') {
            m_string = copied ? std::string_view(m_unescaped) : m_text.substr(begin, m_at - begin);
            ++m_at;
            return true;
        }
        if (peek() != '\\') {
            return fail(JsonFault::Malformed); // a control character, or the end
        }
        if (!copied) {
            copied = true;
            m_unescaped.assign(plain);
        }
        if (!escape()) {
            return false;
        }
    }
}

bool Reader::escape()
{
    ++m_at; // the backslash
    const char letter = peek();
    ++m_at;
    switch (letter) {
    case '"':
    case '\\':
    case '/':
        m_unescaped.push_back(letter);
        return true;
    case 'b':
        m_unescaped.push_back('\b');
        return true;
    case 'f':
        m_unescaped.push_back('\f');
        return true;
    case 'n':
        m_unescaped.push_back('\n');
        return true;
    case 'r':
        m_unescaped.push_back('\r');
        return true;
    case 't':
        m_unescaped.push_back('\t');
        return true;
    case 'u':
        break;
    default:
        --m_at;
        return fail(JsonFault::Malformed);
    }
    std::uint32_t point = 0;
    if (!fourHexDigits(point)) {
        return false;
    }
    if (point >= 0xDC00 && point <= 0xDFFF) {
        return fail(JsonFault::Malformed); // half a pair
    }
    if (point >= 0xD800 && point <= 0xDBFF) {
        std::uint32_t low = 0;
        if (m_text.substr(m_at, 2) != "\\u") {
            return fail(JsonFault::Malformed);
        }
        m_at += 2;
        if (!fourHexDigits(low)) {
            return false;
        }
        if (low < 0xDC00 || low > 0xDFFF) {
            return fail(JsonFault::Malformed);
        }
        point = 0x10000 + ((point - 0xD800) << 10U) + (low - 0xDC00);
    }
    appendUtf8(m_unescaped, point);
    return true;
}

bool Reader::fourHexDigits(std::uint32_t &value)
{
    const std::string_view digits = m_text.substr(std::min(m_at, m_text.size()), 4);
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
    if (digits.size() != 4 || read.ec != std::errc() || read.ptr != digits.data() + 4) {
        return fail(JsonFault::Malformed);
    }
    m_at += 4;
    return true;
}

class NoVisitor final : public JsonVisitor
{
public:
    bool onNull() override { return true; }
    bool onBool(bool) override { return true; }
    bool onInteger(std::int64_t) override { return true; }
    bool onOtherNumber(std::string_view) override { return true; }
    bool onString(std::string_view) override { return true; }
    bool onKey(std::string_view) override { return true; }
    bool onObject() override { return true; }
    bool onObjectEnd() override { return true; }
    bool onArray() override { return true; }
    bool onArrayEnd() override { return true; }
};

} // namespace

JsonReading readJsonText(std::string_view text, JsonVisitor &visitor, int maxDepth)
{
    return Reader(text, visitor, maxDepth).read();
}

bool isJsonText(std::string_view text)
{
    NoVisitor visitor;
    return readJsonText(text, visitor, kDepthOfFragments).fault == JsonFault::None;
}

size_t plainJsonRun(std::string_view text)
{
    size_t at = 0;
    while (at + 8 <= text.size()) {
        std::uint64_t word = 0;
        std::memcpy(&word, text.data() + at, 8);
        const std::uint64_t special = anyBelow(word, 0x20) | anyBelow(word ^ everyByte('"'), 1)
            | anyBelow(word ^ everyByte('\\'), 1);
        if (special != 0) {
            break;
        }
        at += 8;
    }
    while (at < text.size() && !isSpecial(static_cast<unsigned char>(text[at]))) {
        ++at;
    }
    return at;
}

} // namespace deskhand::modelproxy
