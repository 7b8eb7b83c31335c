// SPDX-License-Identifier: Apache-2.0
// The list of models that Codex is given.
#include "tests/executor/modelproxy/proxyfixture.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QTemporaryDir>
#include <QTest>

using namespace deskhand;
using namespace deskhand::test;
using namespace Qt::StringLiterals;

namespace {

QStringList slugs(const QByteArray &document)
{
    QStringList list;
    for (const QJsonValue &entry :
        QJsonDocument::fromJson(document).object().value("models"_L1).toArray()) {
        list.append(entry.toObject().value("slug"_L1).toString());
    }
    return list;
}

} // namespace

class TestCatalog final : public QObject
{
    Q_OBJECT

private:
    /// The whole answer to one GET with the route's token.
    static ClientAnswer ask(const ProxyFixture &fixture, const QByteArray &tag = {})
    {
        const auto client = fixture.connectClient();
        QList<std::pair<QByteArray, QByteArray>> headers;
        if (!tag.isEmpty()) {
            headers.append({ QByteArray("If-None-Match"), tag });
        }
        client->get(
            "/v1/codex-router/" + fixture.grant.token.toLatin1() + "/models?client_version=1.2.3",
            headers);
        [&] {
            QTRY_VERIFY(client->answer().complete);
        }();
        return client->answer();
    }

private Q_SLOTS:
    void catalog_isServedToCodex()
    {
        ProxyFixture fixture;
        QVERIFY(fixture.addRoute(u"openai-responses"_s));
        const auto client = fixture.connectClient();
        client->get("/v1/codex-router/models?client_version=1",
            { { "Authorization", "Bearer " + fixture.proxy.bearerKey().toLatin1() } });
        QTRY_VERIFY(client->answer().complete);
        QVERIFY(!slugs(client->answer().body).isEmpty());
        const auto byToken = fixture.connectClient();
        byToken->get("/v1/codex-router/" + fixture.grant.token.toLatin1() + "/models");
        QTRY_COMPARE(byToken->answer().status, 200);
    }

    void provider_isAskedOnceAndItsEntriesComeFirst()
    {
        QTemporaryDir dir;
        QFile own(dir.filePath(u"model-catalog.json"_s));
        QVERIFY(own.open(QIODevice::WriteOnly));
        own.write(R"([{"slug":"wework-custom-a","display_name":"A","base_instructions":"Do.",)"
                  R"("supports_reasoning_summaries":"of the wrong kind"},)"
                  R"({"slug":"of-the-provider","display_name":"no","base_instructions":"no"}])");
        own.close();
        modelproxy::ProxyOptions options = quickOptions();
        options.customCatalogFile = own.fileName();
        ProxyFixture fixture(options);
        fixture.upstream.setScript([](UpstreamReply &reply) {
            reply.respond(200, "application/json",
                R"({"models":[{"slug":"of-the-provider","display_name":"Theirs","extra":[1]},)"
                R"({"slug":"deepseek-v4-pro","display_name":"Theirs too"},{"no":"slug"},7]})",
                { { "ETag", "\"one\"" } });
        });
        QVERIFY(fixture.addRoute(u"openai-responses"_s));
        const ClientAnswer first = ask(fixture);
        QCOMPARE(first.status, 200);
        const QStringList listed = slugs(first.body);
        QCOMPARE(listed.first(), u"of-the-provider"_s);
        QCOMPARE(listed.count(u"deepseek-v4-pro"_s), 1);
        QVERIFY(listed.contains(u"kimi-k3"_s)); // built in
        QVERIFY(listed.contains(u"wework-custom-a"_s));
        QVERIFY(listed.contains(u"deepseek-v4-pro-vision-sidecar"_s)
            == first.body.contains("Theirs too (images described)"));
        QVERIFY(first.body.contains("\"extra\":[1]"));
        QVERIFY(!first.body.contains("of the wrong kind"));
        const ReceivedRequest &request = fixture.upstream.requests().first();
        QCOMPARE(request.method, "GET");
        QCOMPARE(request.path, "/v1/models?client_version=1.2.3");
        QCOMPARE(request.header("authorization"), "Bearer provider-key-123456");
        QCOMPARE(slugs(ask(fixture).body), listed);
        QCOMPARE(fixture.upstream.requests().size(), 1);
        // Our own document has a tag too.
        const ClientAnswer unchanged = ask(fixture, first.header("etag"));
        QCOMPARE(unchanged.status, 304);
    }

    void provider_thatFails_leavesTheOldCopy()
    {
        modelproxy::ProxyOptions options = quickOptions();
        options.timing.catalogLife = std::chrono::milliseconds(0);
        ProxyFixture fixture(options);
        int count = 0;
        fixture.upstream.setScript([&count](UpstreamReply &reply) {
            ++count;
            if (count == 1) {
                reply.respond(200, "application/json", R"({"models":[{"slug":"theirs"}]})",
                    { { "ETag", "\"one\"" } });
            } else if (count == 2) {
                reply.respond(304, "application/json", "");
            } else if (count == 3) {
                reply.respond(500, "text/plain", "broken");
            } else {
                reply.cut();
            }
        });
        QVERIFY(fixture.addRoute(u"openai-responses"_s));
        for (int i = 0; i < 4; ++i) {
            QVERIFY(slugs(ask(fixture).body).contains(u"theirs"_s));
        }
        QVERIFY(fixture.upstream.requests().size() >= 4);
        QVERIFY(fixture.upstream.requests().first().header("if-none-match").isEmpty());
        QCOMPARE(fixture.upstream.requests().at(1).header("if-none-match"), "\"one\"");
    }

    void provider_thatSaysNothing_isNotWaitedForLong()
    {
        modelproxy::ProxyOptions options = quickOptions();
        options.timing.catalogWait = std::chrono::milliseconds(50);
        ProxyFixture fixture(options);
        QVERIFY(fixture.addRoute(u"openai-responses"_s));
        QVERIFY(slugs(ask(fixture).body).contains(u"kimi-k3"_s));
    }

    void providers_ofOtherKinds_areNotAsked()
    {
        ProxyFixture fixture;
        QVERIFY(fixture.addRoute(u"openai-chat-completions"_s));
        QVERIFY(slugs(ask(fixture).body).contains(u"kimi-k3"_s));
        QVERIFY(fixture.addRoute(u"openai-responses"_s, { { u"api_key"_s, u""_s } }));
        QVERIFY(slugs(ask(fixture).body).contains(u"kimi-k3"_s));
        QVERIFY(fixture.upstream.requests().isEmpty());
    }
};

QTEST_GUILESS_MAIN(TestCatalog)
#include "tst_modelproxy_catalog.moc"
