// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/modelproxy/json.h"
#include "executor/modelproxy/upstream.h"
#include "executor/net/httpclient.h"

#include <QObject>
#include <QTimer>

#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace deskhand::modelproxy {

/// Lets a second model describe images for one that cannot see them. Three descriptions at a time
/// over all tasks; what was described in a conversation is remembered. A failure never fails the
/// request: a note takes the image's place. Owned by the server, on the proxy thread.
class VisionSidecars final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(VisionSidecars)

public:
    using Done = std::function<void(Json &&request)>;

    explicit VisionSidecars(net::HttpClient &client, QObject *parent = nullptr);
    ~VisionSidecars() override;

    /// Replaces every image of the request's input and hands it back, later and once. `owner` gone
    /// means that nobody waits any more.
    void describe(Json &&request, const std::string &conversation, const VisionSidecar &sidecar,
        QObject *owner, Done done);

private:
    class Description;
    struct Job;

    void startWaiting();
    void finished(Description &description, const std::string &text, bool described);
    void settle(const std::shared_ptr<Job> &job);
    void remember(const std::string &key, const std::string &text);
    [[nodiscard]] const std::string *recall(const std::string &key);

    net::HttpClient &m_client;
    std::deque<std::shared_ptr<Description>> m_waiting;
    std::vector<std::shared_ptr<Description>> m_running;
    std::list<std::pair<std::string, std::string>> m_cache; // newest first
    size_t m_cacheBytes = 0;
};

/// An image that may be sent to a describer: https, or base64 data of PNG, JPEG, WebP or GIF of at
/// most 20 MiB. The text says why not; empty when it may.
[[nodiscard]] std::string imageFault(std::string_view url);

/// The user's last words, without Codex's attachment markup, at most 800 characters.
[[nodiscard]] std::string imageContext(const Json &input);

constexpr size_t kMaxImageBytes = size_t(20) * 1024 * 1024;

/// Replaces the oldest images beyond 40 MiB in all, and any above `largest` bytes, by a note. The
/// last user message's images are replaced last. True when `input` changed.
bool limitImages(Json &input, size_t largest = kMaxImageBytes);

} // namespace deskhand::modelproxy
