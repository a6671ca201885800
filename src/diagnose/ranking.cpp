#include "diagnose/ranking.h"

#include <algorithm>
#include <array>
#include <string_view>
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

// How exactly a finding says what is wrong: a symptom, a cause, the cause that was singled out.
int exactness(const Finding& finding, std::string_view wait_rule) {
  constexpr std::array kSymptoms = {"VAR001", "VAR002", "PER002", "PER003"};
  if (std::ranges::find(kSymptoms, finding.id) != kSymptoms.end()) {
    return 0;
  }
  if (finding.id == "PER001") {
    return finding.fixes.empty() ? 0 : 3;
  }
  if (finding.part == LedgerPart::wait) {
    return finding.id == wait_rule ? 3 : finding.id == "DL013" ? 2 : 1;
  }
  // A way to copy ahead is more than the fact that copies are late.
  return finding.id == "DL008" ? 3 : 2;
}

// Host and storage slow a run down through its loader, when the device waits for that.
LedgerPart part_of(const Finding& finding, const RunMeasures& m) {
  const bool about_machine = finding.id.starts_with("HOST") || finding.id.starts_with("IO");
  if (finding.part != LedgerPart::unknown || !about_machine) {
    return finding.part;
  }
  return m.share(m.ledger.wait) >= kWorthMentioning ? LedgerPart::wait : LedgerPart::work;
}

std::size_t next_of(const std::vector<Finding>& findings,
                    const PartsLeft& left,
                    std::string_view wait_rule) {
  const auto worth = [&](const Finding& finding) { return left.can_give(finding); };
  const auto most = std::ranges::max_element(findings, {}, worth);
  auto best = most;
  for (auto other = findings.begin(); other != findings.end(); ++other) {
    const bool same_time = other->part == most->part && worth(*other) >= kSameTime * worth(*most);
    if (same_time && exactness(*other, wait_rule) > exactness(*best, wait_rule)) {
      best = other;
    }
  }
  return static_cast<std::size_t>(best - findings.begin());
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
  if (still >= kExplained * alone) {
    return;
  }
  const auto cause = std::ranges::find_if(before, [&](const Finding& earlier) {
    return earlier.part == finding.part || earlier.part == LedgerPart::unknown;
  });
  finding.explained_by = cause != before.end() ? cause->id : before.front().id;
  finding.severity = FindingSeverity::info;
}

// What can be had for nothing comes before what changes training, and that before what is explained
// already.
int place_of(const Finding& finding) {
  if (!finding.explained_by.empty()) {
    return 2;
  }
  return finding.id == "CMP001" || finding.id == "CMP006" ? 1 : 0;
}

}  // namespace

std::vector<Finding> rank_by_cause(std::vector<Finding> findings, const RuleInput& input) {
  for (Finding& finding : findings) {
    finding.part = part_of(finding, input.measures);
  }
  const std::string_view wait_rule = rule_of(find_wait_cause(input));
  PartsLeft left(input.measures.ledger);
  double step = input.measures.mean_step;
  std::vector<Finding> ranked;
  // Equal claims: the more severe first.
  std::ranges::stable_sort(findings, std::greater{}, &Finding::severity);
  while (!findings.empty()) {
    const std::size_t next = next_of(findings, left, wait_rule);
    Finding finding = std::move(findings[next]);
    findings.erase(findings.begin() + static_cast<std::ptrdiff_t>(next));
    settle(finding, left, step, ranked);
    step -= left.can_give(finding);
    left.take(finding);
    ranked.push_back(std::move(finding));
  }
  std::ranges::stable_sort(ranked, {}, place_of);
  return ranked;
}

}  // namespace qanat
