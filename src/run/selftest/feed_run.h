// How well the modes feed a device whose step takes a given time and no host core: the real loader,
// ring and gate in every mode, and PyTorch's DataLoader where there is one, in interleaved turns.
#pragma once

#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "config/run_config.h"
#include "experiment/data_profile_run.h"
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

// PyTorch's DataLoader, for comparison: a Python program that stays for all turns, so that its
// start does not count. It feeds a consumer of the same pace as ours.
//
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

struct FeedRequest {
  RunConfig config;  // data.train_data, data.batch_size
  ProfiledSet data;
  std::filesystem::path dataloader{};  // see DataLoaderRequest::program
  Seconds step{0.045};
  Seconds slow{0.002};   // of every file, in the part with slow storage
  int slow_workers = 4;  // there, for all that have workers
  TurnLength length{};
  int rounds = 3;
  ProgressFn progress{};  // turns
  std::stop_token stop{};
  HostFacts host = read_host_facts();
};

// Once with warm files and once with slow storage. Nothing when stopped. Throws Error as
// make_loader() does.
std::optional<FeedTable> run_feed(const FeedRequest& request);

}  // namespace qanat
