// For tests: the journals of several ranks that wait for each other in every step, with noise, and
// a rank that may be slow.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "diagnose/run_summary.h"

namespace qanat {

struct RanksSample {
  std::uint64_t seed = 1;
  int world = 4;
  int steps = 120;
  double noise = 0.05;  // of a part of a step, as a share of it
  int slow_rank = -1;   // none
  double slow_data = 0;
  double slow_compute = 0;  // s longer
  double wire = 0.03;       // s that an exchange takes
  double exposed = 0.002;   // s of it that backward does not hide
  std::vector<int> rows{};  // of each rank; empty: 16
  int ranks_of_host = 1;
};

// The same numbers on every platform.
inline double uniform(std::mt19937_64& random) {
  return static_cast<double>(random() >> 11) * 0x1.0p-53;
}

inline StepRecord sample_step_of(const RanksSample& sample,
                                 int rank,
                                 int step,
                                 std::mt19937_64& random) {
  const auto noisy = [&](double seconds) {
    return Seconds{seconds * (1 + sample.noise * (uniform(random) + uniform(random) - 1) * 2)};
  };
  const bool is_slow = rank == sample.slow_rank;
  const int rows = sample.rows.empty() ? 16 : sample.rows[static_cast<std::size_t>(rank)];
  const double share = rows / 16.0;
  StepRecord record{.step = step, .batch = step, .rows = rows, .padded_frames = 400 + step % 7};
  record.frames = static_cast<std::int64_t>(rows) * 390;
  record.padded = static_cast<std::int64_t>(rows) * record.padded_frames;
  record.phases.wait = noisy(0.001 + (is_slow ? sample.slow_data : 0));
  record.phases.forward = noisy(share * (0.03 + (is_slow ? sample.slow_compute / 3 : 0)));
  record.phases.backward = noisy(share * (0.06 + (is_slow ? sample.slow_compute * 2 / 3 : 0)));
  record.phases.optimizer = noisy(0.005);
  record.exchange = StepExchange{.bytes = Bytes{30'000'000}};
  return record;
}

// Rank 0, and the others in it.
inline RunSummary make_ranks(const RanksSample& sample) {
  std::vector<RunSummary> ranks(static_cast<std::size_t>(sample.world));
  std::mt19937_64 random(sample.seed);
  for (int rank = 0; rank < sample.world; ++rank) {
    ranks[static_cast<std::size_t>(rank)].run = {
        .rank = rank,
        .world = sample.world,
        .host = "node-" + std::to_string(rank / sample.ranks_of_host)};
  }
  for (int step = 0; step < sample.steps; ++step) {
    std::vector<StepRecord> records;
    double last = 0;
    for (int rank = 0; rank < sample.world; ++rank) {
      records.push_back(sample_step_of(sample, rank, step, random));
      last = std::max(last, records.back().phases.total().count());
    }
    for (std::size_t rank = 0; rank < records.size(); ++rank) {
      StepPhases& phases = records[rank].phases;
      const double waited = last - phases.total().count();
      phases.exchange = Seconds{waited + sample.exposed};
      records[rank].exchange->busy = Seconds{waited + sample.wire};
      ranks[rank].add(records[rank]);
    }
  }
  RunSummary first = std::move(ranks.front());
  first.others.assign(std::make_move_iterator(ranks.begin() + 1),
                      std::make_move_iterator(ranks.end()));
  return first;
}

}  // namespace qanat
