#include "history/run_watch.h"

#include <algorithm>

#include "locale/messages/charts.h"

namespace qanat {
namespace {

constexpr Seconds kMinPause{2};
constexpr double kShareOfTime = 0.01;

std::int64_t num_steps(const RunSummary& summary) {
  return summary.steps_before + static_cast<std::int64_t>(summary.steps.size());
}

}  // namespace

Result<JournalFollower::Progress> RunWatch::update() {
  Result<JournalFollower::Progress> progress = follower_.read_on([this](const JournalEntry& entry) {
    snapshot_.add(entry);
    record_.add(entry);
  });
  if (progress) {
    progress.value().more = update_others() || progress.value().more;
  }
  return progress;
}

// Whether there is more to read. A rank that has no journal yet may have one later.
bool RunWatch::update_others() {
  const auto ranks = static_cast<std::size_t>(num_other_ranks(record_.summary.run));
  while (others_.size() < ranks) {
    const int rank = static_cast<int>(others_.size()) + 1;
    others_.push_back({.follower = JournalFollower(journal_of_rank(path(), rank))});
  }
  bool more = false;
  for (std::size_t i = 0; i < ranks; ++i) {
    OtherRank& other = others_[i];
    const Result<JournalFollower::Progress> progress =
        other.follower.read_on([&other](const JournalEntry& entry) { other.summary.add(entry); });
    other.summary.keep_latest(RunSummary::kMaxStepsOfOthers);
    more = more || (progress && progress.value().more);
  }
  return more;
}

std::vector<RunSummary> RunWatch::other_summaries() const {
  const auto ranks = static_cast<std::size_t>(num_other_ranks(record_.summary.run));
  std::vector<RunSummary> summaries;
  for (std::size_t i = 0; i < std::min(ranks, others_.size()); ++i) {
    if (others_[i].summary.steps.empty()) {
      return {};
    }
    summaries.push_back(others_[i].summary);
  }
  return summaries;
}

Message RunWatch::problem() const {
  return follower_.is_deleted() ? Message(msg::watch_journal_deleted{}) : Message{};
}

const Diagnosis& RunWatch::diagnosis() {
  std::int64_t steps = num_steps(record_.summary);
  for (const OtherRank& other : others_) {
    steps += num_steps(other.summary);
  }
  const Clock::time_point begin = now_();
  if (steps == diagnosed_steps_ ||
      (diagnose_again_ && begin < *diagnose_again_ && !record_.summary.ended)) {
    return diagnosis_;
  }
  set_other_ranks(record_.summary, other_summaries());
  diagnosis_ = diagnose_run(record_.summary);
  diagnosed_steps_ = steps;
  const Clock::time_point end = now_();
  const Seconds pause = std::max(kMinPause, Seconds(end - begin) / kShareOfTime);
  diagnose_again_ = end + std::chrono::duration_cast<Clock::duration>(pause);
  return diagnosis_;
}

}  // namespace qanat
