// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QLabel>

namespace deskhand::app {

/// The line under a field: an error in red, or a remark such as who fixed the value. Hidden while
/// it has nothing to say. Main thread.
class FieldNote final : public QLabel
{
    Q_OBJECT
public:
    explicit FieldNote(const QString &name, QWidget *parent = nullptr);
    void showError(const QString &sentence);
    void showRemark(const QString &sentence);
    void clearNote();

protected:
    void changeEvent(QEvent *event) override;

private:
    void refreshColor();
    bool m_error = false;
};

} // namespace deskhand::app
