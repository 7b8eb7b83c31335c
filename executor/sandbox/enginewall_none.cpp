// SPDX-License-Identifier: Apache-2.0
// Where no wall can be put around a whole process that builds its own ones inside.
#include "executor/sandbox/enginewall.h"

using namespace Qt::StringLiterals;

namespace deskhand::sandbox {

Result<EngineWall> EngineWall::build(const Options &)
{
    return failure(ErrorKind::Unavailable,
        u"the outer wall around an engine is made by bubblewrap, which exists on Linux only"_s);
}

Result<> EngineWall::verify() const
{
    return {};
}

QStringList EngineWall::arguments(const QString &program, const QStringList &arguments) const
{
    return QStringList(program) + arguments;
}

bool EngineWall::hides(const QString &) const
{
    return false;
}

} // namespace deskhand::sandbox
