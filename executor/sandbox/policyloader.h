// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/common/result.h"
#include "executor/sandbox/policy.h"

#include <QByteArray>
#include <QJsonObject>
#include <QMap>
#include <QStringList>

#include <array>

namespace deskhand::sandbox {

/// Who wrote a policy file; the first that says something counts.
enum class PolicyLayer { Managed, Session, Project, User };

/// Profiles from files, over the built-in ones.
///
/// JSON of a layer: {"profiles": {"name": {"extends": ":workspace", "enforcement": "managed",
///   "files": {"rules": [{"target": "workspace_roots", "access": "write", "on_missing": "skip"}],
///             "scratch": "private", "protected_names": [], "watched_names": [], "secret_paths":
///             [], "glob_max_depth": 8, "glob_max_matches": 8192},
///   "network": {"mode": "proxy", "domains": {"*.example.org": "allow"}, "unix_sockets": [],
///               "limited_methods": false, "ports": []},
///   "limits": {"wall_ms": 1, "grace_ms": 1, "memory_bytes": 1, "processes": 1, "file_bytes": 1,
///              "open_files": 1, "output_bytes": 1},
///   "environment": {"start": "core", "excludes": [], "sets": {}, "include_only": []}}}}
/// A target is root, minimal, workspace_roots, workspace_roots/SUB, tmpdir, slash_tmp, a path or a
/// pattern. A project's file says "narrow": {...} in the same form instead; it can only take away,
/// and only when the user trusts the project.
///
/// Value type, any thread.
class PolicySet final
{
public:
    static constexpr qsizetype kMaxFileBytes = 1024 * 1024;

    /// Reads one layer. Usage error naming profile and key; the layer then stays empty.
    [[nodiscard]] Result<> addLayer(PolicyLayer layer, const QByteArray &json);
    void setProjectTrusted(bool trusted) { m_projectTrusted = trusted; }

    /// The profile of that name with everything it extends and every narrowing. Usage error for an
    /// unknown name or a cycle.
    [[nodiscard]] Result<PermissionProfile> profile(const QString &id) const;
    [[nodiscard]] QStringList names() const;
    /// What was ignored and why, for people.
    [[nodiscard]] QStringList reports() const { return m_reports; }

private:
    struct Layer
    {
        QMap<QString, QJsonObject> profiles;
        QJsonObject narrow;
    };

    [[nodiscard]] Result<PermissionProfile> build(const QString &id, QStringList path) const;
    [[nodiscard]] const QJsonObject *find(const QString &id) const;

    std::array<Layer, 4> m_layers;
    bool m_projectTrusted = false;
    QStringList m_reports;
};

/// Applies one JSON profile to `base`. Usage error naming the key.
[[nodiscard]] Result<> applyProfileJson(const QJsonObject &json, PermissionProfile &base);

/// The stricter of both in every point: what `wish` asks beyond `base` is left out.
[[nodiscard]] PermissionProfile narrowed(
    const PermissionProfile &base, const PermissionProfile &wish);

/// Text of a target as in the files, and back.
[[nodiscard]] RuleTarget targetFromText(const QString &text);

} // namespace deskhand::sandbox
