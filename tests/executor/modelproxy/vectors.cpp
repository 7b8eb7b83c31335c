// SPDX-License-Identifier: Apache-2.0
#include "tests/executor/modelproxy/vectors.h"

#include "executor/modelproxy/chatanswer.h"
#include "executor/modelproxy/messagesanswer.h"
#include "executor/modelproxy/providerprofile.h"
#include "executor/modelproxy/responsesanswer.h"
#include "executor/modelproxy/toolnames.h"

#include <QDir>
#include <QFile>
#include <QJsonDocument>
#include <QRegularExpression>

#include <map>

namespace deskhand::test {
namespace {

using namespace modelproxy;

/// What the placeholders of one comparison stand for.
struct Bindings
{
    std::map<std::string, std::string> values;
    std::map<std::string, std::string> names; // the other way round: different names differ
};

std::string matchText(
    const std::string &pattern, const Json &actual, Bindings &bindings, const std::string &path)
{
    if (pattern == "<<any>>") {
        return {};
    }
    if (!actual.is_string()) {
        return path + ": not a string but " + dumpJson(actual);
    }
    const auto text = actual.get<std::string>();
    if (pattern == "<<nonblank>>") {
        return isBlank(text) ? path + ": blank" : std::string();
    }
    if (pattern.starts_with("<<contains:")) {
        const std::string part = pattern.substr(11, pattern.size() - 13);
        return text.find(part) == std::string::npos ? path + ": lacks " + part : std::string();
    }
    if (pattern.starts_with("<<json>>")) {
        const Result<Json> want = parseJson(pattern.substr(8));
        const Result<Json> have = parseJson(text);
        return want && have ? difference(*want, *have, true) : path + ": not JSON: " + text;
    }
    const auto fits = [&text](const std::string &expression) {
        return QRegularExpression(
            QRegularExpression::anchoredPattern(QString::fromStdString(expression)))
            .match(QString::fromStdString(text))
            .hasMatch();
    };
    if (pattern.starts_with("<<re:")) {
        return fits(pattern.substr(5, pattern.size() - 7)) ? std::string()
                                                           : path + ": does not fit: " + text;
    }
    if (pattern.starts_with("<<id:")) {
        std::string name = pattern.substr(5, pattern.size() - 7);
        if (const size_t mark = name.find('~'); mark != std::string::npos) {
            if (!fits(name.substr(mark + 1))) {
                return path + ": id does not fit: " + text;
            }
            name.resize(mark);
        }
        if (text.empty()) {
            return path + ": empty id";
        }
        const auto [known, isNew] = bindings.values.emplace(name, text);
        const auto [owner, isFree] = bindings.names.emplace(text, name);
        if (known->second != text || owner->second != name) {
            return path + ": id " + name + " is " + known->second + ", then " + text;
        }
        return {};
    }
    return text == pattern ? std::string() : path + ": " + text + " instead of " + pattern;
}

std::string compare(const Json &expected, const Json &actual, bool exact, Bindings &bindings,
    const std::string &path)
{
    if (expected.is_string()) {
        return matchText(expected.get<std::string>(), actual, bindings, path);
    }
    if (expected.is_array()) {
        if (!actual.is_array() || actual.size() != expected.size()) {
            return path + ": another length: " + dumpJson(actual);
        }
        for (size_t i = 0; i < expected.size(); ++i) {
            const std::string found = compare(
                expected[i], actual[i], exact, bindings, path + '[' + std::to_string(i) + ']');
            if (!found.empty()) {
                return found;
            }
        }
        return {};
    }
    if (expected.is_object()) {
        if (!actual.is_object()) {
            return path + ": not an object: " + dumpJson(actual);
        }
        for (const auto &[key, value] : expected.items()) {
            const Json *found = member(actual, key);
            if (found == nullptr) {
                return path + '.' + key + ": missing";
            }
            const std::string inner = compare(value, *found, exact, bindings, path + '.' + key);
            if (!inner.empty()) {
                return inner;
            }
        }
        for (const auto &[key, value] : actual.items()) {
            if (exact && member(expected, key) == nullptr) {
                return path + '.' + key + ": not expected: " + dumpJson(value);
            }
        }
        return {};
    }
    const bool same = expected.is_number() && actual.is_number()
        ? expected.get<double>() == actual.get<double>()
        : expected == actual;
    return same ? std::string()
                : path + ": " + dumpJson(actual) + " instead of " + dumpJson(expected);
}

} // namespace

std::vector<std::string> Vector::chunks() const
{
    std::vector<std::string> list;
    if (const Json *text = member(input, "chunks"); text != nullptr) {
        for (const Json &chunk : *text) {
            list.push_back(chunk.get<std::string>());
        }
    } else if (const Json *encoded = member(input, "chunks_base64"); encoded != nullptr) {
        for (const Json &chunk : *encoded) {
            list.push_back(
                QByteArray::fromBase64(QByteArray::fromStdString(chunk.get<std::string>()))
                    .toStdString());
        }
    }
    return list;
}

std::unique_ptr<AnswerTranslator> Vector::translator() const
{
    const Json *request = member(input, "request");
    const Json *tools = request != nullptr ? member(*request, "tools") : nullptr;
    const ToolNames names = ToolNames::fromTools(tools != nullptr ? *tools : Json::array());
    if (direction == "chat_stream_to_responses") {
        const Json *provider = member(input, "provider");
        const QByteArray overrides
            = QByteArray::fromStdString(provider != nullptr ? dumpJson(*provider) : "{}");
        return std::make_unique<ChatAnswer>(names,
            ProviderProfile::fromOverrides(QJsonDocument::fromJson(overrides).object()).value(),
            "");
    }
    if (direction == "anthropic_stream_to_responses") {
        return std::make_unique<MessagesAnswer>(names, "");
    }
    if (direction == "responses_stream_normalise") {
        return std::make_unique<ResponsesAnswer>();
    }
    return nullptr;
}

std::vector<Vector> loadVectors()
{
    std::vector<Vector> vectors;
    const QDir dir(QStringLiteral(DESKHAND_FIXTURES "/model-proxy"));
    for (const QString &name :
        dir.entryList({ QStringLiteral("*.json") }, QDir::Files, QDir::Name)) {
        QFile file(dir.filePath(name));
        if (!file.open(QIODevice::ReadOnly)) {
            continue;
        }
        const Json document = parseJson(file.readAll().toStdString()).value();
        vectors.push_back({ name, document["direction"].get<std::string>(), document["input"],
            document["expected"] });
    }
    return vectors;
}

Json joinedEvents(const std::string &stream)
{
    Json events = Json::array();
    std::string type;
    size_t at = 0;
    while (at < stream.size()) {
        const size_t end = stream.find('\n', at);
        const std::string line = stream.substr(at, end - at);
        at = end == std::string::npos ? stream.size() : end + 1;
        if (line.starts_with("event: ")) {
            type = line.substr(7);
        } else if (line.starts_with("data: ")) {
            Json data = parseJson(line.substr(6)).value_or(Json("unparsable: " + line));
            Json *last = events.empty() ? nullptr : &events.back()["data"];
            if (last != nullptr && type.ends_with(".delta") && events.back()["event"] == type
                && textMember(*last, "item_id") == textMember(data, "item_id")) {
                (*last)["delta"] = std::string(textMember(*last, "delta"))
                    + std::string(textMember(data, "delta"));
                continue;
            }
            events.push_back({ { "event", type }, { "data", std::move(data) } });
        }
    }
    return events;
}

std::string difference(const Json &expected, const Json &actual, bool exact)
{
    Bindings bindings;
    return compare(expected, actual, exact, bindings, "$");
}

} // namespace deskhand::test
