// A run under observation: follows its journal and those of its other ranks, and keeps what views
// of it need. The training itself is not touched: a view can be slow, stop or fail without it
// noticing.
//
// Belongs to one thread.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

#include "base/time.h"
#include "diagnose/diagnosis.h"
#include "history/run_history.h"
#include "metrics/journal_follower.h"
#include "metrics/run_snapshot.h"

namespace qanat {

// CPU time of the calling thread.
Seconds thread_cpu_time();

struct RunWatchOptions {
  Bytes from{0};  // of the journal: where a session begins, when those before do not matter
  std::function<Clock::time_point()> now = Clock::now;
  std::function<Seconds()> cpu_time = thread_cpu_time;
  // The latest ones, that are judged; all are in the history. About 500 bytes each.
  std::size_t most_steps = RunSummary::kMaxSteps;
};

class RunWatch {
 public:
  explicit RunWatch(const std::filesystem::path& journal, RunWatchOptions options = {})
      : follower_(journal, std::nullopt, options.from), options_(std::move(options)) {}

  // Takes what has come since the last call, a few MiB at most of each rank.
  Result<JournalFollower::Progress> update();

  const RunSnapshot& snapshot() const { return snapshot_; }
  const RunRecord& record() const { return record_; }
  const std::filesystem::path& path() const { return follower_.path(); }

  // What is wrong with the journal since it was first read, if anything.
  Message problem() const;

  // Made again when there are new steps, but so rarely that it takes at most a hundredth of the
  // time of a core; what it takes grows with the run.
  const Diagnosis& diagnosis();
  // Steps of the session when it was made; of rank 0.
  std::int64_t diagnosed_steps() const { return diagnosed_.steps; }

 private:
  // Another rank: only what a comparison of ranks needs.
  struct OtherRank {
    JournalFollower follower;
    RunSummary summary{};
  };

  bool update_others();
  std::vector<RunSummary> other_summaries() const;

  JournalFollower follower_;
  std::vector<OtherRank> others_;  // by number, from 1
  const RunWatchOptions options_;
  RunSnapshot snapshot_;
  RunRecord record_;
  Diagnosis diagnosis_;
  struct Diagnosed {
    std::int64_t steps = 0;
    std::int64_t steps_of_all = -1;  // ranks
    bool ended = false;
    bool operator==(const Diagnosed&) const = default;
  };
  Diagnosed diagnosed_;
  std::optional<Clock::time_point> diagnose_again_;
};

}  // namespace qanat
