// SPDX-License-Identifier: Apache-2.0
#include "executor/sandbox/globmatcher.h"

#include <QString>

#include <cstdint>
#include <cstdlib>

/// Pattern and path from one input, parted by a line break. Matching must end, and a path that
/// matches must be found by a scan that asks mayMatchBelow on the way down.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    using deskhand::sandbox::PathGlob;
    const std::string input(reinterpret_cast<const char *>(data), size);
    const size_t part = input.find('\n');
    if (part == std::string::npos) {
        return 0;
    }
    const std::string path = "/" + input.substr(part + 1);
    const auto glob
        = PathGlob::parse(QString::fromUtf8(input.data(), static_cast<qsizetype>(part)));
    if (!glob || path.find('\0') != std::string::npos) {
        return 0;
    }
    if (glob->matches(path)) {
        for (size_t slash = path.find('/', 1); slash != std::string::npos;
             slash = path.find('/', slash + 1)) {
            if (path.find_first_not_of('/', slash) != std::string::npos
                && !glob->mayMatchBelow(path.substr(0, slash))) {
                std::abort();
            }
        }
    }
    return 0;
}
