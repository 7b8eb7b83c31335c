// SPDX-License-Identifier: Apache-2.0
#include "app/status/parts.h"

#include "app/coretext/coretext.h"
#include "app/wording.h"

using namespace Qt::StringLiterals;

namespace deskhand::app {
namespace {

using device::LinkState;
using EngineState = engines::EngineStatus::State;

/// A reconnect shorter than this is not worth a change of the icon, in milliseconds.
constexpr qint64 kReconnectGrace = 3000;
constexpr int kTooltipLimit = 120;

bool isReconnecting(LinkState state)
{
    return state == LinkState::Reconnecting || state == LinkState::Connecting;
}

} // namespace

PartView Parts::link(const StatusSnapshot &status, qint64 nowMs)
{
    const device::LinkStatus &link = status.link;
    PartView view { u"link"_s, tr("Link"), Wording::linkState(link.state),
        CoreText::translated(link.cause), Mood::Waiting, Step::None, {}, {} };
    switch (link.state) {
    case LinkState::Online:
        view.mood = Mood::Good;
        break;
    case LinkState::NotSetUp:
        if (view.cause.isEmpty()) {
            view.cause = tr("Local tasks work without a server.");
        }
        view.step = Step::OpenAccount;
        view.stepLabel = tr("Set up…");
        break;
    case LinkState::Connecting:
    case LinkState::Reconnecting:
    case LinkState::Offline:
        view.step = Step::TryNow;
        view.stepLabel = tr("Try now");
        break;
    case LinkState::SignInNeeded:
        view.mood = Mood::Problem;
        view.step = Step::OpenAccount;
        view.stepLabel = tr("Sign in again…");
        break;
    case LinkState::Refused:
    case LinkState::Conflict:
        view.mood = Mood::Problem;
        view.step = Step::TryNow;
        view.stepLabel = tr("Try now");
        break;
    case LinkState::Paused:
        view.step = Step::Resume;
        view.stepLabel = tr("Resume");
        break;
    }
    if (!link.host.isEmpty()) {
        view.details << tr("Server: %1").arg(link.host);
    }
    if (!status.deviceName.isEmpty()) {
        view.details << tr("Device: %1").arg(status.deviceName);
    }
    if (link.lastHeartbeatMs > 0) {
        view.details
            << tr("Last heartbeat: %1 ago").arg(Wording::duration(nowMs - link.lastHeartbeatMs));
    }
    if (link.nextRetryMs >= 0 && link.state != LinkState::Online) {
        view.details << tr("Next try in %1").arg(Wording::duration(link.nextRetryMs + 999));
    }
    if (link.unsent > 0) {
        view.details << tr("%n update(s) waiting to be sent", nullptr, link.unsent);
    }
    return view;
}

PartView Parts::engine(const StatusSnapshot &status)
{
    const engines::EngineStatus &engine = status.engine;
    PartView view { u"engine"_s, tr("Engine"), Wording::engineState(engine.state),
        CoreText::translated(engine.cause), Mood::Good, Step::None, {}, {} };
    switch (engine.state) {
    case EngineState::NotFound:
        view.mood = Mood::Problem;
        view.step = Step::OpenEngine;
        view.stepLabel = tr("Choose program…");
        if (view.cause.isEmpty()) {
            view.cause = tr("Codex was not found.");
        }
        break;
    case EngineState::Failed:
        view.mood = Mood::Problem;
        view.step = Step::RestartEngine;
        view.stepLabel = tr("Restart engine");
        break;
    case EngineState::Starting:
    case EngineState::Restarting:
        view.mood = Mood::Waiting;
        break;
    case EngineState::Idle:
    case EngineState::Ready:
    case EngineState::Busy:
        break;
    }
    if (!engine.version.isEmpty()) {
        view.details << tr("Version: %1").arg(engine.version);
    }
    if (!engine.path.isEmpty()) {
        view.details << tr("Program: %1").arg(engine.path);
    }
    return view;
}

PartView Parts::sandbox(const StatusSnapshot &status)
{
    const SandboxStatus &sandbox = status.sandbox;
    PartView view { u"sandbox"_s, tr("Sandbox"), Wording::sandboxState(sandbox.state),
        CoreText::translated(sandbox.cause), Mood::Waiting, Step::None, {}, {} };
    if (sandbox.state == "protected"_L1 || sandbox.state == "external"_L1) {
        view.mood = Mood::Good;
    } else if (sandbox.state == "unavailable"_L1 || sandbox.state == "reduced"_L1) {
        view.mood = sandbox.state == "unavailable"_L1 ? Mood::Problem : Mood::Waiting;
        view.step = Step::CheckSandbox;
        view.stepLabel = tr("Check again");
    }
    if (!sandbox.fix.isEmpty()) {
        view.details << tr("How to fix: %1").arg(CoreText::translated(sandbox.fix));
    }
    if (!sandbox.wall.isEmpty()) {
        view.details << tr("Built by: %1").arg(CoreText::translated(sandbox.wall));
    }
    if (sandbox.engineWall == "on"_L1) {
        view.details << tr("The engine's whole process is kept from your secrets.");
    } else if (sandbox.engineWall == "building"_L1) {
        view.details << tr("The wall around the engine's process is being built.");
    } else if (sandbox.engineWall == "impossible"_L1) {
        view.mood = qMax(view.mood, Mood::Waiting);
        view.details << tr("There is no wall around the engine's process: %1")
                            .arg(CoreText::translated(sandbox.engineWallCause));
    }
    return view;
}

PartView Parts::secrets(const StatusSnapshot &status)
{
    using settings::SecretsState;
    PartView view { u"secrets"_s, tr("Secrets"), Wording::secretsState(status.secrets), {},
        Mood::Good, Step::None, {}, {} };
    switch (status.secrets) {
    case SecretsState::Ready:
        break;
    case SecretsState::SessionOnly:
        view.cause = tr("The sign-in and keys are forgotten when you quit.");
        view.step = Step::ChooseSecretPlace;
        view.stepLabel = tr("Change…");
        break;
    case SecretsState::Locked:
        view.mood = Mood::Problem;
        view.cause = tr("The key store is locked. Unlock it to connect.");
        view.step = Step::ChooseSecretPlace;
        view.stepLabel = tr("Choose…");
        break;
    case SecretsState::Missing:
        view.mood = Mood::Problem;
        view.cause = tr("This system has no key store. Choose where to keep the sign-in.");
        view.step = Step::ChooseSecretPlace;
        view.stepLabel = tr("Choose…");
        break;
    }
    if (!status.secretsPlace.isEmpty()) {
        view.details << tr("Kept in: %1").arg(CoreText::translated(status.secretsPlace));
    }
    return view;
}

Overall Parts::overall(const StatusSnapshot &status, const Situation &situation)
{
    const device::LinkStatus &link = status.link;
    Overall overall;
    const auto problem = [&overall](const PartView &part) {
        overall.state = OverallState::Problem;
        overall.line = part.cause.isEmpty() ? u"%1: %2"_s.arg(part.name, part.state) : part.cause;
        overall.step = part.step;
        overall.stepLabel = part.stepLabel;
        return overall;
    };

    if (status.requests > 0) {
        overall.state = OverallState::NeedsYou;
        overall.badge = status.requests;
        overall.line = tr("%n request(s) waiting", nullptr, status.requests);
        return overall;
    }
    if (link.state == LinkState::SignInNeeded) {
        overall.state = OverallState::SignInNeeded;
        overall.line = tr("Sign in again");
        overall.step = Step::OpenAccount;
        overall.stepLabel = tr("Sign in again…");
        return overall;
    }
    if (status.secrets == settings::SecretsState::Locked) {
        const PartView part = secrets(status);
        overall.state = OverallState::SignInNeeded;
        overall.line = part.cause;
        overall.step = part.step;
        overall.stepLabel = part.stepLabel;
        return overall;
    }
    if (situation.draining || status.draining) {
        overall.state = OverallState::Draining;
        overall.line = tr("Finishing %n task(s) before quitting", nullptr, status.running);
        return overall;
    }
    if (status.engine.state == EngineState::Failed
        || status.engine.state == EngineState::NotFound) {
        return problem(engine(status));
    }
    if (status.sandbox.state == "unavailable"_L1) {
        return problem(sandbox(status));
    }
    if (link.state == LinkState::Refused || link.state == LinkState::Conflict) {
        return problem(Parts::link(status, situation.nowMs));
    }
    if (status.running > 0) {
        overall.state = OverallState::Working;
        overall.line = tr("%n task(s) running", nullptr, status.running);
        return overall;
    }
    if (status.paused || link.state == LinkState::Paused) {
        overall.state = OverallState::Paused;
        overall.line = situation.pausedUntilMs > 0
            ? tr("Paused until %1").arg(Wording::moment(situation.pausedUntilMs))
            : tr("Paused until you resume");
        overall.step = Step::Resume;
        overall.stepLabel = tr("Resume now");
        return overall;
    }
    if (link.state == LinkState::Offline) {
        overall.state = OverallState::Offline;
        overall.line = tr("Offline - no network");
        overall.step = Step::TryNow;
        overall.stepLabel = tr("Try now");
        return overall;
    }
    if (isReconnecting(link.state)) {
        const bool shortYet = situation.nowMs - link.sinceMs < kReconnectGrace;
        overall.state = shortYet ? OverallState::Ready : OverallState::Reconnecting;
        if (link.state == LinkState::Connecting) {
            overall.line = tr("Connecting");
        } else if (link.nextRetryMs >= 1000) {
            overall.line
                = tr("Reconnecting, next try in %1").arg(Wording::duration(link.nextRetryMs));
        } else {
            overall.line = tr("Reconnecting");
        }
        if (!shortYet) {
            overall.step = Step::TryNow;
            overall.stepLabel = tr("Try now");
        }
        return overall;
    }
    if (link.state == LinkState::NotSetUp) {
        overall.line = tr("Ready for local tasks - no server set up");
        return overall;
    }
    overall.line = tr("Ready - %1 online").arg(Wording::oneLine(status.deviceName, 40));
    return overall;
}

QString Parts::tooltip(const StatusSnapshot &status, const Overall &overall)
{
    QStringList lines { Wording::oneLine(overall.line, 60) };
    if (!status.link.host.isEmpty()) {
        lines << Wording::oneLine(u"%1@%2"_s.arg(status.deviceName, status.link.host), 36);
    }
    if (status.running + status.queued > 0 && overall.state != OverallState::Working) {
        lines << tr("%1 running, %2 queued").arg(status.running).arg(status.queued);
    } else if (status.queued > 0) {
        lines << tr("%n queued", nullptr, status.queued);
    }
    return lines.join(u'\n').left(kTooltipLimit);
}

qint64 Parts::nextChange(const StatusSnapshot &status, qint64 nowMs)
{
    if (!isReconnecting(status.link.state)) {
        return -1;
    }
    const qint64 left = kReconnectGrace - (nowMs - status.link.sinceMs);
    return left > 0 ? left : -1;
}

QString Parts::summary(const StatusSnapshot &status, qint64 nowMs)
{
    QStringList lines { u"Deskhand "_s + QStringLiteral(DESKHAND_VERSION) };
    for (const PartView &part :
        { link(status, nowMs), engine(status), sandbox(status), secrets(status) }) {
        lines << u"%1: %2"_s.arg(part.name, part.state)
                + (part.cause.isEmpty() ? QString() : u" - "_s + part.cause);
        for (const QString &detail : part.details) {
            lines << u"  "_s + detail;
        }
    }
    lines << tr("Tasks: %1 running, %2 queued; requests: %3")
                 .arg(status.running)
                 .arg(status.queued)
                 .arg(status.requests);
    for (const QString &sentence : status.problems) {
        lines << CoreText::translated(sentence);
    }
    return lines.join(u'\n');
}

} // namespace deskhand::app
