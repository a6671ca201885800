// Work that may find the memory of a device full, be it by our budget or by libtorch's allocator.
#pragma once

#include <string>

#include <c10/util/Exception.h>

#include "device/out_of_memory.h"

namespace qanat {

// Why `work` did not fit in memory; empty when it did. Other exceptions pass through.
template <typename Work>
std::string why_not_fitting(Work&& work) {
  try {
    work();
    return {};
  } catch (const OutOfMemory& error) {
    return error.what();
  } catch (const c10::OutOfMemoryError& error) {
    return error.what_without_backtrace();
  }
}

}  // namespace qanat
