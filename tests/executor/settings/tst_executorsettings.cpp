// SPDX-License-Identifier: Apache-2.0
#include "executor/settings/executorsettings.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#ifdef Q_OS_UNIX
#include <unistd.h>
#endif

using namespace deskhand;
using namespace Qt::StringLiterals;
using settings::ExecutorSettings;
using settings::OwnModel;
using settings::SettingsStore;

namespace {

bool put(const QString &path, const QByteArray &content)
{
    QFile file(path);
    return file.open(QIODevice::WriteOnly) && file.write(content) == content.size();
}

QJsonObject onDisk(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? QJsonDocument::fromJson(file.readAll()).object()
                                          : QJsonObject();
}

ExecutorSettings everythingChanged()
{
    ExecutorSettings all;
    all.parallelTasks = 7;
    all.defaultProfile = u":read-only"_s;
    all.ceiling = u":danger-full-access"_s;
    all.requestLimitMinutes = 0;
    all.acceptTasks = false;
    all.engineWall = true;
    all.codexPath = QDir::rootPath() + u"opt/程序 dir/codex"_s;
    all.models = { OwnModel { u"本地 model"_s,
        { { u"base_url"_s, u"http://localhost:1/v1"_s }, { u"model_id"_s, u"m"_s } },
        u"model/本地"_s } };
    all.defaultModel = u"本地 model"_s;
    all.allowedRoots = { QDir::rootPath() + u"home/项目"_s, QDir::rootPath() + u"srv"_s };
    all.logLevel = u"debug"_s;
    all.sandbox.scratch = sandbox::Scratch::Host;
    all.sandbox.scratchMegabytes = 64;
    all.sandbox.secretPaths = { u"~/私密"_s, u"/srv/keys/*.pem"_s };
    all.sandbox.allowedHosts = { u"**.example.org"_s };
    all.sandbox.deniedHosts = { u"bad.example.org"_s, u"*.例子.cn"_s };
    all.sandbox.memoryMegabytes = 2048;
    all.sandbox.processes = 100;
    all.sandbox.timeSeconds = 600;
    all.sandbox.growthMegabytes = 512;
    all.sandbox.outputKilobytes = 64;
    return all;
}

} // namespace

class TestExecutorSettings : public QObject
{
    Q_OBJECT
    std::unique_ptr<QTemporaryDir> m_folder;
    QString m_file;

private Q_SLOTS:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        QVERIFY(QDir(m_folder->path()).mkpath(u"家 folder"_s));
        m_file = m_folder->filePath(u"家 folder/settings.json"_s);
    }

    void load_missingFile_isDefaultsWithoutProblems()
    {
        SettingsStore store(m_file);
        QCOMPARE(store.load(), QStringList());
        QCOMPARE(store.current(), ExecutorSettings());
        QVERIFY(!QFile::exists(m_file));
    }

    void update_everyKey_survivesARoundTrip()
    {
        {
            SettingsStore store(m_file);
            store.load();
            const QSignalSpy changed(&store, &SettingsStore::changed);
            const Result<> updated = store.update(everythingChanged());
            QVERIFY2(updated, qPrintable(updated ? QString() : updated.error().message));
            QCOMPARE(changed.count(), 1);
        }
        SettingsStore again(m_file);
        QCOMPARE(again.load(), QStringList());
        QCOMPARE(again.current(), everythingChanged());
        // No default slipped in for a key that the table forgot.
        const QJsonObject file = onDisk(m_file);
        const QStringList keys = ExecutorSettings().toJson().keys();
        QCOMPARE(keys.size(), 13);
        for (const QString &key : keys) {
            QVERIFY2(file.contains(key), qPrintable(key));
        }
        const QStringList inner = ExecutorSettings().toJson().value(u"sandbox"_s).toObject().keys();
        QCOMPARE(inner.size(), 10);
        QCOMPARE(file.value(u"sandbox"_s).toObject().keys(), inner);
#ifdef Q_OS_UNIX
        QCOMPARE(QFile::permissions(m_file) & 0x0077, QFile::Permissions());
#endif
    }

    void load_badValue_keepsItsDefaultAndIsNamed_data()
    {
        QTest::addColumn<QByteArray>("value");
        QTest::addColumn<QString>("key");
        const auto row = [](const char *name, const char *key, const char *value) {
            QTest::newRow(name) << QByteArray(value) << QString::fromLatin1(key);
        };
        row("parallel tasks below the range", "parallel_tasks", "0");
        row("parallel tasks above the range", "parallel_tasks", "17");
        row("parallel tasks not whole", "parallel_tasks", "2.5");
        row("parallel tasks as text", "parallel_tasks", "\"2\"");
        row("parallel tasks beyond an int", "parallel_tasks", "1e300");
        row("parallel tasks null", "parallel_tasks", "null");
        row("default profile without colon", "default_profile", "\"workspace\"");
        row("default profile of another type", "default_profile", "[]");
        row("default profile above the ceiling", "default_profile", "\":danger-full-access\"");
        row("ceiling unknown", "ceiling", "\":everything\"");
        row("ceiling with a zero inside", "ceiling", "\":workspace\\u0000\"");
        row("ceiling null", "ceiling", "null");
        row("request limit negative", "request_limit_minutes", "-1");
        row("request limit above a day", "request_limit_minutes", "1441");
        row("request limit true", "request_limit_minutes", "true");
        row("accept tasks as text", "accept_tasks", "\"false\"");
        row("accept tasks as a number", "accept_tasks", "0");
        row("engine wall as a word", "engine_wall", "\"on\"");
        row("codex path relative", "codex_path", "\"codex\"");
        row("codex path a number", "codex_path", "7");
        row("models an object", "models", "{}");
        row("model without a name", "models", R"([{"values":{}}])");
        row("model with an empty name", "models", R"([{"name":"  ","values":{}}])");
        row("model without values", "models", R"([{"name":"a"}])");
        row("model with a key inside", "models", R"([{"name":"a","values":{"api_key":"s"}}])");
        row("model with a numeric secret name", "models",
            R"([{"name":"a","values":{},"key_secret":1}])");
        row("default model unknown", "default_model", "\"nobody\"");
        row("default model a number", "default_model", "3");
        row("log level unknown", "log_level", "\"loud\"");
        row("scratch unknown", "sandbox.scratch", "\"shared\"");
        row("scratch a number", "sandbox.scratch", "1");
        row("scratch too small", "sandbox.scratch_mb", "15");
        row("scratch too large", "sandbox.scratch_mb", "65537");
        row("allowed host with a lone star", "sandbox.allowed_hosts", "[\"*\"]");
        row("allowed host with a scheme", "sandbox.allowed_hosts", "[\"https://a.example\"]");
        row("allowed host a number", "sandbox.allowed_hosts", "[7]");
        row("allowed hosts a text", "sandbox.allowed_hosts", "\"a.example\"");
        row("memory too small", "sandbox.memory_mb", "63");
        row("memory as text", "sandbox.memory_mb", "\"2G\"");
        row("processes too few", "sandbox.processes", "15");
        row("time above the ceiling", "sandbox.time_seconds", "3601");
        row("time negative", "sandbox.time_seconds", "-1");
        row("growth not whole", "sandbox.growth_mb", "0.5");
        row("output too large", "sandbox.output_kb", "262145");
        row("log level in capitals", "log_level", "\"INFO\"");
    }

    void load_badValue_keepsItsDefaultAndIsNamed()
    {
        QFETCH(QByteArray, value);
        QFETCH(QString, key);
        const QByteArrayList names = key.toLatin1().split('.');
        const QByteArray inner = names.size() > 1 ? "{\"" + names[1] + "\": " + value + "}" : value;
        QVERIFY(put(m_file, "{\"future\": 1, \"" + names[0] + "\": " + inner + "}"));
        SettingsStore store(m_file);
        const QStringList problems = store.load();
        QCOMPARE(problems.size(), 1);
        QVERIFY2(problems.first().contains(u'"' + key + u'"'), qPrintable(problems.first()));
        QVERIFY(problems.first().contains(u"settings.json"_s));
        QCOMPARE(store.current(), ExecutorSettings());
        QVERIFY(QFile::exists(m_file)); // only a file that is not JSON is set aside
    }

    void load_manyBadValues_namesEachAndTakesTheGoodOnes()
    {
        QVERIFY(put(m_file,
            R"({"parallel_tasks": "x", "log_level": 1, "request_limit_minutes": 30,
                "models": [{"name": "good", "values": {}}, 7, {"name": "good", "values": {}}],
                "default_model": "good"})"));
        SettingsStore store(m_file);
        const QStringList problems = store.load();
        QCOMPARE(problems.size(), 3);
        QCOMPARE(store.current().requestLimitMinutes, 30);
        QCOMPARE(store.current().parallelTasks, 2);
        QCOMPARE(store.current().models.size(), 1);
        QCOMPARE(store.current().defaultModel, u"good"_s);
    }

    void load_unusableAllowedRoots_neverMeansAnywhere_data()
    {
        QTest::addColumn<QByteArray>("value");
        QTest::newRow("relative entry only") << QByteArray(R"(["work"])");
        QTest::newRow("text instead of a list") << QByteArray(R"("/work")");
        QTest::newRow("null") << QByteArray("null");
        QTest::newRow("numbers") << QByteArray("[1, 2]");
    }

    void load_unusableAllowedRoots_neverMeansAnywhere()
    {
        QFETCH(QByteArray, value);
        QVERIFY(put(m_file, "{\"allowed_roots\": " + value + "}"));
        SettingsStore store(m_file);
        const QStringList problems = store.load();
        QCOMPARE(problems.size(), 2);
        QVERIFY(!store.current().acceptTasks);
    }

    void load_oneBadRootAmongGoodOnes_keepsTheRestriction()
    {
        const QString good = QDir::rootPath() + u"srv"_s;
        QVERIFY(put(m_file,
            QJsonDocument(QJsonObject { { u"allowed_roots"_s, QJsonArray { u"x"_s, good } } })
                .toJson()));
        SettingsStore store(m_file);
        QCOMPARE(store.load().size(), 1);
        QCOMPARE(store.current().allowedRoots, QStringList { good });
        QVERIFY(store.current().acceptTasks);
    }

    void load_unusableSecretsOrDenials_stopTakingTasks_data()
    {
        QTest::addColumn<QByteArray>("part");
        QTest::addColumn<QString>("named");
        QTest::newRow("no object") << QByteArray("[]") << u"\"sandbox\" must be an object"_s;
        QTest::newRow("secret path relative")
            << QByteArray(R"({"secret_paths": ["keys", "/srv/keys"]})")
            << u"\"sandbox.secret_paths\" every entry must be an absolute path"_s;
        QTest::newRow("secret paths a text")
            << QByteArray(R"({"secret_paths": "/srv/keys"})") << u"sandbox.secret_paths"_s;
        QTest::newRow("whole home")
            << QByteArray("{\"secret_paths\": [\"~/\"]}") << u"less than the whole disk"_s;
        QTest::newRow("whole disk")
            << QByteArray("{\"secret_paths\": [\"/\"]}") << u"less than the whole disk"_s;
        QTest::newRow("dots") << QByteArray("{\"secret_paths\": [\"/srv/../etc\"]}") << u"\"..\""_s;
        QTest::newRow("pattern in the middle")
            << QByteArray("{\"secret_paths\": [\"/srv/*/keys\"]}") << u"last name"_s;
        QTest::newRow("denied host unusable")
            << QByteArray(R"({"denied_hosts": ["a b", "bad.example"]})")
            << u"\"sandbox.denied_hosts\" every entry must be a host name"_s;
    }

    void load_unusableSecretsOrDenials_stopTakingTasks()
    {
        QFETCH(QByteArray, part);
        QFETCH(QString, named);
        QVERIFY(put(m_file, "{\"sandbox\": " + part + "}"));
        SettingsStore store(m_file);
        const QStringList problems = store.load();
        QCOMPARE(problems.size(), 2);
        QVERIFY2(problems.first().contains(named), qPrintable(problems.first()));
        QVERIFY(!store.current().acceptTasks);
        // The good entries count all the same.
        const sandbox::OwnerPolicy &policy = store.current().sandbox;
        QCOMPARE(policy.secretPaths.contains(u"/srv/keys"_s), part.contains("\"keys\""));
        QCOMPARE(policy.deniedHosts.contains(u"bad.example"_s), part.contains("bad.example"));
        // A program that only runs a command goes no further.
        const Result<sandbox::OwnerPolicy> read = settings::readOwnerPolicy(m_file);
        QVERIFY(!read);
        QVERIFY2(read.error().message.contains(named), qPrintable(read.error().message));
    }

    void readOwnerPolicy_takesItsPartAndChangesNothing()
    {
        QCOMPARE(settings::readOwnerPolicy(m_file).value(), sandbox::OwnerPolicy());
        SettingsStore store(m_file);
        store.load();
        QVERIFY(store.update(everythingChanged()));
        QCOMPARE(settings::readOwnerPolicy(m_file).value(), everythingChanged().sandbox);
        // What is wrong elsewhere is nothing to it, but a file that is not JSON is.
        QVERIFY(put(m_file, R"({"parallel_tasks": "x", "sandbox": {"processes": 99}})"));
        QCOMPARE(settings::readOwnerPolicy(m_file).value().processes, 99);
        QVERIFY(put(m_file, "{"));
        QVERIFY(!settings::readOwnerPolicy(m_file));
        QVERIFY(QFile::exists(m_file));
    }

    void update_unknownKeysOfTheSandbox_survive()
    {
        QVERIFY(put(
            m_file, R"({"sandbox": {"later": {"a": 1}, "secret_paths": ["x"], "processes": 1}})"));
        SettingsStore store(m_file);
        QCOMPARE(store.load().size(), 3);
        ExecutorSettings next = store.current();
        next.sandbox.memoryMegabytes = 512;
        QVERIFY(store.update(next));
        const QJsonObject part = onDisk(m_file).value(u"sandbox"_s).toObject();
        QCOMPARE(part.value(u"later"_s), QJsonValue(QJsonObject { { u"a"_s, 1 } }));
        QCOMPARE(part.value(u"memory_mb"_s).toInt(), 512);
        QCOMPARE(part.value(u"secret_paths"_s).toArray().size(), 1);
        QCOMPARE(part.value(u"processes"_s).toInt(-1), 0); // saved over the bad number
    }

    void load_fileThatIsNotJson_isKeptAsideAndNamed_data()
    {
        QTest::addColumn<QByteArray>("content");
        QTest::newRow("cut off") << QByteArray(R"({"parallel_tasks": )");
        QTest::newRow("an array") << QByteArray("[1]");
        QTest::newRow("empty") << QByteArray();
        QTest::newRow("binary") << QByteArray("\x00\xff\xfe\x01", 4);
        QTest::newRow("two megabytes") << QByteArray(2 * 1024 * 1024, ' ');
    }

    void load_fileThatIsNotJson_isKeptAsideAndNamed()
    {
        QFETCH(QByteArray, content);
        QVERIFY(put(m_file, content));
        SettingsStore store(m_file);
        const QStringList problems = store.load();
        QCOMPARE(problems.size(), 1);
        QCOMPARE(store.current(), ExecutorSettings());
        QVERIFY(!QFile::exists(m_file));
        const QDir folder = QFileInfo(m_file).dir();
        const QStringList kept = folder.entryList({ u"settings.json.broken-*"_s });
        QCOMPARE(kept.size(), 1);
        QVERIFY2(problems.first().contains(kept.first()), qPrintable(problems.first()));
        QFile file(folder.filePath(kept.first()));
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(file.readAll(), content);
        QVERIFY(store.update(everythingChanged())); // and the program goes on
        QVERIFY(QFile::exists(m_file));
    }

    void load_byteOrderMark_isAccepted()
    {
        QVERIFY(put(m_file, "\xef\xbb\xbf{\"parallel_tasks\": 3}"));
        SettingsStore store(m_file);
        QCOMPARE(store.load(), QStringList());
        QCOMPARE(store.current().parallelTasks, 3);
    }

    void load_newerVersion_isUsedAsFarAsKnownAndNamed()
    {
        QVERIFY(put(m_file, R"({"version": 2, "parallel_tasks": 3})"));
        SettingsStore store(m_file);
        const QStringList problems = store.load();
        QCOMPARE(problems.size(), 1);
        QVERIFY(problems.first().contains(u"\"version\" is 2"_s));
        QCOMPARE(store.current().parallelTasks, 3);
        ExecutorSettings next = store.current();
        next.parallelTasks = 4;
        QVERIFY(store.update(next));
        QCOMPARE(onDisk(m_file).value(u"version"_s).toInt(), 2);
    }

    void update_unknownKeysAndUntouchedBadLists_surviveARewrite()
    {
        QVERIFY(put(m_file,
            R"({"future": {"a": [1, null]}, "models": [{"bad": true}], "log_level": "loud"})"));
        SettingsStore store(m_file);
        QCOMPARE(store.load().size(), 2);
        ExecutorSettings next = store.current();
        next.parallelTasks = 4;
        QVERIFY(store.update(next));
        const QJsonObject file = onDisk(m_file);
        QCOMPARE(file.value(u"future"_s),
            QJsonValue(QJsonObject { { u"a"_s, QJsonArray { 1, QJsonValue::Null } } }));
        QCOMPARE(file.value(u"models"_s).toArray().size(), 1);
        QCOMPARE(file.value(u"parallel_tasks"_s).toInt(), 4);
        QCOMPARE(file.value(u"log_level"_s).toString(), u"info"_s); // saved over the bad word
    }

    void update_badSettings_areRefusedAndNothingChanges_data()
    {
        QTest::addColumn<ExecutorSettings>("wish");
        QTest::addColumn<QString>("key");
        ExecutorSettings wish;
        wish.parallelTasks = 17;
        QTest::newRow("too many tasks") << wish << u"parallel_tasks"_s;
        wish = {};
        wish.defaultProfile = u":danger-full-access"_s;
        QTest::newRow("default above the ceiling") << wish << u"default_profile"_s;
        wish = {};
        wish.defaultModel = u"x"_s;
        QTest::newRow("unknown default model") << wish << u"default_model"_s;
        wish = {};
        wish.requestLimitMinutes = 1441;
        QTest::newRow("limit too long") << wish << u"request_limit_minutes"_s;
        wish = {};
        wish.models = { OwnModel { u"a"_s, {}, {} }, OwnModel { u"a"_s, {}, {} } };
        QTest::newRow("a model twice") << wish << u"models"_s;
        wish = {};
        wish.models = { OwnModel { u"a"_s, { { u"api_key"_s, u"sk"_s } }, {} } };
        QTest::newRow("a key in the file") << wish << u"models"_s;
        wish = {};
        wish.allowedRoots = { u"relative"_s };
        QTest::newRow("relative root") << wish << u"allowed_roots"_s;
        wish = {};
        wish.codexPath = u"bin/codex"_s;
        QTest::newRow("relative codex") << wish << u"codex_path"_s;
        wish = {};
        wish.sandbox.secretPaths = { u"keys"_s };
        QTest::newRow("relative secret path") << wish << u"sandbox.secret_paths"_s;
        wish = {};
        wish.sandbox.deniedHosts = { u"*.*"_s };
        QTest::newRow("denied host of stars") << wish << u"sandbox.denied_hosts"_s;
        wish = {};
        wish.sandbox.timeSeconds = 4000;
        QTest::newRow("run too long") << wish << u"sandbox.time_seconds"_s;
        wish = {};
        wish.logLevel = u"all"_s;
        QTest::newRow("unknown log level") << wish << u"log_level"_s;
    }

    void update_badSettings_areRefusedAndNothingChanges()
    {
        QFETCH(ExecutorSettings, wish);
        QFETCH(QString, key);
        SettingsStore store(m_file);
        store.load();
        const QSignalSpy changed(&store, &SettingsStore::changed);
        const Result<> updated = store.update(wish);
        QVERIFY(!updated);
        QCOMPARE(updated.error().kind, ErrorKind::Usage);
        QVERIFY2(updated.error().message.contains(key), qPrintable(updated.error().message));
        QCOMPARE(store.current(), ExecutorSettings());
        QCOMPARE(changed.count(), 0);
        QVERIFY(!QFile::exists(m_file));
    }

    void update_sameSettings_writesNothing()
    {
        SettingsStore store(m_file);
        store.load();
        QVERIFY(store.update(ExecutorSettings()).has_value());
        const bool first = QFile::exists(m_file);
        QVERIFY(first); // the version of the schema
        QVERIFY(QFile::remove(m_file));
        QVERIFY(store.update(ExecutorSettings()).has_value());
        QVERIFY(!QFile::exists(m_file));
    }

    void update_folderThatCannotBeWritten_saysSoAndKeepsTheChange()
    {
        // A file where the folder should be fails for every user, the superuser included.
        const QString blocked = m_folder->filePath(u"blocked"_s);
        QVERIFY(put(blocked, "x"));
        SettingsStore store(blocked + u"/settings.json"_s);
        store.load();
        ExecutorSettings next;
        next.parallelTasks = 5;
        const Result<> updated = store.update(next);
        QVERIFY(!updated);
        QCOMPARE(updated.error().kind, ErrorKind::Io);
        QVERIFY(!updated.error().hint.isEmpty());
        QCOMPARE(store.current().parallelTasks, 5);
    }

    void load_again_announcesOnlyADifference()
    {
        SettingsStore store(m_file);
        store.load();
        const QSignalSpy changed(&store, &SettingsStore::changed);
        store.load();
        QCOMPARE(changed.count(), 0);
        QVERIFY(put(m_file, R"({"accept_tasks": false})"));
        store.load();
        QCOMPARE(changed.count(), 1);
        QVERIFY(!store.current().acceptTasks);
        QVERIFY(QFile::remove(m_file));
        store.load();
        QVERIFY(store.current().acceptTasks);
    }
};

QTEST_GUILESS_MAIN(TestExecutorSettings)

#include "tst_executorsettings.moc"
