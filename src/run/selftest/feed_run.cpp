#include "selftest/feed_run.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "app/training_modes.h"
#include "locale/message_error.h"
#include "locale/messages/demo.h"
#include "monitor/neighbours.h"
#include "selftest/fault_injection.h"
#include "selftest/paced_run.h"

namespace qanat {
namespace {

constexpr Seconds kStartTimeout{60};  // libtorch is large, and may be cold
constexpr Seconds kTurnTimeout{120};

Clock::time_point after(Seconds timeout) {
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(timeout);
}

Result<nlohmann::json> read_answer_of(ChildProcess& program, Seconds timeout) {
  const Result<std::string> line = program.read_line(after(timeout));
  if (!line) {
    return line.failure();
  }
  nlohmann::json answer = nlohmann::json::parse(line.value(), nullptr, /*allow_exceptions=*/false);
  if (!answer.is_object()) {
    return Failure{"its answer is not JSON"};
  }
  if (answer.contains("error")) {
    const Failure no_torch = to_failure(msg::feed_no_torch{});
    Failure failure{answer.at("error").get<std::string>()};
    return failure.what == no_torch.what ? no_torch : failure;
  }
  return answer;
}

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
        skip_dataloader(turn.failure());
      }
    }
    on_turn();
  }

  FeedPart part() const { return part_; }

 private:
  bool is_slow() const { return part_.delay > Seconds{0}; }

  // Every turn makes all features again, however often it goes through the set.
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
      skip_dataloader(started.failure());
    }
  }

  void skip_dataloader(const Failure& why) {
    dataloader_.reset();
    part_.rows.back().turns.clear();
    part_.rows.back().skipped = reason_of(why);
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

Result<DataLoaderTurns> DataLoaderTurns::start(const DataLoaderRequest& request) {
  if (request.program.empty()) {
    return to_failure(msg::feed_no_program{});
  }
  const std::vector<std::string> command = {request.program.string(),
                                            "--corpus",
                                            request.corpus.string(),
                                            "--batch",
                                            std::to_string(request.batch),
                                            "--workers",
                                            std::to_string(request.workers),
                                            "--pace",
                                            fmt::format("{:.6f}", 1 / request.step.count()),
                                            "--delay",
                                            fmt::format("{:.6f}", request.delay.count()),
                                            "--turns"};
  Result<ChildProcess> program = ChildProcess::start(command);
  if (!program) {
    return program.failure();
  }
  const Result<nlohmann::json> ready = read_answer_of(program.value(), kStartTimeout);
  if (!ready) {
    return ready.failure();
  }
  return DataLoaderTurns(std::move(program).value());
}

Result<FeedTurn> DataLoaderTurns::turn(const TurnLength& length) {
  const NeighbourWatch watch;
  const Result<Done> asked =
      program_.write(fmt::format("{} {}\n", length.warm_up, length.steps), after(kTurnTimeout));
  if (!asked) {
    return asked.failure();
  }
  const Result<nlohmann::json> answer = read_answer_of(program_, kTurnTimeout);
  if (!answer) {
    return answer.failure();
  }
  const nlohmann::json& seen = answer.value();
  const auto number = [&seen](const char* name) { return seen.value(name, 0.0); };
  return FeedTurn{.steps_per_s = number("steps_per_s"),
                  .wait_share = number("wait_share"),
                  .readiness = number("readiness"),
                  .cores = number("cores"),
                  .others_share = watch.others_share(Seconds(number("cpu_s")))};
}

std::optional<FeedTable> run_feed(const FeedRequest& request) {
  FeedTable table{.step = request.step, .batch = request.config.data.batch_size};
  const std::vector<Seconds> delays = {Seconds{0}, request.slow};
  std::int64_t done = 0;
  const auto tell = [&](std::int64_t total) {
    if (request.progress) {
      request.progress(++done, total);
    }
  };
  for (const Seconds delay : delays) {
    FeedRounds rounds(request, delay);
    const std::int64_t turns = std::ssize(delays) * request.rounds * std::ssize(rounds.part().rows);
    for (int i = 0; i < request.rounds && !request.stop.stop_requested(); ++i) {
      rounds.round([&] { tell(turns); });
    }
    table.parts.push_back(rounds.part());
  }
  return request.stop.stop_requested() ? std::nullopt : std::optional(std::move(table));
}

}  // namespace qanat
