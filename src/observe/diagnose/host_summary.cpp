#include "diagnose/host_summary.h"

#include <algorithm>
#include <cmath>

namespace qanat {
namespace {

constexpr double kBusy = 0.05;  // share of time with a kernel
constexpr std::size_t kMaxXids = 100;
// s: ticks of the kernel's clocks, and a sample that is itself late, are a small part of it.
constexpr double kShortest = 0.25;
// How much of the time between two samples, or of all, may be start or end of the process.
constexpr double kMaxOutside = 0.25;

// Reasons are written with the first sample only.
void keep_reasons(const HostCounters& first, HostCounters& later) {
  std::vector<const Reading<double>*> before;
  visit_counters(first, [&](const char*, const Reading<double>& r) { before.push_back(&r); });
  std::size_t at = 0;
  visit_counters(later, [&](const char*, Reading<double>& reading) {
    const Reading<double>& old = *before[at++];
    if (!reading && !old) {
      reading = old;
    }
  });
}

bool is_busy(const GpuSample& sample) {
  if (sample.kernels_resident) {
    return *sample.kernels_resident >= kBusy;
  }
  const auto bits = static_cast<std::uint64_t>(sample.limits.value().value_or(1));
  return (bits & static_cast<std::uint64_t>(ClockLimit::idle)) == 0;
}

void add_busy(const GpuSample& sample, GpuHistory& history) {
  ++history.busy;
  history.link_gen = std::max(history.link_gen, sample.link_gen.value().value_or(0));
  history.link_width = std::max(history.link_width, sample.link_width.value().value_or(0));
  const double bits_read = sample.limits.value().value_or(0);
  const auto bits = bits_read >= 0 && bits_read < 1e18 ? static_cast<std::uint64_t>(bits_read) : 0;
  bool limited = false;
  for (const ClockLimit limit : all_clock_limits()) {
    if (limit != ClockLimit::idle && (bits & static_cast<std::uint64_t>(limit)) != 0) {
      ++history.limited[limit];
      limited = true;
    }
  }
  if (sample.clock) {
    (limited ? history.clock_limited : history.clock_free) += *sample.clock;
    ++(limited ? history.num_limited : history.num_free);
  }
}

void add_sample(const GpuSample& sample, bool has_steps, GpuHistory& history) {
  if (history.samples++ == 0) {
    history.first = sample;
  }
  history.last = sample;
  history.lost = history.lost || sample.lost.value().value_or(0) != 0;
  history.memory_most = std::max(history.memory_most, sample.memory_used.value().value_or(0));
  if (sample.xid && history.xids.size() < kMaxXids) {
    history.xids.push_back(*sample.xid);
  }
  if (is_busy(sample)) {
    add_busy(sample, history);
  }
  if (has_steps && sample.kernels_resident) {
    history.resident += *sample.kernels_resident;
    ++history.num_resident;
  }
}

}  // namespace

std::string HostSummary::too_short() const {
  if (samples < 2) {
    return "the host was sampled only once";
  }
  const bool is_mostly_training = starting + ending <= kMaxOutside * seconds();
  return seconds() < kShortest || !is_mostly_training ? "the host was sampled for too short a time"
                                                      : "";
}

Reading<double> HostSummary::growth(Reading<double> HostCounters::*counter) const {
  if (samples < 2) {
    return Reading<double>::none(too_short());
  }
  const Reading<double>& before = first.*counter;
  const Reading<double>& after = last.*counter;
  if (!before || !after) {
    return before ? after : before;
  }
  // Threads and groups that are gone take what they counted with them.
  return std::max(0.0, *after - *before);
}

Reading<double> HostSummary::share(Reading<double> HostCounters::*counter) const {
  const Reading<double> grown = growth(counter);
  if (!grown || !too_short().empty()) {
    return grown ? Reading<double>::none(too_short()) : grown;
  }
  return *grown / seconds();
}

Reading<double> HostSummary::cost_share() const {
  const std::string why = too_short();
  return why.empty() ? Reading<double>(std::max(0.0, cost - cost_first) / seconds())
                     : Reading<double>::none(why);
}

Reading<Neighbours> HostSummary::neighbours() const {
  if (const std::string why = too_short(); !why.empty()) {
    return Reading<Neighbours>::none(why);
  }
  if (!other_ranks) {
    return Reading<Neighbours>::none(other_ranks.why_not());
  }
  Reading<Neighbours> found =
      measure_neighbours(first, last, Seconds(seconds()), setup.online_cores);
  if (!found) {
    return found;
  }
  Neighbours neighbours = *found;
  neighbours.others = std::max(0.0, neighbours.others - *other_ranks);
  return neighbours;
}

Reading<std::vector<ThreadClock>> HostSummary::threads() const {
  if (!first.threads || !last.threads) {
    return first.threads ? last.threads : first.threads;
  }
  if (const std::string why = too_short(); !why.empty()) {
    return Reading<std::vector<ThreadClock>>::none(why);
  }
  std::vector<ThreadClock> grown;
  for (const ThreadClock& after : *last.threads) {
    ThreadClock clock = after;
    const auto before = std::ranges::find(*first.threads, after.name, &ThreadClock::name);
    if (before != (*first.threads).end()) {
      clock.running = std::max(0.0, after.running - before->running);
      clock.waiting = std::max(0.0, after.waiting - before->waiting);
    }
    grown.push_back(clock);
  }
  return grown;
}

namespace {

// Whether a sample that comes after steps is about training: after the last step nothing trains,
// and whether there will be another one is not known yet. Two samples are needed in any case.
bool is_of_training(const HostSummary& summary, double at, const TrainingTime& training) {
  const double since_step = training.ended ? std::max(0.0, at - *training.ended) : 0;
  return summary.samples < 2 || since_step <= kMaxOutside * (at - summary.last_at);
}

// A sample from before the first step may be from long before it: the first one after it takes its
// place once there is another one.
void leave_start_out(HostSummary& summary,
                     const TrainingTime& training,
                     const HostSummary::Sample& now) {
  if (summary.samples == 1) {
    summary.starting = training.began ? std::max(0.0, *training.began - summary.first_at) : 0;
    summary.after_start = now;
    return;
  }
  if (summary.after_start &&
      summary.starting > kMaxOutside * (summary.after_start->at - summary.first_at)) {
    summary.first = std::move(summary.after_start->counters);
    summary.first_at = summary.after_start->at;
    summary.cost_first = summary.after_start->cost;
    summary.starting = 0;
    --summary.samples;
  }
  summary.after_start.reset();
}

}  // namespace

bool add_sample(const HostSample& sample,
                std::optional<Seconds> at,
                const TrainingTime& training,
                std::optional<HostSummary>& summary) {
  if (!sample.counters || !at) {
    return false;
  }
  Result<HostCounters> read = to_host_counters(*sample.counters);
  if (!read) {
    return false;
  }
  const double cost = sample.cost.value_or(summary ? summary->cost : 0);
  const auto begin = [&] {
    summary->first = read.value();
    summary->first_at = at->count();
    summary->cost_first = cost;
    summary->samples = 0;
    summary->after_start.reset();
  };
  if (!summary) {
    summary.emplace();
    begin();
  }
  if (sample.setup) {
    if (const Result<HostSetup> known = to_host_setup(*sample.setup)) {
      summary->setup = known.value();
    }
  }
  keep_reasons(summary->first, read.value());
  if (!training.has_steps) {
    begin();
  } else if (summary->samples > 0) {
    if (!is_of_training(*summary, at->count(), training)) {
      return true;
    }
    leave_start_out(
        *summary, training, {.counters = read.value(), .at = at->count(), .cost = cost});
    summary->ending = training.ended ? std::max(0.0, at->count() - *training.ended) : 0;
  }
  summary->last = std::move(read).value();
  summary->last_at = at->count();
  summary->cost = cost;
  ++summary->samples;
  return true;
}

bool add_samples(const GpuSamples& seen, bool has_steps, std::optional<GpuSummary>& summary) {
  if (seen.setup) {
    const Result<GpuSetup> known = to_gpu_setup(*seen.setup);
    if (!known) {
      return false;
    }
    summary = GpuSummary{.setup = known.value(),
                         .gpus = std::vector<GpuHistory>(known.value().gpus.size())};
    return true;
  }
  if (seen.unknown) {
    summary = GpuSummary{.setup = Reading<GpuSetup>::none(*seen.unknown)};
    return true;
  }
  if (seen.silent) {
    if (summary) {
      summary->silent = *seen.silent;
    }
    return true;
  }
  const Result<std::vector<GpuSample>> samples =
      to_gpu_samples(seen.samples.value_or(nlohmann::json()));
  if (!samples || (summary && samples.value().size() != summary->gpus.size())) {
    return false;
  }
  if (!summary) {
    return true;  // of which cards was in a file that is gone
  }
  for (std::size_t i = 0; i < summary->gpus.size(); ++i) {
    add_sample(samples.value()[i], has_steps, summary->gpus[i]);
  }
  return true;
}

}  // namespace qanat
