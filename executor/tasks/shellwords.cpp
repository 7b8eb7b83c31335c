// SPDX-License-Identifier: Apache-2.0
#include "executor/tasks/shellwords_p.h"

#include <algorithm>
#include <utility>

namespace deskhand::tasks {
namespace {

using namespace Qt::StringLiterals;

bool isNameChar(QChar c)
{
    return c == u'_' || (c.unicode() < 128 && c.isLetterOrNumber());
}

class Reader
{
public:
    Reader(const QString &line, QHash<QString, QString> &variables)
        : m_line(line)
        , m_variables(variables)
    { }

    ShellLine read()
    {
        while (!atEnd()) {
            step();
        }
        endCommand();
        return std::move(m_result);
    }

private:
    [[nodiscard]] bool atEnd() const { return m_at >= m_line.size(); }
    [[nodiscard]] QChar peek(qsizetype ahead = 0) const
    {
        return m_at + ahead < m_line.size() ? m_line.at(m_at + ahead) : QChar();
    }

    void step()
    {
        const QChar c = peek();
        switch (c.unicode()) {
        case u' ':
        case u'\t':
        case u'\r':
            endWord();
            ++m_at;
            return;
        case u'\n':
        case u';':
        case u'(':
        case u')':
            endCommand();
            ++m_at;
            return;
        case u'&':
            if (peek(1) == u'>') { // &>file
                ++m_at;
                redirect();
                return;
            }
            endCommand();
            ++m_at;
            return;
        case u'|':
            ++m_at;
            if (peek() == u'|' || peek() == u'&') {
                ++m_at;
            }
            endCommand();
            return;
        case u'<':
        case u'>':
            redirect();
            return;
        case u'#':
            if (!m_inWord) {
                while (!atEnd() && peek() != u'\n') {
                    ++m_at;
                }
                return;
            }
            break;
        case u'\'':
            singleQuoted();
            return;
        case u'"':
            doubleQuoted();
            return;
        case u'\\':
            ++m_at;
            if (peek() == u'\n') { // a continued line
                ++m_at;
            } else if (!atEnd()) {
                put(m_line.at(m_at++));
            }
            return;
        case u'$':
        case u'`':
            expansion();
            return;
        case u'*':
        case u'?':
        case u'[':
            m_word.glob = true;
            break;
        default:
            break;
        }
        put(c);
        ++m_at;
    }

    void put(QChar c)
    {
        m_inWord = true;
        m_word.text.append(c);
    }

    void singleQuoted()
    {
        m_inWord = true;
        const qsizetype end = m_line.indexOf(u'\'', m_at + 1);
        if (end < 0) {
            m_result.complete = false;
            m_at = m_line.size();
            return;
        }
        m_word.text += m_line.mid(m_at + 1, end - m_at - 1);
        m_at = end + 1;
    }

    void doubleQuoted()
    {
        m_inWord = true;
        ++m_at;
        while (!atEnd() && peek() != u'"') {
            if (peek() == u'\\' && QStringView(u"\"\\$`\n").contains(peek(1))) {
                ++m_at;
                if (peek() != u'\n') {
                    put(peek());
                }
                ++m_at;
            } else if (peek() == u'$' || peek() == u'`') {
                expansion();
            } else {
                put(m_line.at(m_at++));
            }
        }
        if (atEnd()) {
            m_result.complete = false;
        }
        ++m_at;
    }

    /// At "$" or "`".
    void expansion()
    {
        m_inWord = true;
        if (peek() == u'`') {
            const qsizetype end = m_line.indexOf(u'`', m_at + 1);
            substitute(m_at + 1, end);
            return;
        }
        if (peek(1) == u'(') {
            substitute(m_at + 2, closing(m_at + 2));
            return;
        }
        if (peek(1) == u'\'') { // $'…': escapes are not decoded, so the word is not known
            m_word.unknown = true;
            ++m_at;
            singleQuoted();
            return;
        }
        ++m_at;
        if (peek() == u'{') {
            const qsizetype end = m_line.indexOf(u'}', m_at);
            if (end < 0) {
                m_result.complete = false;
                m_at = m_line.size();
                return;
            }
            variable(m_line.mid(m_at + 1, end - m_at - 1));
            m_at = end + 1;
            return;
        }
        const qsizetype start = m_at;
        while (!atEnd() && isNameChar(peek())) {
            ++m_at;
        }
        if (m_at == start) { // "$" alone, $?, $1 …
            m_word.unknown = true;
            put(u'$');
            return;
        }
        variable(m_line.mid(start, m_at - start));
    }

    void variable(const QString &name)
    {
        const auto known = m_variables.constFind(name);
        if (known == m_variables.constEnd()) {
            m_word.unknown = true;
            return;
        }
        m_word.text += *known;
    }

    /// Index of the ")" that closes what begins at `from`; quotes are honoured. -1 if none.
    [[nodiscard]] qsizetype closing(qsizetype from) const
    {
        int depth = 1;
        QChar quote;
        for (qsizetype i = from; i < m_line.size(); ++i) {
            const QChar c = m_line.at(i);
            if (!quote.isNull()) {
                if (c == u'\\' && quote == u'"') {
                    ++i;
                } else if (c == quote) {
                    quote = QChar();
                }
            } else if (c == u'\\') {
                ++i;
            } else if (c == u'"' || c == u'\'') {
                quote = c;
            } else if (c == u'(') {
                ++depth;
            } else if (c == u')' && --depth == 0) {
                return i;
            }
        }
        return -1;
    }

    void substitute(qsizetype from, qsizetype end)
    {
        m_inWord = true;
        if (end < 0) {
            m_result.complete = false;
            end = m_line.size();
        }
        const QString inner = m_line.mid(from, end - from);
        m_result.substitutions.append(inner);
        if (inner.trimmed() == "pwd"_L1 && m_variables.contains(u"PWD"_s)) {
            m_word.text += m_variables.value(u"PWD"_s);
        } else {
            m_word.unknown = true;
        }
        m_at = end + 1;
    }

    /// At "<" or ">".
    void redirect()
    {
        const bool writing = peek() == u'>';
        if (peek(1) == u'(') { // process substitution is a word
            substitute(m_at + 2, closing(m_at + 2));
            return;
        }
        // A number right before is the descriptor, not a word.
        bool number = false;
        m_word.text.toInt(&number);
        if (number) {
            m_word = {};
            m_inWord = false;
        }
        endWord();
        while (peek() == u'>' || peek() == u'<' || peek() == u'|') {
            ++m_at;
        }
        if (peek() == u'&') { // 2>&1
            ++m_at;
        }
        m_target = writing ? Target::Write : Target::Read;
    }

    void endWord()
    {
        if (!m_inWord) {
            return;
        }
        m_inWord = false;
        ShellWord word = std::exchange(m_word, {});
        switch (std::exchange(m_target, Target::Argument)) {
        case Target::Write:
            m_command.writes.append(word);
            return;
        case Target::Read:
            m_command.reads.append(word);
            return;
        case Target::Argument:
            break;
        }
        const qsizetype equals = word.text.indexOf(u'=');
        if (m_command.words.isEmpty() && equals > 0 && !word.text.at(0).isDigit()
            && std::all_of(word.text.begin(), word.text.begin() + equals, isNameChar)) {
            const QString name = word.text.left(equals);
            if (word.unknown) {
                m_variables.remove(name);
            } else {
                m_variables.insert(name, word.text.mid(equals + 1));
            }
            return;
        }
        static const QStringList kReserved { u"{"_s, u"}"_s, u"!"_s, u"if"_s, u"then"_s, u"else"_s,
            u"elif"_s, u"fi"_s, u"do"_s, u"done"_s, u"while"_s, u"until"_s };
        if (m_command.words.isEmpty() && kReserved.contains(word.text)) {
            return;
        }
        m_command.words.append(word);
    }

    void endCommand()
    {
        endWord();
        m_target = Target::Argument;
        ShellCommand command = std::exchange(m_command, {});
        if (!command.words.isEmpty() || !command.writes.isEmpty() || !command.reads.isEmpty()) {
            m_result.commands.append(command);
        }
    }

    enum class Target { Argument, Write, Read };

    const QString &m_line;
    QHash<QString, QString> &m_variables;
    qsizetype m_at = 0;
    ShellLine m_result;
    ShellCommand m_command;
    ShellWord m_word;
    bool m_inWord = false;
    Target m_target = Target::Argument;
};

} // namespace

ShellLine readShellLine(const QString &line, QHash<QString, QString> &variables)
{
    return Reader(line, variables).read();
}

} // namespace deskhand::tasks
