// SPDX-License-Identifier: Apache-2.0
#include "executor/cli/standardstreams.h"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <termios.h>
#include <unistd.h>

namespace deskhand::cli {
namespace {

int numberOf(StandardStream stream)
{
    return static_cast<int>(stream);
}

bool waitUntilWritable(int file)
{
    pollfd wait { file, POLLOUT, 0 };
    while (::poll(&wait, 1, -1) < 0) {
        if (errno != EINTR) {
            return false;
        }
    }
    return true;
}

} // namespace

void prepareStandardStreams()
{
    for (const int file : { STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO }) {
        if (::fcntl(file, F_GETFD) < 0 && errno == EBADF) {
            // The lowest free number is this one.
            [[maybe_unused]] const int opened
                = ::open("/dev/null", file == STDIN_FILENO ? O_RDONLY : O_WRONLY);
        }
    }
    std::signal(SIGPIPE, SIG_IGN);
}

bool isTerminal(StandardStream stream)
{
    return ::isatty(numberOf(stream)) == 1;
}

void writeAll(StandardStream stream, const QByteArray &bytes)
{
    const char *next = bytes.constData();
    auto left = static_cast<size_t>(bytes.size());
    while (left > 0) {
        const ssize_t written = ::write(numberOf(stream), next, left);
        if (written >= 0) {
            next += written;
            left -= static_cast<size_t>(written);
        } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
            if (!waitUntilWritable(numberOf(stream))) {
                return;
            }
        } else if (errno != EINTR) {
            return; // nobody reads any more
        }
    }
}

QByteArray readAllInput(qsizetype maxBytes)
{
    QByteArray input;
    char buffer[65536];
    while (input.size() <= maxBytes) {
        const ssize_t count = ::read(STDIN_FILENO, buffer, sizeof(buffer));
        if (count > 0) {
            input.append(buffer, count);
        } else if (count == 0 || errno != EINTR) {
            break;
        }
    }
    return input;
}

QByteArray readHiddenLine()
{
    termios before = {};
    const bool terminal = ::tcgetattr(STDIN_FILENO, &before) == 0;
    if (terminal) {
        termios hidden = before;
        hidden.c_lflag &= ~static_cast<tcflag_t>(ECHO);
        ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden);
    }
    QByteArray line;
    char byte = 0;
    while (::read(STDIN_FILENO, &byte, 1) == 1 && byte != '\n') {
        line.append(byte);
    }
    if (terminal) {
        ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &before);
    }
    return line;
}

} // namespace deskhand::cli
