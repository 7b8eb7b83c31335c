// SPDX-License-Identifier: Apache-2.0
#include "executor/sandbox/seatbelt.h"

#include "executor/sandbox/pathfacts.h"

#include <algorithm>
#include <cctype>
#include <cstring>

namespace deskhand::sandbox {

namespace {

// What every program needs to start, and nothing that leads out: own children, hardware facts, user
// names, locks, terminals.
constexpr char kBase[] = R"((version 1)
(deny default)
(allow process-exec)
(allow process-fork)
(allow signal (target same-sandbox))
(allow process-info* (target same-sandbox))
(allow file-write-data (require-all (path "/dev/null") (vnode-type CHARACTER-DEVICE)))
(allow sysctl-read
  (sysctl-name "hw.activecpu")
  (sysctl-name "hw.byteorder")
  (sysctl-name "hw.cachelinesize")
  (sysctl-name "hw.logicalcpu")
  (sysctl-name "hw.logicalcpu_max")
  (sysctl-name "hw.machine")
  (sysctl-name "hw.memsize")
  (sysctl-name "hw.ncpu")
  (sysctl-name "hw.pagesize")
  (sysctl-name "hw.physicalcpu")
  (sysctl-name "hw.physicalcpu_max")
  (sysctl-name "kern.argmax")
  (sysctl-name "kern.hostname")
  (sysctl-name "kern.maxfilesperproc")
  (sysctl-name "kern.osproductversion")
  (sysctl-name "kern.osrelease")
  (sysctl-name "kern.ostype")
  (sysctl-name "kern.osversion")
  (sysctl-name "kern.version")
  (sysctl-name "vm.loadavg"))
(allow mach-lookup
  (global-name "com.apple.system.opendirectoryd.libinfo")
  (global-name "com.apple.cfprefsd.daemon")
  (global-name "com.apple.cfprefsd.agent"))
(allow ipc-posix-sem)
(allow ipc-posix-shm-read-data ipc-posix-shm-write-create ipc-posix-shm-write-unlink
  (ipc-posix-name-prefix "/__KMP_REGISTERED_LIB_"))
(allow pseudo-tty)
(allow file-read* file-write* file-ioctl (literal "/dev/ptmx"))
(allow file-read* file-write* (require-all (regex #"^/dev/ttys[0-9]+$") (extension "com.apple.sandbox.pty")))
(allow file-ioctl (regex #"^/dev/ttys[0-9]+$"))
(allow user-preference-read)
)";

class SeatbeltBuilder final
{
public:
    explicit SeatbeltBuilder(const SeatbeltPlan &plan)
        : m_plan(plan)
    {
        for (const PolicyEntry &entry : plan.entries) {
            if (!entry.alias && entry.origin != Origin::PrivatePlace
                && (entry.kind != PathKind::Missing || entry.guard || entry.watchOnly)) {
                m_entries.push_back(entry);
                m_entries.back().path = resolve(entry.path);
            }
        }
        std::sort(m_entries.begin(), m_entries.end(),
            [](const PolicyEntry &a, const PolicyEntry &b) { return a.path < b.path; });
    }

    SeatbeltProfile build()
    {
        m_profile.text = kBase;
        access("file-read*", Access::Read);
        access("file-write*", Access::Write);
        globs();
        network();
        return std::move(m_profile);
    }

private:
    [[nodiscard]] std::string resolve(const std::string &path) const
    {
        return m_plan.canonical ? m_plan.canonical(path) : paths::canonical(path);
    }

    QByteArray parameter(const std::string &path)
    {
        const QByteArray name = "P" + QByteArray::number(m_profile.parameters.size());
        m_profile.parameters.append({ name, QByteArray::fromStdString(path) });
        return "(param \"" + name + "\")";
    }

    /// Allows `operation` below each entry that has at least `least`, except below the next deeper
    /// entries that have less. Deeper entries that have it again get a clause of their own.
    void access(const char *operation, Access least)
    {
        for (const PolicyEntry &entry : m_entries) {
            if (entry.access < least) {
                continue;
            }
            QByteArray clause = "(subpath " + parameter(entry.path) + ')';
            if (entry.path == "/") {
                clause = "(subpath \"/\")";
                m_profile.parameters.removeLast();
            }
            QByteArray exceptions;
            for (const PolicyEntry &other : m_entries) {
                if (other.access >= least || other.path == entry.path
                    || !paths::isWithin(other.path, entry.path)) {
                    continue;
                }
                // The literal as well: a subpath alone would let the directory itself be made.
                const QByteArray name = parameter(other.path);
                exceptions += "\n    (require-not (literal " + name
                    + "))\n    (require-not (subpath " + name + "))";
            }
            m_profile.text += "(allow " + QByteArray(operation) + "\n  "
                + (exceptions.isEmpty() ? clause : "(require-all " + clause + exceptions + ')')
                + ")\n";
        }
    }

    void globs()
    {
        for (const std::string &glob : m_plan.denyGlobs) {
            std::vector<std::string> spellings { glob };
            // The fixed part may be a link; the kernel compares what it leads to.
            const size_t wildcard = glob.find_first_of("*?[");
            const size_t slash = glob.rfind('/', wildcard);
            if (slash != std::string::npos && slash > 0) {
                const std::string real = resolve(glob.substr(0, slash)) + glob.substr(slash);
                if (real != glob) {
                    spellings.push_back(real);
                }
            }
            for (const std::string &spelling : spellings) {
                m_profile.text += "(deny file-read* file-write-unlink (regex #\""
                    + QByteArray::fromStdString(seatbeltRegex(spelling)) + "\"))\n";
            }
        }
    }

    void network()
    {
        switch (m_plan.network.mode) {
        case NetworkMode::Off:
            break; // the default denial holds
        case NetworkMode::Local:
            localBinding();
            break;
        case NetworkMode::Proxy:
            // Without a usable port there is no network, rather than all of it.
            for (const int port : m_plan.proxyPorts) {
                if (port > 0 && port < 65536) {
                    m_profile.text += "(allow network-outbound (remote ip \"localhost:"
                        + QByteArray::number(port) + "\"))\n";
                }
            }
            if (m_plan.allowLocalBinding) {
                localBinding();
            }
            break;
        case NetworkMode::Full:
            m_profile.text += "(allow network-outbound)\n(allow network-inbound)\n(allow "
                              "network-bind)\n(allow system-socket)\n";
            return;
        }
        for (const QString &socket : m_plan.network.unixSockets) {
            m_profile.text += "(allow network-outbound (literal "
                + parameter(resolve(socket.toStdString())) + "))\n";
        }
    }

    void localBinding()
    {
        m_profile.text += "(allow network-bind (local ip \"localhost:*\"))\n"
                          "(allow network-inbound (local ip \"localhost:*\"))\n"
                          "(allow network-outbound (remote ip \"localhost:*\"))\n";
    }

    const SeatbeltPlan &m_plan;
    std::vector<PolicyEntry> m_entries;
    SeatbeltProfile m_profile;
};

} // namespace

QList<QByteArray> SeatbeltProfile::arguments(const QList<QByteArray> &command) const
{
    QList<QByteArray> result { "/usr/bin/sandbox-exec", "-p", text };
    for (const auto &[name, value] : parameters) {
        result.append("-D" + name + '=' + value);
    }
    result.append("--");
    return result + command;
}

SeatbeltProfile buildSeatbeltProfile(const SeatbeltPlan &plan)
{
    return SeatbeltBuilder(plan).build();
}

std::string seatbeltRegex(const std::string &glob)
{
    std::string regex = "^";
    for (size_t i = 0; i < glob.size(); ++i) {
        const char c = glob[i];
        if (c == '*' && glob.compare(i, 3, "**/") == 0) {
            regex += "(.*/)?";
            i += 2;
        } else if (c == '*' && glob.compare(i, 2, "**") == 0) {
            regex += ".*";
            ++i;
        } else if (c == '*') {
            regex += "[^/]*";
        } else if (c == '?') {
            regex += "[^/]";
        } else if (c == '[') {
            // Any one character of the name; a class could hold anything.
            const size_t end = glob.find(']', i + 2);
            regex += end == std::string::npos ? "." : "[^/]";
            i = end == std::string::npos ? i : end;
        } else if (std::isalnum(static_cast<unsigned char>(c)) != 0
            || (c != '\0' && std::strchr("/_-,:@%= ", c) != nullptr)) {
            regex += c;
        } else if (c == '.') {
            regex += "[.]";
        } else {
            regex += '.'; // quotes, brackets, line breaks, bytes beyond ASCII
        }
    }
    return regex + "(/.*)?$";
}

} // namespace deskhand::sandbox
