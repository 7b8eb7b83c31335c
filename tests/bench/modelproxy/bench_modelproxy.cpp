// SPDX-License-Identifier: Apache-2.0
// What the model proxy costs, beside a plain TCP relay of the same traffic in the same run.
#include "executor/modelproxy/chatanswer.h"
#include "executor/modelproxy/chatrequest.h"
#include "executor/modelproxy/messagesanswer.h"
#include "executor/modelproxy/modelproxy.h"
#include "executor/modelproxy/responsesanswer.h"
#include "tests/bench/modelproxy/peers.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QJsonObject>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <unistd.h>

using namespace deskhand;
using namespace deskhand::bench;
using namespace deskhand::modelproxy;
using namespace Qt::StringLiterals;

namespace {

double cpuMicroseconds()
{
    timespec time {};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_nsec) / 1e3;
}

/// CPU seconds of the thread named "proxy".
double proxyThreadSeconds()
{
    const QDir tasks(u"/proc/self/task"_s);
    for (const QString &task : tasks.entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
        QFile name(tasks.filePath(task + "/comm"_L1));
        QFile stat(tasks.filePath(task + "/stat"_L1));
        if (name.open(QIODevice::ReadOnly) && name.readAll().trimmed() == "proxy"
            && stat.open(QIODevice::ReadOnly)) {
            const QList<QByteArray> fields = stat.readAll().split(' ');
            return static_cast<double>(
                       fields.value(13).toLongLong() + fields.value(14).toLongLong())
                / static_cast<double>(::sysconf(_SC_CLK_TCK));
        }
    }
    return 0;
}

double residentMegabytes()
{
    QFile file(u"/proc/self/statm"_s);
    return file.open(QIODevice::ReadOnly)
        ? file.readAll().split(' ').value(1).toDouble() * 4096 / 1e6
        : 0;
}

std::string httpRequest(const std::string &path, const std::string &body)
{
    return "POST " + path
        + " HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
          "Content-Length: "
        + std::to_string(body.size()) + "\r\n\r\n" + body;
}

std::string chatEvents(int count)
{
    std::string stream;
    for (int i = 0; i < count; ++i) {
        stream += "data: {\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":1,"
                  "\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\" word\"},"
                  "\"finish_reason\":null}]}\n\n";
    }
    return stream
        + "data: {\"id\":\"chatcmpl-1\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":"
          "\"stop\"}]}\n\ndata: [DONE]\n\n";
}

std::string messagesEvents(int count)
{
    std::string stream
        = "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"m\"}}\n\n"
          "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,"
          "\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n";
    for (int i = 0; i < count; ++i) {
        stream += "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,"
                  "\"delta\":{\"type\":\"text_delta\",\"text\":\" word\"}}\n\n";
    }
    return stream
        + "event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":"
          "\"end_turn\"}}\n\nevent: message_stop\ndata: {\"type\":\"message_stop\"}\n\n";
}

std::string responsesEvents(int count)
{
    std::string stream
        = "event: response.created\ndata: "
          "{\"type\":\"response.created\",\"response\":{\"id\":\"r\"}}\n\n"
          "event: response.output_item.added\ndata: {\"type\":\"response.output_item.added\","
          "\"output_index\":0,\"item\":{\"id\":\"msg_1\",\"type\":\"message\",\"content\":[]}}\n\n";
    for (int i = 0; i < count; ++i) {
        stream
            += "event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\","
               "\"sequence_number\":5,\"item_id\":\"msg_1\",\"output_index\":0,\"content_index\":0,"
               "\"delta\":\" word\"}\n\n";
    }
    return stream
        + "event: response.completed\ndata: {\"type\":\"response.completed\",\"response\":{\"id\":"
          "\"r\"}}\n\n";
}

void translation(const char *name, AnswerTranslator &&translator, const std::string &stream,
    int events, double limit)
{
    const double begin = cpuMicroseconds();
    size_t written = 0;
    for (size_t at = 0; at < stream.size(); at += 256) {
        translator.feed(std::string_view(stream).substr(at, 256));
        written += translator.takeOutput().size();
    }
    translator.finish();
    const double each = (cpuMicroseconds() - begin) / events;
    std::printf("CPU per event, %-22s %6.2f us (wanted <= %.0f)\n", name, each, limit);
    if (written == 0) {
        std::exit(1);
    }
}

void history()
{
    Json input = Json::array();
    std::string output;
    for (int i = 0; i < 60; ++i) {
        output += "src/file" + std::to_string(i) + ".cpp: some \"quoted\" text of a tool, été\n";
    }
    for (int i = 0; i < 1000; ++i) {
        const std::string id = "call_" + std::to_string(i);
        input.push_back(
            { { "type", "function_call" }, { "call_id", id }, { "name", "exec_command" },
                { "arguments", dumpJson({ { "cmd", output.substr(0, 1800) } }) } });
        input.push_back(
            { { "type", "function_call_output" }, { "call_id", id }, { "output", output } });
    }
    const std::string body = dumpJson({ { "model", "m" }, { "input", std::move(input) } });
    const Upstream upstream;
    const ProviderProfile profile;
    std::vector<double> times;
    for (int i = 0; i < 7; ++i) {
        const double begin = cpuMicroseconds();
        const auto facts = readRequestFacts(body);
        auto request = parseJson(body);
        const auto prepared = chatRequestFromResponses(std::move(*request), { upstream, profile });
        times.push_back((cpuMicroseconds() - begin) / 1000);
        if (!facts || !prepared) {
            std::exit(1);
        }
    }
    std::printf("history of 2000 items, %.1f MB translated  %6.1f ms CPU (wanted <= 60)\n",
        static_cast<double>(body.size()) / 1e6, percentile(times, 0.5));
}

} // namespace

int main(int argc, char **argv)
{
    const QCoreApplication application(argc, argv);
    std::setvbuf(stdout, nullptr, _IOLBF, 0);
    constexpr int kEvents = 20000;
    translation(
        "chat translated", ChatAnswer(ToolNames(), {}, "m"), chatEvents(kEvents), kEvents, 30);
    translation("messages translated", MessagesAnswer(ToolNames(), "m"), messagesEvents(kEvents),
        kEvents, 30);
    translation("responses passed", ResponsesAnswer(), responsesEvents(kEvents), kEvents, 10);
    history();

    ModelProxy proxy;
    if (!proxy.start()) {
        return 1;
    }
    const auto route = [&proxy](const QString &scope, std::uint16_t port) {
        const auto upstream
            = Upstream::fromJson({ { u"base_url"_s, u"http://127.0.0.1:%1/v1"_s.arg(port) },
                { u"api_format"_s, u"openai-chat-completions"_s } });
        return "/v1/codex-router/" + proxy.registerRoute(scope, *upstream)->token.toStdString()
            + "/responses";
    };
    const std::string body = "{\"model\":\"m\",\"stream\":true,\"input\":\"hello\"}";
    {
        const std::string stream = chatEvents(3);
        const Provider provider("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
                                "Content-Length: "
            + std::to_string(stream.size()) + "\r\n\r\n" + stream);
        const Relay relay(provider.port());
        const std::string end = "[DONE]\n\n";
        const auto direct = httpRequest("/v1/chat/completions", body);
        static_cast<void>(firstByteTimes(relay.port(), direct, end, 100));
        const auto relayed = firstByteTimes(relay.port(), direct, end, 2000);
        const std::string path = route(u"first byte"_s, provider.port());
        static_cast<void>(firstByteTimes(proxy.port(), httpRequest(path, body), "0\r\n\r\n", 100));
        const auto proxied
            = firstByteTimes(proxy.port(), httpRequest(path, body), "0\r\n\r\n", 2000);
        for (const auto &[name, share, limit] :
            { std::tuple("median", 0.5, 1.0), std::tuple("p99", 0.99, 5.0) }) {
            const double a = percentile(relayed, share) / 1000;
            const double b = percentile(proxied, share) / 1000;
            std::printf("first byte, %-6s  relay %.3f ms, proxy %.3f ms: added %.3f ms (wanted <= "
                        "%.0f), ratio %.1f\n",
                name, a, b, b - a, limit, b / a);
        }
        const double before = residentMegabytes();
        static_cast<void>(
            firstByteTimes(proxy.port(), httpRequest(path, body), "0\r\n\r\n", 10000));
        std::printf("resident growth after 10000 requests  %.2f MB (wanted < 5)\n",
            residentMegabytes() - before);
    }
    const int streams = argc > 1 ? std::atoi(argv[1]) : 500;
    constexpr int kSeconds = 5;
    const Provider paced({}, { kSeconds * 50, std::chrono::microseconds(20000) });
    const Relay relay(paced.port());
    const auto limit = std::chrono::seconds(4 * kSeconds);
    const auto relayed
        = eventDelays(relay.port(), httpRequest("/v1/chat/completions", body), streams, limit);
    const double cpu = proxyThreadSeconds();
    const auto proxied = eventDelays(
        proxy.port(), httpRequest(route(u"streams"_s, paced.port()), body), streams, limit);
    const double used = proxyThreadSeconds() - cpu;
    std::printf("%d streams of 50 events/s: relay %zu events, p50 %.2f ms, p99 %.2f ms; proxy %zu "
                "events, p50 %.2f ms, p99 %.2f ms: added at p99 %.2f ms (wanted <= 10)\n",
        streams, relayed.size(), percentile(relayed, 0.5), percentile(relayed, 0.99),
        proxied.size(), percentile(proxied, 0.5), percentile(proxied, 0.99),
        percentile(proxied, 0.99) - percentile(relayed, 0.99));
    std::printf("proxy thread: %.2f s CPU, %.1f us per event with all its input and output\n", used,
        used * 1e6 / static_cast<double>(std::max<size_t>(1, proxied.size())));
    return 0;
}
