// SPDX-License-Identifier: Apache-2.0
#include "executor/modelproxy/upstream.h"

#include "executor/common/jsonreader.h"
#include "executor/logging/masking.h"
#include "executor/modelproxy/providerprofile.h"

#include <QJsonDocument>
#include <QRegularExpression>
#include <QUrl>

#include <array>
#include <initializer_list>

using namespace Qt::StringLiterals;

namespace deskhand::modelproxy {
namespace {

using Keys = std::initializer_list<const char *>;

Error usage(const QString &message)
{
    return { ErrorKind::Usage, message };
}

/// First of several spellings that is there; the error names the spelling found.
Result<std::optional<QString>> readText(const QJsonObject &object, Keys keys)
{
    for (const char *key : keys) {
        const QString name = QString::fromLatin1(key);
        if (object.value(name).isUndefined() || object.value(name).isNull()) {
            continue;
        }
        const Result<std::optional<QString>> text = json::optionalString(object, name);
        if (!text) {
            return tl::unexpected(usage(text.error().message));
        }
        if (!text->value_or(QString()).trimmed().isEmpty()) {
            return text->value().trimmed();
        }
    }
    return std::nullopt;
}

Result<std::optional<qint64>> readCount(const QJsonObject &object, Keys keys)
{
    for (const char *key : keys) {
        const QString name = QString::fromLatin1(key);
        const Result<std::optional<qint64>> number = json::optionalInt(object, name);
        if (!number) {
            return tl::unexpected(usage(number.error().message));
        }
        if (*number) {
            if (**number <= 0) {
                return tl::unexpected(
                    usage(u"\"%1\" must be greater than 0, not %2"_s.arg(name).arg(**number)));
            }
            return *number;
        }
    }
    return std::nullopt;
}

Result<bool> readFlag(const QJsonObject &object, Keys keys)
{
    for (const char *key : keys) {
        const QString name = QString::fromLatin1(key);
        const Result<std::optional<bool>> flag = json::optionalBool(object, name);
        if (!flag) {
            return tl::unexpected(usage(flag.error().message));
        }
        if (*flag) {
            return **flag;
        }
    }
    return false;
}

/// `${NAME}` means the variable of that name.
QString resolvedKey(const QString &key)
{
    static const QRegularExpression reference(u"^\\$\\{([A-Za-z_][A-Za-z0-9_]*)\\}$"_s);
    const QRegularExpressionMatch match = reference.match(key);
    return match.hasMatch() ? qEnvironmentVariable(match.captured(1).toLatin1().constData()) : key;
}

Result<QString> checkedUrl(const QString &text, const QString &key, bool proxy = false)
{
    const QUrl url(text, QUrl::StrictMode);
    static const QStringList kHttp { u"http"_s, u"https"_s };
    static const QStringList kProxy { u"http"_s, u"https"_s, u"socks5"_s, u"socks5h"_s };
    const QStringList &schemes = proxy ? kProxy : kHttp;
    if (!url.isValid() || url.host().isEmpty() || !schemes.contains(url.scheme())) {
        return failure(
            ErrorKind::Usage, u"\"%1\" is not a URL with %2"_s.arg(key, schemes.join(u", "_s)));
    }
    if (!proxy && (!url.userName().isEmpty() || !url.password().isEmpty())) {
        return failure(ErrorKind::Usage, u"\"%1\" must not hold a user name or password"_s.arg(key),
            u"Put the key into \"api_key\"."_s);
    }
    return text;
}

Result<HeaderList> headersFrom(const QJsonValue &value, const QString &key)
{
    QJsonObject map;
    if (value.isObject()) {
        map = value.toObject();
    } else if (value.isString()) {
        // As JSON text, or one "Name: value" a line.
        const QString text = value.toString().trimmed();
        const QJsonDocument document = QJsonDocument::fromJson(text.toUtf8());
        if (document.isObject()) {
            map = document.object();
        } else {
            for (const QString &line : text.split(u'\n', Qt::SkipEmptyParts)) {
                const qsizetype colon = line.indexOf(u':');
                if (colon <= 0) {
                    return failure(ErrorKind::Usage,
                        u"\"%1\" has a line that is not \"Name: value\""_s.arg(key));
                }
                map.insert(line.left(colon).trimmed(), line.mid(colon + 1).trimmed());
            }
        }
    } else if (!value.isUndefined() && !value.isNull()) {
        return failure(ErrorKind::Usage, u"\"%1\" must be an object of texts"_s.arg(key));
    }
    static const QStringList kReserved { u"host"_s, u"content-length"_s, u"transfer-encoding"_s,
        u"connection"_s };
    HeaderList headers;
    for (auto it = map.begin(); it != map.end(); ++it) {
        const QByteArray name = it.key().toUtf8();
        const QByteArray text = it.value().toString().toUtf8();
        if (!it.value().isString()) {
            return failure(ErrorKind::Usage, u"\"%1.%2\" must be a text"_s.arg(key, it.key()));
        }
        if (!net::isHeaderName(name)) {
            return failure(ErrorKind::Usage, u"\"%1\" has an invalid header name"_s.arg(key));
        }
        if (kReserved.contains(it.key().toLower())) {
            return failure(ErrorKind::Usage, u"\"%1.%2\" may not be set"_s.arg(key, it.key()));
        }
        if (!net::isHeaderValue(text)) {
            return failure(ErrorKind::Usage,
                u"\"%1.%2\" has a line break or NUL in its value"_s.arg(key, it.key()));
        }
        headers.append({ name, text });
    }
    return headers;
}

/// The first source that speaks decides; an unknown word is an error that names it.
Result<WireFormat> readFormat(const QJsonObject &object)
{
    const auto unknown = [](const char *key, const QString &word) {
        return failure(ErrorKind::Usage,
            u"\"%1\" is \"%2\", which is no known wire format"_s.arg(
                QString::fromLatin1(key), word),
            u"Use openai-responses, openai-chat-completions or anthropic-messages."_s);
    };
    for (const char *key :
        { "upstream_api_format", "upstreamApiFormat", "api_format", "apiFormat" }) {
        const Result<std::optional<QString>> word = readText(object, { key });
        if (!word) {
            return tl::unexpected(word.error());
        }
        if (*word) {
            const std::optional<WireFormat> format = wireFormatFromWord(**word);
            return format ? Result<WireFormat>(*format) : unknown(key, **word);
        }
    }
    for (const char *key : { "protocol", "provider" }) {
        const Result<std::optional<QString>> word = readText(object, { key });
        if (!word) {
            return tl::unexpected(word.error());
        }
        if (*word) {
            const QString lower = (*word)->toLower();
            if (lower == "openai-responses"_L1) {
                return WireFormat::Responses;
            }
            if (lower == "openai"_L1 || lower == "openai-chat-completions"_L1) {
                return WireFormat::Chat;
            }
            if (lower == "claude"_L1 || lower == "anthropic"_L1
                || lower == "anthropic-messages"_L1) {
                return WireFormat::Messages;
            }
            return unknown(key, **word);
        }
    }
    const Result<std::optional<QString>> model = readText(object, { "model" });
    if (!model) {
        return tl::unexpected(model.error());
    }
    if (*model) {
        const QString lower = (*model)->toLower();
        if (lower == "openai"_L1) {
            return WireFormat::Chat;
        }
        if (lower == "claude"_L1) {
            return WireFormat::Messages;
        }
        return unknown("model", **model);
    }
    return WireFormat::Responses;
}

QString derivedRequestUrl(const QString &base, WireFormat format)
{
    switch (format) {
    case WireFormat::Responses:
        return base + "/responses"_L1;
    case WireFormat::Chat:
        return base + "/chat/completions"_L1;
    case WireFormat::Messages:
        break;
    }
    // Anthropic's own address, and the compatible ones ending in /anthropic, are given without the
    // version that client libraries add.
    const QUrl url(base);
    const bool bare = (url.host() == "api.anthropic.com"_L1 && url.path().isEmpty())
        || url.path().endsWith("/anthropic"_L1);
    return base + (bare ? "/v1/messages"_L1 : "/messages"_L1);
}

Result<VisionSidecar> readSidecar(const QJsonObject &object, const QString &modelProxy)
{
    VisionSidecar sidecar;
    const auto url = readText(object, { "request_url", "requestUrl" });
    const auto model = readText(object, { "model_id", "modelId" });
    const auto word = readText(object, { "api_format", "apiFormat", "upstream_api_format" });
    const auto key = readText(object, { "api_key", "apiKey", "auth_token" });
    const auto proxy = readText(object, { "proxy_url", "proxyUrl" });
    for (const auto *read : { &url, &model, &word, &key, &proxy }) {
        if (!*read) {
            return tl::unexpected(read->error().within(u"vision sidecar"_s));
        }
    }
    if (!*url || !*model) {
        return failure(
            ErrorKind::Usage, u"the vision sidecar needs \"request_url\" and \"model_id\""_s);
    }
    const QUrl parsed(**url, QUrl::StrictMode);
    const bool secure = parsed.scheme() == "https"_L1
        || (parsed.scheme() == "http"_L1 && net::isLoopbackHost(parsed.host()));
    if (!parsed.isValid() || !secure) {
        return failure(ErrorKind::Usage,
            u"the vision sidecar's \"request_url\" must be https, or http to this computer"_s);
    }
    if (*word) {
        const std::optional<WireFormat> format = wireFormatFromWord(**word);
        if (!format) {
            return failure(ErrorKind::Usage,
                u"the vision sidecar's \"api_format\" is \"%1\", which is no known wire format"_s
                    .arg(**word));
        }
        sidecar.format = *format;
    }
    sidecar.requestUrl = **url;
    sidecar.modelId = **model;
    sidecar.apiKey = resolvedKey(key->value_or(QString()));
    sidecar.proxyUrl = proxy->value_or(modelProxy);
    const Result<HeaderList> headers
        = headersFrom(object.value("default_headers"_L1), u"vision default_headers"_s);
    if (!headers) {
        return tl::unexpected(headers.error());
    }
    sidecar.defaultHeaders = *headers;
    const auto most = readCount(object, { "max_descriptions_per_turn", "maxDescriptionsPerTurn" });
    const auto timeout = readCount(object, { "timeout_ms", "timeoutMs" });
    if (!most || !timeout) {
        return tl::unexpected((!most ? most.error() : timeout.error()).within(u"vision sidecar"_s));
    }
    sidecar.maxDescriptionsPerTurn
        = static_cast<int>(std::min<qint64>(most->value_or(sidecar.maxDescriptionsPerTurn), 64));
    sidecar.timeout = std::chrono::milliseconds(timeout->value_or(sidecar.timeout.count()));
    return sidecar;
}

} // namespace

QString wireFormatName(WireFormat format)
{
    switch (format) {
    case WireFormat::Responses:
        return u"openai-responses"_s;
    case WireFormat::Chat:
        return u"openai-chat-completions"_s;
    case WireFormat::Messages:
        return u"anthropic-messages"_s;
    }
    return {};
}

std::optional<WireFormat> wireFormatFromWord(const QString &word)
{
    const QString lower = word.trimmed().toLower();
    if (lower == "responses"_L1 || lower == "openai-responses"_L1) {
        return WireFormat::Responses;
    }
    if (lower == "chat/completions"_L1 || lower == "openai-chat-completions"_L1) {
        return WireFormat::Chat;
    }
    if (lower == "messages"_L1 || lower == "anthropic-messages"_L1) {
        return WireFormat::Messages;
    }
    return std::nullopt;
}

Result<Upstream> Upstream::fromJson(const QJsonObject &object)
{
    Upstream upstream;
    const auto base = readText(object, { "base_url", "baseUrl" });
    const auto request
        = readText(object, { "responses_url", "responsesUrl", "request_url", "requestUrl" });
    const auto key = readText(object, { "api_key", "apiKey", "auth_token" });
    const auto model = readText(object, { "model_id", "modelId" });
    const auto toolProfile = readText(object, { "tool_profile", "toolProfile" });
    const auto catalog = readText(object, { "codex_catalog_model_id", "codexCatalogModelId" });
    const auto kind = readText(object, { "modelType", "model_type" });
    for (const auto *read : { &base, &request, &key, &model, &toolProfile, &catalog, &kind }) {
        if (!*read) {
            return tl::unexpected(read->error());
        }
    }
    if (!*base) {
        return failure(ErrorKind::Usage, u"the model has no \"base_url\""_s);
    }
    if (*kind && (*kind)->toLower() != "text"_L1 && (*kind)->toLower() != "llm"_L1) {
        return failure(ErrorKind::Usage,
            u"\"modelType\" is \"%1\", which cannot work on a coding task"_s.arg(**kind));
    }
    const Result<WireFormat> format = readFormat(object);
    if (!format) {
        return tl::unexpected(format.error());
    }
    upstream.format = *format;
    upstream.baseUrl = **base;
    while (upstream.baseUrl.endsWith(u'/')) {
        upstream.baseUrl.chop(1);
    }
    if (const Result<QString> valid = checkedUrl(upstream.baseUrl, u"base_url"_s); !valid) {
        return tl::unexpected(valid.error());
    }
    const QString host = QUrl(upstream.baseUrl).host();
    if (upstream.format == WireFormat::Messages
        && (host.endsWith(".amazonaws.com"_L1) || host.endsWith("aiplatform.googleapis.com"_L1))) {
        return failure(ErrorKind::Usage,
            u"\"base_url\" is an address of Bedrock or Vertex, whose form of Messages is not served"_s,
            u"Use the provider's own address, or a gateway that speaks plain Messages."_s);
    }
    // An address may carry a query (Azure's api-version): it stays behind the path.
    const qsizetype query = upstream.baseUrl.indexOf(u'?');
    upstream.requestUrl = *request ? **request
        : query < 0                ? derivedRequestUrl(upstream.baseUrl, upstream.format)
                    : derivedRequestUrl(upstream.baseUrl.left(query), upstream.format)
            + upstream.baseUrl.mid(query);
    if (const Result<QString> valid = checkedUrl(upstream.requestUrl, u"request_url"_s); !valid) {
        return tl::unexpected(valid.error());
    }
    upstream.apiKey = resolvedKey(key->value_or(QString()));
    if (!net::isHeaderValue(upstream.apiKey.toUtf8())) {
        return failure(ErrorKind::Usage, u"\"api_key\" has a line break or NUL in it"_s);
    }
    const Result<HeaderList> headers
        = headersFrom(object.value("default_headers"_L1), u"default_headers"_s);
    if (!headers) {
        return tl::unexpected(headers.error());
    }
    upstream.defaultHeaders = *headers;

    auto proxy = readText(object, { "proxy_url", "proxyUrl" });
    if (const QJsonValue nested = object.value("proxy"_L1); nested.isObject()) {
        proxy = readText(nested.toObject(), { "url", "proxy_url" });
    } else if (nested.isString() && !nested.toString().trimmed().isEmpty()) {
        proxy = std::optional<QString>(nested.toString().trimmed());
    }
    if (!proxy) {
        return tl::unexpected(proxy.error());
    }
    if (*proxy) {
        const Result<QString> valid = checkedUrl(**proxy, u"proxy.url"_s, true);
        if (!valid) {
            return tl::unexpected(valid.error());
        }
        upstream.proxyUrl = *valid;
    }
    upstream.modelId = model->value_or(QString());
    const auto cap = readCount(object, { "max_output_tokens", "maxOutputTokens" });
    const auto window = readCount(object, { "context_window", "contextWindow" });
    const auto search = readFlag(object, { "native_tool_search", "nativeToolSearch" });
    const auto spaces = readFlag(object, { "native_namespace_tools", "nativeNamespaceTools" });
    const auto insecure = readFlag(object, { "insecure_tls", "insecureTls" });
    if (!cap || !window) {
        return tl::unexpected((!cap ? cap : window).error());
    }
    for (const auto *flag : { &search, &spaces, &insecure }) {
        if (!*flag) {
            return tl::unexpected(flag->error());
        }
    }
    upstream.maxOutputTokens = *cap;
    upstream.contextWindow = *window;
    upstream.nativeToolSearch = *search;
    upstream.nativeNamespaceTools = *spaces;
    upstream.insecureTls = *insecure;
    upstream.functionToolsOnly = toolProfile->value_or(QString()).toLower() == "function"_L1;
    upstream.catalogModelId = catalog->value_or(QString());
    const auto profile = json::optionalObject(object, u"profile");
    if (!profile) {
        return tl::unexpected(usage(profile.error().message));
    }
    upstream.profile = profile->value_or(QJsonObject());
    const auto family = readText(object, { "family" });
    if (!family) {
        return tl::unexpected(family.error());
    }
    if (*family && !upstream.profile.contains("family"_L1)) {
        upstream.profile.insert("family"_L1, **family);
    }
    const QJsonValue vision = object.contains("vision"_L1) ? object.value("vision"_L1)
                                                           : object.value("vision_sidecar"_L1);
    if (vision.isObject() && vision.toObject().value("enabled"_L1).toBool(true)) {
        Result<VisionSidecar> sidecar = readSidecar(vision.toObject(), upstream.proxyUrl);
        if (!sidecar) {
            return tl::unexpected(sidecar.error());
        }
        upstream.vision = std::move(*sidecar);
    }
    const Result<ProviderProfile> resolved = ProviderProfile::resolve(upstream);
    if (!resolved) {
        return tl::unexpected(resolved.error());
    }
    upstream.keyHeader = QByteArray::fromStdString(resolved->keyHeader);
    return upstream;
}

Result<std::optional<Upstream>> Upstream::fromTask(
    const QJsonObject &modelConfig, const QJsonObject &agentEnvironment)
{
    for (const QJsonObject &source : { modelConfig, agentEnvironment }) {
        const auto base = readText(source, { "base_url", "baseUrl" });
        if (!base) {
            return tl::unexpected(base.error());
        }
        if (*base) {
            return fromJson(source).map(
                [](Upstream upstream) { return std::optional<Upstream>(std::move(upstream)); });
        }
    }
    return std::nullopt;
}

void Upstream::hideSecrets() const
{
    const auto hide = [](const QString &key, const HeaderList &headers) {
        logging::addSecret(key);
        for (const auto &[name, value] : headers) {
            const QByteArray lower = name.toLower();
            if (lower.contains("key") || lower.contains("auth") || lower.contains("token")) {
                logging::addSecret(QString::fromUtf8(value));
            }
        }
    };
    hide(apiKey, defaultHeaders);
    if (vision) {
        hide(vision->apiKey, vision->defaultHeaders);
    }
}

QString Upstream::describe() const
{
    const QUrl url(requestUrl);
    QString place = url.scheme() + "://"_L1 + url.host();
    if (url.port() > 0) {
        place += u':' + QString::number(url.port());
    }
    place += url.path();
    const QString model = modelId.isEmpty() ? u"the client's model"_s : modelId;
    return u"%1 at %2 (%3)"_s.arg(model, place, wireFormatName(format));
}

} // namespace deskhand::modelproxy
