// SPDX-License-Identifier: Apache-2.0
#include "executor/net/requestparser.h"

#include <cstdint>
#include <cstdlib>

using namespace deskhand::net;

namespace {

constexpr qsizetype kMaxBody = 4096;

RequestParser::State read(QByteArrayView bytes, qsizetype piece, std::string &body)
{
    RequestParser parser(1024, kMaxBody);
    QByteArray pending;
    for (qsizetype at = 0; at < bytes.size(); at += piece) {
        pending += bytes.sliced(at, std::min(piece, bytes.size() - at)).toByteArray();
        while (!pending.isEmpty()) {
            const auto before = parser.state();
            const qsizetype taken = parser.feed(pending);
            if (taken < 0 || taken > pending.size()) {
                std::abort();
            }
            pending.remove(0, taken);
            if (taken == 0 && parser.state() == before) {
                break;
            }
        }
    }
    if (parser.state() == RequestParser::State::Done) {
        body = parser.takeBody();
        if (body.size() > kMaxBody) {
            std::abort();
        }
    }
    return parser.state();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, size_t size)
{
    const QByteArrayView bytes(reinterpret_cast<const char *>(data), static_cast<qsizetype>(size));
    std::string whole;
    std::string byByte;
    const auto one = read(bytes, std::max<qsizetype>(1, bytes.size()), whole);
    const auto other = read(bytes, 1, byByte);
    const bool bothDone = one == RequestParser::State::Done && other == RequestParser::State::Done;
    if (bothDone && whole != byByte) {
        std::abort();
    }
    return 0;
}
