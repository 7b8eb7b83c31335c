// SPDX-License-Identifier: Apache-2.0
#include "tests/support/backend/backendpeer.h"

#include <QJsonDocument>
#include <QTest>

using namespace Qt::StringLiterals;

namespace {
constexpr int kStartLimitMs = 60000;
constexpr int kAnswerLimitMs = 10000;
constexpr int kEndLimitMs = 5000;
} // namespace

BackendPeer::BackendPeer(QObject *parent)
    : QObject(parent)
{
    m_process.setProcessChannelMode(QProcess::ForwardedErrorChannel);
    connect(&m_process, &QProcess::readyReadStandardOutput, this, &BackendPeer::read);
}

BackendPeer::~BackendPeer()
{
    m_process.closeWriteChannel();
    if (!m_process.waitForFinished(kEndLimitMs)) {
        m_process.kill();
        m_process.waitForFinished(kEndLimitMs);
    }
}

bool BackendPeer::start(Kind kind, const QStringList &arguments)
{
    const QString folder = QStringLiteral(DESKHAND_BACKEND_FOLDER);
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(u"PYTHONDONTWRITEBYTECODE"_s, u"1"_s);
    m_process.setProcessEnvironment(environment);
    if (kind == Kind::Python) {
        m_process.start(u"/usr/bin/python3"_s, QStringList(folder + u"/backend.py"_s) + arguments);
    } else {
        m_process.start(u"node"_s, QStringList(folder + u"/backend_node.js"_s) + arguments);
    }
    return QTest::qWaitFor([this] { return m_port != 0; }, kStartLimitMs);
}

QString BackendPeer::url() const
{
    return u"http://127.0.0.1:%1"_s.arg(m_port);
}

void BackendPeer::send(const QJsonObject &command)
{
    m_process.write(QJsonDocument(command).toJson(QJsonDocument::Compact) + '\n');
}

void BackendPeer::execute(const QJsonObject &data)
{
    send({ { u"cmd"_s, u"execute"_s }, { u"data"_s, data } });
}

void BackendPeer::ack(const QString &event, const QString &mode, const QJsonObject &more)
{
    QJsonObject command = more;
    command.insert(u"cmd"_s, u"ack"_s);
    command.insert(u"event"_s, event);
    command.insert(u"mode"_s, mode);
    send(command);
}

void BackendPeer::read()
{
    while (m_process.canReadLine()) {
        const QJsonObject line = QJsonDocument::fromJson(m_process.readLine()).object();
        if (line.value(u"type"_s) == u"listening"_s) {
            m_port = line.value(u"port"_s).toInt();
        }
        m_lines.append(line);
        Q_EMIT this->line(line);
    }
}

QList<QJsonObject> BackendPeer::lines(const QString &type) const
{
    QList<QJsonObject> found;
    for (const QJsonObject &line : m_lines) {
        if (line.value(u"type"_s) == type) {
            found.append(line);
        }
    }
    return found;
}

QList<QJsonObject> BackendPeer::events(const QString &name) const
{
    QList<QJsonObject> found;
    for (const QJsonObject &line : m_lines) {
        if (line.value(u"type"_s) == u"event"_s && line.value(u"name"_s) == name) {
            found.append(line.value(u"data"_s).toObject());
        }
    }
    return found;
}

int BackendPeer::count(const QString &type) const
{
    return static_cast<int>(lines(type).size());
}

QJsonObject BackendPeer::answer(const QString &type, int id)
{
    QJsonObject found;
    const bool came = QTest::qWaitFor(
        [&] {
            for (const QJsonObject &line : std::as_const(m_lines)) {
                if (line.value(u"type"_s) == type && line.value(u"id"_s).toInt() == id) {
                    found = line;
                    return true;
                }
            }
            return false;
        },
        kAnswerLimitMs);
    return came ? found : QJsonObject();
}

QJsonObject BackendPeer::subtask(qint64 subtaskId)
{
    const int id = ++m_lastId;
    send({ { u"cmd"_s, u"state"_s }, { u"subtask_id"_s, subtaskId }, { u"id"_s, id } });
    return answer(u"state"_s, id).value(u"subtask"_s).toObject();
}

QJsonObject BackendPeer::call(const QString &event, const QJsonObject &data)
{
    const int id = ++m_lastId;
    send({ { u"cmd"_s, u"call"_s }, { u"event"_s, event }, { u"data"_s, data }, { u"id"_s, id } });
    return answer(u"call_result"_s, id);
}
