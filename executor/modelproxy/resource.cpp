// SPDX-License-Identifier: Apache-2.0
#include "executor/modelproxy/resource.h"

#include <QFile>
#include <QJsonDocument>

// Resources of a static library are linked only when they are asked for, outside any namespace.
static void initialiseModelResources()
{
    Q_INIT_RESOURCE(models);
}

namespace deskhand::modelproxy {

QByteArray modelResourceText(const QString &fileName)
{
    initialiseModelResources();
    QFile file(QStringLiteral(":/models/") + fileName);
    const bool open = file.open(QIODevice::ReadOnly);
    Q_ASSERT(open);
    return open ? file.readAll() : QByteArray();
}

QJsonObject modelResource(const QString &fileName)
{
    const QJsonDocument document = QJsonDocument::fromJson(modelResourceText(fileName));
    Q_ASSERT(document.isObject());
    return document.object();
}

} // namespace deskhand::modelproxy
