// SPDX-License-Identifier: Apache-2.0
#include "tests/executor/device/devicefixture.h"

using namespace Qt::StringLiterals;
using namespace deskhand;
using namespace std::chrono_literals;

Device::Device(const QString &journalFile, int parallel, History history)
{
    tasks::JournalOptions options;
    options.file = journalFile;
    journal = std::make_unique<tasks::Journal>(options);
    tasks = std::make_unique<tasks::TaskManager>(engine, broker, *journal);
    tasks::TaskPolicy policy;
    policy.parallelLimit = parallel;
    policy.workspaceRoot = folder.filePath(u"workspace"_s);
    tasks->setPolicy(policy);
    link = std::make_unique<device::DeviceLink>(*tasks, *journal);
    if (history == History::Open) {
        journal->open();
    }
    config.deviceId = u"device-test"_s;
    config.runtimeInstanceId = u"runtime-test"_s;
    config.deviceName = u"Test 设备 🙂"_s;
    config.times.reconnectDelay = 50ms;
    config.times.reconnectMaxDelay = 400ms;
}

void Device::connectTo(const BackendPeer &backend, const QString &token)
{
    config.backendUrl = backend.url();
    config.authToken = token;
    link->configure(config);
}

void Device::close()
{
    link.reset();
    tasks.reset();
    QSignalSpy closed(journal.get(), &tasks::Journal::closed);
    journal->requestClose(5s);
    QTRY_COMPARE(closed.size(), 1);
}

QJsonObject taskData(qint64 task, qint64 subtask, const QJsonObject &more)
{
    QJsonObject data { { u"task_id"_s, task }, { u"subtask_id"_s, subtask }, { u"message_id"_s, 6 },
        { u"executor_name"_s, u"device-test"_s }, { u"prompt"_s, u"Do it"_s },
        { u"system_prompt"_s, QString(u""_s) },
        { u"bot"_s, QJsonArray { QJsonObject { { u"shell_type"_s, u"Codex"_s } } } } };
    for (auto it = more.constBegin(); it != more.constEnd(); ++it) {
        data.insert(it.key(), it.value());
    }
    return data;
}

engines::TurnRef ref(qint64 task, qint64 subtask)
{
    return { QString::number(task), QString::number(subtask) };
}
