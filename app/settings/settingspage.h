// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/core.h"

#include <QLabel>
#include <QLayout>
#include <QVBoxLayout>
#include <QWidget>

#include <functional>

class QTranslator;

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

    /// Marks the fields whose label or keywords hold every word of the text, in English, in the
    /// present language or in the other one; an empty text takes the marks away. Returns the marked
    /// fields, topmost first.
    QList<QWidget *> search(const QString &text, const QTranslator &other);

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

    // Texts are given as sources (QT_TR_NOOP), so that they can be found in every language.
    void addHeading(const char *source);
    /// A labelled field with its note below; no label: nullptr.
    void addField(const char *label, QWidget *field, FieldNote *note = nullptr);
    void addField(const char *label, QLayout *line, QWidget *buddy, FieldNote *note);
    /// Other words the field added last is found by.
    void addKeywords(const char *words);
    /// Keeps the fields at the top.
    void finish();
    [[nodiscard]] Core &core() const { return m_core; }

private:
    struct Field
    {
        QWidget *shown = nullptr; ///< what is marked: the label, else the field itself
        QWidget *field = nullptr;
        QList<const char *> sources;
    };
    [[nodiscard]] QString translated(const char *source) const;
    [[nodiscard]] bool isFound(
        const Field &field, const QStringList &words, const QTranslator &other) const;

    Core &m_core;
    QVBoxLayout *m_layout;
    const char *m_heading = nullptr; ///< of the fields being added
    QList<Field> m_fields;
};

} // namespace deskhand::app
