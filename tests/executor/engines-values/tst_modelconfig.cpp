// SPDX-License-Identifier: Apache-2.0
#include "executor/engines/modelconfig.h"

#include <QJsonArray>
#include <QTest>

using namespace Qt::StringLiterals;
using namespace deskhand;
using namespace deskhand::engines;

class TestModelConfig : public QObject
{
    Q_OBJECT

private:
    [[nodiscard]] static QJsonObject base()
    {
        return { { u"base_url"_s, u"https://llm.example/v1"_s }, { u"model_id"_s, u"m-large"_s },
            { u"api_key"_s, u"sk-secret"_s } };
    }

private Q_SLOTS:
    void format_isChosenByTheFirstThatSpeaks_data()
    {
        QTest::addColumn<QJsonObject>("words");
        QTest::addColumn<WireFormat>("format");
        const auto row = [](const char *name, const QJsonObject &words, WireFormat format) {
            QTest::newRow(name) << words << format;
        };
        row("nothing", {}, WireFormat::Responses);
        row("nulls and blanks",
            { { u"api_format"_s, QJsonValue::Null }, { u"protocol"_s, u" "_s } },
            WireFormat::Responses);
        row("api_format responses", { { u"api_format"_s, u"responses"_s } }, WireFormat::Responses);
        row("api_format chat", { { u"api_format"_s, u"chat/completions"_s } },
            WireFormat::ChatCompletions);
        row("apiFormat messages", { { u"apiFormat"_s, u"anthropic-messages"_s } },
            WireFormat::Messages);
        row("upstream_api_format wins over api_format",
            { { u"upstream_api_format"_s, u"messages"_s }, { u"api_format"_s, u"responses"_s } },
            WireFormat::Messages);
        row("api_format wins over protocol",
            { { u"api_format"_s, u"responses"_s }, { u"protocol"_s, u"claude"_s } },
            WireFormat::Responses);
        row("protocol openai-responses", { { u"protocol"_s, u"openai-responses"_s } },
            WireFormat::Responses);
        row("protocol openai is chat", { { u"protocol"_s, u"openai"_s } },
            WireFormat::ChatCompletions);
        row("protocol claude", { { u"protocol"_s, u"claude"_s } }, WireFormat::Messages);
        row("protocol wins over provider",
            { { u"protocol"_s, u"openai"_s }, { u"provider"_s, u"anthropic"_s } },
            WireFormat::ChatCompletions);
        row("provider anthropic", { { u"provider"_s, u"anthropic"_s } }, WireFormat::Messages);
        row("model openai", { { u"model"_s, u"openai"_s } }, WireFormat::ChatCompletions);
        row("model claude", { { u"model"_s, u"claude"_s } }, WireFormat::Messages);
        row("words in another case", { { u"protocol"_s, u"OpenAI-Responses"_s } },
            WireFormat::Responses);
    }
    void format_isChosenByTheFirstThatSpeaks()
    {
        QFETCH(QJsonObject, words);
        QFETCH(WireFormat, format);
        QJsonObject object = base();
        for (auto it = words.begin(); it != words.end(); ++it) {
            object.insert(it.key(), it.value());
        }
        const auto model = ModelConfig::fromJson(object);
        QVERIFY2(model, qPrintable(model ? QString() : model.error().message));
        QVERIFY(model->has_value());
        QCOMPARE((*model)->format, format);
    }

    void badValues_areErrorsThatNameThem_data()
    {
        QTest::addColumn<QString>("key");
        QTest::addColumn<QJsonValue>("value");
        QTest::addColumn<QString>("names");
        const auto row = [](const char *name, const QString &key, const QJsonValue &value,
                             const QString &names) {
            QTest::newRow(name) << key << value << names;
        };
        row("unknown api format", u"api_format"_s, u"soap"_s, u"soap"_s);
        row("unknown protocol", u"protocol"_s, u"telnet"_s, u"telnet"_s);
        row("unknown family", u"model"_s, u"llama"_s, u"llama"_s);
        row("a model that draws", u"modelType"_s, u"image"_s, u"image"_s);
        row("a model that speaks", u"modelType"_s, u"tts"_s, u"tts"_s);
        row("a number as key", u"api_key"_s, 5, u"api_key"_s);
        row("a list as address", u"base_url"_s, QJsonArray {}, u"base_url"_s);
        row("an address without a scheme", u"base_url"_s, u"llm.example/v1"_s, u"base_url"_s);
        row("an address of another scheme", u"base_url"_s, u"file:///etc/passwd"_s, u"base_url"_s);
        row("a key with a line break", u"api_key"_s, u"sk-secret\r\nX: y"_s, u"api_key"_s);
        row("a model id without end", u"model_id"_s, QString(5000, u'm'), u"model_id"_s);
        row("no model id", u"model_id"_s, u""_s, u"model_id"_s);
        row("a negative window", u"context_window"_s, -1, u"context_window"_s);
        row("a fractional window", u"context_window"_s, 1.5, u"context_window"_s);
        row("headers that are a list", u"default_headers"_s, QJsonArray {}, u"default_headers"_s);
        row("a header that is a number", u"headers"_s, QJsonObject { { u"X-A"_s, 1 } }, u"X-A"_s);
        row("a header with a line break", u"headers"_s,
            QJsonObject { { u"X-A"_s, u"a\r\nHost: b"_s } }, u"X-A"_s);
    }
    void badValues_areErrorsThatNameThem()
    {
        QFETCH(QString, key);
        QFETCH(QJsonValue, value);
        QFETCH(QString, names);
        QJsonObject object = base();
        object.insert(key, value);
        const auto model = ModelConfig::fromJson(object);
        QVERIFY(!model);
        QVERIFY2(model.error().message.contains(names), qPrintable(model.error().message));
        QVERIFY(!model.error().message.contains(u"sk-secret"_s));
    }

    void withoutBaseUrl_theDevicesOwnModelCounts()
    {
        for (const QJsonObject &object : { QJsonObject {},
                 QJsonObject { { u"model_id"_s, u"m"_s }, { u"protocol"_s, u"whatever"_s } },
                 QJsonObject { { u"base_url"_s, u"  "_s } },
                 QJsonObject { { u"base_url"_s, QJsonValue::Null } } }) {
            const auto model = ModelConfig::fromJson(object);
            QVERIFY(model);
            QVERIFY(!model->has_value());
        }
    }

    void allFields_areRead()
    {
        QJsonObject object = base();
        object.insert(u"context_window"_s, 200000);
        object.insert(u"max_output_tokens"_s, 8192);
        object.insert(u"reasoning_effort"_s, u"high"_s);
        object.insert(u"codex_catalog_model_id"_s, u"gpt-5"_s);
        object.insert(u"modelType"_s, u"LLM"_s);
        object.insert(
            u"default_headers"_s, QJsonObject { { u"X-A"_s, u"1"_s }, { u"X-B"_s, u"2"_s } });
        object.insert(u"headers"_s, QJsonObject { { u"X-A"_s, u"3"_s } });
        const auto model = ModelConfig::fromJson(object);
        QVERIFY(model && model->has_value());
        QCOMPARE((*model)->baseUrl, u"https://llm.example/v1"_s);
        QCOMPARE((*model)->apiKey, u"sk-secret"_s);
        QCOMPARE((*model)->modelId, u"m-large"_s);
        QCOMPARE((*model)->catalogModelId, u"gpt-5"_s);
        QCOMPARE((*model)->contextWindow, 200000);
        QCOMPARE((*model)->maxOutputTokens, 8192);
        QCOMPARE((*model)->reasoningEffort, u"high"_s);
        QCOMPARE((*model)->headers, (QJsonObject { { u"X-A"_s, u"3"_s }, { u"X-B"_s, u"2"_s } }));
        QCOMPARE((*model)->raw, object);
    }

    void describe_hasNoSecrets()
    {
        QJsonObject object = base();
        object.insert(u"base_url"_s, u"https://user:pass@llm.example/v1?key=hidden"_s);
        object.insert(u"headers"_s, QJsonObject { { u"X-A"_s, u"hushhush"_s } });
        const auto model = ModelConfig::fromJson(object);
        QVERIFY(model && model->has_value());
        QCOMPARE((*model)->describe(), u"m-large at https://llm.example/v1 (responses)"_s);
    }
};

QTEST_GUILESS_MAIN(TestModelConfig)
#include "tst_modelconfig.moc"
