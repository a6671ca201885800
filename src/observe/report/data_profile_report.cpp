#include "diagnose/rules.h"
#include "locale/messages/profiles.h"
#include "report/known_names.h"
#include "report/profile_parts.h"
#include "report/profile_report.h"
#include "report/run_json.h"

namespace qanat {
namespace {

using Json = nlohmann::ordered_json;

// A few percent are worth a finding, and no reason to call a trainer starved.
bool is_starved(const DataProfile& profile) {
  constexpr double kStarving = 0.05;  // of its time
  return profile.wait_share.value_or(0) >= kStarving;
}

Section verdict_section(const DataProfile& profile) {
  Section section{
      .title = msg::profile_rate{},
      .lead = msg::profile_rate_lead{.speech = plain(profile.speech_per_second, 0),
                                     .batches = plain(profile.batches_per_second, 1),
                                     .step = in_seconds(profile.seconds.mean)},
      .facts = {
          {.key = "step_s", .value = figure_of(or_null(profile.measured.step))},
          {.key = "wait_share", .value = figure_of(or_null(profile.wait_share))},
          {.key = "ready_share", .value = figure_of(or_null(profile.ready_share))},
          {.key = "throughput",
           .parts = {{.key = "batches_per_s", .value = figure_of(profile.batches_per_second)},
                     {.key = "speech_s_per_s", .value = figure_of(profile.speech_per_second)}}}}};
  if (profile.measured.step) {
    const double share = profile.wait_share.value_or(0);
    const Quantity step = in_seconds(*profile.measured.step);
    const Quantity wait = in_percent(share, 1);
    const Quantity ready = in_percent(profile.ready_share.value_or(0), 1);
    section.title = msg::profile_verdict{};
    section.lead = is_starved(profile)
                       ? Message(msg::profile_starved{.step = step, .wait = wait, .ready = ready})
                       : Message(msg::profile_fed{.step = step, .wait = wait, .ready = ready});
  }
  return section;
}

Value period_value(const DataProfile& profile) {
  const Periodicity& tested = profile.periodicity;
  Json json = to_json(tested, profile.cause ? Json(profile.cause->name) : Json());
  const Quantity p = plain(tested.p_value, 3);
  if (!tested.pattern) {
    return {tested.longest_tested < 2
                ? Message(msg::profile_period_few{})
                : Message(msg::profile_period_none{.longest = tested.longest_tested, .p = p}),
            std::move(json)};
  }
  const std::size_t period = tested.pattern->period;
  const Quantity excess = in_seconds(tested.pattern->excess_seconds);
  return {
      profile.cause
          ? Message(msg::profile_period_cause{
                .period = period, .excess = excess, .p = p, .cause = in_words(profile.cause->name)})
          : Message(msg::profile_period_found{.period = period, .excess = excess, .p = p}),
      std::move(json)};
}

Section timing_section(const DataProfile& profile) {
  const SampleSummary& seconds = profile.seconds;
  std::vector<Column> columns = times_columns();
  std::vector<Value> cells = times_cells(seconds);
  Fact summary{.key = "batch_s"};
  for (std::size_t i = 0; i < columns.size(); ++i) {
    summary.parts.push_back({.key = columns[i].key, .value = cells[i]});
  }
  columns.insert(columns.begin(), Column{.name = msg::unit_times_head{}, .kind = CellKind::text});
  cells.insert(cells.begin(), Value(msg::times_batch{}));
  Section section{
      .title = msg::profile_timing{},
      .lead = msg::profile_batches_lead{.batches = seconds.count,
                                        .warm_up = profile.warm_up.steps,
                                        .first = in_seconds(profile.measured.first_batch)},
      .facts = {{.key = "first_batch_s", .value = figure_of(profile.measured.first_batch)},
                {.key = "warm_up", .value = figure_of(profile.warm_up.steps)},
                std::move(summary),
                {.name = msg::profile_variation{},
                 .parts = {{.key = "robust_cv",
                            .name = msg::profile_variation_equal{},
                            .value = in_percent(profile.spread.robust_cv, 1)},
                           {.name = msg::profile_variation_raw{},
                            .value = in_percent(seconds.variation(), 1)},
                           {.key = "steadiness",
                            .value = {to_message(profile.spread.label),
                                      to_string(profile.spread.label)}}}},
                {.key = "periodicity",
                 .name = msg::profile_period{},
                 .value = period_value(profile)}},
      .tables = {{.columns = std::move(columns), .rows = {{.cells = std::move(cells)}}}}};
  add_missing_percentiles(seconds, section.remarks);
  return section;
}

Table stage_table(const DataProfile& profile) {
  Table table{.key = "stages",
              .columns = {{.key = "name", .name = msg::profile_stage{}, .kind = CellKind::text},
                          {.key = "share", .name = msg::profile_stage_share{}},
                          {.key = "s_per_row", .name = msg::profile_stage_row{}}}};
  for (const StageCost& stage : profile.stages) {
    table.rows.push_back(
        {.cells = {{in_words(stage.name), stage.name},
                   in_percent(stage.share, 1),
                   {plain(1000 * stage.seconds_per_row, 2), stage.seconds_per_row}}});
  }
  return table;
}

Section loader_section(const DataProfile& profile) {
  const auto share = [](const char* key, Message name, double value) {
    return Fact{.key = key, .name = std::move(name), .value = in_percent(value, 1)};
  };
  const auto count = [](const char* key, Message name, std::int64_t value) {
    return Fact{.key = key, .name = std::move(name), .value = value};
  };
  const WorkerShares& workers = profile.workers;
  const PipelineStats& stats = profile.measured.pipeline;
  return {
      .key = "loader",
      .title = msg::profile_bottleneck{},
      .lead = msg::profile_loader_lead{},
      .facts =
          {{.key = "queue",
            .name = msg::profile_queue{},
            .parts = {share("empty_share", msg::profile_queue_empty{}, profile.queue.empty),
                      share("partial_share", msg::profile_queue_partial{}, profile.queue.partial),
                      share("full_share", msg::profile_queue_full{}, profile.queue.full)}},
           {.key = "workers",
            .name = msg::profile_workers{},
            .parts = {count("running", msg::profile_workers_running{}, workers.workers),
                      share("busy_share", msg::profile_workers_busy{}, workers.busy),
                      share("blocked_share", msg::profile_workers_blocked{}, workers.blocked),
                      share("starved_share", msg::profile_workers_starved{}, workers.starved),
                      share("parked_share", msg::profile_workers_parked{}, workers.parked)}},
           {.key = "rows",
            .name = msg::profile_rows{},
            .parts = {count("from_audio", msg::profile_rows_audio{}, stats.from_audio),
                      count("from_shards", msg::profile_rows_shards{}, stats.from_store),
                      count("from_memory", msg::profile_rows_memory{}, stats.from_cache),
                      count("bad", msg::profile_rows_bad{}, stats.bad)}},
           share("padding_share", msg::profile_padding{}, profile.padding_share)},
      .tables = {stage_table(profile)}};
}

// A trainer that waits has something to change, even where no rule knows what.
Message nothing_for_trainer(const DataProfile& profile) {
  if (!profile.measured.step) {
    return msg::recommended_none_unpaced{};
  }
  if (!profile.diagnosis) {
    return msg::recommended_none_verdict{};
  }
  return is_starved(profile) && profile.diagnosis->verdict == VerdictKind::balanced
             ? Message(msg::recommended_none_cause{})
             : nothing_recommended(*profile.diagnosis);
}

}  // namespace

Document to_document(const DataProfile& profile) {
  Document document{.schema = "qanat.profile.data", .diagnosis = profile.diagnosis};
  document.sections.push_back(verdict_section(profile));
  if (profile.measured.step) {
    document.sections.push_back({.shows = DiagnosisPart::findings});
  }
  document.sections.push_back(timing_section(profile));
  document.sections.push_back(loader_section(profile));
  document.sections.push_back(
      recommended_section(profile.recommended, nothing_for_trainer(profile)));
  document.sections.push_back({.shows = DiagnosisPart::checks});
  return document;
}

}  // namespace qanat
