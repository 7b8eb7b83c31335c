// SPDX-License-Identifier: Apache-2.0
#include "executor/process/displaytext.h"

#include <algorithm>

namespace deskhand::process {

namespace {

constexpr qsizetype kMaxColourParameters = 64;

/// Length of the UTF-8 character that starts with this byte; 0 when none can.
int characterLength(uchar first)
{
    if (first < 0x80) {
        return 1;
    }
    if (first >= 0xc2 && first <= 0xdf) {
        return 2;
    }
    if (first >= 0xe0 && first <= 0xef) {
        return 3;
    }
    return first >= 0xf0 && first <= 0xf4 ? 4 : 0;
}

/// Number of bytes at the end that may still become a character.
qsizetype unfinishedTail(const QByteArray &bytes)
{
    for (qsizetype back = 1; back <= 3 && back <= bytes.size(); ++back) {
        const auto byte = static_cast<uchar>(bytes[bytes.size() - back]);
        if ((byte & 0xc0U) == 0x80U) {
            continue;
        }
        return characterLength(byte) > back ? back : 0;
    }
    return 0;
}

} // namespace

TextStream::TextStream(QStringConverter::Encoding encoding)
    : m_utf8(encoding == QStringConverter::Utf8)
    , m_decoder(encoding)
{ }

TextStream::TextStream(const char *encodingName)
    : m_utf8(false)
    , m_decoder(encodingName)
{
    m_utf8 = !m_decoder.isValid();
}

QString TextStream::decodeUtf8(const QByteArray &piece)
{
    QByteArray bytes = m_pending + piece;
    const qsizetype keep = unfinishedTail(bytes);
    m_pending = bytes.right(keep);
    bytes.chop(keep);
    QString text = QString::fromUtf8(bytes);
    if (bytes.startsWith("\xef\xbb\xbf")) {
        text.prepend(QChar(0xfeff)); // taken for a byte order mark, wherever a piece begins
    }
    return text;
}

QString TextStream::append(const QByteArray &piece)
{
    if (m_utf8) {
        return decodeUtf8(piece);
    }
    return m_decoder.decode(piece);
}

QString TextStream::finish()
{
    const bool cut = m_utf8 && !m_pending.isEmpty();
    m_pending.clear();
    return cut ? QString(QChar(QChar::ReplacementCharacter)) : QString();
}

ControlFilter::ControlFilter(Colours colours)
    : m_keepColours(colours == Colours::Keep)
{ }

QString ControlFilter::append(const QString &piece)
{
    QString out;
    out.reserve(piece.size());
    for (const QChar character : piece) {
        const ushort code = character.unicode();
        switch (m_state) {
        case State::Text:
            if (code == 0x1b) {
                m_state = State::Escape;
            } else if (code == 0x9b) {
                m_state = State::Csi;
                m_csi.clear();
                m_csiTooLong = false;
            } else if (code == 0x90 || code == 0x98 || (code >= 0x9d && code <= 0x9f)) {
                m_state = State::String;
            } else if (code == '\t' || code == '\n' || code == '\r'
                || (code >= 0x20 && code != 0x7f && (code < 0x80 || code > 0x9f))) {
                out.append(character);
            }
            break;
        case State::Escape:
            if (code == '[') {
                m_state = State::Csi;
                m_csi.clear();
                m_csiTooLong = false;
            } else if (code == ']' || code == 'P' || code == 'X' || code == '^' || code == '_') {
                m_state = State::String;
            } else if (code >= 0x20 && code <= 0x2f) {
                m_state = State::EscapeIntermediate;
            } else if (code != 0x1b) {
                m_state = State::Text;
            }
            break;
        case State::EscapeIntermediate:
            if (code == 0x1b) {
                m_state = State::Escape;
            } else if (code < 0x20 || code > 0x2f) {
                m_state = State::Text;
            }
            break;
        case State::Csi:
            if (code >= 0x40 && code <= 0x7e) {
                const bool plain = !m_csiTooLong
                    && std::all_of(m_csi.cbegin(), m_csi.cend(), [](QChar parameter) {
                           return (parameter >= u'0' && parameter <= u'9') || parameter == u';'
                               || parameter == u':';
                       });
                if (code == 'm' && m_keepColours && plain) {
                    out.append(QChar(0x1b)).append(u'[').append(m_csi).append(u'm');
                }
                m_state = State::Text;
            } else if (code == 0x1b) {
                m_state = State::Escape;
            } else if (code == '\n' || code == '\r' || code > 0x7e) {
                // No sequence goes over a line's end or holds text: it was never finished.
                m_state = State::Text;
                if (code != 0x7f && (code < 0x80 || code > 0x9f)) {
                    out.append(character);
                }
            } else if (m_csi.size() < kMaxColourParameters) {
                m_csi.append(character);
            } else {
                m_csiTooLong = true;
            }
            break;
        case State::String:
            if (code == 0x07 || code == 0x9c || code == 0x18 || code == 0x1a) {
                m_state = State::Text;
            } else if (code == 0x1b) {
                m_state = State::StringEscape;
            }
            break;
        case State::StringEscape:
            // ESC \ ends the string; any other ESC starts a new sequence and ends it as well.
            m_state = State::Text;
            if (code == '[') {
                m_state = State::Csi;
                m_csi.clear();
                m_csiTooLong = false;
            } else if (code == ']' || code == 'P' || code == 'X' || code == '^' || code == '_') {
                m_state = State::String;
            } else if (code == 0x1b) {
                m_state = State::Escape;
            }
            break;
        }
    }
    return out;
}

QString displayText(const QByteArray &bytes, ControlFilter::Colours colours)
{
    TextStream text;
    ControlFilter filter(colours);
    QString decoded = text.append(bytes);
    decoded += text.finish();
    return filter.append(decoded);
}

} // namespace deskhand::process
