#include "diagnose/ranking.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/check.h"
#include "diagnose/wait_cause.h"

namespace qanat {
namespace {

constexpr double kSameTime = 0.4;   // of a claim that a more specific finding has to cover
constexpr double kExplained = 0.4;  // of a claim: what is left is less

const Rule& rule_behind(const Finding& finding) {
  const Rule* const rule = find_rule(finding.id);
  QANAT_CHECK(rule != nullptr) << finding.id;
  return *rule;
}

double seconds_saved(const Finding& finding) {
  return finding.gain.seconds_saved();
}

// Seconds of a mean step that each part still has to give.
class PartsLeft {
 public:
  explicit PartsLeft(const StepPhases& ledger) {
    of(LedgerPart::wait) = ledger.wait.count();
    of(LedgerPart::transfer) = ledger.transfer.count();
    of(LedgerPart::work) = ledger.busy().count();
    of(LedgerPart::saving) = ledger.checkpoint.count();
    of(LedgerPart::retry) = ledger.retry.count();
    of(LedgerPart::unknown) = ledger.total().count();
  }

  double can_give(const Finding& finding) const {
    return std::clamp(seconds_saved(finding), 0.0, std::max(0.0, left_[index(finding.part)]));
  }
  void take(const Finding& finding) {
    const double taken = can_give(finding);
    of(finding.part) -= taken;
    if (finding.part != LedgerPart::unknown) {
      of(LedgerPart::unknown) -= taken;
    }
  }

 private:
  static std::size_t index(LedgerPart part) { return static_cast<std::size_t>(part); }
  double& of(LedgerPart part) { return left_[index(part)]; }

  std::array<double, 6> left_{};
};

bool is_symptom(const Finding& finding) {
  const RuleRole role = rule_behind(finding).role;
  return role == RuleRole::symptom ||
         (role == RuleRole::symptom_without_fix && finding.fixes.empty());
}

// How exactly a finding says what is wrong: a cause, the cause that was singled out.
int specificity(const Finding& finding, std::string_view wait_rule) {
  constexpr int kSingledOut = 3;
  const Rule& rule = rule_behind(finding);
  if (finding.part == LedgerPart::wait) {
    return finding.id == wait_rule ? kSingledOut : rule.specificity.of_waiting;
  }
  return rule.specificity.of_others;
}

// Whether `cause` says more specifically where the time of `finding` goes.
bool explains(const Finding& cause, const Finding& finding, std::string_view wait_rule) {
  if (is_symptom(cause) || seconds_saved(cause) < kSameTime * seconds_saved(finding)) {
    return false;
  }
  const bool same_part = cause.part == finding.part;
  if (is_symptom(finding)) {
    // Work that every step has makes none longer than another.
    return rule_behind(cause).makes_steps_vary || (same_part && cause.part != LedgerPart::work);
  }
  return same_part && specificity(cause, wait_rule) > specificity(finding, wait_rule);
}

void explain(std::vector<Finding>& findings, std::string_view wait_rule) {
  for (Finding& finding : findings) {
    const Finding* best = nullptr;
    for (const Finding& cause : findings) {
      const bool can = seconds_saved(cause) > 0 && explains(cause, finding, wait_rule);
      if (can && (best == nullptr || seconds_saved(cause) > seconds_saved(*best))) {
        best = &cause;
      }
    }
    if (best != nullptr && seconds_saved(finding) > 0) {
      finding.explained_by = best->id;
    }
  }
  for (Finding& finding : findings) {
    if (!finding.explained_by.empty()) {
      finding.severity = FindingSeverity::info;
    }
  }
}

// Host and storage slow a run down through its loader, when the device waits for that.
LedgerPart part_of(const Finding& finding, const RunMeasures& m) {
  const RuleCategory category = rule_behind(finding).category;
  const bool about_machine = category == RuleCategory::host || category == RuleCategory::storage;
  if (finding.part != LedgerPart::unknown || !about_machine) {
    return finding.part;
  }
  return m.share(m.ledger.wait) >= kWorthMentioning ? LedgerPart::wait : LedgerPart::work;
}

// What a finding is worth behind the ones before it.
void settle(Finding& finding,
            const PartsLeft& left,
            double step,
            const std::vector<Finding>& before) {
  const double still = left.can_give(finding);
  const double alone = seconds_saved(finding);
  if (before.empty() || alone <= 0) {
    return;
  }
  finding.marginal_speedup = step > still ? step / (step - still) : 1;
  if (still >= kExplained * alone || !finding.explained_by.empty()) {
    return;
  }
  const auto cause = std::ranges::find_if(before, [&](const Finding& earlier) {
    return earlier.part == finding.part || earlier.part == LedgerPart::unknown;
  });
  finding.explained_by = cause != before.end() ? cause->id : before.front().id;
  finding.severity = FindingSeverity::info;
}

// What warns comes before what is worth knowing, and that before what is explained already.
int place_of(const Finding& finding) {
  if (!finding.explained_by.empty()) {
    return 2;
  }
  return finding.severity == FindingSeverity::info ? 1 : 0;
}

// The greatest gain first; the more severe where gains are equal.
void sort_by_place(std::vector<Finding>& findings) {
  std::ranges::stable_sort(findings, {}, [](const Finding& finding) {
    return std::tuple(
        place_of(finding), -seconds_saved(finding), -static_cast<int>(finding.severity));
  });
}

}  // namespace

std::vector<Finding> rank_by_cause(std::vector<Finding> findings, const RuleInput& input) {
  for (Finding& finding : findings) {
    finding.part = part_of(finding, input.measures);
  }
  explain(findings, rule_of(find_wait_cause(input)));
  sort_by_place(findings);
  PartsLeft left(input.measures.ledger);
  double step = input.measures.mean_step;
  std::vector<Finding> ranked;
  for (Finding& finding : findings) {
    settle(finding, left, step, ranked);
    step -= left.can_give(finding);
    left.take(finding);
    ranked.push_back(std::move(finding));
  }
  sort_by_place(ranked);
  return ranked;
}

}  // namespace qanat
