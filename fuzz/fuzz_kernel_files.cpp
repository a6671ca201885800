// Reads arbitrary bytes as the small files of /proc and /sys: whatever they hold, readings are
// values or reasons.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include <unistd.h>

#include "monitor/host_counters.h"
#include "monitor/host_facts.h"
#include "monitor/host_setup.h"

namespace {

namespace fs = std::filesystem;

// One tree for all inputs: making folders would take most of the time.
const fs::path& tree() {
  static const fs::path root = [] {
    fs::path made = fs::temp_directory_path() / ("qanat-fuzz-" + std::to_string(::getpid()));
    fs::create_directories(made / "proc/self/task/1");
    fs::create_directories(made / "proc/pressure");
    fs::create_directories(made / "sys/devices/system/cpu");
    fs::create_directories(made / "sys/fs/cgroup");
    return made;
  }();
  return root;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr const char* kFiles[] = {"proc/self/mountinfo",
                                    "proc/self/cgroup",
                                    "proc/self/stat",
                                    "proc/self/status",
                                    "proc/self/limits",
                                    "proc/self/io",
                                    "proc/self/task/1/schedstat",
                                    "proc/pressure/io",
                                    "proc/stat",
                                    "proc/vmstat",
                                    "proc/meminfo",
                                    "sys/devices/system/cpu/online",
                                    "sys/fs/cgroup/cpu.stat"};
  if (size == 0) {
    return 0;
  }
  const char* const name = kFiles[data[0] % std::size(kFiles)];
  std::ofstream(tree() / name, std::ios::binary)
      .write(reinterpret_cast<const char*>(data + 1), static_cast<std::streamsize>(size - 1));
  (void)qanat::read_host_counters(tree());
  (void)qanat::read_host_setup(tree(), "/data");
  (void)qanat::read_host_facts(tree());
  return 0;
}
