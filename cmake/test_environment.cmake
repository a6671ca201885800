# What ctest and every test it starts have in their environment; src/programs/cli/torch_part.cpp says why. Properties of tests that
# gtest_discover_tests() makes cannot hold a list.
set(ENV{MKL_CBWR} AUTO)
