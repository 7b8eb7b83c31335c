// SPDX-License-Identifier: Apache-2.0
#include "executor/sandbox/environment.h"

#include "executor/sandbox/globmatcher.h"

#include <QProcessEnvironment>

#include <algorithm>

using namespace Qt::StringLiterals;

#ifdef Q_OS_UNIX
extern char **environ;
#endif

namespace deskhand::sandbox {

namespace {

constexpr std::string_view kCoreNames[] = { "HOME", "LOGNAME", "PATH", "SHELL", "USER", "USERNAME",
    "TMPDIR", "LANG", "LC_*", "TERM", "TZ" };
// Patterns for names whose values are likely secrets.
constexpr std::string_view kSecretNames[]
    = { "*KEY*", "*SECRET*", "*TOKEN*", "*PASS*", "*CREDENTIAL*", "*AUTH*", "*COOKIE*" };
constexpr std::string_view kSecretExceptions[] = { "GIT_AUTHOR_*", "GIT_COMMITTER_*" };
// Names that load code, change how tools behave, or lead to a service outside.
constexpr std::string_view kSteeringNames[]
    = { "LD_*", "DYLD_*", "BASH_ENV", "ENV", "PROMPT_COMMAND", "BASH_FUNC_*", "GIT_*",
          "PYTHONSTARTUP", "NODE_OPTIONS", "SSH_AUTH_SOCK", "SSH_AGENT_PID", "DBUS_*", "DISPLAY",
          "WAYLAND_DISPLAY", "XAUTHORITY", "DOCKER_HOST", "WEGENT_*", "DESKHAND_*" };
// Our own provider variables are withheld even without a wall.
constexpr std::string_view kOwnSecrets[]
    = { "OPENAI_API_KEY", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CODEX_API_KEY",
          "WEGENT_*TOKEN*", "WEGENT_*KEY*", "AUTH_TOKEN", "DESKHAND_*" };

template <size_t N> bool matchesAny(const std::string_view (&patterns)[N], std::string_view name)
{
    return std::any_of(std::begin(patterns), std::end(patterns),
        [name](std::string_view pattern) { return matchesComponent(pattern, name); });
}

bool matchesAny(const QStringList &patterns, std::string_view name)
{
    return std::any_of(patterns.begin(), patterns.end(),
        [name](const QString &pattern) { return matchesComponent(pattern.toStdString(), name); });
}

std::string_view view(const QByteArray &bytes)
{
    return { bytes.constData(), static_cast<size_t>(bytes.size()) };
}

QByteArray nameOf(const QByteArray &assignment)
{
    const qsizetype equals = assignment.indexOf('=');
    return equals > 0 ? assignment.left(equals) : QByteArray();
}

} // namespace

bool isWithheldVariable(const QByteArray &name)
{
    const std::string upper = name.toUpper().toStdString();
    if (matchesAny(kSecretExceptions, upper)) {
        return false;
    }
    return matchesAny(kSecretNames, upper) || matchesAny(kSteeringNames, view(name));
}

void setVariable(QList<QByteArray> &environment, const QByteArray &name, const QByteArray &value)
{
    const QByteArray assignment = name + '=' + value;
    for (QByteArray &entry : environment) {
        if (nameOf(entry) == name) {
            entry = assignment;
            return;
        }
    }
    environment.append(assignment);
}

QByteArray variable(const QList<QByteArray> &environment, const QByteArray &name)
{
    for (const QByteArray &entry : environment) {
        if (nameOf(entry) == name) {
            return entry.mid(name.size() + 1);
        }
    }
    return {};
}

QList<QByteArray> currentEnvironment()
{
    QList<QByteArray> result;
#ifdef Q_OS_UNIX
    for (char **entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
        result.append(QByteArray(*entry));
    }
#else
    const QStringList entries = QProcessEnvironment::systemEnvironment().toStringList();
    for (const QString &entry : entries) {
        result.append(entry.toUtf8());
    }
#endif
    return result;
}

QList<QByteArray> commandEnvironment(const QList<QByteArray> &inherited,
    const EnvironmentPolicy &policy, const QMap<QString, QString> &additions,
    const EnvironmentMarkers &markers)
{
    const bool managed = markers.sandbox != u"none"_s;
    QList<QByteArray> result;
    for (const QByteArray &entry : inherited) {
        const QByteArray name = nameOf(entry);
        if (name.isEmpty() || policy.start == EnvironmentPolicy::Start::None
            || (policy.start == EnvironmentPolicy::Start::Core
                && !matchesAny(kCoreNames, view(name)))) {
            continue;
        }
        if (managed ? isWithheldVariable(name) : matchesAny(kOwnSecrets, view(name))) {
            continue;
        }
        if (!matchesAny(policy.excludes, view(name))) {
            result.append(entry);
        }
    }
    for (auto it = policy.sets.begin(); it != policy.sets.end(); ++it) {
        setVariable(result, it.key().toUtf8(), it.value().toUtf8());
    }
    if (!policy.includeOnly.isEmpty()) {
        result.removeIf([&policy](const QByteArray &entry) {
            return !matchesAny(policy.includeOnly, view(nameOf(entry)));
        });
    }
    for (auto it = additions.begin(); it != additions.end(); ++it) {
        const QByteArray name = it.key().toUtf8();
        // What a caller adds is his decision; loader variables would still act on our own helper.
        if (!name.isEmpty() && !name.contains('=') && !name.startsWith("LD_")
            && !name.startsWith("DYLD_")) {
            setVariable(result, name, it.value().toUtf8());
        }
    }
    setVariable(result, "DESKHAND_SANDBOX", markers.sandbox.toUtf8());
    setVariable(result, "DESKHAND_SANDBOX_NETWORK", networkModeName(markers.network).toUtf8());
    setVariable(result, "DESKHAND_PERMISSION_PROFILE", markers.profile.toUtf8());
    // Test suites look for these two to skip what cannot work.
    if (markers.network != NetworkMode::Full) {
        setVariable(result, "CODEX_SANDBOX_NETWORK_DISABLED", "1");
    }
    if (markers.sandbox == u"seatbelt"_s) {
        setVariable(result, "CODEX_SANDBOX", "seatbelt");
    }
    return result;
}

QMap<QString, QString> proxyVariables(const QString &httpUrl, const QString &socksUrl)
{
    QMap<QString, QString> result;
    for (const QString &name : { u"HTTP_PROXY"_s, u"HTTPS_PROXY"_s, u"FTP_PROXY"_s, u"WS_PROXY"_s,
             u"WSS_PROXY"_s, u"npm_config_proxy"_s, u"npm_config_https_proxy"_s,
             u"npm_config_http_proxy"_s, u"YARN_HTTP_PROXY"_s, u"YARN_HTTPS_PROXY"_s,
             u"BUNDLE_HTTP_PROXY"_s, u"BUNDLE_HTTPS_PROXY"_s, u"PIP_PROXY"_s,
             u"DOCKER_HTTP_PROXY"_s, u"DOCKER_HTTPS_PROXY"_s }) {
        result.insert(name, httpUrl);
    }
    for (const QString &name :
        { u"http_proxy"_s, u"https_proxy"_s, u"ftp_proxy"_s, u"ws_proxy"_s, u"wss_proxy"_s }) {
        result.insert(name, httpUrl);
    }
    result.insert(u"ALL_PROXY"_s, socksUrl);
    result.insert(u"all_proxy"_s, socksUrl);
    result.insert(u"NO_PROXY"_s, QString());
    result.insert(u"no_proxy"_s, QString());
    result.insert(u"NODE_USE_ENV_PROXY"_s, u"1"_s);
    return result;
}

} // namespace deskhand::sandbox
