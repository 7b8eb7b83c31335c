// SPDX-License-Identifier: Apache-2.0
#include "executor/modelproxy/packedthinking.h"

#include <QByteArray>

namespace deskhand::modelproxy {
namespace {

constexpr std::string_view kPrefix = "wa1:";

} // namespace

std::string packThinking(const Json &blocks)
{
    const QByteArray encoded
        = QByteArray::fromStdString(dumpJson(blocks))
              .toBase64(QByteArray::Base64UrlEncoding | QByteArray::OmitTrailingEquals);
    return std::string(kPrefix) + encoded.toStdString();
}

std::optional<Json> unpackThinking(std::string_view encrypted)
{
    if (!encrypted.starts_with(kPrefix)) {
        return std::nullopt;
    }
    encrypted.remove_prefix(kPrefix.size());
    const auto decoded = QByteArray::fromBase64Encoding(
        QByteArray(encrypted.data(), static_cast<qsizetype>(encrypted.size())),
        QByteArray::Base64UrlEncoding | QByteArray::AbortOnBase64DecodingErrors);
    if (!decoded) {
        return std::nullopt;
    }
    Result<Json> blocks = parseJson(decoded.decoded.toStdString());
    if (!blocks || !blocks->is_array()) {
        return std::nullopt;
    }
    for (const Json &block : *blocks) {
        const std::string_view type = textMember(block, "type");
        if (type != "thinking" && type != "redacted_thinking") {
            return std::nullopt; // nothing else may come in this way
        }
    }
    return std::move(*blocks);
}

} // namespace deskhand::modelproxy
