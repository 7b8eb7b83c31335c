// SPDX-License-Identifier: Apache-2.0
#include "app/tasks/timeline.h"

#include "app/coretext/coretext.h"
#include "app/visibletext.h"
#include "app/wording.h"

#include <QFontDatabase>
#include <QRegularExpression>
#include <QTextBlock>
#include <QTextDocument>

using namespace Qt::StringLiterals;

namespace deskhand::app {
namespace {

using engines::Item;
using engines::ItemKind;
using engines::ItemStatus;

/// Above each entry, in pixels.
constexpr qreal kGap = 8;

/// Inserts text whose first line starts a paragraph and whose other lines follow without a gap.
void insertLines(QTextCursor &cursor, const QString &text, const QTextCharFormat &format)
{
    const qsizetype first = text.indexOf(u'\n');
    cursor.insertText(text.left(first), format);
    if (first >= 0) {
        QTextBlockFormat block = cursor.blockFormat();
        block.setTopMargin(0);
        cursor.insertBlock(block, format);
        cursor.insertText(text.mid(first + 1), format);
    }
}

/// Lines of one output in the document; the rest is a click away.
constexpr int kShownLines = 5000;
/// Removed at a time, so that a long output does not cost a removal per line.
constexpr int kDropLines = 1000;
/// Characters of raw output kept for "show all", as much as engines keep.
constexpr qsizetype kRawLimit = 1024 * 1024;
/// Left of what the person wrote, in pixels.
constexpr qreal kPromptIndent = 48;
/// Lines of a prompt shown in place.
constexpr qsizetype kShownPromptLines = 20;
/// Lines of a file's changes shown in place.
constexpr qsizetype kShownDiffLines = 60;

/// What the engine or the core said, in the language of the program.
QString inWords(const QString &said)
{
    return CoreText::translated(said, CoreText::Voice::Anyone);
}

QString itemName(const Item &item)
{
    if (item.kind == ItemKind::Command && !item.command.isEmpty()) {
        const CommandView view = takeApart(item.command);
        return u"$ "_s + visibleText(view.script, true);
    }
    if (item.title.isEmpty()) {
        return visibleText(item.name);
    }
    // Only the title of a change is the core's as a whole.
    return visibleText(
        item.kind == ItemKind::FileChange ? CoreText::translated(item.title) : inWords(item.title));
}

QString changeSign(engines::FileChange::Action action)
{
    switch (action) {
    case engines::FileChange::Action::Add:
        return u"+"_s;
    case engines::FileChange::Action::Delete:
        return u"−"_s;
    case engines::FileChange::Action::Update:
        break;
    }
    return u"~"_s;
}

} // namespace

Timeline::Timeline(QTextDocument *document, QObject *parent)
    : QObject(parent)
    , m_document(document)
{
    m_document->setUndoRedoEnabled(false);
}

void Timeline::clear()
{
    m_byKey.clear();
    m_entries.clear();
    m_document->clear();
    m_turn.clear();
    m_diff.clear();
    m_loweredTurn.clear();
    m_usage = {};
    m_lastSeq = 0;
    m_turns = 0;
    m_prompted.clear();
}

void Timeline::add(const TaskEventRecord &record)
{
    m_lastSeq = qMax(m_lastSeq, record.seq);
    m_turn = record.ref.turnId;
    struct Visitor
    {
        Timeline &t;
        void operator()(const engines::TurnStarted &) { t.onTurnStarted(); }
        void operator()(const engines::StatusNote &e)
        {
            if (e.code == "profile_lowered"_L1) {
                t.onLowered(e.text);
            }
            t.note(inWords(e.text),
                e.code == "sandbox_blocked"_L1 || e.level == engines::StatusNote::Level::Warning);
        }
        void operator()(const engines::TextDelta &e) { t.onText(e.itemId, e.text); }
        void operator()(const engines::TextEnded &e) { t.onTextEnded(e); }
        // What follows under the same name is a new message.
        void operator()(const engines::TextAbandoned &e)
        {
            t.m_byKey.remove(t.m_turn + u'/' + e.itemId);
        }
        void operator()(const engines::ReasoningDelta &e) { t.onReasoning(e.itemId, e.text); }
        void operator()(const engines::ItemStarted &e) { t.onItemStarted(e.item); }
        void operator()(const engines::ItemProgress &e) { t.onItemProgress(e); }
        void operator()(const engines::ItemEnded &e) { t.onItemEnded(e.item); }
        void operator()(const engines::PlanUpdated &e) { t.onPlan(e); }
        void operator()(const engines::DiffUpdated &e) { t.m_diff = e.diff; }
        void operator()(const engines::UsageUpdated &e) { t.m_usage = e.turn; }
        void operator()(const engines::RequestOpened &e) { t.onRequestOpened(e.request); }
        void operator()(const engines::RequestClosed &e) { t.onRequestClosed(e); }
        void operator()(const engines::RetryNotice &e)
        {
            const QString text = inWords(e.text);
            const QString cause = CoreText::translated(e.cause, CoreText::Voice::Provider);
            t.note(cause.isEmpty() ? text
                                   : Timeline::tr("%1 (%2)", "what is done, why").arg(text, cause),
                true);
        }
        void operator()(const engines::PromptGiven &e) { t.onPrompt(e); }
        void operator()(const engines::TurnEnded &e) { t.onEnded(e); }
    };
    std::visit(Visitor { *this }, record.event);
}

/// Keeps what was wished for; the sentence names both with the words of the wire.
void Timeline::onLowered(const QString &sentence)
{
    static const QRegularExpression wish(u"from (:[a-z-]+) to "_s);
    m_loweredTurn = m_turn;
    m_loweredFrom = wish.match(sentence).captured(1);
}

QTextCursor Timeline::select(int from, int to) const
{
    QTextCursor cursor(m_document);
    cursor.setPosition(from);
    cursor.setPosition(to, QTextCursor::KeepAnchor);
    return cursor;
}

Timeline::Entry *Timeline::find(const QString &key)
{
    return m_byKey.value(m_turn + u'/' + key);
}

bool Timeline::isDark() const
{
    return m_palette.color(QPalette::Base).lightness() < 128;
}

QColor Timeline::muted() const
{
    return isDark() ? QColor(0xa8a8a8) : QColor(0x5f5f5f);
}

QTextCharFormat Timeline::format(Kind kind) const
{
    QTextCharFormat format;
    switch (kind) {
    case Kind::Prompt:
    case Kind::Message:
    case Kind::Plan:
        break;
    case Kind::Reasoning:
        format.setForeground(muted());
        format.setFontItalic(true);
        break;
    case Kind::Work:
        format.setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
        format.setFontWeight(QFont::Bold);
        break;
    case Kind::Note:
        format.setForeground(muted());
        break;
    case Kind::Warning:
        format.setForeground(isDark() ? QColor(0xffc14d) : QColor(0x8a5a00));
        break;
    case Kind::Ending:
        format.setFontWeight(QFont::Bold);
        break;
    }
    return format;
}

Timeline::Entry &Timeline::append(Kind kind, const QString &key, const QString &text)
{
    auto entry = std::make_unique<Entry>();
    entry->kind = kind;
    entry->key = m_turn + u'/' + key;
    entry->text = text;

    QTextCursor cursor(m_document);
    cursor.movePosition(QTextCursor::End);
    QTextBlockFormat block;
    block.setTopMargin(kGap);
    if (kind == Kind::Reasoning) {
        block.setLeftMargin(12);
    } else if (kind == Kind::Prompt) {
        // Set apart like what a person says in a conversation.
        block.setLeftMargin(kPromptIndent);
        block.setBackground(isDark() ? QColor(0x24384f) : QColor(0xe4effb));
    }
    if (m_entries.empty()) {
        cursor.setBlockFormat(block);
    } else {
        cursor.insertBlock(block, QTextCharFormat());
    }
    const int start = cursor.position();
    insertLines(cursor, visibleText(text, true), format(kind));
    const int end = cursor.position();
    for (QTextCursor *place : { &entry->start, &entry->middle, &entry->end }) {
        *place = QTextCursor(m_document);
        place->setKeepPositionOnInsert(true);
        place->setPosition(place == &entry->start ? start : end);
    }
    Entry &added = *entry;
    m_byKey.insert(entry->key, entry.get());
    m_entries.push_back(std::move(entry));
    return added;
}

void Timeline::note(const QString &text, bool warning)
{
    append(warning ? Kind::Warning : Kind::Note, u"note%1"_s.arg(m_entries.size()),
        warning ? u"▲ "_s + text : text);
}

void Timeline::grow(Entry &entry, const QString &text)
{
    entry.text += text;
    QTextCursor cursor = select(entry.middle.position(), entry.middle.position());
    insertLines(cursor, visibleText(text, true), format(entry.kind));
    entry.middle.setPosition(cursor.position());
    entry.end.setPosition(cursor.position());
}

void Timeline::replaceText(Entry &entry, const QString &text)
{
    if (entry.text == text) {
        return;
    }
    entry.text = text;
    QTextCursor cursor = select(entry.start.position(), entry.middle.position());
    cursor.removeSelectedText();
    // What is left of several lines has the last one's format.
    QTextBlockFormat block = cursor.blockFormat();
    block.setTopMargin(kGap);
    cursor.setBlockFormat(block);
    insertLines(cursor, visibleText(text, true), format(entry.kind));
    entry.middle.setPosition(cursor.position());
    entry.end.setPosition(cursor.position());
}

void Timeline::onPrompt(const engines::PromptGiven &prompt)
{
    m_prompted.insert(m_turn);
    QString text = prompt.text;
    while (text.endsWith(u'\n') || text.endsWith(u' ')) {
        text.chop(1);
    }
    const QStringList lines = text.split(u'\n');
    const bool shortened = lines.size() > kShownPromptLines;
    QString shown = tr("You") + u'\n'
        + (shortened ? lines.first(kShownPromptLines).join(u'\n') + u"\n…"_s : text);
    if (prompt.images > 0) {
        shown += u'\n' + tr("%n picture(s)", nullptr, prompt.images);
    }
    Entry &entry = append(Kind::Prompt, u"prompt"_s, shown);
    entry.raw = text;
    QTextCharFormat bold;
    bold.setFontWeight(QFont::Bold);
    select(entry.start.position(), entry.start.position() + static_cast<int>(tr("You").size()))
        .mergeCharFormat(bold);
    if (shortened) {
        QTextCharFormat link;
        link.setAnchor(true);
        link.setAnchorHref(entry.key);
        link.setFontUnderline(true);
        link.setForeground(m_palette.color(QPalette::Link));
        QTextCursor cursor = select(entry.end.position(), entry.end.position());
        cursor.insertText(u"   "_s, QTextCharFormat());
        cursor.insertText(tr("Show all %n line(s)", nullptr, static_cast<int>(lines.size())), link);
        entry.middle.setPosition(cursor.position());
        entry.end.setPosition(cursor.position());
    }
}

void Timeline::onTurnStarted()
{
    if (++m_turns > 1 && !m_prompted.contains(m_turn)) {
        note(tr("Next turn"));
    }
}

void Timeline::onText(const QString &itemId, const QString &text)
{
    if (Entry *entry = find(itemId)) {
        grow(*entry, text);
    } else {
        append(Kind::Message, itemId, text);
    }
}

void Timeline::onTextEnded(const engines::TextEnded &event)
{
    if (Entry *entry = find(event.itemId)) {
        replaceText(*entry, event.text);
    } else if (!event.text.isEmpty()) {
        append(Kind::Message, event.itemId, event.text);
    }
}

void Timeline::onReasoning(const QString &itemId, const QString &text)
{
    const QString key = u"reasoning:"_s + itemId;
    if (Entry *entry = find(key)) {
        grow(*entry, text);
    } else {
        append(Kind::Reasoning, key, text.trimmed());
    }
}

void Timeline::onItemStarted(const Item &item)
{
    if (Entry *entry = find(item.id)) {
        entry->item = item;
        refreshHeading(*entry);
        return;
    }
    Entry &entry = append(Kind::Work, item.id, itemName(item));
    entry.item = item;
    refreshHeading(entry);
    showChanges(entry);
}

void Timeline::onItemProgress(const engines::ItemProgress &event)
{
    Entry *entry = find(event.itemId);
    if (entry == nullptr) {
        return; // output of something whose beginning was never told
    }
    if (!event.outputDelta.isEmpty()) {
        if (entry->raw.size() < kRawLimit) {
            entry->raw += event.outputDelta;
        }
        showOutput(*entry, event.outputDelta);
    }
    if (!event.changes.isEmpty()) {
        entry->item.changes = event.changes;
        showChanges(*entry);
    }
}

void Timeline::onItemEnded(const Item &item)
{
    Entry *entry = find(item.id);
    if (entry == nullptr) {
        entry = &append(Kind::Work, item.id, itemName(item));
    }
    entry->item = item;
    if (!item.output.isEmpty() && item.output != entry->raw) {
        // The pieces may have had gaps; this is the truth.
        select(entry->middle.position(), entry->end.position()).removeSelectedText();
        entry->output = OutputText();
        entry->shownLines = 0;
        entry->droppedLines = 0;
        entry->openLineLength = 0;
        entry->raw = item.output;
        showOutput(*entry, item.output);
    }
    refreshHeading(*entry);
    showChanges(*entry);
}

void Timeline::showOutput(Entry &entry, const QString &piece)
{
    const QList<StyledText> completed = entry.output.feed(piece);
    const QList<StyledText> open = entry.output.openLine();
    QTextCharFormat format;
    format.setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    format.setForeground(muted());
    QTextBlockFormat block;
    block.setLeftMargin(16);

    QTextCursor cursor = select(entry.end.position(), entry.end.position());
    if (entry.end.position() == entry.middle.position()) {
        if (completed.isEmpty() && open.isEmpty()) {
            return;
        }
        cursor.insertBlock(block, format);
    } else if (entry.openLineLength > 0) {
        cursor.movePosition(
            QTextCursor::PreviousCharacter, QTextCursor::KeepAnchor, entry.openLineLength);
        cursor.removeSelectedText();
    }
    int lines = 0;
    for (const StyledText &run : completed) {
        cursor.insertText(run.text, styledFormat(run.style, format, m_palette));
        lines += static_cast<int>(run.text.count(u'\n'));
    }
    const int openStart = cursor.position();
    for (const StyledText &run : open) {
        cursor.insertText(run.text, styledFormat(run.style, format, m_palette));
    }
    entry.openLineLength = cursor.position() - openStart;
    entry.end.setPosition(cursor.position());

    entry.shownLines += lines;
    if (entry.shownLines > kShownLines + kDropLines) {
        // The body starts at the end of the heading; its lines are the blocks after it.
        QTextCursor first = select(entry.middle.position(), entry.middle.position());
        first.movePosition(QTextCursor::NextBlock);
        const int drop = entry.shownLines - kShownLines;
        first.movePosition(QTextCursor::NextBlock, QTextCursor::KeepAnchor, drop);
        first.removeSelectedText();
        entry.shownLines -= drop;
        entry.droppedLines += drop;
        refreshHeading(entry);
    }
}

void Timeline::showChanges(Entry &entry)
{
    if (entry.item.changes.isEmpty()) {
        return;
    }
    QTextCharFormat plain;
    plain.setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    QTextBlockFormat block;
    block.setLeftMargin(16);
    QTextCursor cursor = select(entry.middle.position(), entry.end.position());
    cursor.removeSelectedText();
    for (const engines::FileChange &change : std::as_const(entry.item.changes)) {
        QTextCharFormat name = plain;
        name.setFontWeight(QFont::DemiBold);
        cursor.insertBlock(block, name);
        cursor.insertText(changeSign(change.action) + u' ' + visibleText(change.path)
                + (change.movedTo.isEmpty() ? QString() : u" → "_s + visibleText(change.movedTo)),
            name);
        const QStringList lines = change.diff.split(u'\n', Qt::SkipEmptyParts);
        for (const QString &line : lines.first(qMin(lines.size(), kShownDiffLines))) {
            QTextCharFormat colored = plain;
            if (line.startsWith(u'+')) {
                colored.setForeground(isDark() ? QColor(0x8fdc9c) : QColor(0x11581f));
            } else if (line.startsWith(u'-')) {
                colored.setForeground(isDark() ? QColor(0xf5a3a3) : QColor(0x8e1616));
            } else {
                colored.setForeground(muted());
            }
            cursor.insertBlock(block, colored);
            cursor.insertText(visibleText(line, true), colored);
        }
        if (lines.size() > kShownDiffLines) {
            cursor.insertBlock(block, plain);
            QTextCharFormat link = plain;
            link.setAnchor(true);
            link.setAnchorHref(entry.key);
            link.setFontUnderline(true);
            link.setForeground(m_palette.color(QPalette::Link));
            cursor.insertText(
                tr("Show all %n line(s)", nullptr, static_cast<int>(lines.size())), link);
        }
    }
    entry.end.setPosition(cursor.position());
}

void Timeline::refreshHeading(Entry &entry)
{
    const Item &item = entry.item;
    QString state;
    switch (item.status) {
    case ItemStatus::Running:
        state = tr("running");
        break;
    case ItemStatus::Completed:
        state = item.exitCode ? tr("exit code %1").arg(*item.exitCode) : tr("done");
        break;
    case ItemStatus::Failed:
        state = item.exitCode ? tr("failed, exit code %1").arg(*item.exitCode) : tr("failed");
        break;
    case ItemStatus::Declined:
        state = tr("not allowed");
        break;
    case ItemStatus::Cancelled:
        state = tr("stopped");
        break;
    }
    if (item.durationMs) {
        state += u", "_s + Wording::duration(*item.durationMs);
    }
    if (!item.error.isEmpty()) {
        state = tr("%1: %2", "how it ended, why")
                    .arg(state, Wording::oneLine(inWords(item.error), 200));
    }
    entry.text = itemName(item);

    const int bodyLength = entry.end.position() - entry.middle.position();
    QTextCursor cursor = select(entry.start.position(), entry.middle.position());
    insertLines(cursor, entry.text, format(Kind::Work));
    QTextCharFormat small;
    small.setForeground(muted());
    cursor.insertText(u"   "_s + state, small);
    if (entry.droppedLines > 0) {
        QTextCharFormat link;
        link.setAnchor(true);
        link.setAnchorHref(entry.key);
        link.setFontUnderline(true);
        link.setForeground(m_palette.color(QPalette::Link));
        cursor.insertText(u"   "_s, small);
        cursor.insertText(
            tr("Show all (%n earlier line(s) hidden)", nullptr, entry.droppedLines), link);
    }
    entry.middle.setPosition(cursor.position());
    entry.end.setPosition(cursor.position() + bodyLength);
}

void Timeline::onPlan(const engines::PlanUpdated &plan)
{
    QString text;
    if (!plan.markdown.isEmpty()) {
        text = plan.markdown;
    } else {
        text = plan.explanation.isEmpty() ? tr("Plan") : plan.explanation;
        for (const engines::PlanUpdated::Step &step : plan.steps) {
            const QString mark = step.status == "completed"_L1
                ? u"☑"_s
                : (step.status == "inProgress"_L1 ? u"▶"_s : u"☐"_s);
            text += u"\n  "_s + mark + u' ' + step.text;
        }
    }
    if (Entry *entry = find(u"plan"_s)) {
        replaceText(*entry, text);
    } else {
        append(Kind::Plan, u"plan"_s, text);
    }
}

void Timeline::onRequestOpened(const engines::PermissionRequest &request)
{
    QString text = tr("Permission asked: %1").arg(Wording::requestSentence(request));
    if (!request.command.isEmpty()) {
        text += u"\n$ "_s + takeApart(request.command).script;
    }
    append(Kind::Ending, u"request:"_s + request.id, text);
}

void Timeline::onRequestClosed(const engines::RequestClosed &event)
{
    const QString answer = Wording::requestClosed(event.outcome, event.by, event.reason);
    if (Entry *entry = find(u"request:"_s + event.requestId)) {
        replaceText(*entry, entry->text + u"\n→ "_s + answer);
    } else {
        note(answer);
    }
}

void Timeline::onEnded(const engines::TurnEnded &event)
{
    QString text;
    switch (event.outcome) {
    case engines::TurnOutcome::Completed:
        text = tr("Finished");
        break;
    case engines::TurnOutcome::Cancelled:
        text = tr("Stopped");
        break;
    case engines::TurnOutcome::Failed:
        text = tr("Failed");
        break;
    }
    if (!event.errorMessage.isEmpty()) {
        text = tr("%1: %2", "how it ended, why").arg(text, inWords(event.errorMessage));
    }
    if (event.usage.totalTokens > 0) {
        m_usage = event.usage;
    }
    append(Kind::Ending, u"ending"_s, text);
}

QString Timeline::openWork() const
{
    for (const auto &entry : m_entries) {
        if (entry->kind == Kind::Work && entry->item.status == ItemStatus::Running) {
            return entry->text;
        }
    }
    return {};
}

QString Timeline::fullText(const QString &link) const
{
    const Entry *entry = m_byKey.value(link);
    if (entry == nullptr) {
        return {};
    }
    if (!entry->item.changes.isEmpty()) {
        QString text;
        for (const engines::FileChange &change : entry->item.changes) {
            text += changeSign(change.action) + u' ' + change.path + u'\n' + change.diff + u'\n';
        }
        return text;
    }
    return entry->kind == Kind::Prompt ? entry->raw : OutputText::readable(entry->raw);
}

QString Timeline::markdown() const
{
    QString text;
    for (const auto &entry : m_entries) {
        switch (entry->kind) {
        case Kind::Prompt:
            text += u"**"_s + entry->text.section(u'\n', 0, 0) + u"**\n\n"_s + entry->raw
                + u"\n\n"_s;
            break;
        case Kind::Message:
        case Kind::Plan:
            text += entry->text + u"\n\n"_s;
            break;
        case Kind::Reasoning:
            text += u"> "_s + QString(entry->text).replace(u'\n', u"\n> "_s) + u"\n\n"_s;
            break;
        case Kind::Work:
            text += u"```\n"_s + entry->text + u'\n' + fullText(entry->key)
                + (fullText(entry->key).endsWith(u'\n') ? QString() : u"\n"_s) + u"```\n\n"_s;
            break;
        case Kind::Note:
        case Kind::Warning:
        case Kind::Ending:
            text += u"*"_s + entry->text + u"*\n\n"_s;
            break;
        }
    }
    return text;
}

} // namespace deskhand::app
