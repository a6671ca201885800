// Finds files with the very same bytes: a corpus copied twice, a placeholder clip.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/for_each_item.h"
#include "dataset/dataset_index.h"

namespace qanat {

struct RepeatedAudio {
  std::uint32_t item = 0;
  std::uint32_t first = 0;  // the first item with these bytes

  bool operator==(const RepeatedAudio&) const = default;
};

// Compares the items named, ascending. Reads the start of files that share their size with another,
// and whole files that also start alike. A file that cannot be read repeats nothing. Nothing when
// stopped.
std::vector<RepeatedAudio> find_repeated_audio(const Manifest& manifest,
                                               const DatasetIndex& index,
                                               std::span<const std::uint32_t> items,
                                               const ParallelOptions& options);

}  // namespace qanat
