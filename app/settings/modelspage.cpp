// SPDX-License-Identifier: Apache-2.0
#include "app/settings/modelspage.h"

#include "app/fieldnote.h"
#include "app/guarded.h"
#include "app/settings/modeldialog.h"
#include "app/visibletext.h"
#include "app/wording.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QPushButton>
#include <QTreeWidget>

using namespace Qt::StringLiterals;

namespace deskhand::app {

ModelsPage::ModelsPage(Core &core, QWidget *parent)
    : SettingsPage(core, parent)
    , m_list(new QTreeWidget(this))
    , m_add(new QPushButton(tr("&Add…"), this))
    , m_edit(new QPushButton(tr("&Edit…"), this))
    , m_remove(new QPushButton(tr("&Remove"), this))
    , m_listNote(new FieldNote(u"modelsNote"_s, this))
    , m_default(new QComboBox(this))
    , m_defaultNote(new FieldNote(u"defaultModelNote"_s, this))
{
    setObjectName(u"modelsPage"_s);
    addHeading(tr("Your own models"));
    m_list->setObjectName(u"models"_s);
    m_list->setAccessibleName(tr("Models"));
    m_list->setHeaderLabels({ tr("Name"), tr("Model"), tr("Address"), tr("Key") });
    m_list->setRootIsDecorated(false);
    m_list->setUniformRowHeights(true);
    m_list->header()->setStretchLastSection(false);
    m_list->header()->setSectionResizeMode(2, QHeaderView::Stretch);
    m_add->setObjectName(u"addModel"_s);
    m_edit->setObjectName(u"editModel"_s);
    m_remove->setObjectName(u"removeModel"_s);
    auto *buttons = new QVBoxLayout;
    for (QPushButton *button : { m_add, m_edit, m_remove }) {
        button->setAutoDefault(false);
        buttons->addWidget(button);
    }
    buttons->addStretch();
    auto *line = new QHBoxLayout;
    line->addWidget(m_list, 1);
    line->addLayout(buttons);
    addField({}, line, m_list, m_listNote);
    addHeading(tr("Use"));
    m_default->setObjectName(u"defaultModel"_s);
    addField(tr("&Model for tasks that bring none:"), m_default, m_defaultNote);
    m_defaultNote->showRemark(
        tr("Tasks reach models through a proxy on this computer; keys never reach the engine."));
    finish();

    connect(m_add, &QPushButton::clicked, this, [this] { edit(-1); });
    connect(m_edit, &QPushButton::clicked, this,
        [this] { edit(m_list->indexOfTopLevelItem(m_list->currentItem())); });
    connect(m_list, &QTreeWidget::itemActivated, this,
        [this](QTreeWidgetItem *item) { edit(m_list->indexOfTopLevelItem(item)); });
    connect(m_remove, &QPushButton::clicked, this, &ModelsPage::remove);
    connect(m_list, &QTreeWidget::currentItemChanged, this, &ModelsPage::refreshButtons);
    connect(m_default, &QComboBox::activated, this, [this] {
        const QString name = m_default->currentData().toString();
        change([name](settings::ExecutorSettings &s) { s.defaultModel = name; }, m_defaultNote);
    });
    refresh();
}

void ModelsPage::refresh()
{
    const settings::ExecutorSettings settings = core().settings();
    const int row = m_list->indexOfTopLevelItem(m_list->currentItem());
    m_list->clear();
    m_default->clear();
    m_default->addItem(tr("The engine's own account"), QString());
    for (const settings::OwnModel &model : settings.models) {
        new QTreeWidgetItem(m_list,
            { Wording::oneLine(model.name, 64),
                visibleText(model.values.value("model_id"_L1).toString()),
                visibleText(model.values.value("base_url"_L1).toString()),
                model.keySecret.isEmpty() ? tr("none") : tr("stored") });
        m_default->addItem(Wording::oneLine(model.name, 64), model.name);
    }
    m_default->setCurrentIndex(qMax(0, m_default->findData(settings.defaultModel)));
    m_list->setCurrentItem(m_list->topLevelItem(qMin(row, m_list->topLevelItemCount() - 1)));
    refreshButtons();
}

void ModelsPage::refreshButtons()
{
    const bool any = m_list->currentItem() != nullptr;
    m_edit->setEnabled(any);
    m_remove->setEnabled(any);
}

void ModelsPage::edit(int index)
{
    const settings::ExecutorSettings settings = core().settings();
    if (index >= settings.models.size()) {
        return;
    }
    QStringList taken;
    for (qsizetype i = 0; i < settings.models.size(); ++i) {
        if (i != index) {
            taken << settings.models.at(i).name;
        }
    }
    auto *dialog = new ModelDialog(
        core(), index < 0 ? settings::OwnModel() : settings.models.at(index), taken, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &ModelDialog::accepted, this, [this, dialog, index] {
        const settings::OwnModel model = dialog->model();
        change(
            [model, index](settings::ExecutorSettings &s) {
                if (index < 0 || index >= s.models.size()) {
                    s.models.append(model);
                    return;
                }
                if (s.defaultModel == s.models.at(index).name) {
                    s.defaultModel = model.name;
                }
                s.models[index] = model;
            },
            m_listNote);
    });
    dialog->open();
}

void ModelsPage::remove()
{
    const int index = m_list->indexOfTopLevelItem(m_list->currentItem());
    const settings::ExecutorSettings settings = core().settings();
    if (index < 0 || index >= settings.models.size()) {
        return;
    }
    const settings::OwnModel model = settings.models.at(index);
    change(
        [model](settings::ExecutorSettings &s) {
            s.models.removeIf(
                [&](const settings::OwnModel &known) { return known.name == model.name; });
            if (s.defaultModel == model.name) {
                s.defaultModel.clear();
            }
        },
        m_listNote);
    if (!model.keySecret.isEmpty()) {
        core().setModelKey(model.keySecret, {}, guarded(this, [this](const Result<> &result) {
            if (!result) {
                m_listNote->showError(
                    tr("The key could not be removed: %1").arg(Wording::failure(result.error())));
            }
        }));
    }
}

} // namespace deskhand::app
