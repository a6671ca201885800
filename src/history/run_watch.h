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

class RunWatch {
 public:
  explicit RunWatch(const std::filesystem::path& journal,
                    std::function<Clock::time_point()> now = Clock::now)
      : follower_(journal), now_(std::move(now)) {}

  // Takes what has come since the last call, a few MiB at most of each rank.
  Result<JournalFollower::Progress> update();

  const RunSnapshot& snapshot() const { return snapshot_; }
  const RunRecord& record() const { return record_; }
  const std::filesystem::path& path() const { return follower_.path(); }

  // What is wrong with the journal since it was first read, if anything.
  Message problem() const;

  // Made again when there are new steps, but so rarely that it takes at most a hundredth of the
  // time; what it takes grows with the run.
  const Diagnosis& diagnosis();

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
  const std::function<Clock::time_point()> now_;
  RunSnapshot snapshot_;
  RunRecord record_;
  Diagnosis diagnosis_;
  std::int64_t diagnosed_steps_ = -1;
  std::optional<Clock::time_point> diagnose_again_;
};

}  // namespace qanat
