// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/core.h"

#include <QLabel>
#include <QLayout>
#include <QVBoxLayout>
#include <QWidget>

#include <functional>

namespace deskhand::app {

class FieldNote;

/// What a page of the settings can do: show the present values, and hand a change to the core at
/// once. A value the core refuses is named under its field and not kept. Main thread.
class SettingsPage : public QWidget
{
    Q_OBJECT
public:
    explicit SettingsPage(Core &core, QWidget *parent = nullptr);

    /// Shows the core's present values; called when they change and before the page is shown.
    virtual void refresh() = 0;

Q_SIGNALS:
    /// A change was taken; `before` is what undoing restores.
    void changed(const deskhand::settings::ExecutorSettings &before);

protected:
    using Change = std::function<void(settings::ExecutorSettings &)>;
    void change(const Change &apply, FieldNote *note);

    /// Name of the first of these environment variables that is set, else empty: such a value
    /// cannot be changed here.
    [[nodiscard]] static QString fixedBy(std::initializer_list<const char *> variables);
    /// Disables the field and says which variable fixes it; false when none does.
    static bool lock(QWidget *field, FieldNote *note, const QString &variable);

    void addHeading(const QString &text);
    /// A labelled field with its note below.
    void addField(const QString &label, QWidget *field, FieldNote *note = nullptr);
    void addField(const QString &label, QLayout *line, QWidget *buddy, FieldNote *note);
    /// Keeps the fields at the top.
    void finish();
    [[nodiscard]] Core &core() { return m_core; }

private:
    Core &m_core;
    QVBoxLayout *m_layout;
};

} // namespace deskhand::app
