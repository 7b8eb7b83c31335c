// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QByteArray>
#include <QList>

namespace deskhand::jsonrpc {

/// Cuts a byte stream into lines. Pure: bytes in, lines out; owns nothing else. Not thread-safe.
///
/// A line ends with "\n" or "\r\n", which are not part of it; empty lines are skipped. A line
/// longer than the cap is dropped up to its end and counted, so memory stays bounded by the cap
/// whatever the peer sends.
class LineFramer final
{
public:
    static constexpr qsizetype kDefaultMaxLineBytes = 64 * 1024 * 1024;

    explicit LineFramer(qsizetype maxLineBytes = kDefaultMaxLineBytes);

    /// The lines completed by these bytes, in order. Bytes may be split anywhere.
    [[nodiscard]] QList<QByteArray> feed(const QByteArray &bytes);

    /// The stream is over: what is left without a line end is dropped. Returns how much it was.
    qsizetype finish();

    [[nodiscard]] quint64 oversizeLines() const { return m_oversizeLines; }
    [[nodiscard]] qsizetype pendingBytes() const { return m_pending.size(); }

private:
    void takeLine(QByteArray line, QList<QByteArray> &lines);

    qsizetype m_maxLineBytes;
    QByteArray m_pending;
    bool m_discarding = false; // inside a line over the cap, until its end
    quint64 m_oversizeLines = 0;
};

} // namespace deskhand::jsonrpc
