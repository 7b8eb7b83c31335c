// SPDX-License-Identifier: Apache-2.0
#include "executor/cli/terminal.h"

#include <QSocketNotifier>

#include <cerrno>
#include <fcntl.h>
#include <termios.h>
#include <unistd.h>

namespace deskhand::cli {

class Terminal::Private
{
public:
    ~Private()
    {
        showAgain();
        notifier.reset();
        ::close(file);
    }

    void hide()
    {
        termios now = {};
        if (!hidden && ::tcgetattr(file, &now) == 0) {
            before = now;
            now.c_lflag &= ~static_cast<tcflag_t>(ECHO);
            ::tcsetattr(file, TCSANOW, &now);
            hidden = true;
        }
    }

    void showAgain()
    {
        if (hidden) {
            ::tcsetattr(file, TCSANOW, &before);
            hidden = false;
        }
    }

    void write(const QByteArray &bytes) const
    {
        [[maybe_unused]] const ssize_t written
            = ::write(file, bytes.constData(), static_cast<size_t>(bytes.size()));
    }

    int file = -1;
    std::unique_ptr<QSocketNotifier> notifier;
    QByteArray typed;
    Line line;
    termios before = {};
    bool hidden = false;
};

std::unique_ptr<Terminal> Terminal::open()
{
    const int file = ::open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
    if (file < 0) {
        return {};
    }
    auto opened = std::make_unique<Private>();
    opened->file = file;
    return std::unique_ptr<Terminal>(new Terminal(std::move(opened)));
}

Terminal::Terminal(std::unique_ptr<Private> opened)
    : d(std::move(opened))
{
    d->notifier = std::make_unique<QSocketNotifier>(d->file, QSocketNotifier::Read);
    d->notifier->setEnabled(false);
    connect(d->notifier.get(), &QSocketNotifier::activated, this, [this] {
        char buffer[4096];
        const ssize_t count = ::read(d->file, buffer, sizeof(buffer));
        if (count < 0 && errno == EINTR) {
            return;
        }
        std::optional<QString> line;
        if (count > 0) {
            d->typed.append(buffer, count);
            const qsizetype end = d->typed.indexOf('\n');
            if (end < 0) {
                return;
            }
            line = QString::fromUtf8(d->typed.first(end)).trimmed();
        }
        const Line answer = std::exchange(d->line, {});
        const bool wasHidden = d->hidden;
        cancel();
        if (wasHidden) {
            d->write("\n");
        }
        if (answer) {
            answer(line);
        }
    });
}

Terminal::~Terminal() = default;

void Terminal::ask(const QString &prompt, bool hidden, const Line &line)
{
    cancel();
    ::tcflush(d->file, TCIFLUSH);
    if (hidden) {
        d->hide();
    }
    d->line = line;
    d->write(prompt.toUtf8());
    d->notifier->setEnabled(true);
}

void Terminal::cancel()
{
    d->showAgain();
    d->line = {};
    d->typed.clear();
    d->notifier->setEnabled(false);
}

} // namespace deskhand::cli
