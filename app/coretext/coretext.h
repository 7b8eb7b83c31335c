// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/common/result.h"

#include <QString>

namespace deskhand::app {

/// The core says everything in English, with its arguments filled in, because logs, the command
/// line and the backend read the same text. This finds the sentence again and says it in the
/// language of the program; arguments (paths, names, a provider's words) come through unchanged.
/// A text nobody knows stays as it is. Pure functions; main thread because of translation.
class CoreText final
{
public:
    /// Whose words a text may be.
    enum class Voice {
        Core, ///< the core's: causes, errors, hints
        Anyone, ///< the core's, or as a whole somebody else's: how a turn ended
        Provider ///< a provider's, or what the model proxy says in its place
    };
    [[nodiscard]] static QString translated(const QString &text, Voice voice = Voice::Core);

    /// What happened and the next step.
    [[nodiscard]] static QString failure(const Error &error);
    /// The two as one text; they are translated already.
    [[nodiscard]] static QString withNextStep(const QString &what, const QString &nextStep);
};

} // namespace deskhand::app
