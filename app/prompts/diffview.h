// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QPlainTextEdit>

namespace deskhand::app {

/// Shows a unified diff, added and removed lines told by sign and colour, hidden characters made
/// visible. Main thread.
class DiffView final : public QPlainTextEdit
{
    Q_OBJECT
public:
    explicit DiffView(QWidget *parent = nullptr);
    void setDiff(const QString &diff);
};

} // namespace deskhand::app
