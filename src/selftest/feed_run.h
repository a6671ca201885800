// How well the modes feed a device whose step takes a given time and no host core: the real loader,
// ring and gate in every mode, and PyTorch's DataLoader where there is one, in interleaved turns.
#pragma once

#include <filesystem>
#include <stop_token>
#include <vector>

#include "base/progress.h"
#include "config/run_config.h"
#include "experiment/data_profile_run.h"
#include "report/feed_table.h"
#include "selftest/dataloader_turns.h"

namespace qanat {

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
