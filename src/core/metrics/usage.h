// What a thread, or the whole process, has taken of the machine so far: processor time, waiting
// for a processor, page faults, bytes read. From the kernel; what it does not say is absent.
#pragma once

#include <cstdint>
#include <optional>

#include "base/files.h"
#include "base/quantity.h"
#include "base/time.h"

namespace qanat {

struct ThreadUsage {
  Seconds cpu{0};
  std::optional<Seconds> run_delay{};  // ready to run, but no processor was free
  std::int64_t major_faults = 0;       // pages that had to come from storage
};

// Measures the thread that made it, which is the only one that may read it. A reading costs about
// two microseconds: once in a few items, not for each.
class ThreadUsageMeter {
 public:
  ThreadUsageMeter();

  ThreadUsage read() const;

 private:
  UniqueFd schedstat_;
};

// Totals since the process started.
struct ProcessUsage {
  Seconds cpu{0};
  std::int64_t major_faults = 0;
  std::optional<Bytes> read{};          // by read(2) and its kin, wherever it came from
  std::optional<Bytes> from_storage{};  // of it and of mapped files, what was not in memory

  static void visit_fields(auto& self, auto&& field) {
    field("cpu", self.cpu)("major_faults", self.major_faults);
    field("read_pipeline", self.read)("from_storage", self.from_storage);
  }
};

ProcessUsage read_process_usage();

}  // namespace qanat
