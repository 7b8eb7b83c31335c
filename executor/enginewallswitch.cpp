// SPDX-License-Identifier: Apache-2.0
#include "executor/enginewallswitch.h"

#include "executor/logging/log.h"
#include "executor/sandbox/enginewall.h"

#include <QDir>

namespace deskhand {

using namespace Qt::StringLiterals;

QString engineWallName(EngineWallSwitch::State state)
{
    switch (state) {
    case EngineWallSwitch::State::Off:
        return u"off"_s;
    case EngineWallSwitch::State::Building:
        return u"building"_s;
    case EngineWallSwitch::State::On:
        return u"on"_s;
    case EngineWallSwitch::State::Impossible:
        break;
    }
    return u"impossible"_s;
}

EngineWallSwitch::EngineWallSwitch(
    engines::codex::CodexEngine &engine, QStringList hidden, QStringList shown)
    : m_engine(engine)
    , m_hidden(std::move(hidden))
    , m_shown(std::move(shown))
{ }

EngineWallSwitch::~EngineWallSwitch()
{
    if (m_thread) {
        m_thread->disconnect(this);
        m_thread->wait();
    }
}

void EngineWallSwitch::setWanted(bool wanted, const QStringList &secretPaths)
{
    const bool same = wanted == m_wanted && (!wanted || secretPaths == m_secrets);
    m_secrets = secretPaths;
    if (same) {
        return;
    }
    m_wanted = wanted;
    if (!wanted) {
        m_engine.setWall({});
        if (!m_thread) {
            setState(State::Off, {});
        }
        return;
    }
    if (!m_thread) {
        build();
    }
}

void EngineWallSwitch::build()
{
    m_triedSecrets = m_secrets;
    setState(State::Building, {});
    const auto found = std::make_shared<Result<sandbox::EngineWall>>(
        failure(ErrorKind::Internal, u"not tried"_s));
    sandbox::EngineWall::Options options;
    options.home = QDir::homePath();
    options.hidden = m_hidden;
    options.secretPaths = m_secrets;
    options.shown = m_shown;
    m_thread.reset(
        QThread::create([found, options] { *found = sandbox::EngineWall::build(options); }));
    m_thread->setObjectName(u"engine-wall"_s);
    connect(m_thread.get(), &QThread::finished, this, [this, found] {
        m_thread->wait();
        m_thread.release()->deleteLater(); // we are in its signal
        if (!m_wanted) {
            setState(State::Off, {});
            return;
        }
        if (m_secrets != m_triedSecrets) {
            build(); // they changed meanwhile
            return;
        }
        if (!*found) {
            logging::logger("executor")
                ->warn("no wall around the engine: {}", found->error().message);
            setState(State::Impossible, found->error().message);
            return;
        }
        const auto wall = std::make_shared<sandbox::EngineWall>(**found);
        engines::codex::EngineEnclosure enclosure;
        enclosure.wrap = [wall](process::ChildSpec &spec) -> Result<> {
            spec.arguments = wall->arguments(spec.program, spec.arguments);
            spec.program = wall->program();
            return wall->verify();
        };
        enclosure.hides = [wall](const QString &path) {
            return wall->hides(path);
        };
        m_engine.setWall(enclosure);
        setState(State::On, {});
    });
    m_thread->start();
}

void EngineWallSwitch::setState(State state, const QString &cause)
{
    m_state = state;
    m_cause = cause;
    Q_EMIT changed();
}

} // namespace deskhand
