// SPDX-License-Identifier: Apache-2.0
#include "executor/sandbox/domainrules.h"

#include <QUrl>

#include <algorithm>
#include <array>

using namespace Qt::StringLiterals;

namespace deskhand::sandbox {

namespace {

struct Block
{
    const char *network;
    int bits;
};
// From the special-purpose registries of RFC 6890 and its successors.
constexpr std::array kClosedV4 { Block { "0.0.0.0", 8 }, Block { "10.0.0.0", 8 },
    Block { "100.64.0.0", 10 }, Block { "127.0.0.0", 8 }, Block { "169.254.0.0", 16 },
    Block { "172.16.0.0", 12 }, Block { "192.0.0.0", 24 }, Block { "192.0.2.0", 24 },
    Block { "192.88.99.0", 24 }, Block { "192.168.0.0", 16 }, Block { "198.18.0.0", 15 },
    Block { "198.51.100.0", 24 }, Block { "203.0.113.0", 24 }, Block { "224.0.0.0", 4 },
    Block { "240.0.0.0", 4 } };
constexpr std::array kClosedV6 { Block { "::", 128 }, Block { "::1", 128 },
    Block { "64:ff9b:1::", 48 }, Block { "100::", 64 }, Block { "2001::", 23 },
    Block { "2001:db8::", 32 }, Block { "3fff::", 20 }, Block { "5f00::", 16 },
    Block { "fc00::", 7 }, Block { "fe80::", 10 }, Block { "fec0::", 10 }, Block { "ff00::", 8 } };

template <size_t N> bool inAny(const QHostAddress &address, const std::array<Block, N> &blocks)
{
    return std::any_of(blocks.begin(), blocks.end(), [&address](const Block &block) {
        return address.isInSubnet(QHostAddress(QString::fromLatin1(block.network)), block.bits);
    });
}

bool isPublicV4(quint32 address)
{
    return !inAny(QHostAddress(address), kClosedV4);
}

quint32 v4At(const Q_IPV6ADDR &bytes, int offset)
{
    return static_cast<quint32>(bytes[offset]) << 24U
        | static_cast<quint32>(bytes[offset + 1]) << 16U
        | static_cast<quint32>(bytes[offset + 2]) << 8U | bytes[offset + 3];
}

/// Reads big-endian numbers of a TLS record; a read beyond the end makes it fail for good.
class TlsReader final
{
public:
    explicit TlsReader(QByteArray bytes)
        : m_bytes(std::move(bytes))
    { }
    quint32 number(int size)
    {
        quint32 value = 0;
        for (int i = 0; i < size; ++i) {
            value = value << 8U | (m_at < m_bytes.size() ? static_cast<uchar>(m_bytes[m_at]) : 0U);
            ++m_at;
        }
        return value;
    }
    QByteArray block(int lengthSize)
    {
        const quint32 length = number(lengthSize);
        const QByteArray result = m_bytes.mid(m_at, length);
        m_at += length;
        return result;
    }
    void skip(qsizetype count) { m_at += count; }
    [[nodiscard]] bool good() const { return m_at <= m_bytes.size(); }
    [[nodiscard]] bool atEnd() const { return m_at >= m_bytes.size(); }

private:
    QByteArray m_bytes;
    qsizetype m_at = 0;
};

} // namespace

QString normalisedHost(const QString &host)
{
    QString text = host.trimmed();
    if (text.startsWith(u'[') && text.endsWith(u']')) {
        text = text.mid(1, text.size() - 2);
    }
    QHostAddress address;
    // Of IPv4 only the full dotted form: "2130706433" and "127.1" are spellings that not everybody
    // reads alike.
    const bool address4 = text.count(u'.') == 3 && !text.contains(u'x', Qt::CaseInsensitive);
    if ((address4 || text.contains(u':')) && address.setAddress(text)) {
        return address.scopeId().isEmpty() ? address.toString() : QString();
    }
    while (text.endsWith(u'.')) {
        text.chop(1);
    }
    const QString ascii = QString::fromLatin1(QUrl::toAce(text.toLower()));
    const bool plain = std::all_of(ascii.begin(), ascii.end(), [](QChar c) {
        return (c >= u'a' && c <= u'z') || (c >= u'0' && c <= u'9') || c == u'-' || c == u'.'
            || c == u'_';
    });
    const QString last = ascii.section(u'.', -1);
    const bool numeric = !last.isEmpty() && (last.at(0).isDigit());
    return plain && !numeric && ascii.size() <= 253 && !ascii.contains(u".."_s)
            && !ascii.startsWith(u'.')
        ? ascii
        : QString();
}

Result<DomainRules> DomainRules::parse(const QMap<QString, bool> &patterns)
{
    DomainRules rules;
    for (auto it = patterns.begin(); it != patterns.end(); ++it) {
        Pattern pattern;
        pattern.allow = it.value();
        QString host = it.key().trimmed();
        if (host.startsWith(u"**."_s)) {
            pattern.below = true;
            host.remove(0, 3);
        } else if (host.startsWith(u"*."_s)) {
            pattern.below = true;
            pattern.self = false;
            host.remove(0, 2);
        }
        pattern.host = normalisedHost(host);
        if (pattern.host.isEmpty() || host.contains(u'*')) {
            return failure(ErrorKind::Usage, u"\"%1\" is no host pattern"_s.arg(it.key()),
                u"use a name, *.name for its sub-domains, or **.name for both"_s);
        }
        rules.m_patterns.append(pattern);
    }
    return rules;
}

DomainRules::Answer DomainRules::check(const QString &host) const
{
    Answer answer = Answer::NotListed;
    for (const Pattern &pattern : m_patterns) {
        const bool hit = (pattern.self && host == pattern.host)
            || (pattern.below && host.size() > pattern.host.size()
                && host.endsWith(u'.' + pattern.host));
        if (hit && !pattern.allow) {
            return Answer::Denied;
        }
        if (hit) {
            answer = Answer::Allowed;
        }
    }
    return answer;
}

bool DomainRules::listsAddress(const QHostAddress &address) const
{
    return std::any_of(m_patterns.begin(), m_patterns.end(), [&address](const Pattern &pattern) {
        QHostAddress listed;
        return pattern.allow && pattern.self && listed.setAddress(pattern.host)
            && listed == address;
    });
}

bool isPublicAddress(const QHostAddress &address)
{
    if (address.protocol() == QAbstractSocket::IPv4Protocol) {
        return isPublicV4(address.toIPv4Address());
    }
    if (address.protocol() != QAbstractSocket::IPv6Protocol) {
        return false;
    }
    const Q_IPV6ADDR bytes = address.toIPv6Address();
    bool mapped = false;
    const quint32 v4 = address.toIPv4Address(&mapped);
    if (mapped) {
        return isPublicV4(v4);
    }
    if (inAny(address, kClosedV6)) {
        return false;
    }
    if (bytes[0] == 0x20 && bytes[1] == 0x02) {
        return isPublicV4(v4At(bytes, 2)); // 6to4
    }
    if (address.isInSubnet(QHostAddress(u"64:ff9b::"_s), 96)
        || address.isInSubnet(QHostAddress(u"::"_s), 96)) {
        return isPublicV4(v4At(bytes, 12)); // NAT64, and the old "compatible" form
    }
    return true;
}

ClientHello ClientHello::read(const QByteArray &bytes)
{
    ClientHello result;
    if (bytes.isEmpty()) {
        return result;
    }
    if (bytes[0] != 0x16 || (bytes.size() > 1 && bytes[1] != 0x03)) {
        result.state = State::NotTls;
        return result;
    }
    // A hello may be spread over records; put their contents together.
    QByteArray handshake;
    qsizetype at = 0;
    while (at + 5 <= bytes.size() && bytes[at] == 0x16) {
        const qsizetype length
            = static_cast<uchar>(bytes[at + 3]) << 8 | static_cast<uchar>(bytes[at + 4]);
        handshake += bytes.mid(at + 5, length);
        at += 5 + length;
    }
    if (handshake.size() < 4) {
        return result;
    }
    if (handshake[0] != 0x01) {
        result.state = State::NotTls;
        return result;
    }
    TlsReader head(handshake);
    head.skip(1);
    const qsizetype size = head.number(3);
    if (handshake.size() < size + 4) {
        return result;
    }
    result.state = State::Complete;
    TlsReader hello(handshake.mid(4, size));
    hello.skip(2 + 32);
    (void)hello.block(1);
    (void)hello.block(2);
    (void)hello.block(1);
    TlsReader extensions(hello.block(2));
    while (hello.good() && !extensions.atEnd()) {
        const quint32 type = extensions.number(2);
        const QByteArray content = extensions.block(2);
        if (!extensions.good()) {
            break;
        }
        if (type == 0) {
            TlsReader names(content);
            names.skip(2);
            const quint32 kind = names.number(1);
            const QByteArray name = names.block(2);
            if (names.good() && kind == 0) {
                result.serverName = normalisedHost(QString::fromLatin1(name));
            }
        }
    }
    return result;
}

} // namespace deskhand::sandbox
