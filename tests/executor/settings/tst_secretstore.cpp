// SPDX-License-Identifier: Apache-2.0
#include "executor/settings/secretshelf.h"
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

/// Answers when the test says so.
class SlowStore final : public SecretStore
{
    Q_OBJECT
public:
    explicit SlowStore(QStringList *gone)
        : m_gone(gone)
    { }
    ~SlowStore() override { m_gone->append(u"slow"_s); }
    void read(
        const QString &name, const std::function<void(const Result<QString> &)> &done) override
    {
        waiting.append([done, value = values.value(name)] { done(value); });
    }
    void write(const QString &name, const QString &value,
        const std::function<void(const Result<> &)> &done) override
    {
        waiting.append([this, done, name, value] {
            if (refuses) {
                done(failure(ErrorKind::Unavailable, u"locked"_s));
                return;
            }
            values.insert(name, value);
            done({});
        });
    }
    void remove(const QString &name, const std::function<void(const Result<> &)> &done) override
    {
        write(name, {}, done);
    }
    [[nodiscard]] SecretsState state() const override { return SecretsState::Locked; }
    [[nodiscard]] QString place() const override { return u"slow"_s; }
    void answerAll()
    {
        const auto now = std::exchange(waiting, {});
        for (const auto &one : now) {
            one();
        }
    }

    QList<std::function<void()>> waiting;
    QHash<QString, QString> values;
    bool refuses = false;

private:
    QStringList *m_gone;
};

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

    void replacedStore_staysUntilItsLastAnswer()
    {
        QStringList gone;
        auto made = std::make_unique<SlowStore>(&gone);
        SlowStore *slow = made.get();
        slow->values.insert(u"other"_s, u"old"_s);
        settings::SecretShelf shelf(std::move(made));
        QStringList told;
        shelf.read(u"other"_s, [&](const Result<QString> &value) { told.append(*value); });
        shelf.write(u"new"_s, u"x"_s, [&](const Result<> &) { told.append(u"written"_s); });
        std::optional<Result<>> moved;
        shelf.moveTo(settings::makeSessionStore(), {}, { { u"token"_s, u"t-1"_s } },
            [&](const Result<> &outcome) { moved = outcome; });
        QTRY_VERIFY(moved.has_value() && *moved);
        QCOMPARE(shelf.state(), SecretsState::SessionOnly);
        QCOMPARE(secretIn(shelf, u"token"_s), u"t-1"_s);
        QVERIFY(told.isEmpty() && gone.isEmpty());
        slow->answerAll();
        QCOMPARE(told, (QStringList { u"old"_s, u"written"_s }));
        QTRY_COMPARE(gone.size(), 1);
    }

    void move_takesSecretsAlong_andFailsWithoutAChange()
    {
        QStringList gone;
        settings::SecretShelf shelf(settings::makeSessionStore());
        QVERIFY(writeSecret(shelf, u"token"_s, u"t"_s));
        QVERIFY(writeSecret(shelf, u"model-1"_s, u"k"_s));
        QSignalSpy states(&shelf, &SecretStore::stateChanged);
        auto made = std::make_unique<SlowStore>(&gone);
        SlowStore *slow = made.get();
        slow->refuses = true;
        const QStringList names { u"token"_s, u"model-1"_s, u"absent"_s };
        std::optional<Result<>> moved;
        int calls = 0;
        const auto done = [&](const Result<> &outcome) {
            ++calls;
            moved = outcome;
        };
        shelf.moveTo(std::move(made), names, {}, done);
        QTRY_COMPARE(slow->waiting.size(), 2);
        std::optional<Result<>> second;
        shelf.moveTo(settings::makeSessionStore(), names, {},
            [&](const Result<> &outcome) { second = outcome; });
        QVERIFY(second && !*second && second->error().kind == ErrorKind::Conflict);
        slow->answerAll();
        QVERIFY(moved && !*moved);
        QCOMPARE(calls, 1);
        QCOMPARE(secretIn(shelf, u"token"_s), u"t"_s);
        QTRY_COMPARE(gone.size(), 1);
        QCOMPARE(states.size(), 0);

        made = std::make_unique<SlowStore>(&gone);
        slow = made.get();
        shelf.moveTo(std::move(made), names, {}, done);
        QTRY_COMPARE(slow->waiting.size(), 2);
        slow->answerAll();
        QVERIFY(moved && *moved);
        QCOMPARE(slow->values.value(u"model-1"_s), u"k"_s);
        QVERIFY(!slow->values.contains(u"absent"_s));
        QCOMPARE(shelf.state(), SecretsState::Locked);
        QCOMPARE(states.size(), 1);
    }
};

QTEST_GUILESS_MAIN(TestSecretStore)

#include "tst_secretstore.moc"
