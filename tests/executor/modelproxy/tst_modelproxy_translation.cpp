// SPDX-License-Identifier: Apache-2.0
#include "executor/modelproxy/bodydecoder.h"
#include "executor/modelproxy/catalog.h"
#include "executor/modelproxy/chatanswer.h"
#include "executor/modelproxy/chatrequest.h"
#include "executor/modelproxy/harnesscontext.h"
#include "executor/modelproxy/inlinethink.h"
#include "executor/modelproxy/messagesin.h"
#include "executor/modelproxy/messagesrequest.h"
#include "executor/modelproxy/modelswitch.h"
#include "executor/modelproxy/packedthinking.h"
#include "executor/modelproxy/presets.h"
#include "executor/modelproxy/responsesanswer.h"
#include "executor/modelproxy/retrypolicy.h"
#include "executor/modelproxy/toolcalls.h"
#include "executor/modelproxy/toolhistory.h"
#include "executor/modelproxy/visionsidecars.h"
#include "executor/modelproxy/wireids.h"
#include "tests/executor/modelproxy/vectors.h"

#include <QJsonDocument>
#include <QTemporaryDir>
#include <QTest>

#include <random>
#include <set>

using namespace deskhand;
using namespace deskhand::modelproxy;
using namespace deskhand::test;
using namespace Qt::StringLiterals;

namespace {

ProviderProfile profileOf(const char *family)
{
    return ProviderProfile::fromOverrides({ { u"family"_s, QLatin1StringView(family) } }).value();
}

Json chatBody(Json request, const ProviderProfile &profile, const ToolHistory *history = nullptr)
{
    const Upstream upstream;
    const RequestContext context { upstream, profile, history };
    const auto prepared = chatRequestFromResponses(std::move(request), context);
    return prepared ? parseJson(*prepared->body).value() : Json(nullptr);
}

std::string answered(AnswerTranslator &&translator, const std::string &stream)
{
    translator.feed(stream);
    translator.finish();
    return translator.takeOutput();
}

Json lastResponse(const std::string &stream)
{
    return joinedEvents(stream).back()["data"]["response"];
}

std::string passedThrough(const std::string &body, const Upstream &upstream,
    const ProviderProfile &profile = {}, bool switching = false, bool forked = false)
{
    const auto facts = readRequestFacts(body);
    const RequestContext context { upstream, profile, nullptr, switching, forked };
    return *prepareResponsesRequest(body, *facts, context)->body;
}

} // namespace

class TestTranslation final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void randomHistories_alwaysPairCallsWithResults()
    {
        std::mt19937 random(20260701);
        const auto pick = [&random](int count) {
            return static_cast<int>(random() % static_cast<unsigned>(count));
        };
        const std::vector<ProviderProfile> profiles { profileOf("generic"), profileOf("kimi"),
            profileOf("mistral"), profileOf("minimax"), profileOf("openai") };
        for (int round = 0; round < 10000; ++round) {
            Json input = Json::array();
            const int length = pick(14);
            for (int i = 0; i < length; ++i) {
                const std::string id = pick(6) == 0 ? "fn.x:" + std::to_string(pick(3))
                                                    : "call_" + std::to_string(pick(5));
                switch (pick(12)) {
                case 0:
                case 1:
                    input.push_back({ { "type", "function_call" }, { "call_id", id },
                        { "name", "f" }, { "arguments", "{}" } });
                    break;
                case 2:
                    input.push_back({ { "type", "custom_tool_call" }, { "call_id", id },
                        { "name", "apply_patch" }, { "input", "x" } });
                    break;
                case 3:
                    input.push_back({ { "type", "local_shell_call" }, { "call_id", id },
                        { "action", { { "command", Json::array({ "ls" }) } } } });
                    break;
                case 4:
                case 5:
                    input.push_back({ { "type", "function_call_output" }, { "call_id", id },
                        { "output", "o" } });
                    break;
                case 6:
                    input.push_back({ { "type", "custom_tool_call_output" }, { "call_id", id },
                        { "output",
                            Json::array({ { { "type", "input_image" },
                                { "image_url", "data:image/png;base64,AA==" } } }) } });
                    break;
                case 7:
                    input.push_back(
                        { { "type", "message" }, { "role", "user" }, { "content", "u" } });
                    break;
                case 8:
                    input.push_back(
                        { { "type", "message" }, { "role", "assistant" }, { "content", "a" } });
                    break;
                case 9:
                    input.push_back(
                        { { "type", "message" }, { "role", "developer" }, { "content", "d" } });
                    break;
                case 10:
                    input.push_back({ { "type", "reasoning" },
                        { "summary", Json::array({ { { "text", "r" } } }) } });
                    break;
                default:
                    input.push_back({ { "type", "web_search_call" } });
                }
            }
            const Json request { { "model", "m" }, { "input", input } };
            const ProviderProfile &profile = profiles[static_cast<size_t>(pick(5))];
            const Json body = chatBody(request, profile);
            QVERIFY2(body.is_object(), dumpJson(request).c_str());
            const std::string fault = pairingFault(body["messages"]);
            QVERIFY2(fault.empty(), (fault + dumpJson(request)).c_str());
            // The same for Messages: every tool_use is answered at the head of the next turn.
            const Upstream upstream;
            const auto messages
                = messagesRequestFromResponses(Json(request), { upstream, profile });
            if (!messages) {
                continue; // nothing to say at all
            }
            const Json turns = parseJson(*messages->body).value()["messages"];
            std::vector<std::string> open;
            for (size_t i = 0; i < turns.size(); ++i) {
                QCOMPARE(std::string(textMember(turns[i], "role")),
                    std::string(i % 2 == 0 ? "user" : "assistant"));
                size_t position = 0;
                for (const Json &block : turns[i]["content"]) {
                    if (textMember(block, "type") == "tool_use") {
                        open.emplace_back(textMember(block, "id"));
                    } else if (textMember(block, "type") == "tool_result") {
                        QVERIFY(position < open.size());
                        QCOMPARE(std::string(textMember(block, "tool_use_id")), open[position++]);
                    }
                }
                if (i % 2 == 0) {
                    QCOMPARE(position, open.size());
                    open.clear();
                }
            }
            QVERIFY(open.empty());
        }
    }

    void keys_keepTheirOrderOnTheWayToTheProvider()
    {
        const std::string schema = "{\"type\":\"object\",\"zulu\":1,\"properties\":{\"b\":{"
                                   "\"type\":\"string\"},\"a\":{}}}";
        const Json request { { "model", "m" }, { "input", "hi" },
            { "tools",
                Json::array({ { { "type", "function" }, { "name", "f" },
                    { "parameters", parseJson(schema).value() } } }) } };
        QVERIFY(
            dumpJson(chatBody(request, profileOf("generic"))).find(schema) != std::string::npos);
    }

    void providerFields_comeBackWithTheirCall()
    {
        ChatAnswer answer(ToolNames(), profileOf("gemini"), "m");
        answer.feed(
            "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"id\":\"c1\","
            "\"function\":{\"name\":\"f\",\"arguments\":\"{}\"},\"extra_content\":{\"google\":"
            "{\"thought_signature\":\"sig\"}}}]},\"finish_reason\":\"stop\"}]}\n\ndata: "
            "[DONE]\n\n");
        QVERIFY(answer.ended());
        ToolHistory history;
        history.record(answer.state().responseId, answer.state().calls);
        history.recordExtras(answer.state().callExtras);
        const Json input = Json::array({ { { "type", "function_call" }, { "call_id", "c1" },
                                             { "name", "f" }, { "arguments", "{}" } },
            { { "type", "function_call_output" }, { "call_id", "c1" }, { "output", "x" } } });
        const Json body
            = chatBody({ { "model", "m" }, { "input", input } }, profileOf("gemini"), &history);
        QCOMPARE(
            body["messages"][0]["tool_calls"][0]["extra_content"]["google"]["thought_signature"]
                .get<std::string>(),
            std::string("sig"));
    }

    void history_restoresCallsThatTheClientLeftOut()
    {
        const auto call = [](const char *id, const char *name) {
            return Json { { "type", "function_call" }, { "call_id", id }, { "name", name },
                { "arguments", "{}" }, { "status", "completed" } };
        };
        const auto output = [](const char *id) {
            return Json { { "type", "function_call_output" }, { "call_id", id },
                { "output", "x" } };
        };
        ToolHistory history;
        history.record("r1", Json::array({ call("a", "one"), call("b", "two") }));
        history.record("r2", Json::array({ call("a", "other") }));
        // In the model's order, before the first output.
        Json input = Json::array({ output("b"), output("a") });
        QVERIFY(history.restore(input, "r1"));
        QCOMPARE(input.size(), size_t(4));
        QCOMPARE(input[0]["name"].get<std::string>(), std::string("one"));
        QCOMPARE(input[1]["name"].get<std::string>(), std::string("two"));
        // A call id of one answer needs no response id, an ambiguous one is not guessed.
        Json unique = Json::array({ output("b") });
        QVERIFY(history.restore(unique, ""));
        Json ambiguous = Json::array({ output("a") });
        QVERIFY(!history.restore(ambiguous, ""));
        // Blank fields are completed.
        Json blank
            = Json::array({ { { "type", "function_call" }, { "call_id", "b" }, { "name", "" } } });
        QVERIFY(history.restore(blank, "r1"));
        QCOMPARE(blank[0]["name"].get<std::string>(), std::string("two"));
        for (int i = 0; i < 600; ++i) {
            history.record("n" + std::to_string(i), Json::array({ call("z", "z") }));
        }
        Json old = Json::array({ output("b") });
        QVERIFY(!history.restore(old, "r1"));
    }

    void modelSwitch_dropsOnlyWhatTheOtherModelCannotRead()
    {
        const std::string body
            = "{\"model\":\"m\",\"previous_response_id\":\"r\",\"input\":[{\"type\":\"reasoning\","
              "\"encrypted_content\":\"x\"},{\"type\":\"reasoning\",\"summary\":[]},"
              "{\"type\":\"compaction\",\"content\":[{\"encrypted_content\":\"y\"}]},"
              "{\"type\":\"function_call_output\",\"call_id\":\"c\",\"encrypted_content\":\"keep\"}"
              "]}";
        const Json changed = parseJson(passedThrough(body, {}, {}, true)).value();
        QVERIFY(!changed.contains("previous_response_id"));
        QCOMPARE(changed["input"].size(), size_t(2));
        const Json forked = parseJson(passedThrough(body, {}, {}, false, true)).value();
        QCOMPARE(forked["input"].size(), size_t(4));
        QVERIFY(!forked["input"][0].contains("encrypted_content"));
        QVERIFY(forked["input"][3].contains("encrypted_content"));
        QVERIFY(forked.contains("previous_response_id"));
        QCOMPARE(passedThrough(body, {}), body);
        QVERIFY(isForked("{\"forked_from_thread_id\":\"t\"}"));
        QVERIFY(!isForked("{\"forked_from_thread_id\":\" \"}"));
        QVERIFY(!isForked("nonsense"));
    }

    void passThrough_changesOnlyWhatTheProviderCannotDo()
    {
        Upstream upstream;
        upstream.nativeToolSearch = true;
        upstream.nativeNamespaceTools = true;
        const std::string tools
            = "{\"model\":\"m\",\"input\":[{\"type\":\"function_call\",\"namespace\":\"mcp__x\","
              "\"name\":\"f\","
              "\"call_id\":\"c\",\"arguments\":\"{}\"}],\"tools\":[{\"type\":\"namespace\","
              "\"name\":\"mcp__x\","
              "\"tools\":[{\"type\":\"function\",\"name\":\"f\"}]},{\"type\":\"tool_search\"},"
              "{\"type\":\"custom\",\"name\":\"apply_patch\"}],\"zz\":1}";
        QCOMPARE(passedThrough(tools, upstream), tools);
        upstream.nativeToolSearch = false;
        upstream.nativeNamespaceTools = false;
        upstream.functionToolsOnly = true;
        const Json bridged = parseJson(passedThrough(tools, upstream)).value();
        QCOMPARE(bridged["input"][0]["name"].get<std::string>(), std::string("mcp__x__f"));
        QVERIFY(!bridged["input"][0].contains("namespace"));
        QCOMPARE(bridged["tools"].size(), size_t(3));
        for (const Json &tool : bridged["tools"]) {
            QCOMPARE(tool["type"].get<std::string>(), std::string("function"));
        }
        QVERIFY(bridged["zz"] == Json(1));
        // Caps fill only a missing limit.
        Upstream capped;
        capped.maxOutputTokens = 5;
        QCOMPARE(passedThrough("{\"model\":\"m\"}", capped),
            std::string("{\"model\":\"m\",\"max_output_tokens\":5}"));
        QCOMPARE(passedThrough("{\"max_tokens\":9}", capped), std::string("{\"max_tokens\":9}"));
        // Unsafe ids change alike in call and result; fields of the list are stripped.
        const Json ids = parseJson(
            passedThrough(
                "{\"input\":[{\"call_id\":\"a.b:0\"},{\"call_id\":\"a.b:0\"},{\"id\":\"\"}]}", {}))
                             .value();
        QVERIFY(ids["input"][0] == ids["input"][1]);
        QVERIFY(isSafeId(textMember(ids["input"][2], "id")));
        ProviderProfile strict;
        strict.stripFields = { "store", "reasoning.summary", "absent.field" };
        QCOMPARE(passedThrough("{ \"store\":false, \"a\": [1, 2] "
                               ",\"reasoning\":{\"effort\":\"low\",\"summary\":\"auto\"}}",
                     {}, strict),
            std::string("{\"a\": [1, 2],\"reasoning\":{\"effort\":\"low\"}}"));
    }

    void bridgedCalls_comeBackAsCodexKnowsThem()
    {
        const ToolNames names = ToolNames::fromTools(
            parseJson("[{\"type\":\"custom\",\"name\":\"apply_patch\"},{\"type\":\"tool_search\"},"
                      "{\"type\":\"namespace\",\"name\":\"mcp__x\",\"tools\":[{\"type\":"
                      "\"function\",\"name\":\"f\"}]}]")
                .value());
        const auto call = [](const char *name, const char *arguments) {
            return Json { { "type", "response.output_item.done" }, { "output_index", 0 },
                { "item",
                    { { "id", "fc_1" }, { "type", "function_call" }, { "call_id", "c" },
                        { "name", name }, { "arguments", arguments } } } };
        };
        const auto run = [&](const Json &event) {
            return joinedEvents(answered(ResponsesAnswer(names, true),
                "data: " + dumpJson(event)
                    + "\n\ndata: "
                      "{\"type\":\"response.completed\",\"response\":{\"id\":\"r\"}}\n\n"));
        };
        const Json patch
            = run(call("apply_patch", "{\"input\":\"*** Begin Patch\\n*** End Patch\"}"));
        QCOMPARE(
            patch[1]["data"]["item"]["type"].get<std::string>(), std::string("custom_tool_call"));
        QCOMPARE(patch[2]["event"].get<std::string>(),
            std::string("response.custom_tool_call_input.delta"));
        const Json search = run(call("search_deferred_tools", "{\"query\":\"q\"}"));
        QCOMPARE(
            search[2]["data"]["item"]["type"].get<std::string>(), std::string("tool_search_call"));
        QCOMPARE(
            search[2]["data"]["item"]["arguments"]["query"].get<std::string>(), std::string("q"));
        const Json spaced = run(call("mcp__x__f", "{}"));
        QCOMPARE(spaced[2]["data"]["item"]["namespace"].get<std::string>(), std::string("mcp__x"));
        QCOMPARE(spaced.back()["data"]["response"]["output"][0]["name"].get<std::string>(),
            std::string("f"));
    }

    void patches_areRepairedInTheirEnvelopeOnly_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("expected");
        const QString patch = u"*** Begin Patch\n*** Add File: a\n+x\n*** End Patch"_s;
        QTest::newRow("a good one stays") << patch << patch;
        QTest::newRow("chatter around it goes") << u"Here:\n"_s + patch + u"\nDone"_s << patch;
        QTest::newRow("a fence goes") << u"```diff\n"_s + patch + u"\n```"_s << patch;
        QTest::newRow("a cut one stays cut") << patch.chopped(16) << patch.chopped(16).trimmed();
        QTest::newRow("a missing envelope is added") << u"*** Add File: a\n+x"_s << patch;
        QTest::newRow("other text stays") << u"hello"_s << u"hello"_s;
    }
    void patches_areRepairedInTheirEnvelopeOnly()
    {
        QFETCH(QString, text);
        QFETCH(QString, expected);
        QCOMPARE(QString::fromStdString(repairedPatch(text.toStdString())), expected);
    }

    void inlineThink_isSplitOverAnyPieces_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("reasoning");
        QTest::addColumn<QString>("answer");
        QTest::newRow("a block at the start")
            << u"<think>\nI see.\n</think>\n\nYes"_s << u"\nI see."_s << u"Yes"_s;
        QTest::newRow("blanks before it") << u"\n <think>a</think>b"_s << u"a"_s << u"b"_s;
        QTest::newRow("later tags are text")
            << u"Use <think>x</think>"_s << u""_s << u"Use <think>x</think>"_s;
        QTest::newRow("a second block is text")
            << u"<think>a</think>b<think>c</think>"_s << u"a"_s << u"b<think>c</think>"_s;
        QTest::newRow("half a tag is text in the end") << u"<thi"_s << u""_s << u"<thi"_s;
        QTest::newRow("a block that never closes") << u"<think>a</thin"_s << u"a</thin"_s << u""_s;
    }
    void inlineThink_isSplitOverAnyPieces()
    {
        QFETCH(QString, text);
        QFETCH(QString, reasoning);
        QFETCH(QString, answer);
        const std::string bytes = text.toStdString();
        for (size_t piece = 1; piece <= bytes.size(); ++piece) {
            InlineThink think(true);
            std::string thought;
            std::string said;
            const auto add = [&](const InlineThink::Split &split) {
                thought += split.reasoning;
                said += split.text;
            };
            for (size_t at = 0; at < bytes.size(); at += piece) {
                add(think.feed(std::string_view(bytes).substr(at, piece)));
            }
            add(think.finish());
            QCOMPARE(QString::fromStdString(thought), reasoning);
            QCOMPARE(QString::fromStdString(said), answer);
        }
    }

    void chatQuirks_data()
    {
        QTest::addColumn<QString>("stream");
        QTest::addColumn<QString>("status");
        QTest::addColumn<QString>("detail");
        const QString start
            = u"data: {\"id\":\"x\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"}%1}]}\n\n"_s;
        const auto finish = [&start](const char *reason) {
            return start.arg(u",\"finish_reason\":\"%1\""_s.arg(QLatin1StringView(reason)));
        };
        QTest::newRow("done without a finish reason")
            << start.arg(QString()) + u"data: [DONE]\n\n"_s << u"completed"_s << u""_s;
        QTest::newRow("a finish reason and the end of the stream")
            << finish("stop") << u"completed"_s << u""_s;
        QTest::newRow("an unknown finish reason") << finish("whatever") << u"completed"_s << u""_s;
        QTest::newRow("the context is full")
            << finish("model_context_window_exceeded") << u"incomplete"_s << u"max_output_tokens"_s;
        QTest::newRow("a content filter")
            << finish("sensitive") << u"incomplete"_s << u"content_filter"_s;
        QTest::newRow("no resources")
            << finish("insufficient_system_resource") << u"failed"_s << u"server_is_overloaded"_s;
        QTest::newRow("a network error")
            << finish("network_error") << u"failed"_s << u"server_error"_s;
        QTest::newRow("done without a choice")
            << u"data: [DONE]\n\n"_s << u"failed"_s << u"server_error"_s;
        QTest::newRow("only usage")
            << u"data: {\"choices\":[],\"usage\":{\"prompt_tokens\":1}}\n\n"_s << u"failed"_s
            << u"server_error"_s;
        QTest::newRow("billed and empty")
            << u"data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":3}}\n\n"_s
            << u"failed"_s << u"server_error"_s;
        QTest::newRow("empty and free")
            << u"data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":0}}\n\n"_s
            << u"completed"_s << u""_s;
        QTest::newRow("an empty error object is none")
            << u"data: {\"error\":{}}\n\n"_s + finish("stop") << u"completed"_s << u""_s;
        QTest::newRow("a named error event")
            << start.arg(QString()) + u"event: error\ndata: {\"message\":\"context window\"}\n\n"_s
            << u"failed"_s << u"context_length_exceeded"_s;
        QTest::newRow("an error object of vLLM")
            << u"data: {\"object\":\"error\",\"message\":\"Overloaded\"}\n\n"_s << u"failed"_s
            << u"server_is_overloaded"_s;
        QTest::newRow("a broken complete block")
            << start.arg(QString()) + u"data: {oops\n\n"_s << u"failed"_s << u"server_error"_s;
        QTest::newRow("a broken tail after the finish")
            << finish("stop") + u"data: {oops"_s << u"completed"_s << u""_s;
        QTest::newRow("choice 0 is not the first")
            << u"data: {\"choices\":[{\"index\":1,\"delta\":{\"content\":\"b\"}},{\"index\":0,\"delta\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}]}\n\n"_s
            << u"completed"_s << u""_s;
        QTest::newRow("a byte order mark and indented fields")
            << u"\xfeff  data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}]}\n\n"_s
            << u"completed"_s << u""_s;
        QTest::newRow("comments between")
            << u": OPENROUTER PROCESSING\n\n"_s + finish("stop") << u"completed"_s << u""_s;
        QTest::newRow("a page instead")
            << u"<html><body>Sign in</body></html>"_s << u"failed"_s << u"server_error"_s;
        QTest::newRow("invalid UTF-8") << u"INVALID"_s << u"failed"_s << u"server_error"_s;
    }
    void chatQuirks()
    {
        QFETCH(QString, stream);
        QFETCH(QString, status);
        QFETCH(QString, detail);
        std::string bytes = stream.toStdString();
        if (stream == u"INVALID"_s) {
            bytes = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"\xff\"}}]}\n\n";
        }
        const Json response = lastResponse(answered(ChatAnswer(ToolNames(), {}, "m"), bytes));
        QCOMPARE(QString::fromStdString(response["status"].get<std::string>()), status);
        if (status == u"incomplete"_s) {
            QCOMPARE(
                QString::fromStdString(response["incomplete_details"]["reason"].get<std::string>()),
                detail);
        } else if (status == u"failed"_s) {
            QCOMPARE(QString::fromStdString(response["error"]["code"].get<std::string>()), detail);
        }
    }

    void truncatedCalls_areListedButNeverEnded()
    {
        const std::string stream = "data: "
                                   "{\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{"
                                   "\"index\":0,\"id\":\"c\",\"function\":"
                                   "{\"name\":\"f\",\"arguments\":\"{\\\"a\\\":\"}}]},\"finish_"
                                   "reason\":\"length\"}]}\n\ndata: [DONE]\n\n";
        const std::string output = answered(ChatAnswer(ToolNames(), {}, "m"), stream);
        QVERIFY(output.find("response.output_item.done") == std::string::npos);
        const Json response = lastResponse(output);
        QCOMPARE(response["status"].get<std::string>(), std::string("incomplete"));
        QCOMPARE(response["output"][0]["status"].get<std::string>(), std::string("incomplete"));
    }

    void toolDeltas_ofOddServers()
    {
        const auto calls = [](const std::string &deltas) {
            return lastResponse(answered(ChatAnswer(ToolNames(), {}, "m"),
                "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":" + deltas
                    + "},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"))["output"];
        };
        // Index 0 for all: an id and a name begin a new call.
        const Json parallel = calls(
            "[{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}},"
            "{\"index\":0,\"id\":\"b\",\"function\":{\"name\":\"g\",\"arguments\":\"{}\"}}]");
        QCOMPARE(parallel.size(), size_t(2));
        // Sparse indices make no placeholders, names are not appended, snapshots are ignored.
        const Json sparse
            = calls("[{\"index\":7,\"id\":\"a\",\"function\":{\"name\":\"f\",\"arguments\":\"{"
                    "\\\"x\\\":1}\"}},"
                    "{\"index\":7,\"function\":{\"name\":\"f\",\"arguments\":\"{\\\"x\\\":1}\"}}]");
        QCOMPARE(sparse.size(), size_t(1));
        QCOMPARE(sparse[0]["name"].get<std::string>(), std::string("f"));
        QCOMPARE(sparse[0]["arguments"].get<std::string>(), std::string("{\"x\":1}"));
        // A call that never gets a name is none; arguments before the name are kept.
        QCOMPARE(calls("[{\"index\":0,\"function\":{\"arguments\":\"{}\"}}]").size(), size_t(0));
        const Json early
            = calls("[{\"index\":0,\"function\":{\"arguments\":\"{\\\"x\\\":\"}},"
                    "{\"index\":0,\"function\":{\"name\":\"f\",\"arguments\":\"1}\"}}]");
        QCOMPARE(early[0]["arguments"].get<std::string>(), std::string("{\"x\":1}"));
    }

    void messages_goBackAndForth()
    {
        const Json request = parseJson("{\"model\":\"x\",\"max_tokens\":10,\"system\":[{\"type\":"
                                       "\"text\",\"text\":\"S\"}],\"messages\":["
                                       "{\"role\":\"user\",\"content\":\"go\"},{\"role\":"
                                       "\"assistant\",\"content\":[{\"type\":\"thinking\","
                                       "\"thinking\":\"t\",\"signature\":\"s\"},{\"type\":\"text\","
                                       "\"text\":\"ok\"},{\"type\":\"tool_use\",\"id\":\"a\","
                                       "\"name\":\"f\",\"input\":{\"x\":1}},{\"type\":\"tool_use\","
                                       "\"id\":\"b\",\"name\":\"f\",\"input\":{}}]},"
                                       "{\"role\":\"user\",\"content\":[{\"type\":\"text\","
                                       "\"text\":\"and\"},{\"type\":\"tool_result\","
                                       "\"tool_use_id\":\"a\",\"content\":\"bad\",\"is_error\":"
                                       "true}]}],\"tools\":[{\"name\":\"f\","
                                       "\"input_schema\":{\"type\":\"object\"}}],\"tool_choice\":{"
                                       "\"type\":\"any\"},\"stop_sequences\":[\"E\"]}")
                                 .value();
        const Json body
            = chatBody(responsesRequestFromMessages(Json(request)), profileOf("generic"));
        const Json &messages = body["messages"];
        QVERIFY(pairingFault(messages).empty());
        QCOMPARE(messages.size(), size_t(6));
        QCOMPARE(messages[2]["content"].get<std::string>(), std::string("ok"));
        QCOMPARE(messages[4]["content"].get<std::string>(), std::string("Error: bad"));
        QCOMPARE(messages[5]["content"].get<std::string>(), std::string("and"));
        QCOMPARE(body["tool_choice"].get<std::string>(), std::string("required"));
        QVERIFY(body["max_tokens"] == Json(10));
        QVERIFY(body["stop"] == Json::array({ "E" }));

        MessagesFromResponses back(
            std::make_unique<ChatAnswer>(ToolNames(), ProviderProfile(), "m"));
        back.feed("data: "
                  "{\"choices\":[{\"index\":0,\"delta\":{\"reasoning_content\":\"r\",\"content\":"
                  "\"hi\",\"tool_calls\":["
                  "{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"f\",\"arguments\":\"{"
                  "\\\"x\\\":1}\"}}]},"
                  "\"finish_reason\":\"tool_calls\"}]}\n\ndata: "
                  "{\"choices\":[],\"usage\":{\"prompt_tokens\":5,"
                  "\"completion_tokens\":2}}\n\ndata: [DONE]\n\n");
        QVERIFY(back.ended());
        const std::string events = back.takeOutput();
        std::int64_t open = -1;
        std::int64_t next = 0;
        for (const Json &event : joinedEvents(events)) {
            const std::string_view type = textMember(event, "event");
            const std::int64_t index = intMember(event["data"], "index").value_or(-1);
            if (type == "content_block_start") {
                QCOMPARE(open, std::int64_t(-1));
                QCOMPARE(index, next++);
                open = index;
            } else if (type == "content_block_delta") {
                QCOMPARE(index, open);
            } else if (type == "content_block_stop") {
                QCOMPARE(index, open);
                open = -1;
            }
        }
        QCOMPARE(next, std::int64_t(3));
        const Json whole = parseJson(wholeMessage(events)).value();
        QCOMPARE(whole["stop_reason"].get<std::string>(), std::string("tool_use"));
        QVERIFY(whole["content"][2]["input"]["x"] == Json(1));
        QVERIFY(whole["usage"]["input_tokens"] == Json(5));

        MessagesFromResponses failing(
            std::make_unique<ChatAnswer>(ToolNames(), ProviderProfile(), "m"));
        failing.feed("data: {\"error\":{\"message\":\"rate limit\"}}\n\n");
        QVERIFY(failing.takeOutput().find("rate_limit_error") != std::string::npos);
    }

    void waits_areReadInAllForms_data()
    {
        QTest::addColumn<QByteArray>("name");
        QTest::addColumn<QByteArray>("value");
        QTest::addColumn<int>("milliseconds");
        QTest::newRow("seconds") << QByteArray("Retry-After") << QByteArray("120") << 120000;
        QTest::newRow("parts of seconds") << QByteArray("retry-after") << QByteArray("1.5") << 1500;
        QTest::newRow("milliseconds") << QByteArray("retry-after-ms") << QByteArray("250") << 250;
        QTest::newRow("a date") << QByteArray("retry-after")
                                << QByteArray("Fri, 31 Dec 2027 23:59:30 GMT") << 30000;
        QTest::newRow("a past date")
            << QByteArray("retry-after") << QByteArray("Fri, 31 Dec 2027 23:58:00 GMT") << 0;
        QTest::newRow("a duration")
            << QByteArray("x-ratelimit-reset-requests") << QByteArray("1m2.5s") << 62500;
        QTest::newRow("nonsense") << QByteArray("retry-after") << QByteArray("soon") << -1;
    }
    void waits_areReadInAllForms()
    {
        QFETCH(QByteArray, name);
        QFETCH(QByteArray, value);
        QFETCH(int, milliseconds);
        const QDateTime now(QDate(2027, 12, 31), QTime(23, 59, 0), Qt::UTC);
        const auto wait = requestedWait({ { name, value } }, now);
        QCOMPARE(wait ? static_cast<int>(wait->count()) : -1, milliseconds);
    }

    void retries_followTheTable()
    {
        ProxyTiming timing;
        timing.jitter = 0;
        const QDateTime now = QDateTime::currentDateTimeUtc();
        AttemptOutcome busy;
        busy.status = 429;
        RetryPolicy policy(timing);
        for (const int seconds : { 1, 5, 10, 30, 60 }) {
            QCOMPARE(policy.next(busy, now)->count(), seconds * 1000);
        }
        QVERIFY(!policy.next(busy, now));
        busy.headers = { { "retry-after", "120" } };
        QCOMPARE(RetryPolicy(timing).next(busy, now)->count(), 60000);
        busy.headers = { { "retry-after", "301" } };
        QVERIFY(!RetryPolicy(timing).next(busy, now));
        for (const int status : { 408, 425, 500, 502, 503, 504, 529 }) {
            AttemptOutcome outcome;
            outcome.status = status;
            QVERIFY(RetryPolicy(timing).next(outcome, now));
        }
        AttemptOutcome conflict;
        conflict.status = 409;
        QVERIFY(!RetryPolicy(timing).next(conflict, now));
        conflict.headers = { { "retry-after", "0" } };
        QCOMPARE(RetryPolicy(timing).next(conflict, now)->count(), 0);
        AttemptOutcome refused;
        refused.fault = net::TransferFault::Connect;
        RetryPolicy connecting(timing);
        QCOMPARE(connecting.next(refused, now)->count(), 1000);
        QCOMPARE(connecting.next(refused, now)->count(), 5000);
        QVERIFY(!connecting.next(refused, now));
        refused.fault = net::TransferFault::Certificate;
        QVERIFY(!RetryPolicy(timing).next(refused, now));
        timing.jitter = 0.1;
        for (int i = 0; i < 100; ++i) {
            AttemptOutcome failed;
            failed.status = 500;
            const auto delay = RetryPolicy(timing).next(failed, now)->count();
            QVERIFY(delay >= 900 && delay <= 1100);
        }
    }

    void upstream_isReadInBothSpellings()
    {
        const QJsonObject snake { { u"base_url"_s, u"https://h.example/v1/"_s },
            { u"api_key"_s, u"k"_s }, { u"api_format"_s, u" Chat/Completions "_s },
            { u"model_id"_s, u"m"_s }, { u"max_output_tokens"_s, 7 },
            { u"tool_profile"_s, u"FUNCTION"_s }, { u"native_tool_search"_s, true },
            { u"proxy"_s, QJsonObject { { u"url"_s, u"socks5h://p:1"_s } } } };
        const QJsonObject camel { { u"baseUrl"_s, u"https://h.example/v1"_s },
            { u"apiKey"_s, u"k"_s }, { u"upstreamApiFormat"_s, u"openai-chat-completions"_s },
            { u"modelId"_s, u"m"_s }, { u"maxOutputTokens"_s, 7 },
            { u"toolProfile"_s, u"function"_s }, { u"nativeToolSearch"_s, true },
            { u"proxy_url"_s, u"socks5h://p:1"_s } };
        for (const QJsonObject &object : { snake, camel }) {
            const auto upstream = Upstream::fromJson(object);
            QVERIFY2(upstream.has_value(), upstream ? "" : qPrintable(upstream.error().message));
            QCOMPARE(upstream->requestUrl, u"https://h.example/v1/chat/completions"_s);
            QCOMPARE(upstream->maxOutputTokens.value_or(0), 7);
            QVERIFY(upstream->functionToolsOnly && upstream->nativeToolSearch);
            QVERIFY(upstream->format == WireFormat::Chat);
            QCOMPARE(upstream->proxyUrl, u"socks5h://p:1"_s);
            QVERIFY(!upstream->describe().contains("k at"_L1));
        }
    }

    void upstream_formatAndRefusals_data()
    {
        QTest::addColumn<QJsonObject>("extra");
        QTest::addColumn<QString>("expected"); // a URL, or the key of the refusal
        const auto row = [](const char *name, const QJsonObject &extra, const char *expected) {
            QTest::newRow(name) << extra << QString::fromLatin1(expected);
        };
        row("nothing means Responses", {}, "https://h.example/responses");
        row("protocol claude", { { u"protocol"_s, u"claude"_s } }, "https://h.example/messages");
        row("provider openai", { { u"provider"_s, u"openai"_s } },
            "https://h.example/chat/completions");
        row("model openai", { { u"model"_s, u"openai"_s } }, "https://h.example/chat/completions");
        row("api_format wins", { { u"api_format"_s, u"responses"_s }, { u"model"_s, u"claude"_s } },
            "https://h.example/responses");
        row("null says nothing",
            { { u"api_format"_s, QJsonValue() }, { u"protocol"_s, QJsonValue() } },
            "https://h.example/responses");
        row("an own address", { { u"request_url"_s, u"https://o.example/x?v=1"_s } },
            "https://o.example/x?v=1");
        row("Anthropic's bare address",
            { { u"base_url"_s, u"https://api.anthropic.com"_s }, { u"model"_s, u"claude"_s } },
            "https://api.anthropic.com/v1/messages");
        row("an unknown format", { { u"api_format"_s, u"grpc"_s } }, "!api_format");
        row("an unknown protocol", { { u"protocol"_s, u"tts"_s } }, "!protocol");
        row("another kind of model", { { u"modelType"_s, u"embedding"_s } }, "!modelType");
        row("no address", { { u"base_url"_s, QJsonValue() } }, "!base_url");
        row("a Bedrock address",
            { { u"base_url"_s, u"https://bedrock-runtime.eu-west-1.amazonaws.com"_s },
                { u"model"_s, u"claude"_s } },
            "!base_url");
        row("a bad address", { { u"base_url"_s, u"file:///etc"_s } }, "!base_url");
        row("a password in the address", { { u"base_url"_s, u"https://u:p@h/"_s } }, "!base_url");
        row("a number as key", { { u"api_key"_s, 5 } }, "!api_key");
        row("a zero limit", { { u"max_output_tokens"_s, 0 } }, "!max_output_tokens");
        row("a line break in a header",
            { { u"default_headers"_s, QJsonObject { { u"X-A"_s, u"a\r\nEvil: 1"_s } } } },
            "!default_headers.X-A");
        row("a reserved header",
            { { u"default_headers"_s, QJsonObject { { u"Host"_s, u"x"_s } } } },
            "!default_headers.Host");
        row("a bad header name", { { u"default_headers"_s, QJsonObject { { u"X A"_s, u"x"_s } } } },
            "!default_headers");
        row("a bad proxy", { { u"proxy_url"_s, u"ftp://p"_s } }, "!proxy.url");
        row("an unknown profile key", { { u"profile"_s, QJsonObject { { u"magic"_s, 1 } } } },
            "!magic");
        row("an unknown family", { { u"profile"_s, QJsonObject { { u"family"_s, u"x"_s } } } },
            "!family");
        row("a profile value of the wrong kind",
            { { u"profile"_s, QJsonObject { { u"images"_s, 1 } } } }, "!images");
    }
    void upstream_formatAndRefusals()
    {
        QFETCH(QJsonObject, extra);
        QFETCH(QString, expected);
        QJsonObject object { { u"base_url"_s, u"https://h.example"_s } };
        for (auto it = extra.begin(); it != extra.end(); ++it) {
            object.insert(it.key(), it.value());
        }
        const auto upstream = Upstream::fromJson(object);
        if (expected.startsWith(u'!')) {
            QVERIFY(!upstream);
            QVERIFY2(upstream.error().message.contains(u'"' + expected.mid(1) + u'"'),
                qPrintable(upstream.error().message));
        } else {
            QVERIFY2(upstream.has_value(), upstream ? "" : qPrintable(upstream.error().message));
            QCOMPARE(upstream->requestUrl, expected);
        }
    }

    void upstream_ofATask_prefersTheModelConfig()
    {
        const QJsonObject config { { u"base_url"_s, u"https://a.example"_s } };
        const QJsonObject environment { { u"base_url"_s, u"https://b.example"_s } };
        QCOMPARE((*Upstream::fromTask(config, environment))->baseUrl, u"https://a.example"_s);
        QCOMPARE((*Upstream::fromTask({}, environment))->baseUrl, u"https://b.example"_s);
        QVERIFY(!Upstream::fromTask({}, {})->has_value());
        qputenv("DESKHAND_TEST_KEY", "from-env");
        QCOMPARE(Upstream::fromJson({ { u"base_url"_s, u"https://a"_s },
                                        { u"api_key"_s, u"${DESKHAND_TEST_KEY}"_s } })
                     ->apiKey,
            u"from-env"_s);
    }

    void families_areFoundByWordHostAndModel()
    {
        const auto family = [](const QString &url, const QString &model, const QString &word = {}) {
            Upstream upstream;
            upstream.requestUrl = url;
            upstream.modelId = model;
            if (!word.isEmpty()) {
                upstream.profile.insert(u"family"_s, word);
            }
            return ProviderProfile::resolve(upstream)->family;
        };
        QCOMPARE(family(u"https://api.deepseek.com/x"_s, {}), std::string("deepseek"));
        QCOMPARE(family(u"https://notdeepseek.com/x"_s, {}), std::string("generic"));
        QCOMPARE(family(u"https://gateway.example"_s, u"Kimi-K3"_s), std::string("kimi"));
        QCOMPARE(family(u"https://api.deepseek.com/x"_s, {}, u"qwen"_s), std::string("qwen"));
        Upstream old;
        old.requestUrl = u"https://api.deepseek.com/x"_s;
        old.modelId = u"deepseek-reasoner"_s;
        QVERIFY(ProviderProfile::resolve(old)->reasoningEcho == ReasoningEcho::Never);
    }

    void presets_areUsable()
    {
        QCOMPARE(providerPresets().size(), 15);
        std::set<QString> ids;
        for (const ProviderPreset &preset : providerPresets()) {
            QVERIFY2(ids.insert(preset.id).second, qPrintable(preset.id));
            QString base = preset.baseUrl;
            base.replace(u"<resource>"_s, u"resource"_s);
            const auto upstream = Upstream::fromJson(
                { { u"base_url"_s, base }, { u"api_format"_s, wireFormatName(preset.format) },
                    { u"family"_s, preset.family } });
            QVERIFY2(upstream.has_value(), qPrintable(preset.id));
            QVERIFY(preset.local || preset.baseUrl.startsWith("https://"_L1));
            QCOMPARE(preset.needsKey, !preset.keyUrl.isEmpty());
        }
    }

    void catalog_hasWhatCodexRequires()
    {
        QTemporaryDir dir;
        const QString file = dir.filePath(u"model-catalog.json"_s);
        const Json own = Json::array({ { { "slug", "wework-custom-a" }, { "display_name", "A" },
            { "base_instructions", "Do." }, { "context_window", 1000 } } });
        QVERIFY(writeCustomCatalog(file, own).has_value());
        QVERIFY(!writeCustomCatalog(file, Json::array({ { { "slug", "other" } } })).has_value());
        const Json document = catalogDocument(file);
        std::set<std::string> slugs;
        for (const Json &entry : document["models"]) {
            QVERIFY(slugs.insert(entry["slug"].get<std::string>()).second);
            for (const char *key : { "display_name", "shell_type", "visibility", "supported_in_api",
                     "priority", "base_instructions", "supports_reasoning_summaries",
                     "support_verbosity", "truncation_policy", "supports_parallel_tool_calls" }) {
                QVERIFY2(entry.contains(key), key);
            }
            QVERIFY(!entry.contains("upstream_model_id"));
            QVERIFY(entry["context_window"] == entry["max_context_window"]);
        }
        QVERIFY(slugs.contains("wework-custom-a"));
        QVERIFY(slugs.contains("deepseek-v4-pro-vision-sidecar"));
        QVERIFY(!slugs.contains("kimi-k3-vision-sidecar"));
        Upstream upstream;
        upstream.format = WireFormat::Chat;
        upstream.modelId = u"vendor/DeepSeek-V4-Pro"_s;
        const Json entry = catalogEntryFor("mine", upstream);
        QCOMPARE(entry["slug"].get<std::string>(), std::string("mine"));
        QVERIFY(entry["context_window"] == Json(1048576));
        QCOMPARE(entry["apply_patch_tool_type"].get<std::string>(), std::string("freeform"));
        QVERIFY(entry["input_modalities"] == Json::array({ "text" }));
    }

    void thinking_isPackedAndUnpacked()
    {
        const Json blocks = Json::array(
            { { { "type", "thinking" }, { "thinking", "é" }, { "signature", "s" } } });
        QVERIFY(unpackThinking(packThinking(blocks)).value() == blocks);
        QVERIFY(!unpackThinking("gAAAA"));
        QVERIFY(!unpackThinking("wa1:%%%"));
        QVERIFY(!unpackThinking(packThinking(Json::array({ { { "type", "text" } } }))));
    }

    void harnessContext_forgetsSecrets()
    {
        HarnessContexts contexts;
        const auto token = contexts.add({ { u"scope"_s, u"s"_s },
            { u"user"_s, QJsonObject { { u"id"_s, 1 }, { u"token"_s, u"secret"_s } } },
            { u"model"_s,
                QJsonObject { { u"runtimeModelId"_s, u"m"_s }, { u"apiKey"_s, u"secret"_s },
                    { u"capabilities"_s,
                        QJsonObject { { u"vision"_s, true }, { u"x"_s, u"secret"_s } } } } } });
        QVERIFY(token.has_value());
        QCOMPARE(token->size(), 64);
        for (const char *what : { "user", "model", "status" }) {
            const auto read = contexts.read(token->toLatin1(), what);
            QVERIFY(read.has_value());
            QVERIFY(!QJsonDocument(*read).toJson().contains("secret"));
        }
        contexts.revoke(*token);
        QVERIFY(!contexts.read(token->toLatin1(), "user"));
        QVERIFY(!contexts.add({ { u"scope"_s, u" "_s } }));
        HarnessContexts expired { std::chrono::milliseconds(0) };
        const auto old = expired.add({ { u"scope"_s, u"s"_s }, { u"user"_s, QJsonObject() },
            { u"model"_s, QJsonObject() } });
        QVERIFY(!expired.read(old->toLatin1(), "status"));
    }

    void images_areLimitedAndChecked()
    {
        QVERIFY(imageFault("https://x/y.png").empty());
        QVERIFY(imageFault("data:image/png;base64,QUJD").empty());
        QVERIFY(!imageFault("http://x/y.png").empty());
        QVERIFY(!imageFault("data:image/svg+xml;base64,QUJD").empty());
        QVERIFY(!imageFault("data:image/png;base64,***").empty());
        QVERIFY(!imageFault("").empty());
        const std::string big = "data:image/png;base64," + std::string(21 * 1024 * 1024, 'A');
        const auto message = [](const std::string &url) {
            return Json { { "type", "message" }, { "role", "user" },
                { "content",
                    Json::array({ { { "type", "input_image" }, { "image_url", url } } }) } };
        };
        Json input = Json::array({ message(big), message(big), message(big), message(big) });
        QVERIFY(limitImages(input));
        QVERIFY(input[0]["content"][0]["type"] == "input_text");
        QVERIFY(input[3]["content"][0]["type"] == "input_image");
        QCOMPARE(imageContext(Json::array({ { { "role", "user" },
                     { "content",
                         "# Files mentioned by the user:\n- a\n## My request for Codex: <image "
                         "name=x>look" } } })),
            std::string("look"));
    }

    void names_areFlatSafeShortAndDifferent()
    {
        const ToolNames names = ToolNames::fromTools(Json::array(
            { { { "type", "namespace" }, { "name", "a" },
                  { "tools", Json::array({ { { "type", "function" }, { "name", "b" } } }) } },
                { { "type", "function" }, { "name", "a__b" } } }));
        QCOMPARE(names.wireName({ ToolKind::Function, {}, "a__b" }), std::string("a__b"));
        QCOMPARE(names.wireNameOf("a", "b"), std::string("a__b__2"));
        QCOMPARE(names.identity("a__b__2")->space, std::string("a"));
        QCOMPARE(flatToolName("x_", "y"), std::string("x_y"));
        QCOMPARE(flatToolName("x", "_y"), std::string("x_y"));
        QCOMPARE(flatToolName("x.y", "z w"), std::string("x_y__z_w"));
        QCOMPARE(flatToolName("", std::string(80, 'n')).size(), size_t(64));
    }

    void adviceForFailedPatches_isAppendedOnce()
    {
        Json input = Json::array({ { { "type", "custom_tool_call" }, { "call_id", "c" },
                                       { "name", "apply_patch" } },
            { { "type", "custom_tool_call_output" }, { "call_id", "c" },
                { "output", "apply_patch verification failed: Failed to find expected lines" } },
            { { "type", "custom_tool_call_output" }, { "call_id", "d" },
                { "output", "apply_patch failed" } } });
        QVERIFY(addPatchAdvice(input));
        QVERIFY(input[1]["output"].get<std::string>().find("Call apply_patch again")
            != std::string::npos);
        QCOMPARE(input[2]["output"].get<std::string>(), std::string("apply_patch failed"));
        QVERIFY(patchAdvice("Success. Updated the following files").empty());
    }

    void bodies_ofHostileShape_areRefusedOrSurvived()
    {
        const std::string deep
            = "{\"a\":" + std::string(100000, '[') + std::string(100000, ']') + "}";
        QVERIFY(!readRequestFacts(deep));
        QVERIFY(!parseJson(deep));
        const std::string wide
            = "{\"model\":\"m\",\"input\":\"" + std::string(10 * 1024 * 1024, 'x') + "\"}";
        QVERIFY(readRequestFacts(wide).has_value());
        QCOMPARE(passedThrough(wide, {}), wide);
        QVERIFY(!readRequestFacts("{\"a\":\"\xff\"}"));
        std::string keys = "{";
        for (int i = 0; i < 200000; ++i) {
            keys += "\"k" + std::to_string(i) + "\":1,";
        }
        keys += "\"model\":\"m\"}";
        QCOMPARE(parseJson(keys)->size(), size_t(200001)); // and not in quadratic time
        QCOMPARE(decodedBody("abc", "", 10).value(), std::string("abc"));
        QVERIFY(!decodedBody("abc", "zstd", 10));
        QVERIFY(!decodedBody("abc", "gzip", 10));
    }
};

QTEST_GUILESS_MAIN(TestTranslation)
#include "tst_modelproxy_translation.moc"
