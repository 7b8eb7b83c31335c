// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QSslCertificate>
#include <QSslKey>
#include <QString>
#include <QTemporaryDir>

namespace deskhand::test {

/// An authority of the test's own and a server's certificate signed by it, made by the openssl
/// program when the test runs. Valid for model.example and localhost.
class Certificates final
{
public:
    Certificates();

    /// Empty when all is well, else what openssl said.
    [[nodiscard]] const QString &problem() const { return m_problem; }
    [[nodiscard]] QString authorityFile() const { return m_dir.filePath(QStringLiteral("ca.pem")); }
    [[nodiscard]] QString certificateFile() const
    {
        return m_dir.filePath(QStringLiteral("server.pem"));
    }
    [[nodiscard]] QString keyFile() const { return m_dir.filePath(QStringLiteral("server.key")); }
    [[nodiscard]] QSslCertificate certificate() const;
    [[nodiscard]] QSslKey key() const;

private:
    [[nodiscard]] bool openssl(const QStringList &arguments);

    QTemporaryDir m_dir;
    QString m_problem;
};

} // namespace deskhand::test
