// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/common/result.h"

#include <QByteArray>
#include <QList>

#include <optional>
#include <string>
#include <sys/types.h>

namespace deskhand::sandbox {

/// The user a command runs as when the engine is root.
struct Identity
{
    uid_t uid = 0;
    gid_t gid = 0;
    QList<gid_t> groups;
    QByteArray name; ///< empty when the user database does not know it
    QByteArray home;

    /// Nothing when we are no root or the workspace belongs to root: then nobody is left to become.
    [[nodiscard]] static Result<std::optional<Identity>> forWorkspace(const std::string &workspace);
};

/// While it lives, this thread sees the file system with the rights of `identity`: what the command
/// will not be able to reach, its preparation must not reach either, and what is made is his.
/// One thread only; nothing happens without an identity.
class FileRights final
{
public:
    explicit FileRights(const std::optional<Identity> &identity);
    ~FileRights();
    FileRights(const FileRights &) = delete;
    FileRights &operator=(const FileRights &) = delete;

private:
    bool m_changed = false;
};

} // namespace deskhand::sandbox
