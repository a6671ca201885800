# Headers that cost more to read than the code that includes them are read once, in two forms:
# libtorch's for the modules that use it, GoogleTest's for the tests of those that do not.
function(qanat_prefix name header)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/prefix/${name}.cpp CONTENT "")
  add_library(qanat_${name}_prefix OBJECT ${PROJECT_BINARY_DIR}/prefix/${name}.cpp)
  target_link_libraries(qanat_${name}_prefix PRIVATE ${ARGN} qanat::warnings)
  target_precompile_headers(qanat_${name}_prefix PRIVATE ${header})
endfunction()
qanat_prefix(torch <torch/torch.h> ${TORCH_LIBRARIES})
if(QANAT_TESTS)
  qanat_prefix(gtest <gmock/gmock.h> GTest::gmock)
endif()

# qanat_module(<name> [TORCH] [SOURCES <files>...] [DEPENDS <modules>...] [LINK <libraries>...])
#
# One folder under src/ = one target qanat_<name>, alias qanat::<name>. Sources are listed, never
# globbed. A module without sources is header-only. TORCH: it includes libtorch.
function(qanat_module name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "TORCH" "" "SOURCES;DEPENDS;LINK")
  list(TRANSFORM arg_DEPENDS PREPEND qanat::)
  set(include_folders "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>"
                      "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/qanat>")
  if(arg_SOURCES)
    add_library(qanat_${name} STATIC ${arg_SOURCES})
    target_link_libraries(qanat_${name} PUBLIC ${arg_DEPENDS} ${arg_LINK}
                          PRIVATE $<BUILD_INTERFACE:qanat::warnings>)
    target_include_directories(qanat_${name} PUBLIC ${include_folders})
  else()
    add_library(qanat_${name} INTERFACE)
    target_link_libraries(qanat_${name} INTERFACE ${arg_DEPENDS} ${arg_LINK})
    target_include_directories(qanat_${name} INTERFACE ${include_folders})
  endif()
  if(arg_TORCH)
    target_link_libraries(qanat_${name} PUBLIC ${TORCH_LIBRARIES})
    target_precompile_headers(qanat_${name} REUSE_FROM qanat_torch_prefix)
  endif()
  add_library(qanat::${name} ALIAS qanat_${name})
  set_property(GLOBAL APPEND PROPERTY QANAT_MODULES ${name})  # for cmake/package.cmake
endfunction()

# qanat_tests(<name> [TORCH] <files>... [LINK <libraries>...])
#
# One test program per module, every case its own ctest, labelled `fast`.
function(qanat_tests name)
  if(NOT QANAT_TESTS)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 arg "TORCH" "" "LINK")
  add_executable(qanat_${name}_test ${arg_UNPARSED_ARGUMENTS})
  target_link_libraries(qanat_${name}_test PRIVATE qanat::${name} qanat::warnings ${arg_LINK}
                                                   GTest::gmock GTest::gtest_main)
  if(arg_TORCH)
    target_precompile_headers(qanat_${name}_test REUSE_FROM qanat_torch_prefix)
  else()
    target_precompile_headers(qanat_${name}_test REUSE_FROM qanat_gtest_prefix)
  endif()
  gtest_discover_tests(
    qanat_${name}_test
    TEST_PREFIX ${name}.
    DISCOVERY_MODE PRE_TEST
    PROPERTIES LABELS fast TIMEOUT 120)
endfunction()

# qanat_concurrency_tests(<name> <files>...)
#
# Tests of a module's threads, in a program of their own: what ./dev sanitize repeats a hundred
# times under ThreadSanitizer.
function(qanat_concurrency_tests name)
  if(NOT QANAT_TESTS)
    return()
  endif()
  add_executable(qanat_${name}_concurrency_test ${ARGN})
  target_link_libraries(qanat_${name}_concurrency_test PRIVATE qanat::${name} qanat::warnings
                                                               GTest::gmock GTest::gtest_main)
  gtest_discover_tests(
    qanat_${name}_concurrency_test
    TEST_PREFIX ${name}.
    DISCOVERY_MODE PRE_TEST
    PROPERTIES LABELS "fast;concurrency" TIMEOUT 120)
endfunction()
