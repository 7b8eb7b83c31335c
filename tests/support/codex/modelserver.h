// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QJsonArray>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>

namespace deskhand::testing {

/// Runs tests/support/codex/modelserver.py with a script. One per test; the test's thread.
class ModelServer final
{
public:
    ~ModelServer();

    /// False when the server did not come up within ten seconds.
    [[nodiscard]] bool start(const QJsonObject &script);
    [[nodiscard]] QString baseUrl() const;
    /// Lets the answers go on that wait for this name.
    void release(const QString &name);
    /// The requests it has got, in order.
    [[nodiscard]] QList<QJsonObject> requests() const;

private:
    QTemporaryDir m_folder;
    QProcess m_process;
    int m_port = 0;
};

} // namespace deskhand::testing
