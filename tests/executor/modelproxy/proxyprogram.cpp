// SPDX-License-Identifier: Apache-2.0
// The command `proxy` as a program of its own, for the tests.
#include "executor/modelproxy/standaloneproxy.h"

#include <QCoreApplication>

int main(int argc, char **argv)
{
    const QCoreApplication application(argc, argv);
    return deskhand::modelproxy::runProxyCommand(QCoreApplication::arguments().mid(1));
}
