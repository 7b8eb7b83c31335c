// SPDX-License-Identifier: Apache-2.0
#include "linepeer.h"

#include <QDeadlineTimer>
#include <QJsonDocument>

LinePeer::~LinePeer()
{
    if (m_process.state() == QProcess::NotRunning) {
        return;
    }
    m_process.closeWriteChannel();
    if (!m_process.waitForFinished(3000)) {
        m_process.kill();
        m_process.waitForFinished(3000);
    }
}

bool LinePeer::start(const QString &program, const QStringList &arguments)
{
    m_process.setProcessChannelMode(QProcess::ForwardedErrorChannel);
    m_process.start(program, arguments);
    if (!m_process.waitForStarted()) {
        m_error = m_process.errorString();
        return false;
    }
    const QJsonObject first
        = waitFor([](const QJsonObject &line) { return line.contains(QStringLiteral("port")); });
    m_port = first.value(QStringLiteral("port")).toInt();
    if (m_port == 0) {
        m_error = QStringLiteral("no port from %1").arg(arguments.value(0));
    }
    return m_port != 0;
}

void LinePeer::send(const QJsonObject &message)
{
    m_process.write(QJsonDocument(message).toJson(QJsonDocument::Compact) + '\n');
    m_process.waitForBytesWritten(5000);
}

void LinePeer::read()
{
    m_partial += m_process.readAllStandardOutput();
    qsizetype end = m_partial.indexOf('\n');
    while (end >= 0) {
        const QByteArray line = m_partial.left(end);
        m_partial.remove(0, end + 1);
        const QJsonDocument document = QJsonDocument::fromJson(line);
        if (document.isObject()) {
            m_lines.append(document.object());
        }
        end = m_partial.indexOf('\n');
    }
}

QJsonObject LinePeer::waitFor(const std::function<bool(const QJsonObject &)> &wanted, int limitMs)
{
    QDeadlineTimer deadline(limitMs);
    while (true) {
        read();
        while (m_next < m_lines.size()) {
            const QJsonObject line = m_lines.at(m_next);
            ++m_next;
            if (wanted(line)) {
                return line;
            }
        }
        if (deadline.hasExpired() || m_process.state() == QProcess::NotRunning) {
            return {};
        }
        m_process.waitForReadyRead(
            static_cast<int>(std::min<qint64>(200, deadline.remainingTime())));
    }
}

QList<QJsonObject> LinePeer::lines()
{
    read();
    return m_lines;
}
