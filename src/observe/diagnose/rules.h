// The rules of diagnosis, as data. Each rule stands in one place (rules_*.cpp): what it looks for
// and what `qanat rules` says of it, what it needs, what it means for the verdict, and the function
// that judges. Its sentences are in locale/*.po.
//
// A rule says one of three things: a finding with its gain, that all is well, or why it is skipped.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "diagnose/finding.h"
#include "diagnose/run_measures.h"
#include "diagnose/run_summary.h"

namespace qanat {

struct DualProfile;

struct RuleInput {
  const RunSummary& summary;
  const RunMeasures& measures;
  const DualProfile* dual = nullptr;  // runs on one and on two devices, to be compared
};

// What a rule cannot do without; a set. What is missing is why it is skipped. Rules that need the
// setup, two modes, several ranks or validations are not asked at all where there are none.
enum class Need : unsigned {
  nothing = 0,
  steps = 1,
  host = 2,
  loader = 4,
  storage = 8,
  gpus = 16,
  gpu_samples = 32,
  setup = 64,
  dual = 128,
  one_run = 256,       // steps that followed each other
  ranks = 512,         // several of them
  journals = 1024,     // of all ranks
  validations = 2048,  // that can be compared with each other
};
constexpr Need operator|(Need a, Need b) {
  return static_cast<Need>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}
constexpr bool contains(Need needs, Need one) {
  return (static_cast<unsigned>(needs) & static_cast<unsigned>(one)) != 0;
}

enum class RuleCategory {
  data,
  transfer,
  compute,
  period,
  host,
  storage,
  hardware,
  dual,
  ranks,
  learning,
  setup
};
std::string_view to_string(RuleCategory category);
Message to_message(RuleCategory category);

// Sentences about a rule that know no numbers.
struct RuleText {
  MessageId looks_for;
  MessageId means;
  MessageId remedy;
};
template <typename LooksFor, typename Means, typename Remedy>
constexpr RuleText text_of() {
  return {LooksFor::id, Means::id, Remedy::id};
}

// A symptom says that steps vary, not why.
enum class RuleRole { cause, symptom, symptom_without_fix };

// How exactly a finding says what is wrong, against others that claim the same part of the step.
struct Specificity {
  int of_waiting = 1;
  int of_others = 2;
};

struct Rule {
  std::string_view id;
  RuleCategory category;
  RuleText text;
  RuleOutcome (*judge)(const RuleInput& input);
  Need needs = Need::steps;
  // What its finding makes of a run. Input-bound only where the device waits for data; balanced:
  // it says nothing about the verdict.
  VerdictKind verdict = VerdictKind::host_overhead;
  RuleRole role = RuleRole::cause;
  Specificity specificity{};
  bool makes_steps_vary = false;   // whatever part of them it hits
  bool is_hardware_fault = false;  // where it is critical
};

// All of them, by category and id; docs are generated from it.
std::span<const Rule> all_rules();
// Null when there is no rule of that id.
const Rule* find_rule(std::string_view id);

// The rules of each file.
std::span<const Rule> data_rules();
std::span<const Rule> batch_rules();
std::span<const Rule> compute_rules();
std::span<const Rule> loop_rules();
std::span<const Rule> period_rules();
std::span<const Rule> host_rules();
std::span<const Rule> storage_rules();
std::span<const Rule> hardware_rules();
std::span<const Rule> pair_rules();
std::span<const Rule> dual_rules();
std::span<const Rule> ranks_rules();
std::span<const Rule> learning_rules();
std::span<const Rule> setup_rules();

// Whether the rule is asked for such an input at all.
bool is_asked(const Rule& rule, const RuleInput& input);
// Why the input lacks one of `needs`; nothing when it has all of them.
std::optional<SkippedCheck> unmet(Need needs, const RuleInput& input);
// What the rule says, or why it is skipped; with its id.
RuleOutcome ask(const Rule& rule, const RuleInput& input);

// The smallest gain that is reported: a share of the step that could be saved.
inline constexpr double kMinReportableGain = 0.02;
inline constexpr double kSevere = 0.10;

FindingSeverity severity_of(const Gain& gain);

}  // namespace qanat
