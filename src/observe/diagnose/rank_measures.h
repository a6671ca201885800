// What the ranks of a run did in the steps that all of them have: who made the others wait, how
// equal their work was, and what exchanging gradients took.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "diagnose/run_summary.h"
#include "metrics/step_record.h"
#include "monitor/neighbours.h"

namespace qanat {

inline constexpr double kLargeExposedShare = 0.05;  // of a step

struct RankMeasures {
  int rank = 0;
  std::string host{};      // empty: not known
  StepPhases breakdown{};  // mean of the steps
  double padded = 0;       // frames of a mean step, padding included
  // Shares of the time that its machine held it up: by a quota, for lack of cores, memory or
  // storage, for a hypervisor. 0: not known.
  std::array<double, 5> stalls{};
  std::optional<double> stalled{};  // the largest; absent: none is known
  std::optional<double> outside{};  // share of the cores there that programs other than ranks took
  // s of a mean step that its threads were ready and had no core; 0: not known.
  double data_queued = 0;
  double compute_queued = 0;

  // s of a mean step. Saving and logging are rank 0's alone, and not its own work.
  double data() const { return (breakdown.wait + breakdown.transfer).count(); }
  double compute() const { return (breakdown.launch + breakdown.busy()).count(); }
};

// One exchange, as the rank that came last saw it: the others also waited for that rank.
struct ExchangeTimes {
  double backward = 0;  // s that it may hide behind
  double exposed = 0;   // s that the device was idle
  double wire = 0;      // s that gradients were on their way; 0: not known
};

// What programs other than the ranks took of the machine that had most of them.
struct OutsideLoad {
  std::string host;
  double share = 0;  // of its cores, with what a hypervisor gave away

  // Ranks wait for each other, so what holds one up shows as exchange in all of them.
  bool is_busy() const { return share >= Neighbours::kBusy; }
};

struct RankComparison {
  int world = 1;
  std::vector<RankMeasures> ranks{};  // by number; rank 0 alone when a journal is missing
  std::size_t steps = 0;              // that all of them have
  // By rank and step, s: until it had nothing left to do but exchange.
  std::vector<std::vector<double>> own{};
  std::vector<ExchangeTimes> exchanges{};  // by step
  double bytes = 0;                        // that a rank adds in a mean step; 0: not known
  double balance = 1;  // work of the mean rank, of that of the one with the most in each step

  std::optional<OutsideLoad> outside{};  // absent: not known

  bool is_complete() const { return ranks.size() == static_cast<std::size_t>(world); }
  ExchangeTimes mean_exchange() const;
};

// Compares the steps of `steady` that every rank has. Nothing when the run has one rank.
std::optional<RankComparison> compare_ranks(const RunSummary& summary,
                                            const std::vector<StepRecord>& steady);

}  // namespace qanat
