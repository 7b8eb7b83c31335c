// SPDX-License-Identifier: Apache-2.0
// What the wall costs, as paired figures of one run: a plain spawn, the :workspace profile, and the
// same profile of `codex sandbox` when it is found, in turn, so that a busy computer slows all of
// them. Prints figures and asserts nothing. Run it as an ordinary user in a quiet moment, release
// build.
#include "executor/sandbox/executionengine.h"
#include "executor/sandbox/resolvedpolicy.h"
#include "executor/sandbox/sandboxedrun.h"

#include <QCoreApplication>
#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QTemporaryDir>

#include <algorithm>
#include <cstdio>
#include <fcntl.h>
#include <sys/resource.h>
#include <vector>

using namespace Qt::StringLiterals;
using namespace deskhand::sandbox;
namespace process = deskhand::process;

namespace {

constexpr int kPairs = 60;
constexpr int kEveryCodex = 4; // it is slow; every fourth pair is enough
constexpr int kThroughputRuns = 320;
constexpr qint64 kOutputBytes = 1'500'000'000;
constexpr int kDecisions = 2'000'000;

double milliseconds(const QElapsedTimer &timer)
{
    return static_cast<double>(timer.nsecsElapsed()) / 1e6;
}

/// Processor time of this program and of all that it waited for: what a busy computer cannot blur.
double processorMilliseconds()
{
    double sum = 0;
    for (const int who : { RUSAGE_SELF, RUSAGE_CHILDREN }) {
        rusage usage {};
        getrusage(who, &usage);
        sum += static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e3
            + static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e3;
    }
    return sum;
}

double quantile(std::vector<double> values, double part)
{
    if (values.empty()) {
        return 0;
    }
    std::sort(values.begin(), values.end());
    return values[static_cast<size_t>(part * static_cast<double>(values.size() - 1))];
}

void print(const char *what, const std::vector<double> &values)
{
    std::printf("%-44s median %7.2f  p95 %7.2f  best %7.2f ms  (%zu)\n", what,
        quantile(values, 0.5), quantile(values, 0.95), quantile(values, 0), values.size());
}

SandboxRequest request(const QString &workspace, const QList<QByteArray> &command)
{
    SandboxRequest result;
    result.directory = workspace;
    result.command = command;
    return result;
}

double plainSpawn(const QList<QByteArray> &command, const QList<QByteArray> &environment,
    const QString &directory)
{
    process::RunSpec spec;
    spec.program = command.first();
    spec.arguments = command.mid(1);
    spec.environment = environment;
    spec.directory = QFile::encodeName(directory);
    process::RunControl control;
    QElapsedTimer timer;
    timer.start();
    const process::RunOutcome outcome = process::runBounded(spec, control);
    if (outcome.shellStatus() != 0) {
        std::fprintf(stderr, "%s ended with %d: %s\n", command.first().constData(),
            outcome.shellStatus(), outcome.merged.joined().constData());
    }
    return milliseconds(timer);
}

double sandboxed(const SandboxRequest &what)
{
    process::RunControl control;
    QElapsedTimer timer;
    timer.start();
    const SandboxResult result = runSandboxed(what, control);
    if (result.exitStatus() != 0) {
        std::fprintf(stderr, "sandboxed: %s\n", qPrintable(result.error.message));
    }
    return milliseconds(timer);
}

QByteArray codexProgram()
{
    const QString peers = qEnvironmentVariable(
        "DESKHAND_PEERS", QStringLiteral(DESKHAND_SOURCE_DIR) + u"/build/peers"_s);
    const QString path = peers
        + u"/node_modules/@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex"_s;
    return QFileInfo::exists(path) ? QFile::encodeName(QFileInfo(path).canonicalFilePath())
                                   : QByteArray();
}

void startCost(const QString &workspace, const QString &codexHome)
{
    const QByteArray codex = codexProgram();
    std::vector<double> plain;
    std::vector<double> ours;
    std::vector<double> theirs;
    std::vector<double> extra;
    std::vector<double> ourProcessor;
    std::vector<double> theirProcessor;
    for (int i = 0; i < kPairs; ++i) {
        plain.push_back(plainSpawn({ "/bin/true" }, { "PATH=/usr/bin:/bin" }, workspace));
        double processor = processorMilliseconds();
        ours.push_back(sandboxed(request(workspace, { "/bin/true" })));
        ourProcessor.push_back(processorMilliseconds() - processor);
        extra.push_back(ours.back() - plain.back());
        if (!codex.isEmpty() && i % kEveryCodex == 0) {
            processor = processorMilliseconds();
            theirs.push_back(plainSpawn({ codex, "sandbox", "-P", ":workspace", "-C",
                                            QFile::encodeName(workspace), "--", "/bin/true" },
                { "PATH=/usr/bin:/bin", "HOME=" + QFile::encodeName(codexHome),
                    "CODEX_HOME=" + QFile::encodeName(codexHome) },
                workspace));
            theirProcessor.push_back(processorMilliseconds() - processor);
        }
    }
    print("plain spawn of true", plain);
    print(":workspace, network off", ours);
    print("  over the plain spawn beside it", extra);
    print("  processor time", ourProcessor);
    if (!theirs.empty()) {
        print("codex sandbox, :workspace", theirs);
        print("  processor time", theirProcessor);
        std::printf("%-44s %.3f\n", "ours / codex sandbox, processor time",
            quantile(ourProcessor, 0.5) / quantile(theirProcessor, 0.5));
        std::printf("%-44s %.3f (target at most 0.25)\n", "ours / codex sandbox, medians",
            quantile(ours, 0.5) / quantile(theirs, 0.5));
    }
}

void throughput(const QString &workspace, QCoreApplication &application)
{
    ExecutionLimits limits;
    limits.atOnce = 16;
    ExecutionEngine engine(limits);
    int left = kThroughputRuns;
    QElapsedTimer timer;
    QObject::connect(&engine, &ExecutionEngine::finished, &application, [&] {
        if (--left == 0) {
            application.quit();
        }
    });
    timer.start();
    for (int i = 0; i < kThroughputRuns; ++i) {
        Execution execution;
        execution.request = request(workspace, { "/bin/true" });
        execution.parallelWrites = true;
        (void)engine.submit(execution);
    }
    application.exec();
    std::printf("%-44s %.1f runs/s (target 60)\n", "16 at once",
        kThroughputRuns * 1000.0 / milliseconds(timer));
}

void outputRate(const QString &workspace)
{
    rusage before {};
    getrusage(RUSAGE_SELF, &before);
    const double took = sandboxed(request(
        workspace, { "/usr/bin/head", "-c", QByteArray::number(kOutputBytes), "/dev/zero" }));
    rusage after {};
    getrusage(RUSAGE_SELF, &after);
    std::printf("%-44s %.0f MB/s (target 300), resident memory grew by %ld KiB\n", "output drained",
        static_cast<double>(kOutputBytes) / 1e3 / took, after.ru_maxrss - before.ru_maxrss);
}

void decisions(const QString &workspace)
{
    PermissionProfile profile = PermissionProfile::workspace();
    profile.files.rules.append({ { RuleTarget::Kind::Glob, workspace + u"/**/*.pem"_s },
        Access::Deny, OnMissing::Default });
    const auto withGlob
        = ResolvedPolicy::resolve(profile, { { workspace }, QDir::homePath(), {}, {}, {} });
    const auto policy = ResolvedPolicy::resolve(
        PermissionProfile::workspace(), { { workspace }, QDir::homePath(), {}, {}, {} });
    if (!policy || !withGlob) {
        return;
    }
    std::vector<std::string> paths;
    for (int i = 0; i < 512; ++i) {
        paths.push_back(
            (workspace + u"/src/module%1/deep/er/file%2.cpp"_s.arg(i % 7).arg(i)).toStdString());
        paths.push_back("/usr/lib/x86_64-linux-gnu/lib" + std::to_string(i) + ".so");
    }
    for (const auto &[name, rules] : { std::pair { "path checks", &*policy },
             std::pair { "path checks with a deny pattern", &*withGlob } }) {
        QElapsedTimer timer;
        timer.start();
        int writable = 0;
        for (int i = 0; i < kDecisions; ++i) {
            writable += rules->decide(paths[static_cast<size_t>(i) % paths.size()]).access
                    == Access::Write
                ? 1
                : 0;
        }
        std::printf("%-44s %.2f million/s (target 1), %d writable\n", name,
            kDecisions / 1000.0 / milliseconds(timer), writable);
    }
}

} // namespace

int main(int argc, char **argv)
{
    QCoreApplication application(argc, argv);
    const QTemporaryDir folder(QDir::homePath() + u"/bench-XXXXXX"_s);
    const QString workspace = folder.filePath(u"ws"_s);
    const QString codexHome = folder.filePath(u"codex"_s);
    if (!QDir().mkpath(workspace) || !QDir().mkpath(codexHome)) {
        std::fprintf(stderr, "no folder below %s\n", qPrintable(QDir::homePath()));
        return 1;
    }
    startCost(workspace, codexHome);
    throughput(workspace, application);
    outputRate(workspace);
    decisions(workspace);
    return 0;
}
