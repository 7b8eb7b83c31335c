// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/common/result.h"
#include "executor/sandbox/policy.h"
#include "executor/sandbox/resolvedpolicy.h"

#include <QByteArray>
#include <QList>

#include <string>
#include <vector>

namespace deskhand::sandbox {

/// What one bubblewrap can do, read from its --help.
struct BwrapFeatures
{
    bool disableUserns = false;
    bool size = false;
    bool perms = false;
    bool asPid1 = false;
    bool argsFd = false;
    bool setUserId = false; ///< another back end: no sizes, no --disable-userns

    /// Everything the full wall needs.
    [[nodiscard]] bool sufficient() const
    {
        return perms && asPid1 && argsFd && (size || setUserId);
    }
    [[nodiscard]] static BwrapFeatures fromHelp(const QByteArray &help, bool setUserId);
};

/// Everything the argument vector depends on: no disk, no environment, no clock. Value type.
struct BwrapPlan
{
    struct PrivatePlace
    {
        std::string path;
        qint64 bytes = 0;
        bool readOnly = false;
    };
    struct ReadOnlyBind
    {
        std::string source;
        std::string target;
    };

    BwrapFeatures features;
    NetworkMode network = NetworkMode::Off;
    Access root = Access::Read;
    std::vector<PolicyEntry> entries; ///< "/" excluded; aliases and missing paths are ignored
    std::vector<PrivatePlace> privatePlaces;
    qint64 sharedMemoryBytes = 0;
    std::vector<ReadOnlyBind> binds; ///< into private places: the helper, the proxy, the resolver
    std::vector<std::string> maskedSockets;
    std::string directory;
    QList<QByteArray> command; ///< stage B with its own flags and the command
};

/// bubblewrap's arguments in two parts.
struct BwrapCommand
{
    QList<QByteArray> options; ///< for --args: too long and too telling for the process list
    QList<QByteArray> command; ///< after "--"
    int dataDescriptors = 0; ///< that many empty files are read, from kFirstDataDescriptor up
};

constexpr int kArgumentsDescriptor = 4;
constexpr int kFirstDataDescriptor = 10;
constexpr int kMaxDataDescriptors = 48; ///< further file masks use an unreadable device instead
constexpr qsizetype kMaxArguments = 9000; ///< bubblewrap's own ceiling

/// Pure. Policy error when the plan needs more arguments than bubblewrap takes.
[[nodiscard]] Result<BwrapCommand> buildBwrapCommand(const BwrapPlan &plan);

} // namespace deskhand::sandbox
