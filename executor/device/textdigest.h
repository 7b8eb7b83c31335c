// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QByteArray>
#include <QCryptographicHash>
#include <QString>
#include <QStringView>

#include <deque>
#include <memory>

namespace deskhand::device {

/// Remembers a growing text well enough to know it again, in constant memory. Plain value, any
/// thread.
class TextDigest
{
public:
    TextDigest();

    void append(QStringView text);
    [[nodiscard]] qsizetype size() const { return m_size; } ///< UTF-16 units
    /// True when `text` begins with what was appended.
    [[nodiscard]] bool begins(QStringView text) const;
    [[nodiscard]] QByteArray result() const;

private:
    std::unique_ptr<QCryptographicHash> m_hash;
    qsizetype m_size = 0;
};

/// Knows the messages at the end of a stream again, without keeping more than the last few
/// thousand characters of their text. Owner: ChatEncoder.
class StreamEnd
{
public:
    /// `separator` is what stands between messages.
    explicit StreamEnd(const QString &separator)
        : m_separator(separator)
    { }

    void startMessage();
    void append(QStringView text);
    /// True when the stream ends with `text`. A text too long to be remembered is known again only
    /// when it is one message or some in a row.
    [[nodiscard]] bool is(QStringView text) const;

private:
    struct Message
    {
        qsizetype size = 0;
        QByteArray digest;
    };
    void remember(QStringView text);

    QString m_separator;
    QString m_tail; ///< end of the stream
    TextDigest m_last;
    bool m_any = false;
    std::deque<Message> m_earlier; ///< before the last, in order
};

} // namespace deskhand::device
