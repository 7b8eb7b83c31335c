// SPDX-License-Identifier: Apache-2.0
#include "executor/sandbox/sandboxcommand.h"

#include "executor/process/displaytext.h"
#include "executor/sandbox/commandfront.h"
#include "executor/sandbox/probe.h"
#include "executor/sandbox/runreport.h"
#include "executor/sandbox/sandboxoptions.h"

#include <QDir>
#include <QJsonDocument>

using namespace Qt::StringLiterals;

namespace deskhand::sandbox {

namespace {

constexpr int kRefused = 125;
constexpr int kUnavailable = 126;

void say(const QString &line)
{
    front::writeAll(front::kError, u"sandbox: %1\n"_s.arg(line).toUtf8());
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
            front::writeAll(m_fd, m_filter.append(m_text.finish()).toUtf8());
        }
    }

private:
    void put(const QByteArray &bytes)
    {
        front::writeAll(m_fd, m_display ? m_filter.append(m_text.append(bytes)).toUtf8() : bytes);
    }

    int m_fd;
    qint64 m_left;
    bool m_display;
    process::TextStream m_text;
    process::ControlFilter m_filter { process::ControlFilter::Colours::Keep };
};

int run(const SandboxOptions &options)
{
    process::RunControl control;
    Output output(front::kOutput, options.request.profile.limits.outputBytes, options.display);
    Output error(front::kError, options.request.profile.limits.outputBytes, options.display);
    SandboxHooks hooks;
    if (!options.json) {
        hooks.output = [&](process::Stream stream, const char *data, qint64 size) {
            (stream == process::Stream::Output ? output : error).take(data, size);
        };
    }
    SandboxResult result;
    {
        const front::Front signals(control, options.terminal);
        result = runSandboxed(options.request, control, hooks);
    }
    if (options.json) {
        front::writeAll(front::kOutput,
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
        front::writeAll(
            front::kOutput, QJsonDocument(object).toJson(QJsonDocument::Compact) + '\n');
    } else {
        front::writeAll(front::kOutput,
            (path + u'\n' + u"  "_s + read.reason + u"\n  "_s + write.reason + u'\n').toUtf8());
    }
    return 0;
}

int probe(const SandboxOptions &options)
{
    const SandboxStatus status = probeBlocking();
    front::writeAll(front::kOutput,
        options.json ? QJsonDocument(status.toJson()).toJson(QJsonDocument::Compact) + '\n'
                     : (status.summary() + u'\n').toUtf8());
    return status.state == SandboxState::Unavailable ? kUnavailable : 0;
}

} // namespace

int runSandboxCommand(const QStringList &args, const Result<OwnerPolicy> &owner)
{
    const Result<SandboxOptions> options
        = SandboxOptions::parse(args, owner.value_or(OwnerPolicy()));
    if (!options) {
        say(u"refused: %1; %2"_s.arg(options.error().message, options.error().hint));
        return kRefused;
    }
    const bool usesPolicy = options->action == SandboxOptions::Action::Run
        || options->action == SandboxOptions::Action::Explain;
    if (!owner && usesPolicy) {
        say(u"refused: %1; %2"_s.arg(owner.error().message, owner.error().hint));
        return kRefused;
    }
    switch (options->action) {
    case SandboxOptions::Action::Help:
        front::writeAll(front::kOutput, SandboxOptions::helpText().toUtf8());
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
