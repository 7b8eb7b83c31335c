// SPDX-License-Identifier: Apache-2.0
#include "executor/sandbox/sandboxoptions.h"

#include "executor/sandbox/domainrules.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>

#include <optional>

using namespace Qt::StringLiterals;

namespace deskhand::sandbox {

namespace {

tl::unexpected<Error> usage(const QString &message)
{
    return failure(ErrorKind::Usage, message, u"see \"deskhand-executor sandbox --help\""_s);
}

/// Walks the arguments; reads of values report the option they belong to.
class Walker final
{
public:
    explicit Walker(const QStringList &args)
        : m_args(args)
    { }

    [[nodiscard]] bool atEnd() const { return m_next >= m_args.size(); }
    QString take() { return m_args[m_next++]; }
    [[nodiscard]] QStringList rest() const { return m_args.mid(m_next); }

    [[nodiscard]] Result<QString> value(const QString &option)
    {
        if (atEnd()) {
            return usage(u"%1 needs a value"_s.arg(option));
        }
        return take();
    }
    [[nodiscard]] Result<qint64> number(const QString &option, qint64 least, qint64 most)
    {
        Result<QString> text = value(option);
        if (!text) {
            return tl::unexpected(text.error());
        }
        bool ok = false;
        const qint64 result = text->toLongLong(&ok);
        if (!ok || result < least || result > most) {
            return usage(u"%1 takes a whole number from %2 to %3, not \"%4\""_s.arg(option)
                             .arg(least)
                             .arg(most)
                             .arg(*text));
        }
        return result;
    }

private:
    QStringList m_args;
    qsizetype m_next = 0;
};

/// The current directory as the shell spells it, when that is really it.
QString logicalCurrentDirectory()
{
    const QString typed = qEnvironmentVariable("PWD");
    const QString real = QDir::currentPath();
    return typed.startsWith(u'/')
            && QFileInfo(typed).canonicalFilePath() == QFileInfo(real).canonicalFilePath()
        ? typed
        : real;
}

class Parser final
{
public:
    Parser(const QStringList &args, const OwnerPolicy &owner)
        : m_walker(args)
        , m_owner(owner)
    { }

    Result<SandboxOptions> parse()
    {
        bool sawCommand = false;
        for (bool first = true; !m_walker.atEnd() && !sawCommand; first = false) {
            const QString option = m_walker.take();
            if (option == u"--"_s) {
                sawCommand = true;
            } else if (first && option == u"explain"_s) {
                m_options.action = SandboxOptions::Action::Explain;
            } else if (first && option == u"probe"_s) {
                m_options.action = SandboxOptions::Action::Probe;
            } else if (option == u"--help"_s || option == u"-h"_s) {
                m_options.action = SandboxOptions::Action::Help;
                return m_options;
            } else if (m_options.action == SandboxOptions::Action::Explain
                && !option.startsWith(u'-') && m_options.explainedPath.isEmpty()) {
                m_options.explainedPath = option;
            } else if (Result<> read = readOption(option); !read) {
                return tl::unexpected(read.error());
            }
        }
        if (sawCommand) {
            const QStringList command = m_walker.rest();
            for (const QString &word : command) {
                m_options.request.command.append(QFile::encodeName(word));
            }
        }
        return finish();
    }

private:
    Result<> readOption(const QString &option)
    {
        if (option == u"--pty"_s) {
            m_options.terminal = true;
        } else if (option == u"--display"_s) {
            m_options.display = true;
        } else if (option == u"--json"_s) {
            m_options.json = true;
        } else if (option == u"--profile"_s || option == u"--cwd"_s || option == u"--writable"_s
            || option == u"--network"_s || option == u"--allow-host"_s || option == u"--backend"_s
            || option == u"--engine"_s || option == u"--image"_s) {
            return readText(option);
        } else if (option == u"--timeout-ms"_s || option == u"--max-output-bytes"_s
            || option == u"--memory-mb"_s || option == u"--pids"_s || option == u"--grace-ms"_s) {
            return readNumber(option);
        } else {
            return usage(option.startsWith(u'-')
                    ? u"unknown option \"%1\""_s.arg(option)
                    : u"put \"--\" before the command \"%1\""_s.arg(option));
        }
        return {};
    }

    Result<> readText(const QString &option)
    {
        Result<QString> text = m_walker.value(option);
        if (!text) {
            return tl::unexpected(text.error());
        }
        if (option == u"--profile"_s) {
            m_profile = *text;
        } else if (option == u"--cwd"_s) {
            m_directory = *text;
        } else if (option == u"--writable"_s) {
            m_writable.append(*text);
        } else if (option == u"--allow-host"_s) {
            m_hosts.append(*text);
        } else if (option == u"--backend"_s) {
            if (*text != u"native"_s && *text != u"container"_s) {
                return usage(u"--backend takes native or container, not \"%1\""_s.arg(*text));
            }
            m_container = *text == u"container"_s;
        } else if (option == u"--engine"_s) {
            if (*text != u"podman"_s && *text != u"docker"_s) {
                return usage(u"--engine takes podman or docker, not \"%1\""_s.arg(*text));
            }
            m_engine = *text;
        } else if (option == u"--image"_s) {
            m_image = *text;
        } else {
            m_network = networkModeFromName(*text);
            if (!m_network) {
                return usage(u"--network takes off, local, proxy or full, not \"%1\""_s.arg(*text));
            }
        }
        return {};
    }

    Result<> readNumber(const QString &option)
    {
        constexpr qint64 kMostMilliseconds = LimitPolicy::kWallCeiling.count();
        const auto read = [this, &option](qint64 least, qint64 most,
                              std::optional<qint64> &target) -> Result<> {
            Result<qint64> number = m_walker.number(option, least, most);
            if (!number) {
                return tl::unexpected(number.error());
            }
            target = *number;
            return {};
        };
        if (option == u"--timeout-ms"_s) {
            return read(1, kMostMilliseconds, m_timeout);
        }
        if (option == u"--grace-ms"_s) {
            return read(0, 600'000, m_grace);
        }
        if (option == u"--max-output-bytes"_s) {
            return read(0, 256LL * 1024 * 1024, m_output);
        }
        if (option == u"--memory-mb"_s) {
            return read(1, 1024LL * 1024, m_memory);
        }
        return read(1, 1'000'000, m_pids);
    }

    Result<SandboxOptions> finish()
    {
        const std::optional<PermissionProfile> profile = PermissionProfile::builtIn(m_profile);
        if (!profile) {
            return usage(
                u"there is no profile \"%1\"; the built-in ones are :read-only, :workspace and :danger-full-access"_s
                    .arg(m_profile));
        }
        SandboxRequest &request = m_options.request;
        request.profile = *profile;
        if (const Result<> held = checkHeld(*profile); !held) {
            return tl::unexpected(held.error());
        }
        m_owner.applyTo(request.profile);
        const QString current = logicalCurrentDirectory();
        request.directory = QDir::cleanPath(
            m_directory.isEmpty() ? current : QDir(current).absoluteFilePath(m_directory));
        request.workspaceRoots = { request.directory };
        for (const QString &path : m_writable) {
            request.profile.files.rules.append(
                { { RuleTarget::Kind::Path, QDir::cleanPath(QDir(current).absoluteFilePath(path)) },
                    Access::Write, OnMissing::Default });
        }
        if (Result<> network = setNetwork(); !network) {
            return tl::unexpected(network.error());
        }
        if (Result<> container = setContainer(); !container) {
            return tl::unexpected(container.error());
        }
        LimitPolicy &limits = request.profile.limits;
        limits.wall = std::chrono::milliseconds(m_timeout.value_or(limits.wall.count()));
        limits.grace = std::chrono::milliseconds(m_grace.value_or(limits.grace.count()));
        limits.outputBytes = m_output.value_or(limits.outputBytes);
        if (m_memory) {
            limits.memoryBytes = *m_memory * 1024 * 1024;
        }
        limits.processes = static_cast<int>(m_pids.value_or(limits.processes));
        if (m_options.terminal) {
            request.terminal = process::TerminalSize {};
            request.openInput = true;
        }
        if (m_options.action == SandboxOptions::Action::Run && request.command.isEmpty()) {
            return usage(u"there is no command; write it after \"--\""_s);
        }
        if (m_options.action == SandboxOptions::Action::Explain
            && m_options.explainedPath.isEmpty()) {
            return usage(u"explain needs a path"_s);
        }
        return m_options;
    }

    /// What the owner keeps secret or denies needs something that holds it.
    [[nodiscard]] Result<> checkHeld(const PermissionProfile &profile) const
    {
        const bool none = profile.enforcement == Enforcement::None;
        if (none && !m_owner.secretPaths.isEmpty()) {
            return failure(ErrorKind::Policy,
                u"%1 has no wall that could hide the secret paths of your settings"_s.arg(
                    profile.id),
                u"use :workspace"_s);
        }
        if (!m_owner.deniedHosts.isEmpty()
            && (none || m_network.value_or(NetworkMode::Off) == NetworkMode::Full)) {
            return failure(ErrorKind::Policy,
                u"nothing could hold the hosts that your settings deny while the network is full"_s,
                u"use --network proxy"_s);
        }
        return {};
    }

    Result<> setContainer()
    {
        if (!m_container) {
            return m_image.isEmpty() && m_engine.isEmpty()
                ? Result<>()
                : usage(u"--image and --engine work with --backend container only"_s);
        }
#ifndef Q_OS_LINUX
        return usage(u"--backend container works on Linux only"_s);
#endif
        if (m_image.isEmpty()) {
            return usage(u"--backend container needs --image"_s);
        }
        m_options.request.container
            = ContainerChoice { m_engine == u"docker"_s ? ContainerChoice::Engine::Docker
                                                        : ContainerChoice::Engine::Podman,
                  m_image, {} };
        return {};
    }

    Result<> setNetwork()
    {
        NetworkPolicy &network = m_options.request.profile.network;
        const bool none = m_options.request.profile.enforcement == Enforcement::None;
        if (m_network && none && *m_network != NetworkMode::Full) {
            return failure(ErrorKind::Policy,
                u"%1 has no wall that could hold the network"_s.arg(m_profile),
                u"use :workspace"_s);
        }
        if (!m_hosts.isEmpty()
            && (m_network.value_or(NetworkMode::Proxy) != NetworkMode::Proxy || none)) {
            return usage(u"--allow-host works with --network proxy only"_s);
        }
        network.mode = m_network.value_or(m_hosts.isEmpty() ? network.mode : NetworkMode::Proxy);
        const Result<DomainRules> owners = DomainRules::parse(network.domains);
        for (const QString &host : m_hosts) {
            const bool denied
                = owners && owners->check(normalisedHost(host)) == DomainRules::Answer::Denied;
            if (denied || !network.domains.value(host, true)) {
                return failure(ErrorKind::Policy,
                    u"--allow-host %1: your settings deny this host"_s.arg(host),
                    u"take it off the denied hosts in the settings"_s);
            }
            network.domains.insert(host, true);
        }
        return {};
    }

    Walker m_walker;
    const OwnerPolicy &m_owner;
    SandboxOptions m_options;
    QString m_profile = PermissionProfile::kWorkspace;
    QString m_directory;
    QStringList m_writable;
    QStringList m_hosts;
    bool m_container = false;
    QString m_engine;
    QString m_image;
    std::optional<NetworkMode> m_network;
    std::optional<qint64> m_timeout;
    std::optional<qint64> m_grace;
    std::optional<qint64> m_output;
    std::optional<qint64> m_memory;
    std::optional<qint64> m_pids;
};

} // namespace

Result<SandboxOptions> SandboxOptions::parse(const QStringList &args, const OwnerPolicy &owner)
{
    return Parser(args, owner).parse();
}

QString SandboxOptions::helpText()
{
    return u"usage: deskhand-executor sandbox [OPTIONS] -- COMMAND [ARGUMENTS]\n"
           "       deskhand-executor sandbox explain PATH [OPTIONS]\n"
           "       deskhand-executor sandbox probe [--json]\n"
           "\n"
           "  --profile NAME         :read-only, :workspace (default) or :danger-full-access\n"
           "  --cwd DIR              where the command starts; the workspace\n"
           "  --writable DIR         one more directory the command may write (repeatable)\n"
           "  --network MODE         off (default), local, proxy or full\n"
           "  --allow-host PATTERN   host reachable through the proxy: name, *.name, **.name "
           "(repeatable)\n"
           "  --timeout-ms N         end the command after N milliseconds (default 120000)\n"
           "  --grace-ms N           from the request to end to the kill (default 2000)\n"
           "  --max-output-bytes N   kept of each stream, head and tail (default 1048576)\n"
           "  --memory-mb N          memory of all its processes together\n"
           "  --pids N               processes and threads\n"
           "  --pty                  run on a terminal\n"
           "  --backend NAME         native (default), or container: the engine below is the wall\n"
           "  --engine NAME          podman (default) or docker\n"
           "  --image IMAGE          of the container; it must be there already\n"
           "  --display              make control sequences harmless in the output\n"
           "  --json                 write the result as one JSON object\n"
           "\n"
           "The sandbox part of your settings counts first, an option over it wins, but none "
           "opens\n"
           "a secret path or a host that your settings name: such a command is refused.\n"
           "\n"
           "Exit status: the command's; 124 time-out, 125 refused, 126 no sandbox available,\n"
           "128 + N when signal N ended it.\n"_s;
}

} // namespace deskhand::sandbox
