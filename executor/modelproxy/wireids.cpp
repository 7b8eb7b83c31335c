// SPDX-License-Identifier: Apache-2.0
#include "executor/modelproxy/wireids.h"

#include <QCryptographicHash>
#include <QRandomGenerator>

#include <algorithm>
#include <array>

namespace deskhand::modelproxy {
namespace {

constexpr size_t kLongestId = 64;
constexpr size_t kLongestPrefix = 48;
constexpr size_t kHashDigits = 12;

bool isIdChar(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'
        || c == '-';
}

QByteArray sha256(std::string_view bytes)
{
    return QCryptographicHash::hash(
        QByteArrayView(bytes.data(), static_cast<qsizetype>(bytes.size())),
        QCryptographicHash::Sha256);
}

} // namespace

bool isSafeId(std::string_view id)
{
    return !id.empty() && id.size() <= kLongestId && std::all_of(id.begin(), id.end(), isIdChar);
}

std::string safeId(std::string_view id)
{
    if (isSafeId(id)) {
        return std::string(id);
    }
    std::string safe(id.substr(0, kLongestPrefix));
    std::replace_if(
        safe.begin(), safe.end(), [](char c) { return !isIdChar(c); }, '_');
    if (safe.empty()) {
        safe = "id";
    }
    return safe + '_' + sha256Hex(id).substr(0, kHashDigits);
}

std::string nineCharacterId(std::string_view id, int attempt)
{
    static constexpr std::string_view kAlphabet
        = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    constexpr size_t kLength = 9;
    const auto isPlain = [](char c) {
        return isIdChar(c) && c != '_' && c != '-';
    };
    if (attempt == 0 && id.size() == kLength && std::all_of(id.begin(), id.end(), isPlain)) {
        return std::string(id);
    }
    const QByteArray hash = sha256(std::string(id) + '#' + std::to_string(attempt));
    std::string result;
    for (size_t i = 0; i < kLength; ++i) {
        const auto byte = static_cast<unsigned char>(hash[static_cast<qsizetype>(i)]);
        result.push_back(kAlphabet[byte % kAlphabet.size()]);
    }
    return result;
}

std::string freshId(std::string_view prefix)
{
    std::array<quint32, 3> random {};
    QRandomGenerator::global()->fillRange(random.data(), random.size());
    return std::string(prefix)
        + QByteArray(reinterpret_cast<const char *>(random.data()), sizeof random)
              .toHex()
              .toStdString();
}

std::string sha256Hex(std::string_view bytes)
{
    return sha256(bytes).toHex().toStdString();
}

} // namespace deskhand::modelproxy
