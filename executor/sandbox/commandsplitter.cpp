// SPDX-License-Identifier: Apache-2.0
#include "executor/sandbox/commandsplitter.h"

#include <QSet>

using namespace Qt::StringLiterals;

namespace deskhand::sandbox {

namespace {

/// What may stand in a word outside of quotes. Everything else has, or may have, a meaning.
bool isPlain(QChar c)
{
    return c.isLetterOrNumber() || u"-_./:,+@%="_s.contains(c);
}

/// Inside double quotes the shell still acts on these.
bool actsInDoubleQuotes(QChar c)
{
    return c == u'$' || c == u'`' || c == u'\\' || c == u'!';
}

bool isControlWord(const QString &word)
{
    static const QSet<QString> words { u"if"_s, u"then"_s, u"else"_s, u"elif"_s, u"fi"_s, u"for"_s,
        u"while"_s, u"until"_s, u"do"_s, u"done"_s, u"case"_s, u"esac"_s, u"in"_s, u"select"_s,
        u"function"_s, u"time"_s, u"coproc"_s, u"exec"_s, u"eval"_s, u"source"_s, u"."_s, u"trap"_s,
        u"alias"_s, u"command"_s, u"builtin"_s };
    return words.contains(word);
}

class Splitter final
{
public:
    explicit Splitter(QStringView text)
        : m_text(text)
    { }

    std::optional<QList<QStringList>> split()
    {
        while (m_at < m_text.size()) {
            const QChar c = m_text[m_at];
            bool good = true;
            if (c == u' ' || c == u'\t') {
                endWord();
                ++m_at;
            } else if (c == u'\'' || c == u'"') {
                good = quoted(c);
            } else if (c == u'&' || c == u'|' || c == u';') {
                good = separator(c);
            } else if (isPlain(c)) {
                m_word.append(c);
                m_inWord = true;
                ++m_at;
            } else {
                good = false;
            }
            if (!good) {
                return std::nullopt;
            }
        }
        endWord();
        if (!endCommand()) {
            return std::nullopt;
        }
        return m_commands;
    }

private:
    bool quoted(QChar quote)
    {
        const qsizetype end = m_text.indexOf(quote, m_at + 1);
        if (end < 0) {
            return false;
        }
        const QStringView content = m_text.mid(m_at + 1, end - m_at - 1);
        for (const QChar c : content) {
            if (c.unicode() < 0x20 || (quote == u'"' && actsInDoubleQuotes(c))) {
                return false;
            }
        }
        m_word.append(content);
        m_inWord = true;
        m_at = end + 1;
        return true;
    }

    bool separator(QChar c)
    {
        const bool doubled = m_at + 1 < m_text.size() && m_text[m_at + 1] == c;
        if ((c == u'&' && !doubled) || (c == u';' && doubled)) {
            return false; // background; a branch of case
        }
        endWord();
        const bool complete = endCommand();
        m_needsMore = c != u';';
        m_at += doubled ? 2 : 1;
        if (m_at < m_text.size() && m_text[m_at] == u'&') {
            return false; // "|&"
        }
        return complete;
    }

    void endWord()
    {
        if (m_inWord) {
            m_command.append(m_word);
        }
        m_word.clear();
        m_inWord = false;
    }

    bool endCommand()
    {
        if (m_command.isEmpty()) {
            // Nothing after "&&" is an error of the shell's; nothing after ";" is its end.
            return m_at >= m_text.size() && !m_needsMore && !m_commands.isEmpty();
        }
        const QString first = m_command.first();
        if (first.isEmpty() || first.contains(u'=') || isControlWord(first)) {
            return false;
        }
        m_commands.append(m_command);
        m_command.clear();
        m_needsMore = false;
        return true;
    }

    QStringView m_text;
    qsizetype m_at = 0;
    QString m_word;
    bool m_inWord = false;
    bool m_needsMore = false;
    QStringList m_command;
    QList<QStringList> m_commands;
};

} // namespace

std::optional<QList<QStringList>> splitPlainCommands(QStringView text)
{
    constexpr qsizetype kMaxText = 64 * 1024;
    if (text.size() > kMaxText) {
        return std::nullopt;
    }
    return Splitter(text).split();
}

std::optional<QString> shellText(const QStringList &command)
{
    static const QSet<QString> shells { u"sh"_s, u"bash"_s, u"dash"_s, u"zsh"_s };
    if (command.size() != 3 || (command[1] != u"-c"_s && command[1] != u"-lc"_s)) {
        return std::nullopt;
    }
    const QString program = command[0];
    static const QStringList places { u"/bin/"_s, u"/usr/bin/"_s, u"/usr/local/bin/"_s };
    for (const QString &place : places) {
        if (program.startsWith(place) && shells.contains(program.mid(place.size()))) {
            return command[2];
        }
    }
    return shells.contains(program) ? std::optional<QString>(command[2]) : std::nullopt;
}

} // namespace deskhand::sandbox
