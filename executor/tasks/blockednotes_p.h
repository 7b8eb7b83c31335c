// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/engines/taskevent.h"
#include "executor/sandbox/denial.h"

#include <QList>
#include <QThreadPool>

#include <functional>

namespace deskhand::tasks {

/// What a person is told of a denial, with the code "sandbox_blocked".
[[nodiscard]] engines::StatusNote blockedNote(const sandbox::Denial &denial);

/// Whether a command that ended is worth a look at what it wrote. Cheap.
[[nodiscard]] bool mayHaveBeenBlocked(
    const engines::Item &item, engines::PermissionProfile profile);

/// What the engine's own sandbox kept the command from, as far as its output and the profile agree;
/// at most three. Looks at the disk; any thread.
[[nodiscard]] QList<engines::StatusNote> blockedNotes(
    const engines::Item &item, engines::PermissionProfile profile);

/// Looks for such notes beside the executor thread, since the disk may take a moment. Made and used
/// on the executor thread; waits for what it began when it goes.
class BlockSearch
{
public:
    using Found = std::function<void(const engines::TurnRef &ref, const engines::StatusNote &note)>;
    /// `found` runs on the thread of `context`, as long as that lives.
    BlockSearch(QObject &context, Found found);
    void look(const engines::TurnRef &ref, const engines::Item &item, const QString &profileName);

private:
    QObject &m_context;
    Found m_found;
    QThreadPool m_pool;
};

} // namespace deskhand::tasks
