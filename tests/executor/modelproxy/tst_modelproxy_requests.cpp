// SPDX-License-Identifier: Apache-2.0
#include "executor/modelproxy/bodydecoder.h"
#include "executor/modelproxy/chatanswer.h"
#include "executor/modelproxy/chatrequest.h"
#include "executor/modelproxy/messagesrequest.h"
#include "executor/modelproxy/modelswitch.h"
#include "executor/modelproxy/responsesrequest.h"
#include "executor/modelproxy/toolhistory.h"
#include "executor/modelproxy/visionsidecars.h"
#include "executor/modelproxy/wireids.h"
#include "tests/executor/modelproxy/translations.h"

#include <QTest>

#include <limits>
#include <random>

using namespace deskhand;
using namespace deskhand::modelproxy;
using namespace deskhand::test;
using namespace Qt::StringLiterals;

class TestRequests final : public QObject
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
        // What the model thought before a call comes back with it.
        history.record("r3",
            Json::array({ { { "type", "reasoning" },
                              { "summary", Json::array({ { { "text", "why" } } }) } },
                call("t", "three") }));
        Json thought = Json::array({ output("t") });
        QVERIFY(history.restore(thought, "r3"));
        QCOMPARE(thought.size(), size_t(3));
        const Json body = chatBody({ { "model", "m" }, { "input", thought } }, profileOf("kimi"));
        QCOMPARE(body["messages"][0]["reasoning_content"].get<std::string>(), std::string("why"));
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
        Json small = Json::array({ message("data:image/png;base64," + std::string(8000, 'A')) });
        QVERIFY(limitImages(small, 5000)); // a provider's own limit
        const std::string body = dumpJson({ { "model", "m" },
            { "input", Json::array({ message(big), message(big), message(big) }) } });
        QVERIFY(passedThrough(body, {}).find("left out") != std::string::npos);
        QCOMPARE(imageContext(Json::array({ { { "role", "user" },
                     { "content",
                         "# Files mentioned by the user:\n- a\n## My request for Codex: <image "
                         "name=x>look" } } })),
            std::string("look"));
    }

    void json_isReadAndWrittenAsTheLibraryDoesIt()
    {
        const std::vector<std::string> texts { "{}", "[]", " [ ] ",
            "{\"a\":1,\"b\":[true,false,null]}",
            "\"\\u00e9\\ud83d\\ude00 \\\" \\\\ \\/ \\b\\f\\n\\r\\t\"", "\"\\ud83d\"", "\"\\ude00\"",
            "\"\\ud83dx\"", "\"\\u00g0\"", "\"\\u00\"", "\"\\x\"", "\"a\nb\"", "\"open", "\"\\",
            "\"h\xc3\xa9llo w\xc3\xb6rld, long enough for eight bytes\"", "\"\xc3\"", "\"\xc3(\"",
            "\"\xed\xa0\x80\"", "\"\xf4\x90\x80\x80\"", "\"\x7f\"", "0", "-0", "-", "01", "1.",
            "1.5", ".5", "-1.25", "9223372036854775807", "9223372036854775808",
            "18446744073709551615", "18446744073709551616", "-9223372036854775808",
            "-9223372036854775809", "1e5", "1E-2", "1e", "1e+", "tru", "true", "truex", "nul",
            "[1,]", "[,1]", "{\"a\":1,}", "{\"a\"}", "{a:1}", "{\"a\":1 \"b\":2}", "[1 2]", "[1]]",
            "", " ", "\xef\xbb\xbf{}", "{\"a\":{\"a\":[", "{\"a\":1,\"a\":2}",
            "[\"seven77\",\"eight888\",\"nine99999\\n\",\"tab\\tin the middle\"]" };
        for (const std::string &text : texts) {
            const Result<Json> ours = parseJson(text);
            const Json theirs = Json::parse(text, nullptr, false);
            QVERIFY2(ours.has_value() != theirs.is_discarded(), text.c_str());
            QCOMPARE(isJsonText(text), ours.has_value());
            if (ours) {
                QVERIFY2(*ours == theirs, text.c_str());
                QVERIFY2(Json::parse(dumpJson(*ours)) == theirs, text.c_str());
            }
        }
        QCOMPARE(dumpJson(Json("a\xff"
                               "b")),
            std::string("\"a\xef\xbf\xbd"
                        "b\""));
        QCOMPARE(parseJson("-1e999").value().get<double>(), std::numeric_limits<double>::lowest());
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

QTEST_GUILESS_MAIN(TestRequests)
#include "tst_modelproxy_requests.moc"
