// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/net/curlapi_p.h"
#include "executor/net/httpclient.h"

#include <QDeadlineTimer>
#include <QSocketNotifier>
#include <QTimer>
#include <QUrl>

#include <list>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace deskhand::net {

class CurlLoop;

/// One easy handle and what belongs to it. Shared by the loop, while it runs, and the handle.
class Transfer final
{
public:
    Transfer(std::weak_ptr<CurlLoop> loop, const HttpRequest &request, TransferListener &listener);
    ~Transfer();
    Q_DISABLE_COPY_MOVE(Transfer)

    void cancel();
    void pause();
    void resume();

private:
    friend class CurlLoop;

    static size_t onHeaderLine(char *data, size_t size, size_t count, void *self);
    static size_t onBody(char *data, size_t size, size_t count, void *self);

    size_t takeHeaderLine(std::string_view line);
    void headComplete();
    void chooseProxy(const QUrl &url);
    /// Empty when it started; otherwise the message for the listener.
    [[nodiscard]] QString configure(const CurlApi &api, const std::string &caBundle);
    void touch() { m_lastActivity = std::chrono::steady_clock::now(); }

    std::weak_ptr<CurlLoop> m_loop;
    HttpRequest m_request;
    TransferListener *m_listener; // null after a cancel
    const CurlApi *m_api = nullptr;
    CURL *m_easy = nullptr;
    curl_slist *m_headerLines = nullptr;
    QString m_proxyWords; // which proxy and who named it; empty: none
    HeaderList m_headers;
    QByteArray m_location;
    int m_status = 0;
    int m_redirects = 0;
    bool m_headDone = false;
    bool m_redirecting = false;
    bool m_paused = false;
    bool m_added = false;
    bool m_sawByte = false;
    TransferFault m_fault = TransferFault::None; // set by a time limit of ours
    QString m_faultText;
    std::chrono::steady_clock::time_point m_lastActivity;
};

/// Drives libcurl's multi handle from socket notifiers and one timer. Callbacks into listeners may
/// start and cancel transfers; libcurl forbids that while it is at work, so it is put off until it
/// returns.
class CurlLoop final : public QObject, public std::enable_shared_from_this<CurlLoop>
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(CurlLoop)

public:
    explicit CurlLoop(const QString &extraCaFile);
    ~CurlLoop() override;

    void start(const std::shared_ptr<Transfer> &transfer);
    void cancelled(Transfer &transfer);
    void resume(Transfer &transfer);

private:
    struct SocketWatch
    {
        std::unique_ptr<QSocketNotifier> read;
        std::unique_ptr<QSocketNotifier> write;
    };

    static int onSocket(CURL *easy, curl_socket_t socket, int what, void *self, void *watch);
    static int onTimer(CURLM *multi, long milliseconds, void *self);

    [[nodiscard]] bool initialise();
    void watch(curl_socket_t socket, int what);
    void act(curl_socket_t socket, int events);
    void afterCurl();
    void collectFinished();
    void checkTimeLimits();
    void finish(
        const std::shared_ptr<Transfer> &transfer, TransferFault fault, const QString &message);
    void remove(Transfer &transfer);
    void adjustTick();

    QString m_extraCaFile;
    const CurlApi *m_api = nullptr;
    QString m_problem;
    std::string m_caBundle; // only with an extra authority
    CURLM *m_multi = nullptr;
    std::unordered_map<curl_socket_t, SocketWatch> m_sockets;
    std::vector<std::unique_ptr<QSocketNotifier>> m_retired; // deleted outside their own signal
    std::list<std::shared_ptr<Transfer>> m_active;
    std::vector<std::shared_ptr<Transfer>> m_toAdd;
    std::vector<std::shared_ptr<Transfer>> m_toRemove;
    QTimer m_timer;
    QTimer m_tick;
    int m_depth = 0; // > 0 while libcurl runs
};

} // namespace deskhand::net
