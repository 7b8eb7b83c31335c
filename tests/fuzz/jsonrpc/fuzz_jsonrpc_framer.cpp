// SPDX-License-Identifier: Apache-2.0
// The line framer on any bytes. The first byte chooses where the stream is cut into pieces, the
// second the cap. Every way of cutting must give the same lines, and memory must stay below the
// cap.
#include "executor/jsonrpc/lineframer.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>

using deskhand::jsonrpc::LineFramer;

namespace {

void require(bool condition, const char *what)
{
    if (!condition) {
        std::fprintf(stderr, "violated: %s\n", what);
        std::abort();
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    if (size < 2) {
        return 0;
    }
    const qsizetype piece = data[0] % 17 + 1;
    const qsizetype cap = data[1] % 61 + 1;
    const QByteArray stream(
        reinterpret_cast<const char *>(data + 2), static_cast<qsizetype>(size - 2));
    LineFramer whole(cap);
    const QList<QByteArray> expected = whole.feed(stream);
    LineFramer pieces(cap);
    QList<QByteArray> lines;
    for (qsizetype at = 0; at < stream.size(); at += piece) {
        lines += pieces.feed(stream.mid(at, piece));
        require(pieces.pendingBytes() <= cap + 1, "memory stays below the cap");
    }
    require(lines == expected, "cutting changes nothing");
    require(pieces.oversizeLines() == whole.oversizeLines(), "long lines are counted alike");
    for (const QByteArray &line : lines) {
        require(!line.isEmpty() && line.size() <= cap, "lines fit the cap");
        require(!line.contains('\n'), "lines hold no line end");
    }
    require(pieces.finish() == whole.finish(), "the rest is the same");
    require(pieces.pendingBytes() == 0, "nothing is left after the end");
    return 0;
}
