// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QByteArray>
#include <QFile>
#include <QString>

#include <memory>

namespace deskhand::process {

/// Keeps the first and the last part of a byte stream in bounded memory, whatever its length.
/// Owned by one run; one thread at a time.
class HeadTailBuffer final
{
public:
    /// Keeps at most `capacity` bytes: half for the head, half for the tail. 0 keeps nothing.
    explicit HeadTailBuffer(qint64 capacity);
    HeadTailBuffer()
        : HeadTailBuffer(0)
    { }

    void append(const char *data, qint64 size);

    [[nodiscard]] qint64 total() const { return m_total; }
    /// Bytes that were dropped between head and tail.
    [[nodiscard]] qint64 omitted() const;
    [[nodiscard]] QByteArray head() const { return m_head; }
    [[nodiscard]] QByteArray tail() const;
    /// Head and tail; when something is missing between them, around a line naming how much.
    [[nodiscard]] QByteArray joined() const;

    /// The line that stands for `omitted` bytes, line breaks included.
    [[nodiscard]] static QByteArray marker(qint64 omitted);

private:
    qint64 m_headCapacity;
    qint64 m_tailCapacity;
    QByteArray m_head;
    QByteArray m_ring; ///< grows up to the tail's capacity, then is written round
    qint64 m_ringStart = 0; ///< oldest byte, once the ring is full
    qint64 m_total = 0;
};

/// The whole stream on disk, up to a ceiling, for whoever wants to see the middle later. A full
/// disk ends the spooling, never the run. Owned by one run; one thread at a time.
class Spool final
{
public:
    Spool(const QString &file, qint64 ceiling);

    void append(const char *data, qint64 size);
    /// Empty when nothing could be written.
    [[nodiscard]] QString file() const { return m_failed ? QString() : m_file.fileName(); }
    [[nodiscard]] bool complete() const { return !m_failed && !m_cut; }

private:
    QFile m_file;
    qint64 m_left;
    bool m_failed = false;
    bool m_cut = false;
};

} // namespace deskhand::process
