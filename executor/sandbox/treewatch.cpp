// SPDX-License-Identifier: Apache-2.0
#include "executor/sandbox/treewatch.h"

#include "executor/process/sessionprocesses.h"
#include "executor/sandbox/filetimes.h"
#include "executor/sandbox/policyresolver.h"

#include <QDateTime>

#include <sys/stat.h>
#include <sys/statvfs.h>

using namespace Qt::StringLiterals;

namespace deskhand::sandbox {

namespace {

constexpr std::chrono::milliseconds kDiskInterval { 1'000 };
constexpr int kMeasureEntries = 2'000'000;
constexpr std::chrono::milliseconds kMeasureTime { 3'000 };

bool volumeOf(const std::string &path, qint64 &freeBytes, qint64 &freeFiles)
{
    struct statvfs info
    { };
    if (statvfs(path.c_str(), &info) != 0) {
        return false;
    }
    freeBytes = static_cast<qint64>(info.f_bavail) * static_cast<qint64>(info.f_frsize);
    freeFiles = info.f_files == 0 ? -1 : static_cast<qint64>(info.f_ffree);
    return true;
}

} // namespace

TreeWatch::TreeWatch(
    const LimitPolicy &limits, std::vector<std::string> writableRoots, bool countProcesses)
    : m_limits(limits)
    , m_countProcesses(countProcesses)
    , m_nextDisk(std::chrono::steady_clock::now() + kDiskInterval)
    , m_startSeconds(QDateTime::currentSecsSinceEpoch())
{
    for (std::string &root : writableRoots) {
        Volume volume;
        if (volumeOf(root, volume.freeBytes, volume.freeFiles)) {
            volume.root = std::move(root);
            m_volumes.push_back(std::move(volume));
        }
    }
}

QString TreeWatch::check(qint64 pid)
{
    if (m_countProcesses) {
        if (const QString limit = checkTree(pid); !limit.isEmpty()) {
            return limit;
        }
    }
    if (std::chrono::steady_clock::now() < m_nextDisk) {
        return {};
    }
    m_nextDisk = std::chrono::steady_clock::now() + kDiskInterval;
    return checkDisk();
}

QString TreeWatch::checkTree(qint64 pid) const
{
    qint64 memory = 0;
    int count = 0;
    for (const pid_t child : process::descendantsOf(static_cast<pid_t>(pid))) {
        const process::ProcessUse use = process::useOf(child);
        memory += use.memoryBytes;
        count += use.threads;
    }
    if (m_limits.memoryBytes > 0 && memory > m_limits.memoryBytes) {
        return u"memory"_s;
    }
    // The helper itself is among them; a little room keeps an exact limit from firing on it.
    return m_limits.processes > 0 && count > m_limits.processes + 4 ? u"processes"_s : QString();
}

QString TreeWatch::checkDisk()
{
    for (const Volume &volume : m_volumes) {
        qint64 freeBytes = 0;
        qint64 freeFiles = 0;
        if (!volumeOf(volume.root, freeBytes, freeFiles)) {
            continue;
        }
        const qint64 usedBytes = volume.freeBytes - freeBytes;
        const qint64 usedFiles = volume.freeFiles < 0 ? 0 : volume.freeFiles - freeFiles;
        // A disk that was that full before is not this run's doing, unless it goes on filling it.
        if (m_limits.freeSpaceStopBytes > 0 && freeBytes < m_limits.freeSpaceStopBytes
            && usedBytes > m_limits.freeSpaceStopBytes / 16) {
            return u"free-space"_s;
        }
        const bool suspectBytes
            = m_limits.growthReportBytes > 0 && usedBytes > m_limits.growthReportBytes;
        const bool suspectFiles = m_limits.newFilesStop > 0 && usedFiles > m_limits.newFilesStop;
        if (!suspectBytes && !suspectFiles) {
            continue;
        }
        // Others write to this disk as well; only now it pays to look at the files themselves.
        const Growth growth = measure(volume.root);
        m_grewMuch = m_grewMuch || growth.bytes > m_limits.growthReportBytes;
        if (m_limits.growthStopBytes > 0 && growth.bytes > m_limits.growthStopBytes) {
            return u"disk-growth"_s;
        }
        if (m_limits.newFilesStop > 0 && growth.files > m_limits.newFilesStop) {
            return u"new-files"_s;
        }
    }
    return {};
}

TreeWatch::Growth TreeWatch::measure(const std::string &root) const
{
    Growth growth;
    const bool complete = walkTree(root, kMeasureEntries, kMeasureTime,
        [&](const std::string &path, const char *, PathKind, int) {
            struct stat info
            { };
            if (lstat(path.c_str(), &info) == 0 && changeTime(info).tv_sec >= m_startSeconds) {
                growth.bytes += static_cast<qint64>(info.st_blocks) * 512;
                ++growth.files;
            }
            return Visit::Descend;
        });
    if (!complete) {
        growth.files = std::max<qint64>(growth.files, m_limits.newFilesStop + 1);
    }
    return growth;
}

QString TreeWatch::lastLook()
{
    return checkDisk();
}

} // namespace deskhand::sandbox
