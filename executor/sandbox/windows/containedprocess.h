// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace deskhand::sandbox::windows {

/// What is around a command, besides the job object that it always has.
enum class Isolation { AppContainer, RestrictedToken, JobOnly };

/// What the job has used so far.
struct ContainedUse
{
    std::uint64_t cpuMicroseconds = 0;
    std::uint64_t peakMemory = 0; ///< bytes of the whole job
    std::uint32_t processes = 0; ///< alive
};

/// A command as the Windows back end runs it. Strings are UTF-16.
struct ContainedSpec
{
    std::wstring program; ///< absolute; never a batch file
    std::vector<std::wstring> arguments;
    std::wstring directory;
    std::vector<std::wstring> environment; ///< "NAME=value"
    Isolation isolation = Isolation::AppContainer;
    std::wstring containerName; ///< of the AppContainer profile
    bool internetAllowed = false;
    std::uint64_t memoryBytes = 0; ///< of the whole job; 0: no limit
    std::uint32_t processes = 0;
    bool terminal = false;
    short rows = 24;
    short columns = 80;
};

/// One process tree in a job object, inside an AppContainer or with a restricted token of low
/// integrity, on pipes or a pseudo console. Ends with this object. One thread, except terminate().
class ContainedProcess final
{
public:
    ContainedProcess();
    ~ContainedProcess();
    ContainedProcess(const ContainedProcess &) = delete;
    ContainedProcess &operator=(const ContainedProcess &) = delete;

    /// Creates it suspended, puts it into its job, lets it run. False: error() says why.
    [[nodiscard]] bool start(const ContainedSpec &spec);
    [[nodiscard]] std::string error() const;

    /// The SID that access lists have to name for this run, in text; empty for a restricted token.
    [[nodiscard]] std::wstring sid() const;

    /// Blocking; -1 at the end. Output of both streams with a terminal, otherwise stdout.
    [[nodiscard]] long readOutput(char *buffer, unsigned long size);
    [[nodiscard]] long readError(char *buffer, unsigned long size);
    [[nodiscard]] bool write(const char *data, unsigned long size);
    void closeInput();
    [[nodiscard]] bool hasTerminal() const;
    void resize(short rows, short columns);
    /// Ends a pseudo console; its output ends after what is written. No-op with pipes.
    void closeTerminal();

    /// True when it ended within `milliseconds`; then exitCode() is set.
    [[nodiscard]] bool wait(unsigned long milliseconds);
    [[nodiscard]] unsigned long exitCode() const;
    [[nodiscard]] void *processHandle() const; ///< to wait for; owned by this object
    [[nodiscard]] ContainedUse use() const;
    /// "memory" or "processes" when the kernel enforced that limit since the last call.
    [[nodiscard]] std::string takeFiredLimit();
    /// Ends the whole tree at once.
    void terminate(unsigned exitCode);

private:
    struct Private;
    std::unique_ptr<Private> m;
};

/// Creates (or finds) the AppContainer profile of that name and gives its SID in text.
[[nodiscard]] std::wstring appContainerSid(const std::wstring &name, std::string &error);
void deleteAppContainer(const std::wstring &name);

/// Adds or removes one entry in a path's access list, inheriting below. Used by the journal.
struct AclChange;
[[nodiscard]] bool applyAccess(const AclChange &change);
[[nodiscard]] bool revokeAccess(const AclChange &change);

/// The long form of a path with short names; the path itself when there is none.
[[nodiscard]] std::wstring longPathName(const std::wstring &path);

} // namespace deskhand::sandbox::windows
