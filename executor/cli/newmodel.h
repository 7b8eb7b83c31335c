// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/cli/commandline.h"

#include <QJsonObject>
#include <QStringList>

namespace deskhand::cli {

/// A model as the command line describes it.
struct NewModel
{
    QString name;
    QJsonObject values; ///< spelled as in a task's model_config, without the key
    bool needsKey = true;
    QString keyUrl; ///< where the provider makes keys; may be empty
    QStringList remarks; ///< sentences for the person: what was repaired, what is risky
};

/// Reads `models add [NAME] --provider … --base-url … --model-id … --protocol … --context-window
/// …`. Pure. Errors are Usage and name the option.
[[nodiscard]] Result<NewModel> readNewModel(const Invocation &invocation);

/// The provider of a model in the list: the preset's name of its family, else the address's host.
[[nodiscard]] QString providerShown(const QString &family, const QString &baseUrl);

} // namespace deskhand::cli
