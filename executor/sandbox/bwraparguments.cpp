// SPDX-License-Identifier: Apache-2.0
#include "executor/sandbox/bwraparguments.h"

#include "executor/sandbox/pathfacts.h"

#include <algorithm>

using namespace Qt::StringLiterals;

namespace deskhand::sandbox {

namespace {

/// What a place in the new view is, seen from the one above it.
enum class View { ReadOnly, Writable, Denied, Private };

/// By components: everything below a directory follows it at once, before "/a-b" follows "/a".
bool comesBefore(const PolicyEntry *a, const PolicyEntry *b)
{
    return std::lexicographical_compare(
        a->path.begin(), a->path.end(), b->path.begin(), b->path.end(), [](char left, char right) {
            const auto rank = [](char c) {
                return c == '/' ? 0 : static_cast<unsigned char>(c) + 1;
            };
            return rank(left) < rank(right);
        });
}

class Builder final
{
public:
    explicit Builder(const BwrapPlan &plan)
        : m_plan(plan)
    {
        for (const PolicyEntry &entry : plan.entries) {
            if (!entry.alias && !entry.watchOnly && entry.path != "/"
                && (entry.kind != PathKind::Missing || entry.guard)
                && entry.origin != Origin::PrivatePlace) {
                m_entries.push_back(&entry);
            }
        }
        // Parents come before their children; siblings in a fixed order, so that logs compare.
        std::sort(m_entries.begin(), m_entries.end(), comesBefore);
    }

    Result<BwrapCommand> build()
    {
        namespaces();
        rootView();
        devices();
        processes();
        privatePlaces();
        // A mount only affects what is below it, so the order of 2.3 (ancestors' masks, writable
        // roots with their islands, remaining masks) is a walk over the tree of entries.
        size_t next = 0;
        children(next, "/", rootKind());
        for (const BwrapPlan::PrivatePlace &place : m_plan.privatePlaces) {
            if (place.readOnly) {
                add({ "--remount-ro", place.path });
            }
        }
        links();
        for (const std::string &path : m_plan.maskedSockets) {
            add({ "--ro-bind", "/dev/null", path });
        }
        if (m_remountRoot) {
            add({ "--remount-ro", "/" });
        }
        add({ "--chdir", m_plan.directory });
        if (m_result.options.size() + m_plan.command.size() > kMaxArguments - 16) {
            return failure(ErrorKind::Policy,
                u"the policy needs %1 arguments, more than the sandbox program takes"_s.arg(
                    m_result.options.size()),
                u"deny directories instead of single files"_s);
        }
        m_result.command = m_plan.command;
        return std::move(m_result);
    }

private:
    void add(std::initializer_list<std::string_view> arguments)
    {
        for (const std::string_view argument : arguments) {
            m_result.options.append(
                QByteArray(argument.data(), static_cast<qsizetype>(argument.size())));
        }
    }

    void tmpfs(std::string_view perms, qint64 bytes, const std::string &path)
    {
        add({ "--perms", perms });
        if (bytes > 0 && m_plan.features.size && !m_plan.features.setUserId) {
            add({ "--size", std::to_string(bytes) });
        }
        add({ "--tmpfs", path });
    }

    void namespaces()
    {
        // Named although it may be implied: for uid 0 it is not.
        add({ "--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts",
            "--unshare-cgroup-try" });
        if (m_plan.network != NetworkMode::Full) {
            add({ "--unshare-net" });
        }
        if (m_plan.features.disableUserns && !m_plan.features.setUserId) {
            add({ "--disable-userns" });
        }
        add({ "--die-with-parent", "--new-session", "--hostname", "sandbox", "--cap-drop", "ALL",
            "--as-pid-1" });
    }

    void rootView()
    {
        switch (m_plan.root) {
        case Access::Write:
            add({ "--bind", "/", "/" });
            break;
        case Access::Read:
            add({ "--ro-bind", "/", "/" });
            break;
        case Access::Deny:
            // Remounted read-only at the end, when every mount point exists.
            add({ "--tmpfs", "/" });
            m_remountRoot = true;
            break;
        }
    }

    void devices()
    {
        add({ "--dev", "/dev" });
        tmpfs("1777", m_plan.sharedMemoryBytes, "/dev/shm");
        add({ "--remount-ro", "/dev" });
    }

    void processes()
    {
        // uid 0 may write sysctls whatever its capabilities are; this is the way to code on the
        // host.
        add({ "--proc", "/proc", "--ro-bind", "/proc/sys", "/proc/sys" });
    }

    void privatePlaces()
    {
        for (const BwrapPlan::PrivatePlace &place : m_plan.privatePlaces) {
            tmpfs(place.path == "/run" ? "755" : "1777", place.bytes, place.path);
        }
        for (const BwrapPlan::ReadOnlyBind &bind : m_plan.binds) {
            add({ "--ro-bind", bind.source, bind.target });
        }
    }

    /// An empty root lacks the links by which allowed paths are usually spelled ("/bin").
    void links()
    {
        if (m_plan.root != Access::Deny) {
            return;
        }
        for (const PolicyEntry &entry : m_plan.entries) {
            if (entry.alias && entry.access != Access::Deny) {
                add({ "--symlink", entry.subject, entry.path });
            }
        }
    }

    [[nodiscard]] View rootKind() const
    {
        switch (m_plan.root) {
        case Access::Write:
            return View::Writable;
        case Access::Read:
            return View::ReadOnly;
        case Access::Deny:
            break;
        }
        return View::Denied;
    }

    [[nodiscard]] View viewAt(const std::string &path, const std::string &above, View view) const
    {
        for (const BwrapPlan::PrivatePlace &place : m_plan.privatePlaces) {
            if (paths::isWithin(path, place.path) && !paths::isWithin(above, place.path)) {
                return View::Private;
            }
        }
        return view;
    }

    /// Emits all entries below `above`, starting with number `next`.
    void children(size_t &next, const std::string &above, View view)
    {
        while (next < m_entries.size() && paths::isWithin(m_entries[next]->path, above)) {
            const PolicyEntry &entry = *m_entries[next++];
            place(entry, above, viewAt(entry.path, above, view), next);
        }
    }

    void place(const PolicyEntry &entry, const std::string &above, View view, size_t &next)
    {
        if (view == View::Denied) {
            passages(entry.path, above);
        }
        switch (entry.access) {
        case Access::Write:
            add({ "--bind", entry.path, entry.path });
            children(next, entry.path, View::Writable);
            return;
        case Access::Read:
            if (entry.guard) {
                // Only where something could create it.
                if (view == View::Writable) {
                    mask(entry.path, "555", next);
                }
                return;
            }
            if (view != View::ReadOnly) {
                add({ "--ro-bind", entry.path, entry.path });
            }
            children(next, entry.path, View::ReadOnly);
            return;
        case Access::Deny:
            deny(entry, view, next);
            return;
        }
    }

    void deny(const PolicyEntry &entry, View view, size_t &next)
    {
        if (entry.guard) {
            if (view == View::Writable) {
                mask(entry.path, "000", next);
            }
            return;
        }
        if (view == View::Denied || view == View::Private) {
            children(next, entry.path, view); // nothing of the host is there to be hidden
            return;
        }
        if (entry.kind == PathKind::Directory) {
            const bool passage
                = next < m_entries.size() && paths::isWithin(m_entries[next]->path, entry.path);
            mask(entry.path, passage ? "111" : "000", next);
            return;
        }
        if (m_result.dataDescriptors < kMaxDataDescriptors && entry.kind == PathKind::File) {
            const int descriptor = kFirstDataDescriptor + m_result.dataDescriptors++;
            add({ "--perms", "000", "--ro-bind-data", std::to_string(descriptor), entry.path });
        } else {
            // bubblewrap mounts it without device access, so that opening it is refused.
            add({ "--ro-bind", "/dev/null", entry.path });
        }
    }

    void mask(const std::string &path, std::string_view perms, size_t &next)
    {
        add({ "--perms", perms, "--tmpfs", path });
        children(next, path, View::Denied);
        add({ "--remount-ro", path });
    }

    /// The directories between a mask and what is open below it: passable, not listable.
    void passages(const std::string &path, const std::string &above)
    {
        std::vector<std::string> missing;
        for (std::string up = paths::parentOf(path); up != above && up != "/";
             up = paths::parentOf(up)) {
            missing.push_back(up);
        }
        for (auto it = missing.rbegin(); it != missing.rend(); ++it) {
            if (std::find(m_passages.begin(), m_passages.end(), *it) == m_passages.end()) {
                m_passages.push_back(*it);
                add({ "--perms", "111", "--dir", *it });
            }
        }
    }

    const BwrapPlan &m_plan;
    std::vector<const PolicyEntry *> m_entries;
    std::vector<std::string> m_passages;
    BwrapCommand m_result;
    bool m_remountRoot = false;
};

} // namespace

BwrapFeatures BwrapFeatures::fromHelp(const QByteArray &help, bool setUserId)
{
    BwrapFeatures features;
    features.disableUserns = help.contains("--disable-userns");
    features.size = help.contains("--size ");
    features.perms = help.contains("--perms ");
    features.asPid1 = help.contains("--as-pid-1");
    features.argsFd = help.contains("--args ");
    features.setUserId = setUserId;
    return features;
}

Result<BwrapCommand> buildBwrapCommand(const BwrapPlan &plan)
{
    return Builder(plan).build();
}

} // namespace deskhand::sandbox
