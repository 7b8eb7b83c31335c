// SPDX-License-Identifier: Apache-2.0
#include "executor/device/devicelink.h"
#include "executor/tasks/journal.h"
#include "executor/tasks/permissionbroker.h"
#include "tests/bench/device/ackserver.h"
#include "tests/support/fakeengine/fakeengine.h"

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QEventLoop>
#include <QFile>
#include <QTemporaryDir>
#include <QTimer>

#include <algorithm>
#include <cstdio>
#include <vector>

// The device's link against a loopback server: how long text takes beyond the coalescing window,
// how soon a cut link is registered again, and what a turn of 20,000 deltas costs in memory.
// Prints, asserts nothing.

using namespace Qt::StringLiterals;
using namespace deskhand;
using tests::FakeEngine;
using namespace std::chrono_literals;

namespace {

constexpr int kDeltasPerSecond = 200;
constexpr int kSeconds = 10;
constexpr int kManyDeltas = 20000;
constexpr int kCuts = 10;
constexpr int kBetweenCutsMs = 1200;
constexpr qint64 kWindowNs = 25'000'000;

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

template <typename Ready> bool turnUntil(Ready ready, int limitMs = 30000)
{
    QElapsedTimer time;
    time.start();
    while (!ready() && time.elapsed() < limitMs) {
        QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents, 5);
    }
    return ready();
}

void print(const char *name, std::vector<double> values)
{
    if (values.empty()) {
        std::printf("%-52s no samples\n", name);
        return;
    }
    std::sort(values.begin(), values.end());
    const auto at = [&values](double share) {
        return values[static_cast<size_t>(share * static_cast<double>(values.size() - 1))];
    };
    std::printf("%-52s median %8.3f  p99 %8.3f  max %8.3f ms  (%zu)\n", name, at(0.5), at(0.99),
        values.back(), values.size());
}

/// The whole device side, connected and with one running turn per beginTurn().
class Bench
{
public:
    Bench()
        : journal(journalOptions())
        , tasks(engine, broker, journal)
        , link(tasks, journal)
    {
        tasks::TaskPolicy policy;
        policy.workspaceRoot = folder.filePath(u"workspace"_s);
        tasks.setPolicy(policy);
        journal.open();
        settings::DeviceConfig config;
        config.deviceId = u"device-bench"_s;
        config.runtimeInstanceId = u"runtime-bench"_s;
        config.deviceName = u"bench"_s;
        config.authToken = u"wg-bench"_s;
        config.backendUrl = u"http://127.0.0.1:%1"_s.arg(server.port());
        link.configure(config);
        turnUntil([this] { return link.status().state == device::LinkState::Online; });
    }

    engines::TurnRef beginTurn()
    {
        const int id = ++m_turns;
        server.say(u"task:execute"_s,
            "{\"task_id\":" + QByteArray::number(id) + ",\"subtask_id\":" + QByteArray::number(id)
                + ",\"prompt\":\"x\"}");
        const engines::TurnRef ref { QString::number(id), QString::number(id) };
        turnUntil([&] { return engine.running().contains(ref); });
        return ref;
    }
    void complete(const engines::TurnRef &ref, const QString &answer)
    {
        engines::TurnEnded ended;
        ended.outcome = engines::TurnOutcome::Completed;
        ended.finalText = answer;
        engine.say(ref, ended);
    }

    QTemporaryDir folder;
    AckServer server;
    FakeEngine engine;
    tasks::PermissionBroker broker;
    tasks::Journal journal;
    tasks::TaskManager tasks;
    device::DeviceLink link;

private:
    tasks::JournalOptions journalOptions() const
    {
        tasks::JournalOptions options;
        options.file = folder.filePath(u"journal.sqlite"_s);
        return options;
    }
    int m_turns = 0;
};

void delays(Bench &bench)
{
    const engines::TurnRef ref = bench.beginTurn();
    (void)bench.server.take();
    // Each delta says when it was made.
    int left = kDeltasPerSecond * kSeconds;
    QTimer feed;
    feed.setTimerType(Qt::PreciseTimer);
    QObject::connect(&feed, &QTimer::timeout, &feed, [&] {
        bench.engine.say(
            ref, engines::TextDelta { u"m"_s, QString::number(AckServer::now()) + u' ' });
        if (--left == 0) {
            feed.stop();
        }
    });
    feed.start(1000ms / kDeltasPerSecond);
    turnUntil([&] { return left == 0; });
    turnUntil([&] { return bench.link.status().unsent == 0; });
    std::vector<double> added;
    std::vector<double> whole;
    qint64 previous = 0;
    for (const AckServer::Arrival &arrival : bench.server.take()) {
        if (arrival.delta.isEmpty()) {
            continue;
        }
        const QList<QByteArray> stamps = arrival.delta.trimmed().split(' ');
        for (const QByteArray &stamp : stamps) {
            whole.push_back(static_cast<double>(arrival.ns - stamp.toLongLong()) / 1e6);
        }
        // A packet is due when its first delta is there and the window since the last is over.
        const qint64 due = std::max(stamps.first().toLongLong(), previous + kWindowNs);
        added.push_back(std::max(0.0, static_cast<double>(arrival.ns - due) / 1e6));
        previous = arrival.ns;
    }
    print("delta -> server, with the window", whole);
    print("delta -> server, beyond the window of 25 ms", added);
    bench.complete(ref, {});
    turnUntil([&] { return bench.link.status().unsent == 0; });
}

void reconnects(Bench &bench)
{
    std::vector<double> times;
    for (int i = 0; i < kCuts; ++i) {
        const int registrations = bench.server.registrations();
        // Links that break within a second of their birth are sought with a back-off; this is
        // about ordinary cuts.
        QElapsedTimer pause;
        pause.start();
        turnUntil([&] { return pause.elapsed() > kBetweenCutsMs; });
        const qint64 cutAt = AckServer::now();
        bench.server.cut();
        if (turnUntil([&] { return bench.server.registrations() > registrations; })) {
            times.push_back(static_cast<double>(AckServer::now() - cutAt) / 1e6);
        }
        turnUntil([&] { return bench.link.status().state == device::LinkState::Online; });
    }
    print("cut -> registered again", times);
}

void memory(Bench &bench)
{
    const engines::TurnRef ref = bench.beginTurn();
    (void)bench.server.take();
    const long before = residentKib();
    long most = before;
    QString whole;
    QElapsedTimer time;
    time.start();
    for (int i = 0; i < kManyDeltas; ++i) {
        const QString part = u"delta %1 of many, about forty characters. "_s.arg(i);
        whole += part;
        bench.engine.say(ref, engines::TextDelta { u"m"_s, part });
        if (i % 20 == 0) {
            QCoreApplication::processEvents();
            most = std::max(most, residentKib());
        }
    }
    bench.complete(ref, whole);
    const int endings = bench.server.endings();
    turnUntil([&] { return bench.server.endings() > endings || bench.link.status().unsent == 0; });
    most = std::max(most, residentKib());
    const qint64 ms = time.elapsed();
    QByteArray received;
    for (const AckServer::Arrival &arrival : bench.server.take()) {
        received += arrival.delta;
    }
    std::printf("%-52s %ld KiB before, at most +%ld KiB, in %lld ms, %s\n",
        "20,000 deltas in one turn", before, most - before, static_cast<long long>(ms),
        received == whole.toLatin1() ? "text exact" : "TEXT DIFFERS");
}

} // namespace

int main(int argc, char **argv)
{
    std::setvbuf(stdout, nullptr, _IOLBF, 0); // figures as they come, also into a pipe
    QCoreApplication app(argc, argv);
    Bench bench;
    if (bench.link.status().state != device::LinkState::Online) {
        std::printf("the device did not come online: %s\n", qPrintable(bench.link.status().cause));
        return 1;
    }
    delays(bench);
    reconnects(bench);
    memory(bench);
    return 0;
}
