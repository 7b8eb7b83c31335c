// SPDX-License-Identifier: Apache-2.0
#include "executor/modelproxy/presets.h"

#include "executor/modelproxy/resource.h"

#include <QJsonArray>

using namespace Qt::StringLiterals;

namespace deskhand::modelproxy {

const QList<ProviderPreset> &providerPresets()
{
    static const QList<ProviderPreset> presets = [] {
        QList<ProviderPreset> list;
        const QJsonObject data = modelResource(u"providers.json"_s);
        for (const QJsonValue &value : data.value("providers"_L1).toArray()) {
            const QJsonObject entry = value.toObject();
            ProviderPreset preset;
            preset.id = entry.value("id"_L1).toString();
            preset.name = entry.value("name"_L1).toString();
            preset.baseUrl = entry.value("base_url"_L1).toString();
            preset.format = wireFormatFromWord(entry.value("api_format"_L1).toString())
                                .value_or(WireFormat::Chat);
            preset.family = entry.value("family"_L1).toString();
            preset.needsKey = entry.value("needs_key"_L1).toBool(true);
            preset.local = entry.value("local"_L1).toBool(false);
            preset.keyUrl = entry.value("key_url"_L1).toString();
            preset.exampleModel = entry.value("example_model"_L1).toString();
            list.append(preset);
        }
        return list;
    }();
    return presets;
}

} // namespace deskhand::modelproxy
