// SPDX-License-Identifier: Apache-2.0
#include "world.h"

#include <QDeadlineTimer>
#include <QDir>
#include <QFile>
#include <QJsonDocument>
#include <QStandardPaths>
#include <QTest>

namespace {

using namespace Qt::StringLiterals;

const QString kPython = u"/usr/bin/python3"_s;

QString supportFile(const QString &name)
{
    return QStringLiteral(DESKHAND_SOURCE_DIR "/tests/support/") + name;
}

} // namespace

QJsonObject World::Outcome::object() const
{
    return QJsonDocument::fromJson(out.toUtf8()).object();
}

QJsonArray World::Outcome::array() const
{
    return QJsonDocument::fromJson(out.toUtf8()).array();
}

// Codex refuses helpers below the temporary folder, so the world is not in /tmp.
World::World()
    : m_folder(u"/var/tmp/deskhand-test-XXXXXX"_s)
    , m_environment(QProcessEnvironment::systemEnvironment())
    , m_program(QStringLiteral(DESKHAND_PROGRAM_DIR "/deskhand-executor"))
{
    QDir().mkpath(workFolder());
    QDir().mkpath(folder(u"person"_s));
    const QString peers = m_environment.value(u"DESKHAND_PEERS"_s);
    for (const QString &name : m_environment.keys()) {
        if (name.startsWith(u"WEGENT_"_s) || name.startsWith(u"DEVICE_"_s)
            || name.startsWith(u"CODEX"_s)) {
            m_environment.remove(name);
        }
    }
    m_environment.insert(u"HOME"_s, folder(u"person"_s));
    m_environment.insert(u"WEGENT_EXECUTOR_HOME"_s, home());
    m_environment.insert(u"WEGENT_AUTH_TOKEN"_s, kToken);
    m_environment.insert(
        u"PATH"_s, m_environment.value(u"PATH"_s) + u':' + peers + u"/node_modules/.bin"_s);
}

World::~World()
{
    if (executor && executor->state() != QProcess::NotRunning) {
        executor->kill();
        executor->waitForFinished(5000);
    }
}

bool World::start(const QJsonObject &modelScript)
{
    const QString script = folder(u"model.json"_s);
    QFile file(script);
    if (!file.open(QIODevice::WriteOnly)) {
        m_error = file.errorString();
        return false;
    }
    file.write(QJsonDocument(modelScript).toJson());
    file.close();
    if (!model.start(kPython,
            { supportFile(u"codex/modelserver.py"_s), u"--script"_s, script, u"--log"_s,
                folder(u"model.log"_s) })) {
        m_error = model.error();
        return false;
    }
    if (!backend.start(kPython,
            { supportFile(u"backend/backend.py"_s), u"--token"_s, kToken, u"--grace"_s,
                u"2000"_s })) {
        m_error = backend.error();
        return false;
    }
    setEnvironment(u"WEGENT_BACKEND_URL"_s, u"http://127.0.0.1:%1"_s.arg(backend.port()));
    return true;
}

void World::launchExecutor(const QStringList &arguments)
{
    executor = std::make_unique<QProcess>();
    executor->setProcessEnvironment(m_environment);
    executor->setStandardErrorFile(folder(u"executor.log"_s), QIODevice::Append);
    executor->setStandardOutputFile(QProcess::nullDevice());
    executor->start(m_program, QStringList { u"run"_s } + arguments);
    executor->waitForStarted();
}

bool World::startExecutor(const QStringList &arguments)
{
    launchExecutor(arguments);
    return waitOnline();
}

bool World::waitOnline(int limitMs)
{
    return !backend
                .waitFor(
                    [](const QJsonObject &line) {
                        return line.value(u"type"_s).toString() == u"online"_s;
                    },
                    limitMs)
                .isEmpty();
}

std::unique_ptr<QProcess> World::begin(const QStringList &arguments) const
{
    auto process = std::make_unique<QProcess>();
    process->setProcessEnvironment(m_environment);
    process->start(m_program, arguments);
    process->waitForStarted();
    return process;
}

World::Outcome World::command(const QStringList &arguments, const QByteArray &input, int limitMs)
{
    QProcess process;
    process.setProcessEnvironment(m_environment);
    process.start(m_program, arguments);
    process.waitForStarted();
    process.write(input);
    process.closeWriteChannel();
    Outcome outcome;
    if (!process.waitForFinished(limitMs)) {
        process.kill();
        process.waitForFinished();
        outcome.err = u"no end within the limit"_s;
        return outcome;
    }
    outcome.status = process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1;
    outcome.out = QString::fromUtf8(process.readAllStandardOutput());
    outcome.err = QString::fromUtf8(process.readAllStandardError());
    return outcome;
}

QJsonObject World::task(
    int taskId, int subtaskId, const QString &prompt, const QJsonObject &more) const
{
    QJsonObject payload {
        { u"task_id"_s, taskId },
        { u"subtask_id"_s, subtaskId },
        { u"message_id"_s, 7 },
        { u"prompt"_s, prompt },
        { u"system_prompt"_s, QString() },
        { u"bot"_s,
            QJsonArray { QJsonObject {
                { u"id"_s, 1 }, { u"name"_s, u"coder"_s }, { u"shell_type"_s, u"Codex"_s } } } },
        { u"project_workspace_path"_s, workFolder() },
        { u"model_config"_s,
            QJsonObject { { u"protocol"_s, u"openai-responses"_s },
                { u"model_id"_s, u"test-model"_s }, { u"api_key"_s, kKey },
                { u"base_url"_s, u"http://127.0.0.1:%1/v1"_s.arg(model.port()) } } },
    };
    for (auto it = more.begin(); it != more.end(); ++it) {
        payload.insert(it.key(), it.value());
    }
    return payload;
}

void World::execute(const QJsonObject &payload)
{
    backend.send({ { u"cmd"_s, u"execute"_s }, { u"data"_s, payload } });
}

QJsonObject World::waitEvent(int subtaskId, const QStringList &names, int limitMs)
{
    const QJsonObject line = backend.waitFor(
        [&](const QJsonObject &candidate) {
            return candidate.value(u"type"_s).toString() == u"event"_s
                && names.contains(candidate.value(u"name"_s).toString())
                && candidate.value(u"data"_s).toObject().value(u"subtask_id"_s).toInt()
                == subtaskId;
        },
        limitMs);
    QJsonObject payload = line.value(u"data"_s).toObject();
    if (!line.isEmpty()) {
        payload.insert(u"name"_s, line.value(u"name"_s));
    }
    return payload;
}

QJsonObject World::waitEnding(int subtaskId, int limitMs)
{
    return waitEvent(
        subtaskId, { u"response.completed"_s, u"response.incomplete"_s, u"error"_s }, limitMs);
}

QJsonObject World::backendState(int subtaskId)
{
    static int ids = 0;
    const int id = ++ids;
    backend.send({ { u"cmd"_s, u"state"_s }, { u"subtask_id"_s, subtaskId }, { u"id"_s, id } });
    return backend.waitFor([id](const QJsonObject &line) {
        return line.value(u"type"_s).toString() == u"state"_s && line.value(u"id"_s).toInt() == id;
    });
}

QList<QJsonObject> World::events(int subtaskId)
{
    QList<QJsonObject> found;
    for (const QJsonObject &line : backend.lines()) {
        QJsonObject payload = line.value(u"data"_s).toObject();
        if (line.value(u"type"_s).toString() == u"event"_s
            && payload.value(u"subtask_id"_s).toInt() == subtaskId) {
            payload.insert(u"name"_s, line.value(u"name"_s));
            found.append(payload);
        }
    }
    return found;
}

QJsonArray World::waitRequests(int limitMs)
{
    QDeadlineTimer deadline(limitMs);
    while (!deadline.hasExpired()) {
        const Outcome listed = command({ u"requests"_s, u"list"_s, u"--json"_s });
        const QJsonArray requests = listed.array();
        if (!requests.isEmpty()) {
            return requests;
        }
    }
    return {};
}

QList<qint64> World::engineProcesses() const
{
    QList<qint64> found;
    for (const QString &entry : QDir(u"/proc"_s).entryList(QDir::Dirs)) {
        QFile file(u"/proc/"_s + entry + u"/environ"_s);
        if (entry.front().isDigit() && file.open(QIODevice::ReadOnly)
            && file.readAll().contains((u"CODEX_HOME="_s + home()).toUtf8())
            && processAlive(entry.toLongLong())) {
            found.append(entry.toLongLong());
        }
    }
    return found;
}

QString World::folder(const QString &name) const
{
    return m_folder.filePath(name);
}

void World::setEnvironment(const QString &name, const QString &value)
{
    m_environment.insert(name, value);
}

void World::unsetEnvironment(const QString &name)
{
    m_environment.remove(name);
}

QString World::executorLog() const
{
    QFile file(folder(u"executor.log"_s));
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

bool processAlive(qint64 pid)
{
    QFile file(u"/proc/%1/stat"_s.arg(pid));
    if (!file.open(QIODevice::ReadOnly)) {
        return false;
    }
    const QByteArray stat = file.readAll();
    return stat.mid(stat.lastIndexOf(')') + 2, 1) != "Z";
}
