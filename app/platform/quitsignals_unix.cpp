// SPDX-License-Identifier: Apache-2.0
#include "app/platform/quitsignals.h"

#include <QSocketNotifier>

#include <array>
#include <csignal>
#include <sys/socket.h>
#include <unistd.h>

namespace deskhand::app {
namespace {

/// A handler may only do very little: it writes the number, the notifier reads it on the main
/// thread. [0] is written, [1] read.
std::array<int, 2> pipeEnds { -1, -1 };
constexpr std::array kSignals { SIGTERM, SIGINT, SIGHUP };

void onSignal(int number)
{
    const char byte = static_cast<char>(number);
    [[maybe_unused]] const ssize_t written = ::write(pipeEnds[0], &byte, 1);
}

} // namespace

QuitSignals::QuitSignals(QObject *parent)
    : QObject(parent)
{
    if (::socketpair(AF_UNIX, SOCK_STREAM, 0, pipeEnds.data()) != 0) {
        return; // without it the signals keep their usual effect
    }
    auto *notifier = new QSocketNotifier(pipeEnds[1], QSocketNotifier::Read, this);
    connect(notifier, &QSocketNotifier::activated, this, [this] {
        char byte = 0;
        if (::read(pipeEnds[1], &byte, 1) != 1) {
            return;
        }
        if (byte == SIGHUP) {
            Q_EMIT reloadRequested();
        } else {
            Q_EMIT quitRequested();
        }
    });
    struct sigaction action = {};
    action.sa_handler = onSignal;
    sigemptyset(&action.sa_mask);
    action.sa_flags = SA_RESTART;
    for (const int number : kSignals) {
        sigaction(number, &action, nullptr);
    }
}

QuitSignals::~QuitSignals()
{
    for (const int number : kSignals) {
        std::signal(number, SIG_DFL);
    }
    for (int &end : pipeEnds) {
        if (end >= 0) {
            ::close(end);
        }
        end = -1;
    }
}

} // namespace deskhand::app
