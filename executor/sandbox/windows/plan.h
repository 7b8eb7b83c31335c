// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/sandbox/windows/acljournal.h"
#include "executor/sandbox/windows/backendchoice.h"
#include "executor/sandbox/windows/containedprocess.h"

#include <functional>
#include <string>
#include <vector>

namespace deskhand::sandbox::windows {

// From what a run is to be to what is done for it on Windows. Pure: no Windows header, tested
// everywhere.

struct PlanRule
{
    enum class Access { Deny, Read, Write };
    std::wstring path; ///< absolute, any spelling; a denied one may be a pattern with * and ?
    Access access = Access::Read;
};

struct PlanRequest
{
    enum class Enforcement { Managed, External, None };
    enum class Network { Off, Local, Proxy, Full };

    std::vector<std::wstring> command;
    std::wstring directory;
    Enforcement enforcement = Enforcement::Managed;
    Network network = Network::Off;
    bool readsWholeDisk = false; ///< a read rule for the root
    bool writesWholeDisk = false;
    std::vector<PlanRule> rules;
    std::vector<std::wstring> protectedNames; ///< at the top of each writable root
    std::vector<std::wstring> environment;
    std::wstring containerName;
    std::wstring scratch; ///< the run's own TEMP; empty: none
    std::uint64_t memoryBytes = 0;
    std::uint32_t processes = 0;
    bool terminal = false;
    short rows = 24;
    short columns = 80;
};

/// What the plan has to know about this computer; tables in tests.
struct PlanFacts
{
    bool appContainerWorks = true;
    std::function<std::wstring(const std::wstring &)> longName;
    std::function<bool(const std::wstring &)> exists;
    /// The absolute program that a name means, or nothing.
    std::function<std::wstring(const std::wstring &)> findProgram;
    /// The SID that access lists name for a container.
    std::function<std::wstring(const std::wstring &)> containerSid;
};

struct Plan
{
    enum class Verdict {
        Run,
        Refused, ///< the request cannot be held, or makes no sense
        Unavailable, ///< this computer lacks what it takes
        NotFound ///< the program
    };
    Verdict verdict = Verdict::Refused;
    std::string reason;
    Choice choice;
    ContainedSpec spec;
    /// Directories that stand in for protected names which do not exist; made before `changes`,
    /// removed after the run when they are still empty.
    std::vector<std::wstring> guards;
    std::vector<AclChange> changes; ///< in the order they are made
    std::vector<std::string> notes;
};

[[nodiscard]] Plan makePlan(const PlanRequest &request, const PlanFacts &facts);

} // namespace deskhand::sandbox::windows
