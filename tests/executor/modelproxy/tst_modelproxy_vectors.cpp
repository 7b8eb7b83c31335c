// SPDX-License-Identifier: Apache-2.0
#include "executor/modelproxy/chatrequest.h"
#include "executor/modelproxy/messagesrequest.h"
#include "executor/modelproxy/providerprofile.h"
#include "tests/executor/modelproxy/vectors.h"

#include <QJsonDocument>
#include <QTest>

using namespace deskhand;
using namespace deskhand::modelproxy;
using namespace deskhand::test;

namespace {

enum class Replay { AsGiven, ByteByByte, OneBlock };

std::string replay(const Vector &vector, Replay how)
{
    const auto translator = vector.translator();
    std::string output;
    const auto feed = [&](std::string_view bytes) {
        translator->feed(bytes);
        output += translator->takeOutput();
    };
    std::string all;
    for (const std::string &chunk : vector.chunks()) {
        all += chunk;
        if (how == Replay::AsGiven) {
            feed(chunk);
        }
    }
    if (how == Replay::OneBlock) {
        feed(all);
    } else if (how == Replay::ByteByByte) {
        for (const char &byte : all) {
            feed(std::string_view(&byte, 1));
        }
    }
    translator->finish();
    return output + translator->takeOutput();
}

bool isTerminal(std::string_view type)
{
    return type == "response.completed" || type == "response.incomplete"
        || type == "response.failed";
}

/// Empty when the stream keeps its promises to Codex, whatever was cut off.
std::string brokenPromise(const Json &events)
{
    std::map<std::int64_t, std::string> open;
    std::string terminal;
    for (const Json &event : events) {
        const std::string_view type = textMember(event, "event");
        if (!terminal.empty()) {
            return "an event after the terminal one: " + std::string(type);
        }
        const Json &data = *member(event, "data");
        if (textMember(data, "type") != type) {
            return "event and type differ: " + std::string(type);
        }
        const std::int64_t index = intMember(data, "output_index").value_or(-1);
        if (type == "response.output_item.added") {
            open[index] = textMember(*member(data, "item"), "id");
        } else if (type == "response.output_item.done") {
            if (open.erase(index) == 0) {
                return "an item ended that was not open";
            }
        } else if (isTerminal(type)) {
            terminal = type;
        }
    }
    if (terminal.empty()) {
        return "no terminal event";
    }
    if (terminal == "response.completed" && !open.empty()) {
        return "completed with an open item";
    }
    return {};
}

const std::vector<Vector> &vectors()
{
    static const std::vector<Vector> all = loadVectors();
    return all;
}

} // namespace

class TestVectors final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void files_areAllThere() { QCOMPARE(vectors().size(), size_t(39)); }

    void requests_data()
    {
        QTest::addColumn<int>("number");
        for (size_t i = 0; i < vectors().size(); ++i) {
            if (vectors()[i].chunks().empty()) {
                QTest::newRow(qPrintable(vectors()[i].file)) << static_cast<int>(i);
            }
        }
    }
    void requests()
    {
        QFETCH(int, number);
        const Vector &vector = vectors()[static_cast<size_t>(number)];
        const Json *provider = member(vector.input, "provider");
        const QByteArray overrides = QByteArray::fromStdString(dumpJson(*provider));
        const auto profile
            = ProviderProfile::fromOverrides(QJsonDocument::fromJson(overrides).object());
        QVERIFY(profile.has_value());
        const Upstream upstream;
        const RequestContext context { upstream, *profile };
        Json request = *member(vector.input, "request");
        const auto prepared = vector.direction == "responses_to_chat"
            ? chatRequestFromResponses(std::move(request), context)
            : messagesRequestFromResponses(std::move(request), context);
        QVERIFY2(prepared.has_value(), prepared ? "" : qPrintable(prepared.error().message));
        const Json body = parseJson(*prepared->body).value();
        const std::string found = difference(vector.expected, body, true);
        QVERIFY2(found.empty(), found.c_str());
    }

    void streams_data()
    {
        QTest::addColumn<int>("number");
        QTest::addColumn<int>("how");
        for (size_t i = 0; i < vectors().size(); ++i) {
            if (vectors()[i].chunks().empty()) {
                continue;
            }
            const auto row = [&](Replay how, const char *words) {
                QTest::addRow("%s, %s", qPrintable(vectors()[i].file), words)
                    << static_cast<int>(i) << static_cast<int>(how);
            };
            row(Replay::AsGiven, "as given");
            row(Replay::ByteByByte, "one byte at a time");
            row(Replay::OneBlock, "in one block");
        }
    }
    void streams()
    {
        QFETCH(int, number);
        QFETCH(int, how);
        const Vector &vector = vectors()[static_cast<size_t>(number)];
        const std::string output = replay(vector, static_cast<Replay>(how));
        const Json actual = joinedEvents(output);
        std::string expectedText;
        for (const Json &event : *member(vector.expected, "events")) {
            expectedText += "event: " + std::string(textMember(event, "event"))
                + "\ndata: " + dumpJson(*member(event, "data")) + "\n\n";
        }
        const std::string found = difference(joinedEvents(expectedText), actual, false);
        QVERIFY2(found.empty(), (found + "\n" + output).c_str());
        const std::string broken = brokenPromise(actual);
        QVERIFY2(broken.empty(), broken.c_str());
    }

    void everyTruncation_endsWithOneTerminalEvent_data()
    {
        QTest::addColumn<int>("number");
        for (size_t i = 0; i < vectors().size(); ++i) {
            if (!vectors()[i].chunks().empty()) {
                QTest::newRow(qPrintable(vectors()[i].file)) << static_cast<int>(i);
            }
        }
    }
    void everyTruncation_endsWithOneTerminalEvent()
    {
        QFETCH(int, number);
        const Vector &vector = vectors()[static_cast<size_t>(number)];
        std::string all;
        for (const std::string &chunk : vector.chunks()) {
            all += chunk;
        }
        for (size_t length = 0; length <= all.size(); ++length) {
            const auto translator = vector.translator();
            translator->feed(std::string_view(all).substr(0, length));
            translator->finish();
            const std::string output = translator->takeOutput();
            const std::string broken = brokenPromise(joinedEvents(output));
            QVERIFY2(broken.empty(),
                (broken + " after " + std::to_string(length) + " bytes:\n" + output).c_str());
            translator->feed("data: {\"choices\":[]}\n\n");
            translator->finish();
            QVERIFY(translator->takeOutput().empty());
        }
    }
};

QTEST_GUILESS_MAIN(TestVectors)
#include "tst_modelproxy_vectors.moc"
