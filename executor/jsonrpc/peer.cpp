// SPDX-License-Identifier: Apache-2.0
#include "executor/jsonrpc/peer.h"

#include "executor/common/jsonreader.h"
#include "executor/logging/log.h"

#include <QIODevice>
#include <QJsonDocument>
#include <QStringList>
#include <QTimer>

#include <algorithm>
#include <optional>

using namespace Qt::StringLiterals;

namespace deskhand::jsonrpc {

namespace {

// Some programs print bytes that are not UTF-8 inside a string. One replacement character is
// better than a lost message, so such a line is repaired and read again.
QJsonDocument parseLine(const QByteArray &line)
{
    QJsonParseError error;
    QJsonDocument document = QJsonDocument::fromJson(line, &error);
    if (error.error == QJsonParseError::IllegalUTF8String) {
        document = QJsonDocument::fromJson(QString::fromUtf8(line).toUtf8(), &error);
    }
    return document;
}

// Our ids are positive integers; anything else cannot be an answer to us.
std::optional<qint64> ownId(const QJsonValue &value)
{
    if (!value.isDouble()) {
        return std::nullopt;
    }
    const qint64 id = value.toInteger(-1);
    return id > 0 ? std::optional<qint64>(id) : std::nullopt;
}

} // namespace

Peer::Peer(QIODevice *device, const PeerOptions &options, QObject *parent)
    : QObject(parent)
    , m_device(device)
    , m_options(options)
    , m_framer(options.maxLineBytes)
{
    connect(device, &QIODevice::readyRead, this, &Peer::readAvailable);
    connect(device, &QIODevice::bytesWritten, this, &Peer::noteWritten);
    connect(device, &QIODevice::readChannelFinished, this, &Peer::close);
    connect(device, &QIODevice::aboutToClose, this, &Peer::close);
    connect(device, &QObject::destroyed, this, &Peer::close);
    if (device->bytesAvailable() > 0) {
        QMetaObject::invokeMethod(this, &Peer::readAvailable, Qt::QueuedConnection);
    }
}

Peer::~Peer() = default;

QStringList Peer::pendingMethods() const
{
    QStringList methods;
    for (const Pending &pending : m_pending) {
        methods.append(pending.method);
    }
    methods.sort();
    return methods;
}

bool Peer::send(const QJsonObject &message, std::function<void()> flushed)
{
    if (!m_open || !m_device) {
        return false;
    }
    QByteArray line = json::compact(message);
    line.append('\n');
    if (m_device->bytesToWrite() + line.size() > m_options.maxQueuedBytes) {
        logging::logger("jsonrpc")->warn(
            "outgoing queue is full ({} bytes); message dropped", m_device->bytesToWrite());
        return false;
    }
    // The order matters: write() may report bytesWritten before it returns.
    m_queuedTotal += static_cast<quint64>(line.size());
    if (flushed) {
        m_flushes.enqueue({ m_queuedTotal, std::move(flushed) });
    }
    const QPointer<Peer> self(this);
    const bool accepted = m_device->write(line) == line.size();
    if (self && !accepted) {
        // A device that refuses to queue is closing; a half-taken line would break the stream.
        close();
    }
    return accepted;
}

void Peer::noteWritten(qint64 bytes)
{
    m_writtenTotal += static_cast<quint64>(std::max<qint64>(bytes, 0));
    const QPointer<Peer> self(this);
    while (self && !m_flushes.isEmpty() && m_flushes.head().atByte <= m_writtenTotal) {
        const Flush flush = m_flushes.dequeue();
        flush.callback();
    }
}

void Peer::answerLater(QObject *context, ReplyHandler handler, const Reply &reply)
{
    QMetaObject::invokeMethod(
        this,
        [context = QPointer<QObject>(context), handler = std::move(handler), reply] {
            if (context) {
                handler(reply);
            }
        },
        Qt::QueuedConnection);
}

void Peer::request(const QString &method, const QJsonObject &params, QObject *context,
    ReplyHandler handler, std::chrono::milliseconds limit)
{
    const qint64 id = m_nextId++;
    if (!send({ { u"method"_s, method }, { u"id"_s, id }, { u"params"_s, params } })) {
        Reply reply;
        reply.message = m_open ? u"the other side does not read; its queue is full"_s
                               : u"the connection is closed"_s;
        answerLater(context, std::move(handler), reply);
        return;
    }
    auto *timer = new QTimer(this);
    timer->setSingleShot(true);
    const auto wait = limit.count() > 0 ? limit : m_options.requestLimit;
    connect(timer, &QTimer::timeout, this, [this, id, method, wait] {
        Reply reply;
        reply.outcome = Reply::Outcome::TimedOut;
        reply.message = u"no answer to %1 within %2 ms"_s.arg(method).arg(wait.count());
        finish(id, reply);
    });
    m_pending.insert(id, { method, context, std::move(handler), timer });
    timer->start(wait);
}

bool Peer::notify(const QString &method, const QJsonObject &params)
{
    QJsonObject message { { u"method"_s, method } };
    if (!params.isEmpty()) {
        message.insert(u"params"_s, params);
    }
    return send(message);
}

bool Peer::respond(const QJsonValue &id, const QJsonValue &result, std::function<void()> flushed)
{
    return send({ { u"id"_s, id }, { u"result"_s, result } }, std::move(flushed));
}

bool Peer::respondError(
    const QJsonValue &id, int code, const QString &message, const QJsonValue &data)
{
    QJsonObject error { { u"code"_s, code }, { u"message"_s, message } };
    if (!data.isNull() && !data.isUndefined()) {
        error.insert(u"data"_s, data);
    }
    return send({ { u"id"_s, id }, { u"error"_s, error } });
}

void Peer::readAvailable()
{
    if (!m_open || !m_device) {
        return;
    }
    const QByteArray bytes = m_device->readAll();
    m_counters.bytesIn += static_cast<quint64>(bytes.size());
    const QList<QByteArray> lines = m_framer.feed(bytes);
    const QPointer<Peer> self(this);
    if (m_framer.oversizeLines() != m_counters.oversizeLines) {
        m_counters.oversizeLines = m_framer.oversizeLines();
        noteGarbage(QByteArrayLiteral("(a line over the size limit)"));
    }
    for (const QByteArray &line : lines) {
        if (!self) {
            return;
        }
        handleLine(line);
    }
}

void Peer::noteGarbage(const QByteArray &line)
{
    ++m_counters.garbageLines;
    ++m_garbageInARow;
    Q_EMIT garbage(line.left(200), m_garbageInARow);
}

void Peer::handleLine(const QByteArray &line)
{
    ++m_counters.linesIn;
    m_counters.longestLine = std::max(m_counters.longestLine, static_cast<quint64>(line.size()));
    const QJsonDocument document = parseLine(line);
    const QJsonObject message = document.object();
    const QJsonValue method = message.value("method"_L1);
    const QJsonValue id = message.value("id"_L1);
    const bool idPresent = id.isDouble() || id.isString();
    const bool isReply = method.isUndefined() && idPresent
        && (message.contains("result"_L1) || message.contains("error"_L1));
    if (!document.isObject() || (!method.isString() && !isReply)) {
        noteGarbage(line);
        return;
    }
    m_garbageInARow = 0;
    if (isReply) {
        handleReply(message);
        return;
    }
    if (id.isObject() || id.isArray() || id.isBool()) {
        // It wants an answer and gave nothing to name it by.
        respondError(QJsonValue::Null, kInvalidRequest, u"id must be a text or a number"_s);
        return;
    }
    const QJsonValue params = message.value("params"_L1);
    const bool paramsFit = params.isObject() || params.isNull() || params.isUndefined();
    if (!idPresent) {
        if (!paramsFit) {
            noteGarbage(line);
            return;
        }
        Q_EMIT notification(method.toString(), params.toObject());
        return;
    }
    if (!paramsFit) {
        respondError(id, kInvalidParams, u"params must be an object"_s);
        return;
    }
    const QPointer<Peer> self(this);
    const IncomingRequest request { id, method.toString(), params.toObject() };
    const bool taken = m_requestHandler && m_requestHandler(request);
    if (self && !taken) {
        respondError(id, kMethodNotFound, u"unsupported: %1"_s.arg(request.method.left(200)));
    }
}

void Peer::handleReply(const QJsonObject &message)
{
    const auto id = ownId(message.value("id"_L1));
    if (!id || !m_pending.contains(*id)) {
        ++m_counters.strayReplies;
        return;
    }
    Reply reply;
    if (message.contains("error"_L1) && !message.value("error"_L1).isNull()) {
        const QJsonObject error = message.value("error"_L1).toObject();
        reply.outcome = Reply::Outcome::Error;
        reply.code = error.value("code"_L1).toInt();
        reply.message = error.value("message"_L1).toString(u"refused without a reason"_s);
        reply.data = error.value("data"_L1);
    } else {
        reply.outcome = Reply::Outcome::Result;
        reply.result = message.value("result"_L1);
    }
    finish(*id, reply);
}

void Peer::finish(qint64 id, const Reply &reply)
{
    const Pending pending = m_pending.take(id);
    if (pending.timer != nullptr) {
        pending.timer->stop();
        pending.timer->deleteLater();
    }
    if (pending.context && pending.handler) {
        pending.handler(reply);
    }
}

void Peer::close()
{
    if (!m_open) {
        return;
    }
    const QPointer<Peer> self(this);
    if (m_device && m_device->isOpen() && m_device->bytesAvailable() > 0) {
        readAvailable(); // what came before the end still counts
        if (!self || !m_open) {
            return;
        }
    }
    m_open = false;
    m_flushes.clear();
    m_framer.finish();
    Reply reply;
    reply.outcome = Reply::Outcome::Closed;
    reply.message = u"the connection was closed"_s;
    QList<qint64> ids = m_pending.keys();
    std::sort(ids.begin(), ids.end());
    for (const qint64 id : ids) {
        finish(id, reply);
        if (!self) {
            return;
        }
    }
    Q_EMIT closed();
}

} // namespace deskhand::jsonrpc
