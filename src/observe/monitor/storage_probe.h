// How fast the files of a data set come from where they are stored: the real files, in random
// order, once with the page cache emptied of them and once from it.
//
// Only reads, and needs only read permission. Dropping a file from the cache slows the next read of
// that file by another program.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/quantity.h"
#include "base/result.h"
#include "base/time.h"
#include "monitor/reading.h"

namespace qanat {

// One pass over the files, one at a time, by one thread.
struct ReadPass {
  int files = 0;
  double bytes = 0;
  double seconds = 0;   // opening included
  double open_p50 = 0;  // s
  double open_p95 = 0;
  double file_p50 = 0;  // s, to open and read one
  double file_p95 = 0;

  double bytes_per_second() const { return seconds > 0 ? bytes / seconds : 0; }
  bool operator==(const ReadPass&) const = default;
};

struct StorageReading {
  int files_known = 0;  // of which a random sample was read
  int unreadable = 0;
  double mean_file_bytes = 0;
  Reading<ReadPass> cold;
  Reading<ReadPass> warm;

  bool operator==(const StorageReading&) const = default;
};

// All are upper bounds; whichever is met first ends the pass.
struct StorageProbeOptions {
  std::uint64_t seed = 0;
  Seconds timeout{4};  // of both passes
  Bytes most = mebibytes(256);
  int most_files = 500;
  std::filesystem::path root = "/";  // where /proc is looked for
  std::stop_token stop{};
};

// Fails when none of the files can be read.
Result<StorageReading> probe_storage(const std::vector<std::filesystem::path>& files,
                                     const StorageProbeOptions& options = {});

nlohmann::json to_json(const StorageReading& reading);

}  // namespace qanat
