// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/common/result.h"

#include <QJsonObject>
#include <QString>

#include <optional>

namespace deskhand::engines {

enum class WireFormat { Responses, ChatCompletions, Messages };
[[nodiscard]] QString wireFormatName(WireFormat format);

/// The model of a task, resolved (device protocol, section 12). Holds a secret: never log it whole.
/// Plain value, any thread.
struct ModelConfig
{
    WireFormat format = WireFormat::Responses;
    QString baseUrl;
    QString apiKey;
    QString modelId;
    QString catalogModelId; ///< slug the engine should believe to speak to; empty = modelId
    qint64 contextWindow = 0; ///< tokens, 0 = unknown
    qint64 maxOutputTokens = 0; ///< 0 = unset
    QString reasoningEffort; ///< empty = the engine's default
    QJsonObject headers; ///< name -> value
    QJsonObject raw; ///< the object it came from, for provider-specific keys

    /// Reads a `model_config`. An unknown format word or a model that is not a text model is an
    /// error naming it. Without `base_url` the result is empty: the device's own model counts.
    [[nodiscard]] static Result<std::optional<ModelConfig>> fromJson(const QJsonObject &object);

    /// "model-id at https://host/path (responses)", without secrets.
    [[nodiscard]] QString describe() const;
};

} // namespace deskhand::engines
