// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/common/result.h"
#include "executor/net/httpmessage.h"

#include <QJsonObject>
#include <QString>

#include <chrono>
#include <optional>

namespace deskhand::modelproxy {

/// The three ways a provider can be spoken to.
enum class WireFormat {
    Responses, ///< OpenAI Responses, Codex's own
    Chat, ///< OpenAI Chat Completions
    Messages ///< Anthropic Messages
};

/// "openai-responses", "openai-chat-completions", "anthropic-messages".
[[nodiscard]] QString wireFormatName(WireFormat format);
/// Reads a format word in any accepted spelling, blanks and case ignored; nothing for others.
[[nodiscard]] std::optional<WireFormat> wireFormatFromWord(const QString &word);

using net::HeaderList;

/// A second model that describes images for a text-only one. Value type, any thread.
struct VisionSidecar
{
    QString requestUrl; ///< https, or http to loopback
    WireFormat format = WireFormat::Chat;
    QString apiKey;
    HeaderList defaultHeaders;
    QString proxyUrl;
    QString modelId;
    int maxDescriptionsPerTurn = 8;
    std::chrono::milliseconds timeout { 45000 };
};

/// Where a model lives and how it is spoken to, as configured: one provider, one key, one model.
/// Read at the door by fromJson; behind it nobody looks at the configuration again. Value type,
/// any thread. Holds a secret: never log it, log describe().
struct Upstream
{
    QString baseUrl; ///< without a trailing slash
    QString requestUrl; ///< what is posted to
    WireFormat format = WireFormat::Responses;
    QString apiKey; ///< empty: no authorization is sent
    QByteArray keyHeader; ///< carries the key instead of a bearer token; mostly empty
    HeaderList defaultHeaders;
    QString proxyUrl; ///< http, https, socks5 or socks5h; empty: environment, then system
    QString modelId; ///< empty: the client's model name is left alone
    std::optional<qint64> maxOutputTokens;
    std::optional<qint64> contextWindow;
    bool functionToolsOnly = false; ///< freeform tools must be sent as functions
    bool nativeToolSearch = false;
    bool nativeNamespaceTools = false;
    bool insecureTls
        = false; ///< certificates are not verified; only ever the owner's explicit word
    QString catalogModelId; ///< catalog entry whose profile this model takes
    QJsonObject profile; ///< overrides of the provider profile, see docs/models.md
    std::optional<VisionSidecar> vision;

    /// Reads the upstream keys in either spelling (`base_url`/`baseUrl` and so on) and the words by
    /// which a backend names the wire format (`api_format`, `protocol`, `provider`, `model`).
    /// `${NAME}` as the key is looked up in the environment. Usage errors name the key at fault.
    [[nodiscard]] static Result<Upstream> fromJson(const QJsonObject &object);

    /// The upstream of a dispatched task: `model_config` wins over the first agent's environment.
    /// Nothing when neither has a base URL: then the device's own configured model is meant.
    [[nodiscard]] static Result<std::optional<Upstream>> fromTask(
        const QJsonObject &modelConfig, const QJsonObject &agentEnvironment);

    /// Tells the loggers every secret in here, so that no line and no error shows one.
    void hideSecrets() const;

    /// For logs and messages: "model at scheme://host:port/path (format)", no secret in it.
    [[nodiscard]] QString describe() const;
};

} // namespace deskhand::modelproxy
