// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QPointer>

#include <utility>

namespace deskhand::app {

/// A callback that is dropped when its context is gone: answers of the core may come after the
/// window that asked was closed. Main thread.
template <typename Context, typename Function>
[[nodiscard]] auto guarded(Context *context, Function function)
{
    return
        [guard = QPointer<Context>(context), function = std::move(function)](auto &&...arguments) {
            if (guard != nullptr) {
                function(std::forward<decltype(arguments)>(arguments)...);
            }
        };
}

} // namespace deskhand::app
