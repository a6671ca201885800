#include "history/run_watch.h"

#include <algorithm>

#include <time.h>

#include "locale/messages/charts.h"

namespace qanat {
namespace {

constexpr Seconds kMinPause{2};
constexpr double kShareOfTime = 0.01;  // of a core

}  // namespace

Seconds thread_cpu_time() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

Result<JournalFollower::Progress> RunWatch::update() {
  Result<JournalFollower::Progress> progress = follower_.read_on([this](const JournalEntry& entry) {
    snapshot_.add(entry);
    record_.add(entry);
  });
  record_.summary.keep_latest(options_.most_steps);
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
    others_.push_back(
        {.follower = JournalFollower(journal_of_rank(path(), rank), JournalFollower::Ends{})});
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
  const std::int64_t steps = record_.summary.num_steps();
  Diagnosed now{.steps = steps, .steps_of_all = steps, .ended = record_.summary.ending.has_value()};
  for (const OtherRank& other : others_) {
    now.steps_of_all += other.summary.num_steps();
  }
  const bool is_too_soon = diagnose_again_ && options_.now() < *diagnose_again_;
  if (now == diagnosed_ || (is_too_soon && !now.ended)) {
    return diagnosis_;
  }
  const Seconds begin = options_.cpu_time();
  set_other_ranks(record_.summary, other_summaries());
  diagnosis_ = diagnose_run(record_.summary);
  diagnosed_ = now;
  const Seconds pause = std::max(kMinPause, (options_.cpu_time() - begin) / kShareOfTime);
  diagnose_again_ = options_.now() + std::chrono::duration_cast<Clock::duration>(pause);
  return diagnosis_;
}

}  // namespace qanat
