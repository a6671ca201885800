# Everything Qanat links, all of it packaged in Debian 12. ./dev installs the packages.
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(png REQUIRED IMPORTED_TARGET libpng)
pkg_check_modules(sndfile REQUIRED IMPORTED_TARGET sndfile)
pkg_check_modules(soxr REQUIRED IMPORTED_TARGET soxr)
pkg_check_modules(xxhash REQUIRED IMPORTED_TARGET libxxhash)
pkg_check_modules(yaml_cpp REQUIRED IMPORTED_TARGET yaml-cpp)
if(QANAT_CUDA)
  include(cmake/cuda_libtorch.cmake)
else()
  find_package(Torch REQUIRED)
  # It spells out the default, which would keep precompiled headers from being shared.
  get_target_property(torch_options torch INTERFACE_COMPILE_OPTIONS)
  if(torch_options STREQUAL "-D_GLIBCXX_USE_CXX11_ABI=1")
    set_target_properties(torch PROPERTIES INTERFACE_COMPILE_OPTIONS "")
  endif()
endif()
if(QANAT_BENCH)
  pkg_check_modules(fftw3f REQUIRED IMPORTED_TARGET fftw3f)  # the yardstick of bench/mel_bench.cpp
endif()
if(QANAT_TESTS)
  find_package(GTest REQUIRED)
  include(GoogleTest)
endif()

find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
endif()

add_library(qanat_warnings INTERFACE)
add_library(qanat::warnings ALIAS qanat_warnings)
# Designated initialisers name what differs from the defaults; the rest is meant to be left out.
target_compile_options(qanat_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
                                                -Wno-missing-field-initializers)
