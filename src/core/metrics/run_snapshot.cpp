#include "metrics/run_snapshot.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace qanat {
namespace {

// A file that continues a full one is still the same session; where that one is gone, its recap has
// the header of the session.
void begin_session(RunSnapshot& now, const SessionStart& header) {
  if (header.continues && (header.recap || now.sessions > 0)) {
    return;
  }
  now = RunSnapshot{.sessions = now.sessions + 1};
  now.started = header.started.value_or("");
  now.command = header.command.value_or("");
  now.name = header.name.value_or("");
  now.model_device = header.device.value_or("");
}

void add_step(RunSnapshot& now, const StepRecord& step) {
  const Seconds total = step.phases.total();
  ++now.steps;
  now.skipped_steps += step.skipped ? 1 : 0;
  now.frames += step.frames;
  now.newest = step;
  now.step_seconds.add(total);
  now.seconds += step.phases;
  now.recent.push_back(
      {.step = step.step, .at = now.at, .loss = step.losses.total, .phases = step.phases});
  if (now.recent.size() > RunSnapshot::kRecentSteps) {
    now.recent.pop_front();
  }
}

// Each of them took the mean of all.
void add_past(RunSnapshot& now, const PastSteps& past) {
  now.steps += past.count;
  now.skipped_steps += past.skipped;
  now.frames += past.frames;
  now.seconds += past.phases;
  now.step_seconds.add(past.phases.total() / static_cast<double>(past.count), past.count);
}

}  // namespace

void DurationHistogram::add(Seconds duration, std::int64_t times) {
  std::size_t bin = 0;
  while (bin < kEdges && duration.count() > edge(bin)) {
    ++bin;
  }
  counts[bin] += times;
  sum += duration * static_cast<double>(times);
}

std::int64_t DurationHistogram::count() const {
  return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
}

std::optional<double> RunSnapshot::steps_per_second() const {
  Seconds total{0};
  for (const RecentStep& step : recent) {
    total += step.phases.total();
  }
  if (recent.size() < 2 || total.count() <= 0) {
    return std::nullopt;
  }
  return static_cast<double>(recent.size()) / total.count();
}

std::optional<double> RunSnapshot::wait_share() const {
  Seconds total{0};
  Seconds waited{0};
  for (const RecentStep& step : recent) {
    total += step.phases.total();
    waited += step.phases.wait + step.phases.transfer;
  }
  if (recent.size() < 2 || total.count() <= 0) {
    return std::nullopt;
  }
  return waited / total;
}

void RunSnapshot::add(const JournalEntry& entry) {
  if (const auto* header = std::get_if<SessionStart>(&entry.event)) {
    begin_session(*this, *header);
  }
  at = std::max(at, entry.at.value_or(Seconds{0}));
  std::visit(OnEvent{[this](const StepRecord& step) { add_step(*this, step); },
                     [this](const PastSteps& past) { add_past(*this, past); },
                     [this](const SlotRecord&) {
                       if (ring) {
                         ++ring->batches;
                       }
                     },
                     [this](const PipelineStats& stats) { pipeline = stats; },
                     [this](const RingStart& start) {
                       ring = {.slots = start.slots,
                               .most_slots = start.most_slots,
                               .slot_bytes = start.slot_bytes};
                     },
                     [this](const AutotuneChange& change) {
                       if (ring) {
                         ring->slots = change.slots.value_or(ring->slots);
                       }
                     },
                     [this](const BadUtterance&) { ++bad_utterances; },
                     [this](const OutOfMemoryRetry&) { ++out_of_memory; },
                     [this](const HostSample& sample) { host = sample; },
                     [&](const GpuSamples& samples) { gpus.add(samples, entry.at.value_or(at)); },
                     [this](const RunStart& run) {
                       mode = run.mode.value_or("");
                       last_step = run.last_step;
                     },
                     [this](const RunEnd& end) { ending = end.ending; },
                     [](const auto&) {}},
             entry.event);
}

void LiveSnapshot::record(const JournalEvent& event) {
  const std::lock_guard lock(mutex_);
  if (std::holds_alternative<SessionStart>(event)) {
    start_ = Clock::now();
  }
  snapshot_.add({.at = seconds_since(start_), .event = event});
}

RunSnapshot LiveSnapshot::read() const {
  const std::lock_guard lock(mutex_);
  return snapshot_;
}

}  // namespace qanat
