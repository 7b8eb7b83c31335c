// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/common/paths.h"
#include "executor/common/result.h"
#include "executor/jsonrpc/peer.h"

#include <QLocalSocket>
#include <QObject>
#include <QTimer>

#include <chrono>
#include <functional>

namespace deskhand::control {

/// A client of the control endpoint of a home. Lives on the thread that made it; every call
/// returns at once and is answered once, within its limit.
class ControlClient final : public QObject
{
    Q_OBJECT
public:
    using Answer = std::function<void(const Result<QJsonObject> &)>;

    explicit ControlClient(ExecutorHome home, QObject *parent = nullptr);
    ~ControlClient() override;
    Q_DISABLE_COPY_MOVE(ControlClient)

    /// NotFound: no program runs for this home. Timeout: one does and does not answer.
    void open(std::chrono::milliseconds limit, const std::function<void(const Result<> &)> &done);
    [[nodiscard]] bool isOpen() const;

    /// Errors of the other side keep their kind. Network: the connection ended first. Not called
    /// when `context` is gone by then.
    void call(QLatin1StringView method, const QJsonObject &params, QObject *context,
        const Answer &answer, std::chrono::milliseconds limit = std::chrono::seconds(15));

Q_SIGNALS:
    void notification(const QString &method, const QJsonObject &params);
    /// After open() succeeded: the program ended, or let this client go.
    void closed();

private:
    void finishOpen(const Result<> &outcome);
    [[nodiscard]] Error whyNot() const;

    ExecutorHome m_home;
    QLocalSocket m_socket;
    QTimer m_openLimit;
    std::function<void(const Result<> &)> m_opened;
    jsonrpc::Peer *m_peer = nullptr; // child, made when connected
    bool m_established = false; // open() has succeeded
};

} // namespace deskhand::control
