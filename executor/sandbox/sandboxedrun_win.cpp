// SPDX-License-Identifier: Apache-2.0
// The Windows run: a request becomes a plan (windows/plan), a plan becomes a process
// (windows/containedprocess), which is followed to its end (windows/containedrun). Only what needs
// Qt is here.
#include "executor/common/ids.h"
#include "executor/process/boundedrun_win.h"
#include "executor/sandbox/environment.h"
#include "executor/sandbox/sandboxedrun.h"
#include "executor/sandbox/windows/containedrun.h"
#include "executor/sandbox/windows/plan.h"

#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QFileInfo>
#include <QLockFile>
#include <QSaveFile>
#include <QStandardPaths>
#include <QTemporaryDir>

using namespace Qt::StringLiterals;

namespace deskhand::sandbox {

namespace {

QString journalFolder()
{
    return QDir(QStandardPaths::writableLocation(QStandardPaths::AppLocalDataLocation))
        .filePath(u"sandbox-access"_s);
}

/// A journal of access list changes, in a file of its own.
windows::AclDevice deviceFor(const QString &file)
{
    windows::AclDevice device;
    device.apply = windows::applyAccess;
    device.revoke = windows::revokeAccess;
    device.store = [file](const std::string &text) {
        QSaveFile out(file);
        return out.open(QIODevice::WriteOnly)
            && out.write(text.data(), static_cast<qint64>(text.size()))
            == static_cast<qint64>(text.size())
            && out.commit();
    };
    device.load = [file] {
        QFile in(file);
        return in.open(QIODevice::ReadOnly) ? in.readAll().toStdString() : std::string();
    };
    return device;
}

/// Undoes what killed programs left. Whoever still runs holds the lock beside his journal.
void recoverJournals()
{
    QDirIterator files(journalFolder(), { u"*.journal"_s }, QDir::Files);
    while (files.hasNext()) {
        const QString file = files.next();
        QLockFile lock(file + u".lock"_s);
        if (lock.tryLock(0) && windows::AclJournal(deviceFor(file)).recover()) {
            QFile::remove(file);
        }
    }
}

/// One run, on the stack of runSandboxed.
class WindowsRun final
{
public:
    WindowsRun(
        const SandboxRequest &request, process::RunControl &control, const SandboxHooks &hooks)
        : m_request(request)
        , m_control(control)
        , m_hooks(hooks)
        , m_container(u"deskhand-"_s + randomHex(12))
    { }
    ~WindowsRun() { cleanUp(); }
    Q_DISABLE_COPY_MOVE(WindowsRun)

    SandboxResult run()
    {
        const windows::Plan plan = windows::makePlan(planRequest(), facts());
        for (const std::string &note : plan.notes) {
            m_result.notes.append(QString::fromStdString(note));
        }
        m_result.backend = backendName(plan);
        m_result.limitsBy = u"job"_s;
        if (plan.verdict != windows::Plan::Verdict::Run) {
            return refuse(plan.verdict == windows::Plan::Verdict::Unavailable
                    ? ErrorKind::Unavailable
                    : ErrorKind::Policy,
                QString::fromStdString(plan.reason));
        }
        if (!prepare(plan)) {
            return refuse(ErrorKind::Unavailable,
                u"the access lists of the task's folders could not be changed"_s);
        }
        windows::ContainedProcess process;
        if (!process.start(plan.spec)) {
            return refuse(ErrorKind::Unavailable, QString::fromStdString(process.error()));
        }
        follow(process);
        return std::move(m_result);
    }

private:
    SandboxResult refuse(ErrorKind kind, const QString &message)
    {
        m_result.error = { kind, message,
            kind == ErrorKind::Unavailable
                ? u"run \"deskhand-executor sandbox probe\" for details"_s
                : QString() };
        m_result.endedBy = kind == ErrorKind::Unavailable ? EndedBy::Unavailable : EndedBy::Refused;
        m_result.outcome.end = process::RunEnd::NotStarted;
        m_result.outcome.startError = m_result.error;
        return std::move(m_result);
    }

    static QString backendName(const windows::Plan &plan)
    {
        switch (plan.spec.isolation) {
        case windows::Isolation::AppContainer:
            return u"appcontainer"_s;
        case windows::Isolation::RestrictedToken:
            return u"wintoken"_s;
        case windows::Isolation::JobOnly:
            break;
        }
        return u"none"_s;
    }

    windows::PlanFacts facts() const
    {
        windows::PlanFacts facts;
        facts.longName = windows::longPathName;
        facts.exists = [](const std::wstring &path) {
            return QFileInfo::exists(QString::fromStdWString(path));
        };
        facts.findProgram = [](const std::wstring &name) {
            const QString wanted = QString::fromStdWString(name);
            const QString found = QFileInfo(wanted).isAbsolute() && QFileInfo(wanted).isFile()
                ? wanted
                : QStandardPaths::findExecutable(wanted);
            return QDir::toNativeSeparators(found).toStdWString();
        };
        facts.containerSid = [](const std::wstring &name) {
            std::string error;
            return windows::appContainerSid(name, error);
        };
        return facts;
    }

    windows::PlanRequest planRequest()
    {
        const PermissionProfile &profile = m_request.profile;
        windows::PlanRequest plan;
        for (const QByteArray &word : m_request.command) {
            plan.command.push_back(QString::fromUtf8(word).toStdWString());
        }
        plan.directory = QDir::toNativeSeparators(m_request.directory).toStdWString();
        plan.enforcement
            = static_cast<windows::PlanRequest::Enforcement>(static_cast<int>(profile.enforcement));
        plan.network
            = static_cast<windows::PlanRequest::Network>(static_cast<int>(profile.network.mode));
        plan.containerName = m_container.toStdWString();
        plan.memoryBytes = static_cast<std::uint64_t>(profile.limits.memoryBytes);
        plan.processes = static_cast<std::uint32_t>(profile.limits.processes);
        if (m_request.terminal) {
            plan.terminal = true;
            plan.rows = static_cast<short>(m_request.terminal->rows);
            plan.columns = static_cast<short>(m_request.terminal->columns);
        }
        for (const FileRule &rule : profile.files.rules) {
            addRule(plan, rule);
        }
        for (const QString &path : m_request.grantedReadable) {
            addPath(plan, path, Access::Read);
        }
        for (const QString &path : m_request.grantedWritable) {
            addPath(plan, path, Access::Write);
        }
        for (const QString &path : profile.files.secretPaths + profile.files.ownerSecrets) {
            if (path.startsWith(u"~/"_s) || path.mid(1).startsWith(u":"_s)) {
                addPath(plan, path, Access::Deny);
            }
        }
        for (const QString &name : profile.files.protectedNames) {
            plan.protectedNames.push_back(name.toStdWString());
        }
        if (profile.enforcement == Enforcement::Managed && profile.files.scratch == Scratch::Private
            && m_scratch.isValid()) {
            plan.scratch = QDir::toNativeSeparators(m_scratch.path()).toStdWString();
        }
        plan.environment = environment(plan);
        return plan;
    }

    void addRule(windows::PlanRequest &plan, const FileRule &rule)
    {
        switch (rule.target.kind) {
        case RuleTarget::Kind::Root:
            plan.readsWholeDisk = plan.readsWholeDisk || rule.access == Access::Read;
            plan.writesWholeDisk = plan.writesWholeDisk || rule.access == Access::Write;
            return;
        case RuleTarget::Kind::Minimal:
            return; // every AppContainer may read the system
        case RuleTarget::Kind::WorkspaceRoots: {
            const QStringList roots = m_request.workspaceRoots.isEmpty()
                ? QStringList(m_request.directory)
                : m_request.workspaceRoots;
            for (const QString &root : roots) {
                addPath(plan, rule.target.path.isEmpty() ? root : root + u'/' + rule.target.path,
                    rule.access);
            }
            return;
        }
        case RuleTarget::Kind::TemporaryFolder:
        case RuleTarget::Kind::SlashTmp:
            addPath(plan, QDir::tempPath(), rule.access);
            return;
        case RuleTarget::Kind::Path:
        case RuleTarget::Kind::Glob:
            addPath(plan, rule.target.path, rule.access);
            return;
        case RuleTarget::Kind::Unknown:
            m_result.notes.append(u"an unknown rule was ignored: %1"_s.arg(rule.target.path));
            return;
        }
    }

    static void addPath(windows::PlanRequest &plan, const QString &path, Access access)
    {
        const QString absolute = path.startsWith(u"~/"_s) ? QDir::homePath() + path.mid(1) : path;
        plan.rules.push_back({ QDir::toNativeSeparators(absolute).toStdWString(),
            static_cast<windows::PlanRule::Access>(static_cast<int>(access)) });
    }

    std::vector<std::wstring> environment(const windows::PlanRequest &plan) const
    {
        // Names know no case here, and the policy's patterns are upper case.
        QList<QByteArray> inherited;
        const QList<QByteArray> own = m_request.inheritedEnvironment.isEmpty()
            ? currentEnvironment()
            : m_request.inheritedEnvironment;
        for (const QByteArray &entry : own) {
            const qsizetype equals = entry.indexOf('=');
            inherited.append(entry.left(equals).toUpper() + entry.mid(equals));
        }
        EnvironmentMarkers markers;
        markers.sandbox
            = m_request.profile.enforcement == Enforcement::Managed ? u"wintoken"_s : u"none"_s;
        markers.network = m_request.profile.network.mode;
        markers.profile = m_request.profile.id;
        QList<QByteArray> result = commandEnvironment(
            inherited, m_request.profile.environment, m_request.environment, markers);
        // Without these no program starts.
        for (const char *name : { "SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT",
                 "PATH", "USERPROFILE", "NUMBER_OF_PROCESSORS", "PROCESSOR_ARCHITECTURE" }) {
            const QByteArray value = variable(inherited, name);
            if (!value.isEmpty() && variable(result, name).isEmpty()) {
                setVariable(result, name, value);
            }
        }
        if (!plan.scratch.empty()) {
            const QByteArray scratch = QString::fromStdWString(plan.scratch).toUtf8();
            setVariable(result, "TEMP", scratch);
            setVariable(result, "TMP", scratch);
        }
        std::vector<std::wstring> wide;
        for (const QByteArray &entry : std::as_const(result)) {
            wide.push_back(QString::fromUtf8(entry).toStdWString());
        }
        return wide;
    }

    /// Guards and access lists. What it did is undone by cleanUp(), or by the next start.
    bool prepare(const windows::Plan &plan)
    {
        m_contained = plan.spec.isolation == windows::Isolation::AppContainer;
        if (plan.changes.empty()) {
            return true;
        }
        recoverJournals();
        const QString file = QDir(journalFolder()).filePath(m_container + u".journal"_s);
        if (!QDir().mkpath(journalFolder())) {
            return false;
        }
        m_journalLock = std::make_unique<QLockFile>(file + u".lock"_s);
        m_journalLock->setStaleLockTime(0);
        if (!m_journalLock->tryLock(0)) {
            return false;
        }
        m_journalFile = file;
        m_journal = std::make_unique<windows::AclJournal>(deviceFor(file));
        for (const std::wstring &guard : plan.guards) {
            const QString path = QString::fromStdWString(guard);
            if (!QDir().mkdir(path)) {
                return false;
            }
            m_guards.append(path);
        }
        return m_journal->apply(plan.changes);
    }

    void cleanUp()
    {
        if (m_journal && m_journal->undoAll()) {
            QFile::remove(m_journalFile);
        }
        for (const QString &guard : std::as_const(m_guards)) {
            QDir().rmdir(guard); // only an empty one goes
        }
        m_journal.reset();
        m_journalLock.reset();
        if (m_contained) {
            windows::deleteAppContainer(m_container.toStdWString());
        }
    }

    void follow(windows::ContainedProcess &process)
    {
        process::RunOutcome &outcome = m_result.outcome;
        const LimitPolicy &limits = m_request.profile.limits;
        outcome.output.retained = process::HeadTailBuffer(limits.outputBytes);
        outcome.error.retained
            = process::HeadTailBuffer(m_request.terminal ? 0 : limits.outputBytes);
        outcome.merged = process::HeadTailBuffer(limits.outputBytes);
        if (!m_request.openInput && !m_request.terminal) {
            process.closeInput();
        }
        windows::RunSetup setup;
        setup.wallMilliseconds = static_cast<std::uint32_t>(limits.wall.count());
        setup.graceMilliseconds = static_cast<std::uint32_t>(limits.grace.count());
        setup.wake = process::RunLoop::wakeHandle(m_control);
        setup.orders = [this] {
            const process::RunLoop::Orders taken = process::RunLoop::take(m_control);
            windows::RunOrders orders;
            orders.cancel = taken.cancel;
            orders.limit = taken.limit.toStdString();
            orders.input = taken.input.toStdString();
            orders.closeInput = taken.closeInput;
            if (taken.size) {
                orders.rows = static_cast<short>(taken.size->rows);
                orders.columns = static_cast<short>(taken.size->columns);
            }
            return orders;
        };
        setup.written = [this](size_t size) {
            process::RunLoop::written(m_control, static_cast<qint64>(size));
        };
        setup.sink = [this, &outcome](bool error, const char *data, size_t size) {
            const auto bytes = static_cast<qint64>(size);
            (error ? outcome.error : outcome.output).retained.append(data, bytes);
            outcome.merged.append(data, bytes);
            if (m_hooks.output) {
                m_hooks.output(
                    error ? process::Stream::Error : process::Stream::Output, data, bytes);
            }
        };
        take(windows::follow(process, setup));
    }

    void take(const windows::RunEnding &ending)
    {
        using Why = windows::RunEnding::Why;
        process::RunOutcome &outcome = m_result.outcome;
        outcome.exitCode = static_cast<int>(ending.exitCode);
        outcome.limit = QString::fromStdString(ending.limit);
        outcome.wall = std::chrono::milliseconds(ending.wallMilliseconds);
        outcome.cpu = std::chrono::microseconds(ending.use.cpuMicroseconds);
        outcome.peakMemory = static_cast<qint64>(ending.use.peakMemory);
        switch (ending.why) {
        case Why::Exited:
            outcome.end = process::RunEnd::Exited;
            m_result.endedBy = EndedBy::Command;
            break;
        case Why::TimedOut:
            outcome.end = process::RunEnd::TimedOut;
            m_result.endedBy = EndedBy::Timeout;
            break;
        case Why::Cancelled:
            outcome.end = process::RunEnd::Cancelled;
            m_result.endedBy = EndedBy::Cancel;
            break;
        case Why::Limit:
            outcome.end = process::RunEnd::Limit;
            m_result.endedBy = EndedBy::Limit;
            break;
        }
    }

    const SandboxRequest &m_request;
    process::RunControl &m_control;
    const SandboxHooks &m_hooks;
    SandboxResult m_result;
    QString m_container;
    QTemporaryDir m_scratch;
    QStringList m_guards;
    QString m_journalFile;
    std::unique_ptr<QLockFile> m_journalLock;
    std::unique_ptr<windows::AclJournal> m_journal;
    bool m_contained = false;
};

} // namespace

SandboxResult runSandboxed(
    const SandboxRequest &request, process::RunControl &control, const SandboxHooks &hooks)
{
    return WindowsRun(request, control, hooks).run();
}

} // namespace deskhand::sandbox
