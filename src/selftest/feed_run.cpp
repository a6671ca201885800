#include "selftest/feed_run.h"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/training_modes.h"
#include "monitor/neighbours.h"
#include "selftest/fault_injection.h"
#include "selftest/paced_run.h"

namespace qanat {
namespace {

// Adds up the steps after the warm-up.
class FeedMeter final : public TrainObserver {
 public:
  FeedMeter(const TurnLength& length, Seconds step) : length_(length), felt_(kFeltShare * step) {}

  void on_step(const StepRecord& record) override {
    if (record.step >= length_.warm_up) {
      total_ += record.phases.total();
      waited_ += record.phases.wait;
      ready_ += record.phases.wait < felt_ ? 1 : 0;
      ++steps_;
    } else if (record.step + 1 == length_.warm_up) {
      begin_ = Clock::now();
      cpu_ = process_cpu_time();
    }
  }

  FeedTurn turn() const {
    const Seconds cpu = process_cpu_time() - cpu_;
    return {.steps_per_s = steps_ / total_.count(),
            .wait_share = waited_ / total_,
            .readiness = ready_ / steps_,
            .cores = cpu / seconds_since(begin_)};
  }

 private:
  const TurnLength length_;
  const Seconds felt_;
  Clock::time_point begin_ = Clock::now();
  Seconds cpu_ = process_cpu_time();
  Seconds total_{0};
  Seconds waited_{0};
  double ready_ = 0;
  double steps_ = 0;
};

// The rows of one kind of storage, measured in rounds.
class FeedRounds {
 public:
  FeedRounds(const FeedRequest& request, Seconds delay) : request_(request) {
    part_.delay = delay;
    modes_ = training_modes(LoadedConfig{.values = request.config, .origins = {}});
    for (TrainingMode& mode : modes_) {
      prepare(mode);
      part_.rows.push_back(
          {.name = mode.name, .flags = fmt::format("{}", fmt::join(mode.flags, " "))});
    }
    const int workers = is_slow() ? request.slow_workers : allowed_cores(request.host);
    part_.rows.push_back(
        {.name = fmt::format("PyTorch DataLoader, {} worker{}", workers, workers == 1 ? "" : "s"),
         .chart_name = "PyTorch DataLoader"});
    start_dataloader(workers);
  }

  // One turn of every row.
  void round(const std::function<void()>& on_turn) {
    for (std::size_t i = 0; i < modes_.size() && !request_.stop.stop_requested(); ++i) {
      part_.rows[i].turns.push_back(turn_of(modes_[i]));
      on_turn();
    }
    if (dataloader_ && !request_.stop.stop_requested()) {
      const Result<FeedTurn> turn = dataloader_->turn(request_.length);
      if (turn) {
        part_.rows.back().turns.push_back(turn.value());
      } else {
        skip_dataloader(turn.failure().what);
      }
    }
    on_turn();
  }

  FeedPart part() const { return part_; }

 private:
  bool is_slow() const { return part_.delay > Seconds{0}; }

  // Every turn makes all features anew, however often it goes through the set.
  void prepare(TrainingMode& mode) const {
    RunConfig& config = mode.config.values;
    config.training.epochs = std::numeric_limits<int>::max();
    config.pipeline.feature_cache = Megabytes{0};
    config.data.preprocessing_mode = PreprocessingMode::runtime;
    if (is_slow() && !config.data.num_workers) {
      config.data.num_workers = request_.slow_workers;
      mode.flags.push_back(fmt::format("--num-workers {}", request_.slow_workers));
    }
  }

  void start_dataloader(int workers) {
    Result<DataLoaderTurns> started =
        DataLoaderTurns::start({.program = request_.dataloader,
                                .corpus = *request_.config.data.train_data,
                                .batch = request_.config.data.batch_size,
                                .workers = workers,
                                .step = request_.step,
                                .delay = part_.delay});
    if (started) {
      dataloader_.emplace(std::move(started).value());
    } else {
      skip_dataloader(started.failure().what);
    }
  }

  void skip_dataloader(const std::string& why) {
    dataloader_.reset();
    part_.rows.back().turns.clear();
    part_.rows.back().skipped = why;
  }

  FeedTurn turn_of(const TrainingMode& mode) const {
    const NeighbourWatch watch;
    FeedMeter meter(request_.length, request_.step);
    LoaderRequest loader{.set = request_.data.set, .text = request_.data.text};
    loader.around_source = [delay = part_.delay](std::unique_ptr<RowSource> rows) {
      return with_faults(std::move(rows), {.read = delay});
    };
    run_paced({.config = mode.config.values,
               .loader = std::move(loader),
               .cost = {.fixed = request_.step, .per_frame = Seconds{0}, .noise = 0},
               .steps = request_.length.warm_up + request_.length.steps,
               .loader_threads = std::max(1, allowed_cores(request_.host) - 1),
               .observer = meter,
               .journal = {},
               .stop = request_.stop});
    FeedTurn turn = meter.turn();
    turn.others_share = watch.others_share();
    return turn;
  }

  const FeedRequest& request_;
  std::vector<TrainingMode> modes_;
  FeedPart part_;
  std::optional<DataLoaderTurns> dataloader_;
};

}  // namespace

std::optional<FeedTable> run_feed(const FeedRequest& request) {
  FeedTable table{.step = request.step, .batch = request.config.data.batch_size};
  const std::vector<Seconds> delays = {Seconds{0}, request.slow};
  std::int64_t done = 0;
  for (const Seconds delay : delays) {
    FeedRounds rounds(request, delay);
    const auto turns = static_cast<std::int64_t>(rounds.part().rows.size());
    for (int i = 0; i < request.rounds && !request.stop.stop_requested(); ++i) {
      rounds.round([&] {
        if (request.progress) {
          request.progress(++done, std::ssize(delays) * request.rounds * turns);
        }
      });
    }
    table.parts.push_back(rounds.part());
  }
  return request.stop.stop_requested() ? std::nullopt : std::optional(std::move(table));
}

}  // namespace qanat
