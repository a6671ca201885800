#include "diagnose/run_summary.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "locale/message_error.h"
#include "locale/messages/training.h"
#include "metrics/journal.h"

namespace qanat {
namespace {

constexpr std::size_t kMaxCudaDevices = 64;

std::vector<Cadence> to_cadences(const RunStart& run) {
  std::vector<Cadence> cadences;
  for (const auto& [name, period] : run.cadences) {
    if (period > 1) {
      cadences.push_back({.name = name, .period = static_cast<std::size_t>(period)});
    }
  }
  return cadences;
}

// What the other ranks on the machine of this one kept busy of its cores.
Reading<double> cores_of_others(const RunSummary& rank, std::span<RunSummary* const> all) {
  double cores = 0;
  for (const RunSummary* const other : all) {
    if (other == &rank || other->run.host != rank.run.host) {
      continue;
    }
    Reading<double> own = other->host ? other->host->share(&HostCounters::process_cpu)
                                      : Reading<double>::none("another rank has no samples");
    if (!own) {
      return own;
    }
    cores += *own;
  }
  return cores;
}

// A file that goes on where another one ended adds to what was measured; a resumed run does not:
// that happened under other conditions. Where the file before is gone, and was not repeated by
// programs that did not do that yet, the session begins in the middle.
void begin_session(RunSummary& summary, const SessionStart& header) {
  if (header.continues && (header.recap || summary.sessions > 0)) {
    return;
  }
  summary = RunSummary{.damaged_lines = summary.damaged_lines, .sessions = summary.sessions + 1};
  summary.name = header.name;
  if (header.config && header.config->is_object()) {
    summary.config = *header.config;
  }
  if (header.trainer == "torch") {
    summary.trained_by = TrainedBy::torch;
  }
}

// What training and validation have in common, so that both can be followed: the total of a vocoder
// also rises with its discriminators.
double fitted(const StepLosses& losses) {
  return std::isfinite(losses.mel) && losses.mel > 0 ? losses.mel : losses.total;
}

void add_past_losses(EnvelopeSeries& series, const PastSteps& past) {
  if (past.loss.count <= 0 || !past.is_sane()) {
    return;
  }
  const double sum = fitted(past.losses);
  const double mean = sum / static_cast<double>(past.loss.count);
  if (std::isfinite(sum)) {
    series.add({.first = static_cast<double>(past.first),
                .last = static_cast<double>(past.last),
                .count = past.loss.count,
                .content = {.low = mean, .high = mean, .sum = sum}});
  }
}

// Keeps every other one when there are more than a long run may have.
template <typename Reading>
void thin_out(std::vector<Reading>& readings) {
  if (readings.size() <= RunSummary::kMaxReadings) {
    return;
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < readings.size(); i += 2) {
    readings[kept++] = std::move(readings[i]);
  }
  readings.resize(kept);
}

// What the sample said last, with the steps before it.
void add_to_course(HostSummary& host, std::int64_t steps) {
  if (steps == 0) {
    host.course.clear();
  }
  host.course.push_back({.steps = steps, .threads = host.last.threads});
  thin_out(host.course);
}

}  // namespace

double ready_time(const SlotRecord& slot) {
  return slot.copy && slot.train ? std::max(0.0, slot.train->begin - slot.copy->end) : 0;
}

void RunSummary::add(const StepRecord& step) {
  const double loss = fitted(step.losses);
  if (!step.skipped && std::isfinite(loss)) {
    training_loss.add(static_cast<double>(step.step), Envelope::of(loss));
  }
  steps.push_back(step);
  if (steps.size() > kMaxSteps) {
    steps.pop_front();
    ++steps_before;
  }
}

void RunSummary::keep_latest(std::size_t most) {
  while (steps.size() > most) {
    steps.pop_front();
    ++steps_before;
  }
  while (slots.size() > most) {
    slots.pop_front();
  }
}

void RunSummary::add(PipelineStats reading) {
  if (pipeline) {
    readings.push_back(*std::move(pipeline));
  }
  pipeline = std::move(reading);
  thin_out(readings);
}

void RunSummary::add(const JournalEntry& entry) {
  std::visit(OnEvent{[this](const SessionStart& header) { begin_session(*this, header); },
                     [this](const RunStart& start) {
                       run = start;
                       cadences = to_cadences(start);
                     },
                     [this](const LoaderStart& start) { padding_by_edges = start.padding; },
                     [&](const StepRecord& step) {
                       add(step);
                       if (entry.at) {
                         const double ended = entry.at->count();
                         const double took = step.phases.total().count();
                         training.began = training.began.value_or(ended - took);
                         training.ended = ended;
                       }
                     },
                     [this](const PastSteps& past) {
                       steps_before += past.count;
                       add_past_losses(training_loss, past);
                     },
                     [this](const ValidationDone& done) {
                       validations.push_back(done);
                       if (validations.size() > kMaxValidations) {
                         validations.pop_front();
                       }
                     },
                     [this](const PipelineStats& reading) { add(reading); },
                     [this](const SlotRecord& slot) {
                       slots.push_back(slot);
                       if (slots.size() > kMaxSteps) {
                         slots.pop_front();
                       }
                     },
                     [&](const HostSample& sample) {
                       training.has_steps = num_steps() > 0;
                       const bool added = add_sample(sample, entry.at, training, host);
                       damaged_lines += added ? 0 : 1;
                       if (added) {
                         add_to_course(*host, num_steps());
                       }
                     },
                     [this](const GpuSamples& samples) {
                       damaged_lines += add_samples(samples, num_steps() > 0, gpus) ? 0 : 1;
                     },
                     [this](const CudaDeviceUsed& device) {
                       if (cuda_devices.size() < kMaxCudaDevices) {
                         cuda_devices.push_back(device);
                       }
                     },
                     [this](const LoopSample& sample) { loop = sample; },
                     [this](const OutOfMemoryRetry&) { ++out_of_memory; },
                     [this](const TelemetryCost& cost) { journal_seconds = cost.journal_seconds; },
                     [this](const RunEnd& end) { ending = end.ending; },
                     [](const auto&) {}},
             entry.event);
}

Failure no_step_in(const std::filesystem::path& journal) {
  return to_failure(msg::journal_no_step{.path = journal.string()});
}

Result<RunSummary> read_run_summary(const std::filesystem::path& journal,
                                    const VisitOptions& options) {
  RunSummary summary;
  const Result<int> damaged = visit_journal(
      journal, [&summary](const JournalEntry& entry) { summary.add(entry); }, options);
  if (!damaged) {
    return damaged.failure();
  }
  summary.damaged_lines += damaged.value();
  if (summary.steps.empty()) {
    return no_step_in(journal);
  }
  return summary;
}

int num_other_ranks(const RunStart& run) {
  constexpr int kMaxRanks = 4096;  // no journal decides how much memory its reader takes
  const bool is_first = run.rank.value_or(0) == 0;
  return is_first ? std::clamp(run.world.value_or(1), 1, kMaxRanks) - 1 : 0;
}

std::vector<RunSummary> read_other_ranks(const std::filesystem::path& journal,
                                         const RunStart& run,
                                         const std::stop_token& stop) {
  const VisitOptions options{.ends = JournalFollower::Ends{}, .stop = stop};
  std::vector<RunSummary> others;
  for (int rank = 1; rank <= num_other_ranks(run); ++rank) {
    Result<RunSummary> other = read_run_summary(journal_of_rank(journal, rank), options);
    if (!other || stop.stop_requested()) {
      return {};
    }
    others.push_back(std::move(other.value()));
    others.back().keep_latest(RunSummary::kMaxStepsOfOthers);
  }
  return others;
}

void set_other_ranks(RunSummary& first, std::vector<RunSummary> others) {
  first.others = std::move(others);
  std::vector<RunSummary*> all{&first};
  for (RunSummary& other : first.others) {
    all.push_back(&other);
  }
  const bool are_all_here = std::cmp_equal(all.size(), std::max(first.run.world.value_or(1), 1));
  for (RunSummary* const rank : all) {
    if (rank->host) {
      rank->host->other_ranks =
          are_all_here ? cores_of_others(*rank, all)
                       : Reading<double>::none("the journals of the other ranks are not here");
    }
  }
}

}  // namespace qanat
