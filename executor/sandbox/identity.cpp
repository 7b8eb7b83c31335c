// SPDX-License-Identifier: Apache-2.0
#include "executor/sandbox/identity.h"

#include <QFile>

#include <cerrno>
#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#ifdef Q_OS_LINUX
#include <sys/fsuid.h>
#endif

using namespace Qt::StringLiterals;

namespace deskhand::sandbox {

Result<std::optional<Identity>> Identity::forWorkspace(const std::string &workspace)
{
    if (geteuid() != 0) {
        return std::nullopt;
    }
    struct stat info
    { };
    if (stat(workspace.c_str(), &info) != 0) {
        return failure(ErrorKind::NotFound,
            u"the owner of %1 cannot be read: %2"_s.arg(
                QString::fromStdString(workspace), qt_error_string(errno)));
    }
    if (info.st_uid == 0) {
        return std::nullopt;
    }
    Identity identity;
    identity.uid = info.st_uid;
    identity.gid = info.st_gid;
    std::vector<char> buffer(16384);
    passwd entry {};
    passwd *found = nullptr;
    if (getpwuid_r(identity.uid, &entry, buffer.data(), buffer.size(), &found) == 0
        && found != nullptr) {
        identity.gid = found->pw_gid;
        identity.name = found->pw_name;
        identity.home = found->pw_dir;
#ifdef Q_OS_DARWIN
        std::vector<int> groups(64); // what that function takes there
#else
        std::vector<gid_t> groups(64);
#endif
        int count = static_cast<int>(groups.size());
        if (getgrouplist(found->pw_name, static_cast<decltype(groups)::value_type>(found->pw_gid),
                groups.data(), &count)
            < 0) {
            count = static_cast<int>(groups.size()); // the first 64
        }
        for (int i = 0; i < count; ++i) {
            identity.groups.append(static_cast<gid_t>(groups[static_cast<size_t>(i)]));
        }
    }
    // Group 0 would be a way back to what belongs to root.
    identity.groups.removeAll(0);
    if (identity.gid == 0) {
        identity.gid = static_cast<gid_t>(identity.uid);
    }
    return std::optional<Identity>(identity);
}

FileRights::FileRights(const std::optional<Identity> &identity)
{
#ifdef Q_OS_LINUX
    if (identity) {
        setfsgid(identity->gid);
        setfsuid(identity->uid);
        m_changed = true;
    }
#else
    Q_UNUSED(identity)
#endif
}

FileRights::~FileRights()
{
#ifdef Q_OS_LINUX
    if (m_changed) {
        setfsuid(geteuid());
        setfsgid(getegid());
    }
#endif
}

} // namespace deskhand::sandbox
