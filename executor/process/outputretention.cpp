// SPDX-License-Identifier: Apache-2.0
#include "executor/process/outputretention.h"

#include <algorithm>

namespace deskhand::process {

HeadTailBuffer::HeadTailBuffer(qint64 capacity)
    : m_headCapacity(capacity - capacity / 2)
    , m_tailCapacity(capacity / 2)
{ }

void HeadTailBuffer::append(const char *data, qint64 size)
{
    m_total += size;
    if (const qint64 room = m_headCapacity - m_head.size(); room > 0) {
        const qint64 part = std::min(room, size);
        m_head.append(data, part);
        data += part;
        size -= part;
    }
    if (size <= 0 || m_tailCapacity <= 0) {
        return;
    }
    if (size > m_tailCapacity) {
        data += size - m_tailCapacity;
        size = m_tailCapacity;
    }
    if (const qint64 room = m_tailCapacity - m_ring.size(); room > 0) {
        const qint64 part = std::min(room, size);
        m_ring.append(data, part);
        data += part;
        size -= part;
    }
    while (size > 0) {
        const qint64 part = std::min(size, m_tailCapacity - m_ringStart);
        std::copy_n(data, part, m_ring.data() + m_ringStart);
        m_ringStart = (m_ringStart + part) % m_tailCapacity;
        data += part;
        size -= part;
    }
}

qint64 HeadTailBuffer::omitted() const
{
    return m_total - m_head.size() - m_ring.size();
}

QByteArray HeadTailBuffer::tail() const
{
    return m_ring.mid(m_ringStart) + m_ring.left(m_ringStart);
}

QByteArray HeadTailBuffer::joined() const
{
    if (omitted() <= 0) {
        return m_head + tail();
    }
    return m_head + marker(omitted()) + tail();
}

QByteArray HeadTailBuffer::marker(qint64 omitted)
{
    return "\n[... " + QByteArray::number(omitted) + " bytes omitted ...]\n";
}

Spool::Spool(const QString &file, qint64 ceiling)
    : m_file(file)
    , m_left(ceiling)
{
    m_failed = !m_file.open(QIODevice::WriteOnly | QIODevice::NewOnly | QIODevice::Unbuffered)
        || !m_file.setPermissions(QFileDevice::ReadOwner | QFileDevice::WriteOwner);
}

void Spool::append(const char *data, qint64 size)
{
    if (m_failed || m_cut) {
        return;
    }
    const qint64 part = std::min(size, m_left);
    if (m_file.write(data, part) != part) {
        m_cut = true;
        return;
    }
    m_left -= part;
    m_cut = part < size;
}

} // namespace deskhand::process
