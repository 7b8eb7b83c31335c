// SPDX-License-Identifier: Apache-2.0
#include "app/visibletext.h"

#include <QStringList>
#include <QUrl>

#include <optional>

using namespace Qt::StringLiterals;

namespace deskhand::app {
namespace {

/// Characters that have no shape of their own although Unicode calls them letters or marks.
bool isBlankLetter(char32_t c)
{
    return c == 0x115F || c == 0x1160 || c == 0x3164 || c == 0xFFA0 || c == 0x2800
        || (c >= 0xFE00 && c <= 0xFE0F) || (c >= 0xE0100 && c <= 0xE01EF) || c == 0x034F
        || c == 0x17B4 || c == 0x17B5;
}

bool isHidden(char32_t c)
{
    if (c == U' ' || (c > 0x20 && c < 0x7F)) {
        return false;
    }
    switch (QChar::category(c)) {
    case QChar::Other_Control:
    case QChar::Other_Format:
    case QChar::Other_Surrogate:
    case QChar::Other_PrivateUse:
    case QChar::Other_NotAssigned:
    case QChar::Separator_Space:
    case QChar::Separator_Line:
    case QChar::Separator_Paragraph:
        return true;
    default:
        return isBlankLetter(c);
    }
}

QString codePointName(char32_t c)
{
    if (c == U'\t') {
        return u"‹TAB›"_s;
    }
    return u"‹U+%1›"_s.arg(QString::number(c, 16).toUpper(), 4, u'0');
}

/// Reads one shell word from `pos`, taking its quotes away. Nothing when the quoting is open or
/// something would be expanded, because then what runs is not what stands there.
std::optional<QString> readPlainWord(const QString &line, qsizetype &pos)
{
    while (pos < line.size() && line.at(pos) == u' ') {
        ++pos;
    }
    QString word;
    bool any = false;
    while (pos < line.size() && line.at(pos) != u' ') {
        const QChar c = line.at(pos);
        if (c == u'\'') {
            const qsizetype end = line.indexOf(u'\'', pos + 1);
            if (end < 0) {
                return std::nullopt;
            }
            word += QStringView(line).mid(pos + 1, end - pos - 1);
            pos = end + 1;
        } else if (c == u'"') {
            ++pos;
            while (pos < line.size() && line.at(pos) != u'"') {
                if (line.at(pos) == u'$' || line.at(pos) == u'`') {
                    return std::nullopt;
                }
                if (line.at(pos) == u'\\' && pos + 1 < line.size()
                    && u"\\\"$`"_s.contains(line.at(pos + 1))) {
                    ++pos;
                }
                word += line.at(pos++);
            }
            if (pos >= line.size()) {
                return std::nullopt;
            }
            ++pos;
        } else if (c == u'\\' && pos + 1 < line.size()) {
            word += line.at(pos + 1);
            pos += 2;
        } else if (u"|&;<>()$`\n*?[~#"_s.contains(c)) {
            return std::nullopt;
        } else {
            word += c;
            ++pos;
        }
        any = true;
    }
    return any ? std::optional(word) : std::nullopt;
}

/// `shell -c script`, exactly three words.
std::optional<std::pair<QString, QString>> unwrapShell(const QString &line)
{
    static const QStringList kShells { u"sh"_s, u"bash"_s, u"dash"_s, u"zsh"_s };
    static const QStringList kFlags { u"-c"_s, u"-lc"_s, u"-cl"_s };
    qsizetype pos = 0;
    const auto shell = readPlainWord(line, pos);
    if (!shell || !kShells.contains(shell->section(u'/', -1))) {
        return std::nullopt;
    }
    const auto flag = readPlainWord(line, pos);
    if (!flag || !kFlags.contains(*flag)) {
        return std::nullopt;
    }
    const auto script = readPlainWord(line, pos);
    if (!script || !QStringView(line).mid(pos).trimmed().isEmpty()) {
        return std::nullopt;
    }
    return std::pair(*shell + u' ' + *flag, *script);
}

QList<CommandPart> splitChain(const QString &script)
{
    QList<CommandPart> parts;
    CommandPart current;
    bool singleQuoted = false;
    bool doubleQuoted = false;
    QList<bool> outerQuotes; // double quoting outside each open $( )
    const auto finish = [&](const QString &joiner) {
        parts.append(current);
        current = { joiner, {} };
    };
    for (qsizetype i = 0; i < script.size(); ++i) {
        const QChar c = script.at(i);
        const QChar next = i + 1 < script.size() ? script.at(i + 1) : QChar();
        if (singleQuoted) {
            singleQuoted = c != u'\'';
            current.text += c;
            continue;
        }
        if (c == u'\\') {
            current.text += c;
            if (!next.isNull()) {
                current.text += next;
                ++i;
            }
            continue;
        }
        if (c == u'$' && next == u'(') {
            outerQuotes.append(doubleQuoted);
            doubleQuoted = false;
            current.text += u"$("_s;
            ++i;
            continue;
        }
        if (c == u')' && !doubleQuoted && !outerQuotes.isEmpty()) {
            doubleQuoted = outerQuotes.takeLast();
            current.text += c;
            continue;
        }
        if (c == u'"') {
            doubleQuoted = !doubleQuoted;
        } else if (!doubleQuoted) {
            if (c == u'\'') {
                singleQuoted = true;
            } else if ((c == u'&' && next == u'&') || (c == u'|' && (next == u'|' || next == u'&'))
                || (c == u';' && next == u';')) {
                finish(QString(c) + next);
                ++i;
                continue;
            } else if (c == u';' || c == u'|'
                || c == u'\n'
                // "2>&1" and "&>file" redirect, they do not chain.
                || (c == u'&' && next != u'>' && !current.text.endsWith(u'>')
                    && !current.text.endsWith(u'<'))) {
                finish(QString(c));
                continue;
            }
        }
        current.text += c;
    }
    parts.append(current);
    return parts;
}

} // namespace

QString visibleText(const QString &text, bool keepLines)
{
    QString shown;
    shown.reserve(text.size());
    for (qsizetype i = 0; i < text.size(); ++i) {
        const QChar unit = text.at(i);
        char32_t c = unit.unicode();
        if (unit.isHighSurrogate() && i + 1 < text.size() && text.at(i + 1).isLowSurrogate()) {
            c = QChar::surrogateToUcs4(unit, text.at(++i));
        }
        if (keepLines && (c == U'\n' || c == U'\t')) {
            shown += unit;
        } else if (isHidden(c)) {
            shown += codePointName(c);
        } else {
            shown += QString::fromUcs4(&c, 1);
        }
    }
    return shown;
}

bool hidesSomething(const QString &text)
{
    return visibleText(text, true) != text;
}

CommandView takeApart(const QString &commandLine)
{
    CommandView view;
    view.script = commandLine;
    if (const auto wrapped = unwrapShell(commandLine)) {
        view.shell = wrapped->first;
        view.script = wrapped->second;
    }
    view.parts = splitChain(view.script);
    return view;
}

QString visibleHost(const QString &host)
{
    const QString shown = visibleText(host);
    const QString ascii = QString::fromLatin1(QUrl::toAce(host));
    if (ascii.isEmpty() || ascii.compare(host, Qt::CaseInsensitive) == 0) {
        return shown;
    }
    return u"%1 (%2)"_s.arg(ascii, shown);
}

} // namespace deskhand::app
