#include <iterator>

#include <fmt/format.h>

#include "diagnose/rules.h"
#include "report/profile_table.h"
#include "report/profile_text.h"
#include "report/run_text.h"
#include "report/text_lines.h"

namespace qanat {
namespace {

using Out = std::back_insert_iterator<std::string>;

void write_verdict(Out out, const DataProfile& profile) {
  if (!profile.measured.step) {
    fmt::format_to(out,
                   "RATE  {:.0f} s of speech a second, {:.1f} batches a second: feeds steps of {} "
                   "and longer\n",
                   profile.speech_per_second,
                   profile.batches_per_second,
                   milliseconds(profile.seconds.mean));
    return;
  }
  const double wait = profile.wait_share.value_or(0);
  fmt::format_to(out,
                 "VERDICT  {}   a trainer with steps of {} waits {} of its time; {} of the batches "
                 "were ready\n",
                 wait < kWorthMentioning ? "FED" : "STARVED",
                 milliseconds(*profile.measured.step),
                 percent(wait),
                 percent(profile.ready_share.value_or(0)));
}

void write_times(Out out, const DataProfile& profile) {
  fmt::format_to(out,
                 "\nTIMING STATISTICS  {} batches after {} of warm-up; the first came after {}\n"
                 "{}{}{}",
                 profile.seconds.count,
                 profile.warm_up.steps,
                 milliseconds(profile.measured.first_batch),
                 times_head(),
                 times_row("batch", profile.seconds),
                 missing_percentiles(profile.seconds, "batches"));
  fmt::format_to(out,
                 "  variation  {} as it is; {} for equal work: {}\n",
                 percent(profile.seconds.variation()),
                 percent(profile.spread.robust_cv),
                 to_string(profile.spread.label));
}

void write_rhythm(Out out, const DataProfile& profile) {
  const Periodicity& tested = profile.periodicity;
  if (tested.rhythm) {
    fmt::format_to(out,
                   "  rhythm     every {} batches {} more (p {:.3f}){}{}\n",
                   tested.rhythm->period,
                   milliseconds(tested.rhythm->excess_seconds),
                   tested.p_value,
                   profile.cause ? ": as the " : "",
                   profile.cause ? profile.cause->name : "");
  } else if (tested.longest_tested < 2) {
    fmt::format_to(out, "  rhythm     too few batches to look for one\n");
  } else {
    fmt::format_to(out,
                   "  rhythm     none among periods of 2 to {} batches (p {:.3f})\n",
                   tested.longest_tested,
                   tested.p_value);
  }
}

void write_pipeline(Out out, const DataProfile& profile) {
  const PipelineStats& stats = profile.measured.pipeline;
  fmt::format_to(out, "\nBOTTLENECK ANALYSIS  where the loader's time goes\n");
  fmt::format_to(out,
                 "  queue      empty {}, partly filled {}, full {}\n",
                 percent(profile.queue.empty),
                 percent(profile.queue.partial),
                 percent(profile.queue.full));
  const WorkerShares& workers = profile.workers;
  fmt::format_to(out,
                 "  workers    {} running; busy {}, blocked {}, starved {}, parked {}\n",
                 workers.workers,
                 percent(workers.busy),
                 percent(workers.blocked),
                 percent(workers.starved),
                 percent(workers.parked));
  for (const StageCost& stage : profile.stages) {
    fmt::format_to(out,
                   "  {:<10} {:>7} of a worker's time, {:.2f} ms a row\n",
                   stage.name,
                   percent(stage.share),
                   1000 * stage.seconds_per_row);
  }
  fmt::format_to(out,
                 "  rows       {} from audio, {} from shards, {} from memory; {} bad; {} padding\n",
                 stats.from_audio,
                 stats.from_store,
                 stats.from_cache,
                 stats.bad,
                 percent(profile.padding_share));
}

std::string sweep_row(const SweepReport& sweep, std::size_t index) {
  const SweepCell& cell = sweep.cells[index];
  if (cell.rates.empty()) {
    return fmt::format("  {:>5} {:>8}   not reached\n", cell.batch, cell.workers);
  }
  const CellRate rate = rate_of(cell);
  const bool chosen = sweep.choice && sweep.choice->cell == index;
  const bool capped = cell.workers > sweep.limits.max_workers;
  return fmt::format(
      "  {:>5} {:>8} {:>12.1f} {:>20} {:>7}{}{}{}{}\n",
      cell.batch,
      cell.workers,
      rate.rate,
      cell.rates.size() < 2 ? "-" : fmt::format("[{:.1f}, {:.1f}]", rate.ci95.low, rate.ci95.high),
      cell.rates.size(),
      cell.wait ? fmt::format("   waits {}", percent(*cell.wait)) : "",
      index == sweep.control ? "   control" : "",
      capped ? "   more threads than cores" : "",
      chosen ? "   <- recommended" : "");
}

void write_choice(Out out, const SweepReport& sweep) {
  if (!sweep.choice) {
    fmt::format_to(out, "\nRECOMMENDED CONFIGURATION\n  none: too little was measured\n");
    return;
  }
  const SweepChoice& choice = *sweep.choice;
  const int workers = sweep.cells[choice.cell].workers;
  const Recommendation one{.key = "data.num_workers",
                           .value = fmt::to_string(workers),
                           .flag = fmt::format("--num-workers {}", workers),
                           .why = choice.why};
  fmt::format_to(out, "{}", render_recommended(std::span(&one, 1), ""));
  if (choice.larger_batch) {
    fmt::format_to(out,
                   "  --batch-size {} would deliver {:.2f}x with {} {}, but changes what is "
                   "learnt:\n  the learning rate has to follow, and so it is not recommended "
                   "here\n",
                   choice.larger_batch->batch,
                   choice.larger_batch->speedup,
                   choice.larger_batch->workers,
                   choice.larger_batch->workers == 1 ? "worker" : "workers");
  }
}

// A trainer that waits has something to change, even where no rule knows what.
std::string_view nothing_for_trainer(const DataProfile& profile) {
  if (!profile.diagnosis) {
    return "none: there is no verdict";
  }
  const bool starved = profile.wait_share.value_or(0) >= kWorthMentioning;
  return starved && profile.diagnosis->verdict == VerdictKind::balanced
             ? "none: a trainer waits, and no rule names the cause"
             : nothing_recommended(*profile.diagnosis);
}

}  // namespace

std::string render_text(const DataProfile& profile, const Words& words) {
  std::string text;
  const Out out = std::back_inserter(text);
  write_verdict(out, profile);
  const std::string head =
      translated_lines(text, words) + (profile.diagnosis && profile.measured.step
                                           ? render_findings(*profile.diagnosis, words)
                                           : std::string());
  text.clear();
  write_times(out, profile);
  write_rhythm(out, profile);
  write_pipeline(out, profile);
  text += render_recommended(
      profile.recommended,
      profile.measured.step
          ? nothing_for_trainer(profile)
          : "none: --step-ms tells how long a step takes, --benchmark compares settings");
  text = head + translated_lines(text, words);
  if (profile.diagnosis) {
    text += '\n';
    text += render_checks(*profile.diagnosis, words);
  }
  return text;
}

std::string render_text(const SweepReport& sweep, const Words& words) {
  std::string text;
  const Out out = std::back_inserter(text);
  fmt::format_to(
      out,
      "SWEEP  {} settings in {:.1f} s, {}{}\n",
      sweep.cells.size(),
      sweep.seconds,
      sweep.step ? fmt::format("steps of {}", milliseconds(*sweep.step)) : "as fast as it goes",
      sweep.complete ? "" : " (ended before every cell was known to 2 %)");
  fmt::format_to(out,
                 "  {:>5} {:>8} {:>12} {:>20} {:>7}\n",
                 "batch",
                 "workers",
                 "speech s/s",
                 "95 %",
                 "visits");
  for (std::size_t i = 0; i < sweep.cells.size(); ++i) {
    fmt::format_to(out, "{}", sweep_row(sweep, i));
  }
  if (!sweep.cells.empty()) {
    if (const std::optional<double> drift = control_drift(sweep.cells[sweep.control])) {
      fmt::format_to(
          out, "  the machine changed by {:+.1f} % meanwhile (control cell)\n", 100 * *drift);
    }
  }
  write_choice(out, sweep);
  return translated_lines(text, words);
}

}  // namespace qanat
