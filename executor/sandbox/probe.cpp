// SPDX-License-Identifier: Apache-2.0
#include "executor/sandbox/probe.h"

#include "executor/process/boundedrun.h"

using namespace Qt::StringLiterals;

namespace deskhand::sandbox {

struct Probe::Work
{
    process::RunControl control;
    SandboxStatus status;
};

QString sandboxStateName(SandboxState state)
{
    switch (state) {
    case SandboxState::Protected:
        return u"protected"_s;
    case SandboxState::Reduced:
        return u"reduced"_s;
    case SandboxState::Unavailable:
        return u"unavailable"_s;
    case SandboxState::External:
        return u"external"_s;
    }
    return {};
}

QJsonObject SandboxStatus::toJson() const
{
    return { { u"state"_s, sandboxStateName(state) }, { u"kind"_s, kind }, { u"cause"_s, cause },
        { u"fix"_s, fix }, { u"bwrap_path"_s, bwrapPath }, { u"bwrap_bundled"_s, bundled },
        { u"bwrap_note"_s, bwrapNote }, { u"helper_path"_s, helperPath },
        { u"landlock_abi"_s, landlockAbi }, { u"limits"_s, limits },
        { u"limits_note"_s, limitsNote }, { u"as_root"_s, asRoot },
        { u"in_container"_s, inContainer }, { u"took_ms"_s, static_cast<qint64>(took.count()) } };
}

QString SandboxStatus::wall() const
{
    if (kind != u"bwrap"_s) {
        return {};
    }
    return (bundled ? u"the bundled bubblewrap"_s : u"bubblewrap"_s)
        + (bwrapNote.isEmpty() ? QString() : u" ("_s + bwrapNote + u')');
}

QString SandboxStatus::summary() const
{
    QString text = sandboxStateName(state) + u" ("_s + kind + u')';
    if (!bwrapNote.isEmpty()) {
        text += u", built by "_s + wall();
    }
    if (!cause.isEmpty()) {
        text += u": "_s + cause;
    }
    if (!fix.isEmpty()) {
        text += u". Next: "_s + fix;
    }
    return text;
}

Probe::Probe(QObject *parent)
    : QObject(parent)
{
    m_status.kind = u"none"_s;
    m_status.cause = u"not checked yet"_s;
}

Probe::~Probe()
{
    if (m_thread) {
        m_thread->disconnect(this);
        m_work->control.cancel(std::chrono::milliseconds(0));
        m_thread->wait();
    }
}

bool Probe::isRunning() const
{
    return m_thread != nullptr;
}

void Probe::start(const ProbeOptions &options)
{
    if (m_thread) {
        return;
    }
    m_work = std::make_shared<Work>();
    m_thread.reset(QThread::create(
        [work = m_work, options] { work->status = probeOnThisSystem(options, work->control); }));
    m_thread->setObjectName(u"sandbox-probe"_s);
    connect(m_thread.get(), &QThread::finished, this, [this] {
        m_thread->wait();
        m_thread.release()->deleteLater(); // we are in its signal
        m_status = m_work->status;
        m_work.reset();
        Q_EMIT finished(m_status);
    });
    m_thread->start();
}

SandboxStatus probeBlocking(const ProbeOptions &options)
{
    process::RunControl control;
    return probeOnThisSystem(options, control);
}

} // namespace deskhand::sandbox
