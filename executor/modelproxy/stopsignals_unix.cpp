// SPDX-License-Identifier: Apache-2.0
#include "executor/modelproxy/stopsignals.h"

#include <QSocketNotifier>

#include <array>
#include <csignal>
#include <fcntl.h>
#include <unistd.h>

namespace deskhand::modelproxy {
namespace {

// A handler may do nothing but write: the byte wakes the event loop.
int wakeUp = -1;

extern "C" void onSignal(int number)
{
    const char byte = number == SIGHUP ? 'h' : 's';
    const ssize_t written = ::write(wakeUp, &byte, 1);
    static_cast<void>(written); // a full pipe has woken the loop already
}

constexpr std::array kSignals { SIGHUP, SIGTERM, SIGINT };

} // namespace

struct StopSignals::Platform
{
    std::array<int, 2> pipe { -1, -1 };
    std::unique_ptr<QSocketNotifier> notifier;
};

StopSignals::StopSignals()
    : m_platform(std::make_unique<Platform>())
{
    if (::pipe(m_platform->pipe.data()) != 0) {
        return;
    }
    for (const int end : m_platform->pipe) {
        ::fcntl(end, F_SETFD, FD_CLOEXEC);
        ::fcntl(end, F_SETFL, O_NONBLOCK);
    }
    wakeUp = m_platform->pipe[1];
    m_platform->notifier
        = std::make_unique<QSocketNotifier>(m_platform->pipe[0], QSocketNotifier::Read);
    connect(m_platform->notifier.get(), &QSocketNotifier::activated, this, [this] {
        std::array<char, 16> bytes {};
        const ssize_t count = ::read(m_platform->pipe[0], bytes.data(), bytes.size());
        for (ssize_t i = 0; i < count; ++i) {
            if (bytes[static_cast<size_t>(i)] == 'h') {
                Q_EMIT hangup();
            } else {
                Q_EMIT stop();
            }
        }
    });
    for (const int number : kSignals) {
        std::signal(number, &onSignal);
    }
}

StopSignals::~StopSignals()
{
    for (const int number : kSignals) {
        std::signal(number, SIG_DFL);
    }
    wakeUp = -1;
    m_platform->notifier.reset();
    for (const int end : m_platform->pipe) {
        if (end >= 0) {
            ::close(end);
        }
    }
}

} // namespace deskhand::modelproxy
