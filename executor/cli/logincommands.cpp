// SPDX-License-Identifier: Apache-2.0
#include "executor/cli/logincommands.h"

#include "executor/cli/exitcodes.h"
#include "executor/cli/standardstreams.h"
#include "executor/common/atomicfile.h"
#include "executor/control/protocol.h"
#include "executor/logging/masking.h"
#include "executor/settings/deviceidentity.h"

namespace deskhand::cli {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

namespace method = control::method;

constexpr qsizetype kMaxTokenBytes = 16 * 1024;
/// A key store may take its ten seconds.
constexpr auto kStoreLimit = 25s;

} // namespace

LoginCommand::LoginCommand(Invocation given, ExecutorHome home, Output &output)
    : ClientCommand(std::move(given), std::move(home), output, WithoutProgram::StartHere)
{ }

Result<QString> LoginCommand::readToken() const
{
    QByteArray bytes;
    if (invocation().has("token-file"_L1)) {
        const Result<QByteArray> content
            = readFileLimited(invocation().value("token-file"_L1), kMaxTokenBytes);
        if (!content) {
            return tl::unexpected<Error>(content.error());
        }
        bytes = *content;
    } else if (isTerminal(StandardStream::In)) {
        writeAll(StandardStream::Err, "Token: ");
        bytes = readHiddenLine();
        writeAll(StandardStream::Err, "\n");
    } else {
        bytes = readAllInput(kMaxTokenBytes);
    }
    const QString token = settings::cleanToken(QString::fromUtf8(bytes));
    const bool printable = std::all_of(token.cbegin(), token.cend(),
        [](QChar character) { return character.isPrint() && !character.isSpace(); });
    if (token.isEmpty()) {
        return failure(ErrorKind::Usage, u"the token is empty"_s,
            u"Give it on standard input or with --token-file."_s);
    }
    if (bytes.size() > kMaxTokenBytes || !printable) {
        return failure(ErrorKind::Usage,
            u"what was given is no token: it has spaces, line ends or more than %1 bytes"_s.arg(
                kMaxTokenBytes));
    }
    return token;
}

void LoginCommand::start()
{
    const Result<QString> token = readToken();
    if (!token) {
        fail(token.error());
        return;
    }
    m_token = *token;
    logging::addSecret(m_token);
    ClientCommand::start();
}

void LoginCommand::run()
{
    call(
        method::tokenSet, { { u"token"_s, m_token } },
        [this](const QJsonObject & /*nothing*/) {
            call(method::status, {}, [this](const QJsonObject &status) {
                const QString place
                    = status.value("secrets"_L1).toObject().value("place"_L1).toString();
                if (output().json()) {
                    output().jsonLine(QJsonObject { { u"ok"_s, true }, { u"place"_s, place } });
                } else {
                    output().line(u"The token is stored: %1."_s.arg(place));
                }
                leave(kOk);
            });
        },
        kStoreLimit);
}

LogoutCommand::LogoutCommand(Invocation given, ExecutorHome home, Output &output)
    : ClientCommand(std::move(given), std::move(home), output, WithoutProgram::StartHere)
{ }

void LogoutCommand::run()
{
    call(
        method::tokenSet, { { u"token"_s, QString() } },
        [this](const QJsonObject & /*nothing*/) {
            if (output().json()) {
                output().jsonLine(QJsonObject { { u"ok"_s, true } });
            } else {
                output().line(u"Signed out. Local tasks go on."_s);
            }
            leave(kOk);
        },
        kStoreLimit);
}

} // namespace deskhand::cli
