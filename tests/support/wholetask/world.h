// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "linepeer.h"

#include <QJsonArray>
#include <QProcess>
#include <QTemporaryDir>

#include <memory>

/// The outside world of one `deskhand-executor`: a backend, a scripted model, a home, a work
/// folder; and the program itself, driven as others drive it.
class World
{
public:
    World();
    ~World();
    Q_DISABLE_COPY_MOVE(World)

    struct Outcome
    {
        int status = -1;
        QString out;
        QString err;
        [[nodiscard]] QJsonObject object() const;
        [[nodiscard]] QJsonArray array() const;
    };

    /// Starts backend and model with these answers (see modelserver.py). False: see error().
    bool start(const QJsonObject &modelScript);
    /// Starts `deskhand-executor run` and waits for its registration.
    bool startExecutor(const QStringList &arguments = {});
    /// Starts it without waiting for anything.
    void launchExecutor(const QStringList &arguments = {});
    bool waitOnline(int limitMs = 30000);
    /// Runs a command of `deskhand-executor` to its end.
    Outcome command(
        const QStringList &arguments, const QByteArray &input = {}, int limitMs = 60000);
    /// The payload of a task:execute with everything that a task needs; `more` is laid over it.
    [[nodiscard]] QJsonObject task(
        int taskId, int subtaskId, const QString &prompt, const QJsonObject &more = {}) const;
    void execute(const QJsonObject &payload);
    /// The next event of this subtask with one of the names; its payload with the name in "name".
    QJsonObject waitEvent(int subtaskId, const QStringList &names, int limitMs = 60000);
    /// Waits for the one event that ends the subtask.
    QJsonObject waitEnding(int subtaskId, int limitMs = 60000);
    /// What the backend assembled of the subtask: "text", "status", …
    QJsonObject backendState(int subtaskId);
    /// All events of the subtask so far, in order.
    QList<QJsonObject> events(int subtaskId);
    /// Waits until at least one request is pending; the list.
    QJsonArray waitRequests(int limitMs = 30000);
    /// Codex processes below the executor.
    [[nodiscard]] QList<qint64> engineProcesses() const;

    [[nodiscard]] QString folder(const QString &name) const; ///< below the world's own folder
    [[nodiscard]] QString workFolder() const { return folder(QStringLiteral("work 工作")); }
    [[nodiscard]] QString home() const { return folder(QStringLiteral("home")); }
    [[nodiscard]] QProcessEnvironment environment() const { return m_environment; }
    [[nodiscard]] QString program() const { return m_program; }
    /// Starts a command without waiting for its end.
    [[nodiscard]] std::unique_ptr<QProcess> begin(const QStringList &arguments) const;
    void setEnvironment(const QString &name, const QString &value);
    void unsetEnvironment(const QString &name);
    [[nodiscard]] QString error() const { return m_error; }
    [[nodiscard]] QString executorLog() const;

    LinePeer backend;
    LinePeer model;
    std::unique_ptr<QProcess> executor;
    static inline const QString kToken = QStringLiteral("wg-token-of-the-test-world");
    static inline const QString kKey = QStringLiteral("sk-key-of-the-test-world-0123456789");

private:
    QTemporaryDir m_folder;
    QProcessEnvironment m_environment;
    QString m_program;
    QString m_error;
};

[[nodiscard]] bool processAlive(qint64 pid);
