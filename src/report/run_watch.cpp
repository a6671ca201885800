#include "report/run_watch.h"

#include <algorithm>

#include "locale/messages.h"
#include "locale/translator.h"
#include "report/run_json.h"

namespace qanat {
namespace {

constexpr Seconds kMinPause{2};
constexpr double kShareOfTime = 0.01;

}  // namespace

Result<JournalFollower::Progress> RunWatch::update() {
  return follower_.read_on([this](const JournalEntry& entry) {
    snapshot_.add(entry);
    record_.add(entry);
  });
}

Message RunWatch::problem() const {
  return follower_.is_deleted() ? Message(msg::watch_journal_deleted{}) : Message{};
}

const Diagnosis& RunWatch::diagnosis() {
  const std::int64_t steps =
      record_.summary.steps_before + static_cast<std::int64_t>(record_.summary.steps.size());
  const Clock::time_point begin = now_();
  if (steps == diagnosed_steps_ ||
      (diagnose_again_ && begin < *diagnose_again_ && !record_.summary.ended)) {
    return diagnosis_;
  }
  diagnosis_ = diagnose_run(record_.summary);
  diagnosed_steps_ = steps;
  const Clock::time_point end = now_();
  const Seconds pause = std::max(kMinPause, Seconds(end - begin) / kShareOfTime);
  diagnose_again_ = end + std::chrono::duration_cast<Clock::duration>(pause);
  return diagnosis_;
}

nlohmann::ordered_json to_json(const RunSnapshot& now, const Diagnosis& diagnosis) {
  nlohmann::ordered_json json{{"schema", "qanat.top"},
                              {"schema_version", "1.0"},
                              {"mode", now.mode},
                              {"model_device", now.model_device},
                              {"started", now.started},
                              {"age_s", now.at.count()},
                              {"ending", or_null(now.ending)},
                              {"step", nullptr},
                              {"last_step", or_null(now.last_step)},
                              {"epoch", nullptr},
                              {"loss", nullptr},
                              {"steps_per_s", or_null(now.steps_per_second())},
                              {"wait_share", or_null(now.wait_share())},
                              {"verdict", to_string(diagnosis.verdict)},
                              {"why", Translator().tr(diagnosis.why)}};
  if (now.newest) {
    json["step"] = now.newest->step + 1;
    json["epoch"] = now.newest->epoch;
    json["loss"] = now.newest->losses.total;
  }
  return json;
}

}  // namespace qanat
