// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/common/result.h"

#include <QHostAddress>
#include <QMap>
#include <QString>
#include <QStringList>

namespace deskhand::sandbox {

/// Lower case, IDNA to ASCII, without trailing dot and brackets. Empty when it is no host.
[[nodiscard]] QString normalisedHost(const QString &host);

/// Which hosts a run may reach. Pure value, any thread.
class DomainRules final
{
public:
    enum class Answer { Allowed, Denied, NotListed };

    /// Pattern to allowed or not: "host", "*.host" (sub-domains), "**.host" (both). Usage error for
    /// a lone "*" and for wildcards elsewhere.
    [[nodiscard]] static Result<DomainRules> parse(const QMap<QString, bool> &patterns);

    /// Deny beats allow; nothing listed blocks all. `host` as from normalisedHost.
    [[nodiscard]] Answer check(const QString &host) const;
    /// True when this very address is listed as allowed: only so a private one can be reached.
    [[nodiscard]] bool listsAddress(const QHostAddress &address) const;

private:
    struct Pattern
    {
        QString host;
        bool self = true;
        bool below = false;
        bool allow = true;
    };
    QList<Pattern> m_patterns;
};

/// False for every address that is not an ordinary one of the internet: loopback, private, link
/// local (cloud metadata), carrier NAT, multicast, documentation, benchmarking, reserved, and IPv6
/// forms that carry such an IPv4 address.
[[nodiscard]] bool isPublicAddress(const QHostAddress &address);

/// The server name in a TLS ClientHello. Incomplete: more bytes are needed; NotTls: it is something
/// else; otherwise Complete with the name, empty when it has none.
struct ClientHello
{
    enum class State { Incomplete, NotTls, Complete };
    State state = State::Incomplete;
    QString serverName;

    [[nodiscard]] static ClientHello read(const QByteArray &bytes);
};

} // namespace deskhand::sandbox
