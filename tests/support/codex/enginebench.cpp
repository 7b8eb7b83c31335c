// SPDX-License-Identifier: Apache-2.0
#include "tests/support/codex/enginebench.h"

#include <QDir>
#include <QDirIterator>
#include <QFileInfo>

using namespace Qt::StringLiterals;
using namespace deskhand::engines;

namespace deskhand::testing {

Result<ModelRoute> DirectRoutes::acquire(const QString &, const ModelConfig &model)
{
    return ModelRoute { model.baseUrl, bearer };
}

void DirectRoutes::bindThread(const QString &scope, const QString &threadId)
{
    threads.insert(scope, threadId);
}

void DirectRoutes::release(const QString &scope)
{
    released.append(scope);
}

EngineBench::EngineBench(const QString &program, codex::Timings timings, QObject *parent)
    : QObject(parent)
{
    QDir root(m_root.path());
    root.mkpath(u"home"_s);
    root.mkpath(u"work"_s);
    options.agentsFolder = root.filePath(u"agents"_s);
    options.timings = timings;
    options.environment.insert(u"HOME"_s, root.filePath(u"home"_s));
    options.environment.insert(u"CODEX_BINARY_PATH"_s, program);
    restartEngine();
}

EngineBench::~EngineBench()
{
    engine.reset(); // it still uses the folder
}

void EngineBench::restartEngine()
{
    engine.reset();
    engine = std::make_unique<codex::CodexEngine>(options, &routes);
    connect(engine.get(), &Engine::event, this,
        [this](const TurnRef &ref, const TaskEvent &event) { events[ref.turnId].append(event); });
    connect(engine.get(), &Engine::permissionRequested, this,
        [this](const PermissionRequest &request) { requests.append(request); });
    connect(engine.get(), &Engine::permissionWithdrawn, this,
        [this](const QString &id, const QString &reason) {
            withdrawn.append({ id, reason });
        });
    connect(engine.get(), &Engine::decisionDelivered, this,
        [this](const QString &id, const QString &error) {
            delivered.append({ id, error });
        });
    connect(engine.get(), &Engine::stopped, this, [this] { ++stops; });
}

QString EngineBench::realCodex()
{
    const QString peers = qEnvironmentVariable(
        "DESKHAND_PEERS", QStringLiteral(DESKHAND_SOURCE_DIR "/build/peers"));
    QDirIterator folders(peers + u"/node_modules/@openai"_s, { u"codex-*"_s }, QDir::Dirs);
    while (folders.hasNext()) {
        const QDir vendor(folders.next() + u"/vendor"_s);
        const QStringList triples = vendor.entryList(QDir::Dirs | QDir::NoDotAndDotDot);
        for (const QString &triple : triples) {
            const QString program = vendor.filePath(triple + u"/bin/codex"_s);
            if (QFileInfo(program).isExecutable()) {
                return program;
            }
        }
    }
    return {};
}

QString EngineBench::fakeCodex()
{
    return QStringLiteral(DESKHAND_SOURCE_DIR "/tests/support/codex/fakecodex.py");
}

QString EngineBench::workFolder() const
{
    return m_root.filePath(u"work"_s);
}

QString EngineBench::homeFolder() const
{
    return options.agentsFolder + u"/default"_s;
}

TurnSpec EngineBench::turn(
    const QString &turnId, const QString &prompt, const QString &baseUrl) const
{
    TurnSpec spec;
    spec.ref = { u"task-1"_s, turnId };
    spec.cwd = workFolder();
    spec.prompt = prompt;
    if (!baseUrl.isEmpty()) {
        ModelConfig model;
        model.baseUrl = baseUrl;
        model.modelId = u"scripted-model"_s;
        spec.model = model;
    }
    return spec;
}

bool EngineBench::over(const QString &turnId) const
{
    return !all<TurnEnded>(turnId).isEmpty();
}

TurnEnded EngineBench::ending(const QString &turnId) const
{
    return all<TurnEnded>(turnId).value(0);
}

QString EngineBench::threadOf(const QString &turnId) const
{
    return all<TurnStarted>(turnId).value(0).threadId;
}

QString EngineBench::streamed(const QString &turnId) const
{
    QString text;
    QString item;
    for (const TextDelta &delta : all<TextDelta>(turnId)) {
        if (!item.isEmpty() && item != delta.itemId) {
            text += u'|';
        }
        item = delta.itemId;
        text += delta.text;
    }
    return text;
}

} // namespace deskhand::testing
