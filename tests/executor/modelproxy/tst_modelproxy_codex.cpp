// SPDX-License-Identifier: Apache-2.0
// The real Codex binary works on a task through providers that speak other protocols than Codex.
#include "executor/logging/log.h"
#include "tests/executor/modelproxy/proxyfixture.h"

#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

using namespace deskhand;
using namespace deskhand::test;
using namespace Qt::StringLiterals;

namespace {

QString codexProgram()
{
    const QString peers = qEnvironmentVariable("DESKHAND_PEERS");
    QDirIterator found(peers + "/node_modules/@openai"_L1, { u"codex"_s }, QDir::Files,
        QDirIterator::Subdirectories | QDirIterator::FollowSymlinks);
    while (found.hasNext()) {
        const QString path = found.next();
        if (path.contains("/vendor/"_L1) && path.endsWith("/bin/codex"_L1)) {
            return path;
        }
    }
    return {};
}

void write(const QString &path, const QByteArray &content)
{
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(content);
}

QByteArray json(const QJsonObject &object)
{
    return QJsonDocument(object).toJson(QJsonDocument::Compact);
}

/// Arguments for whichever shell tool Codex offers.
QByteArray shellArguments(const QString &tool)
{
    return tool == "exec_command"_L1
        ? QByteArray("{\"cmd\":\"echo proxied > made.txt\"}")
        : QByteArray("{\"command\":[\"bash\",\"-lc\",\"echo proxied > made.txt\"]}");
}

/// Name of the offered shell tool; tools are `{function:{name}}` in Chat and `{name}` in Messages.
QString shellTool(const QJsonArray &tools)
{
    QString found;
    for (const QJsonValue &value : tools) {
        const QJsonObject tool = value.toObject();
        const QString name = tool.contains("function"_L1)
            ? tool.value("function"_L1).toObject().value("name"_L1).toString()
            : tool.value("name"_L1).toString();
        if (name == "exec_command"_L1 || name == "shell"_L1 || name == "shell_command"_L1) {
            found = name;
        }
    }
    return found;
}

QByteArray commandFor(const QString &tool)
{
    return tool == "shell_command"_L1 ? QByteArray("{\"command\":\"echo proxied > made.txt\"}")
                                      : shellArguments(tool);
}

void answerChat(UpstreamReply &reply)
{
    const QJsonObject request = QJsonDocument::fromJson(reply.request.body).object();
    bool hasResult = false;
    for (const QJsonValue &message : request.value("messages"_L1).toArray()) {
        hasResult = hasResult || message.toObject().value("role"_L1).toString() == "tool"_L1;
    }
    if (hasResult) {
        reply.respond(200, "text/event-stream", chatStream("All done."));
        return;
    }
    const QString tool = shellTool(request.value("tools"_L1).toArray());
    const QJsonObject call { { u"index"_s, 0 }, { u"id"_s, u"functions.shell:0"_s },
        { u"type"_s, u"function"_s },
        { u"function"_s,
            QJsonObject {
                { u"name"_s, tool }, { u"arguments"_s, QString::fromUtf8(commandFor(tool)) } } } };
    const QJsonObject delta { { u"reasoning_content"_s, u"I should write the file."_s },
        { u"tool_calls"_s, QJsonArray { call } } };
    const auto chunk = [](const QJsonObject &choice) {
        return "data: "
            + json({ { u"id"_s, u"chatcmpl-t"_s }, { u"model"_s, u"m"_s },
                { u"choices"_s, QJsonArray { choice } } })
            + "\n\n";
    };
    reply.respond(200, "text/event-stream",
        chunk({ { u"index"_s, 0 }, { u"delta"_s, delta } })
            + chunk({ { u"index"_s, 0 }, { u"delta"_s, QJsonObject() },
                { u"finish_reason"_s, u"tool_calls"_s } })
            + "data: [DONE]\n\n");
}

void answerMessages(UpstreamReply &reply)
{
    const QJsonObject request = QJsonDocument::fromJson(reply.request.body).object();
    const bool hasResult = reply.request.body.contains("\"tool_result\"");
    const auto event = [](const QByteArray &type, QJsonObject fields) {
        fields.insert(u"type"_s, QString::fromLatin1(type));
        return "event: " + type + "\ndata: " + json(fields) + "\n\n";
    };
    QByteArray stream = event("message_start",
        { { u"message"_s,
            QJsonObject { { u"id"_s, u"msg_1"_s }, { u"model"_s, u"claude-x"_s },
                { u"usage"_s, QJsonObject { { u"input_tokens"_s, 7 } } } } } });
    QJsonObject block { { u"type"_s, u"text"_s }, { u"text"_s, u""_s } };
    QJsonObject delta { { u"type"_s, u"text_delta"_s }, { u"text"_s, u"All done."_s } };
    if (!hasResult) {
        const QString tool = shellTool(request.value("tools"_L1).toArray());
        block = { { u"type"_s, u"tool_use"_s }, { u"id"_s, u"toolu_1"_s }, { u"name"_s, tool },
            { u"input"_s, QJsonObject() } };
        delta = { { u"type"_s, u"input_json_delta"_s },
            { u"partial_json"_s, QString::fromUtf8(commandFor(tool)) } };
    }
    stream += event("content_block_start", { { u"index"_s, 0 }, { u"content_block"_s, block } });
    stream += event("content_block_delta", { { u"index"_s, 0 }, { u"delta"_s, delta } });
    stream += event("content_block_stop", { { u"index"_s, 0 } });
    stream += event("message_delta",
        { { u"delta"_s,
              QJsonObject { { u"stop_reason"_s, hasResult ? u"end_turn"_s : u"tool_use"_s } } },
            { u"usage"_s, QJsonObject { { u"output_tokens"_s, 9 } } } });
    reply.respond(200, "text/event-stream", stream + event("message_stop", {}));
}

/// Every regular file below a folder, read.
QList<std::pair<QString, QByteArray>> filesBelow(const QString &folder)
{
    QList<std::pair<QString, QByteArray>> files;
    QDirIterator all(
        folder, QDir::Files | QDir::Hidden | QDir::System, QDirIterator::Subdirectories);
    while (all.hasNext()) {
        QFile file(all.next());
        if (file.open(QIODevice::ReadOnly)) {
            files.append({ file.fileName(), file.readAll() });
        }
    }
    return files;
}

QString keyNumber(int number)
{
    return u"seeded-secret-%1-kEyVaLuE"_s.arg(number, 3, 10, QLatin1Char('0'));
}

} // namespace

class TestCodex final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        if (codexProgram().isEmpty()) {
            QSKIP("needs the codex package among the test peers");
        }
        QVERIFY(m_logs.isValid());
        logging::Options options;
        options.file = m_logs.filePath(u"executor.log"_s);
        options.level = u"debug"_s;
        QVERIFY(logging::start(options).has_value());
    }
    void cleanupTestCase() { logging::stop(); }

    void turn_withAToolCall_data()
    {
        QTest::addColumn<QString>("format");
        QTest::newRow("through a provider that only speaks Chat Completions")
            << u"openai-chat-completions"_s;
        QTest::newRow("through a provider that only speaks Messages") << u"anthropic-messages"_s;
    }
    void turn_withAToolCall()
    {
        QFETCH(QString, format);
        ProxyFixture fixture;
        fixture.upstream.setScript(format.startsWith("openai"_L1) ? answerChat : answerMessages);
        // Thirty secrets: keys of ten routes, and what their headers carry.
        for (int i = 1; i < 10; ++i) {
            const auto other = modelproxy::Upstream::fromJson(
                { { u"base_url"_s, fixture.upstream.baseUrl() }, { u"api_key"_s, keyNumber(i) },
                    { u"default_headers"_s,
                        QJsonObject { { u"x-api-key"_s, keyNumber(10 + i) },
                            { u"authorization"_s, keyNumber(20 + i) } } } });
            QVERIFY(other.has_value());
            QVERIFY(fixture.proxy.start().has_value() || fixture.proxy.port() != 0);
            QVERIFY(fixture.proxy.registerRoute(u"other %1"_s.arg(i), *other).has_value());
        }
        QVERIFY(fixture.addRoute(format,
            { { u"api_key"_s, keyNumber(0) }, { u"model_id"_s, u"kimi-test"_s },
                { u"default_headers"_s,
                    QJsonObject { { u"x-secret-token"_s, keyNumber(10) },
                        { u"x-auth"_s, keyNumber(20) } } } }));

        QTemporaryDir root;
        QVERIFY(root.isValid());
        QDir dir(root.path());
        for (const char *name : { "home", "codex", "tmp", "work" }) {
            QVERIFY(dir.mkdir(QLatin1StringView(name)));
        }
        write(dir.filePath(u"codex/config.toml"_s),
            "model = \"proxied-model\"\nmodel_provider = \"deskhand\"\n"
            "[model_providers.deskhand]\nname = \"Deskhand\"\nbase_url = \""
                + fixture.grant.baseUrl.toUtf8()
                + "\"\nwire_api = \"responses\"\nrequest_max_retries = 2\n"
                  "stream_max_retries = 1\n");
        QProcessEnvironment environment;
        environment.insert(u"PATH"_s, qEnvironmentVariable("PATH"));
        environment.insert(u"HOME"_s, dir.filePath(u"home"_s));
        environment.insert(u"CODEX_HOME"_s, dir.filePath(u"codex"_s));
        environment.insert(u"TMPDIR"_s, dir.filePath(u"tmp"_s));
        environment.insert(u"NO_PROXY"_s, u"127.0.0.1,localhost"_s);
        QProcess codex;
        codex.setProcessEnvironment(environment);
        codex.setWorkingDirectory(dir.filePath(u"work"_s));
        codex.setStandardInputFile(QProcess::nullDevice());
        codex.start(codexProgram(),
            { u"exec"_s, u"--json"_s, u"--skip-git-repo-check"_s,
                u"--dangerously-bypass-approvals-and-sandbox"_s, u"Write made.txt."_s });
        QTRY_VERIFY_WITH_TIMEOUT(
            !fixture.upstream.requests().isEmpty() || codex.state() == QProcess::NotRunning, 60000);
        QByteArray seen; // what other programs can see of Codex while it runs
        for (const char *name : { "environ", "cmdline" }) {
            QFile file(u"/proc/%1/%2"_s.arg(codex.processId()).arg(QLatin1StringView(name)));
            if (file.open(QIODevice::ReadOnly)) {
                seen += file.readAll();
            }
        }
        QTRY_VERIFY_WITH_TIMEOUT(codex.state() == QProcess::NotRunning, 60000);
        const QByteArray output = codex.readAllStandardOutput();
        const QByteArray errors = codex.readAllStandardError();
        QVERIFY2(codex.exitCode() == 0, (output + errors).constData());
        QVERIFY2(output.contains("turn.completed"), (output + errors).constData());
        QVERIFY2(output.contains("All done."), output.constData());
        QFile made(dir.filePath(u"work/made.txt"_s));
        QVERIFY2(made.open(QIODevice::ReadOnly), output.constData());
        QCOMPARE(made.readAll().trimmed(), "proxied");
        // The provider got its key, the real model, and the call paired with its result.
        const ReceivedRequest &last = fixture.upstream.requests().last();
        QVERIFY(last.header("authorization").endsWith(keyNumber(0).toLatin1()));
        QCOMPARE(QJsonDocument::fromJson(last.body).object().value("model"_L1).toString(),
            u"kimi-test"_s);

        // And nobody else got any of the thirty.
        QList<std::pair<QString, QByteArray>> places = filesBelow(root.path());
        places += filesBelow(m_logs.path());
        places.append({ u"environment and arguments"_s, seen });
        places.append({ u"output"_s, output + errors });
        QVERIFY(places.size() > 5);
        for (const auto &[name, content] : places) {
            for (int i = 0; i < 30; ++i) {
                QVERIFY2(!content.contains(keyNumber(i).toLatin1()), qPrintable(name));
            }
        }
    }

private:
    QTemporaryDir m_logs;
};

QTEST_GUILESS_MAIN(TestCodex)
#include "tst_modelproxy_codex.moc"
