// SPDX-License-Identifier: Apache-2.0
#include "app/fieldnote.h"

#include <QEvent>

namespace deskhand::app {

FieldNote::FieldNote(const QString &name, QWidget *parent)
    : QLabel(parent)
{
    setObjectName(name);
    setTextFormat(Qt::PlainText);
    setWordWrap(true);
    hide();
}

void FieldNote::showError(const QString &sentence)
{
    m_error = true;
    refreshColor();
    setText(sentence);
    setVisible(!sentence.isEmpty());
}

void FieldNote::showRemark(const QString &sentence)
{
    m_error = false;
    refreshColor();
    setText(sentence);
    setVisible(!sentence.isEmpty());
}

void FieldNote::clearNote()
{
    clear();
    hide();
}

void FieldNote::changeEvent(QEvent *event)
{
    QLabel::changeEvent(event);
    if (event->type() == QEvent::ParentChange
        || event->type() == QEvent::ApplicationPaletteChange) {
        refreshColor();
    }
}

void FieldNote::refreshColor()
{
    const QPalette base = parentWidget() != nullptr ? parentWidget()->palette() : QPalette();
    const bool dark = base.color(QPalette::Window).lightness() < 128;
    QPalette own = base;
    if (m_error) {
        own.setColor(QPalette::WindowText, QColor(dark ? 0xff8a80 : 0xb3160b));
    } else {
        own.setColor(QPalette::WindowText, QColor(dark ? 0xb0b0b0 : 0x5c5c5c));
    }
    setPalette(own);
}

} // namespace deskhand::app
