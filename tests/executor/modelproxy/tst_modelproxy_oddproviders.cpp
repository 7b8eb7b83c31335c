// SPDX-License-Identifier: Apache-2.0
#include "executor/modelproxy/chatanswer.h"
#include "executor/modelproxy/chatrequest.h"
#include "executor/modelproxy/messagesanswer.h"
#include "executor/modelproxy/messagesin.h"
#include "executor/modelproxy/messagesrequest.h"
#include "executor/modelproxy/responsesanswer.h"
#include "tests/executor/modelproxy/proxyfixture.h"
#include "tests/executor/modelproxy/translations.h"

#include <QTest>

#include <map>
#include <memory>
#include <set>

using namespace deskhand;
using namespace deskhand::modelproxy;
using namespace deskhand::test;
using namespace Qt::StringLiterals;

namespace {

std::string dataOf(std::initializer_list<std::string> events)
{
    std::string stream;
    for (const std::string &event : events) {
        stream += "data: " + event + "\n\n";
    }
    return stream;
}

std::string delta(const std::string &fields, const std::string &more = {})
{
    return "{\"id\":\"x\",\"choices\":[{\"index\":0,\"delta\":{" + fields + "}" + more + "}]}";
}

std::string call(const std::string &fields, const char *name, const char *arguments)
{
    const Json function { { "name", name }, { "arguments", arguments } };
    return delta("\"tool_calls\":[{" + fields + "\"function\":" + dumpJson(function) + "}]");
}

Json chatOutput(std::initializer_list<std::string> events)
{
    return lastResponse(
        answered(ChatAnswer(ToolNames(), {}, "m"), dataOf(events) + "data: [DONE]\n\n"))["output"];
}

QByteArray text(const Json &value)
{
    return QByteArray::fromStdString(
        value.is_string() ? value.get<std::string>() : dumpJson(value));
}

/// The texts of all text blocks in a stream of Messages events.
std::string saidIn(const std::string &events, const char *key)
{
    std::string said;
    for (const Json &event : joinedEvents(events)) {
        if (textMember(event, "event") == "content_block_delta") {
            said += textMember(event["data"]["delta"], key);
        }
    }
    return said;
}

const std::string kMessageStart
    = "{\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"type\":\"message\",\"content\":[],"
      "\"usage\":{\"input_tokens\":10,\"output_tokens\":1}}}";
const std::string kMessageBlock
    = "{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\","
      "\"text\":\"hi\"}}";
const std::string kMessageDelta
    = "{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"stop_sequence\","
      "\"stop_sequence\":\"E\"},\"usage\":{\"output_tokens\":7}}";

} // namespace

/// What providers and gateways get wrong, as a client of the proxy sees it.
class TestOddProviders final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void calls_ofOneId_areToldApart()
    {
        for (const Json &output : {
                 chatOutput({ call("\"index\":0,\"id\":\"x\",", "f", "{\"n\":1}"),
                     call("\"index\":1,\"id\":\"x\",", "g", "{\"n\":2}") }),
                 chatOutput({ call("\"id\":\"x\",", "f", "{\"n\":1}"),
                     call("\"id\":\"x\",", "g", "{\"n\":2}") }),
                 chatOutput({ call("\"index\":0,\"id\":\"\",", "f", "{\"n\":1}"),
                     call("\"index\":0,\"id\":\"\",", "g", "{\"n\":2}") }),
             }) {
            QCOMPARE(output.size(), size_t(2));
            QCOMPARE(text(output[0]["name"]), "f");
            QCOMPARE(text(output[0]["arguments"]), "{\"n\":1}");
            QCOMPARE(text(output[1]["name"]), "g");
            QCOMPARE(text(output[1]["arguments"]), "{\"n\":2}");
            QVERIFY(output[0]["call_id"] != output[1]["call_id"]);
        }
        std::string stream = "data: " + kMessageStart + "\n\n";
        for (const char *index : { "0", "1" }) {
            stream += dataOf({ std::string("{\"type\":\"content_block_start\",\"index\":") + index
                    + ",\"content_block\":{\"type\":\"tool_use\",\"id\":\"x\",\"name\":\"f\","
                      "\"input\":{\"n\":1}}}",
                std::string("{\"type\":\"content_block_stop\",\"index\":") + index + "}" });
        }
        const Json both = lastResponse(
            answered(MessagesAnswer({}, "m"), stream + dataOf({ kMessageDelta })))["output"];
        QCOMPARE(both.size(), size_t(2));
        QVERIFY(both[0]["call_id"] != both[1]["call_id"]);
    }

    void results_ofOneIdInOneTurn_goToTheCallsInOrder()
    {
        const auto item = [](const char *n) {
            return std::string("{\"type\":\"function_call\",\"call_id\":\"x\",\"name\":\"f\","
                               "\"arguments\":\"{\\\"n\\\":")
                + n + "}\"}";
        };
        const auto result = [](const char *output) {
            return std::string("{\"type\":\"function_call_output\",\"call_id\":\"x\",\"output\":\"")
                + output + "\"}";
        };
        const Json messages
            = chatBody(parseJson("{\"input\":[" + item("1") + ',' + item("2") + ',' + result("one")
                           + ',' + result("two") + ',' + item("3") + ',' + result("three") + "]}")
                           .value(),
                {})["messages"];
        QVERIFY(pairingFault(messages).empty());
        std::map<std::string, std::string> results;
        for (const Json &message : messages) {
            if (textMember(message, "role") == "tool") {
                results[message["tool_call_id"]] = message["content"];
            }
        }
        QCOMPARE(text(results[messages[0]["tool_calls"][0]["id"]]), "one");
        QCOMPARE(text(results[messages[0]["tool_calls"][1]["id"]]), "two");
        QCOMPARE(text(results[messages[3]["tool_calls"][0]["id"]]), "three");
    }

    void snapshots_addOnlyWhatIsNew()
    {
        const std::string whole
            = "{\"id\":\"x\",\"choices\":[{\"index\":0,\"delta\":{},\"message\":{\"content\":"
              "\"hello\",\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"f\","
              "\"arguments\":\"{\\\"k\\\":1}\"}}]},\"finish_reason\":\"tool_calls\"}]}";
        const Json output = chatOutput({ delta("\"content\":\"hel\""),
            call("\"index\":0,\"id\":\"a\",", "f", "{\"k\""), whole });
        QCOMPARE(text(output[1]["arguments"]), "{\"k\":1}");
        const Json twice
            = chatOutput({ call("\"index\":0,\"id\":\"a\",", "f", "{\"k\":1}"), whole, whole });
        QCOMPARE(text(twice[0]["arguments"]), "{\"k\":1}");
    }

    void reasoning_ofAnAssistantsMessage_isReadInEveryField()
    {
        for (const char *field : { "\"reasoning_content\":\"t\"", "\"reasoning\":\"t\"",
                 "\"reasoning_text\":\"t\"", "\"reasoning_details\":[{\"text\":\"t\"}]" }) {
            const Json messages
                = chatBody(parseJson(std::string("{\"input\":[{\"role\":\"assistant\",\"content\":"
                                                 "\"a\",")
                               + field + "},{\"role\":\"user\",\"content\":\"q\"}]}")
                               .value(),
                    {})["messages"];
            QVERIFY2(textMember(messages[0], "reasoning_content") == "t", field);
        }
    }

    void keepAlive_ofATranslatedAnswer_isNumberedLikeEveryEvent()
    {
        ChatAnswer answer(ToolNames(), {}, "m");
        answer.feed(dataOf({ delta("\"content\":\"a\"") }));
        std::string output = answer.takeOutput() + answer.keepAlive();
        answer.feed(dataOf({ delta("\"content\":\"b\"") }) + "data: [DONE]\n\n");
        output += answer.takeOutput();
        std::int64_t expected = 0;
        for (const Json &event : joinedEvents(output)) {
            QCOMPARE(intMember(event["data"], "sequence_number").value_or(-1), expected++);
        }
    }

    void itemsOfTheLastEvent_underOtherIds_areNotRunAgain()
    {
        const auto item = [](const char *id, const char *rest) {
            return std::string("{\"id\":\"") + id + "\"," + rest + "}";
        };
        for (const char *rest :
            { "\"type\":\"function_call\",\"call_id\":\"c\",\"name\":\"f\",\"arguments\":\"{}\"",
                "\"type\":\"message\",\"content\":[{\"type\":\"output_text\",\"text\":\"x\"}]" }) {
            const std::string output = answered(ResponsesAnswer(),
                dataOf({ "{\"type\":\"response.output_item.done\",\"output_index\":0,\"item\":"
                        + item("streamed", rest) + "}",
                    "{\"type\":\"response.completed\",\"response\":{\"id\":\"r\",\"output\":["
                        + item("other", rest) + "]}}" }));
            QCOMPARE(
                QByteArray::fromStdString(output).count("event: response.output_item.done"), 1);
            QCOMPARE(text(lastResponse(output)["output"][0]["id"]), "streamed");
        }
    }

    void toolsFoundBySearch_canBeCalled_thoughNoneWasThereBefore()
    {
        const std::string body
            = "{\"model\":\"m\",\"tools\":[{\"type\":\"tool_search\"}],\"input\":[{\"type\":"
              "\"tool_search_call\",\"call_id\":\"s\",\"arguments\":{}},{\"type\":"
              "\"tool_search_output\",\"call_id\":\"s\",\"tools\":[{\"type\":\"namespace\","
              "\"name\":\"mcp__x\",\"tools\":[{\"type\":\"function\",\"name\":\"f\"}]},"
              "{\"type\":\"function\",\"name\":\"plain\"}]}]}";
        const auto names = [&body](bool nativeSpaces) {
            Upstream upstream;
            upstream.nativeNamespaceTools = nativeSpaces;
            std::set<std::string, std::less<>> found;
            const Json passed = parseJson(passedThrough(body, upstream)).value();
            for (const Json &tool : passed["tools"]) {
                found.emplace(textMember(tool, "name"));
            }
            return found;
        };
        QVERIFY(names(false).contains("mcp__x__f"));
        QVERIFY(names(false).contains("plain"));
        QVERIFY(names(true).contains("mcp__x"));
        QVERIFY(names(true).contains("plain"));
    }

    void messagesClients_hearWhatCameWhole()
    {
        const std::string item = "{\"id\":\"i\",\"type\":\"message\",\"content\":[{\"type\":"
                                 "\"output_text\",\"text\":\"whole\"}]}";
        const std::string thought = "{\"id\":\"t\",\"type\":\"reasoning\",\"summary\":[{\"type\":"
                                    "\"summary_text\",\"text\":\"why\"}]}";
        const std::string completed = "{\"type\":\"response.completed\",\"response\":{\"id\":\"r\","
                                      "\"output\":["
            + thought + ',' + item + "]}}";
        const std::string pieces
            = dataOf({ "{\"type\":\"response.output_text.delta\",\"item_id\":\"i\","
                       "\"output_index\":1,\"delta\":\"whole\"}",
                "{\"type\":\"response.output_item.done\",\"output_index\":1,\"item\":" + item + "}",
                completed });
        for (const std::string &stream : { dataOf({ completed }),
                 "{\"id\":\"r\",\"object\":\"response\",\"output\":[" + thought + ',' + item + "]}",
                 pieces }) {
            const std::string events
                = answered(MessagesFromResponses(std::make_unique<ResponsesAnswer>()), stream);
            QCOMPARE(QByteArray::fromStdString(saidIn(events, "text")), "whole");
            QCOMPARE(QByteArray::fromStdString(saidIn(events, "thinking")), "why");
        }
    }

    void messagesOfServersWithoutStop_areComplete()
    {
        const std::string output
            = answered(MessagesPassage(), dataOf({ kMessageStart, kMessageBlock, kMessageDelta }));
        QCOMPARE(text(joinedEvents(output).back()["event"]), "message_stop");
        // What the start told about the input stays, what the end tells about the stop is kept.
        const Json whole = parseJson(wholeMessage(output)).value();
        QVERIFY(whole["usage"]["input_tokens"] == Json(10));
        QVERIFY(whole["usage"]["output_tokens"] == Json(7));
        QCOMPARE(text(whole["stop_sequence"]), "E");
        // Numbers alone do not mean that the model is done.
        MessagesPassage counting;
        counting.feed(dataOf({ kMessageStart,
            "{\"type\":\"message_delta\",\"delta\":{},\"usage\":{\"output_tokens\":1}}" }));
        QVERIFY(!counting.state().finishing);
        counting.finish();
        QCOMPARE(text(joinedEvents(counting.takeOutput()).back()["event"]), "error");
    }

    void errors_ofAllProviders_haveTheirCode_data()
    {
        QTest::addColumn<int>("status");
        QTest::addColumn<QByteArray>("body");
        QTest::addColumn<QByteArray>("code");
        const auto row = [](const char *name, int status, const char *body, std::string_view code) {
            QTest::newRow(name) << status << QByteArray(body)
                                << QByteArray(code.data(), qsizetype(code.size()));
        };
        row("OpenAI's quota", 429,
            R"({"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"insufficient_quota"}})",
            kInsufficientQuota);
        row("OpenAI's rate", 429,
            R"({"error":{"message":"Rate limit reached, try again in 2 s","type":"requests","code":"rate_limit_exceeded"}})",
            kRateLimitExceeded);
        row("DeepSeek's balance", 402,
            R"({"error":{"message":"Insufficient Balance","type":"unknown_error","code":"invalid_request_error"}})",
            kInsufficientQuota);
        row("Kimi's quota", 429,
            R"({"error":{"message":"Your account is not active","type":"exceeded_current_quota_error"}})",
            kInsufficientQuota);
        row("Kimi's rate", 429,
            R"({"error":{"message":"max RPM: 3","type":"rate_limit_reached_error"}})",
            kRateLimitExceeded);
        row("GLM's balance by number", 429, R"({"error":{"code":"1113","message":"?"}})",
            kInsufficientQuota);
        row("GLM's balance in words", 429,
            "{\"error\":{\"message\":\"\xE4\xBD\x99\xE9\xA2\x9D\xE4\xB8\x8D\xE8\xB6\xB3\"}}",
            kInsufficientQuota);
        row("GLM's rate", 429, R"({"error":{"code":"1302","message":"?"}})", kRateLimitExceeded);
        row("Anthropic's credit", 400,
            R"({"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low"}})",
            kInsufficientQuota);
        row("a gateway's quota", 403, R"({"error":{"code":"insufficient_user_quota"}})",
            kInsufficientQuota);
        row("Gemini's list", 429,
            R"([{"error":{"code":429,"message":"Resource exhausted","status":"RESOURCE_EXHAUSTED"}}])",
            kRateLimitExceeded);
        row("Anthropic is overloaded", 529,
            R"({"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}})",
            kServerOverloaded);
    }
    void errors_ofAllProviders_haveTheirCode()
    {
        QFETCH(int, status);
        QFETCH(QByteArray, body);
        QFETCH(QByteArray, code);
        const Json json = parseJson(body.toStdString()).value();
        const ProviderError error = providerError(json, status);
        QCOMPARE(QByteArray::fromStdString(error.code), code);
        QVERIFY(error.message.find("without words") == std::string::npos);
        // The same with status 200, as some gateways do it.
        if (json.is_array()) {
            const Json response
                = lastResponse(answered(ChatAnswer(ToolNames(), {}, "m"), body.toStdString()));
            QCOMPARE(text(response["error"]["code"]), code);
            QCOMPARE(text(response["error"]["message"]), "Resource exhausted");
        }
    }

    void failures_beforeAndAfterTheModelSpoke_data()
    {
        QTest::addColumn<QByteArray>("stream");
        QTest::addColumn<int>("attempts");
        QTest::newRow("a refusal in the first event is final") << QByteArray(
            "data: {\"error\":{\"message\":\"no such model\",\"type\":"
            "\"invalid_request_error\"}}\n\n") << 1;
        QTest::newRow("so is one by number")
            << QByteArray("data: {\"error\":{\"message\":\"no\",\"code\":401}}\n\n") << 1;
        QTest::newRow("a busy server is asked again")
            << QByteArray("data: {\"error\":{\"message\":\"busy\",\"code\":503}}\n\n") << 6;
        QTest::newRow("not once the model spoke, though all came in one piece")
            << QByteArray::fromStdString(dataOf({ delta("\"content\":\"a\""),
                   "{\"error\":{\"message\":\"busy\",\"code\":503}}" }))
            << 1;
        QTest::newRow("nor when its finish reason is the failure") << QByteArray::fromStdString(
            dataOf({ delta(
                "\"content\":\"a\"", ",\"finish_reason\":\"insufficient_system_resource\"") })
            + "data: [DONE]\n\n") << 1;
    }
    void failures_beforeAndAfterTheModelSpoke()
    {
        QFETCH(QByteArray, stream);
        QFETCH(int, attempts);
        ProxyFixture fixture;
        fixture.upstream.setScript(
            [&](UpstreamReply &reply) { reply.respond(200, "text/event-stream", stream); });
        QVERIFY(fixture.addRoute(u"openai-chat-completions"_s));
        const auto client = fixture.post("{\"model\":\"m\",\"input\":\"x\"}");
        QTRY_VERIFY(client->answer().complete);
        QCOMPARE(client->answer().events().last().first, "response.failed");
        QCOMPARE(fixture.upstream.requests().size(), attempts);
    }

    void messagesRequests_withoutAMessage_areRefusedHere()
    {
        ProxyFixture fixture;
        QVERIFY(fixture.addRoute(u"openai-chat-completions"_s));
        const auto upstream = Upstream::fromJson({ { u"base_url"_s, fixture.upstream.baseUrl() },
            { u"api_format"_s, u"openai-responses"_s } });
        const auto grant = fixture.proxy.registerHarnessRoute(u"h"_s, *upstream);
        for (const char *messages : { "\"x\"", "null", "[]" }) {
            const auto client = fixture.connectClient();
            client->post("/v1/harness-router/" + grant->token.toLatin1() + "/v1/messages",
                QByteArray("{\"model\":\"m\",\"messages\":") + messages + "}");
            QTRY_COMPARE(client->answer().status, 400);
        }
        QVERIFY(fixture.upstream.requests().isEmpty());
    }

    void peers_thatDoNotSpeakHttp_areSaidToBe()
    {
        ProxyFixture fixture;
        fixture.upstream.setScript([](UpstreamReply &reply) {
            reply.raw("SSH-2.0-OpenSSH_9\r\n");
            reply.close();
        });
        QVERIFY(fixture.addRoute(u"openai-chat-completions"_s));
        const auto client = fixture.post("{\"model\":\"m\",\"input\":\"x\"}");
        QTRY_COMPARE(client->answer().status, 502);
        QTRY_VERIFY(client->answer().complete);
        QVERIFY2(client->answer().body.contains("does not speak HTTP"),
            client->answer().body.constData());
    }

    void balance_thatPaysForLess_isAskedForLessOnce()
    {
        ProxyFixture fixture;
        fixture.upstream.setScript([](UpstreamReply &reply) {
            reply.respond(402, "application/json",
                "{\"error\":{\"message\":\"You requested 9000 tokens, but can only afford 77\"}}");
        });
        QVERIFY(fixture.addRoute(u"openai-chat-completions"_s));
        const auto client = fixture.post("{\"model\":\"m\",\"input\":\"x\"}");
        QTRY_COMPARE(client->answer().status, 402);
        QCOMPARE(fixture.upstream.requests().size(), 2);
        QVERIFY(fixture.upstream.requests().last().body.contains("\"max_tokens\":77"));
    }

    void contentOfOtherKinds_reachesOnlyWhoTakesIt()
    {
        const Json request
            = parseJson("{\"input\":[{\"role\":\"user\",\"content\":[{\"type\":\"input_file\","
                        "\"filename\":\"a.pdf\",\"file_data\":\"QQ\"},{\"type\":\"input_audio\","
                        "\"input_audio\":{\"data\":\"QQ\",\"format\":\"wav\"}}]},{\"type\":"
                        "\"function_call\",\"call_id\":\"c\",\"name\":\"f\",\"arguments\":\"{}\"},"
                        "{\"type\":\"function_call_output\",\"call_id\":\"c\",\"output\":{"
                        "\"content\":[{\"type\":\"text\",\"text\":\"t\"}],\"structuredContent\":{"
                        "\"s\":1}}},{\"role\":\"user\",\"content\":\"one\"},"
                        "{\"role\":\"user\",\"content\":\"two\"}]}")
                  .value();
        const Json openai = chatBody(request, profileOf("openai"))["messages"];
        QCOMPARE(text(openai[0]["content"][0]["file"]["filename"]), "a.pdf");
        QCOMPARE(text(openai[0]["content"][1]["input_audio"]["format"]), "wav");
        const Json generic = chatBody(request, profileOf("generic"))["messages"];
        QVERIFY(text(generic[0]["content"]).contains("a.pdf"));
        QVERIFY(!text(generic[0]["content"]).contains("QQ"));
        QCOMPARE(text(generic[2]["content"]), "{\"s\":1}");
        QCOMPARE(generic.size(), size_t(5));
        ProviderProfile strict;
        strict.mergeNeighbours = true;
        strict.assistantAfterTool = true;
        const Json merged = chatBody(request, strict)["messages"];
        QCOMPARE(merged.size(), size_t(5));
        QCOMPARE(text(merged[3]["role"]), "assistant");
        QCOMPARE(text(merged[4]["content"]), "one\n\ntwo");
    }

    void thinkingForMessages_hasTheFormOfTheProfile()
    {
        const Upstream upstream;
        const auto body = [&upstream](const ProviderProfile &profile, const char *input) {
            const RequestContext context { upstream, profile };
            Json request = parseJson(std::string("{\"model\":\"m\",\"temperature\":0.5,"
                                                 "\"reasoning\":{\"effort\":\"xhigh\"},\"input\":")
                + input + "}")
                               .value();
            return parseJson(*messagesRequestFromResponses(std::move(request), context)->body)
                .value();
        };
        ProviderProfile profile;
        profile.thinking = MessagesThinking::Adaptive;
        const Json adaptive = body(profile, "\"q\"");
        QCOMPARE(text(adaptive["thinking"]["type"]), "adaptive");
        QCOMPARE(text(adaptive["output_config"]["effort"]), "high");
        QVERIFY(!adaptive.contains("temperature"));
        const char *turn = "[{\"role\":\"user\",\"content\":\"q\"},{\"type\":\"reasoning\","
                           "\"summary\":[{\"type\":\"summary_text\",\"text\":\"t\"}]},{\"type\":"
                           "\"function_call\",\"call_id\":\"c\",\"name\":\"f\",\"arguments\":"
                           "\"[1]\"}]";
        // Unsigned thinking is refused by those who sign it, and then a turn with calls has none.
        const Json without = body(profile, turn);
        QVERIFY(!without.contains("thinking"));
        const Json blocks = without["messages"][1]["content"];
        QCOMPARE(blocks.size(), size_t(1));
        QCOMPARE(text(blocks[0]["input"]["_raw_arguments"]), "[1]");
        profile.unsignedThinking = true;
        const Json with = body(profile, turn);
        QVERIFY(with.contains("thinking"));
        QCOMPARE(text(with["messages"][1]["content"][0]["thinking"]), "t");
    }

    void thinkingThatIsHidden_isKeptForTheNextTurn()
    {
        const Json output = lastResponse(answered(MessagesAnswer({}, "m"),
            dataOf({ kMessageStart,
                "{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":"
                "\"redacted_thinking\",\"data\":\"opaque\"}}",
                kMessageDelta })))["output"];
        QCOMPARE(text(output[0]["type"]), "reasoning");
        QVERIFY(output[0]["summary"].empty());
        QVERIFY(text(output[0]["encrypted_content"]).startsWith("wa1:"));
    }
};

QTEST_GUILESS_MAIN(TestOddProviders)
#include "tst_modelproxy_oddproviders.moc"
