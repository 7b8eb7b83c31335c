// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/common/result.h"
#include "executor/modelproxy/json.h"
#include "executor/modelproxy/upstream.h"

#include <QString>

#include <string>

namespace deskhand::modelproxy {

/// Ending of the slug of an entry that sees images through a sidecar.
inline constexpr std::string_view kVisionSuffix = "-vision-sidecar";

/// The models Codex may know: context windows, so that it compacts in time, modalities, and
/// whether apply_patch is offered. The provider's own entries, then built-in ones whose slug it
/// lacks, then the owner's, then a vision variant of each text-only one. `{"models":[…]}`; blocking
/// when there is a custom file. Any thread.
[[nodiscard]] Json catalogDocument(
    const QString &customFile, const Json &ofProvider = Json::array());

/// An entry for one configured model: the built-in one that matches it by id and format, else the
/// defaults, with its context window and modalities. `slug` is the name Codex will ask for.
[[nodiscard]] Json catalogEntryFor(const std::string &slug, const Upstream &upstream);

/// Reads the owner's entries; bad ones are left out. Usage error when the file itself is broken.
[[nodiscard]] Result<Json> readCustomCatalog(const QString &file);
/// Writes them, in one step. A slug that does not start with "wework-custom-" or an entry without
/// base_instructions is refused.
[[nodiscard]] Result<> writeCustomCatalog(const QString &file, const Json &entries);

} // namespace deskhand::modelproxy
