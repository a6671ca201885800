# Headers that cost more to read than the code that includes them are read once: libtorch's always,
# the others where files are read together (CMAKE_UNITY_BUILD). A build file by file reads what each
# file includes itself, and so finds what it forgot.
set(light_headers
    <algorithm> <array> <atomic> <charconv> <chrono> <cmath> <condition_variable> <cstddef> <cstdint>
    <filesystem> <fstream> <functional> <map> <memory> <mutex> <numeric> <optional> <ostream> <random>
    <set> <span> <sstream> <stop_token> <string> <string_view> <thread> <unordered_map> <utility>
    <variant> <vector> <fmt/format.h> <fmt/ranges.h> <nlohmann/json.hpp>)
set(light_libraries fmt::fmt nlohmann_json::nlohmann_json)
function(qanat_prefix name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "HEADERS;LINK")
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/prefix/${name}.cpp CONTENT "")
  add_library(qanat_${name}_prefix OBJECT ${PROJECT_BINARY_DIR}/prefix/${name}.cpp)
  target_link_libraries(qanat_${name}_prefix PRIVATE ${light_libraries} ${arg_LINK} qanat::warnings)
  target_precompile_headers(qanat_${name}_prefix PRIVATE ${light_headers} ${arg_HEADERS})
endfunction()
if(QANAT_TORCH)
  qanat_prefix(torch HEADERS <torch/torch.h> LINK ${TORCH_LIBRARIES})
endif()
if(CMAKE_UNITY_BUILD)
  qanat_prefix(plain)
  if(QANAT_TESTS)
    qanat_prefix(plain_test HEADERS <gmock/gmock.h> LINK GTest::gmock)
  endif()
endif()
function(qanat_use_prefix target name)
  if(TARGET qanat_${name}_prefix)
    target_precompile_headers(${target} REUSE_FROM qanat_${name}_prefix)
  endif()
endfunction()

# qanat_module(<name> [TORCH] [SOURCES <files>...] [LINK <libraries>...])
#
# One folder of a wing under src/ = one target qanat_<name>, alias qanat::<name>. Sources are listed,
# never globbed. A module without sources is header-only. It links the modules that layers.txt lets it
# include. TORCH: it includes libtorch.
function(qanat_module name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "TORCH" "" "SOURCES;LINK")
  set(arg_DEPENDS ${qanat_depends_of_${name}})
  if(NOT QANAT_TORCH)
    list(REMOVE_ITEM arg_DEPENDS ${qanat_torch_modules})
  endif()
  list(TRANSFORM arg_DEPENDS PREPEND qanat::)
  list(TRANSFORM qanat_include_folders REPLACE "(.+)" "$<BUILD_INTERFACE:\\1>" OUTPUT_VARIABLE include_folders)
  list(APPEND include_folders "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/qanat>")
  if(arg_SOURCES)
    add_library(qanat_${name} STATIC ${arg_SOURCES})
    target_link_libraries(qanat_${name} PUBLIC ${arg_DEPENDS} ${arg_LINK}
                          PRIVATE $<BUILD_INTERFACE:qanat::warnings>)
    target_include_directories(qanat_${name} PUBLIC ${include_folders})
    if(arg_TORCH)
      qanat_use_prefix(qanat_${name} torch)
    else()
      qanat_use_prefix(qanat_${name} plain)
    endif()
  else()
    add_library(qanat_${name} INTERFACE)
    target_link_libraries(qanat_${name} INTERFACE ${arg_DEPENDS} ${arg_LINK})
    target_include_directories(qanat_${name} INTERFACE ${include_folders})
  endif()
  if(arg_TORCH)
    target_link_libraries(qanat_${name} PUBLIC ${TORCH_LIBRARIES})
  endif()
  add_library(qanat::${name} ALIAS qanat_${name})
  set_property(GLOBAL APPEND PROPERTY QANAT_MODULES ${name})  # for cmake/package.cmake
endfunction()

# qanat_test_program(<target> [TORCH] PREFIX <name> LABELS <label> [TIMEOUT <seconds>] [PROPERTIES ...]
#                    SOURCES <files>... LINK <libraries>...)
#
# Every case is its own ctest, <name>.<Suite>.<Case>. Tests are read once and run once: -O1 compiles
# them in two thirds of the time; what they test keeps the flags of the build.
function(qanat_test_program target)
  if(NOT QANAT_TESTS)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 arg "TORCH" "PREFIX;TIMEOUT" "LABELS;SOURCES;LINK;PROPERTIES")
  add_executable(${target} ${arg_SOURCES})
  target_link_libraries(${target} PRIVATE ${arg_LINK} qanat::warnings GTest::gmock GTest::gtest_main)
  if(CMAKE_BUILD_TYPE STREQUAL "Release")
    target_compile_options(${target} PRIVATE -O1)
  endif()
  if(arg_TORCH)
    qanat_use_prefix(${target} torch)
  else()
    qanat_use_prefix(${target} plain_test)
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  gtest_discover_tests(
    ${target}
    TEST_PREFIX ${arg_PREFIX}.
    DISCOVERY_MODE PRE_TEST
    # Tests share the cores, so threads do not spin for long; src/programs/cli/torch_part.cpp prepares the
    # other for the program too. In two properties: a list would be cut.
    PROPERTIES LABELS "${arg_LABELS}" TIMEOUT ${arg_TIMEOUT} ENVIRONMENT GOMP_SPINCOUNT=2000
               ENVIRONMENT_MODIFICATION ONEDNN_MAX_CPU_ISA=set:AVX512_CORE_BF16 ${arg_PROPERTIES})
endfunction()

# qanat_tests(<name> [TORCH] <files>... [LINK <libraries>...]): the fast tests of a module.
function(qanat_tests name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "TORCH" "" "LINK")
  set(torch)
  if(arg_TORCH)
    set(torch TORCH)
  endif()
  qanat_test_program(qanat_${name}_test ${torch} PREFIX ${name} LABELS fast
                     SOURCES ${arg_UNPARSED_ARGUMENTS} LINK qanat::${name} ${arg_LINK})
endfunction()

# qanat_concurrency_tests(<name> <files>...)
#
# One label that -L fast and -L concurrency both match: gtest_discover_tests would cut a list.
# Tests of a module's threads, in a program of their own: what ./dev sanitize repeats a hundred
# times under ThreadSanitizer.
function(qanat_concurrency_tests name)
  qanat_test_program(qanat_${name}_concurrency_test PREFIX ${name} LABELS fast_concurrency
                     SOURCES ${ARGN} LINK qanat::${name})
endfunction()

# qanat_golden_tests(<files>...): tests that compare with files of tests/golden.
function(qanat_golden_tests)
  set_source_files_properties(${ARGN} PROPERTIES COMPILE_DEFINITIONS
                                                 "QANAT_GOLDEN=\"${PROJECT_SOURCE_DIR}/tests/golden\"")
endfunction()
