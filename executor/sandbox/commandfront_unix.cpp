// SPDX-License-Identifier: Apache-2.0
#include "executor/sandbox/commandfront.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <thread>
#include <unistd.h>

namespace deskhand::sandbox::front {

namespace {

constexpr int kTickMs = 20;

} // namespace

void writeAll(int descriptor, const QByteArray &bytes)
{
    for (qsizetype done = 0; done < bytes.size();) {
        const ssize_t put = ::write(
            descriptor, bytes.constData() + done, static_cast<size_t>(bytes.size() - done));
        if (put < 0 && errno != EINTR) {
            return;
        }
        done += std::max<ssize_t>(put, 0);
    }
}

struct Front::Private
{
    Private(process::RunControl &runControl, bool withTerminal)
        : control(runControl)
        , terminal(withTerminal)
    { }
    void serve();
    [[nodiscard]] bool copyKeys();
    void resize();
    [[nodiscard]] int takeSignal() const;

    process::RunControl &control;
    bool terminal;
    bool raw = false;
    termios mode {};
    sigset_t signals {};
    sigset_t before {};
    std::atomic<bool> stop { false };
    std::thread thread;
};

Front::Front(process::RunControl &control, bool terminal)
    : m(std::make_unique<Private>(control, terminal))
{
    sigemptyset(&m->signals);
    for (const int number : { SIGINT, SIGTERM, SIGHUP, SIGWINCH }) {
        sigaddset(&m->signals, number);
    }
    pthread_sigmask(SIG_BLOCK, &m->signals, &m->before);
    if (terminal) {
        m->resize();
        if (isatty(STDIN_FILENO) != 0 && tcgetattr(STDIN_FILENO, &m->mode) == 0) {
            termios changed = m->mode;
            cfmakeraw(&changed);
            m->raw = tcsetattr(STDIN_FILENO, TCSANOW, &changed) == 0;
        }
    }
    m->thread = std::thread([this] { m->serve(); });
}

Front::~Front()
{
    m->stop = true;
    m->thread.join();
    if (m->raw) {
        tcsetattr(STDIN_FILENO, TCSANOW, &m->mode);
    }
    pthread_sigmask(SIG_SETMASK, &m->before, nullptr);
}

/// One that waits, or 0. Not sigtimedwait: macOS has none.
int Front::Private::takeSignal() const
{
    sigset_t waiting;
    if (sigpending(&waiting) != 0) {
        return 0;
    }
    for (const int number : { SIGINT, SIGTERM, SIGHUP, SIGWINCH }) {
        if (sigismember(&waiting, number) == 1) {
            int taken = 0;
            return sigwait(&signals, &taken) == 0 ? taken : 0;
        }
    }
    return 0;
}

void Front::Private::serve()
{
    bool input = terminal;
    while (!stop) {
        const int number = takeSignal();
        if (number == SIGWINCH) {
            resize();
        } else if (number > 0) {
            control.cancel();
        }
        if (input) {
            input = copyKeys();
        } else {
            poll(nullptr, 0, kTickMs);
        }
    }
}

bool Front::Private::copyKeys()
{
    pollfd keys { STDIN_FILENO, POLLIN, 0 };
    if (poll(&keys, 1, kTickMs) <= 0) {
        return true;
    }
    QByteArray buffer(4096, Qt::Uninitialized);
    const ssize_t got = ::read(STDIN_FILENO, buffer.data(), static_cast<size_t>(buffer.size()));
    if (got <= 0) {
        control.closeInput();
        return false;
    }
    return control.write(buffer.left(got));
}

void Front::Private::resize()
{
    winsize size {};
    if (terminal && ioctl(STDIN_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0) {
        control.resize({ size.ws_row, size.ws_col });
    }
}

} // namespace deskhand::sandbox::front
