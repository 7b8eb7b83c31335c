// SPDX-License-Identifier: Apache-2.0
#include "app/tasks/outputtext.h"

#include "app/visibletext.h"

namespace deskhand::app {
namespace {

constexpr QChar kEscape(0x1B);
constexpr QChar kBell(0x07);
constexpr QChar kBackspace(0x08);

} // namespace

QString OutputText::feed(const QString &piece)
{
    QString completed;
    for (const QChar c : piece) {
        take(c, completed);
    }
    return visibleText(completed, true);
}

void OutputText::take(QChar c, QString &completed)
{
    // Sequences as in ECMA-48: ESC [ … final byte; ESC ] … BEL or ESC backslash; ESC byte.
    switch (m_mode) {
    case Mode::Escape:
        if (c == u'[') {
            m_mode = Mode::Sequence;
        } else if (c == u']' || c == u'P' || c == u'^' || c == u'_') {
            m_mode = Mode::StringSequence;
        } else if (c < QChar(0x20) || c > QChar(0x2F)) {
            m_mode = Mode::Text; // intermediate bytes 0x20-0x2F are followed by one more
        }
        return;
    case Mode::Sequence:
        if (c >= QChar(0x40) && c <= QChar(0x7E)) {
            m_mode = Mode::Text;
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
        completed += m_line + u'\n';
        m_line.clear();
        m_startOver = false;
    } else if (c == u'\r') {
        m_startOver = true;
    } else if (c == kBackspace) {
        m_line.chop(1);
    } else if (c != kBell) {
        if (m_startOver) {
            m_line.clear();
            m_startOver = false;
        }
        m_line += c;
    }
}

} // namespace deskhand::app
