// SPDX-License-Identifier: Apache-2.0
#include "executor/sandbox/init/bridge.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace {

constexpr int kMaxPairs = 64; // the proxy's own ceiling for connections of one run
constexpr size_t kBuffer = 16384;

struct Direction
{
    int from = -1;
    int to = -1;
    size_t filled = 0;
    size_t sent = 0;
    bool ended = false;
    char data[kBuffer];
};
struct Pair
{
    bool used = false;
    Direction up;
    Direction down;
};
Pair s_pairs[kMaxPairs];

int connectTo(const char *path)
{
    sockaddr_un address {};
    address.sun_family = AF_UNIX;
    if (std::strlen(path) >= sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    std::strcpy(address.sun_path, path);
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && connect(fd, reinterpret_cast<sockaddr *>(&address), sizeof address) != 0) {
        const int error = errno;
        close(fd);
        errno = error;
        return -1;
    }
    return fd;
}

void setUp(Direction &direction, int from, int to)
{
    direction.from = from;
    direction.to = to;
    direction.filled = direction.sent = 0;
    direction.ended = false;
}

/// Moves what can be moved; false when this direction is broken.
bool move(Direction &direction, short readable, short writable)
{
    if (direction.filled == 0 && !direction.ended && readable != 0) {
        const ssize_t got = recv(direction.from, direction.data, kBuffer, MSG_DONTWAIT);
        if (got > 0) {
            direction.filled = static_cast<size_t>(got);
            direction.sent = 0;
            writable = POLLOUT;
        } else if (got == 0) {
            direction.ended = true;
            shutdown(direction.to, SHUT_WR);
        } else if (errno != EAGAIN && errno != EINTR) {
            return false;
        }
    }
    if (direction.filled > 0 && writable != 0) {
        const ssize_t put = send(direction.to, direction.data + direction.sent,
            direction.filled - direction.sent, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (put > 0) {
            direction.sent += static_cast<size_t>(put);
            if (direction.sent == direction.filled) {
                direction.filled = 0;
            }
        } else if (put < 0 && errno != EAGAIN && errno != EINTR) {
            return false;
        }
    }
    return true;
}

short wanted(const Direction &in, const Direction &out)
{
    // `in` reads from this descriptor, `out` writes to it.
    return static_cast<short>(
        (in.filled == 0 && !in.ended ? POLLIN : 0) | (out.filled > 0 ? POLLOUT : 0));
}

void closePair(Pair &pair)
{
    close(pair.up.from);
    close(pair.up.to);
    pair.used = false;
}

[[noreturn]] void serve(int listener, const char *path)
{
    for (;;) {
        pollfd fds[1 + 2 * kMaxPairs];
        int slots[kMaxPairs];
        int used = 0;
        bool full = true;
        for (int i = 0; i < kMaxPairs; ++i) {
            if (!s_pairs[i].used) {
                full = false;
                continue;
            }
            const Pair &pair = s_pairs[i];
            slots[used] = i;
            fds[1 + 2 * used] = { pair.up.from, wanted(pair.up, pair.down), 0 };
            fds[2 + 2 * used] = { pair.up.to, wanted(pair.down, pair.up), 0 };
            ++used;
        }
        fds[0] = { listener, static_cast<short>(full ? 0 : POLLIN), 0 };
        if (poll(fds, static_cast<nfds_t>(1 + 2 * used), -1) < 0) {
            if (errno == EINTR) {
                continue;
            }
            _exit(1);
        }
        for (int i = 0; i < used; ++i) {
            Pair &pair = s_pairs[slots[i]];
            const short client = fds[1 + 2 * i].revents;
            const short server = fds[2 + 2 * i].revents;
            constexpr short kReadable = POLLIN | POLLHUP | POLLERR;
            if (!move(pair.up, static_cast<short>(client & kReadable),
                    static_cast<short>(server & (POLLOUT | POLLERR)))
                || !move(pair.down, static_cast<short>(server & kReadable),
                    static_cast<short>(client & (POLLOUT | POLLERR)))
                || (pair.up.ended && pair.down.ended && pair.up.filled == 0
                    && pair.down.filled == 0)
                // Hung up for good on one side: what the other still says has no reader.
                || ((client & POLLHUP) != 0 && pair.up.ended && pair.up.filled == 0)
                || ((server & POLLHUP) != 0 && pair.down.ended && pair.down.filled == 0)
                || ((client | server) & POLLNVAL) != 0) {
                closePair(pair);
            }
        }
        if ((fds[0].revents & POLLIN) != 0) {
            const int client = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
            if (client < 0) {
                continue;
            }
            const int server = connectTo(path);
            if (server < 0) {
                close(client);
                continue;
            }
            for (Pair &pair : s_pairs) {
                if (!pair.used) {
                    pair.used = true;
                    setUp(pair.up, client, server);
                    setUp(pair.down, server, client);
                    break;
                }
            }
        }
    }
}

} // namespace

namespace deskhand::bridge {

bool start(const char *path, unsigned short port)
{
    const int probe = connectTo(path);
    if (probe < 0) {
        return false;
    }
    close(probe);
    const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    sockaddr_in address {};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (listener < 0 || bind(listener, reinterpret_cast<sockaddr *>(&address), sizeof address) != 0
        || listen(listener, 64) != 0) {
        return false;
    }
    const pid_t pid = fork();
    if (pid < 0) {
        return false;
    }
    if (pid > 0) {
        close(listener);
        return true;
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    // Only the listener stays open: not the engine's socket, not the command's pipes.
    const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int fd = 0; fd < 3 && null >= 0; ++fd) {
        dup2(null, fd);
    }
    close(3);
    serve(listener, path);
}

} // namespace deskhand::bridge
