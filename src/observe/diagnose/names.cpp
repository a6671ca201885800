// The names and words of all that a diagnosis tells apart.
#include "diagnose/dual_profile.h"
#include "diagnose/rules.h"
#include "diagnose/run_comparison.h"
#include "diagnose/spread_change.h"
#include "diagnose/step_profile.h"
#include "locale/messages/findings_hardware.h"
#include "locale/messages/findings_learning.h"
#include "locale/messages/profiles.h"
#include "locale/messages/run_report.h"
#include "locale/messages/verdicts.h"
#include "locale/name_and_words.h"

namespace qanat {
namespace {

constexpr auto kVerdicts = std::to_array<NameAndWords>({
    {"BALANCED", msg::verdict_balanced::id},
    {"INPUT-BOUND", msg::verdict_input_bound::id},
    {"TRANSFER-BOUND", msg::verdict_transfer_bound::id},
    {"EXCHANGE-BOUND", msg::verdict_exchange_bound::id},
    {"HOST-OVERHEAD", msg::verdict_host_overhead::id},
    {"COMPUTE-BOUND", msg::verdict_compute_bound::id},
    {"INCOMPLETE", msg::verdict_incomplete::id},
});

constexpr auto kMethods = std::to_array<NameAndWords>({
    {"none", msg::method_none::id},
    {"ledger", msg::method_breakdown::id},
    {"ledger, per utterance", msg::method_breakdown_per_utterance::id},
    {"replay", msg::method_replay::id},
    {"work model", msg::method_work_model::id},
    {"work model, per utterance", msg::method_work_model_per_utterance::id},
    {"fold test", msg::method_fold_test::id},
    {"trend", msg::method_trend::id},
    {"outliers of the adjusted times", msg::method_outliers::id},
    {"excess over the median", msg::method_excess::id},
    {"throttled time", msg::method_throttled_time::id},
    {"pressure stalls", msg::method_pressure::id},
    {"run-queue delay", msg::method_run_queue::id},
    {"clocks", msg::method_clocks::id},
    {"sides", msg::method_sides::id},
    {"ideal", msg::method_ideal::id},
    {"measured", msg::method_measured::id},
});

constexpr auto kCategories = std::to_array<NameAndWords>({
    {"data", msg::category_data::id},
    {"transfer", msg::category_transfer::id},
    {"compute", msg::category_compute::id},
    {"period", msg::category_period::id},
    {"host", msg::category_host::id},
    {"storage", msg::category_storage::id},
    {"hardware", msg::category_hardware::id},
    {"dual", msg::category_dual::id},
    {"ranks", msg::category_ranks::id},
    {"learning", msg::category_learning::id},
    {"setup", msg::category_setup::id},
});

constexpr auto kMissing = std::to_array<NameAndWords>({
    {"steps", msg::missing_steps::id},
    {"host", msg::missing_host::id},
    {"loader", msg::missing_loader::id},
    {"storage", msg::missing_storage::id},
    {"gpu", msg::missing_gpu::id},
    {"other", msg::missing_other::id},
});

constexpr auto kSteadiness = std::to_array<NameAndWords>({
    {"stable", msg::steadiness_stable::id},
    {"intermittent stalls", msg::steadiness_intermittent::id},
    {"jitter", msg::steadiness_jitter::id},
});

constexpr auto kOutcomes = std::to_array<NameAndWords>({
    {"confirmed", msg::probe_confirmed::id},
    {"cheaper", msg::probe_cheaper::id},
    {"dearer", msg::probe_dearer::id},
});

constexpr auto kBands = std::to_array<NameAndWords>({
    {"good", msg::band_good::id},
    {"acceptable", msg::band_acceptable::id},
    {"poor", msg::band_poor::id},
    {"very poor", msg::band_very_poor::id},
});

constexpr auto kDualVerdicts = std::to_array<NameAndWords>({
    {"TWO DEVICES PAY", msg::dual_pays::id},
    {"TWO DEVICES DO NOT PAY", msg::dual_does_not_pay::id},
    {"NO DIFFERENCE", msg::dual_no_difference::id},
    {"INCOMPLETE", msg::dual_incomplete::id},
});

constexpr auto kBestUses =
    std::to_array<NameAndWords>({{"unknown"}, {"one_device"}, {"pair"}, {"replicas"}});

constexpr auto kChanges = std::to_array<NameAndWords>({
    {"faster", msg::change_faster::id},
    {"slower", msg::change_slower::id},
    {"none", msg::change_none::id},
});

constexpr auto kSeverities = std::to_array<NameAndWords>({{"info"}, {"warn"}, {"crit"}});
constexpr auto kSteadier =
    std::to_array<NameAndWords>({{"unknown"}, {"same"}, {"steadier"}, {"less_steady"}});

}  // namespace

std::string_view to_string(VerdictKind kind) {
  return name_in(kVerdicts, kind);
}
Message to_message(VerdictKind kind) {
  return words_in(kVerdicts, kind);
}

std::string_view to_string(GainMethod method) {
  return name_in(kMethods, method);
}
Message to_message(GainMethod method) {
  return words_in(kMethods, method);
}

std::string_view to_string(RuleCategory category) {
  return name_in(kCategories, category);
}
Message to_message(RuleCategory category) {
  return words_in(kCategories, category);
}

Message to_message(Missing missing) {
  return words_in(kMissing, missing);
}

std::string_view to_string(Steadiness steadiness) {
  return name_in(kSteadiness, steadiness);
}
Message to_message(Steadiness steadiness) {
  return words_in(kSteadiness, steadiness);
}

std::string_view to_string(ProbeOutcome outcome) {
  return name_in(kOutcomes, outcome);
}
Message to_message(ProbeOutcome outcome) {
  return words_in(kOutcomes, outcome);
}

std::string_view to_string(Band band) {
  return name_in(kBands, band);
}
Message to_message(Band band) {
  return words_in(kBands, band);
}

std::string_view to_string(BestUse use) {
  return name_in(kBestUses, use);
}

std::string_view to_string(DualVerdict verdict) {
  return name_in(kDualVerdicts, verdict);
}
Message to_message(DualVerdict verdict) {
  return words_in(kDualVerdicts, verdict);
}

std::string_view to_string(Change change) {
  return name_in(kChanges, change);
}
Message to_message(Change change) {
  return words_in(kChanges, change);
}

std::string_view to_string(FindingSeverity severity) {
  return name_in(kSeverities, severity);
}

std::string_view to_string(Steadier change) {
  return name_in(kSteadier, change);
}

}  // namespace qanat
