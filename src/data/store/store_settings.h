// What a data set that lies elsewhere is read with; the rest comes from the environment.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <stop_token>

#include "base/quantity.h"
#include "base/time.h"

namespace qanat {

struct StoreSettings {
  Seconds timeout{120};                // after which a read that keeps failing ends the run
  Bytes cache = mebibytes(10 * 1024);  // for blocks on the local disk; 0: none
  std::optional<std::filesystem::path> folder;  // of them; absent: the user's cache folder
  int requests = 16;                            // for clips, under way at once
  // Blocks used since then are not thrown away.
  std::chrono::system_clock::time_point begun = std::chrono::system_clock::now();
  std::stop_token stop{};  // ends what is being read
};

}  // namespace qanat
