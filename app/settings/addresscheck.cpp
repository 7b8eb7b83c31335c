// SPDX-License-Identifier: Apache-2.0
#include "app/settings/addresscheck.h"

#include <QHostAddress>
#include <QUrl>

using namespace Qt::StringLiterals;

namespace deskhand::app {
namespace {

/// Loopback and private addresses, and names that only a private network resolves.
bool isPrivateHost(const QString &host)
{
    const QHostAddress address(host);
    if (!address.isNull()) {
        // RFC 1918 for IPv4; QHostAddress knows the IPv6 ranges.
        return address.isLoopback() || address.isLinkLocal() || address.isUniqueLocalUnicast()
            || address.isInSubnet(QHostAddress(u"10.0.0.0"_s), 8)
            || address.isInSubnet(QHostAddress(u"172.16.0.0"_s), 12)
            || address.isInSubnet(QHostAddress(u"192.168.0.0"_s), 16);
    }
    return !host.contains(u'.') || host.endsWith(".local"_L1) || host.endsWith(".internal"_L1)
        || host.endsWith(".lan"_L1) || host.endsWith(".localhost"_L1);
}

} // namespace

AddressVerdict AddressCheck::check(const QString &text, const QStringList &schemes)
{
    QString typed = text.trimmed();
    if (typed.isEmpty()) {
        return {};
    }
    if (!typed.contains("://"_L1)) {
        typed.prepend("https://"_L1);
    }
    const QUrl url(typed, QUrl::StrictMode);
    if (!url.isValid() || url.host().isEmpty()) {
        return { {}, tr("This is not an address. Example: https://wegent.example.com"), {} };
    }
    if (!schemes.contains(url.scheme())) {
        return { {}, tr("Use one of: %1").arg(schemes.join(", "_L1)), {} };
    }
    if (!url.userInfo().isEmpty()) {
        return { {}, tr("Leave user name and password out of the address."), {} };
    }
    if (url.hasQuery() || url.hasFragment()) {
        return { {}, tr("Leave out what follows ? or #."), {} };
    }
    AddressVerdict verdict;
    const bool encrypted = url.scheme() == "https"_L1 || url.scheme() == "wss"_L1;
    if (!encrypted) {
        if (!isPrivateHost(url.host())) {
            return { {}, tr("Without encryption only addresses of your own network are allowed."),
                {} };
        }
        verdict.warning = tr("Not encrypted: others on this network can read along.");
    }
    verdict.address = url.toString(QUrl::NormalizePathSegments);
    while (verdict.address.endsWith(u'/')) {
        verdict.address.chop(1);
    }
    return verdict;
}

AddressVerdict AddressCheck::server(const QString &text)
{
    return check(text, { u"https"_s, u"http"_s });
}

AddressVerdict AddressCheck::socket(const QString &text)
{
    return check(text, { u"https"_s, u"wss"_s, u"http"_s, u"ws"_s });
}

AddressVerdict AddressCheck::model(const QString &text)
{
    AddressVerdict verdict = check(text, { u"https"_s, u"http"_s });
    for (const QLatin1StringView ending :
        { "/chat/completions"_L1, "/responses"_L1, "/messages"_L1 }) {
        if (verdict.address.endsWith(ending)) {
            verdict.address.chop(ending.size());
            verdict.warning = tr("Shortened to the base address: %1").arg(verdict.address);
        }
    }
    return verdict;
}

} // namespace deskhand::app
