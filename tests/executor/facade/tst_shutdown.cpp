// SPDX-License-Identifier: Apache-2.0
#include "executor/control/homelock.h"
#include "executor/executor.h"

#include <QSemaphore>
#include <QTemporaryDir>
#include <QTest>

using namespace Qt::StringLiterals;
using namespace deskhand;

/// The end of the facade when the executor thread does not come back.
class TestShutdown : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void hangingCall_doesNotCrashTheEndAndKeepsTheHome()
    {
        QTemporaryDir folder;
        QSemaphore entered;
        QSemaphore release;
        ExecutorOptions options;
        options.home.root = folder.filePath(u"home"_s);
        options.connectToBackend = false;
        options.threadEndLimit = std::chrono::milliseconds(100);
        options.makeSecretStore = [&] {
            entered.release();
            release.acquire(); // a key store whose bus does not answer
            return settings::makeSessionStore();
        };
        {
            Executor executor(options);
            QVERIFY(executor.start());
            QVERIFY(entered.tryAcquire(1, 30'000));
        }
        // What hangs may still write there.
        QVERIFY(!control::HomeLock::acquire(options.home, u"test"_s));
        release.release();
        QTRY_VERIFY_WITH_TIMEOUT(
            control::HomeLock::acquire(options.home, u"test"_s).has_value(), 30'000);
    }

    void quietEnd_isWithoutAnEventLoop()
    {
        QTemporaryDir folder;
        ExecutorOptions options;
        options.home.root = folder.filePath(u"home"_s);
        options.connectToBackend = false;
        {
            Executor executor(options);
            QVERIFY(executor.start());
            executor.stopNow();
        }
        QVERIFY(control::HomeLock::acquire(options.home, u"test"_s));
    }
};

QTEST_GUILESS_MAIN(TestShutdown)
#include "tst_shutdown.moc"
