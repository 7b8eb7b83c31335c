// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/net/httpclient.h"

namespace deskhand::test {

/// Keeps what a transfer tells.
class Listener final : public net::TransferListener
{
public:
    int status = 0;
    net::HeaderList headers;
    QByteArray body;
    bool finished = false;
    net::TransferFault fault = net::TransferFault::None;
    QString message;
    std::unique_ptr<net::TransferHandle> *cancelAtFirstByte = nullptr;

    void onHead(int code, const net::HeaderList &fields) override
    {
        status = code;
        headers = fields;
    }
    void onBytes(std::string_view bytes) override
    {
        body.append(bytes.data(), static_cast<qsizetype>(bytes.size()));
        if (cancelAtFirstByte != nullptr) {
            cancelAtFirstByte->reset();
        }
    }
    void onFinished(net::TransferFault reason, const QString &words) override
    {
        finished = true;
        fault = reason;
        message = words;
    }
};

/// A POST with a small body and a secret header.
[[nodiscard]] inline net::HttpRequest requestTo(const QByteArray &url)
{
    net::HttpRequest request;
    request.url = url;
    request.headers = { { "Content-Type", "application/json" }, { "X-Key", "secret" } };
    request.body = std::make_shared<const std::string>("{}");
    return request;
}

} // namespace deskhand::test
