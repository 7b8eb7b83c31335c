// SPDX-License-Identifier: Apache-2.0
#include "executor/tasks/journal.h"
#include "executor/tasks/permissionbroker.h"
#include "executor/tasks/taskmanager.h"
#include "tests/support/fakeengine/fakeengine.h"

#include <QCoreApplication>
#include <QDir>
#include <QElapsedTimer>
#include <QEventLoop>
#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QTimer>

#include <algorithm>
#include <cstdio>
#include <vector>

// One turn of 20,000 text deltas through task manager and journal: resident memory, the time one
// delta takes on the executor thread, and what is on disk afterwards. Prints, asserts nothing.

using namespace Qt::StringLiterals;
using namespace deskhand;
using namespace deskhand::engines;
using namespace deskhand::tasks;

namespace {

constexpr int kDeltas = 20000;

/// Resident memory in KiB; 0 where /proc is not there.
long residentKib()
{
    QFile status(u"/proc/self/status"_s);
    if (!status.open(QIODevice::ReadOnly)) {
        return 0;
    }
    const QList<QByteArray> lines = status.readAll().split('\n');
    for (const QByteArray &line : lines) {
        if (line.startsWith("VmRSS:")) {
            return line.simplified().split(' ').at(1).toLong();
        }
    }
    return 0;
}

/// Lets the event loop turn until `ready` or 30 s.
template <typename Ready> void turnUntil(Ready ready)
{
    QElapsedTimer time;
    time.start();
    while (!ready() && time.elapsed() < 30000) {
        QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents, 10);
    }
}

void run(int perSecond)
{
    QTemporaryDir folder;
    tests::FakeEngine engine;
    PermissionBroker broker;
    JournalOptions options;
    options.file = folder.filePath(u"data/deskhand.sqlite"_s);
    Journal journal(options);
    TaskManager manager(engine, broker, journal);
    TaskPolicy policy;
    policy.workspaceRoot = folder.filePath(u"workspace"_s);
    manager.setPolicy(policy);
    journal.open();
    TurnRequest request;
    request.ref = { u"1"_s, u"1"_s };
    (void)manager.submit(request);
    turnUntil([&engine] { return !engine.running().isEmpty(); });

    const long before = residentKib();
    long highest = before;
    std::vector<qint64> nanos;
    nanos.reserve(kDeltas);
    QElapsedTimer all;
    all.start();
    for (int i = 0; i < kDeltas; ++i) {
        const TextDelta delta { u"m"_s, u"some more text, part %1 of the answer "_s.arg(i) };
        QElapsedTimer one;
        one.start();
        engine.say(request.ref, delta);
        nanos.push_back(one.nsecsElapsed());
        if (i % 1000 == 0) {
            highest = std::max(highest, residentKib());
        }
        if (perSecond > 0) {
            turnUntil([&] { return all.elapsed() * perSecond / 1000 >= i; });
        }
    }
    const qint64 sent = all.elapsed();
    highest = std::max(highest, residentKib());
    engine.complete(request.ref);
    qsizetype rows = -1;
    journal.story(u"1"_s, &journal,
        [&rows](const Result<QList<StoredEvent>> &story) { rows = story ? story->size() : 0; });
    turnUntil([&rows] { return rows >= 0; });
    std::sort(nanos.begin(), nanos.end());
    std::printf(
        "tasks: %d deltas%s: %lld ms; per delta median %.1f us, p99 %.1f us, highest %.1f us;"
        " stored rows %lld; resident +%ld KiB at most, +%ld KiB after; database %lld KiB\n",
        kDeltas, perSecond > 0 ? qPrintable(u" at %1/s"_s.arg(perSecond)) : " in a burst",
        static_cast<long long>(sent), static_cast<double>(nanos[kDeltas / 2]) / 1000.0,
        static_cast<double>(nanos[kDeltas * 99 / 100]) / 1000.0,
        static_cast<double>(nanos.back()) / 1000.0, static_cast<long long>(rows), highest - before,
        residentKib() - before,
        static_cast<long long>(
            (QFileInfo(options.file).size() + QFileInfo(options.file + u"-wal"_s).size()) / 1024));
    std::fflush(stdout);
}

} // namespace

int main(int argc, char **argv)
{
    QCoreApplication application(argc, argv);
    run(2000);
    run(0);
    return 0;
}
