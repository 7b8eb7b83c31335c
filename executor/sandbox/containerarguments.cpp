// SPDX-License-Identifier: Apache-2.0
#include "executor/sandbox/containerarguments.h"

#include "executor/sandbox/pathfacts.h"

#include <algorithm>

using namespace Qt::StringLiterals;

namespace deskhand::sandbox {

namespace {

/// What a place in the container is. Own: the image's or ours, nothing of the host.
enum class View { Own, ReadOnly, Writable };

QString shownPath(const std::string &path)
{
    return QString::fromStdString(path);
}

tl::unexpected<Error> cannotHold(const QString &rule)
{
    return failure(ErrorKind::Policy, u"a container engine cannot hold this rule: %1"_s.arg(rule),
        u"use bubblewrap, or a profile without the rule"_s);
}

class Builder final
{
public:
    explicit Builder(const ContainerPlan &plan)
        : m_plan(plan)
    {
        for (const PolicyEntry &entry : plan.entries) {
            if (!entry.alias && !entry.watchOnly && entry.path != "/"
                && (entry.kind != PathKind::Missing || entry.guard)
                && entry.origin != Origin::PrivatePlace) {
                m_entries.push_back(entry);
            }
        }
        for (const std::string &path : plan.shown) {
            if (std::none_of(m_entries.begin(), m_entries.end(), [&path](const PolicyEntry &entry) {
                    return entry.access != Access::Deny && paths::isWithin(path, entry.path);
                })) {
                PolicyEntry entry;
                entry.path = path;
                entry.access = Access::Read;
                entry.kind = PathKind::Directory;
                m_entries.push_back(entry);
            }
        }
        // Engines mount by depth; so do we, so that the view above an entry is known.
        std::stable_sort(
            m_entries.begin(), m_entries.end(), [](const PolicyEntry &a, const PolicyEntry &b) {
                return std::pair(std::count(a.path.begin(), a.path.end(), '/'), a.path)
                    < std::pair(std::count(b.path.begin(), b.path.end(), '/'), b.path);
            });
    }

    Result<ContainerCommand> build()
    {
        if (Result<> fits = checkPolicy(); !fits) {
            return tl::unexpected(fits.error());
        }
        begin();
        confine();
        limit();
        privatePlaces();
        for (const PolicyEntry &entry : m_entries) {
            if (Result<> placed = place(entry); !placed) {
                return tl::unexpected(placed.error());
            }
        }
        for (const ContainerPlan::Bind &bind : m_plan.binds) {
            if (Result<> bound = mount(bind.source, bind.target, true); !bound) {
                return tl::unexpected(bound.error());
            }
        }
        add({ "--workdir", m_plan.directory, "--env-file", m_plan.environmentFile, "--entrypoint",
            m_plan.command.first().toStdString(), m_plan.image });
        m_result.arguments.append(m_plan.command.mid(1));
        return std::move(m_result);
    }

private:
    void add(std::initializer_list<std::string_view> arguments)
    {
        for (const std::string_view argument : arguments) {
            m_result.arguments.append(
                QByteArray(argument.data(), static_cast<qsizetype>(argument.size())));
        }
    }

    [[nodiscard]] Result<> checkPolicy() const
    {
        if (m_plan.image.empty() || m_plan.image.front() == '-') {
            return failure(
                ErrorKind::Usage, u"\"%1\" is no name of an image"_s.arg(shownPath(m_plan.image)));
        }
        if (m_plan.network.mode != NetworkMode::Off && m_plan.network.mode != NetworkMode::Full) {
            return cannotHold(u"network %1"_s.arg(networkModeName(m_plan.network.mode)));
        }
        if (!m_plan.network.unixSockets.isEmpty()) {
            return cannotHold(u"sockets (%1)"_s.arg(m_plan.network.unixSockets.first()));
        }
        if (m_plan.root == Access::Write) {
            return cannotHold(u"the whole disk writable"_s);
        }
        if (m_plan.scratch == Scratch::Host) {
            return cannotHold(u"the host's scratch places"_s);
        }
        return {};
    }

    void begin()
    {
        // Removed when it ends, whoever is alive then; its label lets a later start find the rest.
        add({ "run", "--rm", "--name", m_plan.name, "--label", std::string(kContainerLabel) + "=1",
            "--pull", "never", "--log-driver", "none", "--sig-proxy=false" });
        if (m_plan.openInput) {
            add({ "--interactive" });
        }
    }

    void confine()
    {
        if (m_plan.network.mode == NetworkMode::Full) {
            add({ "--network", "host" });
        } else {
            add({ "--network", "none", "--hostname", "sandbox" });
        }
        add({ "--read-only", "--cap-drop", "all", "--security-opt", "no-new-privileges", "--user",
            std::to_string(m_plan.uid) + ':' + std::to_string(m_plan.gid) });
        if (m_plan.engine == ContainerChoice::Engine::Podman) {
            // What an image declares as a volume would be a place to write without bounds.
            add({ "--read-only-tmpfs=false", "--image-volume", "ignore" });
            if (m_plan.keepId) {
                add({ "--userns", "keep-id" });
            }
        }
    }

    void limit()
    {
        const LimitPolicy &limits = m_plan.limits;
        if (m_plan.engineLimits && limits.processes > 0) {
            add({ "--pids-limit", std::to_string(limits.processes) });
        }
        if (m_plan.engineLimits && limits.memoryBytes > 0) {
            const std::string bytes = std::to_string(limits.memoryBytes);
            add({ "--memory", bytes, "--memory-swap", bytes });
        }
        const auto resource = [this](const char *name, qint64 value) {
            add({ "--ulimit",
                std::string(name) + '=' + std::to_string(value) + ':' + std::to_string(value) });
        };
        resource("core", 0);
        if (limits.openFiles > 0) {
            resource("nofile", limits.openFiles);
        }
        if (limits.processes > 0) {
            resource("nproc", limits.processes);
        }
        if (limits.fileBytes > 0) {
            resource("fsize", limits.fileBytes);
        }
    }

    void tmpfs(const std::string &path, const std::string &options)
    {
        add({ "--tmpfs", path + ':' + options });
    }

    void privatePlaces()
    {
        if (m_plan.sharedMemoryBytes > 0) {
            add({ "--shm-size", std::to_string(m_plan.sharedMemoryBytes) });
        }
        for (const ContainerPlan::PrivatePlace &place : m_plan.privatePlaces) {
            tmpfs(place.path,
                (place.readOnly ? std::string("ro") : std::string("rw,exec"))
                    + ",nosuid,nodev,size=" + std::to_string(place.bytes)
                    + (place.path == "/run" ? ",mode=755" : ",mode=1777"));
        }
    }

    [[nodiscard]] Result<> mount(
        const std::string &source, const std::string &target, bool readOnly)
    {
        for (const std::string &path : { source, target }) {
            if (path.find_first_of(",\"\n\r") != std::string::npos) {
                return cannotHold(
                    u"the path \"%1\", for its commas, quotes or line ends"_s.arg(shownPath(path)));
            }
        }
        add({ "--mount",
            "type=bind,source=" + source + ",destination=" + target
                + (readOnly ? ",readonly" : "") });
        return {};
    }

    [[nodiscard]] View viewAbove(const std::string &path) const
    {
        View view = View::Own;
        size_t deepest = 0;
        const auto consider = [&](const std::string &place, View its) {
            if (path != place && paths::isWithin(path, place) && place.size() >= deepest) {
                deepest = place.size();
                view = its;
            }
        };
        for (const ContainerPlan::PrivatePlace &place : m_plan.privatePlaces) {
            consider(place.path, View::Own);
        }
        for (const auto &[place, its] : m_views) {
            consider(place, its);
        }
        return view;
    }

    [[nodiscard]] Result<> place(const PolicyEntry &entry)
    {
        const View above = viewAbove(entry.path);
        if (entry.guard) {
            if (above == View::Writable) {
                m_views.emplace_back(entry.path, View::Own);
                tmpfs(entry.path,
                    entry.access == Access::Deny ? "ro,size=4096,mode=000"
                                                 : "ro,size=4096,mode=555");
            }
            return {};
        }
        if (entry.access == Access::Deny) {
            return hide(entry, above);
        }
        const bool writable = entry.access == Access::Write;
        const bool isImages = above == View::Own && !writable
            && std::any_of(m_plan.imagesOwn.begin(), m_plan.imagesOwn.end(),
                [&entry](const std::string &own) { return entry.path == own; });
        const View its = writable ? View::Writable : View::ReadOnly;
        if (isImages || above == its) {
            return {};
        }
        if (entry.kind == PathKind::Other) {
            return cannotHold(u"the special file %1"_s.arg(shownPath(entry.path)));
        }
        m_views.emplace_back(entry.path, its);
        m_result.mounts.append(
            (writable ? u"%1 (writable)"_s : u"%1 (read-only)"_s).arg(shownPath(entry.path)));
        if (!writable) {
            m_result.readOnly.push_back(entry.path);
        }
        return mount(entry.path, entry.path, !writable);
    }

    [[nodiscard]] Result<> hide(const PolicyEntry &entry, View above)
    {
        if (above == View::Own) {
            return {}; // nothing of the host is there
        }
        for (const PolicyEntry &other : m_entries) {
            if (other.access != Access::Deny && !other.guard && other.path != entry.path
                && paths::isWithin(other.path, entry.path)) {
                return cannotHold(u"%1 open inside the hidden %2"_s.arg(
                    shownPath(other.path), shownPath(entry.path)));
            }
        }
        m_views.emplace_back(entry.path, View::Own);
        if (entry.kind == PathKind::Directory) {
            tmpfs(entry.path, "ro,size=4096,mode=000");
            return {};
        }
        return mount(m_plan.emptyFile, entry.path, true);
    }

    const ContainerPlan &m_plan;
    std::vector<PolicyEntry> m_entries;
    std::vector<std::pair<std::string, View>> m_views;
    ContainerCommand m_result;
};

} // namespace

Result<ContainerCommand> buildContainerCommand(const ContainerPlan &plan)
{
    return Builder(plan).build();
}

QByteArray containerName(qint64 pid, qint64 startTime, const QString &random)
{
    return u"deskhand-%1-%2-%3"_s.arg(pid).arg(startTime).arg(random).toLatin1();
}

std::optional<ContainerOwner> containerOwner(const QByteArray &name)
{
    const QList<QByteArray> parts = name.split('-');
    if (parts.size() != 4 || parts[0] != "deskhand") {
        return std::nullopt;
    }
    bool isPid = false;
    bool isTime = false;
    const ContainerOwner owner { parts[1].toLongLong(&isPid), parts[2].toLongLong(&isTime) };
    return isPid && isTime && owner.pid > 0 ? std::optional(owner) : std::nullopt;
}

} // namespace deskhand::sandbox
