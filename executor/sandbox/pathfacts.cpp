// SPDX-License-Identifier: Apache-2.0
#include "executor/sandbox/pathfacts.h"

#include <climits>
#include <cstdlib>
#include <fcntl.h>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace deskhand::sandbox::paths {

std::string clean(std::string_view path)
{
    std::vector<std::string_view> parts;
    size_t from = 0;
    while (from < path.size()) {
        const size_t end = std::min(path.find('/', from), path.size());
        const std::string_view part = path.substr(from, end - from);
        if (part == "..") {
            if (!parts.empty()) {
                parts.pop_back();
            }
        } else if (!part.empty() && part != ".") {
            parts.push_back(part);
        }
        from = end + 1;
    }
    std::string result;
    for (const std::string_view part : parts) {
        result.append("/").append(part);
    }
    return result.empty() ? "/" : result;
}

PathKind kindOf(const std::string &path)
{
    struct stat info
    { };
    if (lstat(path.c_str(), &info) != 0) {
        return PathKind::Missing;
    }
    if (S_ISLNK(info.st_mode)) {
        return PathKind::Symlink;
    }
    if (S_ISDIR(info.st_mode)) {
        return PathKind::Directory;
    }
    return S_ISREG(info.st_mode) ? PathKind::File : PathKind::Other;
}

std::string canonical(const std::string &path)
{
    std::string existing = path;
    std::string rest;
    for (;;) {
        const std::unique_ptr<char, void (*)(void *)> real(
            realpath(existing.c_str(), nullptr), std::free);
        if (real) {
            return clean(std::string(real.get()) + rest);
        }
        if (existing == "/" || existing.empty()) {
            return clean(path);
        }
        const size_t slash = existing.rfind('/');
        rest = existing.substr(slash) + rest;
        existing = slash == 0 ? "/" : existing.substr(0, slash);
    }
}

std::optional<std::string> firstLink(const std::string &path)
{
    for (size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
        const std::string prefix = path.substr(0, end);
        if (kindOf(prefix) == PathKind::Symlink) {
            return prefix;
        }
        if (end == std::string::npos) {
            return std::nullopt;
        }
    }
}

bool isWithin(std::string_view path, std::string_view root)
{
    if (root == "/") {
        return true;
    }
    return path.substr(0, root.size()) == root
        && (path.size() == root.size() || path[root.size()] == '/');
}

std::string parentOf(std::string_view path)
{
    const size_t slash = path.rfind('/');
    return slash == 0 || slash == std::string_view::npos ? "/" : std::string(path.substr(0, slash));
}

std::string join(std::string_view directory, std::string_view name)
{
    std::string result(directory == "/" ? "" : directory);
    return result.append("/").append(name);
}

std::string expandHome(const std::string &path, const std::string &home)
{
    if (path == "~") {
        return home;
    }
    return path.substr(0, 2) == "~/" ? home + path.substr(1) : path;
}

std::optional<std::string> firstLine(const std::string &path)
{
    // Without blocking on a pipe that lies there instead of a file.
    const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    if (fd < 0) {
        return std::nullopt;
    }
    char buffer[PATH_MAX + 64];
    struct stat info
    { };
    const bool regular = fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
    const ssize_t got = regular ? read(fd, buffer, sizeof buffer) : -1;
    close(fd);
    if (got < 0) {
        return std::nullopt;
    }
    const std::string text(buffer, static_cast<size_t>(got));
    const std::string line = text.substr(0, text.find_first_of("\r\n"));
    const size_t end = line.find_last_not_of(" \t");
    return line.substr(0, end == std::string::npos ? 0 : end + 1);
}

} // namespace deskhand::sandbox::paths
