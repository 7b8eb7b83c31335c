// SPDX-License-Identifier: Apache-2.0
#include "executor/modelproxy/catalog.h"

#include "executor/common/atomicfile.h"
#include "executor/modelproxy/providerprofile.h"
#include "executor/modelproxy/resource.h"

#include <QFile>

#include <algorithm>
#include <array>

using namespace Qt::StringLiterals;

namespace deskhand::modelproxy {
namespace {

constexpr std::string_view kCustomPrefix = "wework-custom-";
constexpr qint64 kMaxCustomFile = qint64(4) * 1024 * 1024;

// How a built-in entry recognises a provider's model; not served.
constexpr std::array<const char *, 4> kMatchKeys { "upstream_model_id", "upstream_model_ids",
    "upstream_model_id_contains", "upstream_api_formats" };

const Json &catalogData()
{
    static const Json data
        = parseJson(modelResourceText(u"catalog.json"_s).toStdString()).value_or(Json::object());
    return data;
}

bool sameKind(const Json &a, const Json &b)
{
    return a.type() == b.type() || (a.is_number() && b.is_number());
}

/// Defaults below, the entry's own fields on top, in the order of the defaults.
Json completed(const Json &entry)
{
    const Json defaults = catalogData().value("defaults", Json::object());
    Json full = defaults;
    for (const auto &[key, value] : entry.get_ref<const Json::object_t &>()) {
        // One field of the wrong kind and Codex takes none of the entries.
        const Json *usual = member(defaults, key);
        if (usual == nullptr || usual->is_null() || sameKind(*usual, value)) {
            full[key] = value;
        }
    }
    for (const char *key : kMatchKeys) {
        full.erase(key);
    }
    // Both names are needed by different versions of Codex.
    full["supports_reasoning_summary_parameter"] = full["supports_reasoning_summaries"];
    if (!full.contains("max_context_window") || entry.contains("context_window")) {
        full["max_context_window"] = full["context_window"];
    }
    return full;
}

bool listHas(const Json *list, std::string_view text)
{
    return list != nullptr && list->is_array()
        && std::any_of(list->begin(), list->end(), [text](const Json &entry) {
               return entry.is_string() && entry.get_ref<const std::string &>() == text;
           });
}

bool matches(const Json &entry, const std::string &model, const std::string &format)
{
    const Json *formats = member(entry, "upstream_api_formats");
    if (formats != nullptr && !listHas(formats, format)) {
        return false;
    }
    const std::string_view fragment = textMember(entry, "upstream_model_id_contains");
    return textMember(entry, "slug") == model || textMember(entry, "upstream_model_id") == model
        || listHas(member(entry, "upstream_model_ids"), model)
        || (!fragment.empty() && model.find(fragment) != std::string::npos);
}

bool isServable(const Json &entry)
{
    return entry.is_object() && textMember(entry, "slug").starts_with(kCustomPrefix)
        && !isBlank(textMember(entry, "display_name"))
        && !isBlank(textMember(entry, "base_instructions"));
}

Json visionVariant(const Json &entry)
{
    Json variant = entry;
    variant["slug"] = std::string(textMember(entry, "slug")) + std::string(kVisionSuffix);
    variant["display_name"]
        = std::string(textMember(entry, "display_name")) + " (images described)";
    variant["visibility"] = "none";
    variant["input_modalities"] = Json::array({ "text", "image" });
    return variant;
}

} // namespace

Json catalogDocument(const QString &customFile, const Json &ofProvider)
{
    Json models = Json::array();
    const auto known = [&models](std::string_view slug) {
        return std::any_of(models.begin(), models.end(),
            [slug](const Json &entry) { return textMember(entry, "slug") == slug; });
    };
    const Json builtIn = catalogData().value("models", Json::array());
    for (const Json *source : { &ofProvider, &builtIn }) {
        for (const Json &entry : *source) {
            if (!known(textMember(entry, "slug"))) {
                models.push_back(completed(entry));
            }
        }
    }
    if (!customFile.isEmpty()) {
        for (const Json &entry : readCustomCatalog(customFile).value_or(Json::array())) {
            if (!known(textMember(entry, "slug"))) {
                models.push_back(completed(entry));
            }
        }
    }
    const size_t plain = models.size();
    for (size_t i = 0; i < plain; ++i) {
        const std::string_view slug = textMember(models[i], "slug");
        if (!slug.ends_with(kVisionSuffix)
            && !listHas(member(models[i], "input_modalities"), "image")) {
            models.push_back(visionVariant(models[i]));
        }
    }
    return { { "models", std::move(models) } };
}

Json catalogEntryFor(const std::string &slug, const Upstream &upstream)
{
    const std::string model
        = upstream.modelId.isEmpty() ? slug : upstream.modelId.toLower().toStdString();
    const std::string format = wireFormatName(upstream.format).toStdString();
    Json entry = Json::object();
    bool known = false;
    for (const Json &builtIn : catalogData().value("models", Json::array())) {
        const bool named = !upstream.catalogModelId.isEmpty()
            && textMember(builtIn, "slug") == upstream.catalogModelId.toStdString();
        if (named || matches(builtIn, model, format)) {
            entry = builtIn;
            known = true;
            break;
        }
    }
    const Result<ProviderProfile> profile = ProviderProfile::resolve(upstream);
    entry["slug"] = slug;
    entry["display_name"] = slug;
    if (upstream.contextWindow) {
        entry["context_window"] = *upstream.contextWindow;
    } else if (profile && profile->contextWindow) {
        entry["context_window"] = *profile->contextWindow;
    }
    if (upstream.vision) {
        entry["input_modalities"] = Json::array({ "text", "image" });
    } else if (profile && !profile->images) {
        entry["input_modalities"] = Json::array({ "text" });
    } else if (!known) {
        entry["input_modalities"] = Json::array({ "text", "image" });
    }
    return completed(entry);
}

Result<Json> readCustomCatalog(const QString &file)
{
    if (!QFile::exists(file)) {
        return Json::array();
    }
    const Result<QByteArray> bytes = readFileLimited(file, kMaxCustomFile);
    if (!bytes) {
        return tl::unexpected(bytes.error());
    }
    Result<Json> document = parseJson(bytes->toStdString());
    if (!document) {
        return tl::unexpected(document.error().within(file));
    }
    const Json *models = document->is_array() ? &*document : member(*document, "models");
    Json kept = Json::array();
    if (models != nullptr && models->is_array()) {
        for (const Json &entry : *models) {
            if (isServable(entry)) {
                kept.push_back(entry);
            }
        }
    }
    return kept;
}

Result<> writeCustomCatalog(const QString &file, const Json &entries)
{
    for (const Json &entry : entries) {
        if (!isServable(entry)) {
            return failure(ErrorKind::Usage,
                u"the catalog entry \"%1\" needs a slug that starts with "
                "\"wework-custom-\", a display_name and base_instructions"_s.arg(
                    QString::fromStdString(std::string(textMember(entry, "slug")))));
        }
    }
    return writeFileAtomically(
        file, QByteArray::fromStdString(Json { { "models", entries } }.dump(2)));
}

} // namespace deskhand::modelproxy
