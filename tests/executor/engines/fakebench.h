// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/support/codex/enginebench.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>

/// The engine with a stand-in for codex that does what the real one will not do on demand: steps of
/// its script, and what it was sent.
namespace fake {

using namespace Qt::StringLiterals;
using namespace deskhand;
using namespace deskhand::engines;
using testing::EngineBench;
using ms = std::chrono::milliseconds;

inline const QString kThread = u"thread-1"_s;
constexpr int kWait = 30'000; // generous: a busy computer starts an interpreter slowly

inline codex::Timings quick()
{
    codex::Timings timings;
    timings.interruptAgain = ms(100);
    timings.interrupt = ms(800);
    timings.failedTurnEnd = ms(200);
    timings.fileChangeItem = ms(200);
    timings.decisionConfirmed = ms(200);
    timings.restartDelays = { ms(0), ms(10) };
    timings.failedPause = ms(300);
    timings.stop = { ms(300), ms(300) };
    return timings;
}

inline QJsonObject notify(const QString &method, QJsonObject params)
{
    if (!params.contains("threadId"_L1)) {
        params.insert(u"threadId"_s, kThread);
    }
    if (!params.contains("turnId"_L1) && !params.contains("turn"_L1)) {
        params.insert(u"turnId"_s, u"turn-1"_s);
    }
    return { { u"send"_s, QJsonObject { { u"method"_s, method }, { u"params"_s, params } } } };
}

inline QJsonObject expect(const QString &method)
{
    return { { u"expect"_s, method } };
}

inline QJsonObject reply(const QString &method, const QJsonObject &result)
{
    return { { u"send"_s, QJsonObject { { u"id"_s, u"@"_s + method }, { u"result"_s, result } } } };
}

inline QJsonObject ask(const QJsonValue &id, const QString &method, QJsonObject params)
{
    params.insert(u"threadId"_s, kThread);
    params.insert(u"turnId"_s, u"turn-1"_s);
    return { { u"send"_s,
        QJsonObject { { u"id"_s, id }, { u"method"_s, method }, { u"params"_s, params } } } };
}

inline QJsonObject turnFrame(const QString &status)
{
    return { { u"id"_s, u"turn-1"_s }, { u"status"_s, status } };
}

inline QJsonObject started()
{
    return notify(u"turn/started"_s, { { u"turn"_s, turnFrame(u"inProgress"_s) } });
}

inline QJsonObject completed(const QString &status = u"completed"_s)
{
    return notify(u"turn/completed"_s, { { u"turn"_s, turnFrame(status) } });
}

inline QJsonObject item(const QString &method, const QJsonObject &content)
{
    return notify(method, { { u"item"_s, content } });
}

inline QJsonObject message(const QString &id, const QString &text)
{
    return { { u"type"_s, u"agentMessage"_s }, { u"id"_s, id }, { u"text"_s, text } };
}

inline QJsonObject commandItem(const QString &status, const QString &output = {})
{
    QJsonObject object { { u"type"_s, u"commandExecution"_s }, { u"id"_s, u"c1"_s },
        { u"command"_s, u"ls"_s }, { u"status"_s, status } };
    if (!output.isEmpty()) {
        object.insert(u"aggregatedOutput"_s, output);
    }
    return object;
}

// turn/start is waited for and answered, and the turn has begun.
inline QJsonArray begun(std::initializer_list<QJsonValue> more)
{
    QJsonArray steps { expect(u"turn/start"_s),
        reply(u"turn/start"_s, { { u"turn"_s, turnFrame(u"inProgress"_s) } }), started() };
    for (const QJsonValue &step : more) {
        steps.append(step);
    }
    return steps;
}

inline std::unique_ptr<EngineBench> make(
    const QJsonObject &script, codex::Timings timings = quick())
{
    auto bench = std::make_unique<EngineBench>(EngineBench::fakeCodex(), timings);
    QJsonObject full = script;
    full.insert(u"log"_s, bench->workFolder() + u"/../received.jsonl"_s);
    QFile file(bench->workFolder() + u"/../script.json"_s);
    if (!file.open(QIODevice::WriteOnly)) {
        return nullptr;
    }
    file.write(QJsonDocument(full).toJson());
    bench->options.environment.insert(u"FAKE_CODEX_SCRIPT"_s, file.fileName());
    bench->restartEngine();
    return bench;
}

inline QList<QJsonObject> received(const EngineBench &bench, const QString &method)
{
    QList<QJsonObject> found;
    QFile file(bench.workFolder() + u"/../received.jsonl"_s);
    if (file.open(QIODevice::ReadOnly)) {
        while (!file.atEnd()) {
            const QJsonObject object = QJsonDocument::fromJson(file.readLine()).object();
            if (object.value("method"_L1).toString() == method) {
                found.append(object);
            }
        }
    }
    return found;
}

inline QList<QJsonObject> answers(const EngineBench &bench)
{
    return received(bench, {});
}

} // namespace fake
