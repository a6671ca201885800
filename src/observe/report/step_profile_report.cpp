#include "diagnose/dual_profile.h"
#include "locale/messages/profiles.h"
#include "locale/messages/run_report.h"
#include "report/known_names.h"
#include "report/profile_parts.h"
#include "report/profile_report.h"

namespace qanat {
namespace {

Message band_of_wait(double share) {
  constexpr double kGood = 0.3;
  constexpr double kAcceptable = 0.5;
  return to_message(share < kGood         ? Band::good
                    : share < kAcceptable ? Band::acceptable
                                          : Band::poor);
}

Message explain(ProbeOutcome outcome) {
  if (outcome == ProbeOutcome::confirmed) {
    return msg::probe_confirmed_why{};
  }
  return outcome == ProbeOutcome::cheaper ? Message(msg::probe_cheaper_why{})
                                          : msg::probe_dearer_why{};
}

Table phase_table(const StepProfile& profile) {
  Table table{.key = "phases", .columns = times_columns()};
  table.columns.insert(
      table.columns.begin(),
      Column{.key = "name", .name = msg::unit_times_head{}, .kind = CellKind::text});
  table.columns.push_back({.key = "share"});
  for (const PhaseTimes& phase : profile.phases) {
    Row row{.cells = times_cells(phase.seconds)};
    row.cells.insert(row.cells.begin(), Value(in_words(phase.name), phase.name));
    row.cells.push_back(figure_of(phase.share));
    table.rows.push_back(std::move(row));
  }
  return table;
}

Section step_times(const StepProfile& profile) {
  Section section{.tables = {phase_table(profile)}};
  if (profile.phases.empty()) {
    return section;
  }
  const RunMeasures& m = profile.diagnosis.measures;
  section.title = msg::profile_timing{};
  section.lead =
      m.warm_up.settled
          ? Message(msg::profile_steps_lead{.steps = m.steady.size(), .warm_up = m.warm_up.steps})
          : Message(
                msg::profile_steps_unsettled{.steps = m.steady.size(), .warm_up = m.warm_up.steps});
  add_missing_percentiles(profile.phases.back().seconds, section.remarks);
  return section;
}

Section step_bottleneck(const StepProfile& profile) {
  const RunMeasures& m = profile.diagnosis.measures;
  Section section{.title = msg::heading_breakdown{},
                  .lead = msg::profile_step_goes{.step = in_seconds(m.mean_step)}};
  for (const PhaseTimes& phase : profile.phases) {
    if (phase.name != "step") {
      section.facts.push_back({.name = in_words(phase.name), .value = in_percent(phase.share, 1)});
    }
  }
  section.facts.push_back(
      {.name = msg::profile_throughput{},
       .parts = {{.value = msg::profile_frames{.frames = plain(m.frames_per_second, 0)}},
                 {.name = msg::profile_padding{}, .value = in_percent(m.padding_share, 1)}}});
  section.remarks.push_back(
      msg::profile_wait_band{.band = band_of_wait(m.share(m.breakdown.wait))});
  return section;
}

Section probe_section(const StepProfile& profile) {
  if (!profile.probe) {
    return {.title = msg::probe_title{},
            .lead = msg::probe_not_run{},
            .facts = {{.key = "cached_probe", .value = figure_of(nullptr)}}};
  }
  const CachedProbe& probe = *profile.probe;
  return {
      .key = "cached_probe",
      .title = msg::probe_title{},
      .lead = msg::probe_lead{.steps = probe.steps},
      .facts = {
          {.key = "steps", .value = figure_of(probe.steps)},
          {.name = msg::probe_predicted{},
           .parts = {{.key = "predicted_s", .value = in_seconds(probe.predicted)},
                     {.key = "predicted_ci95", .value = interval_value(probe.predicted_ci95)}}},
          {.name = msg::probe_measured{},
           .parts = {{.key = "measured_s", .value = in_seconds(probe.measured)},
                     {.key = "measured_ci95", .value = interval_value(probe.measured_ci95)}}},
          {.name = msg::probe_outcome{},
           .parts = {
               {.key = "outcome", .value = {to_message(probe.outcome), to_string(probe.outcome)}},
               {.key = "error", .name = msg::probe_error{}, .value = in_percent(probe.error(), 1)},
               {.value = explain(probe.outcome)}}}}};
}

}  // namespace

Document to_document(const StepProfile& profile) {
  Document document{.schema = "qanat.profile.step", .diagnosis = profile.diagnosis};
  document.sections.push_back({.shows = DiagnosisPart::verdict});
  document.sections.push_back({.shows = DiagnosisPart::findings});
  document.sections.push_back(step_times(profile));
  if (!profile.phases.empty()) {
    document.sections.push_back(step_bottleneck(profile));
  }
  document.sections.push_back(probe_section(profile));
  document.sections.push_back(
      recommended_section(profile.recommended, nothing_recommended(profile.diagnosis)));
  document.sections.push_back({.shows = DiagnosisPart::checks});
  return document;
}

}  // namespace qanat
