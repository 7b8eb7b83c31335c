// SPDX-License-Identifier: Apache-2.0
#include "executor/process/childprocess.h"

#include "executor/process/childprocess_p.h"

#include <algorithm>

using namespace Qt::StringLiterals;

namespace deskhand::process {

QString ChildExit::describe() const
{
    return crashed ? u"killed by signal %1"_s.arg(code) : u"exit code %1"_s.arg(code);
}

ChildProcess::ChildProcess(QObject *parent)
    : QObject(parent)
{
    m_stopTimer.setSingleShot(true);
    connect(&m_stopTimer, &QTimer::timeout, this, &ChildProcess::escalate);
    m_process.setProcessChannelMode(QProcess::SeparateChannels);
    connect(&m_process, &QProcess::readyReadStandardError, this, &ChildProcess::takeErrorOutput);
    connect(&m_process, &QProcess::started, this, [this] {
        m_pid = m_process.processId();
        platform::adopt(m_pid);
        Q_EMIT started();
    });
    connect(&m_process, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart) {
            m_stopTimer.stop();
            Q_EMIT failedToStart(Error { ErrorKind::Process,
                u"%1 could not be started: %2"_s.arg(m_process.program(), m_process.errorString()),
                u"Check that the file is a program for this computer."_s });
        }
    });
    connect(&m_process, &QProcess::finished, this, [this](int code, QProcess::ExitStatus status) {
        m_stopTimer.stop();
        takeErrorOutput();
        // The leader is gone; whoever it left behind in its group goes too.
        platform::killGroup(m_pid);
        m_pid = 0;
        Q_EMIT exited(ChildExit { status == QProcess::CrashExit, code });
    });
}

ChildProcess::~ChildProcess()
{
    m_process.disconnect(this);
    if (isRunning()) {
        kill();
        m_process.waitForFinished(1'000); // only reaps: after the kill nothing can delay it
    }
}

void ChildProcess::start(const ChildSpec &spec)
{
    m_process.setProgram(spec.program);
    m_process.setArguments(spec.arguments);
    m_process.setProcessEnvironment(spec.environment);
    m_process.setWorkingDirectory(spec.workingDirectory);
    platform::prepare(m_process);
    m_process.start(QIODevice::ReadWrite);
}

void ChildProcess::takeErrorOutput()
{
    m_errorTail.append(m_process.readAllStandardError());
    if (m_errorTail.size() > kErrorTailBytes) {
        m_errorTail.remove(0, m_errorTail.size() - kErrorTailBytes);
    }
}

void ChildProcess::stop(const StopLimits &limits)
{
    if (!isRunning() || m_stopping != Stopping::No) {
        return;
    }
    m_limits = limits;
    m_stopping = Stopping::InputClosed;
    m_process.closeWriteChannel();
    m_stopTimer.start(m_limits.afterInputClosed);
}

void ChildProcess::escalate()
{
    if (m_stopping == Stopping::InputClosed) {
        m_stopping = Stopping::Terminated;
        platform::terminate(m_process.processId());
        m_stopTimer.start(m_limits.afterTerminate);
    } else {
        kill();
    }
}

void ChildProcess::kill()
{
    if (!isRunning()) {
        return;
    }
    m_stopping = Stopping::Killed;
    platform::killTree(m_process.processId());
    m_process.kill(); // also when the child died before it had a group of its own
}

} // namespace deskhand::process
