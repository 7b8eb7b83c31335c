# SPDX-License-Identifier: Apache-2.0
# A room is one folder of executor/ and one static library deskhand_<room>. What it links is what
# it may include: a room that does not link Widgets, or a higher room, cannot use it.
#
# deskhand_room(NAME SOURCES ... [PUBLIC ...] [PRIVATE ...])
function(deskhand_room name)
  cmake_parse_arguments(ROOM "" "" "SOURCES;PUBLIC;PRIVATE" ${ARGN})
  set(target deskhand_${name})
  add_library(${target} STATIC ${ROOM_SOURCES})
  target_include_directories(${target} PUBLIC "${CMAKE_SOURCE_DIR}")
  target_link_libraries(${target} PUBLIC project_policy Qt6::Core ${ROOM_PUBLIC} PRIVATE ${ROOM_PRIVATE})
endfunction()

# What the thread sanitizer must be told about Qt, for a program that it watches.
function(deskhand_tell_sanitizer target)
  if(CMAKE_CXX_FLAGS MATCHES "fsanitize=thread" AND CMAKE_SYSTEM_NAME STREQUAL "Linux")
    target_sources(${target} PRIVATE "${CMAKE_SOURCE_DIR}/tests/support/tsan/queuedcalls.cpp")
  endif()
endfunction()

# deskhand_test(tst_name SOURCES ... LINK ... [LABELS ...] [TIMEOUT s] [ENVIRONMENT ...] [LOCKS ...])
# One Qt Test program and one CTest entry.
function(deskhand_test name)
  cmake_parse_arguments(T "" "TIMEOUT" "SOURCES;LINK;LABELS;ENVIRONMENT;LOCKS" ${ARGN})
  if(NOT T_SOURCES)
    set(T_SOURCES ${name}.cpp)
  endif()
  if(NOT T_TIMEOUT)
    set(T_TIMEOUT 120)
  endif()
  if(NOT T_LABELS)
    set(T_LABELS unit)
  endif()
  add_executable(${name} ${T_SOURCES})
  target_include_directories(${name} PRIVATE "${CMAKE_SOURCE_DIR}")
  target_compile_definitions(${name} PRIVATE
    DESKHAND_SOURCE_DIR="${CMAKE_SOURCE_DIR}"
    DESKHAND_BINARY_DIR="${CMAKE_BINARY_DIR}"
    DESKHAND_FIXTURES="${CMAKE_SOURCE_DIR}/tests/fixtures")
  target_link_libraries(${name} PRIVATE project_policy Qt6::Test ${T_LINK})
  deskhand_tell_sanitizer(${name})
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES TIMEOUT ${T_TIMEOUT} LABELS "${T_LABELS}")
  # Each test starts from an empty home of its own, so nothing of the developer's leaks in.
  file(MAKE_DIRECTORY "${CMAKE_BINARY_DIR}/testhome/${name}")
  set_tests_properties(${name} PROPERTIES ENVIRONMENT
    "HOME=${CMAKE_BINARY_DIR}/testhome/${name};NO_PROXY=127.0.0.1,localhost,::1;DESKHAND_PEERS=${CMAKE_SOURCE_DIR}/build/peers;${T_ENVIRONMENT}")
  if(T_LOCKS)
    set_tests_properties(${name} PROPERTIES RESOURCE_LOCK "${T_LOCKS}")
  endif()
endfunction()
