// SPDX-License-Identifier: Apache-2.0
#include "executor/jsonrpc/lineframer.h"

#include <algorithm>
#include <utility>

namespace deskhand::jsonrpc {

LineFramer::LineFramer(qsizetype maxLineBytes)
    : m_maxLineBytes(std::max<qsizetype>(maxLineBytes, 1))
{ }

void LineFramer::takeLine(QByteArray line, QList<QByteArray> &lines)
{
    if (line.endsWith('\r')) {
        line.chop(1);
    }
    if (line.size() > m_maxLineBytes) {
        ++m_oversizeLines;
    } else if (!line.isEmpty()) {
        lines.append(std::move(line));
    }
}

QList<QByteArray> LineFramer::feed(const QByteArray &bytes)
{
    QList<QByteArray> lines;
    qsizetype from = 0;
    while (from < bytes.size()) {
        const qsizetype end = bytes.indexOf('\n', from);
        if (m_discarding) {
            if (end < 0) {
                return lines;
            }
            m_discarding = false;
            from = end + 1;
            continue;
        }
        if (end < 0) {
            // One byte more than the cap may be the "\r" of the line's end.
            if (m_pending.size() + (bytes.size() - from) > m_maxLineBytes + 1) {
                m_pending = QByteArray();
                m_discarding = true;
                ++m_oversizeLines;
            } else {
                m_pending.append(bytes.constData() + from, bytes.size() - from);
            }
            return lines;
        }
        if (m_pending.isEmpty()) {
            takeLine(bytes.mid(from, end - from), lines);
        } else {
            m_pending.append(bytes.constData() + from, end - from);
            takeLine(std::exchange(m_pending, QByteArray()), lines);
        }
        from = end + 1;
    }
    return lines;
}

qsizetype LineFramer::finish()
{
    m_discarding = false;
    return std::exchange(m_pending, QByteArray()).size();
}

} // namespace deskhand::jsonrpc
