// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QJsonObject>
#include <QString>

namespace deskhand::device {

/// Largest packet in UTF-8 bytes we send, envelope included; the backend cuts the link above
/// 1,000,000 (device protocol, section 1.1).
constexpr qint64 kMaxPacketBytes = 900'000;

/// One event of the chat plane (device protocol, section 6.2) before it becomes a packet. Text and
/// reasoning stay mergeable until they are sent. Plain value, any thread.
struct ChatEvent
{
    enum class Kind {
        Text, ///< response.output_text.delta
        Reasoning, ///< response.reasoning_summary_text.delta
        Block, ///< response.block.created or .updated
        Plain, ///< anything else that is no ending
        Ending ///< response.completed, response.incomplete, error
    };
    Kind kind = Kind::Plain;
    QString name; ///< event name on the wire
    QString text; ///< Text and Reasoning
    qint64 offset = 0; ///< Text and Reasoning: code points of this kind sent before in this turn
    QJsonObject body; ///< the `data` without text and offset

    [[nodiscard]] bool isDelta() const { return kind == Kind::Text || kind == Kind::Reasoning; }
    /// `data` as it goes onto the wire.
    [[nodiscard]] QJsonObject data() const;
};

/// Puts `next` behind `event` when one event can say both: text after text, or a later update of
/// the same block. False when not; then nothing has changed.
[[nodiscard]] bool mergeInto(ChatEvent &event, const ChatEvent &next);

/// UTF-8 bytes of a text inside a JSON string, escapes included.
[[nodiscard]] qint64 jsonTextBytes(QStringView text);
[[nodiscard]] qint64 jsonBytes(const QJsonObject &object);

/// Cuts a delta to at most `maxBytes` of JSON text, never through a character, and gives what is
/// left (empty text: nothing). At least one character stays.
[[nodiscard]] ChatEvent splitDelta(ChatEvent &event, qint64 maxBytes);

/// Shortens the longest texts of the tree to head and tail until its JSON has at most `maxBytes`.
/// Keys are left alone. Below about 1 KiB nothing is promised.
[[nodiscard]] QJsonObject shrunkToFit(const QJsonObject &object, qint64 maxBytes);

} // namespace deskhand::device
