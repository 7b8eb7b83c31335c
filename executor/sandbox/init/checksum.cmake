# SPDX-License-Identifier: Apache-2.0
file(SHA256 "${HELPER}" sum)
file(WRITE "${OUTPUT}" "// Generated at build time.\n#pragma once\nnamespace deskhand::sandbox {\ninline constexpr char kHelperSha256[] = \"${sum}\";\n}\n")
