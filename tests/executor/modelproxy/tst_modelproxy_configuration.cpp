// SPDX-License-Identifier: Apache-2.0
#include "executor/modelproxy/catalog.h"
#include "executor/modelproxy/harnesscontext.h"
#include "executor/modelproxy/outbound.h"
#include "executor/modelproxy/presets.h"
#include "executor/modelproxy/providerprofile.h"
#include "executor/modelproxy/retrypolicy.h"

#include <QJsonDocument>
#include <QTemporaryDir>
#include <QTest>

#include <set>

using namespace deskhand;
using namespace deskhand::modelproxy;
using namespace Qt::StringLiterals;

class TestConfiguration final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
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
        QTest::newRow("a date of RFC 850")
            << QByteArray("retry-after") << QByteArray("Friday, 31-Dec-27 23:59:30 GMT") << 30000;
        QTest::newRow("a date of asctime")
            << QByteArray("retry-after") << QByteArray("Fri Dec 31 23:59:30 2027") << 30000;
        QTest::newRow("a past date of asctime")
            << QByteArray("retry-after") << QByteArray("Wed Dec  1 23:59:30 2027") << 0;
        QTest::newRow("below zero") << QByteArray("retry-after") << QByteArray("-5") << 0;
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

    void keys_travelInTheHeaderOfTheFamily()
    {
        const auto headers = [](const QJsonObject &more) {
            QJsonObject object { { u"base_url"_s, u"https://r.openai.azure.com/openai/v1"_s },
                { u"api_key"_s, u"the-key"_s } };
            for (auto it = more.begin(); it != more.end(); ++it) {
                object.insert(it.key(), it.value());
            }
            const auto upstream = Upstream::fromJson(object);
            return upstream ? outboundRequest(*upstream, {}, {}).headers : net::HeaderList();
        };
        const net::HeaderList azure = headers({});
        QCOMPARE(net::headerValue(azure, "api-key"), "the-key");
        QVERIFY(!net::hasHeader(azure, "authorization"));
        const net::HeaderList other = headers({ { u"base_url"_s, u"https://h.example"_s } });
        QCOMPARE(net::headerValue(other, "authorization"), "Bearer the-key");
        const net::HeaderList own = headers({ { u"base_url"_s, u"https://h.example"_s },
            { u"profile"_s, QJsonObject { { u"key_header"_s, u"X-My-Key"_s } } } });
        QCOMPARE(net::headerValue(own, "x-my-key"), "the-key");
        QVERIFY(
            headers({ { u"profile"_s, QJsonObject { { u"key_header"_s, u"a b"_s } } } }).isEmpty());
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
};

QTEST_GUILESS_MAIN(TestConfiguration)
#include "tst_modelproxy_configuration.moc"
