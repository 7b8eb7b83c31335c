// SPDX-License-Identifier: Apache-2.0
#include "app/prompts/diffview.h"

#include "app/visibletext.h"

#include <QFontDatabase>
#include <QSyntaxHighlighter>

using namespace Qt::StringLiterals;

namespace deskhand::app {
namespace {

class DiffColors final : public QSyntaxHighlighter
{
public:
    DiffColors(QTextDocument *document, const QWidget &view)
        : QSyntaxHighlighter(document)
        , m_view(view)
    { }

protected:
    void highlightBlock(const QString &text) override
    {
        const bool dark = m_view.palette().color(QPalette::Base).lightness() < 128;
        QTextCharFormat format;
        if (text.startsWith("@@"_L1)) {
            format.setForeground(QColor(dark ? 0x8ab4f8 : 0x1a4f9c));
        } else if (text.startsWith(u'+')) {
            format.setForeground(QColor(dark ? 0x8fdc9c : 0x11581f));
            format.setBackground(QColor(dark ? 0x16301b : 0xe3f6e6));
        } else if (text.startsWith(u'-')) {
            format.setForeground(QColor(dark ? 0xf5a3a3 : 0x8e1616));
            format.setBackground(QColor(dark ? 0x3a1a1a : 0xfde7e7));
        } else {
            return;
        }
        setFormat(0, static_cast<int>(text.size()), format);
    }

private:
    const QWidget &m_view;
};

} // namespace

DiffView::DiffView(QWidget *parent)
    : QPlainTextEdit(parent)
{
    setReadOnly(true);
    setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    setLineWrapMode(QPlainTextEdit::NoWrap);
    setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    setTabChangesFocus(true);
    new DiffColors(document(), *this);
}

void DiffView::setDiff(const QString &diff)
{
    setPlainText(visibleText(diff, true));
}

} // namespace deskhand::app
