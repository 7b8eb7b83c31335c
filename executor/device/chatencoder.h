// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/device/chatevent.h"
#include "executor/device/textdigest.h"
#include "executor/engines/taskevent.h"

#include <QHash>
#include <QList>
#include <QSet>
#include <QString>
#include <QStringList>

#include <map>

namespace deskhand::device {

/// What the encoder must know about its turn.
struct ChatTurn
{
    qint64 taskId = 0;
    qint64 subtaskId = 0;
    QString model; ///< for the response object, may be empty
    QString shellType; ///< lower case, as the request named it
    qint64 createdAtSec = 0;
    QString responseId; ///< "resp_" and hex digits, the same through the turn
};

/// Translates one turn's TaskEvents into the chat plane (device protocol, section 6): pure, no
/// clock but the one given, no I/O. Owner: the outbox's turn. Grammar of what comes out:
/// response.created, anything, exactly one ending, nothing more. The text of all messages in their
/// order is separated by blank lines, and a completed turn's text ends with its answer.
class ChatEncoder
{
public:
    explicit ChatEncoder(const ChatTurn &turn);

    /// `nowMs` (wall clock) stamps blocks.
    [[nodiscard]] QList<ChatEvent> encode(const engines::TaskEvent &event, qint64 nowMs);
    [[nodiscard]] bool isOver() const { return m_over; }

private:
    struct OpenBlock
    {
        engines::ItemKind kind = engines::ItemKind::Other;
        QString output; ///< end of what came so far
        qsizetype unseen = 0; ///< UTF-16 units since the last update went out
        qint64 omitted = 0; ///< UTF-8 bytes that fell out of `output`
        qsizetype changesShown = 0; ///< UTF-16 units of diffs in the last update
    };

    void begin();
    void on(const engines::TurnStarted &started);
    void on(const engines::StatusNote &note);
    void on(const engines::TextDelta &delta);
    void on(const engines::TextEnded &ended);
    void on(const engines::TextAbandoned &abandoned);
    void on(const engines::ReasoningDelta &delta);
    void on(const engines::ItemStarted &started);
    void on(const engines::ItemProgress &progress);
    void on(const engines::ItemEnded &ended);
    void on(const engines::PlanUpdated &plan);
    void on(const engines::DiffUpdated &diff);
    void on(const engines::UsageUpdated &usage);
    void on(const engines::RequestOpened &opened);
    void on(const engines::RequestClosed &closed);
    void on(const engines::RetryNotice &retry);
    void on(const engines::PromptGiven &prompt);
    void on(const engines::TurnEnded &ended);

    void text(const QString &itemId, const QString &text);
    void endText(const QString &itemId);
    void emitText(const QString &text);
    void flushHalf();
    void pushText(const QString &text);
    void emitAnswer(const QString &answer);
    void createBlock(const QJsonObject &block);
    void updateBlock(const QString &id, const QJsonObject &updates);
    /// A block that is complete by itself: created once, updated afterwards.
    void showBlock(const QString &id, const QString &toolName, const QJsonObject &input,
        const QString &output, const QString &status);
    void retryOver();
    void closeOpenBlocks(engines::TurnOutcome outcome);
    void add(ChatEvent::Kind kind, const QString &name, QJsonObject body);
    [[nodiscard]] QJsonObject response(const QString &status) const;

    ChatTurn m_turn;
    QList<ChatEvent> m_out; ///< of the event being encoded
    qint64 m_nowMs = 0;
    bool m_begun = false;
    bool m_over = false;

    QString m_openItem; ///< the message whose text was streamed last, while it is open
    bool m_messageOpen = false;
    std::map<QString, TextDigest> m_partial; ///< streamed text of messages that have not ended
    StreamEnd m_streamed; ///< to find the answer in it
    qint64 m_textPoints = 0;
    QString m_half; ///< first half of a surrogate pair whose second half has not come yet

    QString m_reasoningItem;
    bool m_reasoned = false;
    qint64 m_reasoningPoints = 0;

    QHash<QString, OpenBlock> m_open; ///< items at work, by item id
    QStringList m_openOrder;
    QSet<QString> m_known; ///< blocks created in this turn
    QStringList m_openRequests;
    int m_notes = 0;
    bool m_retrying = false;
};

} // namespace deskhand::device
