// SPDX-License-Identifier: Apache-2.0
#include "executor/sandbox/guards.h"

#include "executor/sandbox/filetimes.h"
#include "executor/sandbox/pathfacts.h"

#include <QFile>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <dirent.h>
#include <fcntl.h>
#include <filesystem>
#include <memory>
#include <mutex>
#include <poll.h>
#include <set>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef Q_OS_LINUX
#include <sys/inotify.h>
#endif

using namespace Qt::StringLiterals;

namespace deskhand::sandbox {

namespace {

// 2001-02-03 04:05:06 UTC: a moment nothing else would set.
constexpr time_t kGuardTime = 981'173'106;
constexpr std::chrono::milliseconds kLockLimit { 2'000 };

QString shown(const std::string &path)
{
    return QFile::decodeName(QByteArray::fromStdString(path));
}

/// Holds an exclusive lock on a directory. The command itself may lock its workspace; that can
/// delay us, but only up to the limit.
class DirectoryLock final
{
public:
    explicit DirectoryLock(const std::string &path)
        : m_descriptor(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC))
    {
        const auto deadline = std::chrono::steady_clock::now() + kLockLimit;
        while (m_descriptor >= 0 && !m_locked) {
            m_locked = flock(m_descriptor, LOCK_EX | LOCK_NB) == 0;
            if (!m_locked
                && (errno != EWOULDBLOCK || std::chrono::steady_clock::now() > deadline)) {
                break;
            }
            if (!m_locked) {
                poll(nullptr, 0, 2);
            }
        }
    }
    ~DirectoryLock()
    {
        if (m_descriptor >= 0) {
            close(m_descriptor);
        }
    }
    DirectoryLock(const DirectoryLock &) = delete;
    DirectoryLock &operator=(const DirectoryLock &) = delete;

    [[nodiscard]] bool held() const { return m_locked; }

private:
    int m_descriptor;
    bool m_locked = false;
};

bool isOurs(int descriptor)
{
    struct stat info
    { };
    return fstat(descriptor, &info) == 0 && S_ISDIR(info.st_mode)
        && modificationTime(info).tv_sec == kGuardTime;
}

bool sameFile(int descriptor, const std::string &path)
{
    struct stat held
    { };
    struct stat named
    { };
    return fstat(descriptor, &held) == 0 && lstat(path.c_str(), &named) == 0
        && held.st_dev == named.st_dev && held.st_ino == named.st_ino;
}

bool isEmptyDirectory(const std::string &path)
{
    const std::unique_ptr<DIR, int (*)(DIR *)> directory(opendir(path.c_str()), closedir);
    if (!directory) {
        return false;
    }
    int names = 0;
    while (readdir(directory.get()) != nullptr && ++names <= 2) { }
    return names <= 2;
}

int openDirectory(const std::string &path)
{
    return open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/// Under the parent's lock: removes the guard unless somebody still holds his share of its lock.
void removeIfUnused(const std::string &path, int descriptor)
{
    if (flock(descriptor, LOCK_EX | LOCK_NB) == 0 && isOurs(descriptor)
        && sameFile(descriptor, path)) {
        rmdir(path.c_str());
    }
}

} // namespace

GuardSet::~GuardSet()
{
    (void)release();
}

Result<> GuardSet::stand(const ResolvedPolicy &policy)
{
    for (const PolicyEntry &entry : policy.entries()) {
        if (!entry.guard || entry.alias) {
            continue;
        }
        const std::string parent = paths::parentOf(entry.path);
        if (policy.decide(parent).access != Access::Write
            || paths::kindOf(parent) != PathKind::Directory) {
            continue; // nothing could create it
        }
        if (Result<> stood = standOne(entry.path); !stood) {
            return stood;
        }
    }
    return {};
}

Result<> GuardSet::standOne(const std::string &path)
{
    const std::string parent = paths::parentOf(path);
    const DirectoryLock lock(parent);
    if (!lock.held()) {
        return failure(ErrorKind::Conflict, u"%1 is locked by another program"_s.arg(shown(parent)),
            u"try again"_s);
    }
    if (mkdir(path.c_str(), 0755) == 0) {
        const timespec times[2] = { { kGuardTime, 0 }, { kGuardTime, 0 } };
        utimensat(AT_FDCWD, path.c_str(), times, AT_SYMLINK_NOFOLLOW);
    } else if (errno != EEXIST) {
        return failure(ErrorKind::Io,
            u"the protected name %1 cannot be guarded: %2"_s.arg(
                shown(path), qt_error_string(errno)),
            errno == ENOSPC ? u"free some disk space"_s
                            : u"check who may write to %1"_s.arg(shown(parent)));
    }
    const int descriptor = openDirectory(path);
    if (descriptor < 0) {
        return failure(ErrorKind::Io,
            u"%1 appeared while the run was being prepared"_s.arg(shown(path)), u"try again"_s);
    }
    if (flock(descriptor, LOCK_SH | LOCK_NB) != 0) {
        close(descriptor);
        return failure(ErrorKind::Io, u"the file system of %1 offers no locks"_s.arg(shown(path)),
            u"keep the workspace on a local disk"_s);
    }
    m_guards.push_back({ path, descriptor });
    return {};
}

QStringList GuardSet::release()
{
    QStringList lost;
    for (Guard &guard : m_guards) {
        const DirectoryLock lock(paths::parentOf(guard.path));
        if (lock.held()) {
            removeIfUnused(guard.path, guard.descriptor);
        }
        close(guard.descriptor);
        if (paths::kindOf(guard.path) != PathKind::Missing && !isEmptyDirectory(guard.path)) {
            lost.append(shown(guard.path));
        }
    }
    m_guards.clear();
    return lost;
}

PathKind GuardSet::kindWithoutGuards(const std::string &path)
{
    if (paths::kindOf(path) != PathKind::Directory) {
        return paths::kindOf(path);
    }
    const DirectoryLock lock(paths::parentOf(path));
    const int descriptor = openDirectory(path);
    const bool guard = descriptor >= 0 && isOurs(descriptor);
    if (descriptor >= 0) {
        close(descriptor);
    }
    return guard ? PathKind::Missing : paths::kindOf(path);
}

void GuardSet::sweep(const QStringList &roots, const QStringList &names)
{
    for (const QString &root : roots) {
        const std::string parent
            = paths::canonical(paths::clean(QFile::encodeName(root).toStdString()));
        for (const QString &name : names) {
            const std::string path = paths::join(parent, QFile::encodeName(name).toStdString());
            const int descriptor = openDirectory(path);
            if (descriptor < 0) {
                continue;
            }
            if (isOurs(descriptor)) {
                const DirectoryLock lock(parent);
                if (lock.held()) {
                    removeIfUnused(path, descriptor);
                }
            }
            close(descriptor);
        }
    }
}

#ifdef Q_OS_LINUX
namespace {

/// Idle inotify instances. Closing one waits for the kernel's grace period, 10 ms and more, which
/// every run would pay; taking its watches away does not wait.
class WatchPool final
{
public:
    static constexpr size_t kMostIdle = 16;

    int take()
    {
        {
            const std::lock_guard lock(m_mutex);
            if (!m_idle.empty()) {
                const int descriptor = m_idle.back();
                m_idle.pop_back();
                return descriptor;
            }
        }
        return inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    }
    void giveBack(int descriptor)
    {
        const std::lock_guard lock(m_mutex);
        if (m_idle.size() < kMostIdle) {
            m_idle.push_back(descriptor);
        } else {
            close(descriptor);
        }
    }
    static WatchPool &instance()
    {
        static WatchPool pool;
        return pool;
    }

private:
    std::mutex m_mutex;
    std::vector<int> m_idle;
};

} // namespace
#endif

CreateWatch::CreateWatch(const ResolvedPolicy &policy)
{
#ifdef Q_OS_LINUX
    std::set<std::string> parents;
    for (const PolicyEntry &entry : policy.entries()) {
        if (!entry.alias && (entry.guard || entry.watchOnly)
            && policy.decide(paths::parentOf(entry.path)).access == Access::Write) {
            m_names.push_back({ entry.path, entry.guard });
            parents.insert(paths::parentOf(entry.path));
        }
    }
    if (m_names.empty()) {
        return;
    }
    m_descriptor = WatchPool::instance().take();
    for (const std::string &parent : parents) {
        const int watch
            = inotify_add_watch(m_descriptor, parent.c_str(), IN_CREATE | IN_MOVED_TO | IN_ONLYDIR);
        if (watch >= 0) {
            m_watches.push_back(watch);
        }
    }
#else
    Q_UNUSED(policy)
#endif
}

CreateWatch::~CreateWatch()
{
#ifdef Q_OS_LINUX
    if (m_descriptor >= 0) {
        for (const int watch : m_watches) {
            (void)inotify_rm_watch(m_descriptor, watch);
        }
        forgetEvents();
        WatchPool::instance().giveBack(m_descriptor);
    }
#endif
}

void CreateWatch::forgetEvents() const
{
    alignas(8) char events[4096];
    while (m_descriptor >= 0 && read(m_descriptor, events, sizeof events) > 0) { }
}

void CreateWatch::check()
{
    forgetEvents();
    for (const Name &name : m_names) {
        removeIfThere(name);
    }
}

void CreateWatch::removeIfThere(const Name &name)
{
    if (paths::kindOf(name.path) == PathKind::Missing) {
        return;
    }
    if (name.guarded) {
        const int descriptor = openDirectory(name.path);
        const bool guard = descriptor >= 0 && (isOurs(descriptor) || isEmptyDirectory(name.path));
        if (descriptor >= 0) {
            close(descriptor);
        }
        if (guard) {
            return;
        }
    }
    std::error_code ignored;
    std::filesystem::remove_all(name.path, ignored);
    if (!m_removed.contains(shown(name.path))) {
        m_removed.append(shown(name.path));
    }
}

QStringList CreateWatch::finish()
{
    check();
    return m_removed;
}

} // namespace deskhand::sandbox
