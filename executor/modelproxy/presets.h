// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/modelproxy/upstream.h"

#include <QList>
#include <QString>

namespace deskhand::modelproxy {

/// A provider the owner can choose from a list instead of typing its address. From
/// resources/models/providers.json. Value type.
struct ProviderPreset
{
    QString id; ///< "deepseek"
    QString name; ///< "DeepSeek"
    QString baseUrl; ///< may hold a placeholder in angle brackets that the owner fills in
    WireFormat format = WireFormat::Chat;
    QString family; ///< provider profile
    bool needsKey = true;
    bool local = false; ///< runs on this computer
    QString keyUrl; ///< page where keys are made; empty for local ones
    QString exampleModel;
};

/// All presets in the order of the resource. Any thread.
[[nodiscard]] const QList<ProviderPreset> &providerPresets();

} // namespace deskhand::modelproxy
