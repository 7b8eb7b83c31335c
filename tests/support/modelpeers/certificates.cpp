// SPDX-License-Identifier: Apache-2.0
#include "tests/support/modelpeers/certificates.h"

#include <QFile>
#include <QProcess>

using namespace Qt::StringLiterals;

namespace deskhand::test {
namespace {

const QStringList kNewKey { u"-newkey"_s, u"ec"_s, u"-pkeyopt"_s, u"ec_paramgen_curve:prime256v1"_s,
    u"-nodes"_s };

QByteArray contentOf(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

} // namespace

Certificates::Certificates()
{
    const QString request = m_dir.filePath(u"server.csr"_s);
    const bool made
        = openssl(QStringList { u"req"_s, u"-x509"_s } + kNewKey
              + QStringList { u"-keyout"_s, m_dir.filePath(u"ca.key"_s), u"-out"_s, authorityFile(),
                  u"-subj"_s, u"/CN=Authority of a test"_s, u"-days"_s, u"2"_s })
        && openssl(QStringList { u"req"_s } + kNewKey
            + QStringList { u"-keyout"_s, keyFile(), u"-out"_s, request, u"-subj"_s,
                u"/CN=model.example"_s, u"-addext"_s,
                u"subjectAltName=DNS:model.example,DNS:localhost"_s })
        && openssl({ u"x509"_s, u"-req"_s, u"-in"_s, request, u"-CA"_s, authorityFile(),
            u"-CAkey"_s, m_dir.filePath(u"ca.key"_s), u"-CAcreateserial"_s, u"-copy_extensions"_s,
            u"copy"_s, u"-days"_s, u"2"_s, u"-out"_s, certificateFile() });
    if (!made && m_problem.isEmpty()) {
        m_problem = u"openssl cannot be started"_s;
    }
}

bool Certificates::openssl(const QStringList &arguments)
{
    constexpr int kPatience = 60000;
    QProcess program;
    program.start(u"openssl"_s, arguments);
    if (!program.waitForFinished(kPatience) || program.exitCode() != 0) {
        m_problem = QString::fromUtf8(program.readAllStandardError());
        return false;
    }
    return true;
}

QSslCertificate Certificates::certificate() const
{
    return QSslCertificate(contentOf(certificateFile()), QSsl::Pem);
}

QSslKey Certificates::key() const
{
    return QSslKey(contentOf(keyFile()), QSsl::Ec, QSsl::Pem);
}

} // namespace deskhand::test
