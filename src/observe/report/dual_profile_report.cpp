#include "locale/messages/profiles.h"
#include "locale/messages/run_report.h"
#include "report/profile_parts.h"
#include "report/profile_report.h"
#include "report/run_json.h"

namespace qanat {
namespace {

using Json = nlohmann::ordered_json;

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
          {"ci95_step_s", Json::array({m.mean_interval.low, m.mean_interval.high})},
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

// The run on two devices may be long enough when the one it is compared with is not.
Value why_incomplete(const DualProfile& profile) {
  if (profile.diagnosis.verdict == VerdictKind::incomplete) {
    return profile.diagnosis.why;
  }
  if (profile.single.measures.steady.size() < kMinSteps) {
    return msg::dual_too_few_steps{.steps = profile.single.measures.steady.size(),
                                   .needed = kMinSteps};
  }
  return profile.comparison.withheld;
}

Section dual_verdict(const DualProfile& profile) {
  Section section{
      .title = msg::profile_verdict{},
      .facts = {{.key = "verdict", .value = figure_of(to_string(profile.verdict))},
                {.key = "emulated", .value = figure_of(profile.emulated)},
                {.key = "dual_over_single", .value = figure_of(to_json(profile.comparison))},
                {.key = "dual", .value = figure_of(mode_json(profile.dual))},
                {.key = "single", .value = figure_of(mode_json(profile.single))},
                {.key = "data_s_per_batch", .value = figure_of(profile.data_per_batch)},
                {.key = "train_s_per_batch", .value = figure_of(profile.train_per_batch)},
                {.key = "ideal_s_per_batch", .value = figure_of(profile.ideal)},
                {.key = "efficiency", .value = figure_of(profile.efficiency)},
                {.key = "overlap", .value = figure_of(profile.overlap)}}};
  if (profile.verdict == DualVerdict::incomplete) {
    section.lead = msg::dual_incomplete{};
    section.facts.push_back({.name = msg::dual_reason{}, .value = why_incomplete(profile)});
  } else {
    section.lead = msg::dual_verdict_lead{
        .verdict = to_message(profile.verdict),
        .ratio = ratio_interval(profile.comparison.ratio, profile.comparison.ci95)};
  }
  if (profile.emulated) {
    section.remarks.push_back(msg::dual_emulated{});
  }
  return section;
}

// A third way to use two devices.
Section dual_replicas(const DualProfile& profile) {
  const ReplicaProfile& replicas = *profile.replicas;
  Section section{
      .title = msg::dual_replicas_title{},
      .lead = describe_best_use(profile.best, profile.comparison, replicas.comparison),
      .facts = {{.key = "best_use", .value = figure_of(to_string(profile.best))},
                {.key = "replicas_over_single", .value = figure_of(to_json(replicas.comparison))},
                {.key = "replica", .value = figure_of(mode_json(replicas.mode))},
                {.key = "replica_exposed_share", .value = figure_of(replicas.exposed_share)}}};
  if (replicas.comparison.withheld) {
    section.facts.push_back({.name = msg::dual_reason{}, .value = *replicas.comparison.withheld});
  } else {
    section.facts.push_back(
        {.name = msg::dual_replicas_speed{},
         .value = ratio_interval(replicas.comparison.ratio, replicas.comparison.ci95)});
  }
  section.facts.push_back(
      {.name = msg::dual_replicas_exposed{}, .value = in_percent(replicas.exposed_share, 1)});
  return section;
}

Section dual_times(const DualProfile& profile) {
  const StageMeans& dual = profile.dual.stages;
  const StageMeans& single = profile.single.stages;
  Table table{.columns = {{.name = msg::unit_times_head{}, .kind = CellKind::text},
                          {.name = msg::dual_two{}},
                          {.name = msg::dual_one{}}}};
  const auto add = [&](Message name, std::optional<double> two, std::optional<double> one) {
    table.rows.push_back({.cells = {std::move(name), in_milliseconds(two), in_milliseconds(one)}});
  };
  add(msg::phase_load{}, dual.load, single.load);
  add(msg::phase_stage{}, dual.stage, single.stage);
  add(msg::phase_prepare{}, dual.prepare, single.prepare);
  add(msg::phase_transfer{}, dual.copy, single.copy);
  add(msg::phase_train{}, dual.train, single.train);
  add(msg::phase_gap{}, dual.gap, single.gap);
  add(msg::phase_step{}, profile.dual.measures.mean_step, profile.single.measures.mean_step);
  return {.title = msg::profile_timing{},
          .lead = msg::dual_times_lead{.dual = profile.dual.measures.steady.size(),
                                       .single = profile.single.measures.steady.size()},
          .tables = {std::move(table)}};
}

Message memory_of(const std::optional<DeviceUse>& use) {
  if (!use) {
    return msg::dual_memory_unknown{};
  }
  const Quantity most = in_bytes(static_cast<double>(use->most_memory.value));
  if (!use->memory_limit) {
    return msg::dual_memory{.memory = most};
  }
  return msg::dual_memory_of{.memory = most,
                             .limit = in_bytes(static_cast<double>(use->memory_limit->value))};
}

Fact device_fact(Message name, double busy, Band band, const std::optional<DeviceUse>& use) {
  return {
      .name = std::move(name),
      .parts = {{.value = msg::dual_busy{.share = in_percent(busy, 1), .band = to_message(band)}},
                {.value = memory_of(use)}}};
}

Section dual_bottleneck(const DualProfile& profile) {
  const ModeProfile& dual = profile.dual;
  const double data = dual.data_busy.value_or(0);
  const double variation = dual.measures.spread.robust_cv;
  return {
      .title = msg::profile_bottleneck{},
      .lead = msg::dual_two{},
      .facts = {
          device_fact(msg::dual_data_gpu{}, data, data_gpu_band(data), dual.data),
          device_fact(
              msg::dual_model_gpu{}, dual.model_busy, model_gpu_band(dual.model_busy), dual.model),
          {.name = msg::profile_variation{},
           .value = msg::dual_variation{.share = in_percent(variation, 1),
                                        .band = to_message(variation_band(variation))}},
          {.name = msg::dual_overlap{},
           .value = msg::dual_overlap_value{.overlap = plain(profile.overlap, 2)}},
          {.name = msg::dual_ideal{},
           .value = msg::dual_ideal_value{.ideal = in_seconds(profile.ideal),
                                          .data = in_seconds(profile.data_per_batch),
                                          .train = in_seconds(profile.train_per_batch)}},
          {.name = msg::dual_reached{},
           .value = msg::dual_reached_value{.efficiency = in_percent(profile.efficiency, 1),
                                            .wanted = in_percent(kWantedEfficiency)}}}};
}

}  // namespace

Document to_document(const DualProfile& profile) {
  Document document{.schema = "qanat.profile.dual", .diagnosis = profile.diagnosis};
  document.sections.push_back(dual_verdict(profile));
  if (profile.replicas) {
    document.sections.push_back(dual_replicas(profile));
  }
  document.sections.push_back({.shows = DiagnosisPart::findings});
  if (!profile.dual.measures.seconds.empty() && !profile.single.measures.seconds.empty()) {
    document.sections.push_back(dual_times(profile));
    document.sections.push_back(dual_bottleneck(profile));
  }
  const bool is_judged = profile.verdict != DualVerdict::incomplete;
  document.sections.push_back(
      recommended_section(profile.recommended,
                          is_judged && profile.diagnosis.verdict == VerdictKind::incomplete
                              ? Message(msg::recommended_none_worth{})
                              : nothing_recommended(profile.diagnosis)));
  document.sections.push_back({.shows = DiagnosisPart::checks});
  return document;
}

}  // namespace qanat
