// Which rows of a data set could not be used, and why: those that were left out when it was opened,
// and those that failed while batches were filled.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include <nlohmann/json.hpp>

#include "dataset/training_sets.h"
#include "pipeline/bad_rows.h"

namespace qanat {

// Thread-safe.
class DamageLog {
 public:
  // A row failed and another one took its place.
  void add(const BadRow& bad);

  // [{"item", "id", "file", "problem": "damaged_audio", "reason", "row", "epoch", "times"}], by
  // item. At most kMaxRows rows are remembered.
  nlohmann::json failed(const UtteranceSet& set) const;

  static constexpr std::size_t kMaxRows = 10'000;

 private:
  struct Failed {
    std::string file;
    std::string reason;
    std::int64_t epoch = 0;  // the first one
    std::int64_t times = 0;
  };

  mutable std::mutex mutex_;  // guards failed_
  std::map<std::uint32_t, Failed> failed_;
};

// [{"item": null, "id", "file", "problem", "reason", "row", "damaged": whether it is broken and not
// only too long or too short}], in the order of the data set.
nlohmann::json left_out_rows(const Manifest& manifest);

}  // namespace qanat
