// Runs of several processes: threads of this one, each with a group of its own.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "replicas/thread_group.h"
#include "training/train_session_testing.h"

namespace qanat {

struct RankRun {
  explicit RankRun(std::int64_t stop_after) : listener(stop_after) {}

  TrainListener listener;
  std::optional<TrainSummary> summary;
  std::string failure;  // what it ended with
};

class ReplicasTest : public TrainSessionTest {
 protected:
  using TrainSessionTest::TrainSessionTest;
  using Prepare = std::function<void(int rank, TrainRequest& request)>;

  // All processes of a run; `prepare` may change what one of them is told.
  std::vector<std::unique_ptr<RankRun>> run(const LoadedConfig& config,
                                            const ThreadGroupOptions& options,
                                            const Prepare& prepare = {}) {
    const auto groups = make_thread_groups(options);
    std::vector<std::unique_ptr<RankRun>> runs;
    for (int rank = 0; rank < options.world; ++rank) {
      const auto i = static_cast<std::size_t>(rank);
      runs.push_back(std::make_unique<RankRun>(i < stop_after_.size() ? stop_after_[i] : 0));
    }
    {
      std::vector<std::jthread> threads;
      for (int rank = 0; rank < options.world; ++rank) {
        threads.emplace_back([&, rank] {
          const auto i = static_cast<std::size_t>(rank);
          run_rank(config, *groups[i], *runs[i], rank, prepare);
        });
      }
    }
    return runs;
  }

  LoadedConfig shared_config(const std::string& name, int batch_size, std::int64_t steps) const {
    LoadedConfig loaded = config(name, steps);
    loaded.values.data.batch_size = batch_size;
    loaded.values.training.render_every = 0;
    return loaded;
  }

  std::vector<std::int64_t> stop_after_;  // steps, by rank: who asks to stop; 0: does not

 private:
  static void run_rank(const LoadedConfig& config,
                       ProcessGroup& group,
                       RankRun& run,
                       int rank,
                       const Prepare& prepare) {
    TrainRequest request{.config = config,
                         .observer = run.listener,
                         .say = [](const MessageArg&) {},
                         .measuring = nullptr,
                         .starting = [](std::int64_t, std::int64_t) {},
                         .stop = run.listener.stop.get_token(),
                         .place = {.rank = rank, .world = group.rank().world, .local_rank = rank},
                         .group = &group};
    if (prepare) {
      prepare(rank, request);
    }
    try {
      run.summary = run_training(request);
    } catch (const std::exception& error) {
      run.failure = error.what();
    }
  }
};

}  // namespace qanat
