// SPDX-License-Identifier: Apache-2.0
#include "executor/modelproxy/retrypolicy.h"

#include <QLocale>
#include <QRandomGenerator>
#include <QRegularExpression>
#include <QTimeZone>

#include <algorithm>
#include <cmath>

namespace deskhand::modelproxy {
namespace {

using std::chrono::milliseconds;

bool isRetriedStatus(int status, bool hasWait)
{
    switch (status) {
    case 408:
    case 425:
    case 429:
    case 500:
    case 502:
    case 503:
    case 504:
    case 529:
        return true;
    case 409:
        return hasWait;
    default:
        return false;
    }
}

bool isRetriedFault(net::TransferFault fault)
{
    using net::TransferFault;
    return fault == TransferFault::Resolve || fault == TransferFault::Connect
        || fault == TransferFault::Tls || fault == TransferFault::ClosedEarly
        || fault == TransferFault::ConnectTimeout || fault == TransferFault::Proxy;
}

std::optional<milliseconds> fromSeconds(double seconds)
{
    if (!std::isfinite(seconds)) {
        return std::nullopt;
    }
    constexpr double kLongest = 86400.0 * 365;
    return milliseconds(std::llround(std::clamp(seconds, 0.0, kLongest) * 1000));
}

/// "1h2m3.5s", "250ms", or a bare number of seconds.
std::optional<milliseconds> fromDuration(const QString &text)
{
    bool plain = false;
    if (const double seconds = text.toDouble(&plain); plain) {
        return fromSeconds(seconds);
    }
    static const QRegularExpression part(QStringLiteral("\\G(\\d+(?:\\.\\d+)?)(ms|s|m|h|d)"));
    double seconds = 0;
    qsizetype at = 0;
    while (at < text.size()) {
        const QRegularExpressionMatch match = part.match(text, at);
        if (!match.hasMatch()) {
            return std::nullopt;
        }
        const double number = match.captured(1).toDouble();
        const QString unit = match.captured(2);
        seconds += number
            * (unit == u"ms"       ? 0.001
                    : unit == u"s" ? 1.0
                    : unit == u"m" ? 60.0
                    : unit == u"h" ? 3600.0
                                   : 86400.0);
        at = match.capturedEnd();
    }
    return text.isEmpty() ? std::nullopt : fromSeconds(seconds);
}

/// The two older forms that RFC 9110, section 5.6.7, wants recipients to read.
QDateTime obsoleteDate(const QString &text)
{
    // Without the day of the week: it does not fit the century that the year is first read as.
    QDateTime date = QLocale::c().toDateTime(
        text.section(QStringLiteral(", "), 1), QStringLiteral("dd-MMM-yy HH:mm:ss 'GMT'"));
    if (!date.isValid()) {
        date = QLocale::c().toDateTime(text, QStringLiteral("ddd MMM d HH:mm:ss yyyy"));
    }
    constexpr int kFirstYear = 1970; // two digits are read as of the last century
    if (date.isValid() && date.date().year() < kFirstYear) {
        date = date.addYears(100);
    }
    date.setTimeZone(QTimeZone::utc());
    return date;
}

} // namespace

RetryPolicy::RetryPolicy(const ProxyTiming &timing)
    : m_timing(timing)
{ }

std::optional<milliseconds> RetryPolicy::next(const AttemptOutcome &outcome, const QDateTime &now)
{
    const auto jittered = [this](milliseconds delay) {
        const double share
            = (QRandomGenerator::global()->generateDouble() * 2 - 1) * m_timing.jitter;
        return milliseconds(std::llround(static_cast<double>(delay.count()) * (1 + share)));
    };
    if (outcome.fault != net::TransferFault::None) {
        m_maxAttempts = static_cast<int>(m_timing.connectRetryDelays.size());
        if (!isRetriedFault(outcome.fault) || m_connectAttempts >= m_maxAttempts) {
            return std::nullopt;
        }
        ++m_attempt;
        return jittered(m_timing.connectRetryDelays.at(m_connectAttempts++));
    }
    m_maxAttempts = static_cast<int>(m_timing.retryDelays.size());
    const std::optional<milliseconds> wanted = requestedWait(outcome.headers, now);
    if (!isRetriedStatus(outcome.status, net::hasHeader(outcome.headers, "retry-after"))
        || outcome.error.code == kInsufficientQuota || outcome.error.code == kContextLengthExceeded
        || m_attempt >= m_maxAttempts) {
        return std::nullopt;
    }
    if (wanted && *wanted > m_timing.hopelessRetryAfter) {
        return std::nullopt;
    }
    const milliseconds own = jittered(m_timing.retryDelays.at(m_attempt));
    ++m_attempt;
    return wanted ? std::min(*wanted, m_timing.longestRetryAfter) : own;
}

std::optional<milliseconds> requestedWait(const net::HeaderList &headers, const QDateTime &now)
{
    bool valid = false;
    const double exact = net::headerValue(headers, "retry-after-ms").toDouble(&valid);
    if (valid) {
        return fromSeconds(exact / 1000);
    }
    const QString after = QString::fromLatin1(net::headerValue(headers, "retry-after")).trimmed();
    if (!after.isEmpty()) {
        const double seconds = after.toDouble(&valid);
        if (valid) {
            return fromSeconds(seconds);
        }
        QDateTime date = QDateTime::fromString(after, Qt::RFC2822Date);
        if (!date.isValid()) {
            // RFC 9110's form ends in "GMT", which RFC 2822 readers do not take everywhere.
            date
                = QLocale::c().toDateTime(after, QStringLiteral("ddd, dd MMM yyyy HH:mm:ss 'GMT'"));
            date.setTimeZone(QTimeZone::utc());
        }
        if (!date.isValid()) {
            date = obsoleteDate(after.simplified());
        }
        if (date.isValid()) {
            return milliseconds(std::max<qint64>(0, now.msecsTo(date)));
        }
    }
    return fromDuration(
        QString::fromLatin1(net::headerValue(headers, "x-ratelimit-reset-requests")).trimmed());
}

int statusOfError(const ProviderError &error)
{
    const std::string_view code = error.code;
    if (code == kRateLimitExceeded) {
        return 429;
    }
    if (code == kServerOverloaded) {
        return 503;
    }
    if (code == kInsufficientQuota) {
        return 402;
    }
    if (code == kContextLengthExceeded) {
        return 400;
    }
    return error.status != 0 ? error.status : 500;
}

} // namespace deskhand::modelproxy
