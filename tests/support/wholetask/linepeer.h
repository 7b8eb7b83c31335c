// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QJsonObject>
#include <QList>
#include <QProcess>
#include <QStringList>

#include <functional>

/// A test peer in a process of its own that speaks JSON lines on its pipes and ends with its
/// standard input. Killed by the destructor.
class LinePeer
{
public:
    LinePeer() = default;
    ~LinePeer();
    Q_DISABLE_COPY_MOVE(LinePeer)

    /// Starts it and waits for its first line, which tells the port. False: see error().
    bool start(const QString &program, const QStringList &arguments);
    void send(const QJsonObject &message);
    [[nodiscard]] int port() const { return m_port; }
    [[nodiscard]] QString error() const { return m_error; }

    /// Waits for the first line, counted from the last call's find, that `wanted` accepts. Empty
    /// when it does not come within `limitMs`.
    QJsonObject waitFor(
        const std::function<bool(const QJsonObject &)> &wanted, int limitMs = 30000);
    /// Everything so far.
    [[nodiscard]] QList<QJsonObject> lines();

private:
    void read();

    QProcess m_process;
    QByteArray m_partial;
    QList<QJsonObject> m_lines;
    qsizetype m_next = 0;
    int m_port = 0;
    QString m_error;
};
