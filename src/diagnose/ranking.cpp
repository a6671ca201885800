#include "diagnose/ranking.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>
#include <tuple>
#include <utility>

#include "diagnose/wait_cause.h"

namespace qanat {
namespace {

constexpr double kSameTime = 0.4;   // of a claim that a more exact finding has to cover
constexpr double kExplained = 0.4;  // of a claim: what is left is less

double seconds_saved(const Finding& finding) {
  return finding.gain.step_now > 0 ? finding.gain.step_now - finding.gain.step_if_fixed : 0;
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

// Says that steps vary, not why.
bool is_symptom(const Finding& finding) {
  constexpr std::array kSymptoms = {"VAR001", "VAR002", "PER002", "PER003"};
  return std::ranges::find(kSymptoms, finding.id) != kSymptoms.end() ||
         (finding.id == "PER001" && finding.fixes.empty());
}

// The machine makes steps of equal work take unequal time, whatever part of them it hits.
bool makes_steps_vary(const Finding& finding) {
  return finding.id.starts_with("HOST") || finding.id == "HW004";
}

// How exactly a finding says what is wrong: a cause, the cause that was singled out.
int exactness(const Finding& finding, std::string_view wait_rule) {
  if (finding.part == LedgerPart::wait) {
    return finding.id == wait_rule ? 3 : finding.id == "DL013" ? 2 : 1;
  }
  // A way to copy ahead is more than the fact that copies are late, and a cadence more than saving.
  return finding.id == "DL008" || finding.id == "PER001" ? 3 : 2;
}

// Whether `cause` says more exactly where the time of `finding` goes.
bool explains(const Finding& cause, const Finding& finding, std::string_view wait_rule) {
  if (is_symptom(cause) || seconds_saved(cause) < kSameTime * seconds_saved(finding)) {
    return false;
  }
  const bool same_part = cause.part == finding.part;
  if (is_symptom(finding)) {
    // Work that every step has makes none longer than another.
    return makes_steps_vary(cause) || (same_part && cause.part != LedgerPart::work);
  }
  return same_part && exactness(cause, wait_rule) > exactness(finding, wait_rule);
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
  const bool about_machine = finding.id.starts_with("HOST") || finding.id.starts_with("IO");
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

std::vector<Finding> with_findings_of_sections(std::vector<Finding> ranked,
                                               std::vector<Finding> others) {
  std::ranges::move(others, std::back_inserter(ranked));
  std::ranges::stable_sort(ranked, {}, [](const Finding& finding) {
    const bool gains = seconds_saved(finding) > 0 && finding.explained_by.empty();
    return std::tuple(gains ? 0 : 1, gains ? 0 : -static_cast<int>(finding.severity));
  });
  return ranked;
}

}  // namespace qanat
