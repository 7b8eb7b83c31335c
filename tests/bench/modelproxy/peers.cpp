// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/modelproxy/peers.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <map>
#include <netinet/tcp.h>
#include <poll.h>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

namespace deskhand::bench {
namespace {

constexpr int kPollMilliseconds = 50;

const std::string kChatDelta
    = "data: {\"id\":\"c\",\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"";
const std::string kChatEnd = "data: [DONE]\n\n";
const std::string kResponsesStart
    = "event: response.created\ndata: {\"type\":\"response.created\",\"response\":{\"id\":\"r\"}}"
      "\n\nevent: response.output_item.added\ndata: {\"type\":\"response.output_item.added\","
      "\"output_index\":0,\"item\":{\"id\":\"msg_1\",\"type\":\"message\",\"content\":[]}}\n\n";
const std::string kResponsesDelta
    = "event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\","
      "\"sequence_number\":5,\"item_id\":\"msg_1\",\"output_index\":0,\"content_index\":0,"
      "\"delta\":\"";
const std::string kResponsesEnd
    = "event: response.completed\ndata: {\"type\":\"response.completed\",\"response\":{\"id\":"
      "\"r\"}}\n\n";

void tune(int socket)
{
    const int on = 1;
    ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

int listenOn(std::uint16_t &port)
{
    const int listener = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ::bind(listener, reinterpret_cast<sockaddr *>(&address), sizeof address);
    ::listen(listener, 1024);
    socklen_t size = sizeof address;
    ::getsockname(listener, reinterpret_cast<sockaddr *>(&address), &size);
    port = ntohs(address.sin_port);
    return listener;
}

std::int64_t nowMicroseconds()
{
    return std::chrono::duration_cast<std::chrono::microseconds>(Clock::now().time_since_epoch())
        .count();
}

std::string chunked(const std::string &bytes)
{
    char head[24];
    std::snprintf(head, sizeof head, "%zx\r\n", bytes.size());
    return head + bytes + "\r\n";
}

} // namespace

void pinThread(int threadId, int processor)
{
    if (std::thread::hardware_concurrency() < 2) {
        return;
    }
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(processor, &set);
    ::sched_setaffinity(threadId, sizeof set, &set);
}

int threadNamed(const char *name)
{
    for (const auto &task : std::filesystem::directory_iterator("/proc/self/task")) {
        std::ifstream file(task.path() / "comm");
        std::string found;
        if (std::getline(file, found) && found == name) {
            return std::atoi(task.path().filename().c_str());
        }
    }
    return 0;
}

double threadSeconds(int threadId)
{
    std::ifstream file("/proc/self/task/" + std::to_string(threadId) + "/schedstat");
    double nanoseconds = 0;
    file >> nanoseconds;
    return nanoseconds / 1e9;
}

int connectTo(std::uint16_t port)
{
    const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    if (::connect(socket, reinterpret_cast<sockaddr *>(&address), sizeof address) != 0) {
        std::perror("connect");
        std::exit(1);
    }
    tune(socket);
    return socket;
}

void sendAll(int socket, const std::string &bytes)
{
    size_t sent = 0;
    while (sent < bytes.size()) {
        const ssize_t count
            = ::send(socket, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
        if (count <= 0) {
            return;
        }
        sent += static_cast<size_t>(count);
    }
}

Provider::Provider(std::string answer, Pace pace)
    : m_answer(std::move(answer))
    , m_pace(pace)
    , m_listener(listenOn(m_port))
    , m_thread([this] { run(); })
{ }

Provider::~Provider()
{
    m_stop = true;
    m_thread.join();
    ::close(m_listener);
}

void Provider::run()
{
    struct Stream
    {
        std::string input;
        int left = -1; // events still to send; -1: no request yet
        bool responses = false;
        Clock::time_point next;
    };
    std::map<int, Stream> streams;
    while (!m_stop) {
        std::vector<pollfd> watched { { m_listener, POLLIN, 0 } };
        auto wake = Clock::now() + std::chrono::milliseconds(kPollMilliseconds);
        for (const auto &[socket, stream] : streams) {
            watched.push_back({ socket, POLLIN, 0 });
            if (stream.left > 0) {
                wake = std::min(wake, stream.next);
            }
        }
        const auto wait = std::chrono::ceil<std::chrono::milliseconds>(wake - Clock::now());
        ::poll(watched.data(), watched.size(), std::max<int>(0, static_cast<int>(wait.count())));
        if ((watched.front().revents & POLLIN) != 0) {
            const int socket = ::accept(m_listener, nullptr, nullptr);
            tune(socket);
            streams[socket];
            ++m_connections;
        }
        for (size_t i = 1; i < watched.size(); ++i) {
            if ((watched[i].revents & (POLLIN | POLLHUP)) == 0) {
                continue;
            }
            Stream &stream = streams[watched[i].fd];
            char buffer[65536];
            const ssize_t count = ::recv(watched[i].fd, buffer, sizeof buffer, 0);
            if (count <= 0) {
                ::close(watched[i].fd);
                streams.erase(watched[i].fd);
                --m_connections;
                continue;
            }
            stream.input.append(buffer, static_cast<size_t>(count));
            const size_t end = stream.input.find("\r\n\r\n");
            const size_t field = stream.input.find("ontent-");
            if (end == std::string::npos || field == std::string::npos) {
                continue;
            }
            size_t at = stream.input.find("ontent-Length: ");
            at = at == std::string::npos ? stream.input.find("ontent-length: ") : at;
            const size_t length = std::strtoul(stream.input.c_str() + at + 15, nullptr, 10);
            if (stream.input.size() < end + 4 + length) {
                continue;
            }
            stream.responses = stream.input.find("/responses ") < stream.input.find('\r');
            stream.input.clear();
            if (m_pace.events == 0) {
                sendAll(watched[i].fd, m_answer);
            } else {
                sendAll(watched[i].fd,
                    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
                    "Transfer-Encoding: chunked\r\n\r\n"
                        + (stream.responses ? chunked(kResponsesStart) : std::string()));
                stream.left = m_pace.events;
                // Not all at the same moment: streams have their own rhythm.
                stream.next = Clock::now() + m_pace.interval * (watched[i].fd % 64) / 64;
            }
        }
        for (auto &[socket, stream] : streams) {
            if (stream.left <= 0 || Clock::now() < stream.next) {
                continue;
            }
            const std::string time = '@' + std::to_string(nowMicroseconds()) + '@';
            sendAll(socket,
                chunked(stream.responses
                        ? kResponsesDelta + time + "\"}\n\n"
                        : kChatDelta + time + "\"},\"finish_reason\":null}]}\n\n"));
            stream.next += m_pace.interval;
            if (--stream.left == 0) {
                sendAll(socket, chunked(stream.responses ? kResponsesEnd : kChatEnd) + "0\r\n\r\n");
                stream.left = -1;
            }
        }
    }
    for (const auto &[socket, stream] : streams) {
        ::close(socket);
    }
}

Relay::Relay(std::uint16_t target)
    : m_target(target)
    , m_listener(listenOn(m_port))
    , m_thread([this] { run(); })
{
    while (m_threadId == 0) {
        std::this_thread::yield();
    }
}

Relay::~Relay()
{
    m_stop = true;
    m_thread.join();
    ::close(m_listener);
}

void Relay::run()
{
    m_threadId = ::gettid();
    std::map<int, int> other;
    while (!m_stop) {
        std::vector<pollfd> watched { { m_listener, POLLIN, 0 } };
        for (const auto &[socket, peer] : other) {
            watched.push_back({ socket, POLLIN, 0 });
        }
        ::poll(watched.data(), watched.size(), kPollMilliseconds);
        if ((watched.front().revents & POLLIN) != 0) {
            const int client = ::accept(m_listener, nullptr, nullptr);
            tune(client);
            const int server = connectTo(m_target);
            other[client] = server;
            other[server] = client;
        }
        for (size_t i = 1; i < watched.size(); ++i) {
            const auto pair = other.find(watched[i].fd);
            if ((watched[i].revents & (POLLIN | POLLHUP)) == 0 || pair == other.end()) {
                continue;
            }
            char buffer[65536];
            const ssize_t count = ::recv(watched[i].fd, buffer, sizeof buffer, 0);
            if (count > 0) {
                sendAll(pair->second, std::string(buffer, static_cast<size_t>(count)));
                continue;
            }
            const int peer = pair->second;
            ::close(watched[i].fd);
            ::close(peer);
            other.erase(watched[i].fd);
            other.erase(peer);
        }
    }
}

std::vector<double> firstByteTimes(
    std::uint16_t port, const std::string &request, const std::string &end, int count)
{
    std::vector<double> times;
    const int socket = connectTo(port);
    for (int i = 0; i < count; ++i) {
        const auto begin = Clock::now();
        sendAll(socket, request);
        std::string answer;
        while (!answer.ends_with(end)) {
            char buffer[65536];
            const ssize_t got = ::recv(socket, buffer, sizeof buffer, 0);
            if (got <= 0) {
                std::fprintf(stderr, "the connection closed: %s\n", answer.c_str());
                std::exit(1);
            }
            if (answer.empty()) {
                times.push_back(
                    std::chrono::duration<double, std::micro>(Clock::now() - begin).count());
            }
            answer.append(buffer, static_cast<size_t>(got));
        }
    }
    ::close(socket);
    return times;
}

std::vector<double> eventDelays(
    std::uint16_t port, const std::string &request, int streams, std::chrono::seconds limit)
{
    struct Reader
    {
        std::string rest;
        bool open = true;
    };
    std::vector<pollfd> watched;
    std::vector<Reader> readers(static_cast<size_t>(streams));
    for (int i = 0; i < streams; ++i) {
        const int socket = connectTo(port);
        sendAll(socket, request);
        watched.push_back({ socket, POLLIN, 0 });
    }
    std::vector<double> delays;
    int open = streams;
    const auto end = Clock::now() + limit;
    while (open > 0 && Clock::now() < end) {
        ::poll(watched.data(), watched.size(), kPollMilliseconds);
        for (size_t i = 0; i < watched.size(); ++i) {
            if ((watched[i].revents & (POLLIN | POLLHUP)) == 0) {
                continue;
            }
            char buffer[65536];
            const ssize_t count = ::recv(watched[i].fd, buffer, sizeof buffer, 0);
            const std::int64_t now = nowMicroseconds();
            Reader &reader = readers[i];
            if (count > 0) {
                reader.rest.append(buffer, static_cast<size_t>(count));
            }
            // "@TIME@" within a delta; the closing events repeat all of them and are not counted.
            size_t at = 0;
            while (true) {
                const size_t mark = reader.rest.find("delta\":\"@", at);
                const size_t content = reader.rest.find("content\":\"@", at);
                const size_t found = std::min(mark, content);
                if (found == std::string::npos) {
                    break;
                }
                const size_t digits = reader.rest.find('@', found) + 1;
                const size_t close = reader.rest.find('@', digits);
                if (close == std::string::npos) {
                    break;
                }
                const std::int64_t sent = std::strtoll(reader.rest.c_str() + digits, nullptr, 10);
                delays.push_back(static_cast<double>(now - sent) / 1000.0);
                at = close + 1;
            }
            reader.rest.erase(0, at);
            if (count <= 0 || reader.rest.ends_with("0\r\n\r\n")) {
                ::close(watched[i].fd);
                watched[i].fd = -1;
                --open;
            } else if (reader.rest.size() > 4096) {
                reader.rest.erase(0, reader.rest.size() - 512);
            }
        }
    }
    for (const pollfd &entry : watched) {
        if (entry.fd >= 0) {
            ::close(entry.fd);
        }
    }
    return delays;
}

double percentile(std::vector<double> values, double share)
{
    if (values.empty()) {
        return 0;
    }
    std::sort(values.begin(), values.end());
    const auto index = static_cast<size_t>(share * static_cast<double>(values.size() - 1));
    return values[index];
}

} // namespace deskhand::bench
