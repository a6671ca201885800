// From a path that a user names to the checkpoint that is meant: one by its own folder, or one of a
// folder of them.
#pragma once

#include <filesystem>
#include <optional>

#include "base/result.h"
#include "checkpoint/checkpoint.h"

namespace qanat {

// Which one of a folder of checkpoints.
enum class CheckpointOrder { newest, best, best_or_newest };

struct CheckpointSearch {
  std::filesystem::path path;
  CheckpointParts parts{};
  CheckpointOrder order = CheckpointOrder::newest;
  WarnFn warn{};  // told of those that are passed over; may be absent
};

// Nothing: the folder holds none that is whole. The Failure is about a checkpoint that is named
// itself: which file, and what is wrong with it.
Result<std::optional<LoadedCheckpoint>> find_checkpoint(const CheckpointSearch& search);

}  // namespace qanat
