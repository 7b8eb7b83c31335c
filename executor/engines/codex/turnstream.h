// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/engines/taskevent.h"

#include <QHash>
#include <QJsonObject>
#include <QSet>

#include <functional>
#include <optional>

namespace deskhand::engines::codex {

/// Turns the notifications of one turn into TaskEvents and remembers what is open, so that every
/// message and item is closed before the turn ends. Owned by a Turn; knows no process and no
/// clock, so recorded conversations can be fed to it. Not thread-safe.
class TurnStream final
{
public:
    using Emit = std::function<void(const TaskEvent &)>;

    TurnStream(QString cwd, bool sandboxed, Emit emitEvent);

    /// One notification that belongs to the turn. True when it shows work on the turn (an item
    /// other than the user's own message), which is what progress means.
    bool handle(const QString &method, const QJsonObject &params);

    /// Closes what is open: broken messages are abandoned, items cancelled. Before the ending.
    void closeOpen();
    /// After the ending: the end of an item that closeOpen() had to cancel.
    void handleLate(const QJsonObject &params);
    [[nodiscard]] bool expectsLate() const { return !m_closedEarly.isEmpty(); }

    /// The final messages joined by a blank line, else the last completed message.
    [[nodiscard]] QString finalText() const;
    [[nodiscard]] const Usage &usage() const { return m_usage; }
    [[nodiscard]] std::optional<Item> openItem(const QString &engineItemId) const;
    [[nodiscard]] QStringList openTitles() const;
    [[nodiscard]] const QJsonObject &finalError() const { return m_finalError; }
    [[nodiscard]] QString retryCause() const { return m_retryCause; }
    /// The latest error after which the engine tries again.
    [[nodiscard]] const QJsonObject &retryError() const { return m_retryError; }
    /// The sandbox of this computer could not start a command in this turn.
    [[nodiscard]] bool sandboxUnavailable() const { return m_sandboxUnavailable; }

private:
    void itemStarted(const QJsonObject &item);
    void itemCompleted(const QJsonObject &item);
    void messageDelta(const QJsonObject &params);
    void reasoningDelta(const QJsonObject &params, bool raw);
    void outputDelta(const QJsonObject &params);
    void patchUpdated(const QJsonObject &params);
    void usageUpdated(const QJsonObject &params);
    void planUpdated(const QJsonObject &params);
    void errorSeen(const QJsonObject &params);
    void warned(const QString &code, const QString &text);
    void noteSandbox(const Item &item);
    void abandonTexts();
    QString outwardId(const QString &engineId);
    QString openTextId(const QString &engineId);
    Item &openWork(const Item &item);

    QString m_cwd;
    bool m_sandboxed;
    Emit m_emit;
    QHash<QString, QString> m_openTexts; // engine's id -> outward id
    QList<QString> m_openTextOrder;
    QHash<QString, Item> m_openItems; // engine's id -> as last told
    QList<QString> m_openItemOrder;
    QHash<QString, Item> m_closedEarly; // engine's id -> as told by closeOpen()
    QHash<QString, int> m_idUses;
    QSet<QString> m_summarised; // reasoning items with a summary
    QSet<QString> m_reasoningSeen;
    bool m_reasoningBreak = false;
    bool m_anyReasoning = false;
    QSet<QString> m_warnings;
    QStringList m_finalAnswers;
    QString m_lastMessage;
    Usage m_usage;
    QJsonObject m_lastTotal;
    QJsonObject m_finalError;
    QString m_retryCause;
    QJsonObject m_retryError;
    bool m_sandboxUnavailable = false;
};

} // namespace deskhand::engines::codex
