// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/cli/command.h"

#include <memory>
#include <span>

namespace deskhand::cli {

/// Every command of the program, in the order of the help.
[[nodiscard]] std::span<const CommandSpec> commandTable();

/// The object that carries a command out.
[[nodiscard]] std::unique_ptr<Command> makeCommand(
    const Invocation &invocation, const ExecutorHome &home, Output &output);

} // namespace deskhand::cli
