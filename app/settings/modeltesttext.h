// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/modelproxy/modelproxy.h"

#include <QCoreApplication>

namespace deskhand::app {

/// What a test of a model found, for people. Main thread because of translation.
class ModelTestText final
{
    Q_DECLARE_TR_FUNCTIONS(deskhand::app::ModelTestText)
public:
    /// What is wrong and the next step, if something is; then times, tool support, context window.
    [[nodiscard]] static QString of(const modelproxy::ModelTestReport &report);
};

} // namespace deskhand::app
