// SPDX-License-Identifier: Apache-2.0
// A program with an engine and one turn, to be killed by a test: prints the process id of codex
// once the turn has begun or, with a model, once its first command runs.
// Usage: enginehost PROGRAM [MODEL-URL]
#include "tests/support/codex/enginebench.h"

#include <QCoreApplication>
#include <QTextStream>

using namespace Qt::StringLiterals;
using namespace deskhand::engines;

int main(int argc, char *argv[])
{
    QCoreApplication app(argc, argv);
    const QStringList arguments = QCoreApplication::arguments();
    deskhand::testing::EngineBench bench(arguments.value(1));
    const QString url = arguments.value(2);
    QObject::connect(
        bench.engine.get(), &Engine::event, &app, [&](const TurnRef &, const TaskEvent &event) {
            const bool ready = url.isEmpty() ? std::holds_alternative<TurnStarted>(event)
                                             : std::holds_alternative<ItemStarted>(event);
            if (ready) {
                QTextStream(stdout) << bench.engine->processIds().value(0) << Qt::endl;
            }
        });
    bench.engine->startTurn(bench.turn(u"1"_s, u"go"_s, url));
    return QCoreApplication::exec();
}
