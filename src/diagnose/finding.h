// What a diagnosis says: findings ranked by what can be won, what was fine, what was not checked.
// Values; report/ turns them into text, JSON and HTML.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/order_statistics.h"

namespace qanat {

enum class FindingSeverity { info, warn, crit };
std::string_view to_string(FindingSeverity severity);

struct Evidence {
  std::string metric;  // "sink_empty_share"
  double value = 0;
  std::string unit;  // "1" for shares, "s", "workers"
};

// The part of a step's ledger that a finding would give back.
enum class LedgerPart { unknown, wait, transfer, work, saving, retry };

// Step time now, and if the cause were gone.
struct Gain {
  double step_now = 0;  // s
  double step_if_fixed = 0;
  double speedup = 1;
  Range ci95{.low = 1, .high = 1};
  std::string method;  // "ledger", "replay", "rate"
};

// The `key` of a fix outside the run; its `flag` is then a command, or what to do in words.
inline constexpr std::string_view kSystemFix = "system";

// One thing to change. `flag` can be pasted behind the command of the run.
struct Fix {
  std::string key;                                      // "data.num_workers", or kSystemFix
  std::string flag;                                     // "--num-workers 3"
  std::optional<double> predicted_step = std::nullopt;  // s
  std::string value{};  // of the key, for tools that try the fix; empty: no key can do it
};

struct Finding {
  std::string id;  // of a rule; docs explain it
  std::string title;
  FindingSeverity severity = FindingSeverity::info;
  std::vector<Evidence> evidence{};
  Gain gain{};
  std::vector<Fix> fixes{};
  std::string verify{};        // a command
  std::string may_be_wrong{};  // when
  LedgerPart part = LedgerPart::unknown;
  // What is left of the speedup when the findings before this one are fixed: time is won only once.
  std::optional<double> marginal_speedup{};
  std::string explained_by{};  // the finding that wins most of this one's time
};

struct PassedCheck {
  std::string id;
  std::string what;
};
struct SkippedCheck {
  std::string id;
  std::string reason;
};

// Exactly one of the three.
struct RuleOutcome {
  std::optional<Finding> finding{};
  std::optional<std::string> passed{};
  std::optional<std::string> skipped{};
};

}  // namespace qanat
