// SPDX-License-Identifier: Apache-2.0
// How long the tray icon takes to be on the screen after the program was started, and how much
// memory the idle program holds. Runs on a display of its own, without a server.
#include <QCoreApplication>
#include <QElapsedTimer>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QThread>

#include <algorithm>
#include <cstdio>
#include <unistd.h>

using namespace Qt::StringLiterals;

namespace {

constexpr qint64 kLimitMs = 20000;
constexpr int kRuns = 5;
constexpr int kIdleSeconds = 5;

/// Kilobytes of a field such as "Pss:" in a file of /proc.
long kilobytes(const QString &file, const QByteArray &field)
{
    QFile proc(file);
    if (!proc.open(QIODevice::ReadOnly)) {
        return -1;
    }
    for (const QByteArray &line : proc.readAll().split('\n')) {
        if (line.startsWith(field)) {
            return line.mid(field.size()).simplified().split(' ').first().toLong();
        }
    }
    return -1;
}

/// Processor time of a process and of its ended children in milliseconds, in steps of a clock tick:
/// unlike the wall clock it says the same on a busy machine.
qint64 processorTime(qint64 pid)
{
    QFile stat(u"/proc/%1/stat"_s.arg(pid));
    if (!stat.open(QIODevice::ReadOnly)) {
        return -1;
    }
    // After the name in parentheses; utime, stime, cutime and cstime are the fields 14 to 17.
    const QByteArray text = stat.readAll();
    const QList<QByteArray> fields = text.mid(text.lastIndexOf(')') + 2).split(' ');
    qint64 ticks = 0;
    for (qsizetype i = 11; i < 15 && i < fields.size(); ++i) {
        ticks += fields.at(i).toLongLong();
    }
    return ticks * 1000 / ::sysconf(_SC_CLK_TCK);
}

/// Whether a window of the program is visible; in the background that is the icon. xdotool's own
/// waiting looks only twice a second.
bool isVisible()
{
    QProcess search;
    search.start(u"xdotool"_s, { u"search"_s, u"--onlyvisible"_s, u"--class"_s, u"deskhand"_s });
    search.waitForFinished();
    return !search.readAllStandardOutput().trimmed().isEmpty();
}

int onOwnDisplay(const QString &self)
{
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(u"DESKHAND_BENCH_DISPLAY"_s, u"1"_s);
    QProcess run;
    run.setProcessEnvironment(environment);
    run.setProcessChannelMode(QProcess::ForwardedChannels);
    run.start(QStringLiteral(DESKHAND_WITHDISPLAY), { self });
    run.waitForFinished(-1);
    return run.exitStatus() == QProcess::NormalExit ? run.exitCode() : 1;
}

} // namespace

int main(int argc, char *argv[])
{
    QCoreApplication application(argc, argv);
    if (!qEnvironmentVariableIsSet("DESKHAND_BENCH_DISPLAY")) {
        return onOwnDisplay(QCoreApplication::applicationFilePath());
    }
    QList<qint64> times;
    QList<qint64> processor;
    long rss = 0;
    long pss = 0;
    for (int run = 0; run < kRuns; ++run) {
        QTemporaryDir home;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(u"WEGENT_EXECUTOR_HOME"_s, home.path());
        environment.insert(u"HOME"_s, home.path());
        QProcess program;
        program.setProcessEnvironment(environment);
        QElapsedTimer clock;
        clock.start();
        program.start(
            QCoreApplication::applicationDirPath() + "/deskhand"_L1, { u"--background"_s });
        while (!isVisible() && clock.elapsed() < kLimitMs) { }
        if (clock.elapsed() >= kLimitMs) {
            std::fprintf(stderr, "the tray icon did not appear\n");
            program.kill();
            program.waitForFinished();
            return 1;
        }
        times.append(clock.elapsed());
        processor.append(processorTime(program.processId()));
        if (run + 1 == kRuns) {
            QThread::sleep(kIdleSeconds);
            const QString proc = u"/proc/%1/"_s.arg(program.processId());
            rss = kilobytes(proc + "status"_L1, "VmRSS:");
            pss = kilobytes(proc + "smaps_rollup"_L1, "Pss:");
        }
        program.terminate();
        program.waitForFinished(10'000);
    }
    std::ranges::sort(times);
    std::ranges::sort(processor);
    std::printf("tray visible after start: median %lld ms, worst %lld ms (target 500 ms)\n",
        static_cast<long long>(times.at(times.size() / 2)), static_cast<long long>(times.last()));
    std::printf("processor time until then: median %lld ms, worst %lld ms\n",
        static_cast<long long>(processor.at(processor.size() / 2)),
        static_cast<long long>(processor.last()));
    std::printf("idle memory: %.1f MB resident, %.1f MB proportional (target 90 MB resident)\n",
        static_cast<double>(rss) / 1024, static_cast<double>(pss) / 1024);
    return 0;
}
