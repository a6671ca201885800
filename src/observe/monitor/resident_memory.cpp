#include "monitor/resident_memory.h"

#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>

#include <malloc.h>

#include "monitor/kernel_files.h"

namespace qanat {

std::optional<Bytes> peak_resident_memory() {
  const std::optional<std::string> status = read_kernel_file("/proc/self/status");
  if (!status) {
    return std::nullopt;
  }
  const std::optional<std::string_view> value = value_after(*status, "VmHWM:");
  if (!value || !value->ends_with("kB")) {
    return std::nullopt;
  }
  const std::optional<std::int64_t> kilobytes = to_integer(value->substr(0, value->size() - 2));
  return kilobytes ? std::optional(Bytes{*kilobytes * 1024}) : std::nullopt;
}

void restart_peak_memory() {
  ::malloc_trim(0);
  std::ofstream("/proc/self/clear_refs") << "5";  // proc(5): resets the peak, and nothing else
}

}  // namespace qanat
