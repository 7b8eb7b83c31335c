// SPDX-License-Identifier: Apache-2.0
#include "executor/common/atomicfile.h"
#include "executor/logging/log.h"
#include "executor/logging/masking.h"

#include <QTemporaryDir>
#include <QTest>

#include <mutex>
#include <thread>

using namespace deskhand;
using namespace Qt::StringLiterals;

class TstLogging : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void masking_hides_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("secret");
        QTest::newRow("a bearer token")
            << u"Authorization: Bearer abcDEF123456789"_s << u"abcDEF123456789"_s;
        QTest::newRow("lower-case bearer") << u"bearer tok-123456789 end"_s << u"tok-123456789"_s;
        QTest::newRow("a provider key by prefix")
            << u"key sk-proj-AbCdEf0123456789 used"_s << u"AbCdEf0123456789"_s;
        QTest::newRow("an api key of the workspace")
            << u"wg-0123456789abcdef0123456789abcdef"_s << u"0123456789abcdef0123456789abcdef"_s;
        QTest::newRow("a JSON field") << u"{\"api_key\": \"zzzzyyyyxxxx\"}"_s << u"zzzzyyyyxxxx"_s;
        QTest::newRow("a password in a URL")
            << u"proxy http://user:p4ss@host:1/ used"_s << u"p4ss"_s;
        QTest::newRow("an api key header")
            << u"x-api-key: 1234567890abcdef"_s << u"1234567890abcdef"_s;
    }

    void masking_hides()
    {
        QFETCH(QString, text);
        QFETCH(QString, secret);
        const QString masked = logging::maskSecrets(text);
        QVERIFY2(!masked.contains(secret), qPrintable(masked));
        QVERIFY(masked.contains(u"***"_s));
        QCOMPARE(logging::maskSecrets(masked), masked);
    }

    void masking_leavesOrdinaryTextAlone()
    {
        for (const QString &text : { u"task-123 asks for disk-space"_s, u"https://host/path?x=1"_s,
                 u"the bearer of news"_s, u"中文 text 😀"_s }) {
            QCOMPARE(logging::maskSecrets(text), text);
        }
    }

    void masking_hidesRememberedValues()
    {
        logging::addSecret(u"correct horse"_s);
        logging::addSecret(u"correct horse battery"_s);
        QCOMPARE(logging::maskSecrets(u"say correct horse battery!"_s), u"say ***!"_s);
        logging::addSecret(u"abc"_s);
        QCOMPARE(logging::maskSecrets(u"abc"_s), u"abc"_s);
    }

    void file_hasMaskedLinesOfEveryThread()
    {
        QTemporaryDir folder;
        const QString path = folder.filePath(u"日志/executor.log"_s);
        const auto early = logging::logger("early");
        QVERIFY(logging::start({ .file = path, .level = u"info"_s }));
        std::mutex mutex; // guards lines
        QList<logging::LogLine> lines;
        logging::setListener([&](const logging::LogLine &line) {
            const std::lock_guard lock(mutex);
            lines.append(line);
        });
        early->info("early logger, token {}", u"sk-abcdefghijklmnop"_s);
        std::vector<std::thread> threads;
        for (int t = 0; t < 4; ++t) {
            threads.emplace_back([t] {
                for (int i = 0; i < 100; ++i) {
                    logging::logger("worker")->info("line {} of {}", i, t);
                }
            });
        }
        for (std::thread &thread : threads) {
            thread.join();
        }
        early->debug("not written");
        qWarning("from Qt");
        logging::stop();
        const QString text = QString::fromUtf8(readFileLimited(path, 1 << 20).value());
        QCOMPARE(text.count(u" worker: line "_s), 400);
        QVERIFY(text.contains(u"I early: early logger, token ***"_s));
        QVERIFY(text.contains(u"W qt: from Qt"_s));
        QVERIFY(!text.contains(u"abcdefghijklmnop"_s));
        QVERIFY(!text.contains(u"not written"_s));
        QCOMPARE(lines.size(), 402);
        QCOMPARE(lines.first().source, u"early"_s);
    }

    void file_thatCannotBeOpened_isAnErrorAndLoggingGoesOn()
    {
        QTemporaryDir folder;
        QVERIFY(writeFileAtomically(folder.filePath(u"f"_s), "x"));
        const Result<> started = logging::start({ .file = folder.filePath(u"f/log"_s) });
        QVERIFY(!started);
        QCOMPARE(started.error().kind, ErrorKind::Io);
        logging::logger("x")->info("still fine");
        logging::stop();
    }
};

QTEST_GUILESS_MAIN(TstLogging)
#include "tst_logging.moc"
