// SPDX-License-Identifier: Apache-2.0
#include "executor/logging/masking.h"
#include "executor/tasks/storedrequest_p.h"

#include <QJsonArray>

#include <algorithm>
#include <array>

namespace deskhand::tasks {
namespace {

using namespace Qt::StringLiterals;

constexpr std::array kSecretEndings { "token"_L1, "apikey"_L1, "secret"_L1, "password"_L1,
    "passwd"_L1, "authorization"_L1, "privatekey"_L1, "cookie"_L1, "credentials"_L1 };

bool namesSecret(const QString &key)
{
    QString plain = key.toLower();
    plain.remove(u'_').remove(u'-');
    return std::any_of(kSecretEndings.begin(), kSecretEndings.end(),
        [&plain](QLatin1StringView ending) { return plain.endsWith(ending); });
}

QJsonValue withoutSecretsIn(const QJsonValue &value)
{
    if (value.isObject()) {
        return withoutSecrets(value.toObject());
    }
    if (value.isArray()) {
        QJsonArray result;
        const QJsonArray array = value.toArray();
        for (const QJsonValue &one : array) {
            result.append(withoutSecretsIn(one));
        }
        return result;
    }
    return value;
}

QJsonObject storedModel(const engines::ModelConfig &model)
{
    return {
        { u"description"_s, model.describe() },
        { u"model_id"_s, model.modelId },
        { u"codex_catalog_model_id"_s, model.catalogModelId },
        { u"context_window"_s, model.contextWindow },
        { u"max_output_tokens"_s, model.maxOutputTokens },
        { u"reasoning_effort"_s, model.reasoningEffort },
        { u"header_names"_s, QJsonArray::fromStringList(model.headers.keys()) },
    };
}

QJsonValue storedImage(const engines::InputImage &image)
{
    if (!image.path.isEmpty()) {
        return image.path;
    }
    if (image.url.startsWith("data:"_L1)) {
        const qsizetype comma = image.url.indexOf(u',');
        return u"%1 (%2 characters)"_s.arg(image.url.left(qMin<qsizetype>(comma, 100)))
            .arg(image.url.size());
    }
    // The query of an address is where its access tokens are.
    return image.url.left(image.url.indexOf(u'?'));
}

} // namespace

QJsonObject withoutSecrets(const QJsonObject &object)
{
    QJsonObject result;
    for (auto it = object.begin(); it != object.end(); ++it) {
        const bool hide
            = namesSecret(it.key()) && it.value().isString() && !it.value().toString().isEmpty();
        result.insert(it.key(), hide ? QJsonValue(u"***"_s) : withoutSecretsIn(it.value()));
    }
    return result;
}

QJsonObject storedForm(const TurnRequest &request)
{
    QJsonArray images;
    for (const engines::InputImage &image : request.images) {
        images.append(storedImage(image));
    }
    QJsonObject object {
        { u"prompt"_s, logging::maskSecrets(request.prompt) },
        { u"cwd"_s, request.cwd },
        { u"profile_wish"_s, request.profileWish },
        { u"agent_name"_s, request.agentName },
        { u"new_session"_s, request.newSession },
        { u"replaces_running"_s, request.replacesRunning },
    };
    if (!images.isEmpty()) {
        object.insert(u"images"_s, images);
    }
    if (!request.developerInstructions.isEmpty()) {
        object.insert(
            u"developer_instructions"_s, logging::maskSecrets(request.developerInstructions));
    }
    if (request.model) {
        object.insert(u"model"_s, storedModel(*request.model));
    }
    return object;
}

} // namespace deskhand::tasks
