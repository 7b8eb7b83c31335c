// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/engines/permission.h"

#include <QWidget>

class QAbstractButton;
class QLineEdit;

namespace deskhand::app {

/// The questions of a request as a form: options, free text, masked secrets. Return does nothing.
/// Main thread.
class QuestionForm final : public QWidget
{
    Q_OBJECT
public:
    explicit QuestionForm(const QList<engines::Question> &questions, QWidget *parent = nullptr);

    /// Every question has an answer.
    [[nodiscard]] bool isComplete() const;
    /// Per question id: the labels chosen, then the free text.
    [[nodiscard]] QHash<QString, QStringList> answers() const;

Q_SIGNALS:
    void changed();

private:
    struct Field
    {
        QString id;
        QList<QAbstractButton *> options;
        QStringList labels;
        QAbstractButton *other = nullptr; ///< the option that opens the free text
        QLineEdit *text = nullptr;
    };
    [[nodiscard]] static QStringList answerOf(const Field &field);

    QList<Field> m_fields;
};

} // namespace deskhand::app
