#include "diagnose/rank_measures.h"

#include <algorithm>
#include <span>

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

// The largest share of the time that something of the machine, and not of the program, took.
std::optional<double> stalled_share(const RunSummary& summary) {
  if (!summary.host) {
    return std::nullopt;
  }
  std::optional<double> most;
  const auto add = [&most](const Reading<double>& share, double divisor) {
    if (share) {
      most = std::max(most.value_or(0), std::clamp(*share / divisor, 0.0, 1.0));
    }
  };
  const HostSummary& host = *summary.host;
  const double cores = host.setup.online_cores ? std::max(1.0, *host.setup.online_cores) : 1;
  add(host.share(&HostCounters::throttled), 1);
  add(host.share(&HostCounters::cpu_some), 1);
  add(host.share(&HostCounters::memory_full), 1);
  add(host.share(&HostCounters::io_full), 1);
  add(host.share(&HostCounters::machine_stolen), cores);
  return most;
}

RankMeasures measure_rank(const RunSummary& summary, int rank, const RankSteps& steps) {
  RankMeasures m{
      .rank = rank, .host = summary.run.host.value_or(""), .stalled = stalled_share(summary)};
  for (const StepRecord* step : steps) {
    m.breakdown += step->phases;
    m.padded += static_cast<double>(step->all_padded());
  }
  const auto count = static_cast<double>(std::max<std::size_t>(steps.size(), 1));
  visit_phases(m.breakdown, [count](std::string_view, Seconds& part) { part /= count; });
  m.padded /= count;
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

std::optional<OutsideLoad> outside_of(const RunSummary& rank) {
  if (!rank.host || !rank.host->neighbours()) {
    return std::nullopt;
  }
  const Neighbours neighbours = *rank.host->neighbours();
  return OutsideLoad{.host = rank.run.host.value_or("?"),
                     .share = neighbours.busy_share() + neighbours.stolen_share()};
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
