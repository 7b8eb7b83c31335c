// SPDX-License-Identifier: Apache-2.0
#include "app/settings/usageview.h"

#include "app/fieldnote.h"
#include "app/guarded.h"
#include "app/visibletext.h"
#include "app/wording.h"

#include <QComboBox>
#include <QDateTime>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLocale>
#include <QTreeWidget>
#include <QVBoxLayout>

using namespace Qt::StringLiterals;

namespace deskhand::app {
namespace {

enum Column { Day, Model, In, Cached, Out, ColumnCount };

QTreeWidgetItem *addRow(
    QTreeWidget &table, const QString &day, const QString &model, const engines::Usage &usage)
{
    const QLocale locale;
    auto *item = new QTreeWidgetItem(&table,
        { day, model, locale.toString(usage.inputTokens), locale.toString(usage.cachedInputTokens),
            locale.toString(usage.outputTokens) });
    for (const int column : { In, Cached, Out }) {
        item->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
    }
    item->setToolTip(Model, model);
    return item;
}

} // namespace

UsageView::UsageView(Core &core, QWidget *parent)
    : QWidget(parent)
    , m_core(core)
    , m_days(new QComboBox(this))
    , m_table(new QTreeWidget(this))
    , m_note(new FieldNote(u"usageNote"_s, this))
{
    setObjectName(u"usage"_s);
    m_days->setObjectName(u"usageDays"_s);
    m_days->setAccessibleName(tr("Days shown"));
    m_days->addItem(tr("Today"), 1);
    m_days->addItem(tr("Last 7 days"), 7);
    m_days->addItem(tr("Last 30 days"), 30);
    m_days->addItem(tr("Last 365 days"), 365);
    m_days->setCurrentIndex(1);

    m_table->setObjectName(u"usageTable"_s);
    m_table->setAccessibleName(tr("Tokens per model and day"));
    m_table->setHeaderLabels(
        { tr("Day (UTC)"), tr("Model"), tr("Tokens in"), tr("of these cached"), tr("Tokens out") });
    for (const int column : { In, Cached, Out }) {
        m_table->headerItem()->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
    }
    m_table->setRootIsDecorated(false);
    m_table->setUniformRowHeights(true);
    m_table->setSelectionMode(QAbstractItemView::NoSelection);
    m_table->header()->setStretchLastSection(false);
    m_table->header()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_table->header()->setSectionResizeMode(Model, QHeaderView::Stretch);
    m_table->setMinimumHeight(120);

    auto *line = new QHBoxLayout;
    line->addWidget(m_days);
    line->addStretch();
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addLayout(line);
    layout->addWidget(m_table, 1);
    layout->addWidget(m_note);
    connect(m_days, &QComboBox::activated, this, &UsageView::refresh);
}

void UsageView::refresh()
{
    const int days = m_days->currentData().toInt();
    const QDate since = QDateTime::currentDateTimeUtc().date().addDays(1 - days);
    m_core.modelUsage(since, guarded(this, [this](const Result<QList<tasks::UsageRow>> &result) {
        if (result) {
            show(*result);
        } else {
            m_note->showError(Wording::failure(result.error()));
        }
    }));
}

void UsageView::show(const QList<tasks::UsageRow> &rows)
{
    m_table->clear();
    engines::Usage sum;
    for (const tasks::UsageRow &row : rows) {
        sum.inputTokens += row.usage.inputTokens;
        sum.cachedInputTokens += row.usage.cachedInputTokens;
        sum.outputTokens += row.usage.outputTokens;
    }
    if (rows.size() > 1) {
        QTreeWidgetItem *item = addRow(*m_table, tr("Sum"), {}, sum);
        for (int column = 0; column < ColumnCount; ++column) {
            QFont bold = font();
            bold.setBold(true);
            item->setFont(column, bold);
        }
    }
    for (const tasks::UsageRow &row : rows) {
        addRow(*m_table, QLocale().toString(row.day, QLocale::ShortFormat), visibleText(row.model),
            row.usage);
    }
    m_note->showRemark(rows.isEmpty() ? tr("No tokens were used in these days.") : QString());
}

} // namespace deskhand::app
