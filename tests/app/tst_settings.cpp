// SPDX-License-Identifier: Apache-2.0
#include "app/language.h"
#include "app/settings/addresscheck.h"
#include "app/settings/modeldialog.h"
#include "app/settings/secretplacedialog.h"
#include "app/settings/settingsdialog.h"
#include "tests/app/fakecore.h"

#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QDateTime>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QRadioButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTemporaryDir>
#include <QTest>
#include <QTreeWidget>

using namespace Qt::StringLiterals;
using namespace deskhand;
using namespace deskhand::app;

namespace {

struct House
{
    House() { dialog.show(); }
    template <typename Widget> Widget *find(const char *name)
    {
        return dialog.findChild<Widget *>(QLatin1StringView(name));
    }
    /// Types a text and leaves the field.
    void enter(const char *name, const QString &text)
    {
        auto *field = find<QLineEdit>(name);
        field->setText(text);
        Q_EMIT field->editingFinished();
    }
    test::FakeCore core;
    SettingsDialog dialog { core, u"/var/log/deskhand"_s };
};

modelproxy::ProviderPreset preset()
{
    modelproxy::ProviderPreset preset;
    preset.id = u"deepseek"_s;
    preset.name = u"DeepSeek"_s;
    preset.baseUrl = u"https://api.deepseek.com/v1"_s;
    preset.format = modelproxy::WireFormat::Chat;
    preset.keyUrl = u"https://platform.deepseek.com/api_keys"_s;
    preset.exampleModel = u"deepseek-chat"_s;
    return preset;
}

} // namespace

class TestSettings final : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { useLanguage(QLocale::c()); }
    void address_isJudged_data();
    void address_isJudged();
    void model_fullEndpoint_isCutBack();
    void account_badAddress_isRedAndNotStored();
    void account_goodAddress_isStored();
    void account_badName_isNotStored();
    void account_token_goesToTheKeyStore();
    void account_environment_locks();
    void account_parallel_warnsAboveHalfTheCores();
    void change_refusedByTheCore_isNamedUnderTheField();
    void change_canBeUndone();
    void engine_badProgram_isNotStored();
    void permissions_fullAccess_needsTheNameTyped();
    void permissions_lowerCeiling_lowersTheDefault();
    void permissions_requestLimit_canBeSwitchedOff();
    void sandbox_wallAroundTheEngine_isStored();
    void sandbox_secretPaths_areCheckedAndStored();
    void sandbox_hosts_areCheckedAndStored();
    void sandbox_limits_areCheckedAndStored();
    void sandbox_scratch_isStoredAndExplained();
    void models_addEditRemove();
    void models_badInput_isNamed();
    void models_testAndList_showAnswers();
    void models_testInTheList_isRemembered();
    void models_key_canBeReplacedAndRemoved();
    void models_usage_isShownPerModelAndDay();
    void logs_level_isStored();
    void search_findsInBothLanguages_data();
    void search_findsInBothLanguages();
    void search_marksAndForgets();
    void secretPlace_nothingIsPreselected();
};

void TestSettings::address_isJudged_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("address");
    QTest::addColumn<bool>("error");
    QTest::addColumn<bool>("warning");
    QTest::newRow("empty") << u"  "_s << QString() << false << false;
    QTest::newRow("bare host") << u"wegent.example.com"_s << u"https://wegent.example.com"_s
                               << false << false;
    QTest::newRow("path and port")
        << u"https://h.example:8443/api/"_s << u"https://h.example:8443/api"_s << false << false;
    QTest::newRow("loopback") << u"http://127.0.0.1:8000"_s << u"http://127.0.0.1:8000"_s << false
                              << true;
    QTest::newRow("private") << u"http://192.168.1.5"_s << u"http://192.168.1.5"_s << false << true;
    QTest::newRow("name of the local network")
        << u"http://nas.local"_s << u"http://nas.local"_s << false << true;
    QTest::newRow("plain http outside") << u"http://example.com"_s << QString() << true << false;
    QTest::newRow("plain http to 172.32") << u"http://172.32.0.1"_s << QString() << true << false;
    QTest::newRow("another scheme") << u"ftp://example.com"_s << QString() << true << false;
    QTest::newRow("credentials") << u"https://u:p@example.com"_s << QString() << true << false;
    QTest::newRow("query") << u"https://example.com/?x=1"_s << QString() << true << false;
    QTest::newRow("nonsense") << u"https://exa mple"_s << QString() << true << false;
    QTest::newRow("no host") << u"https://"_s << QString() << true << false;
}

void TestSettings::address_isJudged()
{
    QFETCH(QString, text);
    QFETCH(QString, address);
    QFETCH(bool, error);
    QFETCH(bool, warning);
    const AddressVerdict verdict = AddressCheck::server(text);
    QCOMPARE(verdict.address, address);
    QCOMPARE(!verdict.error.isEmpty(), error);
    QCOMPARE(!verdict.warning.isEmpty(), warning);
}

void TestSettings::model_fullEndpoint_isCutBack()
{
    const AddressVerdict verdict
        = AddressCheck::model(u"https://api.example.com/v1/chat/completions"_s);
    QCOMPARE(verdict.address, u"https://api.example.com/v1"_s);
    QVERIFY(verdict.warning.contains("https://api.example.com/v1"_L1));
}

void TestSettings::account_badAddress_isRedAndNotStored()
{
    House house;
    house.enter("backendUrl", u"http://example.com"_s);
    auto *note = house.find<QLabel>("backendNote");
    QVERIFY(note->isVisible());
    const QColor color = note->palette().color(QPalette::WindowText);
    QVERIFY(color.red() > color.green() + 80 && color.red() > color.blue() + 80);
    QVERIFY(house.core.calls.isEmpty());
    QCOMPARE(house.core.config.backendUrl, u"https://wegent.example.com"_s);
}

void TestSettings::account_goodAddress_isStored()
{
    House house;
    house.enter("backendUrl", u"other.example.com/"_s);
    QTRY_COMPARE(house.core.config.backendUrl, u"https://other.example.com"_s);
    QVERIFY(!house.find<QLabel>("backendNote")->isVisible());
    house.core.calls.clear();
    house.enter("backendUrl", u"https://other.example.com"_s); // nothing new
    QVERIFY(house.core.calls.isEmpty());
    house.enter("socketUrl", u"wss://socket.example.com"_s);
    QTRY_COMPARE(house.core.config.socketUrl, u"wss://socket.example.com"_s);
    QCOMPARE(house.core.config.backendUrl, u"https://other.example.com"_s);
}

void TestSettings::account_badName_isNotStored()
{
    House house;
    for (const QString &bad : { QString(), QString(65, u'x'), u"a\u202Eb"_s }) {
        house.enter("deviceName", bad);
        QVERIFY(house.find<QLabel>("nameNote")->isVisible());
    }
    QCOMPARE(house.core.config.deviceName, u"workbench"_s);
    house.enter("deviceName", u" bench two "_s);
    QTRY_COMPARE(house.core.config.deviceName, u"bench two"_s);
}

void TestSettings::account_token_goesToTheKeyStore()
{
    House house;
    auto *token = house.find<QLineEdit>("token");
    QCOMPARE(token->echoMode(), QLineEdit::Password);
    QVERIFY(!house.find<QPushButton>("saveToken")->isEnabled());
    token->setText(u" secret-token-value "_s);
    QTest::mouseClick(house.find<QPushButton>("saveToken"), Qt::LeftButton);
    QCOMPARE(house.core.tokens, QStringList { u"secret-token-value"_s });
    QTRY_COMPARE(token->text(), QString()); // never shown again
    QTest::mouseClick(house.find<QPushButton>("signOut"), Qt::LeftButton);
    QCOMPARE(house.core.tokens.last(), QString());
    // A key store that fails keeps the entry and says why.
    house.core.failWith = Error { ErrorKind::Unavailable, u"the key store is locked"_s, {} };
    token->setText(u"another"_s);
    QTest::mouseClick(house.find<QPushButton>("saveToken"), Qt::LeftButton);
    QTRY_COMPARE(house.find<QLabel>("tokenNote")->text(), u"the key store is locked"_s);
    QCOMPARE(token->text(), u"another"_s);
}

void TestSettings::account_environment_locks()
{
    qputenv("WEGENT_BACKEND_URL", "https://fixed.example.com");
    qputenv("CODEX_BINARY_PATH", "/opt/codex");
    House house;
    QVERIFY(!house.find<QLineEdit>("backendUrl")->isEnabled());
    QVERIFY(house.find<QLabel>("backendNote")->text().contains("WEGENT_BACKEND_URL"_L1));
    QVERIFY(house.find<QLineEdit>("socketUrl")->isEnabled());
    QVERIFY(!house.find<QLineEdit>("codexPath")->isEnabled());
    QVERIFY(house.find<QLabel>("pathNote")->text().contains("CODEX_BINARY_PATH"_L1));
    qunsetenv("WEGENT_BACKEND_URL");
    qunsetenv("CODEX_BINARY_PATH");
}

void TestSettings::account_parallel_warnsAboveHalfTheCores()
{
    House house;
    auto *parallel = house.find<QSpinBox>("parallelTasks");
    QCOMPARE(parallel->minimum(), 1);
    QCOMPARE(parallel->maximum(), 16);
    parallel->setValue(16);
    Q_EMIT parallel->editingFinished();
    QTRY_COMPARE(house.core.settingsNow.parallelTasks, 16);
    QTest::mouseClick(house.find<QCheckBox>("acceptTasks"), Qt::LeftButton, {}, QPoint(8, 8));
    QTRY_VERIFY(!house.core.settingsNow.acceptTasks);
}

void TestSettings::change_refusedByTheCore_isNamedUnderTheField()
{
    House house;
    house.core.failWith = Error { ErrorKind::Io, u"settings.json cannot be written"_s, {} };
    house.dialog.showPage(SettingsDialog::Page::Account);
    auto *parallel = house.find<QSpinBox>("parallelTasks");
    parallel->setValue(5);
    Q_EMIT parallel->editingFinished();
    QTRY_COMPARE(house.find<QLabel>("parallelNote")->text(), u"settings.json cannot be written"_s);
    QCOMPARE(parallel->value(), 2); // the old value is back
}

void TestSettings::change_canBeUndone()
{
    House house;
    auto *strip = house.find<QWidget>("undoStrip");
    QVERIFY(!strip->isVisible());
    auto *parallel = house.find<QSpinBox>("parallelTasks");
    parallel->setValue(7);
    Q_EMIT parallel->editingFinished();
    QTRY_VERIFY(strip->isVisible());
    QTest::mouseClick(house.find<QPushButton>("undo"), Qt::LeftButton);
    QTRY_COMPARE(house.core.settingsNow.parallelTasks, 2);
    QTRY_COMPARE(parallel->value(), 2);
}

void TestSettings::engine_badProgram_isNotStored()
{
    House house;
    house.dialog.showPage(SettingsDialog::Page::Engine);
    QTemporaryDir folder;
    QFile plain(folder.filePath(u"plain"_s));
    QVERIFY(plain.open(QIODevice::WriteOnly));
    plain.close();
    for (const QString &bad :
        { u"codex"_s, folder.filePath(u"missing"_s), folder.path(), plain.fileName() }) {
        house.enter("codexPath", bad);
        QVERIFY2(house.find<QLabel>("pathNote")->isVisible(), qPrintable(bad));
        QCOMPARE(house.core.settingsNow.codexPath, QString());
    }
    QVERIFY(plain.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
    house.enter("codexPath", plain.fileName());
    QTRY_COMPARE(house.core.settingsNow.codexPath, plain.fileName());
    QTest::mouseClick(house.find<QPushButton>("restartEngine"), Qt::LeftButton);
    QTRY_VERIFY(house.core.calls.contains(u"restartEngine"_s));
}

void TestSettings::permissions_fullAccess_needsTheNameTyped()
{
    House house;
    house.dialog.showPage(SettingsDialog::Page::Permissions);
    auto *ceiling = house.find<QComboBox>("ceiling");
    ceiling->setCurrentIndex(ceiling->findData(u":danger-full-access"_s));
    Q_EMIT ceiling->activated(ceiling->currentIndex());
    QVERIFY(house.find<QWidget>("confirmFullAccess")->isVisible());
    QCOMPARE(house.core.settingsNow.ceiling, u":workspace"_s);
    auto *button = house.find<QPushButton>("confirmButton");
    QVERIFY(!button->isEnabled());
    house.find<QLineEdit>("confirmText")->setText(u"workbenc"_s);
    QVERIFY(!button->isEnabled());
    house.find<QLineEdit>("confirmText")->setText(u"workbench"_s);
    QVERIFY(button->isEnabled());
    QTest::mouseClick(button, Qt::LeftButton);
    QTRY_COMPARE(house.core.settingsNow.ceiling, u":danger-full-access"_s);
    QTRY_COMPARE(house.find<QComboBox>("defaultLevel")->count(), 3);
    QCOMPARE(house.core.settingsNow.defaultProfile, u":workspace"_s);
}

void TestSettings::permissions_lowerCeiling_lowersTheDefault()
{
    House house;
    house.dialog.showPage(SettingsDialog::Page::Permissions);
    auto *ceiling = house.find<QComboBox>("ceiling");
    ceiling->setCurrentIndex(0);
    Q_EMIT ceiling->activated(0);
    QTRY_COMPARE(house.core.settingsNow.ceiling, u":read-only"_s);
    QCOMPARE(house.core.settingsNow.defaultProfile, u":read-only"_s);
    QTRY_COMPARE(house.find<QComboBox>("defaultLevel")->count(), 1);
}

void TestSettings::permissions_requestLimit_canBeSwitchedOff()
{
    House house;
    house.dialog.showPage(SettingsDialog::Page::Permissions);
    auto *minutes = house.find<QSpinBox>("limitMinutes");
    QCOMPARE(minutes->value(), 15);
    minutes->setValue(60);
    Q_EMIT minutes->editingFinished();
    QTRY_COMPARE(house.core.settingsNow.requestLimitMinutes, 60);
    QTest::mouseClick(house.find<QCheckBox>("waitForEver"), Qt::LeftButton, {}, QPoint(8, 8));
    QTRY_COMPARE(house.core.settingsNow.requestLimitMinutes, 0);
    QTRY_VERIFY(!minutes->isEnabled());
}

void TestSettings::sandbox_wallAroundTheEngine_isStored()
{
    House house;
    house.dialog.showPage(SettingsDialog::Page::Sandbox);
    auto *wall = house.find<QCheckBox>("engineWall");
    QVERIFY(!wall->isChecked());
    QTest::mouseClick(wall, Qt::LeftButton);
    QTRY_VERIFY(house.core.settingsNow.engineWall);
    QVERIFY(wall->isChecked());
    StatusSnapshot status = test::wellStatus();
    status.sandbox.engineWall = u"impossible"_s;
    status.sandbox.engineWallCause = u"user namespaces do not nest here"_s;
    house.core.setStatus(status);
    QVERIFY(house.find<QLabel>("sandboxState")->text().contains("do not nest here"_L1));
}

void TestSettings::sandbox_secretPaths_areCheckedAndStored()
{
    House house;
    house.dialog.showPage(SettingsDialog::Page::Sandbox);
    auto *text = house.find<QLineEdit>("secretPathsText");
    auto *add = house.find<QPushButton>("add_secretPaths");
    auto *note = house.find<QLabel>("secretPathsNote");
    QVERIFY(!add->isEnabled());
    for (const QString &wrong : { u"keys"_s, u"/"_s, u"~/"_s, u"/srv/../etc"_s, u"/a/*/b"_s }) {
        text->setText(wrong);
        QTest::mouseClick(add, Qt::LeftButton);
        QVERIFY(note->isVisible());
        QVERIFY2(note->text().contains(wrong), qPrintable(note->text()));
        QCOMPARE(text->text(), wrong); // to be corrected
        QVERIFY(house.core.settingsNow.sandbox.secretPaths.isEmpty());
    }
    text->setText(u" ~/私密 "_s);
    QTest::keyClick(text, Qt::Key_Return);
    QTRY_COMPARE(house.core.settingsNow.sandbox.secretPaths, QStringList { u"~/私密"_s });
    QVERIFY(house.dialog.isVisible());
    QVERIFY(text->text().isEmpty());
    // Without the wall the engine's own process still sees it, and that is said.
    QTRY_VERIFY(note->isVisible() && note->text().contains(u"engine"_s));
    QTest::mouseClick(house.find<QCheckBox>("engineWall"), Qt::LeftButton, {}, QPoint(8, 8));
    QTRY_VERIFY(!note->isVisible());
    auto *list = house.find<QListWidget>("secretPaths");
    QCOMPARE(list->count(), 1);
    auto *remove = house.find<QPushButton>("remove_secretPaths");
    QVERIFY(!remove->isEnabled());
    list->setCurrentRow(0);
    QTest::mouseClick(remove, Qt::LeftButton);
    QTRY_VERIFY(house.core.settingsNow.sandbox.secretPaths.isEmpty());
    QTRY_COMPARE(list->count(), 0);
}

void TestSettings::sandbox_hosts_areCheckedAndStored()
{
    House house;
    house.dialog.showPage(SettingsDialog::Page::Sandbox);
    const auto enter = [&house](const char *list, const QString &host) {
        house.find<QLineEdit>((QByteArray(list) + "Text").constData())->setText(host);
        QTest::mouseClick(
            house.find<QPushButton>((QByteArray("add_") + list).constData()), Qt::LeftButton);
    };
    for (const char *list : { "allowedHosts", "deniedHosts" }) {
        auto *note = house.find<QLabel>((QByteArray(list) + "Note").constData());
        for (const QString &wrong : { u"*"_s, u"https://a.example"_s, u"a b"_s, u"a.*.b"_s }) {
            enter(list, wrong);
            QVERIFY2(note->text().contains(wrong), qPrintable(note->text()));
        }
    }
    enter("allowedHosts", u"*.good.example"_s);
    QTRY_COMPARE(house.core.settingsNow.sandbox.allowedHosts, QStringList { u"*.good.example"_s });
    enter("deniedHosts", u"bad.example"_s);
    QTRY_COMPARE(house.core.settingsNow.sandbox.deniedHosts, QStringList { u"bad.example"_s });
    enter("deniedHosts", u"bad.example"_s); // nothing twice
    QTRY_COMPARE(house.find<QListWidget>("deniedHosts")->count(), 1);
    QVERIFY(!house.find<QLabel>("allowedHostsNote")->isVisible());
}

void TestSettings::sandbox_limits_areCheckedAndStored()
{
    House house;
    house.dialog.showPage(SettingsDialog::Page::Sandbox);
    const auto enter = [&house](const char *name, int value) {
        auto *box = house.find<QSpinBox>(name);
        box->setValue(value);
        Q_EMIT box->editingFinished();
    };
    using sandbox::OwnerPolicy;
    const struct
    {
        const char *name;
        int OwnerPolicy::*member;
        int good;
        int tooLittle; ///< 0: none is
    } kLimits[] = {
        { "scratchSize", &OwnerPolicy::scratchMegabytes, 64, 15 },
        { "memory", &OwnerPolicy::memoryMegabytes, 2048, 63 },
        { "processes", &OwnerPolicy::processes, 64, 15 },
        { "time", &OwnerPolicy::timeSeconds, 600, 0 },
        { "growth", &OwnerPolicy::growthMegabytes, 100, 0 },
        { "outputSize", &OwnerPolicy::outputKilobytes, 64, 0 },
    };
    for (const auto &limit : kLimits) {
        auto *note = house.find<QLabel>((QByteArray(limit.name) + "Note").constData());
        QVERIFY2(note->text().startsWith(u"Usually "_s), qPrintable(note->text()));
        if (limit.tooLittle > 0) {
            enter(limit.name, limit.tooLittle);
            QVERIFY2(note->text().startsWith(u"From "_s), qPrintable(note->text()));
            QCOMPARE(house.core.settingsNow.sandbox.*limit.member, 0);
        }
        enter(limit.name, limit.good);
        QTRY_COMPARE(house.core.settingsNow.sandbox.*limit.member, limit.good);
        QTRY_VERIFY(!note->isVisible());
        enter(limit.name, 0);
        QTRY_COMPARE(house.core.settingsNow.sandbox.*limit.member, 0);
        enter(limit.name, 2'000'000'000); // not above the highest
        QTRY_VERIFY(house.core.settingsNow.sandbox.*limit.member > 0);
        QVERIFY(settings::SettingsStore::check(house.core.settingsNow).has_value());
    }
}

void TestSettings::sandbox_scratch_isStoredAndExplained()
{
    House house;
    house.dialog.showPage(SettingsDialog::Page::Sandbox);
    auto *scratch = house.find<QComboBox>("scratch");
    QCOMPARE(scratch->currentIndex(), 0);
    scratch->setCurrentIndex(1);
    Q_EMIT scratch->activated(1);
    QTRY_COMPARE(house.core.settingsNow.sandbox.scratch, sandbox::Scratch::Host);
    QTRY_VERIFY(house.find<QLabel>("scratchNote")->text().contains(u"other programs"_s));
}

void TestSettings::models_addEditRemove()
{
    House house;
    house.core.presets = { preset() };
    house.dialog.showPage(SettingsDialog::Page::Models);
    QTest::mouseClick(house.find<QPushButton>("addModel"), Qt::LeftButton);
    auto *dialog = house.dialog.findChild<ModelDialog *>();
    QVERIFY(dialog);
    QCOMPARE(
        dialog->findChild<QLineEdit *>(u"address"_s)->text(), u"https://api.deepseek.com/v1"_s);
    dialog->findChild<QComboBox *>(u"modelId"_s)->setEditText(u"deepseek-chat"_s);
    dialog->findChild<QLineEdit *>(u"key"_s)->setText(u"sk-test-123456"_s);
    QTest::mouseClick(dialog->findChild<QPushButton *>(u"save"_s), Qt::LeftButton);
    QTRY_COMPARE(house.core.settingsNow.models.size(), 1);
    const settings::OwnModel model = house.core.settingsNow.models.first();
    QCOMPARE(model.name, u"DeepSeek"_s);
    QCOMPARE(model.values.value("api_format"_L1).toString(), u"openai-chat-completions"_s);
    QCOMPARE(model.values.value("model_id"_L1).toString(), u"deepseek-chat"_s);
    QVERIFY(!model.values.contains("api_key"_L1));
    QCOMPARE(house.core.modelKeys.size(), 1);
    QCOMPARE(house.core.modelKeys.first().first, model.keySecret);
    QCOMPARE(house.core.modelKeys.first().second, u"sk-test-123456"_s);

    auto *list = house.find<QTreeWidget>("models");
    QTRY_COMPARE(list->topLevelItemCount(), 1);
    auto *use = house.find<QComboBox>("defaultModel");
    use->setCurrentIndex(1);
    Q_EMIT use->activated(1);
    QTRY_COMPARE(house.core.settingsNow.defaultModel, u"DeepSeek"_s);

    // A new name keeps the choice, the stored key stays when none is typed.
    QTRY_VERIFY(house.dialog.findChildren<ModelDialog *>().isEmpty());
    list->setCurrentItem(list->topLevelItem(0));
    QTest::mouseClick(house.find<QPushButton>("editModel"), Qt::LeftButton);
    dialog = house.dialog.findChild<ModelDialog *>();
    QCOMPARE(dialog->findChild<QLineEdit *>(u"key"_s)->text(), QString());
    dialog->findChild<QLineEdit *>(u"name"_s)->setText(u"Deep"_s);
    QTest::mouseClick(dialog->findChild<QPushButton *>(u"save"_s), Qt::LeftButton);
    QTRY_COMPARE(house.core.settingsNow.defaultModel, u"Deep"_s);
    QCOMPARE(house.core.settingsNow.models.first().keySecret, model.keySecret);
    QCOMPARE(house.core.modelKeys.size(), 1);

    list->setCurrentItem(list->topLevelItem(0));
    QTest::mouseClick(house.find<QPushButton>("removeModel"), Qt::LeftButton);
    QTRY_VERIFY(house.core.settingsNow.models.isEmpty());
    QCOMPARE(house.core.settingsNow.defaultModel, QString());
    QCOMPARE(house.core.modelKeys.last(), qMakePair(model.keySecret, QString()));
}

void TestSettings::models_badInput_isNamed()
{
    test::FakeCore core;
    ModelDialog dialog(core, {}, { u"Taken"_s });
    dialog.show();
    const auto note = [&](const char *name) {
        return dialog.findChild<QLabel *>(QLatin1StringView(name))->isVisible();
    };
    dialog.findChild<QLineEdit *>(u"name"_s)->setText(u"Taken"_s);
    dialog.findChild<QLineEdit *>(u"address"_s)->setText(u"http://example.com/v1"_s);
    QTest::mouseClick(dialog.findChild<QPushButton *>(u"save"_s), Qt::LeftButton);
    QVERIFY(note("nameNote") && note("addressNote") && note("idNote") && note("keyNote"));
    QVERIFY(dialog.isVisible());
    // A model on this computer needs no key.
    dialog.findChild<QLineEdit *>(u"name"_s)->setText(u"Local"_s);
    dialog.findChild<QLineEdit *>(u"address"_s)->setText(u"http://127.0.0.1:11434/v1"_s);
    dialog.findChild<QComboBox *>(u"modelId"_s)->setEditText(u"qwen3-coder"_s);
    QSignalSpy accepted(&dialog, &QDialog::accepted);
    QTest::mouseClick(dialog.findChild<QPushButton *>(u"save"_s), Qt::LeftButton);
    QCOMPARE(accepted.size(), 1);
    QVERIFY(core.modelKeys.isEmpty());
}

void TestSettings::models_testAndList_showAnswers()
{
    test::FakeCore core;
    core.presets = { preset() };
    core.offered = { { u"deepseek-chat"_s, {}, {} }, { u"deepseek-reasoner"_s, {}, {} } };
    ModelDialog dialog(core, {}, {});
    dialog.show();
    auto *id = dialog.findChild<QComboBox *>(u"modelId"_s);
    QTest::mouseClick(dialog.findChild<QPushButton *>(u"fetchModels"_s), Qt::LeftButton);
    QTRY_COMPARE(id->count(), 2);
    QCOMPARE(id->currentText(), QString()); // nothing is chosen for the owner
    core.testReport.problem = u"DeepSeek rejected the key."_s;
    core.testReport.hint = u"Make a new one."_s;
    auto *test = dialog.findChild<QPushButton *>(u"test"_s);
    QTest::mouseClick(test, Qt::LeftButton);
    QTRY_COMPARE(dialog.findChild<QLabel *>(u"testNote"_s)->text(),
        u"DeepSeek rejected the key. Make a new one."_s);
    core.testReport = {};
    core.testReport.answered = true;
    core.testReport.calledTool = true;
    core.testReport.firstByte = std::chrono::milliseconds(420);
    core.testReport.total = std::chrono::milliseconds(1'900);
    core.testReport.contextWindow = 131'072;
    core.testReport.model = u"deepseek-v3"_s;
    QTest::mouseClick(test, Qt::LeftButton);
    QTRY_COMPARE(dialog.findChild<QLabel *>(u"testNote"_s)->text(),
        u"Works.\nFirst answer after 420 ms, everything after 1900 ms.\nTool calls: yes.\n"
        "Context window: 131072 tokens.\nThe provider calls it deepseek-v3."_s);
    core.testReport.calledTool = false;
    core.testReport.problem = u"It did not call the tool."_s;
    QTest::mouseClick(test, Qt::LeftButton);
    QTRY_VERIFY(dialog.findChild<QLabel *>(u"testNote"_s)->text().contains("Tool calls: no."_L1));
    QVERIFY(dialog.findChild<QLabel *>(u"testNote"_s)->text().startsWith("It did not"_L1));
}

void TestSettings::models_testInTheList_isRemembered()
{
    House house;
    house.core.settingsNow.models = { { u"DeepSeek"_s, { { u"model_id"_s, u"d"_s } }, u"k1"_s },
        { u"Local"_s, { { u"model_id"_s, u"l"_s } }, {} } };
    house.core.missingKeys = { u"k1"_s };
    house.dialog.showPage(SettingsDialog::Page::Models);
    auto *list = house.find<QTreeWidget>("models");
    // What the key store says, not what the settings hope.
    QTRY_COMPARE(list->topLevelItem(0)->text(3), u"missing"_s);
    QCOMPARE(list->topLevelItem(1)->text(3), u"none"_s);
    QCOMPARE(list->topLevelItem(0)->text(4), u"not tested"_s);
    list->setCurrentItem(list->topLevelItem(1));
    house.core.testReport.answered = true;
    house.core.testReport.calledTool = true;
    QTest::mouseClick(house.find<QPushButton>("testModel"), Qt::LeftButton);
    QTRY_COMPARE(list->topLevelItem(1)->text(4), u"works"_s);
    QCOMPARE(house.core.tested.at(0).name, u"Local"_s);
    QVERIFY(house.find<QLabel>("modelsNote")->text().startsWith("Local: Works."_L1));
    list->setCurrentItem(list->topLevelItem(0));
    house.core.failWith = Error { ErrorKind::NotFound, u"the key is missing"_s, u"Enter it."_s };
    QTest::mouseClick(house.find<QPushButton>("testModel"), Qt::LeftButton);
    QTRY_COMPARE(list->topLevelItem(0)->text(4), u"fails"_s);
    QVERIFY(house.find<QLabel>("modelsNote")->text().contains("the key is missing. Enter it."_L1));
    // A changed model is not the tested one any more.
    house.core.failWith.reset();
    house.core.settingsNow.models[1].values.insert(u"model_id"_s, u"other"_s);
    Q_EMIT house.core.settingsChanged();
    QCOMPARE(list->topLevelItem(1)->text(4), u"not tested"_s);
}

void TestSettings::models_key_canBeReplacedAndRemoved()
{
    test::FakeCore core;
    const settings::OwnModel model { u"Own"_s,
        { { u"base_url"_s, u"http://127.0.0.1:11434/v1"_s }, { u"model_id"_s, u"m"_s },
            { u"api_format"_s, u"openai-chat-completions"_s } },
        u"model-1"_s };
    {
        ModelDialog dialog(core, model, {});
        dialog.show();
        dialog.findChild<QLineEdit *>(u"key"_s)->setText(u"new-key"_s);
        QTest::mouseClick(dialog.findChild<QPushButton *>(u"save"_s), Qt::LeftButton);
        QTRY_COMPARE(dialog.result(), static_cast<int>(QDialog::Accepted));
        QCOMPARE(core.modelKeys.last(), qMakePair(u"model-1"_s, u"new-key"_s));
        QCOMPARE(dialog.model().keySecret, u"model-1"_s);
        QVERIFY(dialog.findChild<QLineEdit *>(u"key"_s)->text().isEmpty());
    }
    ModelDialog dialog(core, model, {});
    dialog.show();
    auto *remove = dialog.findChild<QPushButton *>(u"removeKey"_s);
    QVERIFY(remove->isVisible());
    QTest::mouseClick(remove, Qt::LeftButton);
    QCOMPARE(core.modelKeys.size(), 1); // not before it is saved
    QTest::mouseClick(dialog.findChild<QPushButton *>(u"save"_s), Qt::LeftButton);
    QTRY_COMPARE(dialog.result(), static_cast<int>(QDialog::Accepted));
    QCOMPARE(core.modelKeys.last(), qMakePair(u"model-1"_s, QString()));
    QVERIFY(dialog.model().keySecret.isEmpty());
    // There is none to remove for a new model.
    ModelDialog fresh(core, {}, {});
    fresh.show();
    QVERIFY(!fresh.findChild<QPushButton *>(u"removeKey"_s)->isVisible());
}

void TestSettings::models_usage_isShownPerModelAndDay()
{
    House house;
    const QDate today = QDateTime::currentDateTimeUtc().date();
    const auto used = [](qint64 in, qint64 cached, qint64 out) {
        engines::Usage usage;
        usage.inputTokens = in;
        usage.cachedInputTokens = cached;
        usage.outputTokens = out;
        return usage;
    };
    house.core.usage = { { today, u"deepseek-chat"_s, used(120'000, 90'000, 3'000) },
        { today, u"gpt-5"_s, used(5, 1, 2) },
        { today.addDays(-3), u"deepseek-chat"_s, used(1'000, 0, 10) },
        { today.addDays(-20), u"deepseek-chat"_s, used(7, 0, 7) } };
    house.dialog.showPage(SettingsDialog::Page::Models);
    auto *table = house.find<QTreeWidget>("usageTable");
    QTRY_COMPARE(table->topLevelItemCount(), 4); // the sum and three rows of this week
    QCOMPARE(table->topLevelItem(0)->text(2), u"121005"_s);
    QCOMPARE(table->topLevelItem(0)->text(3), u"90001"_s);
    QCOMPARE(table->topLevelItem(0)->text(4), u"3012"_s);
    QCOMPARE(table->topLevelItem(1)->text(1), u"deepseek-chat"_s);
    QCOMPARE(table->topLevelItem(1)->text(2), u"120000"_s);
    auto *days = house.find<QComboBox>("usageDays");
    days->setCurrentIndex(0);
    Q_EMIT days->activated(0);
    QTRY_COMPARE(table->topLevelItemCount(), 3);
    days->setCurrentIndex(2);
    Q_EMIT days->activated(2);
    QTRY_COMPARE(table->topLevelItemCount(), 5);
    house.core.usage.clear();
    Q_EMIT days->activated(2);
    QTRY_COMPARE(table->topLevelItemCount(), 0);
    QVERIFY(house.find<QLabel>("usageNote")->isVisible());
    house.core.failWith = Error { ErrorKind::Io, u"the journal cannot be read"_s, {} };
    Q_EMIT days->activated(2);
    QTRY_COMPARE(house.find<QLabel>("usageNote")->text(), u"the journal cannot be read"_s);
}

void TestSettings::logs_level_isStored()
{
    House house;
    house.dialog.showPage(SettingsDialog::Page::Logs);
    auto *level = house.find<QComboBox>("logLevel");
    QCOMPARE(level->currentData().toString(), u"info"_s);
    level->setCurrentIndex(level->findData(u"debug"_s));
    Q_EMIT level->activated(level->currentIndex());
    QTRY_COMPARE(house.core.settingsNow.logLevel, u"debug"_s);
    QTRY_VERIFY(house.find<QLabel>("logLevelNote")->text().contains("never written"_L1));
    QCOMPARE(house.find<QLineEdit>("logFolder")->text(), u"/var/log/deskhand"_s);
}

void TestSettings::search_findsInBothLanguages_data()
{
    QTest::addColumn<QString>("language");
    QTest::addColumn<QString>("text");
    QTest::addColumn<int>("row"); // -1 = nothing
    for (const char *language : { "en", "zh_CN" }) {
        const auto add = [&](const char *text, int row) {
            QTest::addRow("%s: %s", language, text)
                << QString::fromLatin1(language) << QString::fromUtf8(text) << row;
        };
        add("backend", 0);
        add("SOCKET address", 0);
        add("设备名称", 0);
        add("codex path", 1);
        add("ceiling", 2);
        add("沙箱", 3);
        add("scratch", 3);
        add("域名", 3);
        add("deepseek", 4);
        add("模型", 4);
        add("log level", 5);
        add("日志", 5);
        add("no such thing", -1);
    }
}

void TestSettings::search_findsInBothLanguages()
{
    QFETCH(QString, language);
    QFETCH(QString, text);
    QFETCH(int, row);
    useLanguage(QLocale(language));
    {
        House house;
        auto *search = house.find<QLineEdit>("search");
        auto *pages = house.find<QListWidget>("pages");
        search->setText(text);
        QCOMPARE(house.find<QLabel>("searchNote")->isVisible(), row < 0);
        for (int i = 0; i < pages->count(); ++i) {
            QVERIFY(row >= 0 || pages->isRowHidden(i));
        }
        if (row >= 0) {
            QCOMPARE(pages->currentRow(), row);
            QVERIFY(!pages->isRowHidden(row));
        }
        search->clear();
        for (int i = 0; i < pages->count(); ++i) {
            QVERIFY(!pages->isRowHidden(i));
        }
    }
    useLanguage(QLocale::c());
}

void TestSettings::search_marksAndForgets()
{
    House house;
    auto *search = house.find<QLineEdit>("search");
    const auto marked = [&] {
        QStringList texts;
        for (const auto *label : house.dialog.findChildren<QLabel *>()) {
            if (label->autoFillBackground() && label->buddy() != nullptr) {
                texts << label->text();
            }
        }
        return texts;
    };
    QTest::keyClick(&house.dialog, Qt::Key_F, Qt::ControlModifier);
    QTest::keyClicks(search, u"device name"_s);
    QCOMPARE(marked(), QStringList { u"Device &name:"_s });
    QTest::keyClick(search, Qt::Key_Return); // looks for it, and does not close the dialog
    QVERIFY(house.dialog.isVisible());
    search->clear();
    QVERIFY(marked().isEmpty());
    QVERIFY(house.core.calls.isEmpty());
}

void TestSettings::secretPlace_nothingIsPreselected()
{
    test::FakeCore core;
    core.statusNow.secrets = settings::SecretsState::Missing;
    SecretPlaceDialog dialog(core, core.statusNow);
    dialog.show();
    auto *ok = dialog.findChild<QPushButton *>(u"ok"_s);
    QVERIFY(!ok->isEnabled());
    dialog.findChild<QRadioButton *>(u"file"_s)->setChecked(true);
    QVERIFY(ok->isEnabled());
    QTest::mouseClick(ok, Qt::LeftButton);
    QTRY_COMPARE(core.places.size(), 1);
    QVERIFY(core.places.first() == Executor::SecretPlace::File);
    QTRY_VERIFY(!dialog.isVisible());
}

QTEST_MAIN(TestSettings)
#include "tst_settings.moc"
