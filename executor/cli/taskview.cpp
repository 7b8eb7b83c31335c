// SPDX-License-Identifier: Apache-2.0
#include "executor/cli/taskview.h"

#include "executor/control/protocol.h"

namespace deskhand::cli {

using namespace Qt::StringLiterals;

namespace {

QString describeChange(const engines::FileChange &change)
{
    switch (change.action) {
    case engines::FileChange::Action::Add:
        return u"added "_s + change.path;
    case engines::FileChange::Action::Delete:
        return u"deleted "_s + change.path;
    case engines::FileChange::Action::Update:
        break;
    }
    return change.movedTo.isEmpty() ? u"changed "_s + change.path
                                    : u"moved %1 to %2"_s.arg(change.path, change.movedTo);
}

QString statusWord(engines::ItemStatus status)
{
    switch (status) {
    case engines::ItemStatus::Failed:
        return u"failed"_s;
    case engines::ItemStatus::Declined:
        return u"declined"_s;
    case engines::ItemStatus::Cancelled:
        return u"cancelled"_s;
    case engines::ItemStatus::Running:
    case engines::ItemStatus::Completed:
        break;
    }
    return {};
}

QString shortTitle(const engines::Item &item)
{
    if (item.kind == engines::ItemKind::Command) {
        return u"$ "_s + item.command;
    }
    return item.title.isEmpty() ? item.name : item.title;
}

} // namespace

TaskView::TaskView(Output &output, Prompts prompts)
    : m_output(output)
    , m_showsPrompts(prompts == Prompts::Shown)
{ }

void TaskView::show(const TaskEventRecord &record)
{
    if (const auto *ended = std::get_if<engines::TurnEnded>(&record.event)) {
        m_ending = *ended;
    }
    if (m_output.json()) {
        m_output.jsonLine(control::toJson(record));
        return;
    }
    std::visit([this](const auto &event) { on(event); }, record.event);
}

void TaskView::say(const QString &itemId, const QString &text)
{
    if (text.isEmpty()) {
        return;
    }
    if (itemId != m_item) {
        // A blank line between messages.
        if (!m_tail.isEmpty()) {
            m_output.text(m_tail.endsWith(u"\n\n"_s) ? QString()
                    : m_tail.endsWith(u'\n')         ? u"\n"_s
                                                     : u"\n\n"_s);
        }
        m_item = itemId;
        m_said.clear();
    }
    m_output.text(text);
    m_said += text;
    m_tail = (m_tail + text).right(2);
}

void TaskView::note(const QString &text)
{
    // On a terminal both streams share the line.
    if (m_output.errIsTerminal() && !m_tail.isEmpty() && !m_tail.endsWith(u'\n')) {
        m_output.text(u"\n"_s);
        m_tail += u'\n';
    }
    m_output.note(text);
}

void TaskView::on(const engines::TurnStarted & /*event*/) { }

void TaskView::on(const engines::StatusNote &event)
{
    note(event.text);
}

void TaskView::on(const engines::TextDelta &event)
{
    say(event.itemId, event.text);
}

void TaskView::on(const engines::TextEnded &event)
{
    if (event.itemId != m_item) {
        say(event.itemId, event.text);
    } else if (event.text.startsWith(m_said)) {
        say(event.itemId, event.text.mid(m_said.size()));
    }
}

void TaskView::on(const engines::TextAbandoned &event)
{
    if (event.itemId == m_item) {
        m_item.clear(); // what follows is a new message
    }
}

void TaskView::on(const engines::ReasoningDelta & /*event*/) { }

void TaskView::on(const engines::ItemStarted &event)
{
    if (event.item.kind != engines::ItemKind::FileChange) {
        note(oneLine(shortTitle(event.item)));
    }
}

void TaskView::on(const engines::ItemProgress & /*event*/) { }

void TaskView::on(const engines::ItemEnded &event)
{
    const engines::Item &item = event.item;
    for (const engines::FileChange &change : item.changes) {
        note(oneLine(describeChange(change)));
    }
    QStringList trouble;
    if (const QString word = statusWord(item.status); !word.isEmpty()) {
        trouble.append(word);
    }
    if (item.exitCode.value_or(0) != 0) {
        trouble.append(u"exit status %1"_s.arg(*item.exitCode));
    }
    if (!item.error.isEmpty()) {
        trouble.append(item.error);
    }
    if (!trouble.isEmpty()) {
        note(oneLine(shortTitle(item), 80) + u": "_s + oneLine(trouble.join(u", "_s)));
    }
}

void TaskView::on(const engines::PlanUpdated &event)
{
    for (const engines::PlanUpdated::Step &step : event.steps) {
        note(u"[%1] %2"_s.arg(step.status, oneLine(step.text)));
    }
}

void TaskView::on(const engines::DiffUpdated & /*event*/) { }
void TaskView::on(const engines::UsageUpdated & /*event*/) { }
void TaskView::on(const engines::RequestOpened & /*event*/) { }

void TaskView::on(const engines::RequestClosed &event)
{
    note(u"request %1: %2 by %3"_s.arg(event.requestId, engines::requestOutcomeName(event.outcome),
        event.by.isEmpty() ? u"nobody"_s : event.by));
}

void TaskView::on(const engines::RetryNotice &event)
{
    note(oneLine(event.text + (event.cause.isEmpty() ? QString() : u": "_s + event.cause)));
}

void TaskView::on(const engines::PromptGiven &event)
{
    if (m_showsPrompts) {
        note(u"> "_s + oneLine(event.text)
            + (event.images > 0 ? u" (+%1 images)"_s.arg(event.images) : QString()));
    }
}

void TaskView::on(const engines::TurnEnded &event)
{
    if (m_tail.isEmpty()) {
        say(u"final"_s, event.finalText);
    }
    if (!m_tail.isEmpty() && !m_tail.endsWith(u'\n')) {
        m_output.text(u"\n"_s);
    }
    m_tail.clear();
    m_item.clear();
    switch (event.outcome) {
    case engines::TurnOutcome::Completed:
        break;
    case engines::TurnOutcome::Cancelled:
        note(u"stopped: "_s + event.errorMessage);
        break;
    case engines::TurnOutcome::Failed:
        note(u"failed (%1): %2"_s.arg(event.errorCode, event.errorMessage));
        break;
    }
    if (event.usage.totalTokens > 0) {
        note(u"tokens: %1 in, %2 out"_s.arg(event.usage.inputTokens).arg(event.usage.outputTokens));
    }
}

} // namespace deskhand::cli
