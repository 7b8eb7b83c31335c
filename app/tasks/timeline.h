// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/core.h"
#include "app/tasks/outputtext.h"

#include <QHash>
#include <QList>
#include <QPalette>
#include <QSet>
#include <QTextCursor>

#include <memory>
#include <vector>

class QTextDocument;

namespace deskhand::app {

/// Writes the story of a task into a text document: messages, commands with their output, file
/// changes, plans, requests and endings, each in its place even when it grows later. Keeps what is
/// needed to show all of an output and to copy the story. Main thread; the caller batches.
class Timeline final : public QObject
{
    Q_OBJECT
public:
    explicit Timeline(QTextDocument *document, QObject *parent = nullptr);

    void clear();
    void setPalette(const QPalette &palette) { m_palette = palette; }
    /// Records in order; runs of text for the same message should come merged.
    void add(const TaskEventRecord &record);

    /// Whole output or changes of a shown item, by the name in its link.
    [[nodiscard]] QString fullText(const QString &link) const;
    [[nodiscard]] QString markdown() const;
    [[nodiscard]] QString turnDiff() const { return m_diff; }
    [[nodiscard]] engines::Usage usage() const { return m_usage; }
    /// Wire name of the level that the latest turn wished for and did not get; empty: it got it.
    [[nodiscard]] QString loweredFrom() const
    {
        return m_loweredTurn == m_turn ? m_loweredFrom : QString();
    }
    /// The command that still runs, empty when nothing is open.
    [[nodiscard]] QString openWork() const;
    [[nodiscard]] qint64 lastSeq() const { return m_lastSeq; }

private:
    enum class Kind { Prompt, Message, Reasoning, Work, Plan, Note, Warning, Ending };
    /// One paragraph or group of paragraphs of the story.
    struct Entry
    {
        Kind kind = Kind::Note;
        QString key;
        QString text; ///< as written, for copying
        engines::Item item; ///< Work
        OutputText output;
        QString raw; ///< Work: output as it came, bounded; Prompt: all of it
        int shownLines = 0;
        int droppedLines = 0;
        // Places in the document; only their positions count. All of them stay where they are when
        // something is inserted right there.
        QTextCursor start; ///< of the heading
        QTextCursor middle; ///< end of the heading, where the body begins
        QTextCursor end; ///< of the body; the same as middle when there is none
        int openLineLength = 0; ///< characters of the unfinished last line in the document
    };

    void onPrompt(const engines::PromptGiven &prompt);
    void onTurnStarted();
    void onText(const QString &itemId, const QString &text);
    void onTextEnded(const engines::TextEnded &event);
    void onReasoning(const QString &itemId, const QString &text);
    void onItemStarted(const engines::Item &item);
    void onItemProgress(const engines::ItemProgress &event);
    void onItemEnded(const engines::Item &item);
    void onPlan(const engines::PlanUpdated &plan);
    void onRequestOpened(const engines::PermissionRequest &request);
    void onRequestClosed(const engines::RequestClosed &event);
    void onEnded(const engines::TurnEnded &event);
    void onLowered(const QString &sentence);

    Entry &append(Kind kind, const QString &key, const QString &text);
    [[nodiscard]] Entry *find(const QString &key);
    void note(const QString &text, bool warning = false);
    void grow(Entry &entry, const QString &text);
    void replaceText(Entry &entry, const QString &text);
    void showOutput(Entry &entry, const QString &piece);
    void showChanges(Entry &entry);
    void refreshHeading(Entry &entry);
    /// A cursor over a stretch of the document, for changing it.
    [[nodiscard]] QTextCursor select(int from, int to) const;
    [[nodiscard]] QTextCharFormat format(Kind kind) const;
    [[nodiscard]] QColor muted() const;
    [[nodiscard]] bool isDark() const;

    QTextDocument *m_document;
    QPalette m_palette;
    std::vector<std::unique_ptr<Entry>> m_entries;
    QHash<QString, Entry *> m_byKey;
    QString m_turn;
    QString m_diff;
    QString m_loweredTurn;
    QString m_loweredFrom;
    engines::Usage m_usage;
    qint64 m_lastSeq = 0;
    int m_turns = 0;
    QSet<QString> m_prompted; ///< turns whose prompt was told
};

} // namespace deskhand::app
