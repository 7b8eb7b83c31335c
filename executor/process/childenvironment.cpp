// SPDX-License-Identifier: Apache-2.0
#include "executor/process/childenvironment.h"

#include <QStringList>

#include <algorithm>
#include <array>

using namespace Qt::StringLiterals;

namespace deskhand::process {

namespace {

constexpr std::array kOwnPrefixes { "WEGENT_"_L1, "DEVICE_"_L1, "DESKHAND_"_L1, "CODEX_"_L1,
    "LOCAL_HEARTBEAT"_L1, "LOCAL_RECONNECT"_L1, "LOCAL_WORKSPACE"_L1 };
constexpr std::array kOwnNames { "BIND_SHELL"_L1 };
constexpr std::array kSecretParts { "TOKEN"_L1, "SECRET"_L1, "PASSWORD"_L1, "PASSWD"_L1,
    "PASSPHRASE"_L1, "APIKEY"_L1, "API_KEY"_L1, "ACCESS_KEY"_L1, "PRIVATE_KEY"_L1, "CREDENTIAL"_L1,
    "COOKIE"_L1 };
constexpr std::array kLoopback { "127.0.0.1"_L1, "localhost"_L1, "::1"_L1 };

} // namespace

bool isWithheldVariable(const QString &name)
{
    const QString upper = name.toUpper();
    return std::any_of(kOwnPrefixes.begin(), kOwnPrefixes.end(),
               [&](QLatin1StringView prefix) { return upper.startsWith(prefix); })
        || std::any_of(
            kOwnNames.begin(), kOwnNames.end(), [&](QLatin1StringView own) { return upper == own; })
        || std::any_of(kSecretParts.begin(), kSecretParts.end(),
            [&](QLatin1StringView part) { return upper.contains(part); })
        || upper.endsWith("_KEY"_L1) || upper.endsWith("_PAT"_L1);
}

QProcessEnvironment childEnvironment(const QProcessEnvironment &environment)
{
    QProcessEnvironment child;
    const QStringList names = environment.keys();
    for (const QString &name : names) {
        if (!isWithheldVariable(name)) {
            child.insert(name, environment.value(name));
        }
    }
    const QString given = child.value(u"NO_PROXY"_s, child.value(u"no_proxy"_s));
    QStringList hosts = given.split(u',', Qt::SkipEmptyParts);
    for (QString &host : hosts) {
        host = host.trimmed();
    }
    for (const QLatin1StringView host : kLoopback) {
        if (!hosts.contains(host)) {
            hosts.append(host);
        }
    }
    child.insert(u"NO_PROXY"_s, hosts.join(u','));
    child.insert(u"no_proxy"_s, hosts.join(u','));
    return child;
}

} // namespace deskhand::process
