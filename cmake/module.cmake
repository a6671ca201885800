# qanat_module(<name> [SOURCES <files>...] [DEPENDS <modules>...] [LINK <libraries>...])
#
# One folder under src/ = one target qanat_<name>, alias qanat::<name>. Sources are listed, never
# globbed. A module without sources is header-only.
function(qanat_module name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEPENDS;LINK")
  list(TRANSFORM arg_DEPENDS PREPEND qanat::)
  if(arg_SOURCES)
    add_library(qanat_${name} STATIC ${arg_SOURCES})
    target_link_libraries(qanat_${name} PUBLIC ${arg_DEPENDS} ${arg_LINK} PRIVATE qanat::warnings)
    target_include_directories(qanat_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src)
  else()
    add_library(qanat_${name} INTERFACE)
    target_link_libraries(qanat_${name} INTERFACE ${arg_DEPENDS} ${arg_LINK})
    target_include_directories(qanat_${name} INTERFACE ${PROJECT_SOURCE_DIR}/src)
  endif()
  add_library(qanat::${name} ALIAS qanat_${name})
endfunction()

# qanat_tests(<name> <files>... [LINK <libraries>...])
#
# One test program per module, every case its own ctest, labelled `fast`.
function(qanat_tests name)
  if(NOT QANAT_TESTS)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LINK")
  add_executable(qanat_${name}_test ${arg_UNPARSED_ARGUMENTS})
  target_link_libraries(qanat_${name}_test PRIVATE qanat::${name} qanat::warnings ${arg_LINK}
                                                   GTest::gmock GTest::gtest_main)
  gtest_discover_tests(
    qanat_${name}_test
    TEST_PREFIX ${name}.
    DISCOVERY_MODE PRE_TEST
    PROPERTIES LABELS fast TIMEOUT 120)
endfunction()
