// SPDX-License-Identifier: Apache-2.0
#include "executor/modelproxy/bodydecoder.h"

#include <memory>
#include <vector>
#include <zstd.h>

using namespace Qt::StringLiterals;

namespace deskhand::modelproxy {

Result<std::string> decodedBody(std::string body, const QByteArray &encoding, size_t maxBytes)
{
    const QByteArray word = encoding.trimmed().toLower();
    if (word.isEmpty() || word == "identity") {
        return body;
    }
    if (word != "zstd") {
        return failure(ErrorKind::Unavailable,
            u"the content encoding \"%1\" is not served"_s.arg(QString::fromLatin1(word.left(40))));
    }
    const std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context(
        ZSTD_createDCtx(), &ZSTD_freeDCtx);
    // A window of 128 MiB would be allocated at a stranger's word.
    constexpr int kLargestWindowLog = 24;
    ZSTD_DCtx_setParameter(context.get(), ZSTD_d_windowLogMax, kLargestWindowLog);
    std::vector<char> piece(ZSTD_DStreamOutSize());
    std::string decoded;
    ZSTD_inBuffer in { body.data(), body.size(), 0 };
    size_t state = 1;
    while (in.pos < in.size) {
        ZSTD_outBuffer out { piece.data(), piece.size(), 0 };
        state = ZSTD_decompressStream(context.get(), &out, &in);
        if (ZSTD_isError(state) != 0U) {
            return failure(ErrorKind::Protocol, u"the compressed body is broken"_s);
        }
        decoded.append(piece.data(), out.pos);
        if (decoded.size() > maxBytes) {
            return failure(ErrorKind::Policy, u"the request's body is too large"_s);
        }
        while (out.pos == out.size) {
            out.pos = 0;
            state = ZSTD_decompressStream(context.get(), &out, &in);
            if (ZSTD_isError(state) != 0U) {
                return failure(ErrorKind::Protocol, u"the compressed body is broken"_s);
            }
            decoded.append(piece.data(), out.pos);
            if (decoded.size() > maxBytes) {
                return failure(ErrorKind::Policy, u"the request's body is too large"_s);
            }
        }
    }
    if (state != 0) {
        return failure(ErrorKind::Protocol, u"the compressed body is cut short"_s);
    }
    return decoded;
}

} // namespace deskhand::modelproxy
