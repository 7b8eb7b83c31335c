// SPDX-License-Identifier: Apache-2.0
#include "executor/sandbox/sandboxcommand.h"

#include "executor/process/displaytext.h"
#include "executor/sandbox/probe.h"
#include "executor/sandbox/runreport.h"
#include "executor/sandbox/sandboxoptions.h"

#include <QDir>
#include <QJsonDocument>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <thread>
#include <unistd.h>

using namespace Qt::StringLiterals;

namespace deskhand::sandbox {

namespace {

constexpr int kRefused = 125;
constexpr int kUnavailable = 126;

void writeAll(int fd, const QByteArray &bytes)
{
    for (qsizetype done = 0; done < bytes.size();) {
        const ssize_t put
            = ::write(fd, bytes.constData() + done, static_cast<size_t>(bytes.size() - done));
        if (put < 0 && errno != EINTR) {
            return; // nobody reads any more; the run goes on
        }
        done += std::max<ssize_t>(put, 0);
    }
}

void say(const QString &line)
{
    writeAll(STDERR_FILENO, u"sandbox: %1\n"_s.arg(line).toUtf8());
}

/// One of our output streams: the head goes out as it comes, marker and tail at the end.
class Output final
{
public:
    Output(int fd, qint64 limit, bool display)
        : m_fd(fd)
        , m_left(limit - limit / 2)
        , m_display(display)
    { }
    void take(const char *data, qint64 size)
    {
        const qint64 part = std::min(size, m_left);
        m_left -= part;
        put(QByteArray(data, part));
    }
    void finish(const process::HeadTailBuffer &retained)
    {
        if (retained.omitted() > 0) {
            put(process::HeadTailBuffer::marker(retained.omitted()));
        }
        put(retained.tail());
        if (m_display) {
            writeAll(m_fd, m_filter.append(m_text.finish()).toUtf8());
        }
    }

private:
    void put(const QByteArray &bytes)
    {
        writeAll(m_fd, m_display ? m_filter.append(m_text.append(bytes)).toUtf8() : bytes);
    }

    int m_fd;
    qint64 m_left;
    bool m_display;
    process::TextStream m_text;
    process::ControlFilter m_filter { process::ControlFilter::Colours::Keep };
};

/// Turns this program's signals into orders for the run, and with a terminal copies its keys. A
/// thread of its own, because the main thread is busy with the run.
class Front final
{
public:
    Front(process::RunControl &control, bool terminal)
        : m_control(control)
        , m_terminal(terminal)
    {
        sigemptyset(&m_signals);
        for (const int number : { SIGINT, SIGTERM, SIGHUP, SIGWINCH }) {
            sigaddset(&m_signals, number);
        }
        pthread_sigmask(SIG_BLOCK, &m_signals, &m_before);
        if (m_terminal) {
            resize();
            if (isatty(STDIN_FILENO) != 0 && tcgetattr(STDIN_FILENO, &m_mode) == 0) {
                termios raw = m_mode;
                cfmakeraw(&raw);
                m_raw = tcsetattr(STDIN_FILENO, TCSANOW, &raw) == 0;
            }
        }
        m_thread = std::thread([this] { serve(); });
    }
    ~Front()
    {
        m_stop = true;
        m_thread.join();
        if (m_raw) {
            tcsetattr(STDIN_FILENO, TCSANOW, &m_mode);
        }
        pthread_sigmask(SIG_SETMASK, &m_before, nullptr);
    }
    Front(const Front &) = delete;
    Front &operator=(const Front &) = delete;

private:
    void serve()
    {
        bool input = m_terminal;
        while (!m_stop) {
            const timespec none { 0, 0 };
            const timespec tick { 0, 20'000'000 };
            const int number = sigtimedwait(&m_signals, nullptr, input ? &none : &tick);
            if (number == SIGWINCH) {
                resize();
            } else if (number > 0) {
                m_control.cancel();
            }
            if (input) {
                input = copyKeys();
            }
        }
    }
    bool copyKeys()
    {
        pollfd keys { STDIN_FILENO, POLLIN, 0 };
        if (poll(&keys, 1, 20) <= 0) {
            return true;
        }
        QByteArray buffer(4096, Qt::Uninitialized);
        const ssize_t got = ::read(STDIN_FILENO, buffer.data(), static_cast<size_t>(buffer.size()));
        if (got <= 0) {
            m_control.closeInput();
            return false;
        }
        return m_control.write(buffer.left(got));
    }
    void resize()
    {
        winsize size {};
        if (m_terminal && ioctl(STDIN_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0) {
            m_control.resize({ size.ws_row, size.ws_col });
        }
    }

    process::RunControl &m_control;
    bool m_terminal;
    bool m_raw = false;
    termios m_mode {};
    sigset_t m_signals {};
    sigset_t m_before {};
    std::atomic<bool> m_stop { false };
    std::thread m_thread;
};

int run(const SandboxOptions &options)
{
    process::RunControl control;
    Output output(STDOUT_FILENO, options.request.profile.limits.outputBytes, options.display);
    Output error(STDERR_FILENO, options.request.profile.limits.outputBytes, options.display);
    SandboxHooks hooks;
    if (!options.json) {
        hooks.output = [&](process::Stream stream, const char *data, qint64 size) {
            (stream == process::Stream::Output ? output : error).take(data, size);
        };
    }
    SandboxResult result;
    {
        const Front front(control, options.terminal);
        result = runSandboxed(options.request, control, hooks);
    }
    if (options.json) {
        writeAll(STDOUT_FILENO,
            QJsonDocument(resultToJson(result, options.display)).toJson(QJsonDocument::Compact)
                + '\n');
    } else {
        output.finish(result.outcome.output.retained);
        error.finish(result.outcome.error.retained);
    }
    for (const QString &note : resultNotes(result)) {
        say(note);
    }
    return result.exitStatus();
}

int explain(const SandboxOptions &options)
{
    PolicyContext context;
    context.workspaceRoots = options.request.workspaceRoots;
    context.home = qEnvironmentVariable("HOME");
    context.temporaryFolder = qEnvironmentVariable("TMPDIR");
    const Result<ResolvedPolicy> policy = ResolvedPolicy::resolve(options.request.profile, context);
    if (!policy) {
        say(u"refused: %1"_s.arg(policy.error().message));
        return kRefused;
    }
    const QString path
        = QDir::cleanPath(QDir(options.request.directory).absoluteFilePath(options.explainedPath));
    const ResolvedPolicy::Verdict read = policy->verdict(path, Access::Read);
    const ResolvedPolicy::Verdict write = policy->verdict(path, Access::Write);
    if (options.json) {
        const QJsonObject object { { u"path"_s, path },
            { u"profile"_s, options.request.profile.id },
            { u"access"_s, accessName(read.effective) }, { u"read"_s, read.allowed },
            { u"write"_s, write.allowed }, { u"private"_s, read.privateView },
            { u"read_reason"_s, read.reason }, { u"write_reason"_s, write.reason } };
        writeAll(STDOUT_FILENO, QJsonDocument(object).toJson(QJsonDocument::Compact) + '\n');
    } else {
        writeAll(STDOUT_FILENO,
            (path + u'\n' + u"  "_s + read.reason + u"\n  "_s + write.reason + u'\n').toUtf8());
    }
    return 0;
}

int probe(const SandboxOptions &options)
{
    const SandboxStatus status = probeBlocking();
    writeAll(STDOUT_FILENO,
        options.json ? QJsonDocument(status.toJson()).toJson(QJsonDocument::Compact) + '\n'
                     : (status.summary() + u'\n').toUtf8());
    return status.state == SandboxState::Unavailable ? kUnavailable : 0;
}

} // namespace

int runSandboxCommand(const QStringList &args)
{
    const Result<SandboxOptions> options = SandboxOptions::parse(args);
    if (!options) {
        say(u"refused: %1; %2"_s.arg(options.error().message, options.error().hint));
        return kRefused;
    }
    switch (options->action) {
    case SandboxOptions::Action::Help:
        writeAll(STDOUT_FILENO, SandboxOptions::helpText().toUtf8());
        return 0;
    case SandboxOptions::Action::Explain:
        return explain(*options);
    case SandboxOptions::Action::Probe:
        return probe(*options);
    case SandboxOptions::Action::Run:
        break;
    }
    return run(*options);
}

} // namespace deskhand::sandbox
