// SPDX-License-Identifier: Apache-2.0
#include "executor/settings/secretstore.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace deskhand;
using namespace Qt::StringLiterals;
using settings::SecretsState;
using settings::SecretStore;

namespace {

/// Waits for the one answer of a call; nothing when none came.
template <typename Outcome, typename Call> std::optional<Outcome> answerOf(const Call &call)
{
    std::optional<Outcome> answer;
    call([&answer](const Outcome &outcome) { answer = outcome; });
    if (answer) {
        return std::nullopt; // called back from inside the call
    }
    (void)QTest::qWaitFor([&answer] { return answer.has_value(); }, 5000);
    return answer;
}

Result<QString> readSecret(SecretStore &store, const QString &name)
{
    return answerOf<Result<QString>>([&](const auto &done) {
        store.read(name, done);
    }).value_or(failure(ErrorKind::Internal, u"no answer"_s));
}

QString secretIn(SecretStore &store, const QString &name)
{
    const Result<QString> read = readSecret(store, name);
    return read ? *read : u"error: "_s + read.error().message;
}

Result<> writeSecret(SecretStore &store, const QString &name, const QString &value)
{
    return answerOf<Result<>>([&](const auto &done) {
        store.write(name, value, done);
    }).value_or(failure(ErrorKind::Internal, u"no answer"_s));
}

Result<> removeSecret(SecretStore &store, const QString &name)
{
    return answerOf<Result<>>([&](const auto &done) {
        store.remove(name, done);
    }).value_or(failure(ErrorKind::Internal, u"no answer"_s));
}

} // namespace

class TestSecretStore : public QObject
{
    Q_OBJECT

    static void storeAndForget(SecretStore &store)
    {
        QCOMPARE(secretIn(store, u"token"_s), QString());
        QVERIFY(writeSecret(store, u"token"_s, u"秘密 \"quoted\" 🔑"_s));
        QVERIFY(writeSecret(store, u"other"_s, u"b"_s));
        QCOMPARE(secretIn(store, u"token"_s), u"秘密 \"quoted\" 🔑"_s);
        QVERIFY(writeSecret(store, u"token"_s, u"second"_s));
        QCOMPARE(secretIn(store, u"token"_s), u"second"_s);
        QVERIFY(removeSecret(store, u"token"_s));
        QVERIFY(removeSecret(store, u"token"_s)); // not there: nothing to do
        QCOMPARE(secretIn(store, u"token"_s), QString());
        QCOMPARE(secretIn(store, u"other"_s), u"b"_s);
        QCOMPARE(readSecret(store, {}).error().kind, ErrorKind::Usage);
        QCOMPARE(writeSecret(store, u"big"_s, QString(65537, u'x')).error().kind, ErrorKind::Usage);
    }

private Q_SLOTS:
    void session_writeReadRemove_works()
    {
        const auto store = settings::makeSessionStore();
        storeAndForget(*store);
        QCOMPARE(store->state(), SecretsState::SessionOnly);
        QCOMPARE(secretIn(*settings::makeSessionStore(), u"other"_s), QString());
    }

    void file_writeReadRemove_worksAndLasts()
    {
        const QTemporaryDir folder;
        const QString path = folder.filePath(u"数据 dir/secrets.json"_s);
        {
            const auto store = settings::makeFileStore(path);
            storeAndForget(*store);
            QCOMPARE(store->state(), SecretsState::Ready);
        }
        const auto again = settings::makeFileStore(path);
        QCOMPARE(secretIn(*again, u"other"_s), u"b"_s);
    }

    void file_permissions_areTheOwnersOnlyAndRepaired()
    {
#ifndef Q_OS_UNIX
        QSKIP("permissions of another kind here");
#endif
        const QTemporaryDir folder;
        const QString path = folder.filePath(u"secrets.json"_s);
        const auto store = settings::makeFileStore(path);
        QVERIFY(writeSecret(*store, u"a"_s, u"b"_s));
        QCOMPARE(QFile::permissions(path) & 0x0077, QFile::Permissions());
        QVERIFY(QFile::setPermissions(
            path, QFile::ReadOwner | QFile::WriteOwner | QFile::ReadGroup | QFile::ReadOther));
        QCOMPARE(secretIn(*store, u"a"_s), u"b"_s);
        QCOMPARE(QFile::permissions(path) & 0x0077, QFile::Permissions());
    }

    void file_broken_isKeptAsideNamedAndReplaced()
    {
        const QTemporaryDir folder;
        const QString path = folder.filePath(u"secrets.json"_s);
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("{ not json");
        file.close();
        const auto store = settings::makeFileStore(path);
        const QSignalSpy changed(store.get(), &SecretStore::stateChanged);
        const Result<QString> read = readSecret(*store, u"a"_s);
        QVERIFY(!read);
        const QStringList kept = QDir(folder.path()).entryList({ u"secrets.json.broken-*"_s });
        QCOMPARE(kept.size(), 1);
        QVERIFY2(read.error().message.contains(kept.first()), qPrintable(read.error().message));
        QCOMPARE(store->state(), SecretsState::Locked);
        QVERIFY(writeSecret(*store, u"a"_s, u"b"_s));
        QCOMPARE(secretIn(*store, u"a"_s), u"b"_s);
        QCOMPARE(store->state(), SecretsState::Ready);
        QCOMPARE(changed.count(), 2);
    }

    void file_folderThatCannotBeMade_isAnIoError()
    {
        const QTemporaryDir folder;
        QFile blocker(folder.filePath(u"blocker"_s));
        QVERIFY(blocker.open(QIODevice::WriteOnly));
        const auto store = settings::makeFileStore(folder.filePath(u"blocker/secrets.json"_s));
        const Result<> written = writeSecret(*store, u"a"_s, u"b"_s);
        QVERIFY(!written);
        QCOMPARE(written.error().kind, ErrorKind::Io);
    }

    void destroyedStore_neverCallsBack()
    {
        int calls = 0;
        {
            const auto store = settings::makeSessionStore();
            store->read(u"a"_s, [&calls](const Result<QString> &) { ++calls; });
        }
        QCoreApplication::processEvents();
        QCOMPARE(calls, 0);
    }

    void stateNames_areTheWordsOfStatus()
    {
        QCOMPARE(settings::secretsStateName(SecretsState::Ready), u"ready"_s);
        QCOMPARE(settings::secretsStateName(SecretsState::Locked), u"locked"_s);
        QCOMPARE(settings::secretsStateName(SecretsState::Missing), u"missing"_s);
        QCOMPARE(settings::secretsStateName(SecretsState::SessionOnly), u"session_only"_s);
    }
};

QTEST_GUILESS_MAIN(TestSecretStore)

#include "tst_secretstore.moc"
