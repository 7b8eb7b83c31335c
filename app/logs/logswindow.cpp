// SPDX-License-Identifier: Apache-2.0
#include "app/logs/logswindow.h"

#include "app/logs/logmodel.h"
#include "app/preferences.h"

#include <QClipboard>
#include <QCloseEvent>
#include <QComboBox>
#include <QDesktopServices>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QScrollBar>
#include <QShortcut>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <QUrl>
#include <QVBoxLayout>

#include <algorithm>

using namespace Qt::StringLiterals;

namespace deskhand::app {

/// Lines of at least a level, of one source, that match.
class LogFilter final : public QSortFilterProxyModel
{
public:
    LogFilter(LogModel &model, QObject *parent)
        : QSortFilterProxyModel(parent)
        , m_model(model)
    {
        setSourceModel(&model);
    }
    void setLevel(int level)
    {
        m_level = level;
        invalidateFilter();
    }
    void setSource(const QString &source)
    {
        m_source = source;
        invalidateFilter();
    }
    void setPattern(const QRegularExpression &pattern)
    {
        m_pattern = pattern;
        invalidateFilter();
    }

protected:
    [[nodiscard]] bool filterAcceptsRow(int row, const QModelIndex &) const override
    {
        const logging::LogLine &line = m_model.line(row);
        return line.level >= m_level && (m_source.isEmpty() || line.source == m_source)
            && (m_pattern.pattern().isEmpty() || m_pattern.match(line.text).hasMatch());
    }

private:
    LogModel &m_model;
    int m_level = 0;
    QString m_source;
    QRegularExpression m_pattern;
};

LogsWindow::LogsWindow(
    LogModel &model, Preferences &preferences, const QString &folder, QWidget *parent)
    : QWidget(parent)
    , m_model(model)
    , m_preferences(preferences)
    , m_folder(folder)
    , m_filter(new LogFilter(model, this))
    , m_level(new QComboBox(this))
    , m_source(new QComboBox(this))
    , m_text(new QLineEdit(this))
    , m_textNote(new QLabel(this))
    , m_table(new QTableView(this))
    , m_follow(new QPushButton(tr("&Follow"), this))
{
    setObjectName(u"logsWindow"_s);
    setWindowTitle(tr("Logs - Deskhand"));
    resize(860, 520);

    m_level->setObjectName(u"level"_s);
    m_level->setAccessibleName(tr("Lowest level shown"));
    m_level->addItem(tr("All levels"), 0);
    m_level->addItem(tr("Info and above"), 2);
    m_level->addItem(tr("Warnings and errors"), 3);
    m_level->addItem(tr("Errors"), 4);
    m_level->setCurrentIndex(1);
    m_filter->setLevel(2);
    m_source->setObjectName(u"source"_s);
    m_source->setAccessibleName(tr("Source"));
    m_source->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    m_text->setObjectName(u"text"_s);
    m_text->setPlaceholderText(tr("Search, or /regular expression/"));
    m_text->setAccessibleName(m_text->placeholderText());
    m_text->setClearButtonEnabled(true);
    m_textNote->setObjectName(u"textNote"_s);
    m_textNote->setTextFormat(Qt::PlainText);
    m_textNote->hide();
    auto *top = new QHBoxLayout;
    top->addWidget(m_level);
    top->addWidget(m_source);
    top->addWidget(m_text, 1);

    m_table->setObjectName(u"lines"_s);
    m_table->setAccessibleName(tr("Log lines"));
    m_table->setModel(m_filter);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_table->setShowGrid(false);
    m_table->setWordWrap(false);
    m_table->setTabKeyNavigation(false);
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    m_table->verticalHeader()->setDefaultSectionSize(m_table->fontMetrics().height() + 4);
    m_table->horizontalHeader()->setStretchLastSection(true);
    m_table->horizontalHeader()->resizeSection(LogModel::Time, 160);
    m_table->horizontalHeader()->resizeSection(LogModel::Level, 50);
    m_table->horizontalHeader()->resizeSection(LogModel::Source, 120);

    auto *buttons = new QHBoxLayout;
    const auto button = [&](const QString &text, const QString &name) {
        auto *push = new QPushButton(text, this);
        push->setObjectName(name);
        push->setAutoDefault(false);
        buttons->addWidget(push);
        return push;
    };
    QPushButton *copy = button(tr("&Copy"), u"copy"_s);
    QPushButton *folderButton = button(tr("&Open folder"), u"openFolder"_s);
    QPushButton *clear = button(tr("C&lear view"), u"clear"_s);
    buttons->addStretch();
    m_follow->setObjectName(u"follow"_s);
    m_follow->setCheckable(true);
    m_follow->setChecked(true);
    m_follow->setAutoDefault(false);
    buttons->addWidget(m_follow);

    auto *layout = new QVBoxLayout(this);
    layout->addLayout(top);
    layout->addWidget(m_textNote);
    layout->addWidget(m_table, 1);
    layout->addLayout(buttons);

    connect(m_level, &QComboBox::currentIndexChanged, this,
        [this] { m_filter->setLevel(m_level->currentData().toInt()); });
    connect(m_source, &QComboBox::currentIndexChanged, this,
        [this] { m_filter->setSource(m_source->currentData().toString()); });
    connect(m_text, &QLineEdit::textChanged, this, &LogsWindow::applyText);
    connect(&model, &LogModel::sourcesChanged, this, &LogsWindow::refreshSources);
    connect(m_filter, &QAbstractItemModel::rowsInserted, this, [this] {
        if (m_following) {
            m_table->scrollToBottom();
        }
    });
    connect(m_table->verticalScrollBar(), &QScrollBar::actionTriggered, this, [this] {
        const QScrollBar *bar = m_table->verticalScrollBar();
        setFollowing(bar->sliderPosition() >= bar->maximum());
    });
    connect(m_follow, &QPushButton::clicked, this, &LogsWindow::setFollowing);
    connect(copy, &QPushButton::clicked, this, &LogsWindow::copySelected);
    auto *copyKeys = new QShortcut(QKeySequence::Copy, m_table);
    copyKeys->setContext(Qt::WidgetShortcut);
    connect(copyKeys, &QShortcut::activated, this, &LogsWindow::copySelected);
    auto *findKeys = new QShortcut(QKeySequence::Find, this);
    connect(findKeys, &QShortcut::activated, this, [this] { m_text->setFocus(); });
    connect(folderButton, &QPushButton::clicked, this,
        [this] { QDesktopServices::openUrl(QUrl::fromLocalFile(m_folder)); });
    connect(clear, &QPushButton::clicked, &model, &LogModel::clear);
    refreshSources();
    m_table->scrollToBottom();
    preferences.restorePlace(*this);
}

void LogsWindow::refreshSources()
{
    const QString chosen = m_source->currentData().toString();
    m_source->clear();
    m_source->addItem(tr("All sources"), QString());
    for (const QString &source : m_model.sources()) {
        m_source->addItem(source, source);
    }
    m_source->setCurrentIndex(qMax(0, m_source->findData(chosen)));
}

void LogsWindow::applyText()
{
    const QString text = m_text->text();
    const bool isExpression = text.size() > 2 && text.startsWith(u'/') && text.endsWith(u'/');
    const QRegularExpression pattern(
        isExpression ? text.mid(1, text.size() - 2) : QRegularExpression::escape(text),
        QRegularExpression::CaseInsensitiveOption);
    m_textNote->setText(pattern.isValid()
            ? QString()
            : tr("This regular expression cannot be read: %1").arg(pattern.errorString()));
    m_textNote->setVisible(!pattern.isValid());
    if (pattern.isValid()) {
        m_filter->setPattern(pattern);
    }
}

void LogsWindow::setFollowing(bool following)
{
    m_following = following;
    m_follow->setChecked(following);
    if (following) {
        m_table->scrollToBottom();
    }
}

void LogsWindow::copySelected()
{
    QList<int> rows;
    for (const QModelIndex &index : m_table->selectionModel()->selectedRows()) {
        rows.append(m_filter->mapToSource(index).row());
    }
    if (rows.isEmpty()) {
        return;
    }
    std::ranges::sort(rows);
    QStringList lines;
    for (const int row : std::as_const(rows)) {
        lines << LogModel::asText(m_model.line(row));
    }
    QGuiApplication::clipboard()->setText(lines.join(u'\n') + u'\n');
}

void LogsWindow::keyPressEvent(QKeyEvent *event)
{
    if (event->key() == Qt::Key_End) {
        setFollowing(true);
        return;
    }
    QWidget::keyPressEvent(event);
}

void LogsWindow::closeEvent(QCloseEvent *event)
{
    m_preferences.savePlace(*this);
    QWidget::closeEvent(event);
}

} // namespace deskhand::app
