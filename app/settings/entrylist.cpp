// SPDX-License-Identifier: Apache-2.0
#include "app/settings/entrylist.h"

#include "app/visibletext.h"

#include <QHBoxLayout>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QVBoxLayout>

using namespace Qt::StringLiterals;

namespace deskhand::app {

namespace {

constexpr int kListHeight = 76; ///< some four rows

} // namespace

EntryList::EntryList(const QString &name, const QString &placeholder, QWidget *parent)
    : QWidget(parent)
    , m_list(new QListWidget(this))
    , m_text(new QLineEdit(this))
    , m_add(new QPushButton(tr("Add"), this))
    , m_remove(new QPushButton(tr("Remove"), this))
{
    m_list->setObjectName(name);
    m_list->setFixedHeight(kListHeight);
    m_text->setObjectName(name + u"Text"_s);
    m_text->setPlaceholderText(placeholder);
    m_text->setAccessibleName(placeholder);
    m_add->setObjectName(u"add_"_s + name);
    m_remove->setObjectName(u"remove_"_s + name);
    m_add->setAutoDefault(false);
    m_remove->setAutoDefault(false);
    m_add->setEnabled(false);
    m_remove->setEnabled(false);
    setFocusProxy(m_list);

    auto *line = new QHBoxLayout;
    line->addWidget(m_text, 1);
    line->addWidget(m_add);
    auto *list = new QHBoxLayout;
    list->addWidget(m_list, 1);
    list->addWidget(m_remove, 0, Qt::AlignTop);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addLayout(list);
    column->addLayout(line);

    connect(m_list, &QListWidget::currentRowChanged, this,
        [this](int row) { m_remove->setEnabled(row >= 0); });
    connect(m_text, &QLineEdit::textChanged, this,
        [this](const QString &text) { m_add->setEnabled(!text.trimmed().isEmpty()); });
    connect(m_text, &QLineEdit::returnPressed, this, &EntryList::add);
    connect(m_add, &QPushButton::clicked, this, &EntryList::add);
    connect(m_remove, &QPushButton::clicked, this, [this] {
        if (m_list->currentRow() >= 0) {
            Q_EMIT removed(m_list->currentRow());
        }
    });
}

void EntryList::showEntries(const QStringList &entries)
{
    const int row = m_list->currentRow();
    m_list->clear();
    for (const QString &entry : entries) {
        m_list->addItem(visibleText(entry));
    }
    m_list->setCurrentRow(qMin(row, m_list->count() - 1));
    m_remove->setEnabled(m_list->currentRow() >= 0);
}

void EntryList::clearText()
{
    m_text->clear();
}

void EntryList::setText(const QString &text)
{
    m_text->setText(text);
}

QPushButton *EntryList::addButton(const QString &text)
{
    auto *button = new QPushButton(text, this);
    button->setAutoDefault(false);
    static_cast<QHBoxLayout *>(layout()->itemAt(1)->layout())->addWidget(button);
    return button;
}

void EntryList::add()
{
    if (const QString text = m_text->text().trimmed(); !text.isEmpty()) {
        Q_EMIT added(text);
    }
}

} // namespace deskhand::app
