// SPDX-License-Identifier: Apache-2.0
#include "executor/sandbox/runreport.h"

#include "executor/process/displaytext.h"

#include <QJsonArray>
#include <QStringDecoder>

using namespace Qt::StringLiterals;

namespace deskhand::sandbox {

namespace {

void addStream(
    QJsonObject &object, const QString &name, const process::StreamRecord &record, bool display)
{
    const QByteArray bytes = record.retained.joined();
    QStringDecoder decoder(QStringDecoder::Utf8);
    const QString text = decoder.decode(bytes);
    object.insert(name, display ? process::displayText(bytes) : text);
    if (decoder.hasError()) {
        object.insert(name + u"_base64"_s, QString::fromLatin1(bytes.toBase64()));
    }
    object.insert(name + u"_bytes"_s, record.retained.total());
    object.insert(name + u"_omitted_bytes"_s, record.retained.omitted());
    if (!record.spoolFile.isEmpty()) {
        object.insert(name + u"_spool"_s, record.spoolFile);
    }
}

} // namespace

QJsonObject denialToJson(const Denial &denial)
{
    return { { u"grade"_s, denialGradeName(denial.grade) },
        { u"kind"_s, denialKindName(denial.kind) }, { u"target"_s, denial.target },
        { u"reason"_s, denial.reason }, { u"offers_retry"_s, denial.offersRetry() } };
}

QJsonObject resultToJson(const SandboxResult &result, bool display)
{
    const process::RunOutcome &outcome = result.outcome;
    const bool started = outcome.end != process::RunEnd::NotStarted;
    QJsonObject object {
        { u"ended_by"_s, endedByName(result.endedBy) },
        { u"exit_status"_s, result.exitStatus() },
        { u"exit_code"_s,
            started && outcome.signal == 0 ? QJsonValue(outcome.exitCode) : QJsonValue() },
        { u"signal"_s, outcome.signal != 0 ? QJsonValue(outcome.signal) : QJsonValue() },
        { u"limit"_s, outcome.limit.isEmpty() ? QJsonValue() : QJsonValue(outcome.limit) },
        { u"timed_out"_s, result.endedBy == EndedBy::Timeout },
        { u"cancelled"_s, result.endedBy == EndedBy::Cancel },
        { u"refused"_s,
            result.endedBy == EndedBy::Refused || result.endedBy == EndedBy::Unavailable },
        { u"truncated"_s, outcome.truncated() },
        { u"wall_ms"_s, static_cast<qint64>(outcome.wall.count()) },
        { u"cpu_ms"_s, static_cast<qint64>(outcome.cpu.count() / 1000) },
        { u"peak_memory_bytes"_s, outcome.peakMemory },
        { u"sandbox"_s, result.backend },
        { u"bubblewrap"_s, result.bubblewrap },
        { u"bubblewrap_note"_s, result.bubblewrapNote },
        { u"limits_by"_s, result.limitsBy },
        { u"limits_note"_s, result.limitsNote },
        { u"watched_changed"_s, QJsonArray::fromStringList(result.watchedChanged) },
        { u"violations"_s, QJsonArray::fromStringList(result.violations) },
        { u"new_repositories"_s, QJsonArray::fromStringList(result.newRepositories) },
        { u"hard_linked"_s, QJsonArray::fromStringList(result.linkedOutside) },
        { u"notes"_s, QJsonArray::fromStringList(result.notes) },
        { u"grew_much"_s, result.grewMuch },
    };
    addStream(object, u"stdout"_s, outcome.output, display);
    addStream(object, u"stderr"_s, outcome.error, display);
    QJsonArray denials;
    for (const Denial &denial : result.denials) {
        denials.append(denialToJson(denial));
    }
    object.insert(u"denials"_s, denials);
    QJsonArray survivors;
    for (const qint64 pid : outcome.survivors) {
        survivors.append(pid);
    }
    object.insert(u"survivors"_s, survivors);
    if (!result.error.message.isEmpty()) {
        object.insert(u"error"_s,
            QJsonObject { { u"kind"_s, errorKindName(result.error.kind) },
                { u"message"_s, result.error.message }, { u"hint"_s, result.error.hint } });
    }
    return object;
}

QStringList resultNotes(const SandboxResult &result)
{
    QStringList notes;
    const auto withHint = [&result](const QString &what) {
        return result.error.hint.isEmpty() ? what : what + u"; "_s + result.error.hint;
    };
    switch (result.endedBy) {
    case EndedBy::Command:
        break;
    case EndedBy::Timeout:
        notes.append(u"timed out after %1 ms"_s.arg(result.outcome.wall.count()));
        break;
    case EndedBy::Cancel:
        notes.append(u"cancelled"_s);
        break;
    case EndedBy::Limit:
        notes.append(u"stopped by the limit \"%1\""_s.arg(result.outcome.limit));
        break;
    case EndedBy::Refused:
        notes.append(withHint(u"refused: %1"_s.arg(result.error.message)));
        break;
    case EndedBy::Unavailable:
        notes.append(withHint(u"unavailable: %1"_s.arg(result.error.message)));
        break;
    }
    if (result.endedBy == EndedBy::Command && !result.outcome.limit.isEmpty()) {
        notes.append(u"the limit \"%1\" was reached"_s.arg(result.outcome.limit));
    }
    for (const Denial &denial : result.denials) {
        if (denial.grade != DenialGrade::Possible) {
            notes.append(denial.reason);
        }
    }
    for (const QString &path : result.newRepositories) {
        notes.append(
            u"a new repository appeared at %1; git work ignores it until you approve it"_s.arg(
                path));
    }
    for (const QString &path : result.linkedOutside) {
        notes.append(
            u"%1 changed and has other names (hard links), which changed with it"_s.arg(path));
    }
    for (const QString &path : result.watchedChanged) {
        notes.append(u"%1 changed"_s.arg(path));
    }
    for (const qint64 pid : result.outcome.survivors) {
        notes.append(u"process %1 could not be ended"_s.arg(pid));
    }
    notes.append(result.notes);
    return notes;
}

} // namespace deskhand::sandbox
