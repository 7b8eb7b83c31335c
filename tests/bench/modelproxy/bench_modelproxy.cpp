// SPDX-License-Identifier: Apache-2.0
// What the model proxy costs, beside a plain TCP relay of the same traffic in the same run.
#include "executor/modelproxy/chatanswer.h"
#include "executor/modelproxy/messagesanswer.h"
#include "executor/modelproxy/modelproxy.h"
#include "executor/modelproxy/planner.h"
#include "executor/modelproxy/responsesanswer.h"
#include "tests/bench/modelproxy/peers.h"

#include <QCoreApplication>
#include <QFile>
#include <QJsonObject>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <memory>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

using namespace deskhand;
using namespace deskhand::bench;
using namespace deskhand::modelproxy;
using namespace Qt::StringLiterals;

namespace {

/// Prints a figure beside its limit and remembers a miss for the exit status.
class Figures final
{
public:
    /// `factor`: how many times what the relay takes; 0 when there is no such comparison.
    void add(const char *what, double value, double limit, const char *unit, double factor = 0)
    {
        const bool met = value <= limit;
        m_met = m_met && met;
        std::printf(
            "%-52s %9.2f %s (wanted <= %g) %s", what, value, unit, limit, met ? "ok" : "MISSED");
        if (factor > 0) {
            std::printf(", %.2f times the relay", factor);
        }
        std::printf("\n");
    }
    [[nodiscard]] int exitStatus() const { return m_met ? 0 : 1; }

private:
    bool m_met = true;
};

double cpuMicroseconds()
{
    timespec time {};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_nsec) / 1e3;
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

void translation(Figures &figures, const char *what, AnswerTranslator &&translator,
    const std::string &stream, int events, double limit)
{
    const double begin = cpuMicroseconds();
    size_t written = 0;
    for (size_t at = 0; at < stream.size(); at += 256) {
        translator.feed(std::string_view(stream).substr(at, 256));
        written += translator.takeOutput().size();
    }
    translator.finish();
    figures.add(what, (cpuMicroseconds() - begin) / events, limit, "us");
    if (written == 0) {
        std::exit(1);
    }
}

/// The way of a request from its body to the provider's, tool history included.
void history(Figures &figures)
{
    Json input = Json::array();
    std::string output;
    for (int i = 0; i < 60; ++i) {
        output += "src/file" + std::to_string(i) + ".cpp: some \"quoted\" text of a tool, été\n";
    }
    RouteView route;
    route.upstream = std::make_shared<const Upstream>([] {
        Upstream upstream;
        upstream.format = WireFormat::Chat;
        upstream.requestUrl = u"http://127.0.0.1:9/v1/chat/completions"_s;
        return upstream;
    }());
    route.profile = std::make_shared<const ProviderProfile>();
    route.memory = std::make_shared<RouteMemory>();
    for (int i = 0; i < 1000; ++i) {
        const std::string id = "call_" + std::to_string(i);
        const Json call { { "type", "function_call" }, { "call_id", id },
            { "name", "exec_command" },
            { "arguments", dumpJson({ { "cmd", output.substr(0, 1800) } }) } };
        route.memory->history.record("resp_" + std::to_string(i), Json::array({ call }));
        input.push_back(call);
        input.push_back(
            { { "type", "function_call_output" }, { "call_id", id }, { "output", output } });
    }
    const std::string body = dumpJson({ { "model", "m" }, { "input", std::move(input) } });
    std::vector<double> times;
    for (int i = 0; i < 9; ++i) {
        std::string received = body;
        const double begin = cpuMicroseconds();
        const auto facts = readRequestFacts(received);
        const auto plan = facts ? planResponsesRequest(route, std::move(received), *facts, {}, {})
                                : Result<ExchangePlan>(tl::unexpected(facts.error()));
        times.push_back((cpuMicroseconds() - begin) / 1000);
        if (!plan) {
            std::exit(1);
        }
    }
    std::printf("a history of 2000 items has %.1f MB\n", static_cast<double>(body.size()) / 1e6);
    figures.add("history translated, CPU", percentile(times, 0.5), 60, "ms");
}

std::string providerAnswer(const std::string &stream)
{
    return "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: "
        + std::to_string(stream.size()) + "\r\n\r\n" + stream;
}

using RouteMaker
    = std::function<std::string(const QString &scope, std::uint16_t port, const QString &format)>;

void firstByte(
    Figures &figures, const ModelProxy &proxy, const RouteMaker &route, const std::string &body)
{
    const Provider provider(providerAnswer(chatEvents(3)));
    const Relay relay(provider.port());
    const std::string end = "[DONE]\n\n";
    const auto direct = httpRequest("/v1/chat/completions", body);
    const auto translated
        = httpRequest(route(u"first byte"_s, provider.port(), u"chat/completions"_s), body);
    // In turns, so that whatever else the machine does is shared by both.
    std::vector<double> relayed;
    std::vector<double> proxied;
    for (int round = 0; round < 21; ++round) {
        const auto a = firstByteTimes(relay.port(), direct, end, 200);
        const auto b = firstByteTimes(proxy.port(), translated, "0\r\n\r\n", 200);
        if (round > 0) { // the first one only warms up
            relayed.insert(relayed.end(), a.begin(), a.end());
            proxied.insert(proxied.end(), b.begin(), b.end());
        }
    }
    for (const auto &[name, share, limit] :
        { std::tuple("added to the first byte, median", 0.5, 1.0),
            std::tuple("added to the first byte, p99", 0.99, 5.0) }) {
        const double a = percentile(relayed, share) / 1000;
        const double b = percentile(proxied, share) / 1000;
        figures.add(name, b - a, limit, "ms", b / a);
    }
    const double before = residentMegabytes();
    static_cast<void>(firstByteTimes(proxy.port(), translated, "0\r\n\r\n", 10000));
    figures.add("resident growth after 10000 requests", residentMegabytes() - before, 5, "MB");
}

void manyStreams(Figures &figures, const ModelProxy &proxy, const RouteMaker &route,
    const std::string &body, int streams)
{
    constexpr int kSeconds = 5;
    const auto limit = std::chrono::seconds(4 * kSeconds);
    const Provider paced({}, { kSeconds * 50, std::chrono::microseconds(20000) });
    const Relay relay(paced.port());
    // The middleman has one core, the peers have the other one.
    pinThread(0, 0);
    pinThread(relay.threadId(), 1);
    pinThread(threadNamed("proxy"), 1);
    const auto direct = httpRequest("/v1/chat/completions", body);
    const auto relayed = eventDelays(relay.port(), direct, streams, limit);
    std::printf("%d streams through the relay: %zu events, p50 %.2f ms, p99 %.2f ms\n", streams,
        relayed.size(), percentile(relayed, 0.5), percentile(relayed, 0.99));
    for (const auto &[format, what] :
        { std::pair(u"chat/completions"_s, "translated"), std::pair(u"responses"_s, "passed") }) {
        const double cpu = threadSeconds(threadNamed("proxy"));
        const auto proxied = eventDelays(proxy.port(),
            httpRequest(route(u"streams "_s + format, paced.port(), format), body), streams, limit);
        const double used = threadSeconds(threadNamed("proxy")) - cpu;
        const double a = percentile(relayed, 0.99);
        const double b = percentile(proxied, 0.99);
        std::printf("%d streams %s: %zu events, p50 %.2f ms, p99 %.2f ms; %.1f us CPU per event "
                    "with all input and output\n",
            streams, what, proxied.size(), percentile(proxied, 0.5), b,
            used * 1e6 / static_cast<double>(std::max<size_t>(1, proxied.size())));
        if (proxied.size() < relayed.size()) {
            figures.add("events that arrived less than through the relay",
                static_cast<double>(relayed.size() - proxied.size()), 0, "");
        }
        figures.add("added delay at p99", b - a, 10, "ms", b / std::max(a, 0.01));
    }
}

/// How long the provider goes on after the client has left.
void clientLeaves(
    Figures &figures, const ModelProxy &proxy, const RouteMaker &route, const std::string &body)
{
    const Provider paced({}, { 100000, std::chrono::microseconds(20000) });
    const std::string request
        = httpRequest(route(u"leaving"_s, paced.port(), u"chat/completions"_s), body);
    std::vector<double> times;
    for (int i = 0; i < 20; ++i) {
        const int client = connectTo(proxy.port());
        sendAll(client, request);
        char buffer[4096];
        static_cast<void>(::recv(client, buffer, sizeof buffer, 0));
        const auto begin = Clock::now();
        ::close(client);
        while (paced.connections() > 0 && Clock::now() - begin < std::chrono::seconds(10)) {
            std::this_thread::yield();
        }
        times.push_back(std::chrono::duration<double, std::milli>(Clock::now() - begin).count());
    }
    figures.add("upstream closed after the client left, worst", percentile(times, 1), 1000, "ms");
}

/// Clients that do not read, behind providers that send without end.
void slowReaders(
    Figures &figures, const ModelProxy &proxy, const RouteMaker &route, const std::string &body)
{
    constexpr int kStreams = 8;
    constexpr int kEvents = 1000;
    // 16 MB of events whose own text is a few kilobytes.
    std::string stream = responsesEvents(kEvents);
    const std::string padding = ",\"obfuscation\":\"" + std::string(16000, 'o') + "\"}\n\n";
    std::string padded;
    size_t at = 0;
    for (size_t found = stream.find("\"delta\":\" word\"}\n\n"); found != std::string::npos;
         found = stream.find("\"delta\":\" word\"}\n\n", at)) {
        padded += stream.substr(at, found + 15 - at) + padding;
        at = found + 18;
    }
    padded += stream.substr(at);
    std::vector<std::unique_ptr<Provider>> providers;
    std::vector<int> clients;
    for (int i = 0; i < kStreams; ++i) {
        providers.push_back(std::make_unique<Provider>(providerAnswer(padded)));
    }
    const double before = residentMegabytes();
    for (int i = 0; i < kStreams; ++i) {
        clients.push_back(connectTo(proxy.port()));
        sendAll(clients.back(),
            httpRequest(route(u"slow %1"_s.arg(i), providers[static_cast<size_t>(i)]->port(),
                            u"responses"_s),
                body));
    }
    double resident = residentMegabytes();
    for (int quiet = 0; quiet < 10;) { // until nothing moves any more
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        const double now = residentMegabytes();
        quiet = now == resident ? quiet + 1 : 0;
        resident = std::max(resident, now);
    }
    figures.add("memory per stream that nobody reads", (resident - before) / kStreams, 4, "MB");
    for (const int client : clients) {
        ::close(client);
    }
}

} // namespace

int main(int argc, char **argv)
{
    const QCoreApplication application(argc, argv);
    std::setvbuf(stdout, nullptr, _IOLBF, 0);
    Figures figures;
    constexpr int kEvents = 20000;
    translation(figures, "CPU per event, Chat translated", ChatAnswer(ToolNames(), {}, "m"),
        chatEvents(kEvents), kEvents, 30);
    translation(figures, "CPU per event, Messages translated", MessagesAnswer(ToolNames(), "m"),
        messagesEvents(kEvents), kEvents, 30);
    translation(figures, "CPU per event, Responses passed", ResponsesAnswer(),
        responsesEvents(kEvents), kEvents, 10);
    history(figures);

    ModelProxy proxy;
    if (!proxy.start()) {
        return 1;
    }
    const RouteMaker route
        = [&proxy](const QString &scope, std::uint16_t port, const QString &format) {
              const auto upstream
                  = Upstream::fromJson({ { u"base_url"_s, u"http://127.0.0.1:%1/v1"_s.arg(port) },
                      { u"api_format"_s, format } });
              return "/v1/codex-router/"
                  + proxy.registerRoute(scope, *upstream)->token.toStdString() + "/responses";
          };
    const std::string body = "{\"model\":\"m\",\"stream\":true,\"input\":\"hello\"}";
    firstByte(figures, proxy, route, body);
    clientLeaves(figures, proxy, route, body);
    slowReaders(figures, proxy, route, body);
    manyStreams(figures, proxy, route, body, argc > 1 ? std::atoi(argv[1]) : 500);
    return figures.exitStatus();
}
