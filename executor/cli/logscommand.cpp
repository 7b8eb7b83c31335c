// SPDX-License-Identifier: Apache-2.0
#include "executor/cli/logscommand.h"

#include "executor/cli/exitcodes.h"

#include <QFileInfo>
#include <QJsonObject>
#include <QRegularExpression>

namespace deskhand::cli {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

const QStringList kLevelWords { u"trace"_s, u"debug"_s, u"info"_s, u"warn"_s, u"error"_s };
/// Letters of the log file in the same order; critical counts as error.
constexpr QStringView kLevelLetters = u"TDIWEC";
constexpr int kError = 4;
constexpr auto kPollInterval = 250ms;
constexpr qint64 kChunk = 256 * 1024;
constexpr qsizetype kMaxPartial = 4 * 1024 * 1024;
/// How far back from the end is looked at.
constexpr qint64 kMaxTail = 16LL * 1024 * 1024;

} // namespace

LogFileLine readLogLine(const QString &line)
{
    static const QRegularExpression form(
        u"^(\\d{4}-\\d\\d-\\d\\dT\\S+) ([TDIWEC]) ([^ :]+): (.*)$"_s,
        QRegularExpression::DotMatchesEverythingOption);
    const QRegularExpressionMatch match = form.match(line);
    if (!match.hasMatch()) {
        return LogFileLine { {}, -1, {}, line };
    }
    const auto letter = static_cast<int>(kLevelLetters.indexOf(match.capturedView(2).front()));
    return LogFileLine { match.captured(1), qMin(letter, kError), match.captured(3),
        match.captured(4) };
}

LogsCommand::LogsCommand(Invocation given, ExecutorHome home, Output &output)
    : Command(std::move(given), std::move(home), output)
{
    connect(&m_poll, &QTimer::timeout, this, &LogsCommand::readRest);
}

Result<> LogsCommand::readOptions()
{
    if (invocation().has("lines"_L1)) {
        bool ok = false;
        m_lines = invocation().value("lines"_L1).toInt(&ok);
        if (!ok || m_lines < 0 || m_lines > 1'000'000) {
            return failure(ErrorKind::Usage, u"--lines must be a whole number from 0 to 1000000"_s);
        }
    }
    if (invocation().has("level"_L1)) {
        m_level = static_cast<int>(kLevelWords.indexOf(invocation().value("level"_L1).toLower()));
        if (m_level < 0) {
            return failure(ErrorKind::Usage,
                u"--level must be one of %1, not \"%2\""_s.arg(
                    kLevelWords.join(u", "_s), invocation().value("level"_L1)));
        }
    }
    m_source = invocation().value("source"_L1);
    return {};
}

void LogsCommand::start()
{
    if (const Result<> options = readOptions(); !options) {
        fail(options.error());
        return;
    }
    m_file.setFileName(home().logFile());
    if (!m_file.open(QIODevice::ReadOnly)) {
        if (!invocation().has("follow"_L1) || m_file.exists()) {
            fail(Error { ErrorKind::NotFound,
                u"there is no log yet: %1: %2"_s.arg(m_file.fileName(), m_file.errorString()),
                u"Start the executor with: deskhand-executor run"_s });
            return;
        }
    } else {
        m_file.seek(qMax<qint64>(0, m_file.size() - kMaxTail));
        QList<std::pair<QString, LogFileLine>> tail;
        while (!m_file.atEnd()) {
            QByteArray bytes = m_file.readLine();
            if (!bytes.endsWith('\n')) {
                m_partial = bytes; // being written right now
                break;
            }
            bytes.chop(1);
            const QString raw = QString::fromUtf8(bytes);
            const LogFileLine line = readLogLine(raw);
            if (wanted(line)) {
                tail.append({ raw, line });
                if (tail.size() > m_lines) {
                    tail.removeFirst();
                }
            }
        }
        for (const auto &[raw, line] : tail) {
            print(raw, line);
        }
    }
    if (invocation().has("follow"_L1)) {
        m_poll.start(kPollInterval);
    } else {
        finish(kOk);
    }
}

bool LogsCommand::wanted(const LogFileLine &line)
{
    if (line.level >= 0) {
        m_lastWanted = line.level >= m_level
            && (m_source.isEmpty() || line.source == m_source
                || line.source.startsWith(m_source + u'.'));
    }
    return m_lastWanted;
}

void LogsCommand::print(const QString &raw, const LogFileLine &line)
{
    if (!output().json()) {
        output().line(raw);
        return;
    }
    QJsonObject object { { u"text"_s, line.text } };
    if (line.level >= 0) {
        object.insert(u"time"_s, line.time);
        object.insert(u"level"_s, kLevelWords.at(line.level));
        object.insert(u"source"_s, line.source);
    }
    output().jsonLine(object);
}

void LogsCommand::readRest()
{
    const QFileInfo now(home().logFile());
    // Rotation puts a new, shorter file in its place.
    if (m_file.isOpen() && now.exists() && now.size() < m_file.pos()) {
        m_file.close();
        m_partial.clear();
    }
    if (!m_file.isOpen() && !m_file.open(QIODevice::ReadOnly)) {
        return;
    }
    for (QByteArray chunk = m_file.read(kChunk); !chunk.isEmpty(); chunk = m_file.read(kChunk)) {
        m_partial += chunk;
        for (qsizetype end = m_partial.indexOf('\n'); end >= 0; end = m_partial.indexOf('\n')) {
            const QString raw = QString::fromUtf8(m_partial.first(end));
            m_partial.remove(0, end + 1);
            const LogFileLine line = readLogLine(raw);
            if (wanted(line)) {
                print(raw, line);
            }
        }
        if (m_partial.size() > kMaxPartial) {
            m_partial.clear();
        }
    }
}

} // namespace deskhand::cli
