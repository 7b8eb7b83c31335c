// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QJsonObject>
#include <QList>
#include <QObject>
#include <QProcess>
#include <QStringList>

#include <functional>

/// The loopback Wegent backend as a child process, driven and watched by JSON lines (their forms
/// stand at the top of backend.py). Ends with this object.
class BackendPeer final : public QObject
{
    Q_OBJECT
public:
    enum class Kind { Python, Node };

    explicit BackendPeer(QObject *parent = nullptr);
    ~BackendPeer() override;

    /// False when it does not listen within 20 s.
    [[nodiscard]] bool start(Kind kind = Kind::Python, const QStringList &arguments = {});
    [[nodiscard]] QString url() const;

    void send(const QJsonObject &command);
    void execute(const QJsonObject &data);
    void ack(const QString &event, const QString &mode, const QJsonObject &more = {});

    [[nodiscard]] const QList<QJsonObject> &lines() const { return m_lines; }
    [[nodiscard]] QList<QJsonObject> lines(const QString &type) const;
    /// The payloads of received events of this name.
    [[nodiscard]] QList<QJsonObject> events(const QString &name) const;
    [[nodiscard]] int count(const QString &type) const;
    void forget() { m_lines.clear(); }

    /// What the backend holds of a subtask; empty when nothing, or no answer within 10 s.
    [[nodiscard]] QJsonObject subtask(qint64 subtaskId);
    /// Sends a call to the device and gives the line with its result.
    [[nodiscard]] QJsonObject call(const QString &event, const QJsonObject &data);

Q_SIGNALS:
    void line(const QJsonObject &line);

private:
    void read();
    [[nodiscard]] QJsonObject answer(const QString &type, int id);

    QProcess m_process;
    QList<QJsonObject> m_lines;
    int m_port = 0;
    int m_lastId = 0;
};
