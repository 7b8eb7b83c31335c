// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/common/result.h"
#include "executor/socketio/client.h"

#include <QDeadlineTimer>
#include <QPointer>
#include <QString>

#include <functional>
#include <map>
#include <optional>
#include <vector>

namespace deskhand::socketio {

/// Events sent that wait for their answer. Owned by ClientCore, its thread. Knows no timer: the
/// owner asks for the next deadline. Each entry comes out exactly once.
class PendingAcks
{
public:
    /// An answer's way back: calls the handler unless its context is gone.
    using Delivery = std::function<void()>;

    /// Returns the id to send.
    [[nodiscard]] qint64 add(const QString &nsp, const QString &event,
        std::chrono::milliseconds limit, QObject *context, SocketIoClient::AckHandler handler);
    /// Takes an entry back whose event could not be sent.
    void forget(qint64 id);

    /// Nothing when no event of this namespace waits under the id.
    [[nodiscard]] std::optional<Delivery> resolve(
        const QString &nsp, qint64 id, const Payload &payload);
    [[nodiscard]] std::vector<Delivery> failNamespace(const QString &nsp, const Error &error);
    [[nodiscard]] std::vector<Delivery> takeExpired();
    /// Reads every entry; not for each event.
    [[nodiscard]] std::optional<QDeadlineTimer> nextDeadline() const;
    [[nodiscard]] bool isEmpty() const { return m_entries.empty(); }

private:
    struct Entry
    {
        QString nsp;
        QString event;
        std::chrono::milliseconds limit;
        QDeadlineTimer deadline;
        QPointer<QObject> context;
        SocketIoClient::AckHandler handler;
    };
    [[nodiscard]] static Delivery deliver(Entry &&entry, Result<Payload> outcome);

    std::map<qint64, Entry> m_entries; ///< by id
    qint64 m_nextId = 0;
};

} // namespace deskhand::socketio
