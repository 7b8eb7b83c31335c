// SPDX-License-Identifier: Apache-2.0
#include "tests/support/wholetask/world.h"

#include <QDirIterator>
#include <QFile>
#include <QJsonDocument>
#include <QTest>

using namespace Qt::StringLiterals;

namespace {

QByteArray content(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// A model that calls the tool of the test and answers everything else with "done".
QJsonObject script(const QJsonObject &testAnswer)
{
    return { { u"routes"_s,
        QJsonArray { QJsonObject {
            { u"contains"_s, u"report_ready"_s }, { u"steps"_s, QJsonArray { testAnswer } } } } } };
}

QJsonObject toolCall()
{
    return { { u"calls"_s,
        QJsonArray { QJsonObject { { u"name"_s, u"report_ready"_s },
            { u"arguments"_s, QJsonObject { { u"ready"_s, true } } } } } } };
}

QStringList addWords(const World &world, const QString &name)
{
    return { u"models"_s, u"add"_s, name, u"--base-url"_s,
        u"http://127.0.0.1:%1/v1/"_s.arg(world.model.port()), u"--protocol"_s, u"responses"_s,
        u"--model-id"_s, u"m-2"_s, u"--context-window"_s, u"64000"_s, u"--key-file"_s, u"-"_s };
}

} // namespace

/// The owner's models from the command line, with and without a program that runs.
class TestOwnModels : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void model_isAddedListedTestedUsedCountedAndForgotten_data()
    {
        QTest::addColumn<bool>("running");
        QTest::newRow("no program runs") << false;
        QTest::newRow("a program runs") << true;
    }

    void model_isAddedListedTestedUsedCountedAndForgotten()
    {
        QFETCH(bool, running);
        World world;
        QVERIFY2(world.start(script(toolCall())), qPrintable(world.error()));
        if (running) {
            QVERIFY2(world.startExecutor(), qPrintable(world.executorLog()));
        }
        QString said;
        const auto run
            = [&world, &said](const QStringList &words, int status, const QByteArray &input = {}) {
                  const World::Outcome outcome = world.command(words, input);
                  said += outcome.out + outcome.err;
                  if (outcome.status != status) {
                      qWarning("%s: %d\n%s%s", qPrintable(words.join(u' ')), outcome.status,
                          qPrintable(outcome.out), qPrintable(outcome.err));
                  }
                  return outcome;
              };
        const auto listed = [&run] {
            return run({ u"models"_s, u"list"_s, u"--json"_s }, 0).array();
        };
        QVERIFY(listed().isEmpty());
        const QByteArray key = World::kKey.toUtf8() + "\n";
        QCOMPARE(run(addWords(world, u"second"_s), 0, key).status, 0);
        QCOMPARE(run(addWords(world, u"second"_s), 1, key).status, 1); // the name is taken
        const QJsonObject model = listed().at(0).toObject();
        QCOMPARE(model.value(u"name"_s).toString(), u"second"_s);
        QCOMPARE(model.value(u"provider"_s).toString(), u"127.0.0.1"_s);
        QCOMPARE(model.value(u"protocol"_s).toString(), u"openai-responses"_s);
        QCOMPARE(model.value(u"model_id"_s).toString(), u"m-2"_s);
        QCOMPARE(model.value(u"key"_s).toString(), u"stored"_s);
        QCOMPARE(model.value(u"default"_s).toBool(true), false);
        const QString settings = world.home() + u"/settings.json"_s;
        const QString secrets = world.home() + u"/secrets.json"_s;
        QVERIFY(content(settings).contains("m-2"));
        QVERIFY(!content(settings).contains(World::kKey.toUtf8()));
        QVERIFY(content(secrets).contains(World::kKey.toUtf8()));

        const World::Outcome tested = run({ u"models"_s, u"test"_s, u"second"_s, u"--json"_s }, 0);
        QCOMPARE(tested.status, 0);
        QCOMPARE(tested.object().value(u"ok"_s).toBool(), true);
        QCOMPARE(tested.object().value(u"called_tool"_s).toBool(), true);
        QCOMPARE(tested.object().value(u"context_window"_s).toInt(), 64000);
        QVERIFY(content(world.folder(u"model.log"_s)).contains("Bearer " + World::kKey.toUtf8()));

        const QStringList task { u"task"_s, u"--cwd"_s, world.workFolder(), u"say it"_s,
            u"--model"_s };
        const World::Outcome unknown = run(task + QStringList { u"third"_s }, 2);
        QCOMPARE(unknown.status, 2);
        QVERIFY2(unknown.err.contains(u"second"_s), qPrintable(unknown.err));
        const World::Outcome done = run(task + QStringList { u"second"_s }, 0);
        QCOMPARE(done.status, 0);
        QCOMPARE(done.out.trimmed(), u"done"_s);

        QCOMPARE(run({ u"models"_s, u"key"_s, u"third"_s }, 2, key).status, 2);
        QCOMPARE(run({ u"models"_s, u"key"_s, u"second"_s }, 0, "another-key-0123\n").status, 0);
        QVERIFY(content(secrets).contains("another-key-0123"));
        QVERIFY(!content(secrets).contains(World::kKey.toUtf8()));
        // The scripted model called its tool in the first test; here only the key counts.
        QCOMPARE(run({ u"models"_s, u"test"_s, u"second"_s }, 0).status, 1);
        QVERIFY(content(world.folder(u"model.log"_s)).contains("Bearer another-key-0123"));
        QCOMPARE(
            run({ u"models"_s, u"key"_s, u"second"_s, u"--key-file"_s, u"-"_s }, 0, key).status, 0);

        const World::Outcome usage = run({ u"models"_s, u"usage"_s, u"--json"_s }, 0);
        const QJsonObject row = usage.array().at(0).toObject();
        QCOMPARE(row.value(u"model"_s).toString(), u"m-2"_s);
        QVERIFY(row.value(u"input_tokens"_s).toInt() >= 1200);
        QVERIFY(row.value(u"output_tokens"_s).toInt() >= 34);

        QCOMPARE(run({ u"models"_s, u"default"_s, u"third"_s }, 2).status, 2);
        QCOMPARE(run({ u"models"_s, u"default"_s, u"second"_s }, 0).status, 0);
        QCOMPARE(listed().at(0).toObject().value(u"default"_s).toBool(), true);
        QCOMPARE(run({ u"models"_s, u"remove"_s, u"second"_s }, 0).status, 0);
        QVERIFY(listed().isEmpty());
        QVERIFY(!content(secrets).contains(World::kKey.toUtf8()));
        QVERIFY(!content(settings).contains("\"second\""));
        QVERIFY(!said.contains(World::kKey));
        QVERIFY(!content(world.home() + u"/logs/executor.log"_s).contains(World::kKey.toUtf8()));
    }

    void test_ofAModelThatIsNoGood_saysWhatIsWrongAndFails_data()
    {
        QTest::addColumn<QJsonObject>("answer");
        QTest::addColumn<QString>("problem");
        QTest::newRow("talks only")
            << QJsonObject { { u"text"_s, u"I am ready"_s } } << u"did not call the tool"_s;
        QTest::newRow("refuses the key") << QJsonObject { { u"status"_s, 401 },
            { u"body"_s,
                QJsonObject { { u"error"_s,
                    QJsonObject { { u"message"_s, u"bad key "_s + World::kKey } } } } } }
                                         << u"refuses the key"_s;
    }

    void test_ofAModelThatIsNoGood_saysWhatIsWrongAndFails()
    {
        QFETCH(QJsonObject, answer);
        QFETCH(QString, problem);
        World world;
        QVERIFY2(world.start(script(answer)), qPrintable(world.error()));
        const QByteArray key = World::kKey.toUtf8();
        QCOMPARE(world.command(addWords(world, u"poor"_s), key).status, 0);
        const World::Outcome tested = world.command({ u"models"_s, u"test"_s, u"poor"_s });
        QCOMPARE(tested.status, 1);
        QVERIFY2(tested.out.contains(problem), qPrintable(tested.out + tested.err));
        QVERIFY2(tested.out.contains(u"Next:"_s), qPrintable(tested.out));
        QVERIFY(!tested.out.contains(World::kKey));
        QVERIFY(!tested.err.contains(World::kKey));
    }

    void keysOfThirtyModels_standNowhereButInTheStore()
    {
        World world;
        const auto keyNumber = [](int i) {
            return u"sk-number-%1-of-thirty-keys"_s.arg(i, 2, 10, QLatin1Char('0'));
        };
        // The provider repeats the key in a refusal before it answers.
        const QJsonObject refusal { { u"status"_s, 400 },
            { u"body"_s,
                QJsonObject { { u"error"_s,
                    QJsonObject { { u"message"_s, u"not with "_s + keyNumber(0) } } } } } };
        QVERIFY2(world.start({ { u"routes"_s,
                     QJsonArray { QJsonObject { { u"contains"_s, u"report_ready"_s },
                                      { u"steps"_s, QJsonArray { refusal } } },
                         QJsonObject { { u"contains"_s, u"refuse this"_s },
                             { u"steps"_s, QJsonArray { refusal } } } } } }),
            qPrintable(world.error()));
        QVERIFY2(world.startExecutor(), qPrintable(world.executorLog()));
        QString said;
        const auto run = [&](const QStringList &words, const QByteArray &input = {}) {
            const World::Outcome outcome = world.command(words, input);
            said += outcome.out + outcome.err;
            return outcome;
        };
        for (int i = 0; i < 30; ++i) {
            QCOMPARE(run(addWords(world, u"m%1"_s.arg(i)), keyNumber(i).toUtf8() + "\n").status, 0);
        }
        QCOMPARE(run({ u"models"_s, u"test"_s, u"m0"_s }).status, 1);
        const QStringList task { u"task"_s, u"--cwd"_s, world.workFolder(), u"--model"_s, u"m0"_s };
        QCOMPARE(run(task + QStringList { u"say it"_s }).status, 0);
        QVERIFY(run(task + QStringList { u"refuse this"_s }).status != 0);
        QByteArray seen;
        for (const qint64 engine : world.engineProcesses()) {
            for (const char *name : { "environ", "cmdline" }) {
                seen += content(u"/proc/%1/%2"_s.arg(engine).arg(QLatin1StringView(name)));
            }
        }
        int files = 0;
        bool journal = false;
        QDirIterator all(world.home(), QDir::Files | QDir::Hidden, QDirIterator::Subdirectories);
        while (all.hasNext()) {
            const QString path = all.next();
            if (path.endsWith("/secrets.json"_L1)) {
                continue;
            }
            ++files;
            journal = journal || path.endsWith("/deskhand.sqlite"_L1);
            const QByteArray bytes = content(path);
            for (int i = 0; i < 30; ++i) {
                QVERIFY2(!bytes.contains(keyNumber(i).toUtf8()), qPrintable(path));
            }
        }
        QVERIFY(journal && files > 3);
        for (int i = 0; i < 30; ++i) {
            QVERIFY(content(world.home() + u"/secrets.json"_s).contains(keyNumber(i).toUtf8()));
            QVERIFY(!seen.contains(keyNumber(i).toUtf8()));
            QVERIFY(!said.contains(keyNumber(i)));
        }
    }

    void keyThatIsGone_isSaidBeforeAnythingRuns()
    {
        World world;
        QVERIFY2(world.start(script(toolCall())), qPrintable(world.error()));
        QCOMPARE(world.command(addWords(world, u"second"_s), World::kKey.toUtf8()).status, 0);
        QVERIFY(QFile::remove(world.home() + u"/secrets.json"_s));
        const QJsonArray models = world.command({ u"models"_s, u"list"_s, u"--json"_s }).array();
        QCOMPARE(models.at(0).toObject().value(u"key"_s).toString(), u"missing"_s);
        const World::Outcome task = world.command(
            { u"task"_s, u"--cwd"_s, world.workFolder(), u"--model"_s, u"second"_s, u"go"_s });
        QCOMPARE(task.status, 1);
        QVERIFY2(task.err.contains(u"key of the model \"second\""_s), qPrintable(task.err));
        QVERIFY(content(world.folder(u"model.log"_s)).isEmpty());
    }

    void defaultModel_isUsedWithItsKeyAlsoAfterARestart()
    {
        World world;
        QVERIFY2(world.start({}), qPrintable(world.error()));
        QCOMPARE(world.command(addWords(world, u"second"_s), World::kKey.toUtf8()).status, 0);
        QCOMPARE(world.command({ u"models"_s, u"default"_s, u"second"_s }).status, 0);
        QVERIFY2(world.startExecutor(), qPrintable(world.executorLog()));
        world.execute(world.task(1, 10, u"go"_s, { { u"model_config"_s, QJsonValue::Null } }));
        const QJsonObject ending = world.waitEnding(10);
        QCOMPARE(ending.value(u"name"_s).toString(), u"response.completed"_s);
        QVERIFY(content(world.folder(u"model.log"_s)).contains("Bearer " + World::kKey.toUtf8()));
    }

    void defaultModelWithoutItsKey_isAnErrorAndNotAnotherAccount()
    {
        World world;
        QVERIFY2(world.start({}), qPrintable(world.error()));
        QCOMPARE(world.command(addWords(world, u"second"_s), World::kKey.toUtf8()).status, 0);
        QCOMPARE(world.command({ u"models"_s, u"default"_s, u"second"_s }).status, 0);
        QVERIFY(QFile::remove(world.home() + u"/secrets.json"_s));
        QVERIFY2(world.startExecutor(), qPrintable(world.executorLog()));
        world.execute(world.task(1, 10, u"go"_s, { { u"model_config"_s, QJsonValue::Null } }));
        const QJsonObject ending = world.waitEnding(10);
        QCOMPARE(ending.value(u"name"_s).toString(), u"error"_s);
        const QJsonObject data = ending.value(u"data"_s).toObject();
        QCOMPARE(data.value(u"code"_s).toString(), u"model_config"_s);
        const QString message = data.value(u"message"_s).toString();
        QVERIFY2(message.contains(u"key of the model \"second\""_s), qPrintable(message));
        QVERIFY2(message.contains(u"models key 'second'"_s), qPrintable(message));
        QVERIFY(content(world.folder(u"model.log"_s)).isEmpty());
        QVERIFY(world.engineProcesses().isEmpty());
    }
};

QTEST_GUILESS_MAIN(TestOwnModels)
#include "tst_ownmodels.moc"
