// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QStringList>

#include <string>
#include <vector>

namespace deskhand::sandbox {

/// Empty files in the place of granted paths that do not exist yet: a mount needs something to lie
/// on. What the command did not touch is removed again; a fixed moment as time of change tells.
/// Owned by one run; one thread, with the rights of the workspace's owner.
class GrantedFiles final
{
public:
    GrantedFiles() = default;
    ~GrantedFiles(); ///< removes what is unused
    GrantedFiles(const GrantedFiles &) = delete;
    GrantedFiles &operator=(const GrantedFiles &) = delete;

    /// Makes those that are missing where their folder exists; the others are left to the policy,
    /// which notes them.
    void stand(const QStringList &paths);
    void removeUnused();

private:
    struct Made
    {
        std::string path;
        unsigned long device;
        unsigned long inode;
    };
    std::vector<Made> m_made;
};

} // namespace deskhand::sandbox
