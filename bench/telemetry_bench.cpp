// What measuring costs: processor time and time on the wall that a step takes more when the run is
// journalled and judged live than when it is not. Turns are interleaved, figures are medians.
//
//   qanat_telemetry_bench --rounds 7 --steps 300
//
// Prints {"on": {...}, "off": {...}, "overhead_of_step": ..., "reading_us": ...}.
#include <filesystem>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "bench_main.h"
#include "config/load_config.h"
#include "metrics/order_statistics.h"
#include "metrics/usage.h"
#include "selftest/fault_injection.h"
#include "selftest/paced_run.h"
#include "selftest/selftest_corpus.h"
#include "training/live_verdict.h"

namespace {

using namespace qanat;

struct Options {
  int rounds = 7;
  std::int64_t steps = 300;
};

struct Turn {
  double cpu = 0;   // s per step, of the whole process
  double wall = 0;  // s per step, median
};

class StepTimes : public TrainObserver {
 public:
  void on_step(const StepRecord& record) override {
    seconds.push_back(record.phases.total().count());
  }
  std::vector<double> seconds;
};

class Nowhere final : public EventSink {
 public:
  void record(const JournalEvent& /*event*/) override {}
};

Turn take_turn(const SelftestCorpus& corpus,
               const std::filesystem::path& journal,
               std::int64_t steps) {
  StepTimes times;
  Nowhere nowhere;
  std::optional<LiveVerdict> verdict;
  std::vector<EventSink*> sinks;
  if (!journal.empty()) {
    sinks.push_back(
        &verdict.emplace(LiveVerdictOptions{.journal = journal, .watch = {}}, times, nowhere));
    verdict->start();
  }
  const Seconds before = read_process_usage().cpu;
  run_paced(
      {.config = load_config({.file = std::nullopt, .sets = corpus.sets(), .flags = {}}).values,
       .loader = corpus.loader(),
       .steps = steps,
       .observer = times,
       .journal = journal,
       .sinks = sinks});
  return {.cpu = (read_process_usage().cpu - before).count() / static_cast<double>(steps),
          .wall = median(times.seconds)};
}

Turn median_of(const std::vector<Turn>& turns) {
  std::vector<double> cpu;
  std::vector<double> wall;
  for (const Turn& turn : turns) {
    cpu.push_back(turn.cpu);
    wall.push_back(turn.wall);
  }
  return {.cpu = median(cpu), .wall = median(wall)};
}

// Microseconds that asking the kernel about a thread takes.
double reading_cost() {
  constexpr int kReadings = 2000;
  const ThreadUsageMeter meter;
  const Clock::time_point start = Clock::now();
  for (int i = 0; i < kReadings; ++i) {
    (void)meter.read();
  }
  return 1e6 * seconds_since(start).count() / kReadings;
}

void run(const Options& options) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / fmt::format("qanat-telemetry-bench-{}", ::getpid());
  std::filesystem::create_directories(folder);
  {
    const SelftestCorpus corpus(folder);
    std::vector<Turn> on;
    std::vector<Turn> off;
    take_turn(corpus, {}, options.steps);  // files into memory
    for (int i = 0; i < options.rounds; ++i) {
      off.push_back(take_turn(corpus, {}, options.steps));
      on.push_back(take_turn(corpus, folder / "journal.jsonl", options.steps));
    }
    const Turn with = median_of(on);
    const Turn without = median_of(off);
    const nlohmann::ordered_json result{
        {"on", {{"cpu_ms_per_step", 1e3 * with.cpu}, {"step_ms", 1e3 * with.wall}}},
        {"off", {{"cpu_ms_per_step", 1e3 * without.cpu}, {"step_ms", 1e3 * without.wall}}},
        {"overhead_ms_of_cpu", 1e3 * (with.cpu - without.cpu)},
        {"overhead_of_step", with.wall / without.wall - 1},
        {"reading_us", reading_cost()}};
    fmt::print("{}\n", result.dump(2));
  }
  std::filesystem::remove_all(folder);
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("what measuring a run costs");
  app.add_option("--rounds", options.rounds, "turns with and without")->capture_default_str();
  app.add_option("--steps", options.steps, "of a turn")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  return qanat::run_bench("qanat_telemetry_bench", [&] {
    run(options);
    return 0;
  });
}
