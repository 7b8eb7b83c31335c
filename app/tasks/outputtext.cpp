// SPDX-License-Identifier: Apache-2.0
#include "app/tasks/outputtext.h"

#include "app/visibletext.h"

using namespace Qt::StringLiterals;

namespace deskhand::app {
namespace {

constexpr QChar kEscape(0x1B);
constexpr QChar kBell(0x07);
constexpr QChar kBackspace(0x08);
/// Characters of an unfinished line that are kept for a carriage return to start over.
constexpr qsizetype kLongLine = 4000;
/// Longer parameters are no style.
constexpr qsizetype kLongParameters = 128;

void append(QList<StyledText> &runs, const QString &text, const TextStyle &style)
{
    if (!runs.isEmpty() && runs.last().style == style) {
        runs.last().text += text;
    } else {
        runs.append({ text, style });
    }
}

QList<StyledText> visible(QList<StyledText> runs)
{
    for (StyledText &run : runs) {
        run.text = visibleText(run.text, true);
    }
    return runs;
}

} // namespace

QList<StyledText> OutputText::feed(const QString &piece)
{
    QList<StyledText> completed;
    for (const QChar c : piece) {
        take(c, completed);
    }
    return visible(std::move(completed));
}

QList<StyledText> OutputText::openLine() const
{
    return visible(m_line);
}

QString OutputText::readable(const QString &raw)
{
    OutputText output;
    const QString completed = plainText(output.feed(raw));
    return completed + plainText(output.openLine());
}

void OutputText::flushLine(QList<StyledText> &completed)
{
    for (const StyledText &run : std::as_const(m_line)) {
        append(completed, run.text, run.style);
    }
    m_line.clear();
    m_length = 0;
}

void OutputText::put(QChar c)
{
    if (m_startOver) {
        m_line.clear();
        m_length = 0;
        m_startOver = false;
    }
    append(m_line, c, m_style);
    ++m_length;
}

void OutputText::endSequence(QChar final)
{
    const bool bounded = m_parameters.size() < kLongParameters;
    const bool numbers = bounded
        && std::all_of(m_parameters.cbegin(), m_parameters.cend(),
            [](QChar c) { return (c >= u'0' && c <= u'9') || c == u';' || c == u':'; });
    if (!numbers) {
        return; // private sequences such as "?25l" and "> 4 m" are not about the text
    }
    if (final == u'm') {
        m_style.apply(m_parameters);
    } else if (final == u'K' && m_parameters == "2"_L1) {
        m_startOver = true; // the whole line is erased
    } else if (final == u'G' && (m_parameters.isEmpty() || m_parameters == "1"_L1)) {
        m_startOver = true; // to the first column, like a carriage return
    }
}

void OutputText::take(QChar c, QList<StyledText> &completed)
{
    // Sequences as in ECMA-48: ESC [ … final byte; ESC ] … BEL or ESC backslash; ESC byte.
    switch (m_mode) {
    case Mode::Escape:
        if (c == u'[') {
            m_mode = Mode::Sequence;
            m_parameters.clear();
        } else if (c == u']' || c == u'P' || c == u'^' || c == u'_' || c == u'X') {
            m_mode = Mode::StringSequence;
        } else if (c < QChar(0x20) || c > QChar(0x2F)) {
            m_mode = Mode::Text; // intermediate bytes 0x20-0x2F are followed by one more
        }
        return;
    case Mode::Sequence:
        if (c >= QChar(0x40) && c <= QChar(0x7E)) {
            m_mode = Mode::Text;
            endSequence(c);
        } else if (m_parameters.size() < kLongParameters) {
            m_parameters += c;
        }
        return;
    case Mode::StringSequence:
        if (c == kBell) {
            m_mode = Mode::Text;
        } else if (c == kEscape) {
            m_mode = Mode::StringEnd;
        }
        return;
    case Mode::StringEnd:
        m_mode = c == u'\\' ? Mode::Text : Mode::StringSequence;
        return;
    case Mode::Text:
        break;
    }
    if (c == kEscape) {
        m_mode = Mode::Escape;
    } else if (c == u'\n') {
        flushLine(completed);
        append(completed, u"\n"_s, m_style);
        m_startOver = false;
    } else if (c == u'\r') {
        m_startOver = true;
    } else if (c == kBackspace) {
        if (!m_line.isEmpty()) {
            m_line.last().text.chop(1);
            --m_length;
            if (m_line.last().text.isEmpty()) {
                m_line.removeLast();
            }
        }
    } else if (c != kBell) {
        put(c);
        if (m_length >= kLongLine && !c.isHighSurrogate()) {
            flushLine(completed);
        }
    }
}

} // namespace deskhand::app
