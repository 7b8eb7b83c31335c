// SPDX-License-Identifier: Apache-2.0
#include "executor/modelproxy/providerprofile.h"

#include "executor/modelproxy/resource.h"

#include <QJsonArray>
#include <QUrl>

#include <array>
#include <functional>
#include <unordered_map>

using namespace Qt::StringLiterals;

namespace deskhand::modelproxy {
namespace {

struct Field
{
    std::function<Result<>(ProviderProfile &, const QJsonValue &, const QString &)> read;
};

Result<> wrongValue(const QString &key, const QString &expected)
{
    return failure(ErrorKind::Usage, u"profile \"%1\" must be %2"_s.arg(key, expected));
}

Field flag(bool ProviderProfile::*target)
{
    return { [target](ProviderProfile &profile, const QJsonValue &value,
                 const QString &key) -> Result<> {
        if (!value.isBool()) {
            return wrongValue(key, u"true or false"_s);
        }
        profile.*target = value.toBool();
        return {};
    } };
}

Field text(std::string ProviderProfile::*target)
{
    return { [target](ProviderProfile &profile, const QJsonValue &value,
                 const QString &key) -> Result<> {
        if (!value.isString() || value.toString().isEmpty()) {
            return wrongValue(key, u"a text"_s);
        }
        profile.*target = value.toString().toStdString();
        return {};
    } };
}

Field headerName(std::string ProviderProfile::*target)
{
    return { [target](ProviderProfile &profile, const QJsonValue &value,
                 const QString &key) -> Result<> {
        const QByteArray name = value.toString().toUtf8();
        if (!net::isHeaderName(name)) {
            return wrongValue(key, u"the name of a header"_s);
        }
        profile.*target = name.toStdString();
        return {};
    } };
}

Field count(std::optional<std::int64_t> ProviderProfile::*target)
{
    return { [target](ProviderProfile &profile, const QJsonValue &value,
                 const QString &key) -> Result<> {
        if (value.isNull()) {
            profile.*target = std::nullopt;
            return {};
        }
        const qint64 number = value.toInteger(0);
        if (number <= 0) {
            return wrongValue(key, u"a whole number above 0"_s);
        }
        profile.*target = number;
        return {};
    } };
}

template <typename Enum>
Field choice(Enum ProviderProfile::*target, QList<std::pair<QString, Enum>> words)
{
    return { [target, words = std::move(words)](ProviderProfile &profile, const QJsonValue &value,
                 const QString &key) -> Result<> {
        QStringList known;
        for (const auto &[word, meaning] : words) {
            if (value.toString() == word) {
                profile.*target = meaning;
                return {};
            }
            known.append(word);
        }
        return wrongValue(key, u"one of "_s + known.join(u", "_s));
    } };
}

Field texts(std::vector<std::string> ProviderProfile::*target)
{
    return { [target](ProviderProfile &profile, const QJsonValue &value,
                 const QString &key) -> Result<> {
        if (!value.isArray()) {
            return wrongValue(key, u"a list of texts"_s);
        }
        (profile.*target).clear();
        for (const QJsonValue &entry : value.toArray()) {
            if (!entry.isString()) {
                return wrongValue(key, u"a list of texts"_s);
            }
            (profile.*target).push_back(entry.toString().toStdString());
        }
        return {};
    } };
}

const QHash<QString, Field> &fields()
{
    using P = ProviderProfile;
    static const QHash<QString, Field> table {
        { u"key_header"_s, headerName(&P::keyHeader) },
        { u"output_field"_s, text(&P::outputField) },
        { u"output_cap"_s, count(&P::outputCap) },
        { u"max_output_tokens"_s, count(&P::maxOutputTokens) },
        { u"reasoning_echo"_s,
            choice<ReasoningEcho>(&P::reasoningEcho,
                { { u"never"_s, ReasoningEcho::Never },
                    { u"when_present"_s, ReasoningEcho::WhenPresent },
                    { u"required"_s, ReasoningEcho::Required },
                    { u"inline_think"_s, ReasoningEcho::InlineThink } }) },
        { u"empty_content"_s, flag(&P::emptyContent) },
        { u"json_schema"_s,
            choice<SchemaSupport>(&P::jsonSchema,
                { { u"full"_s, SchemaSupport::Full },
                    { u"json_object"_s, SchemaSupport::JsonObject },
                    { u"dropped"_s, SchemaSupport::Dropped } }) },
        { u"parallel_flag"_s, flag(&P::parallelFlag) },
        { u"effort"_s,
            choice<EffortField>(&P::effort,
                { { u"dropped"_s, EffortField::Dropped },
                    { u"reasoning_effort"_s, EffortField::ReasoningEffort },
                    { u"thinking_and_effort"_s, EffortField::ThinkingAndEffort },
                    { u"thinking_switch"_s, EffortField::ThinkingSwitch },
                    { u"enable_thinking"_s, EffortField::EnableThinking },
                    { u"reasoning_object"_s, EffortField::ReasoningObject } }) },
        { u"images"_s, flag(&P::images) },
        { u"inline_think"_s, flag(&P::inlineThink) },
        { u"think_opens_itself"_s, flag(&P::thinkOpensItself) },
        { u"truncates_silently"_s, flag(&P::truncatesSilently) },
        { u"image_bytes"_s, count(&P::imageBytes) },
        { u"stream_options"_s, flag(&P::streamOptions) },
        { u"system_role"_s,
            choice<SystemRole>(&P::systemRole,
                { { u"leading"_s, SystemRole::Leading },
                    { u"inline_system"_s, SystemRole::InlineSystem },
                    { u"inline_developer"_s, SystemRole::InlineDeveloper } }) },
        { u"openai_fields"_s, flag(&P::openaiFields) },
        { u"prompt_cache_key"_s, flag(&P::promptCacheKey) },
        { u"tool_choice_auto_only"_s, flag(&P::toolChoiceAutoOnly) },
        { u"required_word"_s, text(&P::requiredWord) },
        { u"forced_choice_while_thinking"_s, flag(&P::forcedChoiceWhileThinking) },
        { u"nine_character_ids"_s, flag(&P::nineCharacterIds) },
        { u"typed_any_of"_s, flag(&P::typedAnyOf) },
        { u"merge_neighbours"_s, flag(&P::mergeNeighbours) },
        { u"assistant_after_tool"_s, flag(&P::assistantAfterTool) },
        { u"images_in_tool_output"_s, flag(&P::imagesInToolOutput) },
        { u"strip_fields"_s, texts(&P::stripFields) },
        { u"cache_control"_s, flag(&P::cacheControl) },
        { u"thinking"_s,
            choice<MessagesThinking>(&P::thinking,
                { { u"none"_s, MessagesThinking::None }, { u"budget"_s, MessagesThinking::Budget },
                    { u"adaptive"_s, MessagesThinking::Adaptive } }) },
        { u"unsigned_thinking"_s, flag(&P::unsignedThinking) },
        { u"context_window"_s, count(&P::contextWindow) },
    };
    return table;
}

Result<> apply(ProviderProfile &profile, const QJsonObject &overrides)
{
    for (auto it = overrides.begin(); it != overrides.end(); ++it) {
        if (it.key() == "family"_L1) {
            continue;
        }
        const auto field = fields().constFind(it.key());
        if (field == fields().constEnd()) {
            return failure(ErrorKind::Usage, u"\"%1\" is no key of a profile"_s.arg(it.key()));
        }
        if (Result<> read = field->read(profile, it.value(), it.key()); !read) {
            return read;
        }
    }
    return {};
}

const QJsonObject &profileData()
{
    static const QJsonObject data = modelResource(u"profiles.json"_s);
    return data;
}

Result<ProviderProfile> ofFamily(const QString &family)
{
    const QJsonObject families = profileData().value("families"_L1).toObject();
    const QJsonValue entry = families.value(family);
    if (!entry.isObject()) {
        return failure(ErrorKind::Usage, u"\"family\" is \"%1\", which is unknown"_s.arg(family),
            u"Known families: %1."_s.arg(families.keys().join(u", "_s)));
    }
    ProviderProfile profile;
    profile.family = family.toStdString();
    if (Result<> applied = apply(profile, entry.toObject()); !applied) {
        return tl::unexpected(applied.error());
    }
    return profile;
}

/// "api.deepseek.com" matches "deepseek.com"; a model id matches a fragment of it.
QString familyOf(const Upstream &upstream)
{
    const QString host = QUrl(upstream.requestUrl).host().toLower();
    for (const QJsonValue &entry : profileData().value("hosts"_L1).toArray()) {
        const QString suffix = entry.toObject().value("suffix"_L1).toString();
        if (host == suffix || host.endsWith(u'.' + suffix)) {
            return entry.toObject().value("family"_L1).toString();
        }
    }
    const QString model = upstream.modelId.toLower();
    for (const QJsonValue &entry : profileData().value("models"_L1).toArray()) {
        if (model.contains(entry.toObject().value("contains"_L1).toString())) {
            return entry.toObject().value("family"_L1).toString();
        }
    }
    return u"generic"_s;
}

/// Single models that differ from their family.
QJsonObject modelOverrides(const Upstream &upstream)
{
    const QString model = upstream.modelId.toLower();
    for (const QJsonValue &entry : profileData().value("exceptions"_L1).toArray()) {
        const QJsonObject object = entry.toObject();
        if (model.contains(object.value("contains"_L1).toString())) {
            return object.value("profile"_L1).toObject();
        }
    }
    return {};
}

} // namespace

Result<ProviderProfile> ProviderProfile::resolve(const Upstream &upstream)
{
    const QString configured = upstream.profile.value("family"_L1).toString().trimmed().toLower();
    Result<ProviderProfile> profile
        = ofFamily(configured.isEmpty() ? familyOf(upstream) : configured);
    if (!profile) {
        return profile;
    }
    for (const QJsonObject &overrides : { modelOverrides(upstream), upstream.profile }) {
        if (Result<> applied = apply(*profile, overrides); !applied) {
            return tl::unexpected(applied.error());
        }
    }
    return profile;
}

Result<ProviderProfile> ProviderProfile::fromOverrides(const QJsonObject &overrides)
{
    Upstream upstream;
    upstream.profile = overrides;
    return resolve(upstream);
}

} // namespace deskhand::modelproxy
