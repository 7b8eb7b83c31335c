// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QByteArray>
#include <QString>
#include <QStringDecoder>

namespace deskhand::process {

/// Bytes to text piece by piece: a character that is cut by a piece's end waits for the next one,
/// what is no valid text becomes U+FFFD. UTF-8 by default; another encoding for systems whose
/// programs write a code page. One thread at a time.
class TextStream final
{
public:
    explicit TextStream(QStringConverter::Encoding encoding = QStringConverter::Utf8);
    /// By the name of a code page ("GBK"); falls back to UTF-8 when the name is unknown here.
    explicit TextStream(const char *encodingName);

    [[nodiscard]] QString append(const QByteArray &piece);
    /// What a character begun and never finished leaves: one U+FFFD, or nothing.
    [[nodiscard]] QString finish();

private:
    [[nodiscard]] QString decodeUtf8(const QByteArray &piece);

    bool m_utf8;
    QByteArray m_pending; ///< at most 3 bytes of an unfinished UTF-8 character
    QStringDecoder m_decoder;
};

/// Makes terminal output harmless for a window or a model: clipboard and title commands (OSC),
/// device strings (DCS, APC, PM, SOS), cursor and mode commands, NUL and other control characters
/// are taken out, also when they are split over pieces. Colours (SGR) stay only when asked for.
/// Tab, line feed and carriage return stay. One thread at a time.
class ControlFilter final
{
public:
    enum class Colours { Drop, Keep };
    explicit ControlFilter(Colours colours = Colours::Drop);

    [[nodiscard]] QString append(const QString &piece);

private:
    enum class State { Text, Escape, EscapeIntermediate, Csi, String, StringEscape };

    bool m_keepColours;
    State m_state = State::Text;
    QString m_csi; ///< parameters of the sequence being read, bounded
    bool m_csiTooLong = false;
};

/// Both in one step for a whole output.
[[nodiscard]] QString displayText(
    const QByteArray &bytes, ControlFilter::Colours colours = ControlFilter::Colours::Drop);

} // namespace deskhand::process
