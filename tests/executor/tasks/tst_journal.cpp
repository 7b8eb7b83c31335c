// SPDX-License-Identifier: Apache-2.0
#include "executor/tasks/journal.h"

#include <QTest>
QTEST_GUILESS_MAIN(QObject)
