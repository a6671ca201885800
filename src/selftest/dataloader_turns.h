// PyTorch's DataLoader, for comparison: a Python program that stays for all turns, so that its
// start does not count. It feeds a consumer of the same pace as ours.
#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"
#include "report/feed_table.h"
#include "text/child_process.h"

namespace qanat {

struct DataLoaderRequest {
  std::filesystem::path program;  // bench/torch_dataloader.py; empty: there is none
  std::filesystem::path corpus;
  int batch = 32;
  int workers = 2;
  Seconds step{0.045};
  Seconds delay{0};  // of every file
};

struct TurnLength {
  int warm_up = 10;  // steps that do not count
  int steps = 30;
};

// Owner of the program. Not thread-safe.
class DataLoaderTurns {
 public:
  // Fails with the reason, among other things when Python has no torch.
  static Result<DataLoaderTurns> start(const DataLoaderRequest& request);

  Result<FeedTurn> turn(const TurnLength& length);

 private:
  explicit DataLoaderTurns(ChildProcess program) : program_(std::move(program)) {}

  ChildProcess program_;
};

}  // namespace qanat
