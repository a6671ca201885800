#include <cmath>
#include <iostream>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/time.h"
#include "batch/batch_plan.h"
#include "batch/bucket_edges.h"
#include "corpus_lengths.h"
#include "loader_bench.h"
#include "monitor/resident_memory.h"

namespace qanat {
namespace {

constexpr double kLjspeechMeanFrames = 566;  // 6.57 s

std::vector<ItemLength> item_lengths(std::size_t count) {
  std::vector<ItemLength> lengths;
  lengths.reserve(count);
  for (const std::int64_t samples : ljspeech_like_lengths(count, kLjspeechMeanFrames, 7)) {
    // About 15 characters per second of speech.
    lengths.push_back({.frames = static_cast<std::uint32_t>(samples / 256),
                       .tokens = static_cast<std::uint32_t>(samples * 15 / 22050)});
  }
  return lengths;
}

double padding_share(const BatchPlan& plan, const std::vector<ItemLength>& lengths) {
  std::int64_t frames = 0;
  std::int64_t padded = 0;
  for (std::int64_t k = 0; k < plan.size(); ++k) {
    const BatchSpec batch = plan.batch(k);
    padded += static_cast<std::int64_t>(batch.shape.rows) * batch.shape.frames;
    for (const std::uint32_t item : batch.items) {
      frames += lengths[item].frames;
    }
  }
  return 1 - static_cast<double>(frames) / static_cast<double>(padded);
}

double peak_mb() {
  const std::optional<Bytes> peak = peak_resident_memory();
  if (!peak) {
    throw Error("the kernel does not say how much memory is resident (VmHWM in /proc/self/status)");
  }
  return static_cast<double>(peak->value) / (1024.0 * 1024.0);
}

}  // namespace

void bench_plan(const LoaderBenchOptions& options) {
  const double before = peak_mb();
  const std::vector<ItemLength> lengths = item_lengths(options.utterances);
  const BatchingConfig batching;
  for (int round = 0; round < options.rounds; ++round) {
    const Clock::time_point start = Clock::now();
    const BucketEdges edges = choose_edges(lengths, batching);
    const double edges_s = seconds_since(start).count();
    const BatchPlan plan = plan_epoch(
        {.lengths = lengths, .edges = edges, .batching = batching, .seed = 1, .epoch = round});
    const nlohmann::json line = {{"utterances", options.utterances},
                                 {"plan_s", seconds_since(start).count()},
                                 {"edges_s", edges_s},
                                 {"edges", edges.size()},
                                 {"batches", plan.size()},
                                 {"padding_share", padding_share(plan, lengths)},
                                 {"plan_mb", peak_mb() - before}};
    std::cout << line << std::endl;
  }
}

}  // namespace qanat
