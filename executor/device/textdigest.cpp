// SPDX-License-Identifier: Apache-2.0
#include "executor/device/textdigest.h"

namespace deskhand::device {
namespace {

constexpr auto kAlgorithm = QCryptographicHash::Blake2b_256;
constexpr size_t kMostMessages = 1000; // an answer does not have more parts
constexpr qsizetype kTailUnits = 16 * 1024; // at least so much of the end is kept

QByteArrayView bytesOf(QStringView text)
{
    return { reinterpret_cast<const char *>(text.utf16()),
        text.size() * qsizetype(sizeof(char16_t)) };
}

QByteArray digestOf(QStringView text)
{
    QCryptographicHash hash(kAlgorithm);
    hash.addData(bytesOf(text));
    return hash.result();
}

} // namespace

TextDigest::TextDigest()
    : m_hash(std::make_unique<QCryptographicHash>(kAlgorithm))
{ }

void TextDigest::append(QStringView text)
{
    m_hash->addData(bytesOf(text));
    m_size += text.size();
}

bool TextDigest::begins(QStringView text) const
{
    return text.size() >= m_size && digestOf(text.first(m_size)) == result();
}

QByteArray TextDigest::result() const
{
    return m_hash->result();
}

void StreamEnd::startMessage()
{
    if (m_any) {
        m_earlier.push_back({ m_last.size(), m_last.result() });
        if (m_earlier.size() > kMostMessages) {
            m_earlier.pop_front();
        }
        remember(m_separator);
    }
    m_any = true;
    m_last = TextDigest();
}

void StreamEnd::append(QStringView text)
{
    m_last.append(text);
    remember(text);
}

void StreamEnd::remember(QStringView text)
{
    m_tail += text;
    if (m_tail.size() > 2 * kTailUnits) {
        m_tail.remove(0, m_tail.size() - kTailUnits);
    }
}

bool StreamEnd::is(QStringView text) const
{
    if (m_any && text.size() <= m_tail.size()) {
        return QStringView(m_tail).endsWith(text);
    }
    // From the last message to the first: cut the text where the messages were.
    qsizetype size = m_last.size();
    QByteArray digest = m_last.result();
    for (auto before = m_earlier.rbegin();; ++before) {
        if (!m_any || text.size() < size || digestOf(text.last(size)) != digest) {
            return false;
        }
        text.chop(size);
        if (text.isEmpty()) {
            return true;
        }
        if (before == m_earlier.rend() || !text.endsWith(m_separator)) {
            return false;
        }
        text.chop(m_separator.size());
        size = before->size;
        digest = before->digest;
    }
}

} // namespace deskhand::device
