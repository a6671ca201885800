#include <fmt/format.h>

#include "locale/messages/profiles.h"
#include "report/profile_parts.h"
#include "report/profile_report.h"
#include "report/run_json.h"

namespace qanat {
namespace {

using Json = nlohmann::ordered_json;

Message why_chosen(const SweepReport& sweep, const SweepChoice& choice) {
  if (choice.cell == choice.best) {
    return msg::sweep_fastest{};
  }
  return msg::sweep_leaner{.share = in_percent(choice.of_best, 1),
                           .workers = sweep.cells[choice.best].workers};
}

Row cell_row(const SweepReport& sweep, std::size_t index) {
  const SweepCell& cell = sweep.cells[index];
  const CellRate rate = rate_of(cell);
  MessageArg::List notes;
  if (cell.rates.empty()) {
    notes.emplace_back(msg::sweep_not_reached{});
  }
  if (index == sweep.control) {
    notes.emplace_back(msg::sweep_control{});
  }
  if (cell.workers > sweep.limits.max_workers) {
    notes.emplace_back(msg::sweep_capped{});
  }
  if (sweep.choice && sweep.choice->cell == index) {
    notes.emplace_back(msg::sweep_chosen{});
  }
  Value interval;
  if (cell.rates.size() > 1) {
    interval = {msg::doc_range{.low = plain(rate.ci95.low, 1), .high = plain(rate.ci95.high, 1)},
                Json::array({rate.ci95.low, rate.ci95.high})};
  }
  return {.cells = {cell.batch,
                    cell.workers,
                    cell.rates.empty() ? Value() : Value(plain(rate.rate, 1)),
                    std::move(interval),
                    cell.rates.size(),
                    cell.wait ? Value(in_percent(*cell.wait, 1)) : Value(),
                    Value(MessageArg(std::move(notes)))}};
}

Table cell_table(const SweepReport& sweep) {
  Table table{.key = "cells",
              .columns = {{.key = "batch", .name = msg::sweep_batch{}},
                          {.key = "workers", .name = msg::profile_workers{}},
                          {.key = "rate", .name = msg::sweep_rate{}},
                          {.key = "ci95", .name = msg::sweep_ci95{}},
                          {.key = "visits", .name = msg::sweep_visits{}},
                          {.key = "wait_share", .name = msg::sweep_wait{}},
                          {.name = msg::sweep_note{}, .kind = CellKind::text}}};
  for (std::size_t i = 0; i < sweep.cells.size(); ++i) {
    table.rows.push_back(cell_row(sweep, i));
  }
  return table;
}

Section cells_section(const SweepReport& sweep) {
  std::optional<double> drift;
  if (!sweep.cells.empty()) {
    drift = control_drift(sweep.cells[sweep.control]);
  }
  const MessageArg pace = sweep.step ? MessageArg(msg::sweep_paced{.step = in_seconds(*sweep.step)})
                                     : MessageArg(msg::sweep_unpaced{});
  const Quantity seconds = in_seconds(sweep.seconds);
  const std::size_t settings = sweep.cells.size();
  Section section{
      .title = msg::sweep_title{},
      .lead = sweep.complete
                  ? Message(msg::sweep_lead{.settings = settings, .seconds = seconds, .pace = pace})
                  : Message(msg::sweep_lead_incomplete{
                        .settings = settings, .seconds = seconds, .pace = pace}),
      .facts = {{.key = "unit", .value = figure_of("speech_s_per_s")},
                {.key = "step_s", .value = figure_of(or_null(sweep.step))},
                {.key = "seconds", .value = figure_of(sweep.seconds)},
                {.key = "complete", .value = figure_of(sweep.complete)},
                {.key = "max_workers", .value = figure_of(sweep.limits.max_workers)},
                {.key = "control", .value = figure_of(sweep.control)},
                {.key = "control_drift", .value = figure_of(or_null(drift))}},
      .tables = {cell_table(sweep)}};
  if (drift) {
    section.remarks.push_back(msg::sweep_drift{.drift = in_percent(*drift, 1)});
  }
  return section;
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
              {"why", Translator().tr(why_chosen(sweep, choice))},
              {"other_batch", nullptr}};
  if (choice.larger_batch) {
    result["other_batch"] = {{"batch", choice.larger_batch->batch},
                             {"workers", choice.larger_batch->workers},
                             {"speedup", choice.larger_batch->speedup}};
  }
  return result;
}

Section choice_section(const SweepReport& sweep) {
  std::vector<Recommendation> settings;
  if (sweep.choice) {
    const int workers = sweep.cells[sweep.choice->cell].workers;
    settings.push_back({.fix = {.key = "data.num_workers", .value = fmt::to_string(workers)},
                        .finding = {},
                        .why = why_chosen(sweep, *sweep.choice)});
  }
  Section section = recommended_section(settings, msg::recommended_none_measured{}, "");
  section.facts.push_back({.key = "recommended", .value = figure_of(choice_json(sweep))});
  if (sweep.choice && sweep.choice->larger_batch) {
    const BatchOffer& offer = *sweep.choice->larger_batch;
    section.remarks.insert(
        section.remarks.begin(),
        msg::sweep_larger_batch{.flag = fmt::format("--batch-size {}", offer.batch),
                                .speedup = times(offer.speedup),
                                .workers = msg::worker_count{.count = offer.workers}});
  }
  return section;
}

}  // namespace

Document to_document(const SweepReport& sweep) {
  return {.schema = "qanat.profile.sweep",
          .sections = {cells_section(sweep), choice_section(sweep)}};
}

}  // namespace qanat
