// SPDX-License-Identifier: Apache-2.0
#include "executor/cli/output.h"

#include "executor/cli/exitcodes.h"
#include "executor/cli/standardstreams.h"
#include "executor/common/jsonreader.h"
#include "executor/common/textlimits.h"
#include "executor/logging/masking.h"

#include <QDateTime>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

namespace deskhand::cli {

using namespace Qt::StringLiterals;

int exitCodeOf(const Error &error)
{
    switch (error.kind) {
    case ErrorKind::Usage:
        return kUsage;
    case ErrorKind::Auth:
        return kNotSignedIn;
    case ErrorKind::Policy:
        return kRefusedByPolicy;
    case ErrorKind::Timeout:
        return kTimedOut;
    default:
        return kFailed;
    }
}

Output::Output(bool json)
    : m_json(json)
    , m_outIsTerminal(isTerminal(StandardStream::Out))
    , m_errIsTerminal(isTerminal(StandardStream::Err))
{ }

void Output::text(const QString &text)
{
    writeAll(StandardStream::Out, wellFormed(m_outIsTerminal ? terminalSafe(text) : text).toUtf8());
}

void Output::jsonLine(const QJsonValue &value)
{
    // An array of one element is the way to write any JSON value with QJsonDocument.
    const QByteArray wrapped
        = QJsonDocument(QJsonArray { json::wellFormed(value) }).toJson(QJsonDocument::Compact);
    writeAll(StandardStream::Out, wrapped.sliced(1, wrapped.size() - 2) + '\n');
}

void Output::note(const QString &text)
{
    writeAll(
        StandardStream::Err, wellFormed(terminalSafe(logging::maskSecrets(text)) + u'\n').toUtf8());
}

int Output::fail(const Error &error)
{
    const int code = exitCodeOf(error);
    if (m_json) {
        QJsonObject object { { u"kind"_s, errorKindName(error.kind) },
            { u"message"_s, logging::maskSecrets(error.message) } };
        if (!error.hint.isEmpty()) {
            object.insert(u"hint"_s, error.hint);
        }
        jsonLine(QJsonObject { { u"error"_s, object } });
    }
    note(u"deskhand-executor: "_s + error.message);
    if (!error.hint.isEmpty()) {
        note(error.hint);
    }
    return code;
}

QString terminalSafe(const QString &text)
{
    QString safe;
    safe.reserve(text.size());
    for (const QChar character : text) {
        const ushort unit = character.unicode();
        const bool control
            = character.category() == QChar::Other_Control && unit != u'\n' && unit != u'\t';
        const bool direction = (unit >= 0x202a && unit <= 0x202e)
            || (unit >= 0x2066 && unit <= 0x2069) || unit == 0x200e || unit == 0x200f;
        safe.append(control || direction ? QChar(0xfffd) : character);
    }
    return safe;
}

QString oneLine(const QString &text, qsizetype maxLength)
{
    const QString line = terminalSafe(text.simplified());
    return line.size() <= maxLength ? line
                                    : line.first(safeCut(line, maxLength - 1)) + QChar(0x2026);
}

QString timeText(qint64 ms)
{
    return ms == 0 ? QString()
                   : QDateTime::fromMSecsSinceEpoch(ms).toString(u"yyyy-MM-dd HH:mm:ss"_s);
}

} // namespace deskhand::cli
