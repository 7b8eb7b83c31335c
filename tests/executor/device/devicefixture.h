// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/device/devicelink.h"
#include "executor/tasks/journal.h"
#include "executor/tasks/permissionbroker.h"
#include "tests/executor/device/scriptedengine.h"
#include "tests/support/backend/backendpeer.h"

#include <QJsonArray>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <memory>

/// The device with real tasks, a real journal and a scripted engine.
class Device
{
public:
    enum class History { Open, Later };
    explicit Device(
        const QString &journalFile = {}, int parallel = 4, History history = History::Open);
    /// Connects to the backend with short times.
    void connectTo(const BackendPeer &backend, const QString &token = QStringLiteral("wg-test"));
    [[nodiscard]] deskhand::device::LinkState state() const { return link->status().state; }
    [[nodiscard]] bool isOnline() const { return state() == deskhand::device::LinkState::Online; }
    /// Closes the journal as an orderly end of the program does.
    void close();

    QTemporaryDir folder;
    ScriptedEngine engine;
    deskhand::tasks::PermissionBroker broker;
    std::unique_ptr<deskhand::tasks::Journal> journal;
    std::unique_ptr<deskhand::tasks::TaskManager> tasks;
    std::unique_ptr<deskhand::device::DeviceLink> link;
    deskhand::settings::DeviceConfig config;
};

[[nodiscard]] QJsonObject taskData(qint64 task, qint64 subtask, const QJsonObject &more = {});
[[nodiscard]] deskhand::engines::TurnRef ref(qint64 task, qint64 subtask);
