// SPDX-License-Identifier: Apache-2.0
#include "executor/sandbox/denial.h"

#include <QRegularExpression>
#include <QSet>

using namespace Qt::StringLiterals;

namespace deskhand::sandbox {

namespace {

constexpr qsizetype kMaxText = 256 * 1024; // of head and tail together; denials stand at the ends
constexpr qsizetype kMaxDenials = 20;
constexpr qsizetype kMaxPathsInLine = 6;

const QStringList kFileWords { u"operation not permitted"_s, u"permission denied"_s,
    u"read-only file system"_s, u"failed to write file"_s, u"eacces"_s, u"eperm"_s, u"erofs"_s };
const QStringList kWallWords { u"seccomp"_s, u"sandbox"_s, u"landlock"_s };
const QStringList kNetworkWords { u"could not resolve host"_s,
    u"temporary failure in name resolution"_s, u"name or service not known"_s,
    u"network is unreachable"_s, u"couldn't connect to server"_s, u"failed to connect"_s,
    u"getaddrinfo"_s, u"eai_again"_s, u"enotfound"_s, u"socket: operation not permitted"_s };

bool containsAny(const QString &line, const QStringList &words)
{
    return std::any_of(
        words.begin(), words.end(), [&line](const QString &word) { return line.contains(word); });
}

QStringList pathsIn(const QString &line)
{
    static const QRegularExpression quoted(
        u"['\"\\x{2018}\\x{201c}`]([^'\"\\x{2019}\\x{201d}`]+)['\"\\x{2019}\\x{201d}`]"_s);
    static const QRegularExpression plain(u"(?:^|[\\s:=(])((?:\\.{0,2}/|~/)[^\\s:,;'\")]+)"_s);
    static const QRegularExpression afterColon(
        u":\\s+(?:cannot (?:create|open|touch|overwrite|remove|stat) )?([^:\\s][^:]*):\\s"_s);
    QStringList result;
    for (const QRegularExpression *pattern : { &quoted, &plain, &afterColon }) {
        for (auto it = pattern->globalMatch(line);
             it.hasNext() && result.size() < kMaxPathsInLine;) {
            result.append(it.next().captured(1));
        }
    }
    return result;
}

/// The paths of a message. The program that speaks often names itself first ("/bin/sh: 1: ...").
QStringList targetsIn(const QString &line)
{
    static const QRegularExpression speaker(u"^\\S+: (?:line \\d+: |\\d+: )?"_s);
    QString message = line;
    message.remove(speaker);
    const QStringList targets = pathsIn(message);
    return targets.isEmpty() ? pathsIn(line) : targets;
}

QString hostIn(const QString &line)
{
    static const QRegularExpression named(
        u"(?:host[: ]+|connect to |getaddrinfo \\w+ |resolve '?|https?://)([a-z0-9](?:[a-z0-9.-]*[a-z0-9])?\\.[a-z]{2,})"_s,
        QRegularExpression::CaseInsensitiveOption);
    return named.match(line).captured(1).toLower();
}

Denial judgePath(const DenialInput &input, const QString &path, bool readOnlyWords)
{
    Denial denial;
    denial.target = path.startsWith(u'/') ? path : input.directory + u'/' + path;
    const ResolvedPolicy::Verdict read = input.policy->verdict(denial.target, Access::Read);
    const ResolvedPolicy::Verdict write = input.policy->verdict(denial.target, Access::Write);
    if (!read.allowed && !readOnlyWords) {
        denial.kind = Denial::Kind::Read;
        denial.grade = DenialGrade::Likely;
        denial.reason = read.reason;
    } else if (!write.allowed) {
        denial.kind = Denial::Kind::Write;
        denial.grade = DenialGrade::Likely;
        denial.reason = write.reason;
    }
    return denial;
}

} // namespace

QString denialGradeName(DenialGrade grade)
{
    switch (grade) {
    case DenialGrade::Certain:
        return u"certain"_s;
    case DenialGrade::Likely:
        return u"likely"_s;
    case DenialGrade::Possible:
        return u"possible"_s;
    }
    return {};
}

QString denialKindName(Denial::Kind kind)
{
    switch (kind) {
    case Denial::Kind::Write:
        return u"write"_s;
    case Denial::Kind::Read:
        return u"read"_s;
    case Denial::Kind::Network:
        return u"network"_s;
    case Denial::Kind::SystemCall:
        return u"system_call"_s;
    }
    return {};
}

QList<Denial> findDenials(const DenialInput &input)
{
    constexpr int kBadSystemCall = 128 + 31;
    if (input.shellStatus == kBadSystemCall) {
        return { { DenialGrade::Certain, Denial::Kind::SystemCall, {},
            u"a system call of another architecture was refused"_s } };
    }
    if (input.shellStatus == 0 || input.policy == nullptr) {
        return {};
    }
    QByteArray bytes = input.output;
    if (bytes.size() > kMaxText) {
        bytes = bytes.left(kMaxText / 2) + '\n' + bytes.right(kMaxText / 2);
    }
    QList<Denial> result;
    QSet<QString> seen;
    bool wordsOnly = false;
    const QStringList lines = QString::fromUtf8(bytes).split(u'\n', Qt::SkipEmptyParts);
    for (const QString &line : lines) {
        if (result.size() >= kMaxDenials) {
            break;
        }
        const QString lower = line.left(4096).toLower();
        if (input.networkRestricted && containsAny(lower, kNetworkWords)) {
            const QString host = hostIn(line.left(4096));
            if (!host.isEmpty() && !seen.contains(host)) {
                seen.insert(host);
                result.append({ DenialGrade::Likely, Denial::Kind::Network, host,
                    u"the network of this run does not lead to %1"_s.arg(host) });
            } else if (host.isEmpty()) {
                wordsOnly = true;
            }
            continue;
        }
        if (!containsAny(lower, kFileWords)) {
            wordsOnly = wordsOnly || containsAny(lower, kWallWords);
            continue;
        }
        bool found = false;
        for (const QString &path : targetsIn(line.left(4096))) {
            const Denial denial
                = judgePath(input, path, lower.contains(u"read-only file system"_s));
            if (denial.grade == DenialGrade::Likely) {
                found = true;
                if (!seen.contains(denial.target)) {
                    seen.insert(denial.target);
                    result.append(denial);
                }
                break;
            }
        }
        wordsOnly = wordsOnly || !found;
    }
    if (result.isEmpty() && wordsOnly) {
        result.append({ DenialGrade::Possible, Denial::Kind::Write, {},
            u"the output reads like a refusal"_s });
    }
    return result;
}

} // namespace deskhand::sandbox
