// SPDX-License-Identifier: Apache-2.0
#include "executor/engines/modelconfig.h"

#include "executor/common/jsonreader.h"

#include <QUrl>

#include <algorithm>
#include <array>

namespace deskhand::engines {
namespace {

using namespace Qt::StringLiterals;

constexpr qsizetype kMaxWordLength = 4096; // a key may be a signed token of some length

struct FormatWord
{
    QLatin1StringView word;
    WireFormat format;
};

// The three tables of the device protocol, section 12.
constexpr std::array kApiFormats {
    FormatWord { "responses"_L1, WireFormat::Responses },
    FormatWord { "openai-responses"_L1, WireFormat::Responses },
    FormatWord { "chat/completions"_L1, WireFormat::ChatCompletions },
    FormatWord { "openai-chat-completions"_L1, WireFormat::ChatCompletions },
    FormatWord { "messages"_L1, WireFormat::Messages },
    FormatWord { "anthropic-messages"_L1, WireFormat::Messages },
};
constexpr std::array kProtocols {
    FormatWord { "openai-responses"_L1, WireFormat::Responses },
    FormatWord { "openai"_L1, WireFormat::ChatCompletions },
    FormatWord { "openai-chat-completions"_L1, WireFormat::ChatCompletions },
    FormatWord { "claude"_L1, WireFormat::Messages },
    FormatWord { "anthropic"_L1, WireFormat::Messages },
    FormatWord { "anthropic-messages"_L1, WireFormat::Messages },
};
constexpr std::array kModelFamilies {
    FormatWord { "openai"_L1, WireFormat::ChatCompletions },
    FormatWord { "claude"_L1, WireFormat::Messages },
};

tl::unexpected<Error> refuse(const QString &what)
{
    return failure(ErrorKind::Usage, u"model_config: "_s + what);
}

/// Text of a key, trimmed; missing, null and blank are the same here.
Result<QString> text(const QJsonObject &object, QStringView key)
{
    return json::optionalString(object, key)
        .map(
            [](const std::optional<QString> &value) { return value.value_or(QString()).trimmed(); })
        .map_error([](const Error &error) {
            return Error { ErrorKind::Usage, u"model_config: "_s + error.message };
        });
}

Result<qint64> tokenCount(const QJsonObject &object, QStringView key)
{
    const auto value = json::optionalInt(object, key);
    if (!value) {
        return refuse(value.error().message);
    }
    const qint64 tokens = value->value_or(0);
    if (tokens < 0) {
        return refuse(u"\"%1\" must not be negative"_s.arg(key));
    }
    return tokens;
}

/// The first key that says something decides; a word nobody knows is an error, not a guess.
template <size_t Size>
Result<std::optional<WireFormat>> formatFrom(const QJsonObject &object,
    std::initializer_list<QStringView> keys, const std::array<FormatWord, Size> &words)
{
    for (const QStringView key : keys) {
        const auto word = text(object, key);
        if (!word) {
            return tl::unexpected(word.error());
        }
        if (word->isEmpty()) {
            continue;
        }
        for (const FormatWord &known : words) {
            if (word->compare(known.word, Qt::CaseInsensitive) == 0) {
                return known.format;
            }
        }
        return refuse(
            u"%1 \"%2\" is not a model API this device speaks"_s.arg(key, word->left(100)));
    }
    return std::optional<WireFormat>();
}

Result<WireFormat> chooseFormat(const QJsonObject &object)
{
    auto format
        = formatFrom(object, { u"upstream_api_format", u"api_format", u"apiFormat" }, kApiFormats);
    if (format && !*format) {
        format = formatFrom(object, { u"protocol", u"provider" }, kProtocols);
    }
    if (format && !*format) {
        format = formatFrom(object, { u"model" }, kModelFamilies);
    }
    if (!format) {
        return tl::unexpected(format.error());
    }
    return format->value_or(WireFormat::Responses);
}

Result<> checkModelType(const QJsonObject &object)
{
    for (const QStringView key : { QStringView(u"modelType"), QStringView(u"model_type") }) {
        const auto type = text(object, key);
        if (!type) {
            return tl::unexpected(type.error());
        }
        if (!type->isEmpty() && type->compare("text"_L1, Qt::CaseInsensitive) != 0
            && type->compare("llm"_L1, Qt::CaseInsensitive) != 0) {
            return refuse(u"a model of type \"%1\" cannot do a coding task"_s.arg(type->left(100)));
        }
    }
    return {};
}

Result<QString> checkBaseUrl(const QString &given)
{
    const QUrl url(given, QUrl::StrictMode);
    const QString scheme = url.scheme();
    if (!url.isValid() || url.host().isEmpty() || (scheme != "https"_L1 && scheme != "http"_L1)) {
        // The text itself is left out: an address may carry a password.
        return refuse(u"\"base_url\" is not an http or https address"_s);
    }
    return given;
}

Result<QJsonObject> extraHeaders(const QJsonObject &object)
{
    QJsonObject result;
    for (const QStringView key : { QStringView(u"default_headers"), QStringView(u"headers") }) {
        const auto given = json::optionalObject(object, key);
        if (!given) {
            return refuse(given.error().message);
        }
        if (!given->has_value()) {
            continue;
        }
        for (auto it = (*given)->begin(); it != (*given)->end(); ++it) {
            if (!it.value().isString()) {
                return refuse(u"header \"%1\" must be a string"_s.arg(it.key().left(100)));
            }
            const QString value = it.value().toString();
            // A line break in a header would let its writer add headers of his own.
            if (value.contains(u'\r') || value.contains(u'\n') || it.key().contains(u'\n')
                || it.key().contains(u'\r')) {
                return refuse(
                    u"header \"%1\" holds a line break"_s.arg(it.key().left(100).simplified()));
            }
            result.insert(it.key(), value);
        }
    }
    return result;
}

} // namespace

QString wireFormatName(WireFormat format)
{
    switch (format) {
    case WireFormat::Responses:
        return u"responses"_s;
    case WireFormat::ChatCompletions:
        return u"chat/completions"_s;
    case WireFormat::Messages:
        break;
    }
    return u"messages"_s;
}

Result<std::optional<ModelConfig>> ModelConfig::fromJson(const QJsonObject &object)
{
    const auto baseUrl = text(object, u"base_url");
    if (!baseUrl) {
        return tl::unexpected(baseUrl.error());
    }
    if (baseUrl->isEmpty()) {
        return std::optional<ModelConfig>();
    }
    if (const auto typeAllowed = checkModelType(object); !typeAllowed) {
        return tl::unexpected(typeAllowed.error());
    }
    const auto format = chooseFormat(object);
    if (!format) {
        return tl::unexpected(format.error());
    }

    ModelConfig model;
    model.format = *format;
    const auto url = checkBaseUrl(*baseUrl);
    if (!url) {
        return tl::unexpected(url.error());
    }
    model.baseUrl = *url;

    const std::pair<QStringView, QString *> texts[] = {
        { u"api_key", &model.apiKey },
        { u"model_id", &model.modelId },
        { u"codex_catalog_model_id", &model.catalogModelId },
        { u"reasoning_effort", &model.reasoningEffort },
    };
    for (const auto &[key, target] : texts) {
        const auto value = text(object, key);
        if (!value) {
            return tl::unexpected(value.error());
        }
        // They become part of headers and of addresses. The text itself may be a key.
        if (value->size() > kMaxWordLength
            || std::any_of(value->begin(), value->end(), [](QChar c) { return c < u' '; })) {
            return refuse(
                u"\"%1\" is longer than %2 characters or holds a control character"_s.arg(key).arg(
                    kMaxWordLength));
        }
        *target = *value;
    }
    if (model.modelId.isEmpty()) {
        return refuse(u"\"model_id\" is missing"_s);
    }

    const std::pair<QStringView, qint64 *> numbers[] = {
        { u"context_window", &model.contextWindow },
        { u"max_output_tokens", &model.maxOutputTokens },
    };
    for (const auto &[key, target] : numbers) {
        const auto value = tokenCount(object, key);
        if (!value) {
            return tl::unexpected(value.error());
        }
        *target = *value;
    }

    const auto given = extraHeaders(object);
    if (!given) {
        return tl::unexpected(given.error());
    }
    model.headers = *given;
    model.raw = object;
    return std::optional<ModelConfig>(std::move(model));
}

QString ModelConfig::describe() const
{
    // Only scheme, host, port and path: user names, passwords and queries may be secrets.
    const QUrl url(baseUrl);
    const QString address
        = url.toString(QUrl::RemoveUserInfo | QUrl::RemoveQuery | QUrl::RemoveFragment);
    return u"%1 at %2 (%3)"_s.arg(modelId, address, wireFormatName(format));
}

} // namespace deskhand::engines
