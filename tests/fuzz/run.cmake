# SPDX-License-Identifier: Apache-2.0
# Runs a fuzz target as a test: always from the seeds alone and with the same dice, so that a second
# run does the same and a longer one only goes further. scripts/fuzz looks for what is new.
#   cmake -DPROGRAM=… -DSEEDS=… -DFOUND=… -DSECONDS=… -P run.cmake
file(REMOVE_RECURSE "${FOUND}/corpus")
file(MAKE_DIRECTORY "${FOUND}/corpus")
# The limit of one input only catches what hangs: a busy machine may stop a program for long.
execute_process(
  COMMAND "${PROGRAM}" -seed=1 "-max_total_time=${SECONDS}" -timeout=100 -rss_limit_mb=2048
    -print_final_stats=1 "-artifact_prefix=${FOUND}/" "${FOUND}/corpus" "${SEEDS}"
  RESULT_VARIABLE failed)
if(failed)
  file(GLOB inputs "${FOUND}/*-*")
  foreach(input IN LISTS inputs)
    file(READ "${input}" bytes HEX)
    message("The input ${input}, in hexadecimal: ${bytes}")
  endforeach()
  message(FATAL_ERROR "${PROGRAM} failed (${failed})")
endif()
