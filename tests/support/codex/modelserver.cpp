// SPDX-License-Identifier: Apache-2.0
#include "tests/support/codex/modelserver.h"

#include <QFile>
#include <QJsonDocument>

using namespace Qt::StringLiterals;

namespace deskhand::testing {

ModelServer::~ModelServer()
{
    m_process.closeWriteChannel();
    if (!m_process.waitForFinished(2'000)) {
        m_process.kill();
        m_process.waitForFinished(2'000);
    }
}

bool ModelServer::start(const QJsonObject &script)
{
    QFile file(m_folder.filePath(u"script.json"_s));
    if (!file.open(QIODevice::WriteOnly)) {
        return false;
    }
    file.write(QJsonDocument(script).toJson());
    file.close();
    m_process.setProcessChannelMode(QProcess::ForwardedErrorChannel);
    m_process.start(u"/usr/bin/python3"_s,
        { QStringLiteral(DESKHAND_SOURCE_DIR "/tests/support/codex/modelserver.py"), u"--script"_s,
            file.fileName(), u"--log"_s, m_folder.filePath(u"requests.jsonl"_s) });
    while (!m_process.canReadLine()) {
        if (!m_process.waitForReadyRead(60'000)) {
            return false;
        }
    }
    m_port = QJsonDocument::fromJson(m_process.readLine()).object().value("port"_L1).toInt();
    return m_port > 0;
}

QString ModelServer::baseUrl() const
{
    return u"http://127.0.0.1:%1/v1"_s.arg(m_port);
}

void ModelServer::release(const QString &name)
{
    m_process.write("release " + name.toUtf8() + '\n');
}

QList<QJsonObject> ModelServer::requests() const
{
    QList<QJsonObject> result;
    QFile file(m_folder.filePath(u"requests.jsonl"_s));
    if (file.open(QIODevice::ReadOnly)) {
        while (!file.atEnd()) {
            const QJsonDocument line = QJsonDocument::fromJson(file.readLine());
            if (line.isObject()) {
                result.append(line.object());
            }
        }
    }
    return result;
}

} // namespace deskhand::testing
