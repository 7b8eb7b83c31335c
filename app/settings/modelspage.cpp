// SPDX-License-Identifier: Apache-2.0
#include "app/settings/modelspage.h"

#include "app/fieldnote.h"
#include "app/guarded.h"
#include "app/settings/modeldialog.h"
#include "app/settings/modeltesttext.h"
#include "app/settings/usageview.h"
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
    , m_test(new QPushButton(tr("&Test"), this))
    , m_remove(new QPushButton(tr("&Remove"), this))
    , m_listNote(new FieldNote(u"modelsNote"_s, this))
    , m_default(new QComboBox(this))
    , m_defaultNote(new FieldNote(u"defaultModelNote"_s, this))
    , m_usage(new UsageView(core, this))
{
    setObjectName(u"modelsPage"_s);
    addHeading(QT_TR_NOOP("Your own models"));
    m_list->setObjectName(u"models"_s);
    m_list->setAccessibleName(tr("Models"));
    m_list->setHeaderLabels(
        { tr("Name"), tr("Model"), tr("Address"), tr("Key"), tr("Test", "result of a test") });
    m_list->setRootIsDecorated(false);
    m_list->setUniformRowHeights(true);
    m_list->header()->setStretchLastSection(false);
    m_list->header()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_list->header()->setSectionResizeMode(2, QHeaderView::Stretch);
    m_list->header()->setMinimumSectionSize(48);
    m_add->setObjectName(u"addModel"_s);
    m_edit->setObjectName(u"editModel"_s);
    m_test->setObjectName(u"testModel"_s);
    m_remove->setObjectName(u"removeModel"_s);
    m_list->setFixedHeight(130);
    auto *buttons = new QVBoxLayout;
    for (QPushButton *button : { m_add, m_edit, m_test, m_remove }) {
        button->setAutoDefault(false);
        buttons->addWidget(button);
    }
    buttons->addStretch();
    auto *line = new QHBoxLayout;
    line->addWidget(m_list, 1);
    line->addLayout(buttons);
    addField({}, line, m_list, m_listNote);
    addKeywords(QT_TR_NOOP("model provider api key openai deepseek kimi qwen glm ollama"));
    addHeading(QT_TR_NOOP("Use"));
    m_default->setObjectName(u"defaultModel"_s);
    addField(QT_TR_NOOP("&Model for tasks that bring none:"), m_default, m_defaultNote);
    addKeywords(QT_TR_NOOP("default model"));
    m_defaultNote->showRemark(
        tr("Tasks reach models through a proxy on this computer; keys never reach the engine."));
    addHeading(QT_TR_NOOP("Usage"));
    addField(nullptr, m_usage);
    addKeywords(QT_TR_NOOP("tokens usage cost cached input output day"));
    finish();

    connect(m_add, &QPushButton::clicked, this, [this] { edit(-1); });
    connect(m_edit, &QPushButton::clicked, this,
        [this] { edit(m_list->indexOfTopLevelItem(m_list->currentItem())); });
    connect(m_list, &QTreeWidget::itemActivated, this,
        [this](QTreeWidgetItem *item) { edit(m_list->indexOfTopLevelItem(item)); });
    connect(m_test, &QPushButton::clicked, this, &ModelsPage::test);
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
        const auto tested = m_tested.constFind(model.name);
        const bool known = tested != m_tested.cend() && tested->model == model;
        auto *item = new QTreeWidgetItem(m_list,
            { Wording::oneLine(model.name, 64),
                visibleText(model.values.value("model_id"_L1).toString()),
                visibleText(model.values.value("base_url"_L1).toString()),
                model.keySecret.isEmpty() ? tr("none") : tr("stored"),
                known ? tested->state : tr("not tested") });
        for (int column = 0; column < m_list->columnCount(); ++column) {
            item->setToolTip(column, known && column == 4 ? tested->sentence : item->text(column));
        }
        m_default->addItem(Wording::oneLine(model.name, 64), model.name);
    }
    m_default->setCurrentIndex(qMax(0, m_default->findData(settings.defaultModel)));
    m_list->setCurrentItem(
        m_list->topLevelItem(qBound(0, row, qMax(0, m_list->topLevelItemCount() - 1))));
    refreshButtons();
    refreshKeys();
    m_usage->refresh();
}

void ModelsPage::refreshKeys()
{
    core().ownModels(guarded(this, [this](const Result<QList<OwnModelState>> &models) {
        if (!models) {
            return; // the list stays as the settings tell it
        }
        for (int row = 0; row < m_list->topLevelItemCount() && row < models->size(); ++row) {
            QString word;
            switch (models->at(row).key) {
            case OwnModelState::Key::None:
                word = tr("none");
                break;
            case OwnModelState::Key::Stored:
                word = tr("stored");
                break;
            case OwnModelState::Key::Missing:
                word = tr("missing");
                break;
            case OwnModelState::Key::Unreadable:
                word = tr("cannot be read");
                break;
            }
            m_list->topLevelItem(row)->setText(3, word);
            m_list->topLevelItem(row)->setToolTip(3, word);
        }
    }));
}

std::optional<settings::OwnModel> ModelsPage::chosen() const
{
    const int row = m_list->indexOfTopLevelItem(m_list->currentItem());
    const QList<settings::OwnModel> models = core().settings().models;
    return row >= 0 && row < models.size() ? std::optional(models.at(row)) : std::nullopt;
}

void ModelsPage::test()
{
    const auto model = chosen();
    if (!model) {
        return;
    }
    m_test->setEnabled(false);
    m_listNote->showRemark(
        tr("Testing %1 with a real question and a tool call…").arg(Wording::oneLine(model->name)));
    core().testModel(*model, {},
        guarded(this, [this, model = *model](const Result<modelproxy::ModelTestReport> &result) {
            const bool works = result && result->problem.isEmpty();
            const QString said
                = result ? ModelTestText::of(*result) : Wording::failure(result.error());
            m_tested.insert(model.name, { model, works ? tr("works") : tr("fails"), said });
            refresh();
            const QString sentence = tr("%1: %2", "model, what the test found")
                                         .arg(Wording::oneLine(model.name), said);
            if (works) {
                m_listNote->showRemark(sentence);
            } else {
                m_listNote->showError(sentence);
            }
        }));
}

void ModelsPage::refreshButtons()
{
    const bool any = m_list->currentItem() != nullptr;
    m_edit->setEnabled(any);
    m_test->setEnabled(any);
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
