// SPDX-License-Identifier: Apache-2.0
#include "executor/socketio/pendingacks.h"

#include <utility>

using namespace Qt::StringLiterals;

namespace deskhand::socketio {

qint64 PendingAcks::add(const QString &nsp, const QString &event, std::chrono::milliseconds limit,
    QObject *context, SocketIoClient::AckHandler handler)
{
    // One count for all connections: an answer from an earlier one never meets a later event.
    const qint64 id = m_nextId++;
    m_entries.emplace(
        id, Entry { nsp, event, limit, QDeadlineTimer(limit), context, std::move(handler) });
    return id;
}

void PendingAcks::forget(qint64 id)
{
    m_entries.erase(id);
}

std::optional<PendingAcks::Delivery> PendingAcks::resolve(
    const QString &nsp, qint64 id, const Payload &payload)
{
    const auto it = m_entries.find(id);
    if (it == m_entries.end() || it->second.nsp != nsp) {
        return std::nullopt;
    }
    Delivery delivery = deliver(std::move(it->second), payload);
    m_entries.erase(it);
    return delivery;
}

std::vector<PendingAcks::Delivery> PendingAcks::failNamespace(
    const QString &nsp, const Error &error)
{
    std::vector<Delivery> deliveries;
    for (auto it = m_entries.begin(); it != m_entries.end();) {
        if (it->second.nsp == nsp) {
            deliveries.push_back(deliver(std::move(it->second), tl::unexpected(error)));
            it = m_entries.erase(it);
        } else {
            ++it;
        }
    }
    return deliveries;
}

std::vector<PendingAcks::Delivery> PendingAcks::takeExpired()
{
    std::vector<Delivery> deliveries;
    for (auto it = m_entries.begin(); it != m_entries.end();) {
        if (it->second.deadline.hasExpired()) {
            const auto error = failure(ErrorKind::Timeout,
                u"no answer to \"%1\" within %2 ms"_s.arg(it->second.event)
                    .arg(it->second.limit.count()));
            deliveries.push_back(deliver(std::move(it->second), error));
            it = m_entries.erase(it);
        } else {
            ++it;
        }
    }
    return deliveries;
}

std::optional<QDeadlineTimer> PendingAcks::nextDeadline() const
{
    std::optional<QDeadlineTimer> next;
    for (const auto &[id, entry] : m_entries) {
        if (!next || entry.deadline < *next) {
            next = entry.deadline;
        }
    }
    return next;
}

PendingAcks::Delivery PendingAcks::deliver(Entry &&entry, Result<Payload> outcome)
{
    return [context = std::move(entry.context), handler = std::move(entry.handler),
               outcome = std::move(outcome)] {
        if (context) {
            handler(outcome);
        }
    };
}

} // namespace deskhand::socketio
