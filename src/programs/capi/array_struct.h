// The struct behind __array_struct__, by which numpy takes memory of others with the least work
// (https://numpy.org/doc/stable/reference/arrays.interface.html). Names and layout are the
// standard's.
#pragma once

#include <cstddef>

namespace qanat {

inline constexpr int kArrayStructFlags =
    0x1 | 0x100 | 0x200 | 0x400;  // C order, aligned, native, writable

struct ArrayStruct {
  int two = 2;  // a check
  int dimensions = 0;
  char kind = 'f';
  int item_bytes = 0;
  int flags = kArrayStructFlags;
  std::ptrdiff_t* shape = nullptr;
  std::ptrdiff_t* strides = nullptr;  // in bytes
  void* data = nullptr;
  void* description = nullptr;
};

}  // namespace qanat
