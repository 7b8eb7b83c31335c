// SPDX-License-Identifier: Apache-2.0
#include "executor/sandbox/windows/acljournal.h"

#include <algorithm>

namespace deskhand::sandbox::windows {

namespace {

// One change a line: right, SID and path as hexadecimal UTF-16 units, so that any name survives.
std::string hex(const std::wstring &text)
{
    static constexpr char kDigits[] = "0123456789abcdef";
    std::string result;
    for (const wchar_t unit : text) {
        for (int shift = 12; shift >= 0; shift -= 4) {
            result += kDigits[(static_cast<unsigned>(unit) >> static_cast<unsigned>(shift)) & 0xfU];
        }
    }
    return result;
}

std::wstring unhex(const std::string &text)
{
    std::wstring result;
    for (size_t at = 0; at + 4 <= text.size(); at += 4) {
        unsigned value = 0;
        for (size_t i = at; i < at + 4; ++i) {
            const char c = text[i];
            const int digit
                = c >= '0' && c <= '9' ? c - '0' : (c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1);
            if (digit < 0) {
                return {};
            }
            value = value * 16 + static_cast<unsigned>(digit);
        }
        result += static_cast<wchar_t>(value);
    }
    return result;
}

} // namespace

unsigned long accessMask(AclChange::Right right)
{
    constexpr unsigned long kReadData = 0x1; // FILE_READ_DATA
    constexpr unsigned long kWriteData = 0x2; // FILE_WRITE_DATA
    constexpr unsigned long kAppend = 0x4; // FILE_APPEND_DATA
    constexpr unsigned long kReadEa = 0x8;
    constexpr unsigned long kWriteEa = 0x10;
    constexpr unsigned long kExecute = 0x20;
    constexpr unsigned long kDeleteChild = 0x40;
    constexpr unsigned long kReadAttributes = 0x80;
    constexpr unsigned long kWriteAttributes = 0x100;
    constexpr unsigned long kDelete = 0x10000;
    constexpr unsigned long kReadControl = 0x20000;
    constexpr unsigned long kWriteDac = 0x40000;
    constexpr unsigned long kWriteOwner = 0x80000;
    constexpr unsigned long kSynchronize = 0x100000;
    constexpr unsigned long kReading
        = kReadData | kReadEa | kExecute | kReadAttributes | kReadControl | kSynchronize;
    constexpr unsigned long kWriting = kWriteData | kAppend | kWriteEa | kWriteAttributes | kDelete;
    switch (right) {
    case AclChange::Right::AllowRead:
        return kReading;
    case AclChange::Right::AllowWrite:
        return kReading | kWriting;
    case AclChange::Right::DenyWrite:
        return kWriting | kDeleteChild | kWriteDac | kWriteOwner;
    case AclChange::Right::DenyAll:
        return kReading | kWriting | kDeleteChild | kWriteDac | kWriteOwner;
    }
    return 0;
}

AclJournal::AclJournal(AclDevice device)
    : m_device(std::move(device))
{ }

std::string AclJournal::toText(const std::vector<AclChange> &changes)
{
    std::string text;
    for (const AclChange &change : changes) {
        text += std::to_string(static_cast<int>(change.right)) + ' ' + hex(change.sid) + ' '
            + hex(change.path) + '\n';
    }
    return text;
}

std::vector<AclChange> AclJournal::fromText(const std::string &text)
{
    std::vector<AclChange> result;
    for (size_t from = 0; from < text.size();) {
        const size_t end = text.find('\n', from);
        if (end == std::string::npos) {
            break; // a line that was never finished belongs to a change that was never made
        }
        const std::string line = text.substr(from, end - from);
        const size_t first = line.find(' ');
        const size_t second = line.find(' ', first + 1);
        if (first == 1 && second != std::string::npos && line[0] >= '0' && line[0] <= '3') {
            AclChange change;
            change.right = static_cast<AclChange::Right>(line[0] - '0');
            change.sid = unhex(line.substr(first + 1, second - first - 1));
            change.path = unhex(line.substr(second + 1));
            if (!change.sid.empty() && !change.path.empty()) {
                result.push_back(change);
            }
        }
        from = end + 1;
    }
    return result;
}

bool AclJournal::recover()
{
    m_pending = fromText(m_device.load());
    return undoAll();
}

bool AclJournal::apply(const std::vector<AclChange> &changes)
{
    for (const AclChange &change : changes) {
        m_pending.push_back(change);
        if (!m_device.store(toText(m_pending))) {
            m_pending.pop_back();
            (void)undoAll();
            return false;
        }
        if (!m_device.apply(change)) {
            (void)undoAll();
            return false;
        }
    }
    return true;
}

bool AclJournal::undoAll()
{
    // The last first: entries on the same path come off in the order they were laid.
    std::vector<AclChange> left;
    for (auto it = m_pending.rbegin(); it != m_pending.rend(); ++it) {
        if (!m_device.revoke(*it)) {
            left.push_back(*it);
        }
    }
    std::reverse(left.begin(), left.end());
    m_pending = left;
    return m_device.store(toText(m_pending)) && m_pending.empty();
}

} // namespace deskhand::sandbox::windows
