// SPDX-License-Identifier: Apache-2.0
#include "executor/logging/masking.h"
#include "executor/modelproxy/chatanswer.h"
#include "executor/modelproxy/chatrequest.h"
#include "executor/modelproxy/inlinethink.h"
#include "executor/modelproxy/messagesanswer.h"
#include "executor/modelproxy/messagesin.h"
#include "executor/modelproxy/packedthinking.h"
#include "executor/modelproxy/responsesanswer.h"
#include "executor/modelproxy/toolcalls.h"
#include "tests/executor/modelproxy/translations.h"

#include <QTest>

#include <functional>
#include <memory>

using namespace deskhand;
using namespace deskhand::modelproxy;
using namespace deskhand::test;
using namespace Qt::StringLiterals;

class TestAnswers final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
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
            << u"<think>\nI see.\n</think>\n\nYes"_s << u"I see."_s << u"Yes"_s;
        QTest::newRow("line breaks within it stay")
            << u"<think>\n\na\n\nb\n</think>c"_s << u"a\n\nb"_s << u"c"_s;
        QTest::newRow("an empty block") << u"<think>\n\n</think>\n\nYes"_s << u""_s << u"Yes"_s;
        QTest::newRow("blanks before it") << u"\n <think>a</think>b"_s << u"a"_s << u"b"_s;
        QTest::newRow("later tags are text")
            << u"Use <think>x</think>"_s << u""_s << u"Use <think>x</think>"_s;
        QTest::newRow("a second block is text")
            << u"<think>a</think>b<think>c</think>"_s << u"a"_s << u"b<think>c</think>"_s;
        QTest::newRow("half a tag is text in the end") << u"<thi"_s << u""_s << u"<thi"_s;
        QTest::newRow("a block without its opening tag")
            << u"\nI see.\n</think>\n\nYes</think>"_s << u"\nI see."_s << u"Yes</think>"_s;
        QTest::newRow("no block where one was expected")
            << u"Just </thi an answer"_s << u"Just </thi an answer"_s << u"Just </thi an answer"_s;
        QTest::newRow("a block that never closes") << u"<think>a</thin"_s << u"a</thin"_s << u""_s;
    }
    void inlineThink_isSplitOverAnyPieces()
    {
        QFETCH(QString, text);
        QFETCH(QString, reasoning);
        QFETCH(QString, answer);
        const std::string bytes = text.toStdString();
        for (size_t piece = 1; piece <= bytes.size(); ++piece) {
            // Some servers never send the opening tag.
            const bool opensItself = !text.contains("<thi"_L1);
            InlineThink think(true, opensItself);
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

    void thinking_isPackedAndUnpacked()
    {
        const Json blocks = Json::array(
            { { { "type", "thinking" }, { "thinking", "é" }, { "signature", "s" } } });
        QVERIFY(unpackThinking(packThinking(blocks)).value() == blocks);
        QVERIFY(!unpackThinking("gAAAA"));
        QVERIFY(!unpackThinking("wa1:%%%"));
        QVERIFY(!unpackThinking(packThinking(Json::array({ { { "type", "text" } } }))));
    }

    void answers_ofHostileShape_endOnce_data()
    {
        QTest::addColumn<QByteArray>("stream");
        const auto row = [](const char *name, const QByteArray &stream) {
            QTest::newRow(name) << stream;
        };
        row("a response that is a text", "{\"type\":\"response.in_progress\",\"response\":\"x\"}");
        row("a created one that is a list", "{\"type\":\"response.created\",\"response\":[1]}");
        row("an output of numbers",
            "{\"type\":\"response.completed\",\"response\":{\"id\":\"r\",\"output\":[1,\"x\",null,["
            "]]}}");
        row("the largest index",
            "{\"type\":\"response.output_item.added\",\"output_index\":9223372036854775807,"
            "\"item\":{\"id\":\"a\",\"type\":\"message\"}}");
        row("the largest counts",
            "{\"type\":\"response.completed\",\"response\":{\"id\":\"r\",\"usage\":{"
            "\"input_tokens\":9223372036854775807,\"output_tokens\":18446744073709551615}}}");
        row("a type with a line break", "{\"type\":\"response.x\\n\\ndata: {}\",\"response\":{}}");
        row("a message that is a text", "{\"type\":\"message_start\",\"message\":\"x\"}");
        row("a delta that is a number", "{\"type\":\"message_delta\",\"delta\":5,\"usage\":[]}");
        row("a block that is a list",
            "{\"type\":\"content_block_start\",\"content_block\":[]}\n\ndata: "
            "{\"type\":\"content_block_delta\",\"delta\":{\"text\":\"x\"}}");
        row("the largest counts of Messages",
            "{\"type\":\"message_delta\",\"usage\":{\"input_tokens\":9223372036854775807,"
            "\"cache_read_input_tokens\":9223372036854775807,"
            "\"output_tokens\":9223372036854775807}}");
        row("the largest counts of Chat",
            "{\"choices\":[{\"index\":0,\"finish_reason\":\"stop\"}],\"usage\":{"
            "\"prompt_tokens\":9223372036854775807,\"completion_tokens\":9223372036854775807}}");
    }
    void answers_ofHostileShape_endOnce()
    {
        QFETCH(QByteArray, stream);
        const std::string bytes = "data: " + stream.toStdString() + "\n\n";
        const auto makers = {
            std::function<std::unique_ptr<AnswerTranslator>()>(
                [] { return std::make_unique<ResponsesAnswer>(); }),
            std::function<std::unique_ptr<AnswerTranslator>()>(
                [] { return std::make_unique<ChatAnswer>(ToolNames(), ProviderProfile(), "m"); }),
            std::function<std::unique_ptr<AnswerTranslator>()>(
                [] { return std::make_unique<MessagesAnswer>(ToolNames(), "m"); }),
            std::function<std::unique_ptr<AnswerTranslator>()>(
                [] { return std::make_unique<MessagesPassage>(); }),
        };
        for (const auto &make : makers) {
            const auto translator = make();
            translator->feed(bytes);
            std::string output = translator->takeOutput();
            static_cast<void>(translator->keepAlive());
            translator->finish();
            output += translator->takeOutput();
            QVERIFY(translator->ended());
            QVERIFY(Json::accept(wholeMessage(output)));
            QVERIFY(Json::accept(wholeResponse(output)));
            for (const Json &event : joinedEvents(output)) {
                QVERIFY2(textMember(event["data"], "type") == textMember(event, "event"),
                    output.c_str());
            }
        }
    }

    void eventsWithoutIndexOrType_keepWhatTheyHold()
    {
        ResponsesAnswer answer;
        answer.feed("event: response.created\ndata: {\"response\":{\"id\":\"r1\"}}\n\n"
                    "event: response.output_item.done\ndata: {\"item\":{\"type\":\"message\","
                    "\"id\":\"m1\",\"role\":\"assistant\",\"content\":[{\"type\":"
                    "\"output_text\",\"text\":\"kept\"}]}}\n\n"
                    "event: response.completed\ndata: {\"response\":{\"id\":\"r1\","
                    "\"status\":\"completed\",\"output\":[]}}\n\n");
        answer.finish();
        const std::string output = answer.takeOutput();
        bool ended = false;
        for (const Json &event : joinedEvents(output)) {
            const Json &data = event["data"];
            if (textMember(data, "type") == "response.output_item.done") {
                ended = true;
                QCOMPARE(data["output_index"].get<int>(), 0);
                QVERIFY(textMember(data["item"], "id") == "m1");
                QVERIFY(textMember(data["item"]["content"][0], "text") == "kept");
            }
        }
        QVERIFY2(ended, output.c_str());
        const Json last = joinedEvents(output).back();
        QVERIFY(textMember(last["data"], "type") == "response.completed");
        QVERIFY(textMember(last["data"]["response"], "id") == "r1");
    }

    void items_endOnce_whateverTheirIdsAndHoweverMany()
    {
        // Announced without an id, repeated in the end with one: still the same item.
        const std::string item
            = "{\"type\":\"function_call\",\"call_id\":\"c\",\"name\":\"f\",\"arguments\":\"{}\"}";
        const std::string output = answered(ResponsesAnswer(),
            "data: {\"type\":\"response.output_item.done\",\"output_index\":0,\"item\":" + item
                + "}\n\ndata: {\"type\":\"response.completed\",\"response\":{\"id\":\"r\","
                  "\"output\":[{\"id\":\"late\","
                + item.substr(1) + "]}}\n\n");
        QCOMPARE(QByteArray::fromStdString(output).count("event: response.output_item.done"), 1);
        // More than any model makes: refused, and not in quadratic time.
        std::string many
            = "data: {\"type\":\"response.completed\",\"response\":{\"id\":\"r\",\"output\":[";
        for (int i = 0; i < 200000; ++i) {
            many += "{\"type\":\"message\"},";
        }
        many += "{}]}}\n\n";
        const Json response = lastResponse(answered(ResponsesAnswer(), many));
        QCOMPARE(response["status"].get<std::string>(), std::string("failed"));
    }

    void failures_withinAStream_doNotRepeatTheKey()
    {
        const std::string key = "provider-secret-4711";
        logging::addSecret(QString::fromStdString(key));
        const std::string error = "{\"code\":\"server_error\",\"message\":\"bad key " + key + "\"}";
        const std::string failed = "data: {\"type\":\"response.failed\",\"response\":{\"id\":\"r\","
                                   "\"error\":"
            + error + "}}\n\n";
        QVERIFY(answered(ResponsesAnswer(), failed).find(key) == std::string::npos);
        const std::string chunk = "data: {\"error\":" + error + "}\n\n";
        for (const std::string &output : { answered(ChatAnswer(ToolNames(), {}, "m"), chunk),
                 answered(MessagesPassage(), "event: error\n" + chunk) }) {
            QVERIFY2(output.find("bad key") != std::string::npos, output.c_str());
            QVERIFY(output.find(key) == std::string::npos);
        }
    }
};

QTEST_GUILESS_MAIN(TestAnswers)
#include "tst_modelproxy_answers.moc"
