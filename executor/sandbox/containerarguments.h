// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/common/result.h"
#include "executor/sandbox/resolvedpolicy.h"
#include "executor/sandbox/sandboxedrun.h"

#include <QByteArray>
#include <QList>
#include <QString>
#include <QStringList>

#include <optional>
#include <string>
#include <vector>

namespace deskhand::sandbox {

/// Everything the argument vector depends on: no disk, no environment, no clock. Value type.
struct ContainerPlan
{
    struct PrivatePlace
    {
        std::string path;
        qint64 bytes = 0;
        bool readOnly = false;
    };
    struct Bind
    {
        std::string source;
        std::string target;
    };

    ContainerChoice::Engine engine = ContainerChoice::Engine::Podman;
    std::string image;
    std::string name; ///< of the container
    Access root = Access::Read;
    Scratch scratch = Scratch::Private;
    NetworkPolicy network;
    LimitPolicy limits;
    bool engineLimits = true; ///< the engine can count memory and processes of the tree
    bool keepId = false; ///< podman without root: the user inside is the user outside
    uint uid = 0;
    uint gid = 0;
    std::vector<PolicyEntry> entries; ///< "/" excluded; aliases and missing paths are ignored
    std::vector<std::string> shown; ///< workspace roots and directory: always mounted
    std::vector<std::string> imagesOwn; ///< the image's stand in for these places of the host
    std::vector<PrivatePlace> privatePlaces;
    qint64 sharedMemoryBytes = 0;
    std::vector<Bind> binds; ///< ours, read-only
    std::string emptyFile; ///< mode 000, stands in for a hidden file
    std::string environmentFile;
    std::string directory;
    bool openInput = false;
    QList<QByteArray> command; ///< the helper's path inside, its flags, and the command
};

/// The engine's arguments, and what of the host they show. Value type.
struct ContainerCommand
{
    QList<QByteArray> arguments;
    QStringList mounts; ///< "/x (writable)", "/y (read-only)"
    std::vector<std::string> readOnly; ///< sources in which no other file system may be mounted
};

/// The label of every container of ours.
inline constexpr char kContainerLabel[] = "io.github.deskhand.run";

/// Pure. Policy error naming the first rule that a container engine cannot hold.
[[nodiscard]] Result<ContainerCommand> buildContainerCommand(const ContainerPlan &plan);

/// Names of containers tell who made them: "deskhand-PID-START-RANDOM". Pure.
[[nodiscard]] QByteArray containerName(qint64 pid, qint64 startTime, const QString &random);
struct ContainerOwner
{
    qint64 pid = 0;
    qint64 startTime = 0;
};
/// Nothing for a name of somebody else.
[[nodiscard]] std::optional<ContainerOwner> containerOwner(const QByteArray &name);

} // namespace deskhand::sandbox
