// SPDX-License-Identifier: Apache-2.0
#include "app/prompts/requestview.h"

#include "app/coretext/coretext.h"
#include "app/prompts/diffview.h"
#include "app/prompts/questionform.h"
#include "app/visibletext.h"
#include "app/wording.h"

#include <QDir>
#include <QFontDatabase>
#include <QHeaderView>
#include <QJsonDocument>
#include <QLabel>
#include <QPlainTextEdit>
#include <QRegularExpression>
#include <QTextBlock>
#include <QTextLayout>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <QtMath>

using namespace Qt::StringLiterals;

namespace deskhand::app {
namespace {

using engines::PermissionRequest;
using engines::RequestKind;

constexpr int kRowsBeforeScrolling = 12;
/// So many characters of a row are enough to know its height.
constexpr int kLongestMeasured = 500;

/// Without the plain blanks around it; any other kind of blank stays and is made visible.
QString withoutOuterBlanks(QStringView text)
{
    while (text.startsWith(u' ')) {
        text = text.mid(1);
    }
    while (text.endsWith(u' ')) {
        text.chop(1);
    }
    return text.toString();
}

/// Marks what visibleText() wrote in place of hidden characters.
void markHidden(QPlainTextEdit *view)
{
    static const QRegularExpression kMarked(u"‹(U\\+[0-9A-F]+|TAB)›"_s);
    const bool dark = view->palette().color(QPalette::Base).lightness() < 128;
    QList<QTextEdit::ExtraSelection> selections;
    const QString text = view->toPlainText();
    auto matches = kMarked.globalMatch(text);
    while (matches.hasNext()) {
        const auto match = matches.next();
        QTextEdit::ExtraSelection selection;
        selection.cursor = QTextCursor(view->document());
        selection.cursor.setPosition(static_cast<int>(match.capturedStart()));
        selection.cursor.setPosition(
            static_cast<int>(match.capturedEnd()), QTextCursor::KeepAnchor);
        selection.format.setBackground(QColor(dark ? 0x6b4a00 : 0xffe08a));
        selection.format.setForeground(QColor(dark ? 0xffffff : 0x000000));
        selections.append(selection);
    }
    view->setExtraSelections(selections);
}

/// Of the tallest of the first rows: a script the fixed font does not have is taller.
int lineHeight(const QStringList &rows, const QFont &font)
{
    qreal height = QFontMetricsF(font).lineSpacing();
    for (const QString &row : rows.first(qMin<qsizetype>(rows.size(), kRowsBeforeScrolling))) {
        QTextLayout layout(row.left(kLongestMeasured), font);
        layout.beginLayout();
        if (QTextLine line = layout.createLine(); line.isValid()) {
            line.setNumColumns(kLongestMeasured);
            height = qMax(height, line.height());
        }
        layout.endLayout();
    }
    return qCeil(height);
}

QPlainTextEdit *fixedText(const QStringList &rows, const QString &name, QWidget *parent)
{
    auto *view = new QPlainTextEdit(parent);
    view->setObjectName(name);
    view->setReadOnly(true);
    view->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    view->setTabChangesFocus(true);
    view->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    view->setWordWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
    view->setPlainText(rows.join(u'\n'));
    // A row may wrap: twice its share of the width is assumed to be enough before scrolling.
    qsizetype lines = 0;
    for (const QString &row : rows) {
        lines += 1 + row.size() / 62;
    }
    const int shown = qBound(2, static_cast<int>(lines), kRowsBeforeScrolling);
    view->setFixedHeight(lineHeight(rows, view->font()) * shown
        + 2 * static_cast<int>(view->document()->documentMargin()) + 2 * view->frameWidth() + 2);
    markHidden(view);
    return view;
}

bool isInside(const QString &path, const QString &folder)
{
    const QString clean = QDir::cleanPath(path);
    const QString root = QDir::cleanPath(folder);
    return clean == root || clean.startsWith(root.endsWith(u'/') ? root : root + u'/');
}

QString actionSign(const QString &action)
{
    if (action == "add"_L1) {
        return u"+"_s;
    }
    return action == "delete"_L1 ? u"−"_s : u"~"_s;
}

} // namespace

RequestView::RequestView(const PermissionRequest &request, QWidget *parent)
    : QWidget(parent)
    , m_layout(new QVBoxLayout(this))
{
    setObjectName(u"requestView"_s);
    m_layout->setContentsMargins(0, 0, 0, 0);
    switch (request.kind) {
    case RequestKind::Command:
        addCommand(request);
        break;
    case RequestKind::FileChange:
        addFiles(request);
        break;
    case RequestKind::Permissions:
        addGrants(request);
        break;
    case RequestKind::Network:
        addNetwork(request);
        break;
    case RequestKind::Question:
        m_form = new QuestionForm(request.questions, this);
        connect(m_form, &QuestionForm::changed, this, &RequestView::changed);
        m_layout->addWidget(m_form);
        break;
    case RequestKind::ToolServer:
        addTool(request);
        break;
    }
    if (!request.cwd.isEmpty()) {
        addFact(tr("Folder"), request.cwd, u"cwd"_s);
    }
    m_layout->addStretch();
}

bool RequestView::isComplete() const
{
    return m_form == nullptr || m_form->isComplete();
}

QHash<QString, QStringList> RequestView::answers() const
{
    return m_form == nullptr ? QHash<QString, QStringList>() : m_form->answers();
}

void RequestView::addFact(const QString &name, const QString &text, const QString &objectName)
{
    auto *label
        = new QLabel(tr("%1: %2", "name of a fact, its value").arg(name, visibleText(text)), this);
    label->setObjectName(objectName);
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_layout->addWidget(label);
}

void RequestView::addCommand(const PermissionRequest &request)
{
    const CommandView command = takeApart(request.command);
    QStringList rows;
    for (const CommandPart &part : command.parts) {
        // Line feeds between commands show as rows, the others as what they are.
        const QString joiner = part.joiner == "\n"_L1 ? QString() : part.joiner;
        const QString text = withoutOuterBlanks(part.text);
        rows << visibleText(joiner.isEmpty() ? text : joiner + u' ' + text);
    }
    auto *view = fixedText(rows, u"command"_s, this);
    view->setAccessibleName(tr("Command"));
    m_layout->addWidget(view);
    if (hidesSomething(request.command)) {
        auto *warning = new QLabel(
            tr("The command holds characters that cannot be seen. They are shown as ‹U+…›."), this);
        warning->setObjectName(u"hiddenWarning"_s);
        warning->setWordWrap(true);
        m_layout->addWidget(warning);
    }
    if (!command.shell.isEmpty()) {
        addFact(tr("Shell"), command.shell, u"shell"_s);
    }
}

void RequestView::addFiles(const PermissionRequest &request)
{
    if (Wording::isOneGrant(request)) {
        addCommand(request);
        addFact(tr("Would become writable"), request.grantRoot, u"grantRoot"_s);
        return;
    }
    auto *list = new QTreeWidget(this);
    list->setObjectName(u"files"_s);
    list->setAccessibleName(tr("Files"));
    list->setHeaderHidden(true);
    list->setColumnCount(3);
    list->setRootIsDecorated(false);
    list->setAllColumnsShowFocus(true);
    list->header()->setStretchLastSection(false);
    list->header()->setSectionResizeMode(0, QHeaderView::ResizeToContents);
    list->header()->setSectionResizeMode(1, QHeaderView::Stretch);
    list->header()->setSectionResizeMode(2, QHeaderView::ResizeToContents);
    list->setTextElideMode(Qt::ElideMiddle);
    for (const engines::RequestedFile &file : request.files) {
        const bool outside = !request.cwd.isEmpty() && !isInside(file.path, request.cwd);
        auto *item = new QTreeWidgetItem(list,
            { actionSign(file.action), visibleText(file.path),
                outside ? tr("outside the work folder") : QString() });
        item->setToolTip(1, visibleText(file.path));
        item->setData(0, Qt::UserRole, file.diff);
    }
    const int rows = qBound(2, static_cast<int>(request.files.size()), 6);
    list->setFixedHeight(list->fontMetrics().height() * rows * 5 / 4 + 2 * list->frameWidth() + 4);
    m_layout->addWidget(list);

    auto *diff = new DiffView(this);
    diff->setObjectName(u"diff"_s);
    diff->setAccessibleName(tr("Changes of the selected file"));
    diff->setMinimumHeight(diff->fontMetrics().lineSpacing() * 8);
    m_layout->addWidget(diff, 1);
    connect(list, &QTreeWidget::currentItemChanged, diff, [diff](QTreeWidgetItem *item) {
        const QString text = item != nullptr ? item->data(0, Qt::UserRole).toString() : QString();
        diff->setDiff(text);
        if (text.isEmpty()) {
            diff->setPlaceholderText(tr("No text to show for this file."));
        }
    });
    if (list->topLevelItemCount() > 0) {
        list->setCurrentItem(list->topLevelItem(0));
    }
    if (!request.grantRoot.isEmpty()) {
        addFact(tr("Would become writable"), request.grantRoot, u"grantRoot"_s);
    }
}

void RequestView::addGrants(const PermissionRequest &request)
{
    if (Wording::isOneGrant(request)) {
        addCommand(request);
        addFact(tr("Would become readable"), request.grantsAsked.value("read"_L1).toString(),
            u"grantRead"_s);
        return;
    }
    QStringList rows;
    for (const QString &grant : request.grants) {
        rows << u"• "_s + visibleText(CoreText::translated(grant));
    }
    auto *text = fixedText(rows, u"grants"_s, this);
    text->setAccessibleName(tr("What would be granted"));
    m_layout->addWidget(text);
}

void RequestView::addNetwork(const PermissionRequest &request)
{
    addFact(tr("Host"), visibleHost(request.host), u"host"_s);
    if (!request.protocol.isEmpty()) {
        addFact(tr("Protocol"), request.protocol, u"protocol"_s);
    }
    if (!request.command.isEmpty()) {
        addCommand(request);
    }
}

void RequestView::addTool(const PermissionRequest &request)
{
    addFact(tr("Tool server"), request.server, u"server"_s);
    addFact(tr("Tool"), request.tool, u"tool"_s);
    if (!request.arguments.isEmpty()) {
        const QString json
            = QString::fromUtf8(QJsonDocument(request.arguments).toJson(QJsonDocument::Indented));
        auto *text
            = fixedText(visibleText(json.trimmed(), true).split(u'\n'), u"arguments"_s, this);
        text->setAccessibleName(tr("Arguments"));
        m_layout->addWidget(text);
    }
}

} // namespace deskhand::app
