# SPDX-License-Identifier: Apache-2.0
# Copies SOURCE to PROGRAM and writes its checksum to HEADER; without a SOURCE the checksum is empty.
set(sum "")
if(SOURCE)
  file(REAL_PATH "${SOURCE}" source)
  file(COPY_FILE "${source}" "${PROGRAM}")
  # No set-user-id bit comes along.
  file(CHMOD "${PROGRAM}" PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE
    GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
  if(STRIP)
    # Now, so that packaging changes nothing and the checksum holds. What is no program stays.
    execute_process(COMMAND "${STRIP}" "${PROGRAM}" OUTPUT_QUIET ERROR_QUIET)
  endif()
  file(SHA256 "${PROGRAM}" sum)
endif()
file(WRITE "${HEADER}" "// Generated at build time.\n#pragma once\nnamespace deskhand::sandbox {\ninline constexpr char kBundledBwrapSha256[] = \"${sum}\";\n}\n")
