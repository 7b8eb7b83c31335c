// SPDX-License-Identifier: Apache-2.0
#include "app/about.h"

#include "app/tray/trayicon.h"
#include "app/visibletext.h"

#include <QClipboard>
#include <QDialogButtonBox>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSysInfo>
#include <QVBoxLayout>

using namespace Qt::StringLiterals;

namespace deskhand::app {

AboutDialog::AboutDialog(Core &core, QWidget *parent)
    : QDialog(parent)
{
    setObjectName(u"aboutDialog"_s);
    setWindowTitle(tr("About Deskhand"));
    const StatusSnapshot status = core.status();
    QStringList facts {
        tr("Version %1").arg(QStringLiteral(DESKHAND_VERSION)),
        tr("Qt %1").arg(QString::fromLatin1(qVersion())),
        tr("System: %1").arg(QSysInfo::prettyProductName()),
    };
    if (!status.engine.version.isEmpty()) {
        facts << tr("Codex %1").arg(visibleText(status.engine.version));
    }
    facts << tr("Device id: %1").arg(visibleText(status.deviceId));

    auto *icon = new QLabel(this);
    icon->setPixmap(programIcon().pixmap(64, 64));
    icon->setAccessibleName(tr("Deskhand"));
    auto *name = new QLabel(tr("Deskhand"), this);
    QFont big = name->font();
    big.setBold(true);
    big.setPointSizeF(big.pointSizeF() * 1.5);
    name->setFont(big);
    auto *what = new QLabel(tr("Makes this computer a device of a Wegent AI workspace."), this);
    what->setWordWrap(true);
    auto *text = new QLabel(facts.join(u'\n'), this);
    text->setObjectName(u"facts"_s);
    text->setTextFormat(Qt::PlainText);
    text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    auto *licence = new QLabel(tr("Licence: Apache-2.0"), this);

    auto *column = new QVBoxLayout;
    for (QLabel *label : { name, what, text, licence }) {
        column->addWidget(label);
    }
    auto *top = new QHBoxLayout;
    top->addWidget(icon, 0, Qt::AlignTop);
    top->addLayout(column, 1);
    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    buttons->button(QDialogButtonBox::Close)->setText(tr("&Close"));
    QPushButton *copy = buttons->addButton(tr("Cop&y"), QDialogButtonBox::ActionRole);
    copy->setObjectName(u"copy"_s);
    auto *layout = new QVBoxLayout(this);
    layout->addLayout(top);
    layout->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(copy, &QPushButton::clicked, this,
        [facts] { QGuiApplication::clipboard()->setText(u"Deskhand\n"_s + facts.join(u'\n')); });
}

} // namespace deskhand::app
