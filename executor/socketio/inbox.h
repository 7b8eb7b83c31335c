// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/common/result.h"
#include "executor/socketio/client.h"
#include "executor/socketio/codec.h"
#include "executor/socketio/packet.h"

#include <atomic>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

namespace deskhand::socketio {

struct LinkOpened
{
    OpenInfo info;
};
struct PacketReceived
{
    Packet packet;
};
struct PacketRefused
{
    Error error;
};
/// Nothing follows for this link.
struct LinkGone
{
    DisconnectReason reason = DisconnectReason::LinkLost;
    QString cause;
};
/// Everything given to the link has left.
struct LinkDrained
{ };

using LinkFact = std::variant<LinkOpened, PacketReceived, PacketRefused, LinkGone, LinkDrained>;

struct Inbound
{
    quint64 link = 0; ///< which connection it belongs to
    LinkFact fact;
    qint64 bytes = 0; ///< counted against the limit of the queue
};

/// What the transport has received and the owner has not handled yet. Any thread; the mutex
/// guards the queue and its byte count.
class Inbox
{
public:
    /// True when the queue was empty, so that the reader has to be woken.
    [[nodiscard]] bool push(Inbound &&item);
    [[nodiscard]] std::optional<Inbound> take();
    [[nodiscard]] qint64 bytes() const;
    [[nodiscard]] bool isEmpty() const;

private:
    mutable std::mutex m_mutex;
    std::deque<Inbound> m_items;
    qint64 m_bytes = 0;
};

class Transport;

/// What the owner wants of the transport, in order. Any thread; the mutex guards the list.
class Outbox
{
public:
    using Command = std::function<void(Transport &)>;

    /// True when the list was empty, so that the transport has to be woken.
    [[nodiscard]] bool push(Command &&command);
    [[nodiscard]] std::vector<Command> takeAll();

private:
    std::mutex m_mutex;
    std::vector<Command> m_commands;
};

/// Bytes on their way out, counted by both threads.
struct Backlog
{
    std::atomic<qint64> posted { 0 }; ///< given to the transport's thread, not yet to the socket
    std::atomic<qint64> inSocket { 0 }; ///< in the socket's buffer
};

} // namespace deskhand::socketio
