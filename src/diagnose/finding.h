// What a diagnosis says: findings ranked by what can be gained, what was fine, what was skipped.
// Values; report/ turns them into text, JSON and HTML, in the language asked for.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/message.h"
#include "diagnose/metric.h"
#include "metrics/order_statistics.h"

namespace qanat {

enum class FindingSeverity { info, warn, crit };
std::string_view to_string(FindingSeverity severity);

enum class VerdictKind {
  balanced,        // nothing worth mentioning can be gained
  input_bound,     // the device waits for data
  transfer_bound,  // the device waits for batches on their way
  host_overhead,   // saving, logging, retries, stalls
  compute_bound,   // the device works, and could work better
  incomplete       // too few steps, or a breakdown that does not add up
};
std::string_view to_string(VerdictKind kind);
Message to_message(VerdictKind kind);

struct Evidence {
  Metric metric;
  double value = 0;
};

// The part of the step time breakdown that a finding would give back.
enum class LedgerPart { unknown, wait, transfer, work, saving, retry };

// How a gain was worked out.
enum class GainMethod {
  none,
  breakdown,
  breakdown_per_utterance,
  replay,
  work_model,
  work_model_per_utterance,
  fold_test,
  trend,
  outliers,
  excess,
  throttled_time,
  pressure,
  run_queue,
  clocks,
  sides,
  ideal,
  measured
};
std::string_view to_string(GainMethod method);
Message to_message(GainMethod method);

// Step time now, and if the cause were gone.
struct Gain {
  double step_now = 0;  // s
  double step_if_fixed = 0;
  double speedup = 1;
  Range ci95{.low = 1, .high = 1};
  GainMethod method = GainMethod::none;

  double seconds_saved() const { return step_now > 0 ? step_now - step_if_fixed : 0; }
  double share_saved() const { return step_now > 0 ? 1 - step_if_fixed / step_now : 0; }
};

// Who trains, and so whose settings a fix names.
enum class TrainedBy { qanat, torch };

// One thing to change: a key of the configuration, or something to do to the machine. The flag of a
// key comes from the list of fields (report/config_changes.h); nothing that is said is executed.
// Rules name keys of Qanat; torch_settings.h turns them into settings of a PyTorch loop.
struct Fix {
  std::string key{};                                    // "data.num_workers"; empty: no key does it
  std::string value{};                                  // of the key
  std::optional<double> predicted_step = std::nullopt;  // s
  Message precondition{};                               // of a key: what has to be done as well
  Message action{};                                     // without a key: what to do
  TrainedBy trained_by = TrainedBy::qanat;              // whose key it is

  bool is_setting() const { return !key.empty(); }
};

struct Finding {
  std::string id{};  // of its rule
  Message title{};
  FindingSeverity severity = FindingSeverity::info;
  std::vector<Evidence> evidence{};
  Gain gain{};
  std::vector<Fix> fixes{};
  Message verify{};        // how to check the fix
  Message may_be_wrong{};  // if ...; may say nothing
  LedgerPart part = LedgerPart::unknown;
  // What is left of the speedup when the findings before this one are fixed: gains overlap.
  std::optional<double> marginal_speedup{};
  std::string explained_by{};  // the finding that gains most of this one's time
};

struct PassedCheck {
  std::string id{};
  Message what{};
};

// What was missing, for those who skip many checks for one reason.
enum class Missing { steps, host, loader, storage, gpu, other };
Message to_message(Missing missing);

struct SkippedCheck {
  std::string id{};
  Message reason{};
  Missing missing = Missing::other;
};

// A rule leaves the id to the one who asks it.
using RuleOutcome = std::variant<Finding, PassedCheck, SkippedCheck>;

inline RuleOutcome passed(Message what) {
  return PassedCheck{.what = std::move(what)};
}
inline RuleOutcome skipped(Message reason, Missing missing = Missing::other) {
  return SkippedCheck{.reason = std::move(reason), .missing = missing};
}

}  // namespace qanat
