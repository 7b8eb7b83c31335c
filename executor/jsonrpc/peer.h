// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/jsonrpc/lineframer.h"

#include <QHash>
#include <QJsonObject>
#include <QJsonValue>
#include <QObject>
#include <QPointer>
#include <QQueue>

#include <chrono>
#include <functional>

QT_BEGIN_NAMESPACE
class QIODevice;
class QTimer;
QT_END_NAMESPACE

namespace deskhand::jsonrpc {

/// How a request of ours ended.
struct Reply
{
    enum class Outcome {
        Result, ///< `result` holds the answer
        Error, ///< the other side refused: `code`, `message`, `data`
        TimedOut, ///< no answer within the limit; a later one is ignored
        Closed, ///< the stream ended first
        NotSent ///< the outgoing queue was full or the stream already closed; nothing was written
    };
    Outcome outcome = Outcome::NotSent;
    QJsonValue result;
    int code = 0;
    QString message; ///< filled for every outcome but Result
    QJsonValue data;

    [[nodiscard]] bool ok() const { return outcome == Outcome::Result; }
};

/// A request from the other side. `id` is a string or a number and is echoed as it came.
struct IncomingRequest
{
    QJsonValue id;
    QString method;
    QJsonObject params;
};

/// What went over the stream so far; for diagnostics.
struct Counters
{
    quint64 bytesIn = 0;
    quint64 linesIn = 0;
    quint64 longestLine = 0;
    quint64 garbageLines = 0; ///< not JSON, not an object, or of no known shape
    quint64 oversizeLines = 0; ///< over the line cap, dropped
    quint64 strayReplies = 0; ///< answers to nothing that waits
};

struct PeerOptions
{
    qsizetype maxLineBytes = LineFramer::kDefaultMaxLineBytes;
    /// Bytes handed to the device and not written yet; beyond it nothing more is accepted.
    qint64 maxQueuedBytes = 64 * 1024 * 1024;
    std::chrono::milliseconds requestLimit { 60'000 };
};

/// One end of a JSON-RPC conversation, one JSON object per line, over any sequential QIODevice (a
/// child's pipes, a local socket). Owns neither the device nor its peer; lives on the device's
/// thread. Messages have no "jsonrpc" member and one with it is understood as well.
///
/// A message is told apart by the presence of "method", never by its id: the ids of the two
/// directions are independent and do collide. Handlers and signals may delete the Peer.
class Peer final : public QObject
{
    Q_OBJECT
public:
    using ReplyHandler = std::function<void(const Reply &)>;
    /// Returns true when the request is taken and respond() or respondError() will follow; with
    /// false it is answered at once with -32601 "unsupported".
    using RequestHandler = std::function<bool(const IncomingRequest &)>;

    explicit Peer(QIODevice *device, const PeerOptions &options = {}, QObject *parent = nullptr);
    ~Peer() override;
    Q_DISABLE_COPY_MOVE(Peer)

    void setRequestHandler(RequestHandler handler) { m_requestHandler = std::move(handler); }

    /// Sends a request; `handler` is called exactly once, on this thread and never from inside this
    /// call, unless `context` or the Peer dies before. A zero `limit` means
    /// PeerOptions::requestLimit.
    void request(const QString &method, const QJsonObject &params, QObject *context,
        ReplyHandler handler, std::chrono::milliseconds limit = {});

    /// False when the queue is full or the stream closed; then nothing was queued.
    bool notify(const QString &method, const QJsonObject &params = {});

    /// Answers a request. `flushed` is called once the whole line was written to the device; it is
    /// not called when the stream ends before. False: nothing was queued.
    bool respond(
        const QJsonValue &id, const QJsonValue &result, std::function<void()> flushed = {});
    bool respondError(
        const QJsonValue &id, int code, const QString &message, const QJsonValue &data = {});

    /// Reads what has arrived, then ends the conversation as if the stream had ended.
    void closeNow() { close(); }

    [[nodiscard]] bool isOpen() const { return m_open; }
    [[nodiscard]] Counters counters() const { return m_counters; }
    [[nodiscard]] QStringList pendingMethods() const;

    static constexpr int kInvalidRequest = -32600;
    static constexpr int kMethodNotFound = -32601;
    static constexpr int kInvalidParams = -32602;

Q_SIGNALS:
    void notification(const QString &method, const QJsonObject &params);
    /// A line that is no message, at most 200 bytes of it; `inARow` counts from the last good line.
    void garbage(const QByteArray &preview, int inARow);
    /// The stream ended; every pending request has been answered with Closed before.
    void closed();

private:
    struct Pending
    {
        QString method;
        QPointer<QObject> context;
        ReplyHandler handler;
        QTimer *timer = nullptr;
    };
    struct Flush
    {
        quint64 atByte = 0;
        std::function<void()> callback;
    };

    void readAvailable();
    void handleLine(const QByteArray &line);
    void handleReply(const QJsonObject &message);
    void noteGarbage(const QByteArray &line);
    void noteWritten(qint64 bytes);
    void close();
    bool send(const QJsonObject &message, std::function<void()> flushed = {});
    void finish(qint64 id, const Reply &reply);
    void answerLater(QObject *context, ReplyHandler handler, const Reply &reply);

    QPointer<QIODevice> m_device;
    PeerOptions m_options;
    LineFramer m_framer;
    RequestHandler m_requestHandler;
    QHash<qint64, Pending> m_pending;
    QQueue<Flush> m_flushes;
    Counters m_counters;
    qint64 m_nextId = 1;
    quint64 m_queuedTotal = 0;
    quint64 m_writtenTotal = 0;
    int m_garbageInARow = 0;
    bool m_open = true;
};

} // namespace deskhand::jsonrpc
