// SPDX-License-Identifier: Apache-2.0
#include "executor/sandbox/windows/containedprocess.h"

#include "executor/sandbox/windows/acljournal.h"
#include "executor/sandbox/windows/names.h"

// The header order is Windows': the base header must come first.
// clang-format off
#include <windows.h>
#include <aclapi.h>
#include <sddl.h>
#include <userenv.h>
// clang-format on

#include <array>

namespace deskhand::sandbox::windows {

namespace {

/// A handle that closes itself.
class Handle final
{
public:
    Handle() = default;
    explicit Handle(HANDLE handle)
        : m_handle(handle)
    { }
    ~Handle() { reset(); }
    Handle(const Handle &) = delete;
    Handle &operator=(const Handle &) = delete;

    [[nodiscard]] HANDLE get() const { return m_handle; }
    [[nodiscard]] HANDLE *address() { return &m_handle; }
    void reset(HANDLE handle = nullptr)
    {
        if (m_handle != nullptr && m_handle != INVALID_HANDLE_VALUE) {
            CloseHandle(m_handle);
        }
        m_handle = handle;
    }

private:
    HANDLE m_handle = nullptr;
};

std::string lastError(const char *what)
{
    return std::string(what) + " failed with error " + std::to_string(GetLastError());
}

bool makePipe(Handle &reading, Handle &writing, bool childReads)
{
    SECURITY_ATTRIBUTES attributes { sizeof attributes, nullptr, TRUE };
    if (CreatePipe(reading.address(), writing.address(), &attributes, 0) == 0) {
        return false;
    }
    // Ours does not go over; the child's is in the explicit list.
    return SetHandleInformation(childReads ? writing.get() : reading.get(), HANDLE_FLAG_INHERIT, 0)
        != 0;
}

/// The attribute list of CreateProcess, with the memory it needs.
class AttributeList final
{
public:
    explicit AttributeList(DWORD count)
    {
        SIZE_T size = 0;
        InitializeProcThreadAttributeList(nullptr, count, 0, &size);
        m_memory.resize(size);
        m_list = reinterpret_cast<LPPROC_THREAD_ATTRIBUTE_LIST>(m_memory.data());
        m_good = InitializeProcThreadAttributeList(m_list, count, 0, &size) != 0;
    }
    ~AttributeList()
    {
        if (m_good) {
            DeleteProcThreadAttributeList(m_list);
        }
    }
    AttributeList(const AttributeList &) = delete;
    AttributeList &operator=(const AttributeList &) = delete;

    bool set(DWORD_PTR attribute, void *value, SIZE_T size)
    {
        return m_good
            && UpdateProcThreadAttribute(m_list, 0, attribute, value, size, nullptr, nullptr) != 0;
    }
    [[nodiscard]] LPPROC_THREAD_ATTRIBUTE_LIST get() const { return m_list; }

private:
    std::vector<unsigned char> m_memory;
    LPPROC_THREAD_ATTRIBUTE_LIST m_list = nullptr;
    bool m_good = false;
};

bool limitJob(HANDLE job, const ContainedSpec &spec)
{
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits {};
    limits.BasicLimitInformation.LimitFlags
        = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE | JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION;
    if (spec.memoryBytes > 0) {
        limits.BasicLimitInformation.LimitFlags |= JOB_OBJECT_LIMIT_JOB_MEMORY;
        limits.JobMemoryLimit = static_cast<SIZE_T>(spec.memoryBytes);
    }
    if (spec.processes > 0) {
        limits.BasicLimitInformation.LimitFlags |= JOB_OBJECT_LIMIT_ACTIVE_PROCESS;
        limits.BasicLimitInformation.ActiveProcessLimit = spec.processes;
    }
    JOBOBJECT_BASIC_UI_RESTRICTIONS ui {};
    ui.UIRestrictionsClass = JOB_OBJECT_UILIMIT_HANDLES | JOB_OBJECT_UILIMIT_READCLIPBOARD
        | JOB_OBJECT_UILIMIT_WRITECLIPBOARD | JOB_OBJECT_UILIMIT_DESKTOP
        | JOB_OBJECT_UILIMIT_DISPLAYSETTINGS | JOB_OBJECT_UILIMIT_EXITWINDOWS
        | JOB_OBJECT_UILIMIT_GLOBALATOMS | JOB_OBJECT_UILIMIT_SYSTEMPARAMETERS;
    if (SetInformationJobObject(job, JobObjectExtendedLimitInformation, &limits, sizeof limits)
        == 0) {
        return false;
    }
    return spec.isolation == Isolation::JobOnly
        || SetInformationJobObject(job, JobObjectBasicUIRestrictions, &ui, sizeof ui) != 0;
}

/// Our own token without privileges, write-restricted, of low integrity.
bool makeRestrictedToken(Handle &result)
{
    Handle own;
    if (OpenProcessToken(GetCurrentProcess(), TOKEN_ALL_ACCESS, own.address()) == 0) {
        return false;
    }
    PSID everyone = nullptr;
    if (ConvertStringSidToSidW(L"S-1-1-0", &everyone) == 0) {
        return false;
    }
    SID_AND_ATTRIBUTES restricting { everyone, 0 };
    constexpr DWORD kWriteRestricted = 0x8;
    constexpr DWORD kLuaToken = 0x4;
    const BOOL made
        = CreateRestrictedToken(own.get(), DISABLE_MAX_PRIVILEGE | kLuaToken | kWriteRestricted, 0,
            nullptr, 0, nullptr, 1, &restricting, result.address());
    LocalFree(everyone);
    if (made == 0) {
        return false;
    }
    PSID low = nullptr;
    if (ConvertStringSidToSidW(L"S-1-16-4096", &low) == 0) {
        return false;
    }
    TOKEN_MANDATORY_LABEL label {};
    label.Label.Sid = low;
    label.Label.Attributes = SE_GROUP_INTEGRITY;
    const BOOL set = SetTokenInformation(
        result.get(), TokenIntegrityLevel, &label, sizeof label + GetLengthSid(low));
    LocalFree(low);
    return set != 0;
}

std::wstring sidText(PSID sid)
{
    LPWSTR text = nullptr;
    if (ConvertSidToStringSidW(sid, &text) == 0) {
        return {};
    }
    std::wstring result(text);
    LocalFree(text);
    return result;
}

bool changeAccess(const AclChange &change, bool revoke)
{
    PSID sid = nullptr;
    if (ConvertStringSidToSidW(change.sid.c_str(), &sid) == 0) {
        return false;
    }
    PACL old = nullptr;
    PSECURITY_DESCRIPTOR descriptor = nullptr;
    std::wstring path = change.path;
    bool done = GetNamedSecurityInfoW(path.data(), SE_FILE_OBJECT, DACL_SECURITY_INFORMATION,
                    nullptr, nullptr, &old, nullptr, &descriptor)
        == ERROR_SUCCESS;
    if (done) {
        EXPLICIT_ACCESSW access {};
        access.grfAccessPermissions = accessMask(change.right);
        const bool denies = change.right == AclChange::Right::DenyWrite
            || change.right == AclChange::Right::DenyAll;
        access.grfAccessMode = revoke ? REVOKE_ACCESS : (denies ? DENY_ACCESS : GRANT_ACCESS);
        access.grfInheritance = SUB_CONTAINERS_AND_OBJECTS_INHERIT;
        access.Trustee.TrusteeForm = TRUSTEE_IS_SID;
        access.Trustee.ptstrName = static_cast<LPWSTR>(sid);
        PACL changed = nullptr;
        done = SetEntriesInAclW(1, &access, old, &changed) == ERROR_SUCCESS
            && SetNamedSecurityInfoW(path.data(), SE_FILE_OBJECT, DACL_SECURITY_INFORMATION,
                   nullptr, nullptr, changed, nullptr)
                == ERROR_SUCCESS;
        LocalFree(changed);
        LocalFree(descriptor);
    }
    LocalFree(sid);
    return done;
}

} // namespace

struct ContainedProcess::Private
{
    Handle job;
    Handle messages; ///< completion port: which limit the kernel enforced
    Handle process;
    Handle output;
    Handle error;
    Handle input;
    HPCON console = nullptr;
    std::wstring sid;
    std::string failure;
    DWORD exitCode = STILL_ACTIVE;

    bool fail(const char *what)
    {
        failure = lastError(what);
        return false;
    }
    bool launch(const ContainedSpec &spec, STARTUPINFOEXW &startup, HANDLE token);
};

ContainedProcess::ContainedProcess()
    : m(std::make_unique<Private>())
{ }

ContainedProcess::~ContainedProcess()
{
    terminate(1);
    closeTerminal();
}

bool ContainedProcess::Private::launch(
    const ContainedSpec &spec, STARTUPINFOEXW &startup, HANDLE token)
{
    std::vector<std::wstring> words { spec.program };
    words.insert(words.end(), spec.arguments.begin(), spec.arguments.end());
    std::wstring line = commandLine(words);
    std::wstring block = environmentBlock(spec.environment);
    PROCESS_INFORMATION information {};
    constexpr DWORD kFlags = CREATE_SUSPENDED | CREATE_UNICODE_ENVIRONMENT
        | EXTENDED_STARTUPINFO_PRESENT | CREATE_NEW_PROCESS_GROUP;
    const DWORD flags = spec.terminal ? kFlags : kFlags | CREATE_NO_WINDOW;
    const BOOL inherit = spec.terminal ? FALSE : TRUE;
    const BOOL created = token != nullptr
        ? CreateProcessAsUserW(token, spec.program.c_str(), line.data(), nullptr, nullptr, inherit,
            flags, block.data(), spec.directory.c_str(), &startup.StartupInfo, &information)
        : CreateProcessW(spec.program.c_str(), line.data(), nullptr, nullptr, inherit, flags,
            block.data(), spec.directory.c_str(), &startup.StartupInfo, &information);
    if (created == 0) {
        return fail("CreateProcess");
    }
    process.reset(information.hProcess);
    const Handle thread(information.hThread);
    // Suspended until it is in its job: nothing can start outside of it.
    if (AssignProcessToJobObject(job.get(), process.get()) == 0) {
        TerminateProcess(process.get(), 1);
        return fail("AssignProcessToJobObject");
    }
    return ResumeThread(thread.get()) != static_cast<DWORD>(-1) || fail("ResumeThread");
}

bool ContainedProcess::start(const ContainedSpec &spec)
{
    if (isBatchFile(spec.program)) {
        m->failure = "batch files are not started with foreign arguments";
        return false;
    }
    m->job.reset(CreateJobObjectW(nullptr, nullptr));
    if (m->job.get() == nullptr || !limitJob(m->job.get(), spec)) {
        return m->fail("the job object");
    }
    m->messages.reset(CreateIoCompletionPort(INVALID_HANDLE_VALUE, nullptr, 0, 1));
    JOBOBJECT_ASSOCIATE_COMPLETION_PORT association { m->job.get(), m->messages.get() };
    if (m->messages.get() == nullptr
        || SetInformationJobObject(m->job.get(), JobObjectAssociateCompletionPortInformation,
               &association, sizeof association)
            == 0) {
        return m->fail("the job's messages");
    }
    Handle childInput;
    Handle childOutput;
    Handle childError;
    if (!makePipe(childInput, m->input, true) || !makePipe(m->output, childOutput, false)
        || !makePipe(m->error, childError, false)) {
        return m->fail("CreatePipe");
    }
    AttributeList attributes(3);
    STARTUPINFOEXW startup {};
    startup.StartupInfo.cb = sizeof startup;
    startup.lpAttributeList = attributes.get();
    std::array<HANDLE, 3> inherited { childInput.get(), childOutput.get(), childError.get() };
    if (spec.terminal) {
        const COORD size { spec.columns, spec.rows };
        if (FAILED(CreatePseudoConsole(size, childInput.get(), childOutput.get(), 0, &m->console))
            || !attributes.set(
                PROC_THREAD_ATTRIBUTE_PSEUDOCONSOLE, m->console, sizeof m->console)) {
            return m->fail("the pseudo console");
        }
        // Without this a child would write to our own streams when those are pipes.
        startup.StartupInfo.dwFlags = STARTF_USESTDHANDLES;
    } else {
        startup.StartupInfo.dwFlags = STARTF_USESTDHANDLES;
        startup.StartupInfo.hStdInput = childInput.get();
        startup.StartupInfo.hStdOutput = childOutput.get();
        startup.StartupInfo.hStdError = childError.get();
        if (!attributes.set(
                PROC_THREAD_ATTRIBUTE_HANDLE_LIST, inherited.data(), sizeof inherited)) {
            return m->fail("the handle list");
        }
    }
    if (spec.isolation == Isolation::JobOnly) {
        return m->launch(spec, startup, nullptr);
    }
    if (spec.isolation == Isolation::RestrictedToken) {
        Handle token;
        return makeRestrictedToken(token) ? m->launch(spec, startup, token.get())
                                          : m->fail("the restricted token");
    }
    m->sid = appContainerSid(spec.containerName, m->failure);
    PSID container = nullptr;
    if (m->sid.empty() || ConvertStringSidToSidW(m->sid.c_str(), &container) == 0) {
        return false;
    }
    // No capability means no network; internetClient is the only one ever given.
    PSID internet = nullptr;
    SID_AND_ATTRIBUTES capability {};
    SECURITY_CAPABILITIES capabilities {};
    capabilities.AppContainerSid = container;
    if (spec.internetAllowed && ConvertStringSidToSidW(L"S-1-15-3-1", &internet) != 0) {
        capability = { internet, SE_GROUP_ENABLED };
        capabilities.Capabilities = &capability;
        capabilities.CapabilityCount = 1;
    }
    const bool started = attributes.set(PROC_THREAD_ATTRIBUTE_SECURITY_CAPABILITIES, &capabilities,
                             sizeof capabilities)
        && m->launch(spec, startup, nullptr);
    LocalFree(container);
    LocalFree(internet);
    return started;
}

std::string ContainedProcess::error() const
{
    return m->failure;
}

std::wstring ContainedProcess::sid() const
{
    return m->sid;
}

long ContainedProcess::readOutput(char *buffer, unsigned long size)
{
    DWORD got = 0;
    return ReadFile(m->output.get(), buffer, size, &got, nullptr) != 0 && got > 0
        ? static_cast<long>(got)
        : -1;
}

long ContainedProcess::readError(char *buffer, unsigned long size)
{
    DWORD got = 0;
    return ReadFile(m->error.get(), buffer, size, &got, nullptr) != 0 && got > 0
        ? static_cast<long>(got)
        : -1;
}

bool ContainedProcess::write(const char *data, unsigned long size)
{
    DWORD put = 0;
    return WriteFile(m->input.get(), data, size, &put, nullptr) != 0 && put == size;
}

void ContainedProcess::closeInput()
{
    m->input.reset();
}

void ContainedProcess::closeTerminal()
{
    if (m->console != nullptr) {
        ClosePseudoConsole(m->console);
        m->console = nullptr;
    }
}

bool ContainedProcess::hasTerminal() const
{
    return m->console != nullptr;
}

void *ContainedProcess::processHandle() const
{
    return m->process.get();
}

ContainedUse ContainedProcess::use() const
{
    ContainedUse result;
    JOBOBJECT_BASIC_ACCOUNTING_INFORMATION times {};
    if (QueryInformationJobObject(
            m->job.get(), JobObjectBasicAccountingInformation, &times, sizeof times, nullptr)
        != 0) {
        // In units of 100 ns.
        result.cpuMicroseconds = static_cast<std::uint64_t>(
                                     times.TotalUserTime.QuadPart + times.TotalKernelTime.QuadPart)
            / 10;
        result.processes = times.ActiveProcesses;
    }
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION memory {};
    if (QueryInformationJobObject(
            m->job.get(), JobObjectExtendedLimitInformation, &memory, sizeof memory, nullptr)
        != 0) {
        result.peakMemory = memory.PeakJobMemoryUsed;
    }
    return result;
}

std::string ContainedProcess::takeFiredLimit()
{
    std::string fired;
    DWORD message = 0;
    ULONG_PTR key = 0;
    LPOVERLAPPED detail = nullptr;
    while (m->messages.get() != nullptr
        && GetQueuedCompletionStatus(m->messages.get(), &message, &key, &detail, 0) != 0) {
        if (message == JOB_OBJECT_MSG_JOB_MEMORY_LIMIT
            || message == JOB_OBJECT_MSG_PROCESS_MEMORY_LIMIT) {
            fired = "memory";
        } else if (message == JOB_OBJECT_MSG_ACTIVE_PROCESS_LIMIT && fired.empty()) {
            fired = "processes";
        }
    }
    return fired;
}

void ContainedProcess::resize(short rows, short columns)
{
    if (m->console != nullptr) {
        ResizePseudoConsole(m->console, { columns, rows });
    }
}

bool ContainedProcess::wait(unsigned long milliseconds)
{
    return WaitForSingleObject(m->process.get(), milliseconds) == WAIT_OBJECT_0
        && GetExitCodeProcess(m->process.get(), &m->exitCode) != 0;
}

unsigned long ContainedProcess::exitCode() const
{
    return m->exitCode;
}

void ContainedProcess::terminate(unsigned exitCode)
{
    if (m->job.get() != nullptr) {
        TerminateJobObject(m->job.get(), exitCode);
    }
}

std::wstring appContainerSid(const std::wstring &name, std::string &error)
{
    PSID sid = nullptr;
    HRESULT result
        = CreateAppContainerProfile(name.c_str(), name.c_str(), L"Deskhand task", nullptr, 0, &sid);
    if (result == HRESULT_FROM_WIN32(ERROR_ALREADY_EXISTS)) {
        result = DeriveAppContainerSidFromAppContainerName(name.c_str(), &sid);
    }
    if (FAILED(result)) {
        error = "the AppContainer could not be made: " + std::to_string(result);
        return {};
    }
    const std::wstring text = sidText(sid);
    FreeSid(sid);
    return text;
}

void deleteAppContainer(const std::wstring &name)
{
    DeleteAppContainerProfile(name.c_str());
}

bool applyAccess(const AclChange &change)
{
    return changeAccess(change, false);
}

bool revokeAccess(const AclChange &change)
{
    return changeAccess(change, true);
}

std::wstring longPathName(const std::wstring &path)
{
    std::wstring result(32768, L'\0');
    const DWORD length
        = GetLongPathNameW(path.c_str(), result.data(), static_cast<DWORD>(result.size()));
    if (length == 0 || length >= result.size()) {
        return path;
    }
    result.resize(length);
    return result;
}

} // namespace deskhand::sandbox::windows
