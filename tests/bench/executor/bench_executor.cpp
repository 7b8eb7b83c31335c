// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/device/ackserver.h"
#include "tests/bench/executor/figures.h"
#include "tests/bench/executor/processfacts.h"
#include "tests/bench/executor/streambench.h"
#include "tests/support/wholetask/world.h"

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QThread>

#include <cstdio>
#include <utility>
#include <vector>

// The executor program as it is started by people: start, idle, lost links, stopping, and streams
// through the real codex. Each figure beside its limit; the status is 1 when one was missed.

using namespace Qt::StringLiterals;

namespace {

constexpr int kStarts = 10;
constexpr int kCuts = 6;
constexpr int kBetweenCutsMs = 1200; // links that break at once are sought with a back-off
constexpr int kSettleMs = 5000;
constexpr int kIdleMs = 10000;

template <typename Ready> bool waitUntil(Ready ready, int limitMs = 10000)
{
    QElapsedTimer time;
    time.start();
    while (!ready() && time.elapsed() < limitMs) {
        QThread::usleep(500); // the server answers on a thread of its own
    }
    return ready();
}

double millisecondsSince(qint64 ns)
{
    return static_cast<double>(AckServer::now() - ns) / 1e6;
}

/// When the newest registration came.
qint64 registrationTime(AckServer &server)
{
    qint64 ns = 0;
    for (const AckServer::Arrival &arrival : server.take()) {
        ns = arrival.event == "device:register" ? arrival.ns : ns;
    }
    return ns;
}

void startsAndStops(Figures &figures)
{
    World world;
    AckServer server;
    world.setEnvironment(u"WEGENT_BACKEND_URL"_s, u"http://127.0.0.1:%1"_s.arg(server.port()));
    std::vector<double> starts;
    std::vector<double> stops;
    for (int i = 0; i < kStarts; ++i) {
        const int registrations = server.registrations();
        const qint64 start = AckServer::now();
        world.launchExecutor();
        if (!waitUntil([&] { return server.registrations() > registrations; })) {
            figures.broken("start -> registered", world.executorLog().toStdString());
            return;
        }
        starts.push_back(static_cast<double>(registrationTime(server) - start) / 1e6);
        QThread::msleep(200); // idle, not in the middle of its start
        const qint64 stop = AckServer::now();
        world.executor->terminate();
        if (!world.executor->waitForFinished(10000) || world.executor->exitCode() != 0) {
            figures.broken("SIGTERM -> exit", "it did not end with status 0");
            return;
        }
        stops.push_back(millisecondsSince(stop));
    }
    figures.add("start -> registered, median of 10", median(starts), "ms", 120);
    figures.add("start -> registered, p95", percentile(starts, 0.95), "ms", 120);
    figures.add("SIGTERM -> exit when idle, median of 10", median(stops), "ms", 2000);
    figures.add("SIGTERM -> exit when idle, longest", percentile(stops, 1), "ms", 2000);
}

/// A program that is connected to this server and idle. False: the figure is broken.
bool settle(World &world, AckServer &server, Figures &figures, const char *name)
{
    world.setEnvironment(u"WEGENT_BACKEND_URL"_s, u"http://127.0.0.1:%1"_s.arg(server.port()));
    world.launchExecutor();
    if (waitUntil([&] { return server.beats() > 0; })) {
        return true;
    }
    figures.broken(name, world.executorLog().toStdString());
    return false;
}

void idle(Figures &figures)
{
    World world;
    AckServer server;
    if (!settle(world, server, figures, "idle")) {
        return;
    }
    const qint64 pid = world.executor->processId();
    QThread::msleep(kSettleMs);
    const Memory memory = memoryOf(pid);
    const Switches before = switchesOf(pid);
    const int beats = server.beats();
    QThread::msleep(kIdleMs);
    const Switches after = switchesOf(pid);
    figures.add("idle: resident memory after 5 s", memory.residentMb, "MB", 30,
        std::to_string(memory.anonymousMb).substr(0, 4) + " MB of it its own");
    figures.add("idle: wake-ups in 10 s without a heartbeat",
        static_cast<double>(after.voluntary - before.voluntary), "", 1,
        server.beats() == beats ? "no heartbeat in this time" : "with a heartbeat");
}

void cuts(Figures &figures)
{
    const char *name = "cut link -> registered again";
    World world;
    AckServer server;
    if (!settle(world, server, figures, name)) {
        return;
    }
    std::vector<double> times;
    for (int i = 0; i < kCuts; ++i) {
        QThread::msleep(kBetweenCutsMs);
        const int registrations = server.registrations();
        (void)server.take();
        const qint64 cut = AckServer::now();
        server.cut();
        if (!waitUntil([&] { return server.registrations() > registrations; })) {
            figures.broken(name, "not within ten seconds\n" + world.executorLog().toStdString());
            return;
        }
        times.push_back(static_cast<double>(registrationTime(server) - cut) / 1e6);
    }
    figures.add("cut link -> registered again, median of 6", median(times), "ms", 500);
    figures.add("cut link -> registered again, longest", percentile(times, 1), "ms", 500);
}

} // namespace

int main(int argc, char **argv)
{
    std::setvbuf(stdout, nullptr, _IOLBF, 0); // figures as they come, also into a pipe
    QCoreApplication app(argc, argv);
    const QStringList wanted = app.arguments().mid(1); // none: all
    const std::vector<std::pair<QString, void (*)(Figures &)>> parts {
        { u"start"_s, startsAndStops },
        { u"idle"_s, idle },
        { u"cut"_s, cuts },
        { u"delay"_s, measureDelays },
        { u"memory"_s, measureManyDeltas },
    };
    Figures figures;
    for (const auto &[name, measure] : parts) {
        if (wanted.isEmpty() || wanted.contains(name)) {
            measure(figures);
        }
    }
    return figures.allHold() ? 0 : 1;
}
