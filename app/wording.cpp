// SPDX-License-Identifier: Apache-2.0
#include "app/wording.h"

#include "app/coretext/coretext.h"

#include <QDateTime>
#include <QDir>
#include <QLocale>

using namespace Qt::StringLiterals;

namespace deskhand::app {

QString Wording::linkState(device::LinkState state)
{
    using device::LinkState;
    switch (state) {
    case LinkState::NotSetUp:
        return tr("Not set up");
    case LinkState::Connecting:
        return tr("Connecting");
    case LinkState::Online:
        return tr("Online");
    case LinkState::Reconnecting:
        return tr("Reconnecting");
    case LinkState::Offline:
        return tr("Offline");
    case LinkState::SignInNeeded:
        return tr("Sign-in needed");
    case LinkState::Refused:
        return tr("Refused");
    case LinkState::Conflict:
        return tr("Identity in use elsewhere");
    case LinkState::Paused:
        break;
    }
    return tr("Paused");
}

QString Wording::engineState(engines::EngineStatus::State state)
{
    using State = engines::EngineStatus::State;
    switch (state) {
    case State::NotFound:
        return tr("Not found");
    case State::Idle:
        return tr("Ready to start");
    case State::Starting:
        return tr("Starting");
    case State::Ready:
        return tr("Ready");
    case State::Busy:
        return tr("Busy");
    case State::Restarting:
        return tr("Restarting");
    case State::Failed:
        break;
    }
    return tr("Failed");
}

QString Wording::sandboxState(const QString &word)
{
    if (word == "protected"_L1) {
        return tr("Protected");
    }
    if (word == "reduced"_L1) {
        return tr("Reduced");
    }
    if (word == "unavailable"_L1) {
        return tr("Unavailable");
    }
    if (word == "external"_L1) {
        return tr("External");
    }
    return tr("Checking");
}

QString Wording::secretsState(settings::SecretsState state)
{
    using settings::SecretsState;
    switch (state) {
    case SecretsState::Ready:
        return tr("Ready", "key store");
    case SecretsState::Locked:
        return tr("Locked");
    case SecretsState::Missing:
        return tr("No key store");
    case SecretsState::SessionOnly:
        break;
    }
    return tr("This session only");
}

QString Wording::taskState(tasks::TaskState state)
{
    using tasks::TaskState;
    switch (state) {
    case TaskState::Queued:
        return tr("Queued");
    case TaskState::Preparing:
        return tr("Preparing");
    case TaskState::Running:
        return tr("Running");
    case TaskState::WaitingForYou:
        return tr("Waiting for you");
    case TaskState::Stopping:
        return tr("Stopping");
    case TaskState::Finished:
        return tr("Finished");
    case TaskState::Failed:
        return tr("Failed", "task");
    case TaskState::Stopped:
        return tr("Stopped");
    case TaskState::Interrupted:
        break;
    }
    return tr("Interrupted");
}

QString Wording::origin(tasks::Origin origin)
{
    return origin == tasks::Origin::Backend ? tr("from the server") : tr("started here");
}

QString Wording::profile(const QString &wireName)
{
    if (wireName == ":read-only"_L1) {
        return tr("Read only");
    }
    if (wireName == ":danger-full-access"_L1) {
        return tr("Full access");
    }
    if (wireName == ":workspace"_L1) {
        return tr("Workspace");
    }
    return wireName;
}

QString Wording::profileExplained(const QString &wireName)
{
    if (wireName == ":read-only"_L1) {
        return tr("Looks at files. No writing, no network.");
    }
    if (wireName == ":danger-full-access"_L1) {
        return tr("No sandbox. Commands run with all your rights.");
    }
    return tr("Writes inside the task's folder and asks for the rest.");
}

QString Wording::taskSandbox(const QString &profile, bool walled)
{
    if (profile == ":danger-full-access"_L1) {
        return tr("none");
    }
    const QString inner = profile == ":read-only"_L1
        ? tr("the engine's: commands write nothing and have no network")
        : tr("the engine's: commands write in the folder and have no network");
    return walled ? tr("%1; your secrets are hidden from the engine too").arg(inner) : inner;
}

bool Wording::isOneGrant(const engines::PermissionRequest &request)
{
    using engines::RequestKind;
    // As the task's commands ask after a denial: with the command, for one thing.
    switch (request.kind) {
    case RequestKind::FileChange:
        return !request.command.isEmpty() && !request.grantRoot.isEmpty();
    case RequestKind::Permissions:
        return !request.command.isEmpty() && request.grantsAsked.value("read"_L1).isString();
    case RequestKind::Network:
        return request.summary.endsWith(" and try again"_L1);
    case RequestKind::Command:
    case RequestKind::Question:
    case RequestKind::ToolServer:
        break;
    }
    return false;
}

QString Wording::requestSentence(const engines::PermissionRequest &request)
{
    using engines::RequestKind;
    if (isOneGrant(request)) {
        switch (request.kind) {
        case RequestKind::FileChange:
            return tr("Let the command write to %1 and try again")
                .arg(oneLine(request.grantRoot, 80));
        case RequestKind::Permissions:
            return tr("Let the command read %1 and try again")
                .arg(oneLine(request.grantsAsked.value("read"_L1).toString(), 80));
        default:
            return tr("Let the command reach %1 and try again").arg(oneLine(request.host, 80));
        }
    }
    switch (request.kind) {
    case RequestKind::Command:
        return tr("Run a command outside the sandbox");
    case RequestKind::FileChange:
        return tr("Change %n file(s)", nullptr, static_cast<int>(request.files.size()));
    case RequestKind::Permissions:
        return tr("Give this turn more access");
    case RequestKind::Network:
        return tr("Reach %1 over the network").arg(oneLine(request.host, 80));
    case RequestKind::Question:
        return request.questions.size() == 1
            ? tr("Answer a question")
            : tr("Answer %n question(s)", nullptr, static_cast<int>(request.questions.size()));
    case RequestKind::ToolServer:
        break;
    }
    return tr("%1 asks to use %2").arg(oneLine(request.server, 40), oneLine(request.tool, 60));
}

QString Wording::requestClosed(
    engines::RequestOutcome outcome, const QString &by, const QString &reason)
{
    using engines::RequestOutcome;
    QString where = oneLine(by, 60);
    if (by == "owner"_L1) {
        where = tr("here");
    } else if (by == "command line"_L1) {
        where = tr("on the command line");
    } else if (by == "rule"_L1) {
        where = tr("by an earlier decision");
    } else if (by == "backend"_L1) {
        where = tr("on the web");
    }
    switch (outcome) {
    case RequestOutcome::Allowed:
        return tr("Answered %1: allowed once").arg(where);
    case RequestOutcome::AllowedForTask:
        return tr("Answered %1: allowed for this task").arg(where);
    case RequestOutcome::Denied:
        return tr("Answered %1: denied").arg(where);
    case RequestOutcome::Expired:
        return tr("Denied: nobody answered in time");
    case RequestOutcome::Withdrawn:
        break;
    }
    return reason.isEmpty() ? tr("This request is no longer waiting")
                            : tr("This request is no longer waiting: %1")
                                  .arg(oneLine(CoreText::translated(reason), 120));
}

QString Wording::model(const QString &description)
{
    // The address and the format hold no blanks, whatever the model's id holds.
    const qsizetype format = description.lastIndexOf(" ("_L1);
    const qsizetype place = format < 0 ? -1 : description.lastIndexOf(" at "_L1, format);
    if (place < 0 || !description.endsWith(u')')) {
        return description;
    }
    return tr("%1 at %2 (%3)", "model, address, format")
        .arg(description.first(place), description.sliced(place + 4, format - place - 4),
            description.sliced(format + 2).chopped(1));
}

QString Wording::risk(const QString &word)
{
    static const struct
    {
        QLatin1StringView word;
        const char *text;
    } kRisks[] = {
        { "deletes files"_L1, QT_TR_NOOP("Deletes files") },
        { "uses administrator rights"_L1, QT_TR_NOOP("Uses administrator rights") },
        { "downloads and runs code"_L1, QT_TR_NOOP("Downloads and runs code") },
        { "touches a protected name"_L1, QT_TR_NOOP("Touches a protected name") },
        { "touches protected name"_L1, QT_TR_NOOP("Touches a protected name") },
        { "cannot be understood completely"_L1, QT_TR_NOOP("Cannot be understood completely") },
        { "sandbox is not available"_L1, QT_TR_NOOP("The sandbox is not available") },
    };
    for (const auto &known : kRisks) {
        if (word.compare(known.word, Qt::CaseInsensitive) == 0) {
            return tr(known.text);
        }
    }
    QString shown = oneLine(word, 80);
    if (!shown.isEmpty()) {
        shown[0] = shown[0].toUpper();
    }
    return shown;
}

QString Wording::duration(qint64 ms)
{
    const int seconds = static_cast<int>(qMax<qint64>(0, ms) / 1000);
    if (seconds < 60) {
        return tr("%1 s").arg(seconds);
    }
    const int minutes = seconds / 60;
    if (minutes < 60) {
        return tr("%1 min").arg(minutes);
    }
    return tr("%1 h %2 min").arg(minutes / 60).arg(minutes % 60);
}

QString Wording::moment(qint64 msSinceEpoch)
{
    const QDateTime when = QDateTime::fromMSecsSinceEpoch(msSinceEpoch);
    const QLocale locale;
    if (when.date() == QDate::currentDate()) {
        return locale.toString(when.time(), QLocale::ShortFormat);
    }
    return locale.toString(when, QLocale::ShortFormat);
}

QString Wording::failure(const Error &error)
{
    return CoreText::failure(error);
}

QString Wording::oneLine(const QString &text, int limit)
{
    QString line;
    line.reserve(qMin<qsizetype>(text.size(), limit * 4));
    for (const QChar c : text) {
        if (c.isSpace()) {
            line += u' ';
        } else if (c.category() != QChar::Other_Control && c.category() != QChar::Other_Format) {
            line += c;
        }
        if (line.size() > 4 * limit + 1000) {
            break; // a title of megabytes: only its beginning is looked at
        }
    }
    line = line.simplified();
    if (line.size() <= limit) {
        return line;
    }
    qsizetype head = (limit - 1) / 2;
    qsizetype tail = line.size() - (limit - 1 - head);
    if (line.at(head - 1).isHighSurrogate()) {
        --head;
    }
    if (line.at(tail).isLowSurrogate()) {
        ++tail;
    }
    return line.left(head) + u'…' + line.mid(tail);
}

QString Wording::menuLine(const QString &text, int limit)
{
    return oneLine(text, limit).replace(u'&', "&&"_L1);
}

QString Wording::folderName(const QString &path)
{
    const QString name = QDir(path).dirName();
    return name.isEmpty() ? path : name;
}

} // namespace deskhand::app
