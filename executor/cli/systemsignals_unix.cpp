// SPDX-License-Identifier: Apache-2.0
#include "executor/cli/systemsignals.h"

#include <QSocketNotifier>

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <unistd.h>

namespace deskhand::cli {
namespace {

// The handler may only do what is safe at any instruction: one write of one byte.
int g_wakeWriter = -1;

void onSignal(int number)
{
    const int before = errno;
    const char byte = static_cast<char>(number);
    [[maybe_unused]] const ssize_t written = ::write(g_wakeWriter, &byte, 1);
    errno = before;
}

void install(int number, void (*handler)(int))
{
    struct sigaction action = {};
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART;
    ::sigaction(number, &action, nullptr);
}

} // namespace

class SystemSignals::Private
{
public:
    int pipe[2] = { -1, -1 };
    std::unique_ptr<QSocketNotifier> notifier;
};

SystemSignals::SystemSignals(QObject *parent)
    : QObject(parent)
    , d(std::make_unique<Private>())
{
    if (::pipe(d->pipe) != 0) {
        return; // the system's default handling stays
    }
    for (const int end : d->pipe) {
        ::fcntl(end, F_SETFD, FD_CLOEXEC);
        ::fcntl(end, F_SETFL, O_NONBLOCK);
    }
    g_wakeWriter = d->pipe[1];
    d->notifier = std::make_unique<QSocketNotifier>(d->pipe[0], QSocketNotifier::Read);
    connect(d->notifier.get(), &QSocketNotifier::activated, this, [this] {
        char numbers[64];
        const ssize_t count = ::read(d->pipe[0], numbers, sizeof(numbers));
        for (ssize_t i = 0; i < count; ++i) {
            if (numbers[i] == SIGHUP) {
                Q_EMIT reloadRequested();
            } else {
                Q_EMIT stopRequested();
            }
        }
    });
    for (const int number : { SIGTERM, SIGINT, SIGHUP }) {
        install(number, onSignal);
    }
}

SystemSignals::~SystemSignals()
{
    if (g_wakeWriter >= 0) {
        for (const int number : { SIGTERM, SIGINT, SIGHUP }) {
            install(number, SIG_DFL);
        }
        g_wakeWriter = -1;
        ::close(d->pipe[0]);
        ::close(d->pipe[1]);
    }
}

} // namespace deskhand::cli
