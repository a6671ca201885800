// What the transfer ring is worth: overlap, the margin of a third slot,
// hand-offs without a wrong element, readiness of the data under a paced
// consumer, where the autotuner arrives, and how steady the machine itself is.
#include <algorithm>
#include <condition_variable>
#include <iostream>
#include <iterator>
#include <mutex>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "bench_main.h"
#include "bench_set.h"
#include "machine_pace.h"
#include "pipeline/fake_rows.h"
#include "ring_stages.h"
#include "session/device_pipeline.h"
#include "transfer/ring_fixture.h"
#include "transfer/slot_timeline.h"

namespace qanat {
namespace {

using std::chrono::milliseconds;

struct RingBenchOptions {
  std::string which = "overlap";
  bool quick = false;
  std::int64_t count = 1'000'000;  // hand-offs
  std::string data;                // corpus, for readiness
  int threads = 1;                 // of the machine alone
};

constexpr StageTimes kMean{
    .prepare = milliseconds(30), .copy = milliseconds(10), .train = milliseconds(30)};

nlohmann::json measure_overlap(const RingBenchOptions& options) {
  const auto stages = constant_stages(kMean, options.quick ? 20 : 100);
  const auto step_over = [&](int slots, Seconds (*unit)(const StageTimes&)) {
    const std::vector<SlotTimes> times = run_stages(stages, slots);
    return steady_step(times, 4) / unit(median_stages(times));
  };
  const auto slowest = [](const StageTimes& s) { return std::max({s.prepare, s.copy, s.train}); };
  const auto sum = [](const StageTimes& s) { return s.prepare + s.copy + s.train; };
  return {{"three_slots_over_slowest", step_over(3, slowest)},
          {"two_slots_over_slowest", step_over(2, slowest)},
          {"one_slot_over_sum", step_over(1, sum)}};
}

nlohmann::json measure_jitter(const RingBenchOptions& options) {
  const auto stages = uneven_stages(kMean, 0.5, options.quick ? 40 : 400, 7);
  const auto three = run_stages(stages, 3);
  const auto two = run_stages(stages, 2);
  const double measured = whole_run(two) / whole_run(three);
  const double predicted = replay(recorded(two), 2) / replay(recorded(three), 3);
  return {{"two_over_three_measured", measured},
          {"two_over_three_predicted", predicted},
          {"jitter_margin_error", std::abs(measured / predicted - 1)}};
}

nlohmann::json measure_hand_offs(const RingBenchOptions& options) {
  constexpr std::int64_t kHandOffs = 10'000;
  std::int64_t wrong = 0;
  std::int64_t done = 0;
  for (std::uint32_t seed = 1; done < options.count; ++seed) {
    const std::int64_t count = std::min(kHandOffs, options.count - done);
    const std::int64_t seen =
        ring_fixture::count_wrong_hand_offs({.multi = seed % 2 == 0,
                                             .count = count,
                                             .seed = seed,
                                             .slots = 1 + static_cast<int>(seed % 4),
                                             .longest_delay = std::chrono::microseconds(8)});
    if (seen != 0) {
      throw Error(
          "hand-offs: {} wrong elements with seed {}; -1 means batches "
          "were lost",
          seen,
          seed);
    }
    wrong += seen;
    done += count;
  }
  return {{"hand_offs", done}, {"wrong_elements", wrong}};
}

// A device that is busy for `step` with each batch, from when the batch is
// there and the one before is done. A wake-up that comes late shortens the
// rest, so that the pace is the one asked for.
class PacedDevice {
 public:
  explicit PacedDevice(Seconds step) : step_(std::chrono::duration_cast<Clock::duration>(step)) {}

  void work(Clock::time_point arrived) {
    free_at_ = std::max(free_at_, arrived) + step_;
    occupy(free_at_ - Clock::now());
  }

 private:
  const Clock::duration step_;
  Clock::time_point free_at_;
};

// Takes batches for `time`, each kept for `step` on the device; returns how
// many there were per second.
double consume(DevicePipeline& pipeline, DeviceStream& reader, Seconds step, Seconds time) {
  PacedDevice device(step);
  const Clock::time_point begin = Clock::now();
  double batches = 0;
  while (seconds_since(begin) < time) {
    auto batch = pipeline.ring().next(reader, {});
    if (!batch) {
      throw Error("the stream ended; expected it to outlast the benchmark");
    }
    reader.submit([&device, way = batch->way] { device.work(way->arrived().value()); });
    pipeline.ring().release(*std::move(batch), reader);
    ++batches;
  }
  reader.synchronise();
  return batches / seconds_since(begin).count();
}

constexpr int kDeepestRing = 48;  // as deep as the autotuner makes one

struct ReadinessRound {
  double fastest = 0;  // batches/s
  double paced = 0;
  ConsumerStats seen;
};

// The pace is taken from the seconds just before: a machine whose speed wanders
// by more than a tenth would else be asked for more than it can.
ReadinessRound measure_round(const BenchSet& set, const RunConfig& config, Seconds time) {
  const DevicePlan plan = plan_devices(config, find_hardware(config));
  RunDevices devices = make_devices(config, plan, read_host_facts());
  const auto reader = devices.model->make_stream("train");
  const auto make = [&] {
    return std::make_unique<DevicePipeline>(
        devices,
        DevicePipelineRequest{
            .config = config, .plan = plan, .loader = {.set = set.set, .text = set.text}});
  };
  ReadinessRound round;
  {
    const auto pipeline = make();
    (void)pipeline->open_gate({});
    (void)consume(*pipeline, *reader, Seconds{0},
                  time / 4);  // until the buffers are used up
    round.fastest = consume(*pipeline, *reader, Seconds{0}, time / 2);
  }
  const auto pipeline = make();
  (void)pipeline->open_gate({});
  round.paced = consume(*pipeline, *reader, Seconds(1 / (0.9 * round.fastest)), time);
  round.seen = pipeline->stats().consumer;
  return round;
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

nlohmann::json to_json(const std::vector<ReadinessRound>& rounds) {
  const auto all = [&](double (*of)(const ReadinessRound&)) {
    std::vector<double> values;
    std::ranges::transform(rounds, std::back_inserter(values), of);
    return values;
  };
  const auto readiness = all([](const ReadinessRound& r) { return r.seen.readiness(); });
  const auto wait_share = all([](const ReadinessRound& r) { return r.seen.wait_share(); });
  return {{"fastest_batches_per_s", all([](const ReadinessRound& r) { return r.fastest; })},
          {"paced_over_fastest", all([](const ReadinessRound& r) { return r.paced / r.fastest; })},
          {"readiness_of_rounds", readiness},
          {"readiness", median(readiness)},
          {"wait_share", median(wait_share)}};
}

nlohmann::json measure_both_modes(const RingBenchOptions& options) {
  const BenchSet set = read_bench_set(options.data);
  RunConfig single = make_bench_config(1, 16);
  single.training.epochs = 1'000'000;
  single.pipeline.virtual_gpus = 2;
  RunConfig dual = single;
  dual.data.data_gpu = 0;
  dual.data.model_gpu = 1;
  const Seconds time{options.quick ? 1.0 : 8.0};
  std::vector<ReadinessRound> single_rounds;
  std::vector<ReadinessRound> dual_rounds;
  std::vector<double> machine;  // what one core with nothing else to do would reach
  for (int round = 0; round < (options.quick ? 1 : 5); ++round) {
    single_rounds.push_back(measure_round(set, single, time));
    dual_rounds.push_back(measure_round(set, dual, time));
    machine.push_back(measure_machine(1, kDeepestRing, time).readiness);
  }
  return {{"single", to_json(single_rounds)},
          {"dual", to_json(dual_rounds)},
          {"machine_of_rounds", machine},
          {"machine", median(machine)}};
}

// As long as the training that is held against it; more threads work in lockstep.
nlohmann::json measure_machine_alone(const RingBenchOptions& options) {
  const Seconds time{options.quick ? 0.5 : 12.0};
  return {{"variation", measure_machine(options.threads, 1, time).variation}};
}

// Rows take 2 ms of waiting each, batches have 8: 16 ms of work for a step of 5
// ms.
struct TunedRun {
  double batches_per_s = 0;
  int workers = 0;
  Bytes most_bytes;
  Bytes budget;
};

TunedRun run_tuned(LoaderOptions options, int unmeasured, int measured) {
  FakeRows rows{.lengths = short_lengths(4000)};
  rows.before_fill = [](std::uint32_t) { occupy(milliseconds(2)); };
  options.batching = {.batch_size = 8, .max_edges = 1, .max_frames = 64, .max_tokens = 40};
  options.max_workers = 8;
  options.budget = mebibytes(8);
  Loader loader(fake_inputs(std::move(rows)), options);
  const auto take = [&](int steps) {
    for (int i = 0; i < steps; ++i) {
      const auto batch = loader.next();
      occupy(milliseconds(5));
    }
  };
  take(unmeasured);
  const Clock::time_point begin = Clock::now();
  take(measured);
  const PipelineStats stats = loader.stats();
  return {.batches_per_s = measured / seconds_since(begin).count(),
          .workers = stats.active_workers,
          .most_bytes = stats.window.most_bytes,
          .budget = stats.window.budget};
}

// Rounds in which every setting has its turn: a machine that slows down slows
// all of them.
nlohmann::json measure_autotuner(const RingBenchOptions& options) {
  constexpr int kMaxWorkers = 8;
  const int rounds = options.quick ? 1 : 5;
  const int measured = options.quick ? 50 : 150;
  std::vector<std::vector<double>> fixed_rates(kMaxWorkers);
  std::vector<double> tuned_rates;
  TunedRun last;
  for (int round = 0; round < rounds; ++round) {
    for (int workers = 1; workers <= kMaxWorkers; ++workers) {
      LoaderOptions fixed;
      fixed.workers = workers;
      fixed.window = 8;
      fixed_rates[static_cast<std::size_t>(workers - 1)].push_back(
          run_tuned(fixed, 50, measured).batches_per_s);
    }
    LoaderOptions tuned;
    tuned.first_workers = 1;
    last = run_tuned(tuned, 50, measured);
    tuned_rates.push_back(last.batches_per_s);
  }
  nlohmann::json fixed = nlohmann::json::array();
  for (const std::vector<double>& rates : fixed_rates) {
    fixed.push_back(median(rates));
  }
  const double best = *std::ranges::max_element(fixed);
  return {{"fixed_batches_per_s", fixed},  // with 1, 2, ... workers
          {"tuned_batches_per_s", median(tuned_rates)},
          {"tuned_workers", last.workers},
          {"tuned_over_best", median(tuned_rates) / best},
          {"most_bytes_over_budget",
           static_cast<double>(last.most_bytes.value) / static_cast<double>(last.budget.value)}};
}

nlohmann::json measure(const RingBenchOptions& options) {
  if (options.which == "overlap") {
    return measure_overlap(options);
  }
  if (options.which == "jitter") {
    return measure_jitter(options);
  }
  if (options.which == "hand-offs") {
    return measure_hand_offs(options);
  }
  if (options.which == "machine") {
    return measure_machine_alone(options);
  }
  return options.which == "readiness" ? measure_both_modes(options) : measure_autotuner(options);
}

}  // namespace
}  // namespace qanat

int main(int argc, char** argv) {
  qanat::RingBenchOptions options;
  CLI::App app("Measures the transfer ring; prints one JSON object.");
  app.add_option("which", options.which, "what to measure")
      ->check(
          CLI::IsMember({"overlap", "jitter", "hand-offs", "readiness", "autotuner", "machine"}))
      ->required();
  app.add_flag("--quick", options.quick, "little of it, to see that it runs");
  app.add_option("--count", options.count, "hand-offs")->check(CLI::PositiveNumber);
  app.add_option("--threads", options.threads, "of the machine alone")->check(CLI::Range(1, 64));
  app.add_option("--data", options.data, "folder of a corpus, for readiness");
  CLI11_PARSE(app, argc, argv);
  return qanat::run_bench("qanat_ring_bench", [&] {
    std::cout << qanat::measure(options) << '\n';
    return 0;
  });
}
