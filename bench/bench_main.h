// What the mains of the benchmarks share.
#pragma once

#include <exception>
#include <functional>
#include <iostream>

namespace qanat {

// The exit code of `program`, whose work is `run`; what that throws is said under its name.
inline int run_bench(const char* program, const std::function<int()>& run) {
  try {
    return run();
  } catch (const std::exception& error) {
    std::cerr << program << ": " << error.what() << '\n';
    return 1;
  }
}

}  // namespace qanat
