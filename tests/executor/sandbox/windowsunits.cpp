// SPDX-License-Identifier: Apache-2.0
// What can be tried of the Windows back end on Windows itself or under Wine: a real process tree in
// a real job object, its streams, its end. Plain C++; built with MinGW. As `child WHAT` it is the
// program that is run. One line for each check; exit status 1 when one failed.

#include "executor/sandbox/windows/containedrun.h"
#include "executor/sandbox/windows/names.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>
#include <windows.h>

using namespace deskhand::sandbox::windows;

namespace {

int s_failures = 0;
bool s_wine = false;

void check(bool good, const char *what)
{
    std::printf("%s %s\n", good ? "ok  " : "FAIL", what);
    s_failures += good ? 0 : 1;
}

/// Where Wine is known to lack something, its answer is told and not judged.
void checkWhereReal(bool good, const char *what)
{
    if (s_wine && !good) {
        std::printf("told %s: not enforced by this Wine\n", what);
        return;
    }
    check(good, what);
}

std::wstring self()
{
    std::wstring name(32768, L'\0');
    name.resize(GetModuleFileNameW(nullptr, name.data(), static_cast<DWORD>(name.size())));
    return name;
}

std::vector<std::wstring> ownEnvironment()
{
    std::vector<std::wstring> result;
    wchar_t *block = GetEnvironmentStringsW();
    for (const wchar_t *entry = block; *entry != L'\0'; entry += std::wcslen(entry) + 1) {
        if (*entry != L'=') {
            result.emplace_back(entry);
        }
    }
    FreeEnvironmentStringsW(block);
    return result;
}

ContainedSpec specFor(const std::vector<std::wstring> &arguments)
{
    ContainedSpec spec;
    spec.program = self();
    spec.arguments = { L"child" };
    spec.arguments.insert(spec.arguments.end(), arguments.begin(), arguments.end());
    spec.directory = L"C:\\";
    spec.environment = ownEnvironment();
    spec.isolation = Isolation::JobOnly;
    return spec;
}

struct Run
{
    bool started = false;
    std::string error;
    std::string output;
    std::string errorOutput;
    RunEnding ending;
};

Run run(const ContainedSpec &spec, RunSetup setup = {})
{
    Run result;
    ContainedProcess process;
    result.started = process.start(spec);
    if (!result.started) {
        result.error = process.error();
        return result;
    }
    const auto further = setup.sink;
    setup.sink = [&](bool error, const char *data, size_t size) {
        (error ? result.errorOutput : result.output).append(data, size);
        if (further) {
            further(error, data, size);
        }
    };
    result.ending = follow(process, setup);
    return result;
}

/// The process id that a child wrote as "pid N".
HANDLE openWritten(const std::string &output)
{
    const size_t at = output.find("pid ");
    if (at == std::string::npos) {
        return nullptr;
    }
    return OpenProcess(SYNCHRONIZE, FALSE, std::strtoul(output.c_str() + at + 4, nullptr, 10));
}

/// Gone, or going: no process of that id, or one that ends.
bool ends(HANDLE process)
{
    const bool gone = process == nullptr || WaitForSingleObject(process, 30'000) == WAIT_OBJECT_0;
    if (process != nullptr) {
        CloseHandle(process);
    }
    return gone;
}

bool startChild(const wchar_t *what, PROCESS_INFORMATION &information)
{
    std::wstring line = quoteArguments({ self(), L"child", what });
    STARTUPINFOW startup {};
    startup.cb = sizeof startup;
    return CreateProcessW(nullptr, line.data(), nullptr, nullptr, FALSE, 0, nullptr, nullptr,
               &startup, &information)
        != 0;
}

void say(const std::string &text)
{
    std::fputs(text.c_str(), stdout);
    std::fflush(stdout);
}

int child(const std::vector<std::wstring> &words)
{
    const std::wstring what = words.empty() ? L"" : words[0];
    if (what == L"speak") {
        say("out");
        std::fputs("err", stderr);
        return 7;
    }
    if (what == L"words") {
        for (const std::wstring &word : words) {
            for (const wchar_t c : word) {
                say(std::to_string(static_cast<unsigned>(c)) + ' ');
            }
            say("\n");
        }
        return 0;
    }
    if (what == L"copy") {
        char buffer[256];
        while (std::fgets(buffer, sizeof buffer, stdin) != nullptr) {
            say(buffer);
        }
        return 0;
    }
    if (what == L"wait") {
        Sleep(INFINITE);
    }
    if (what == L"parent" || what == L"leave") {
        PROCESS_INFORMATION grandchild {};
        if (!startChild(L"wait", grandchild)) {
            return 3;
        }
        say("pid " + std::to_string(grandchild.dwProcessId) + '\n');
        if (what == L"parent") {
            Sleep(INFINITE);
        }
        return 0;
    }
    if (what == L"many") {
        int made = 0;
        for (int i = 0; i < 6; ++i) {
            PROCESS_INFORMATION ignored {};
            made += startChild(L"wait", ignored) ? 1 : 0;
        }
        return made;
    }
    if (what == L"memory") {
        int got = 0;
        while (got < 64 && VirtualAlloc(nullptr, 16 << 20, MEM_COMMIT, PAGE_READWRITE) != nullptr) {
            ++got;
        }
        return got;
    }
    if (what == L"place") {
        wchar_t folder[MAX_PATH];
        GetCurrentDirectoryW(MAX_PATH, folder);
        wchar_t value[64] = L"";
        GetEnvironmentVariableW(L"DESKHAND_UNIT", value, 64);
        return std::wcscmp(folder, L"C:\\windows") == 0 && std::wcscmp(value, L"a b=c") == 0 ? 0
                                                                                             : 5;
    }
    return 99;
}

void streamsAndStatus()
{
    const Run result = run(specFor({ L"speak" }));
    check(result.started, "a process starts in its job");
    check(result.output == "out" && result.errorOutput == "err", "both streams arrive apart");
    check(result.ending.why == RunEnding::Why::Exited && result.ending.exitCode == 7,
        "its exit code is reported");
}

void wordsArriveAsTheyWere()
{
    const std::vector<std::wstring> words { L"words", L"a b", L"", L"quote\"inside", L"end\\",
        L"a b\\", L"\\\\\"", L"tab\there", L"%PATH%", L"&|<>^" };
    std::string expected;
    for (const std::wstring &word : words) {
        for (const wchar_t c : word) {
            expected += std::to_string(static_cast<unsigned>(c)) + ' ';
        }
        expected += '\n';
    }
    std::string got = run(specFor(words)).output;
    for (size_t at = got.find('\r'); at != std::string::npos; at = got.find('\r')) {
        got.erase(at, 1);
    }
    check(got == expected, "arguments survive the command line");
}

void directoryAndEnvironment()
{
    ContainedSpec spec = specFor({ L"place" });
    spec.directory = L"C:\\windows";
    spec.environment.emplace_back(L"DESKHAND_UNIT=a b=c");
    check(run(spec).ending.exitCode == 0, "directory and environment are the given ones");
}

void interpreter()
{
    ContainedSpec spec = specFor({});
    spec.program = L"C:\\windows\\system32\\cmd.exe";
    spec.arguments = { L"/c", L"echo \"quoted\" text& exit 4" };
    const Run result = run(spec);
    check(result.ending.exitCode == 4 && result.output.find("\"quoted\" text") == 0,
        "a text for cmd.exe goes through as it is");
    spec.program = L"C:\\x\\run.bat";
    check(!run(spec).started, "a batch file is not started");
}

void inputIsGivenAndClosed()
{
    RunSetup setup;
    setup.wake = CreateEventW(nullptr, FALSE, TRUE, nullptr);
    setup.orders = [] {
        RunOrders orders;
        orders.input = "line\n";
        orders.closeInput = true;
        return orders;
    };
    const Run result = run(specFor({ L"copy" }), setup);
    check(result.ending.why == RunEnding::Why::Exited && result.output.find("line") == 0,
        "input arrives and ends");
    CloseHandle(setup.wake);
}

void timeLimitEndsTheTree()
{
    RunSetup setup;
    setup.wallMilliseconds = 1'500;
    const Run result = run(specFor({ L"parent" }), setup);
    check(result.ending.why == RunEnding::Why::TimedOut && result.ending.limit == "wall-time",
        "the time limit ends a run");
    check(result.output.find("pid ") == 0 && ends(openWritten(result.output)),
        "what it had started ends with it");
}

void cancelEndsTheTree()
{
    RunSetup setup;
    setup.wake = CreateEventW(nullptr, FALSE, FALSE, nullptr);
    setup.sink = [&setup](bool, const char *, size_t) {
        SetEvent(setup.wake);
    };
    setup.orders = [] {
        RunOrders orders;
        orders.cancel = true;
        return orders;
    };
    const Run result = run(specFor({ L"parent" }), setup);
    check(result.ending.why == RunEnding::Why::Cancelled, "cancel ends a run");
    check(ends(openWritten(result.output)), "cancel ends the tree");
    CloseHandle(setup.wake);
}

void leftBehindEndsWithTheFirst()
{
    const Run result = run(specFor({ L"leave" }));
    check(result.ending.why == RunEnding::Why::Exited && result.ending.exitCode == 0
            && ends(openWritten(result.output)),
        "what a command leaves behind ends with it");
}

void closingTheJobEndsTheTree()
{
    std::string output;
    {
        ContainedProcess process;
        check(process.start(specFor({ L"parent" })), "a tree starts");
        char buffer[64];
        const long got = process.readOutput(buffer, sizeof buffer);
        output.assign(buffer, got > 0 ? static_cast<size_t>(got) : 0);
    }
    check(output.find("pid ") == 0 && ends(openWritten(output)), "closing the job ends the tree");
}

void limits()
{
    ContainedSpec spec = specFor({ L"many" });
    spec.processes = 3;
    Run result = run(spec);
    checkWhereReal(result.ending.exitCode == 2 && result.ending.limit == "processes",
        "the limit of processes");
    spec = specFor({ L"memory" });
    spec.memoryBytes = 200U << 20U;
    result = run(spec);
    checkWhereReal(
        result.ending.exitCode < 13 && result.ending.limit == "memory", "the limit of memory");
}

void otherWalls()
{
    ContainedSpec spec = specFor({ L"speak" });
    spec.isolation = Isolation::RestrictedToken;
    Run result = run(spec);
    checkWhereReal(result.started && result.ending.exitCode == 7, "a restricted token");
    spec = specFor({ L"speak" });
    spec.terminal = true;
    result = run(spec);
    checkWhereReal(result.output.find("out") != std::string::npos, "a pseudo console");
    if (!s_wine) { // Wine 8 has no such function at all
        spec = specFor({ L"speak" });
        spec.isolation = Isolation::AppContainer;
        spec.containerName = L"deskhand-unit-test";
        check(run(spec).started, "an AppContainer");
        deleteAppContainer(spec.containerName);
    }
}

} // namespace

int main()
{
    int count = 0;
    wchar_t **words = CommandLineToArgvW(GetCommandLineW(), &count);
    if (count > 1 && std::wcscmp(words[1], L"child") == 0) {
        return child({ words + 2, words + count });
    }
    s_wine = GetProcAddress(GetModuleHandleW(L"ntdll.dll"), "wine_get_version") != nullptr;
    streamsAndStatus();
    wordsArriveAsTheyWere();
    directoryAndEnvironment();
    interpreter();
    inputIsGivenAndClosed();
    timeLimitEndsTheTree();
    cancelEndsTheTree();
    leftBehindEndsWithTheFirst();
    closingTheJobEndsTheTree();
    limits();
    otherWalls();
    std::printf("%d failed, %s\n", s_failures, s_wine ? "under Wine" : "on Windows");
    return s_failures == 0 ? 0 : 1;
}
