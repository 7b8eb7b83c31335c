// SPDX-License-Identifier: Apache-2.0
#include "executor/settings/deviceidentity.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

using namespace Qt::StringLiterals;
using namespace deskhand;
using namespace deskhand::settings;

namespace {
constexpr const char *kVariables[]
    = { "WEGENT_BACKEND_URL", "WEGENT_SOCKET_URL", "WEGENT_AUTH_TOKEN", "DEVICE_ID", "DEVICE_NAME",
          "DEVICE_TYPE", "BIND_SHELL", "WEGENT_RUNTIME_INSTANCE_ID", "LOCAL_HEARTBEAT_INTERVAL",
          "LOCAL_HEARTBEAT_CALL_TIMEOUT", "LOCAL_RECONNECT_DELAY", "LOCAL_RECONNECT_MAX_DELAY" };

/// JSON with its quotes written as apostrophes.
QByteArray quoted(const char *text)
{
    return QByteArray(text).replace('\'', '"');
}
} // namespace

class DeviceIdentityTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        for (const char *name : kVariables) {
            qunsetenv(name);
        }
        m_dir = std::make_unique<QTemporaryDir>();
        QVERIFY(m_dir->isValid());
        m_file = m_dir->filePath(u"device-config.json"_s);
    }
    void cleanup()
    {
        QFile::setPermissions(
            m_dir->path(), QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    }

    void missingFile_isGenerated_once()
    {
        const auto first = load();
        QVERIFY(first.problems.isEmpty());
        static const QRegularExpression id(u"^device-[0-9a-f]{24}$"_s);
        static const QRegularExpression instance(u"^runtime-[0-9a-f]{24}$"_s);
        QVERIFY(id.match(first.deviceId).hasMatch());
        QVERIFY(instance.match(first.runtimeInstanceId).hasMatch());
        QCOMPARE(first.deviceName.right(12), first.deviceId.right(12));
        QCOMPARE(first.deviceType, u"local"_s);
        QCOMPARE(first.bindShell, u"claudecode"_s);
        QCOMPARE(load(), first);
        QCOMPARE(QFile::permissions(m_file)
                & (QFile::ReadGroup | QFile::WriteGroup | QFile::ReadOther | QFile::WriteOther),
            QFile::Permissions());
        QVERIFY(bytes().endsWith("}\n"));
    }

    void blankAndOddTypes_areTheUsualOnes()
    {
        for (const char *blank : { "", "   ", "\t" }) {
            qputenv("DEVICE_TYPE", blank);
            qputenv("BIND_SHELL", blank);
            const auto config = load();
            QCOMPARE(config.deviceType, u"local"_s);
            QCOMPARE(config.bindShell, u"claudecode"_s);
            QVERIFY(config.problems.isEmpty());
        }
        qputenv("DEVICE_TYPE", " Remote ");
        QCOMPARE(load().deviceType, u"remote"_s);
        qputenv("DEVICE_TYPE", "toaster");
        const auto odd = load();
        QCOMPARE(odd.deviceType, u"local"_s);
        QCOMPARE(odd.problems.size(), 1);
        QVERIFY(odd.problems.first().contains(u"toaster"_s));
    }

    void generatedIdentity_isAllThatIsSaved()
    {
        qputenv("WEGENT_AUTH_TOKEN", "wg-secret-token");
        qputenv("WEGENT_BACKEND_URL", "https://example.invalid");
        qputenv("DEVICE_NAME", "From the environment");
        const auto config = load();
        QCOMPARE(config.authToken, u"wg-secret-token"_s);
        QVERIFY(config.tokenFromEnvironment);
        QCOMPARE(config.deviceName, u"From the environment"_s);
        QCOMPARE(object().keys(), QStringList({ u"device_id"_s, u"runtime_instance_id"_s }));
    }

    void unknownKeys_survive()
    {
        write(quoted(
            "{'device_id':'d1','zebra':{'deep':[1,9007199254740993]},'logging':{'level':'x'}}"));
        const auto config = load();
        QCOMPARE(config.deviceId, u"d1"_s);
        QCOMPARE(object().value(u"zebra"_s),
            (QJsonObject { { u"deep"_s, QJsonArray { 1, Q_INT64_C(9007199254740993) } } }));
        QCOMPARE(object().value(u"logging"_s).toObject().value(u"level"_s), u"x"_s);
        QCOMPARE(object().value(u"runtime_instance_id"_s).toString(), config.runtimeInstanceId);
    }

    void completeFile_isNotRewritten()
    {
        const QByteArray text
            = quoted("{ 'device_id':'d', 'runtime_instance_id':'r', 'device_name':'n' }");
        write(text);
        QCOMPARE(load().deviceName, u"n"_s);
        QCOMPARE(bytes(), text);
    }

    void environment_winsOverTheFile_blankDoesNot()
    {
        write(quoted(
            "{'device_id':'file','runtime_instance_id':'r','device_name':'n','bind_shell':'"
            "OpenClaw','connection':{'backend_url':' http://file ','auth_token':'Bearer  abc '}}"));
        qputenv("DEVICE_ID", "  env-id ");
        qputenv("WEGENT_BACKEND_URL", "   ");
        const auto config = load();
        QCOMPARE(config.deviceId, u"env-id"_s);
        QCOMPARE(config.runtimeInstanceId, u"r"_s);
        QCOMPARE(config.backendUrl, u"http://file"_s);
        QCOMPARE(config.authToken, u"abc"_s);
        QVERIFY(!config.tokenFromEnvironment);
        QCOMPARE(config.bindShell, u"openclaw"_s);
        QCOMPARE(object().value(u"device_id"_s).toString(), u"file"_s);
    }

    void nonAsciiIds_areCutByCharacters()
    {
        const QString id = u"设备🙂🙂🙂🙂🙂🙂🙂🙂🙂🙂🙂🙂末"_s;
        qputenv("DEVICE_ID", id.toUtf8());
        const auto config = load();
        QVERIFY(config.deviceName.endsWith(
            u"-Device-🙂🙂🙂🙂🙂🙂🙂🙂🙂🙂🙂末"_s));
        qputenv("DEVICE_NAME", QString(QString(u"🙂"_s).repeated(130)).toUtf8());
        const auto longName = load();
        QCOMPARE(longName.deviceName, u"🙂"_s.repeated(100));
        qputenv("DEVICE_NAME", "a\x1b[2J\tb");
        const settings::DeviceConfig plain = load();
        qunsetenv("DEVICE_NAME");
        QCOMPARE(plain.deviceName, u"a[2Jb"_s);
        QVERIFY(plain.problems.join(u' ').contains(u"device_name has control characters"_s));
        QCOMPARE(longName.problems.size(), 1);
    }

    void brokenFile_isKeptAside_data()
    {
        QTest::addColumn<QByteArray>("content");
        QTest::newRow("half a file") << QByteArray("{\"device_id\": \"d");
        QTest::newRow("an array") << QByteArray("[]");
        QTest::newRow("empty") << QByteArray("");
        QTest::newRow("binary") << QByteArray("\x00\xff\xfe", 3);
        QTest::newRow("far too large") << QByteArray(2 * 1024 * 1024, ' ');
    }
    void brokenFile_isKeptAside()
    {
        QFETCH(QByteArray, content);
        write(content);
        const auto config = load();
        QVERIFY(!config.deviceId.isEmpty());
        QCOMPARE(config.problems.size(), 1);
        const QStringList aside
            = QDir(m_dir->path()).entryList({ u"device-config.json.broken-*"_s });
        QCOMPARE(aside.size(), 1);
        QVERIFY(config.problems.first().contains(aside.first()));
        QFile kept(m_dir->filePath(aside.first()));
        QVERIFY(kept.open(QIODevice::ReadOnly));
        QCOMPARE(kept.readAll(), content);
        const auto again = load();
        QCOMPARE(again.deviceId, config.deviceId);
        QVERIFY(again.problems.isEmpty());
    }

    void wrongTypesAndWords_areNamed()
    {
        write(quoted("{'device_id':7,'device_type':'toaster','bind_shell':'zsh','connection':[]}"));
        const auto config = load();
        QVERIFY(config.deviceId.startsWith(u"device-"_s));
        QCOMPARE(config.deviceType, u"local"_s);
        const QString all = config.problems.join(u'\n');
        QVERIFY(all.contains(u"\"device_id\" must be a string"_s));
        QVERIFY(all.contains(u"\"toaster\""_s));
        QVERIFY(all.contains(u"\"zsh\""_s));
        QVERIFY(all.contains(u"\"connection\" must be an object"_s));
    }

    void unwritableFolder_lastsForThisRun()
    {
        if (qEnvironmentVariable("USER") == u"root"_s || QFileInfo(u"/proc/1/mem"_s).isReadable()) {
            m_file = u"/proc/deskhand/device-config.json"_s; // nobody can write there
        } else {
            QFile::setPermissions(m_dir->path(), QFile::ReadOwner | QFile::ExeOwner);
        }
        const auto config = load();
        QVERIFY(!config.deviceId.isEmpty());
        QCOMPARE(config.problems.size(), 1);
        QVERIFY(config.problems.first().contains(u"could not be saved"_s));
    }

    void times_takePositiveWholeSeconds()
    {
        qputenv("LOCAL_HEARTBEAT_INTERVAL", " 5 ");
        qputenv("LOCAL_HEARTBEAT_CALL_TIMEOUT", "0");
        qputenv("LOCAL_RECONNECT_DELAY", "1.5");
        qputenv("LOCAL_RECONNECT_MAX_DELAY", "-3");
        const auto config = load();
        LinkTimes expected;
        expected.heartbeatInterval = std::chrono::seconds(5);
        QCOMPARE(config.times, expected);
        QCOMPARE(config.problems.size(), 3);
        qputenv("LOCAL_RECONNECT_DELAY", "90");
        qputenv("LOCAL_RECONNECT_MAX_DELAY", "10");
        QCOMPARE(load().times.reconnectMaxDelay, std::chrono::milliseconds(90000));
    }

    void update_changesSingleKeys()
    {
        write(quoted("{'a':1,'connection':{'auth_token':'old','x':true}}"));
        QVERIFY(updateDeviceConfig(
            m_file, { { u"connection.auth_token"_s, u"new"_s }, { u"device_name"_s, u"名"_s } }));
        QCOMPARE(object(),
            (QJsonObject { { u"a"_s, 1 }, { u"device_name"_s, u"名"_s },
                { u"connection"_s,
                    QJsonObject { { u"auth_token"_s, u"new"_s }, { u"x"_s, true } } } }));
        QVERIFY(updateDeviceConfig(m_file, { { u"connection.auth_token"_s, QJsonValue::Null } }));
        QVERIFY(!object().value(u"connection"_s).toObject().contains(u"auth_token"_s));
        const auto refused = updateDeviceConfig(m_file, { { u"a..b"_s, 1 } });
        QCOMPARE(refused.error().kind, ErrorKind::Usage);
    }

    void cleanToken_stripsBearer_data()
    {
        QTest::addColumn<QString>("raw");
        QTest::addColumn<QString>("clean");
        QTest::newRow("plain") << u" wg-1 "_s << u"wg-1"_s;
        QTest::newRow("bearer in any case") << u"BeArEr \t wg-1"_s << u"wg-1"_s;
        QTest::newRow("another word stays") << u"Token xyz"_s << u"Token xyz"_s;
        QTest::newRow("the word alone") << u"bearer"_s << u"bearer"_s;
        QTest::newRow("no space behind") << u"bearerabc"_s << u"bearerabc"_s;
    }
    void cleanToken_stripsBearer()
    {
        QFETCH(QString, raw);
        QTEST(cleanToken(raw), "clean");
    }

private:
    DeviceConfig load() const
    {
        const auto config = loadDeviceConfig(m_file);
        if (!config) {
            QTest::qFail("the configuration did not load", __FILE__, __LINE__);
            return {};
        }
        return *config;
    }
    void write(const QByteArray &content) const
    {
        QFile file(m_file);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(content);
    }
    QByteArray bytes() const
    {
        QFile file(m_file);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    QJsonObject object() const { return QJsonDocument::fromJson(bytes()).object(); }

    std::unique_ptr<QTemporaryDir> m_dir;
    QString m_file;
};

QTEST_GUILESS_MAIN(DeviceIdentityTest)
#include "tst_deviceidentity.moc"
