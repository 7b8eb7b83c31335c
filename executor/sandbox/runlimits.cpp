// SPDX-License-Identifier: Apache-2.0
// The limits of one run: who counts them, and what that means for its wall and its end.
#include "executor/process/sessionprocesses.h"
#include "executor/sandbox/environment.h"
#include "executor/sandbox/linuxrun.h"
#include "executor/sandbox/runsteps.h"

#include <QFile>

using namespace Qt::StringLiterals;

namespace deskhand::sandbox {

Result<> LinuxRun::setLimits()
{
    const LimitPolicy &limits = m_profile.limits;
    setRunLimits(m_spec, m_request, m_profile);
    if (Result<> counted = chooseCounter(); !counted) {
        return counted;
    }
    const bool wanted = limits.memoryBytes > 0 || limits.processes > 0;
    m_tree = std::make_unique<TreeWatch>(limits,
        m_backend == Backend::Bubblewrap ? m_policy->writableRoots() : std::vector<std::string> {},
        wanted && !kernelCounts());
    m_spec.watch = [this](qint64 pid) {
        return m_tree->check(pid);
    };
    if (m_createWatch && m_createWatch->descriptor() >= 0) {
        m_spec.watchedDescriptor = m_createWatch->descriptor();
        m_spec.watchedReady = [this] {
            const FileRights rights(m_identity);
            m_createWatch->check();
        };
    }
    m_spec.killTree = [this] {
        if (m_group) {
            m_group->kill();
        }
        if (m_backend != Backend::Bubblewrap) {
            process::killProcessesWithVariable(m_mark);
        }
    };
    m_spec.survivors = [this] {
        return m_group ? m_group->processes() : QList<qint64>();
    };
    return {};
}

/// The user's systemd where there is one: it owns the groups then. Else a group that we make.
Result<> LinuxRun::chooseCounter()
{
    const LimitPolicy &limits = m_profile.limits;
    m_scope.reset();
    m_group.reset();
    m_spec.place = {};
    m_spec.atExit = {};
    m_result.limitsBy = u"none"_s;
    if (limits.memoryBytes <= 0 && limits.processes <= 0) {
        return {};
    }
    Result<std::unique_ptr<SystemdScope>> scope = SystemdScope::plan(limits, m_request.systemd);
    if (scope) {
        m_scope = std::move(*scope);
        m_spec.readyLimit = m_request.systemd.deadline;
        m_spec.place = [this](qint64 pid) -> Result<> {
            return m_scope->check(pid).map([this](std::unique_ptr<ControlGroup> &&group) {
                m_group = std::move(group);
                m_result.limitsBy = m_group->kind();
            });
        };
        m_spec.atExit = [this] {
            if (m_group) {
                m_group->noteEvents();
            }
        };
        return {};
    }
    m_spec.readyLimit = process::RunSpec().readyLimit;
    if (scope.error().kind != ErrorKind::NotFound) {
        m_result.limitsNote = scope.error().message;
    }
    Result<std::unique_ptr<ControlGroup>> group = ControlGroup::create(limits);
    if (group) {
        m_group = std::move(*group);
        m_result.limitsBy = m_group->kind();
    } else if (m_request.cgroupRequired) {
        return failure(ErrorKind::Unavailable,
            u"limits must be counted by the kernel here, but %1"_s.arg(group.error().message));
    } else {
        m_result.limitsBy = u"rlimit"_s;
    }
    return {};
}

/// Before the wall is built again: a scope serves once. One that did not come to hold the command
/// is not asked for again, and today's other ways follow.
Result<> LinuxRun::renewCounter()
{
    if (!m_scope) {
        return {};
    }
    if (!m_scope->isPlaced()) {
        m_scope->rememberFailure(
            u"no scope of systemd: %1"_s.arg(m_result.outcome.startError.message));
    }
    return setLimits();
}

/// systemd-run takes the launcher's place and becomes it inside of the scope.
void LinuxRun::goThroughSystemd()
{
    m_spec.environment = m_environment;
    if (!m_scope) {
        return;
    }
    setVariable(m_spec.environment, SystemdScope::kVariable, m_scope->runtimeFolder());
    m_spec.arguments.prepend(m_spec.program);
    m_spec.arguments = m_scope->arguments() + m_spec.arguments;
    m_spec.program = QFile::encodeName(m_scope->program());
}

/// What the launcher does besides where a scope holds it.
QList<QByteArray> LinuxRun::scopeArguments() const
{
    if (!m_scope) {
        return {};
    }
    const QByteArray name = SystemdScope::kVariable;
    const QByteArray commands = variable(m_environment, name);
    return commands.isEmpty() ? QList<QByteArray> { "--wait", "--unset", name }
                              : QList<QByteArray> { "--wait", "--env", name + '=' + commands };
}

} // namespace deskhand::sandbox
