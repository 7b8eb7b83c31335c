// SPDX-License-Identifier: Apache-2.0
// The command `deskhand-executor sandbox` as a program of its own, for tests that need it as
// another process: killed at any moment, run as another user, measured from outside.
#include "executor/sandbox/sandboxcommand.h"

#include <QCoreApplication>

int main(int argc, char **argv)
{
    const QCoreApplication application(argc, argv);
    return deskhand::sandbox::runSandboxCommand(
        QCoreApplication::arguments().mid(1), deskhand::sandbox::OwnerPolicy());
}
