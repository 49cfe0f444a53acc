# The few helpers of this build. Flags live in one interface target that every target of ours links.
add_library(wd_flags INTERFACE)
target_compile_definitions(wd_flags INTERFACE _GNU_SOURCE)
target_compile_options(wd_flags INTERFACE
  -Wall -Wextra -Wpedantic -Werror -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith
  -Wcast-qual -Wwrite-strings -Wundef -Wformat=2 -Wvla -fno-common -fvisibility=hidden)
if(WORLDD_SANITIZE)
  target_compile_options(wd_flags INTERFACE -fsanitize=${WORLDD_SANITIZE} -fno-omit-frame-pointer
    -fno-sanitize-recover=all)
  string(REPLACE "fuzzer-no-link" "fuzzer" wd_link_sanitize "${WORLDD_SANITIZE}")
  string(REPLACE ",fuzzer" "" wd_link_sanitize "${wd_link_sanitize}")  # each fuzz target adds its own main
  target_link_options(wd_flags INTERFACE -fsanitize=${wd_link_sanitize})
endif()
if(CMAKE_BUILD_TYPE STREQUAL "Release")
  target_compile_options(wd_flags INTERFACE -O2)
endif()

# wd_add_module(NAME SOURCES a.c ... [USES wd::x PkgConfig::y ...] [PRIVATE_USES ...])
# One room: static library wd_NAME, alias wd::NAME, public headers in include/, private ones in src/.
# USES is passed on to whoever links the room; PRIVATE_USES (foreign libraries) is not.
function(wd_add_module name)
  cmake_parse_arguments(arg "" "" "SOURCES;USES;PRIVATE_USES" ${ARGN})
  add_library(wd_${name} STATIC ${arg_SOURCES})
  add_library(wd::${name} ALIAS wd_${name})
  target_include_directories(wd_${name} PUBLIC include PRIVATE src)
  target_link_libraries(wd_${name} PUBLIC ${arg_USES} PRIVATE wd_flags ${arg_PRIVATE_USES})
  set_property(TARGET wd_${name} PROPERTY WD_PRIVATE_INCLUDE ${CMAKE_CURRENT_SOURCE_DIR}/src)
endfunction()

# wd_add_test(PATH [SOURCES ...] USES wd::x ... [PRIVATE_OF room] [TIMEOUT s] [ARGS ...])
# tests/PATH_test.c becomes the test PATH; the tree of names mirrors the sources. PRIVATE_OF lets the test see
# one room's private headers. Each test gets the repository root in WD_SOURCE_DIR.
function(wd_add_test path)
  cmake_parse_arguments(arg "" "PRIVATE_OF;TIMEOUT" "SOURCES;USES;ARGS" ${ARGN})
  string(REPLACE "/" "_" target "test_${path}")
  add_executable(${target} ${CMAKE_SOURCE_DIR}/tests/${path}_test.c ${arg_SOURCES})
  target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR}/tests/support)
  target_link_libraries(${target} PRIVATE wd_flags ${arg_USES} PkgConfig::cmocka)
  target_compile_definitions(${target} PRIVATE WD_SOURCE_DIR="${CMAKE_SOURCE_DIR}" WD_BUILD_DIR="${CMAKE_BINARY_DIR}")
  if(arg_PRIVATE_OF)
    target_include_directories(${target} PRIVATE $<TARGET_PROPERTY:wd_${arg_PRIVATE_OF},WD_PRIVATE_INCLUDE>)
  endif()
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  add_test(NAME ${path} COMMAND ${target} ${arg_ARGS})
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  set_tests_properties(${path} PROPERTIES TIMEOUT ${arg_TIMEOUT})
endfunction()

# wd_add_fuzz(NAME SOURCE.c USES wd::x ...): a libFuzzer program fuzz_NAME.
function(wd_add_fuzz name source)
  cmake_parse_arguments(arg "" "" "USES" ${ARGN})
  add_executable(fuzz_${name} ${source})
  target_link_libraries(fuzz_${name} PRIVATE wd_flags ${arg_USES})
  target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
endfunction()
