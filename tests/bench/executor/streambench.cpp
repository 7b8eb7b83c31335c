// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/executor/streambench.h"

#include "tests/bench/device/ackserver.h"
#include "tests/bench/executor/processfacts.h"
#include "tests/support/wholetask/world.h"

#include <QCoreApplication>
#include <QDirIterator>
#include <QElapsedTimer>
#include <QFile>
#include <QFileInfo>
#include <QHash>
#include <QJsonDocument>
#include <QThread>
#include <QWebSocket>

#include <algorithm>

using namespace Qt::StringLiterals;

namespace {

constexpr qint64 kWindowNs = 25'000'000; // of the outbox
constexpr int kTokenSize = 7; // "d00001 "
constexpr int kManyDeltas = 20000;
constexpr int kLongTokenSize = 40;
constexpr int kTurnLimitMs = 60000;

/// Numbered words of this size, one per delta.
QString numbered(int count, int size)
{
    QString text;
    text.reserve(qsizetype(count) * size);
    for (int i = 0; i < count; ++i) {
        text += u'd' + QString::number(i).rightJustified(size - 2, u'0') + u' ';
    }
    return text;
}

QJsonObject route(const QString &word, const QString &text, int delayMs, int chunk)
{
    return { { u"contains"_s, word },
        { u"steps"_s,
            QJsonArray { QJsonObject { { u"text"_s, text }, { u"chunk"_s, chunk },
                { u"delay_ms"_s, delayMs }, { u"repeat"_s, 100 } } } } };
}

QString nativeCodex()
{
    QDirIterator found(qEnvironmentVariable("DESKHAND_PEERS") + u"/node_modules/@openai"_s,
        { u"codex"_s }, QDir::Files | QDir::Executable, QDirIterator::Subdirectories);
    while (found.hasNext()) {
        const QString path = found.next();
        if (path.contains(u"/vendor/"_s)) {
            return path;
        }
    }
    return {};
}

/// Puts the tap in codex's place.
bool installTap(World &world, const QString &log)
{
    const QString codex = nativeCodex();
    QFile script(world.folder(u"codex-tap"_s));
    if (codex.isEmpty() || !script.open(QIODevice::WriteOnly)) {
        return false;
    }
    script.write(u"#!/bin/sh\nexec /usr/bin/python3 '%1' '%2' '%3' \"$@\"\n"_s
                     .arg(QStringLiteral(DESKHAND_TAP), codex, log)
                     .toUtf8());
    script.close();
    script.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    world.setEnvironment(u"CODEX_BINARY_PATH"_s, script.fileName());
    return true;
}

template <typename Ready> bool waitUntil(Ready ready, int limitMs)
{
    QElapsedTimer time;
    time.start();
    while (!ready() && time.elapsed() < limitMs) {
        QThread::msleep(2); // the peers live on threads and in processes of their own
    }
    return ready();
}

/// Its engine must not write into the folder any more when that goes.
void stopExecutor(World &world)
{
    world.executor->terminate();
    world.executor->waitForFinished(10000);
}

void execute(AckServer &server, const World &world, int id, const QString &prompt)
{
    server.say(u"task:execute"_s,
        QJsonDocument(world.task(id, id, prompt)).toJson(QJsonDocument::Compact));
}

/// When each delta left codex, by its text; steady clock, in nanoseconds.
QHash<QByteArray, qint64> departures(const QString &log)
{
    QHash<QByteArray, qint64> times;
    QFile file(log);
    if (!file.open(QIODevice::ReadOnly)) {
        return times;
    }
    for (const QByteArray &line : file.readAll().split('\n')) {
        const qsizetype blank = line.indexOf(' ');
        const QString text
            = QJsonDocument::fromJson('[' + line.mid(blank + 1) + ']').array().at(0).toString();
        if (text.size() == kTokenSize) {
            times.insert(text.trimmed().toLatin1(), line.left(blank).toLongLong());
        }
    }
    return times;
}

struct Delays
{
    std::vector<double> whole; ///< of each delta, in milliseconds
    std::vector<double> beyond; ///< of each packet, beyond what the window allows
    double perSecond = 0;
};

/// A packet is due when its first delta is there and the window since the last packet is over.
Delays delaysOf(const QList<AckServer::Arrival> &arrivals, const QHash<QByteArray, qint64> &left)
{
    Delays delays;
    qint64 previous = 0;
    qint64 first = 0;
    qint64 last = 0;
    for (const AckServer::Arrival &arrival : arrivals) {
        const QList<QByteArray> words = arrival.delta.simplified().split(' ');
        if (!left.contains(words.constFirst())) {
            continue;
        }
        for (const QByteArray &word : words) {
            last = left.value(word, last);
            delays.whole.push_back(static_cast<double>(arrival.ns - last) / 1e6);
        }
        const qint64 start = left.value(words.constFirst());
        const qint64 due = std::max(start, previous + kWindowNs);
        delays.beyond.push_back(std::max(0.0, static_cast<double>(arrival.ns - due) / 1e6));
        first = first == 0 ? start : first;
        previous = arrival.ns;
    }
    if (last > first) {
        delays.perSecond
            = static_cast<double>(delays.whole.size()) * 1e9 / static_cast<double>(last - first);
    }
    return delays;
}

/// What a packet needs from write to receipt without any executor: a bare WebSocket on loopback.
std::vector<double> receiptFloor()
{
    AckServer server;
    QWebSocket socket;
    socket.open(QUrl(u"ws://127.0.0.1:%1/"_s.arg(server.port())));
    std::vector<double> times;
    QElapsedTimer time;
    time.start();
    while (socket.state() != QAbstractSocket::ConnectedState && time.elapsed() < 5000) {
        QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents, 20);
    }
    const QString text = u"42/local-executor,1[\"response.output_text.delta\",{\"data\":{"
                         "\"delta\":\"d00001 d00002 d00003 d00004 d00005 \"}}]"_s;
    for (int i = 0; i < 100; ++i) {
        (void)server.take();
        const qint64 sent = AckServer::now();
        socket.sendTextMessage(text);
        socket.flush();
        QElapsedTimer pause;
        pause.start();
        while (pause.elapsed() < 20) {
            QCoreApplication::processEvents(QEventLoop::AllEvents, 5);
            QThread::msleep(1);
        }
        for (const AckServer::Arrival &arrival : server.take()) {
            times.push_back(static_cast<double>(arrival.ns - sent) / 1e6);
        }
    }
    return times;
}

} // namespace

void measureDelays(Figures &figures)
{
    const std::string name = "codex notification -> received";
    World world;
    AckServer server;
    const QString log = world.folder(u"tap.log"_s);
    const int fast = 2000;
    const int slow = 200;
    const QJsonObject script { { u"routes"_s,
        QJsonArray { route(u"fast"_s, numbered(fast, kTokenSize), 5, kTokenSize),
            route(u"slow"_s, numbered(slow, kTokenSize), 45, kTokenSize),
            route(u"warm"_s, u"warm words"_s, 0, kTokenSize) } } };
    if (!world.start(script) || !installTap(world, log)) {
        figures.broken(name, world.error().isEmpty() ? "no codex" : world.error().toStdString());
        return;
    }
    world.setEnvironment(u"WEGENT_BACKEND_URL"_s, u"http://127.0.0.1:%1"_s.arg(server.port()));
    world.launchExecutor();
    int turn = 0;
    const auto run = [&](const QString &prompt) {
        const int endings = server.endings();
        (void)server.take();
        QFile::resize(log, 0);
        execute(server, world, ++turn, prompt);
        return waitUntil([&] { return server.endings() > endings; }, kTurnLimitMs);
    };
    if (!waitUntil([&] { return server.beats() > 0; }, 10000) || !run(u"warm"_s)) {
        figures.broken(name, "no turn came to its end\n" + world.executorLog().toStdString());
        return;
    }
    const double receipt = median(receiptFloor());
    figures.add("bare WebSocket write -> received, median", receipt, "ms", {}, "the floor");

    if (!run(u"fast"_s)) {
        figures.broken(name, "the turn did not end");
        return;
    }
    const Delays many = delaysOf(server.take(), departures(log));
    const std::string rate = std::to_string(static_cast<int>(many.perSecond)) + "/s";
    figures.require("all deltas noted at both ends", many.whole.size() == size_t(fast),
        std::to_string(many.whole.size()) + " deltas in " + std::to_string(many.beyond.size())
            + " packets at " + rate);
    figures.add(
        "notification -> received, median", median(many.whole), "ms", {}, "with the window");
    figures.add("  beyond the window of 25 ms, median", median(many.beyond), "ms", 0.3, rate);
    figures.add("  beyond the window of 25 ms, p99", percentile(many.beyond, 0.99), "ms", 3, rate);

    if (!run(u"slow"_s)) {
        figures.broken(name, "the turn did not end");
        return;
    }
    const Delays single = delaysOf(server.take(), departures(log));
    figures.add("single delta -> received, median", median(single.whole), "ms", {},
        "no window: 45 ms apart");
    figures.add("  above the floor", median(single.whole) - receipt, "ms");
    figures.add("  above the floor, p99", percentile(single.whole, 0.99) - receipt, "ms", 3);
    stopExecutor(world);
}

void measureManyDeltas(Figures &figures)
{
    World world;
    const QString text = numbered(kManyDeltas, kLongTokenSize);
    const QJsonObject script { { u"routes"_s,
        QJsonArray { route(u"many"_s, text, 0, kLongTokenSize),
            route(u"warm"_s, u"warm words"_s, 0, kTokenSize) } } };
    if (!world.start(script) || !world.startExecutor()) {
        figures.broken("20,000 deltas", world.error().toStdString());
        return;
    }
    world.execute(world.task(1, 1, u"warm"_s));
    if (world.waitEnding(1).value(u"name"_s).toString() != u"response.completed"_s) {
        figures.broken("20,000 deltas", "the first turn did not end well");
        return;
    }
    const qint64 pid = world.executor->processId();
    const Memory before = memoryOf(pid);
    resetPeak(pid);
    QElapsedTimer time;
    time.start();
    world.execute(world.task(2, 2, u"many"_s));
    const QJsonObject ending = world.waitEnding(2, kTurnLimitMs);
    const qint64 ms = time.elapsed();
    const Memory after = memoryOf(pid);
    const QString received
        = world.backendState(2).value(u"subtask"_s).toObject().value(u"text"_s).toString();
    figures.require("20,000 deltas in one turn: text exact and in order",
        ending.value(u"name"_s).toString() == u"response.completed"_s && received == text,
        std::to_string(ms) + " ms");
    figures.add("  resident memory, most, above the one before", after.peakMb - before.residentMb,
        "MB", 20, "of " + std::to_string(static_cast<int>(before.residentMb)) + " MB");
    figures.add("  resident memory afterwards, above the one before",
        after.residentMb - before.residentMb, "MB");
    stopExecutor(world);
}
