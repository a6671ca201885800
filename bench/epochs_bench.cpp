#include <algorithm>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/time.h"
#include "bench_set.h"
#include "experiment/experiment.h"
#include "loader_bench.h"
#include "monitor/neighbours.h"
#include "monitor/resident_memory.h"

namespace qanat {
namespace {

constexpr double kMegabyte = 1024.0 * 1024.0;

// Records "<id> <frames>\n" and frames x 80 floats, frame by frame.
void dump_batch(std::ofstream& out,
                const Batch& batch,
                const UtteranceSet& set,
                std::uint32_t limit) {
  for (int row = 0; row < batch.rows(); ++row) {
    const auto at = static_cast<std::size_t>(row);
    const std::uint32_t item = batch.items()[at];
    if (item >= limit) {
      continue;
    }
    const int frames = batch.mel_lengths()[at];
    const std::span<const float> mel =
        batch.mel_row(row).first(static_cast<std::size_t>(frames) * 80);
    out << set.manifest.utterances[item].id << ' ' << frames << '\n';
    out.write(reinterpret_cast<const char*>(mel.data()),
              static_cast<std::streamsize>(mel.size_bytes()));
  }
}

struct EpochTotals {
  std::int64_t utterances = 0;
  std::int64_t frames = 0;
  std::int64_t padded_frames = 0;
  double first_batch_s = 0;
};

void add_batch(EpochTotals& totals, const Batch& batch, Clock::time_point begin) {
  if (totals.utterances == 0) {
    totals.first_batch_s = seconds_since(begin).count();
  }
  totals.utterances += batch.rows();
  totals.padded_frames += static_cast<std::int64_t>(batch.rows()) * batch.frames();
  for (const std::int32_t frames : std::as_const(batch).mel_lengths()) {
    totals.frames += frames;
  }
}

RunConfig make_config(const LoaderBenchOptions& options) {
  RunConfig config = make_bench_config(options.workers, options.batch);
  if (options.source == "cache") {
    config.pipeline.feature_cache = Megabytes{4096};  // more than any corpus here needs
  }
  return config;
}

// The most memory that the blocks had into which batches are written. The pool gives blocks back
// when the window shrinks, so its size at the end is not what belongs to the peak.
class BufferPeak {
 public:
  void look(const Loader& loader) { most_ = std::max(most_, loader.stats().window.allocated); }

  // Adds resident memory, and how much of it is no such block.
  void add_to(nlohmann::json& line) const {
    const double buffers = static_cast<double>(most_.value) / kMegabyte;
    line["buffers_mb"] = buffers;
    if (const std::optional<Bytes> peak = peak_resident_memory()) {
      line["peak_rss_mb"] = static_cast<double>(peak->value) / kMegabyte;
      line["extra_rss_mb"] = static_cast<double>(peak->value) / kMegabyte - buffers;
    }
  }

 private:
  Bytes most_;
};

}  // namespace

void bench_epochs(const LoaderBenchOptions& options) {
  Clock::time_point begin = Clock::now();
  const BenchSet set = read_bench_set(options.corpus);
  std::ofstream dump;
  if (!options.dump.empty()) {
    dump.open(options.dump, std::ios::binary);
  }
  const std::unique_ptr<Loader> loader = make_bench_loader(set, make_config(options));
  BufferPeak buffers;
  for (int epoch = 0; epoch < options.epochs; ++epoch) {
    const Seconds cpu = process_cpu_time();
    EpochTotals totals;
    for (std::int64_t k = 0; k < loader->batches_per_epoch(); ++k) {
      const Batch batch = take_batch(*loader);
      add_batch(totals, batch, begin);
      if (dump.is_open()) {
        dump_batch(dump, batch, *set.set, options.dump_limit);
      }
    }
    nlohmann::json line = {{"epoch", epoch},
                           {"utterances", totals.utterances},
                           {"frames", totals.frames},
                           {"padded_frames", totals.padded_frames},
                           {"wall_s", seconds_since(begin).count()},
                           {"cpu_s", (process_cpu_time() - cpu).count()},
                           {"first_batch_s", totals.first_batch_s}};
    begin = Clock::now();
    buffers.look(*loader);
    buffers.add_to(line);
    std::cout << line << std::endl;
  }
}

void bench_paced(const LoaderBenchOptions& options) {
  const Clock::time_point begin = Clock::now();
  const BenchSet set = read_bench_set(options.corpus);
  const std::unique_ptr<Loader> loader = make_bench_loader(set, make_config(options));
  const Seconds started = seconds_since(begin);
  BufferPeak buffers;
  LoaderConsumer consumer(*loader, Seconds(1 / options.pace));
  std::optional<Clock::time_point> warm;
  const ExperimentRecord record =
      run_experiment({.consumer = consumer,
                      .warm_up = 1,
                      .enough =
                          [&](const ExperimentRecord&) {
                            buffers.look(*loader);
                            return seconds_since(*warm) >= Seconds(options.seconds);
                          },
                      .on_warm = [&] { warm = Clock::now(); }});
  nlohmann::json line = {
      {"name", "Qanat"},
      {"workers", options.workers},
      {"batch", options.batch},
      {"wanted_batches_per_s", options.pace},
      {"batches_per_s", static_cast<double>(record.deliveries.size()) / record.wall.count()},
      {"wait_share", record.waited() / record.wall.count()},
      {"cores", record.cpu / record.wall},
      {"first_batch_s", (started + record.first.value_or(Seconds{0})).count()}};
  if (const std::optional<Bytes> peak = peak_resident_memory()) {
    line["memory_mb"] = static_cast<double>(peak->value) / kMegabyte;
  }
  buffers.add_to(line);
  std::cout << line << std::endl;
}

}  // namespace qanat
