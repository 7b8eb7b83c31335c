// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/cli/commandline.h"
#include "executor/cli/output.h"
#include "executor/common/paths.h"

#include <QObject>

namespace deskhand::cli {

/// One command being carried out. Made by main, lives on the main thread until finished(), which
/// comes exactly once, from the event loop.
class Command : public QObject
{
    Q_OBJECT
public:
    Command(Invocation invocation, ExecutorHome home, Output &output);

    virtual void start() = 0;

Q_SIGNALS:
    void finished(int exitCode);

protected:
    [[nodiscard]] const Invocation &invocation() const { return m_invocation; }
    [[nodiscard]] const ExecutorHome &home() const { return m_home; }
    [[nodiscard]] Output &output() const { return m_output; }
    void finish(int exitCode);
    void fail(const Error &error) { finish(m_output.fail(error)); }

private:
    Invocation m_invocation;
    ExecutorHome m_home;
    Output &m_output;
    bool m_finished = false;
};

} // namespace deskhand::cli
