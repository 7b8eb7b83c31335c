// SPDX-License-Identifier: Apache-2.0
#include "executor/sandbox/windows/containedrun.h"

#include <memory>
#include <utility>
#include <windows.h>

namespace deskhand::sandbox::windows {

namespace {

constexpr DWORD kReaderEnd = 2'000; // after the job is gone nobody holds the pipes any more
constexpr DWORD kWriterTry = 50;
constexpr unsigned kKilled = 137;

/// The lock and the threads are Windows' own: not every MinGW has those of the standard library.
class Lock final
{
public:
    Lock() { InitializeCriticalSection(&m_section); }
    ~Lock() { DeleteCriticalSection(&m_section); }
    Lock(const Lock &) = delete;
    Lock &operator=(const Lock &) = delete;
    void enter() { EnterCriticalSection(&m_section); }
    void leave() { LeaveCriticalSection(&m_section); }

private:
    CRITICAL_SECTION m_section;
};

/// Reads one stream to its end on a thread of its own.
class Reader final
{
public:
    Reader(ContainedProcess &process, bool error, const RunSetup &setup, Lock &lock)
        : m_process(process)
        , m_error(error)
        , m_setup(setup)
        , m_lock(lock)
        , m_thread(CreateThread(nullptr, 0, &Reader::run, this, 0, nullptr))
    { }
    ~Reader()
    {
        if (m_thread != nullptr) {
            if (WaitForSingleObject(m_thread, kReaderEnd) != WAIT_OBJECT_0) {
                CancelSynchronousIo(m_thread);
                WaitForSingleObject(m_thread, INFINITE);
            }
            CloseHandle(m_thread);
        }
    }
    Reader(const Reader &) = delete;
    Reader &operator=(const Reader &) = delete;

private:
    static DWORD WINAPI run(void *self)
    {
        static_cast<Reader *>(self)->read();
        return 0;
    }
    void read()
    {
        char buffer[8192];
        for (;;) {
            const long got = m_error ? m_process.readError(buffer, sizeof buffer)
                                     : m_process.readOutput(buffer, sizeof buffer);
            if (got <= 0) {
                return;
            }
            m_lock.enter();
            if (m_setup.sink) {
                m_setup.sink(m_error, buffer, static_cast<size_t>(got));
            }
            m_lock.leave();
        }
    }

    ContainedProcess &m_process;
    bool m_error;
    const RunSetup &m_setup;
    Lock &m_lock;
    HANDLE m_thread;
};

/// Writes the input on a thread of its own: a command that does not read must not stop the clock.
class Writer final
{
public:
    Writer(ContainedProcess &process, const RunSetup &setup)
        : m_process(process)
        , m_setup(setup)
        , m_wake(CreateEventW(nullptr, FALSE, FALSE, nullptr))
        , m_thread(CreateThread(nullptr, 0, &Writer::run, this, 0, nullptr))
    { }
    ~Writer()
    {
        m_lock.enter();
        m_stop = true;
        m_lock.leave();
        SetEvent(m_wake);
        if (m_thread != nullptr) {
            while (WaitForSingleObject(m_thread, kWriterTry) != WAIT_OBJECT_0) {
                CancelSynchronousIo(m_thread);
            }
            CloseHandle(m_thread);
        }
        CloseHandle(m_wake);
    }
    Writer(const Writer &) = delete;
    Writer &operator=(const Writer &) = delete;

    void add(const std::string &bytes, bool last)
    {
        m_lock.enter();
        m_waiting += bytes;
        m_last = m_last || last;
        m_lock.leave();
        SetEvent(m_wake);
    }

private:
    static DWORD WINAPI run(void *self)
    {
        static_cast<Writer *>(self)->serve();
        return 0;
    }
    void serve()
    {
        for (;;) {
            WaitForSingleObject(m_wake, INFINITE);
            m_lock.enter();
            const bool stop = m_stop;
            const bool last = m_last;
            const std::string bytes = std::exchange(m_waiting, {});
            m_lock.leave();
            if (stop) {
                return;
            }
            if (!bytes.empty()) {
                (void)m_process.write(bytes.data(), static_cast<unsigned long>(bytes.size()));
                if (m_setup.written) {
                    m_setup.written(bytes.size());
                }
            }
            if (last) {
                m_process.closeInput();
                return;
            }
        }
    }

    ContainedProcess &m_process;
    const RunSetup &m_setup;
    Lock m_lock; ///< guards the three below
    std::string m_waiting;
    bool m_last = false;
    bool m_stop = false;
    HANDLE m_wake;
    HANDLE m_thread;
};

class Follower final
{
public:
    Follower(ContainedProcess &process, const RunSetup &setup)
        : m_process(process)
        , m_setup(setup)
        , m_start(GetTickCount64())
    { }

    RunEnding follow()
    {
        {
            Lock lock;
            const Reader output(m_process, false, m_setup, lock);
            const Reader error(m_process, true, m_setup, lock);
            m_writer = std::make_unique<Writer>(m_process, m_setup);
            loop();
            m_ending.use = m_process.use();
            m_ending.wallMilliseconds = static_cast<std::uint32_t>(GetTickCount64() - m_start);
            if (const std::string fired = m_process.takeFiredLimit();
                !fired.empty() && m_ending.limit.empty()) {
                m_ending.limit = fired;
            }
            // What the first process left behind ends with it.
            m_process.terminate(kKilled);
            m_writer.reset();
            m_process.closeTerminal();
        }
        m_ending.exitCode = m_process.exitCode();
        return m_ending;
    }

private:
    void loop()
    {
        for (;;) {
            HANDLE handles[2] = { m_process.processHandle(), m_setup.wake };
            const DWORD count = m_setup.wake != nullptr ? 2 : 1;
            const DWORD got = WaitForMultipleObjects(count, handles, FALSE, timeLeft());
            if (got == WAIT_OBJECT_0 && m_process.wait(0)) {
                return;
            }
            if (got == WAIT_OBJECT_0 + 1 && m_setup.orders) {
                obey(m_setup.orders());
            }
            if (got == WAIT_FAILED) {
                end(RunEnding::Why::Cancelled, {}, 0);
            }
            const ULONGLONG now = GetTickCount64();
            if (m_killAt != 0 && now >= m_killAt) {
                kill();
            } else if (m_setup.wallMilliseconds != 0 && m_killAt == 0 && !m_killed
                && now >= m_start + m_setup.wallMilliseconds) {
                end(RunEnding::Why::TimedOut, "wall-time", m_setup.graceMilliseconds);
            }
        }
    }

    [[nodiscard]] DWORD timeLeft() const
    {
        const ULONGLONG deadline = m_killAt != 0
            ? m_killAt
            : (m_setup.wallMilliseconds != 0 && !m_killed ? m_start + m_setup.wallMilliseconds : 0);
        if (deadline == 0) {
            return INFINITE;
        }
        const ULONGLONG now = GetTickCount64();
        return deadline > now ? static_cast<DWORD>(deadline - now) : 0;
    }

    void obey(const RunOrders &orders)
    {
        if (orders.cancel) {
            end(RunEnding::Why::Cancelled, {}, m_setup.graceMilliseconds);
        }
        if (!orders.limit.empty()) {
            end(RunEnding::Why::Limit, orders.limit, 0);
        }
        if (!orders.input.empty() || orders.closeInput) {
            m_writer->add(orders.input, orders.closeInput);
        }
        if (orders.rows > 0) {
            m_process.resize(orders.rows, orders.columns);
        }
    }

    void end(RunEnding::Why why, const std::string &limit, std::uint32_t grace)
    {
        if (m_killed || m_killAt != 0) {
            return;
        }
        m_ending.why = why;
        m_ending.limit = limit;
        if (grace == 0 || !m_process.hasTerminal()) {
            kill();
            return;
        }
        m_writer->add("\x03", false);
        m_killAt = GetTickCount64() + grace;
    }

    void kill()
    {
        m_killed = true;
        m_killAt = 0;
        m_process.terminate(kKilled);
    }

    ContainedProcess &m_process;
    const RunSetup &m_setup;
    ULONGLONG m_start;
    ULONGLONG m_killAt = 0; ///< 0: nobody was asked to end
    bool m_killed = false;
    RunEnding m_ending;
    std::unique_ptr<Writer> m_writer;
};

} // namespace

RunEnding follow(ContainedProcess &process, const RunSetup &setup)
{
    return Follower(process, setup).follow();
}

} // namespace deskhand::sandbox::windows
