// What a diagnosis says: findings ranked by what can be gained, what was fine, what was skipped.
// Values; report/ turns them into text, JSON and HTML, in the language asked for.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/message.h"
#include "base/quantity.h"
#include "metrics/order_statistics.h"

namespace qanat {

// The figures that findings give as evidence, each with its name in JSON and its unit.
struct Metric {
  std::string_view name;
  Unit unit = Unit::share;
  std::string_view counts = "";  // what a count counts, in JSON: "workers"

  std::string_view unit_name() const { return counts.empty() ? to_string(unit) : counts; }
};

namespace metric {

// Each is called what users read: metric::data_wait_share is "data_wait_share" in JSON.
// NOLINTBEGIN(readability-identifier-naming)

// The step, and the loader that feeds it.
inline constexpr Metric data_wait_share{"data_wait_share"};
inline constexpr Metric transfer_share{"transfer_share"};
inline constexpr Metric ready_buffer_empty_share{"ready_buffer_empty_share"};
inline constexpr Metric workers_busy_share{"workers_busy_share"};
inline constexpr Metric workers{"workers", Unit::count, "workers"};
inline constexpr Metric busy_computing{"busy_computing"};
inline constexpr Metric busy_run_queue{"busy_run_queue"};
inline constexpr Metric busy_lock{"busy_lock"};
inline constexpr Metric busy_blocked{"busy_blocked"};
inline constexpr Metric idle_cores{"idle_cores", Unit::cores};
inline constexpr Metric decode_share_of_workers{"decode_share_of_workers"};
inline constexpr Metric mel_share_of_workers{"mel_share_of_workers"};
inline constexpr Metric tokens_share_of_workers{"tokens_share_of_workers"};
inline constexpr Metric copy_share_of_workers{"copy_share_of_workers"};
inline constexpr Metric buffer_size{"buffer_size", Unit::batches};
inline constexpr Metric longest_row{"longest_row", Unit::seconds};
inline constexpr Metric median_row{"median_row", Unit::seconds};
inline constexpr Metric major_faults_per_row{"major_faults_per_row", Unit::number, "faults"};
inline constexpr Metric padding_share{"padding_share"};
inline constexpr Metric seconds_per_frame{"seconds_per_frame", Unit::seconds};
inline constexpr Metric feature_cores{"feature_cores", Unit::cores};
inline constexpr Metric bad_share{"bad_share"};
inline constexpr Metric fixed_seconds{"fixed_seconds", Unit::seconds};
inline constexpr Metric work_r2{"work_r2", Unit::number};
inline constexpr Metric optimizer_share{"optimizer_share"};
inline constexpr Metric checkpoint_share{"checkpoint_share"};
inline constexpr Metric retry_share{"retry_share"};

// Periods and variation.
inline constexpr Metric period{"period", Unit::steps};
inline constexpr Metric excess{"excess", Unit::seconds};
inline constexpr Metric p_value{"p_value", Unit::number};
inline constexpr Metric change{"change", Unit::seconds};
inline constexpr Metric step{"step", Unit::count, "steps"};
inline constexpr Metric tail_p95_over_p50{"tail_p95_over_p50", Unit::ratio};
inline constexpr Metric excess_share{"excess_share"};
inline constexpr Metric robust_cv{"robust_cv"};

// The host.
inline constexpr Metric cpu_quota{"cpu_quota", Unit::cores};
inline constexpr Metric wanted_cores{"wanted", Unit::cores};
inline constexpr Metric throttled_share{"throttled_share"};
inline constexpr Metric throttled_periods_share{"throttled_periods_share"};
inline constexpr Metric memory_full_share{"memory_full_share"};
inline constexpr Metric io_full_share{"io_full_share"};
inline constexpr Metric cpu_some_share{"cpu_some_share"};
inline constexpr Metric trainer_delay_share{"trainer_delay_share"};
inline constexpr Metric loader_delay_share{"loader_delay_share"};
inline constexpr Metric loader_threads{"loader_threads", Unit::count, "threads"};
inline constexpr Metric others_share{"others_share"};
inline constexpr Metric stolen_share{"stolen_share"};
inline constexpr Metric gpu_node{"gpu_node", Unit::count, "node"};
inline constexpr Metric nodes{"nodes", Unit::count, "nodes"};
inline constexpr Metric swapped_in{"swapped_in", Unit::bytes_per_second};
inline constexpr Metric swapped_out{"swapped_out", Unit::bytes_per_second};
inline constexpr Metric cores{"cores", Unit::cores};
inline constexpr Metric blocks{"blocks", Unit::bytes};
inline constexpr Metric limit{"limit", Unit::bytes};

// Storage.
inline constexpr Metric needed{"needed", Unit::bytes_per_second};
inline constexpr Metric cold{"cold", Unit::bytes_per_second};
inline constexpr Metric file_p95{"file_p95", Unit::seconds};
inline constexpr Metric storage_share{"storage_share"};
inline constexpr Metric storage_rate{"storage_rate", Unit::bytes_per_second};
inline constexpr Metric open_p50{"open_p50", Unit::seconds};
inline constexpr Metric file_p50{"file_p50", Unit::seconds};
inline constexpr Metric mean_file{"mean_file", Unit::bytes};
inline constexpr Metric decode_share{"decode_share"};

// GPUs and their links.
inline constexpr Metric gpus{"gpus", Unit::count, "GPUs"};
inline constexpr Metric nvml_error{"nvml_error", Unit::count, "code"};
inline constexpr Metric kinds{"kinds", Unit::count, "kinds"};
inline constexpr Metric limited_share{"limited_share"};
inline constexpr Metric temperature{"temperature", Unit::celsius};
inline constexpr Metric power{"power", Unit::watts};
inline constexpr Metric link_gen{"link_gen", Unit::count, "gen"};
inline constexpr Metric link_width{"link_width", Unit::lanes};
inline constexpr Metric uncorrected_errors{"uncorrected_errors", Unit::count, "errors"};
inline constexpr Metric remap_pending{"remap_pending", Unit::count};
inline constexpr Metric remap_failed{"remap_failed", Unit::count};
inline constexpr Metric silent{"silent", Unit::count};
inline constexpr Metric lost{"lost", Unit::count};
inline constexpr Metric xids{"xids", Unit::count, "errors"};
inline constexpr Metric other_processes{"other_processes", Unit::count, "processes"};
inline constexpr Metric memory_share{"memory_share"};
inline constexpr Metric persistence{"persistence", Unit::count};
inline constexpr Metric busy_by_events{"busy_by_events"};
inline constexpr Metric busy_by_nvml{"busy_by_nvml"};
inline constexpr Metric copy_rate{"copy_rate", Unit::bytes_per_second};
inline constexpr Metric link_rate{"link_rate", Unit::bytes_per_second};
inline constexpr Metric distance{"distance", Unit::count, "level"};

// Two devices.
inline constexpr Metric data_s_per_batch{"data_s_per_batch", Unit::seconds};
inline constexpr Metric train_s_per_batch{"train_s_per_batch", Unit::seconds};
inline constexpr Metric data_device_busy_share{"data_device_busy_share"};
inline constexpr Metric overlap{"overlap"};
inline constexpr Metric ideal_s_per_batch{"ideal_s_per_batch", Unit::seconds};
inline constexpr Metric gap_s_per_batch{"gap_s_per_batch", Unit::seconds};
inline constexpr Metric dual_over_single{"dual_over_single", Unit::ratio};

// Several ranks.
inline constexpr Metric rank{"rank", Unit::count, "rank"};
inline constexpr Metric excess_data{"excess_data", Unit::seconds};
inline constexpr Metric excess_compute{"excess_compute", Unit::seconds};
inline constexpr Metric stalled_share{"stalled_share"};
inline constexpr Metric exposed_exchange_share{"exposed_exchange_share"};
inline constexpr Metric hidden_share{"hidden_share"};
inline constexpr Metric exchange_rate{"exchange_rate", Unit::bytes_per_second};
inline constexpr Metric exchanged{"exchanged", Unit::bytes};
inline constexpr Metric work_balance{"work_balance"};

// What is learnt.
inline constexpr Metric validation_rise{"validation_rise"};
inline constexpr Metric validation_rise_at_least{"validation_rise_at_least"};
inline constexpr Metric training_fall{"training_fall"};
inline constexpr Metric worse_validations{"worse_validations", Unit::count, "validations"};
inline constexpr Metric clips{"clips", Unit::count, "clips"};

// Configuration and data set.
inline constexpr Metric keys{"keys", Unit::count, "keys"};
inline constexpr Metric wanted_bytes{"wanted", Unit::bytes};
inline constexpr Metric free_bytes{"free", Unit::bytes};
inline constexpr Metric virtual_gpus{"virtual_gpus", Unit::count, "GPUs"};
inline constexpr Metric dropped_share{"dropped_share"};
inline constexpr Metric utterances{"utterances", Unit::count, "utterances"};

// NOLINTEND(readability-identifier-naming)

}  // namespace metric

enum class FindingSeverity { info, warn, crit };
std::string_view to_string(FindingSeverity severity);

enum class VerdictKind {
  balanced,        // no gain is large enough to report
  input_bound,     // the device waits for data
  transfer_bound,  // the device waits for batches on their way
  exchange_bound,  // the device waits for the gradients of other ranks
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
enum class BreakdownPart { unknown, wait, transfer, launch, work, exchange, saving, retry };

inline constexpr std::size_t kNumBreakdownParts =
    static_cast<std::size_t>(BreakdownPart::retry) + 1;

// A run as it was, but for these: what a fix changes of it, so that it can be run again with the
// fix (what_if.h).
struct WhatIf {
  std::optional<int> workers = std::nullopt;
  std::optional<int> window = std::nullopt;           // batches ahead of the consumer
  double work = 1;                                    // of the recorded times of filling a batch
  std::optional<double> longest_work = std::nullopt;  // s of workers that a batch takes at most
  // s of a mean step that each part but the wait takes less.
  std::array<double, kNumBreakdownParts> saved{};

  double& saved_of(BreakdownPart part) { return saved[static_cast<std::size_t>(part)]; }
};

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
  BreakdownPart part = BreakdownPart::unknown;
  // What the fix changes of the run; absent: it takes from `part` what it gains.
  std::optional<WhatIf> change{};
  // s of a step that the fix takes from `part`. The gain is less where the loader is the
  // bottleneck.
  double claim = 0;
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
