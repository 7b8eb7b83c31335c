// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

namespace deskhand::bench {

using Clock = std::chrono::steady_clock;

/// How a provider that takes its time sends; without events it does not.
struct Pace
{
    int events = 0;
    std::chrono::microseconds interval { 0 };
};

/// A provider on a thread of its own: answers every request with the same bytes at once, or, with
/// `pace`, with one event at each interval that carries the time of its sending; in the form of
/// Responses when the path says so, else of Chat Completions.
class Provider final
{
public:
    explicit Provider(std::string answer, Pace pace = {});
    ~Provider();
    Provider(const Provider &) = delete;
    Provider &operator=(const Provider &) = delete;

    [[nodiscard]] std::uint16_t port() const { return m_port; }
    [[nodiscard]] int connections() const { return m_connections; }

private:
    void run();

    std::string m_answer;
    Pace m_pace;
    std::atomic<int> m_connections { 0 };
    std::uint16_t m_port = 0; // before the listener, which sets it
    int m_listener = -1;
    std::atomic<bool> m_stop { false };
    std::thread m_thread;
};

/// Copies bytes between a client and a port, both ways: what any middleman costs at least.
class Relay final
{
public:
    explicit Relay(std::uint16_t target);
    ~Relay();
    Relay(const Relay &) = delete;
    Relay &operator=(const Relay &) = delete;

    [[nodiscard]] std::uint16_t port() const { return m_port; }
    /// The kernel's number of the thread.
    [[nodiscard]] int threadId() const { return m_threadId; }

private:
    void run();

    std::uint16_t m_target;
    std::uint16_t m_port = 0; // before the listener, which sets it
    int m_listener = -1;
    std::atomic<bool> m_stop { false };
    std::atomic<int> m_threadId { 0 };
    std::thread m_thread;
};

/// Keeps a thread (0: the calling one) on one processor; nothing happens where there is only one.
void pinThread(int threadId, int processor);
/// The kernel's number of a thread of this program; 0 when there is none of that name.
[[nodiscard]] int threadNamed(const char *name);
/// Processor time of a thread of this program.
[[nodiscard]] double threadSeconds(int threadId);

[[nodiscard]] int connectTo(std::uint16_t port);
void sendAll(int socket, const std::string &bytes);

/// Sends the request again and again on one connection; microseconds until the first byte of each.
[[nodiscard]] std::vector<double> firstByteTimes(
    std::uint16_t port, const std::string &request, const std::string &end, int count);

/// Opens streams and reads the times in their events; milliseconds of delay of every event.
[[nodiscard]] std::vector<double> eventDelays(
    std::uint16_t port, const std::string &request, int streams, std::chrono::seconds limit);

[[nodiscard]] double percentile(std::vector<double> values, double share);

} // namespace deskhand::bench
