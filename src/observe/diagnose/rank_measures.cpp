#include "diagnose/rank_measures.h"

#include <algorithm>
#include <span>

#include "diagnose/core_use.h"

namespace qanat {
namespace {

// The steps of one rank, in step with those of the others.
using RankSteps = std::vector<const StepRecord*>;

const StepRecord* find_step(const std::deque<StepRecord>& steps, const StepRecord& wanted) {
  const auto found = std::ranges::lower_bound(steps, wanted.step, {}, &StepRecord::step);
  const bool is_same =
      found != steps.end() && found->step == wanted.step && found->epoch == wanted.epoch;
  return is_same ? &*found : nullptr;
}

// By rank; rank 0 is `steady`.
std::vector<RankSteps> common_steps(std::span<const RunSummary> others,
                                    const std::vector<StepRecord>& steady) {
  std::vector<RankSteps> ranks(others.size() + 1);
  for (const StepRecord& step : steady) {
    RankSteps row{&step};
    for (const RunSummary& other : others) {
      row.push_back(find_step(other.steps, step));
    }
    if (std::ranges::find(row, nullptr) == row.end()) {
      for (std::size_t rank = 0; rank < row.size(); ++rank) {
        ranks[rank].push_back(row[rank]);
      }
    }
  }
  return ranks;
}

// What something of the machine, and not of the program, took.
void measure_stalls(const RunSummary& summary, RankMeasures& m) {
  if (!summary.host) {
    return;
  }
  const HostSummary& host = *summary.host;
  const double cores = host.setup.online_cores ? std::max(1.0, *host.setup.online_cores) : 1;
  const std::array<Reading<double>, 5> shares = {host.share(&HostCounters::throttled),
                                                 host.share(&HostCounters::cpu_some),
                                                 host.share(&HostCounters::memory_full),
                                                 host.share(&HostCounters::io_full),
                                                 host.share(&HostCounters::machine_stolen)};
  for (std::size_t i = 0; i < shares.size(); ++i) {
    if (shares[i]) {
      const double divisor = i + 1 == shares.size() ? cores : 1;  // stolen: summed over cores
      m.stalls[i] = std::clamp(*shares[i] / divisor, 0.0, 1.0);
      m.stalled = std::max(m.stalled.value_or(0), m.stalls[i]);
    }
  }
}

std::optional<OutsideLoad> outside_of(const RunSummary& rank) {
  if (!rank.host || !rank.host->neighbours()) {
    return std::nullopt;
  }
  const Neighbours neighbours = *rank.host->neighbours();
  return OutsideLoad{.host = rank.run.host.value_or("?"),
                     .share = neighbours.busy_share() + neighbours.stolen_share()};
}

void measure_queues(const RunSummary& summary, RankMeasures& m) {
  const Reading<CoreUse> use =
      summary.host ? core_use(*summary.host) : Reading<CoreUse>::none("no samples of the host");
  if (use) {
    const double step = m.breakdown.total().count();
    m.compute_queued = step * (*use).trainer_waited / summary.host->seconds();
    m.data_queued = step * (*use).loader_queued / std::max(1, (*use).loaders);
  }
}

RankMeasures measure_rank(const RunSummary& summary, int rank, const RankSteps& steps) {
  RankMeasures m{.rank = rank, .host = summary.run.host.value_or("")};
  measure_stalls(summary, m);
  if (const std::optional<OutsideLoad> outside = outside_of(summary)) {
    m.outside = outside->share;
  }
  for (const StepRecord* step : steps) {
    m.breakdown += step->phases;
    m.padded += static_cast<double>(step->all_padded());
  }
  const auto count = static_cast<double>(std::max<std::size_t>(steps.size(), 1));
  visit_phases(m.breakdown, [count](std::string_view, Seconds& part) { part /= count; });
  m.padded /= count;
  measure_queues(summary, m);
  return m;
}

double own_time(const StepPhases& phases) {
  return (phases.wait + phases.transfer + phases.launch + phases.busy()).count();
}

// Step `k` as the rank saw it that was exposed least: it came last.
ExchangeTimes exchange_of(const std::vector<RankSteps>& ranks, std::size_t k) {
  ExchangeTimes times{.backward = ranks[0][k]->phases.backward.count(),
                      .exposed = ranks[0][k]->phases.exchange.count()};
  std::optional<double> wire;
  for (const RankSteps& rank : ranks) {
    const StepRecord& step = *rank[k];
    if (step.phases.exchange.count() < times.exposed) {
      times.exposed = step.phases.exchange.count();
      times.backward = step.phases.backward.count();
    }
    if (step.exchange) {
      wire = std::min(wire.value_or(step.exchange->busy.count()), step.exchange->busy.count());
    }
  }
  times.wire = wire.value_or(0);
  return times;
}

std::optional<OutsideLoad> busiest_machine(const RunSummary& first,
                                           std::span<const RunSummary> others) {
  std::vector<const RunSummary*> all{&first};
  for (const RunSummary& other : others) {
    all.push_back(&other);
  }
  std::optional<OutsideLoad> most;
  for (const RunSummary* const rank : all) {
    const std::optional<OutsideLoad> load = outside_of(*rank);
    if (load && (!most || load->share > most->share)) {
      most = load;
    }
  }
  return most;
}

double mean_bytes(const RankSteps& steps) {
  double bytes = 0;
  for (const StepRecord* step : steps) {
    bytes += step->exchange ? static_cast<double>(step->exchange->bytes.value) : 0;
  }
  return bytes / static_cast<double>(std::max<std::size_t>(steps.size(), 1));
}

double work_balance(const std::vector<RankSteps>& ranks) {
  double all = 0;
  double most = 0;
  for (std::size_t k = 0; k < ranks[0].size(); ++k) {
    double most_of_step = 0;
    for (const RankSteps& rank : ranks) {
      const auto padded = static_cast<double>(rank[k]->all_padded());
      all += padded;
      most_of_step = std::max(most_of_step, padded);
    }
    most += most_of_step;
  }
  return most > 0 ? all / (most * static_cast<double>(ranks.size())) : 1;
}

}  // namespace

ExchangeTimes RankComparison::mean_exchange() const {
  ExchangeTimes mean;
  for (const ExchangeTimes& times : exchanges) {
    const auto count = static_cast<double>(exchanges.size());
    mean.backward += times.backward / count;
    mean.exposed += times.exposed / count;
    mean.wire += times.wire / count;
  }
  return mean;
}

std::optional<RankComparison> compare_ranks(const RunSummary& summary,
                                            const std::vector<StepRecord>& steady) {
  const int world = summary.run.world.value_or(1);
  if (num_other_ranks(summary.run) == 0) {
    return std::nullopt;
  }
  std::span<const RunSummary> others = summary.others;
  if (others.size() + 1 != static_cast<std::size_t>(world)) {
    others = {};
  }
  const std::vector<RankSteps> ranks = common_steps(others, steady);
  RankComparison comparison{.world = world,
                            .steps = ranks[0].size(),
                            .bytes = mean_bytes(ranks[0]),
                            .balance = work_balance(ranks)};
  if (comparison.world == static_cast<int>(ranks.size())) {
    comparison.outside = busiest_machine(summary, others);
  }
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    comparison.ranks.push_back(measure_rank(
        rank == 0 ? summary : summary.others[rank - 1], static_cast<int>(rank), ranks[rank]));
    std::vector<double>& own = comparison.own.emplace_back();
    for (const StepRecord* step : ranks[rank]) {
      own.push_back(own_time(step->phases));
    }
  }
  for (std::size_t k = 0; k < comparison.steps; ++k) {
    comparison.exchanges.push_back(exchange_of(ranks, k));
  }
  return comparison;
}

}  // namespace qanat
