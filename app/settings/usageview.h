// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/core.h"

#include <QWidget>

class QComboBox;
class QTreeWidget;

namespace deskhand::app {

class FieldNote;

/// Tokens used per model and day, with their sum, for a chosen stretch of days. Main thread.
class UsageView final : public QWidget
{
    Q_OBJECT
public:
    explicit UsageView(Core &core, QWidget *parent = nullptr);
    /// Asks the core for the figures.
    void refresh();

private:
    void show(const QList<tasks::UsageRow> &rows);

    Core &m_core;
    QComboBox *m_days;
    QTreeWidget *m_table;
    FieldNote *m_note;
};

} // namespace deskhand::app
