// The figures that findings give as evidence, each with its name in JSON and its unit.
#pragma once

#include <string_view>

#include "base/quantity.h"

namespace qanat {

struct Metric {
  std::string_view name;
  Unit unit = Unit::share;
  std::string_view counts = "";  // what a count counts, in JSON: "workers"

  std::string_view unit_name() const { return counts.empty() ? to_string(unit) : counts; }
};

namespace metric {

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

// Configuration and data set.
inline constexpr Metric keys{"keys", Unit::count, "keys"};
inline constexpr Metric wanted_bytes{"wanted", Unit::bytes};
inline constexpr Metric free_bytes{"free", Unit::bytes};
inline constexpr Metric virtual_gpus{"virtual_gpus", Unit::count, "GPUs"};
inline constexpr Metric dropped_share{"dropped_share"};
inline constexpr Metric utterances{"utterances", Unit::count, "utterances"};

}  // namespace metric
}  // namespace qanat
