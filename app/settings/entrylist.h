// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QStringList>
#include <QWidget>

class QLineEdit;
class QListWidget;
class QPushButton;

namespace deskhand::app {

/// A list of short texts with a line to write another one: add, take off. Owns no values; whoever
/// uses it stores what is added and shows the list anew. Main thread.
class EntryList final : public QWidget
{
    Q_OBJECT
public:
    /// `name`: of the list; the line is called NAME + "Text", the buttons "Add" and "Remove" + it.
    EntryList(const QString &name, const QString &placeholder, QWidget *parent = nullptr);

    /// Keeps the chosen row where it can.
    void showEntries(const QStringList &entries);
    void clearText();
    void setText(const QString &text);
    /// A further button beside the line, such as one that lets choose a folder.
    QPushButton *addButton(const QString &text);

Q_SIGNALS:
    /// What was written, without spaces around it; never empty.
    void added(const QString &text);
    void removed(int row);

private:
    void add();

    QListWidget *m_list;
    QLineEdit *m_text;
    QPushButton *m_add;
    QPushButton *m_remove;
};

} // namespace deskhand::app
