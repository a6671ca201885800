#include "report/profile_json.h"

#include "report/run_json.h"

namespace qanat {
namespace {

using Json = nlohmann::ordered_json;

Json range_json(const Range& range) {
  return Json::array({range.low, range.high});
}

Json summary_json(const SampleSummary& seconds) {
  return {{"n", seconds.count},
          {"mean", seconds.mean},
          {"std", seconds.std},
          {"min", seconds.min},
          {"max", seconds.max},
          {"p50", seconds.p50},
          {"p95", or_null(seconds.p95)},
          {"p99", or_null(seconds.p99)},
          {"cv", seconds.variation()}};
}

Json recommended_json(std::span<const Recommendation> all) {
  Json list = Json::array();
  for (const Recommendation& one : all) {
    list.push_back({{"key", one.key}, {"value", one.value}, {"flag", one.flag}, {"why", one.why}});
  }
  return list;
}

Json periodicity_json(const DataProfile& profile) {
  const Periodicity& tested = profile.periodicity;
  Json result{{"tested_max_period", tested.longest_tested},
              {"p_value", tested.p_value},
              {"period", nullptr},
              {"phase", nullptr},
              {"excess_s", nullptr},
              {"matches", nullptr},
              {"autocorrelation", tested.autocorrelation}};
  if (tested.rhythm) {
    result["period"] = tested.rhythm->period;
    result["phase"] = tested.rhythm->phase;
    result["excess_s"] = tested.rhythm->excess_seconds;
  }
  if (profile.cause) {
    result["matches"] = profile.cause->name;
  }
  return result;
}

Json stages_json(const DataProfile& profile) {
  Json stages = Json::array();
  for (const StageCost& stage : profile.stages) {
    stages.push_back(
        {{"name", stage.name}, {"share", stage.share}, {"s_per_row", stage.seconds_per_row}});
  }
  return stages;
}

Json loader_json(const DataProfile& profile) {
  const PipelineStats& stats = profile.measured.pipeline;
  const WorkerShares& workers = profile.workers;
  return {{"queue",
           {{"empty_share", profile.queue.empty},
            {"partial_share", profile.queue.partial},
            {"full_share", profile.queue.full}}},
          {"workers",
           {{"running", workers.workers},
            {"busy_share", workers.busy},
            {"blocked_share", workers.blocked},
            {"starved_share", workers.starved},
            {"parked_share", workers.parked}}},
          {"stages", stages_json(profile)},
          {"rows",
           {{"from_audio", stats.from_audio},
            {"from_shards", stats.from_store},
            {"from_memory", stats.from_cache},
            {"bad", stats.bad}}},
          {"padding_share", profile.padding_share}};
}

Json use_json(const std::optional<DeviceUse>& use, const std::optional<double>& busy) {
  if (!use) {
    return nullptr;
  }
  return {
      {"device", use->name},
      {"busy_share", or_null(busy)},
      {"memory_peak_bytes", use->most_memory.value},
      {"memory_limit_bytes", use->memory_limit ? Json(use->memory_limit->value) : Json(nullptr)}};
}

Json mode_json(const ModeProfile& mode) {
  const StageMeans& stages = mode.stages;
  const RunMeasures& m = mode.measures;
  return {{"steps", m.steady.size()},
          {"step_s", m.mean_step},
          {"ci95_step_s", range_json(m.mean_interval)},
          {"robust_cv", m.spread.robust_cv},
          {"frames_per_s", m.frames_per_second},
          {"batch_s",
           {{"load", or_null(stages.load)},
            {"stage", or_null(stages.stage)},
            {"prepare", or_null(stages.prepare)},
            {"transfer", or_null(stages.copy)},
            {"train", stages.train},
            {"gap", stages.gap}}},
          {"model_device", use_json(mode.model, mode.model_busy)},
          {"data_device", use_json(mode.data, mode.data_busy)}};
}

Json cell_json(const SweepCell& cell) {
  const CellRate rate = rate_of(cell);
  const bool measured = !cell.rates.empty();
  const bool bounded = cell.rates.size() > 1;
  return {{"batch", cell.batch},
          {"workers", cell.workers},
          {"visits", cell.rates.size()},
          {"rate", measured ? Json(rate.rate) : Json(nullptr)},
          {"ci95", bounded ? range_json(rate.ci95) : Json(nullptr)},
          {"wait_share", or_null(cell.wait)}};
}

Json choice_json(const SweepReport& sweep) {
  if (!sweep.choice) {
    return nullptr;
  }
  const SweepChoice& choice = *sweep.choice;
  const SweepCell& cell = sweep.cells[choice.cell];
  Json result{{"batch", cell.batch},
              {"workers", cell.workers},
              {"of_best", choice.of_best},
              {"why", choice.why},
              {"other_batch", nullptr}};
  if (choice.larger_batch) {
    result["other_batch"] = {{"batch", choice.larger_batch->batch},
                             {"workers", choice.larger_batch->workers},
                             {"speedup", choice.larger_batch->speedup}};
  }
  return result;
}

}  // namespace

nlohmann::ordered_json to_json(const StepProfile& profile) {
  Json phases = Json::array();
  for (const PhaseTimes& phase : profile.phases) {
    Json row = summary_json(phase.seconds);
    row["name"] = phase.name;
    row["share"] = phase.share;
    phases.push_back(std::move(row));
  }
  Json probe = nullptr;
  if (profile.probe) {
    probe = {{"steps", profile.probe->steps},
             {"predicted_s", profile.probe->predicted},
             {"predicted_ci95", range_json(profile.probe->predicted_ci95)},
             {"measured_s", profile.probe->measured},
             {"measured_ci95", range_json(profile.probe->measured_ci95)},
             {"error", profile.probe->error()},
             {"outcome", to_string(profile.probe->outcome)}};
  }
  return {{"schema", "qanat.profile.step"},
          {"schema_version", "1.0"},
          {"phases", std::move(phases)},
          {"cached_probe", std::move(probe)},
          {"recommended", recommended_json(profile.recommended)},
          {"report", to_json(profile.diagnosis)}};
}

nlohmann::ordered_json to_json(const DataProfile& profile) {
  return {{"schema", "qanat.profile.data"},
          {"schema_version", "1.0"},
          {"step_s", or_null(profile.measured.step)},
          {"first_batch_s", profile.measured.first_batch},
          {"warm_up", profile.warm_up.steps},
          {"batch_s", summary_json(profile.seconds)},
          {"robust_cv", profile.spread.robust_cv},
          {"steadiness", to_string(profile.spread.label)},
          {"periodicity", periodicity_json(profile)},
          {"throughput",
           {{"batches_per_s", profile.batches_per_second},
            {"speech_s_per_s", profile.speech_per_second}}},
          {"wait_share", or_null(profile.wait_share)},
          {"ready_share", or_null(profile.ready_share)},
          {"loader", loader_json(profile)},
          {"recommended", recommended_json(profile.recommended)},
          {"report", profile.diagnosis ? to_json(*profile.diagnosis) : Json(nullptr)}};
}

nlohmann::ordered_json to_json(const SweepReport& sweep) {
  Json cells = Json::array();
  for (const SweepCell& cell : sweep.cells) {
    cells.push_back(cell_json(cell));
  }
  const std::optional<double> drift =
      sweep.cells.empty() ? std::nullopt : control_drift(sweep.cells[sweep.control]);
  return {{"schema", "qanat.profile.sweep"},
          {"schema_version", "1.0"},
          {"unit", "speech_s_per_s"},
          {"step_s", or_null(sweep.step)},
          {"seconds", sweep.seconds},
          {"complete", sweep.complete},
          {"max_workers", sweep.limits.max_workers},
          {"control", sweep.control},
          {"control_drift", or_null(drift)},
          {"cells", std::move(cells)},
          {"recommended", choice_json(sweep)}};
}

nlohmann::ordered_json to_json(const DualProfile& profile) {
  return {{"schema", "qanat.profile.dual"},
          {"schema_version", "1.0"},
          {"verdict", to_string(profile.verdict)},
          {"emulated", profile.emulated},
          {"dual_over_single", to_json(profile.comparison)},
          {"dual", mode_json(profile.dual)},
          {"single", mode_json(profile.single)},
          {"data_s_per_batch", profile.data_per_batch},
          {"train_s_per_batch", profile.train_per_batch},
          {"ideal_s_per_batch", profile.ideal},
          {"efficiency", profile.efficiency},
          {"overlap", profile.overlap},
          {"recommended", recommended_json(profile.recommended)},
          {"report", to_json(profile.diagnosis)}};
}

}  // namespace qanat
