// SPDX-License-Identifier: Apache-2.0
#include "executor/socketio/inbox.h"

namespace deskhand::socketio {

bool Inbox::push(Inbound &&item)
{
    const std::scoped_lock lock(m_mutex);
    const bool wasEmpty = m_items.empty();
    m_bytes += item.bytes;
    m_items.push_back(std::move(item));
    return wasEmpty;
}

std::optional<Inbound> Inbox::take()
{
    const std::scoped_lock lock(m_mutex);
    if (m_items.empty()) {
        return std::nullopt;
    }
    std::optional<Inbound> item = std::move(m_items.front());
    m_items.pop_front();
    m_bytes -= item->bytes;
    return item;
}

qint64 Inbox::bytes() const
{
    const std::scoped_lock lock(m_mutex);
    return m_bytes;
}

bool Inbox::isEmpty() const
{
    const std::scoped_lock lock(m_mutex);
    return m_items.empty();
}

bool Outbox::push(Command &&command)
{
    const std::scoped_lock lock(m_mutex);
    m_commands.push_back(std::move(command));
    return m_commands.size() == 1;
}

std::vector<Outbox::Command> Outbox::takeAll()
{
    const std::scoped_lock lock(m_mutex);
    return std::exchange(m_commands, {});
}

} // namespace deskhand::socketio
