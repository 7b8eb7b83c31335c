// SPDX-License-Identifier: Apache-2.0
#include "executor/process/displaytext.h"

#include <cstdint>
#include <cstdlib>

/// Whatever a program writes, no control character but tab and line ends comes out, and it does not
/// matter how the bytes were cut into pieces.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    using namespace deskhand::process;
    if (size == 0) {
        return 0;
    }
    const QByteArray bytes(
        reinterpret_cast<const char *>(data) + 1, static_cast<qsizetype>(size) - 1);
    const QString whole = displayText(bytes);
    for (const QChar c : whole) {
        const ushort code = c.unicode();
        const bool lineOrTab = code == '\t' || code == '\n' || code == '\r';
        if (!lineOrTab && (code < 0x20 || (code >= 0x7f && code <= 0x9f))) {
            std::abort();
        }
    }
    TextStream text;
    ControlFilter filter;
    QString pieces;
    const qsizetype step = 1 + data[0] % 7;
    for (qsizetype at = 0; at < bytes.size(); at += step) {
        pieces += filter.append(text.append(bytes.mid(at, step)));
    }
    pieces += filter.append(text.finish());
    if (pieces != whole) {
        std::abort();
    }
    return 0;
}
