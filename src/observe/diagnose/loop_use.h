// What a loop that is not ours does outside the parts of its steps, and inside next(): from samples
// of its thread, and from what each of its workers did.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "diagnose/rules.h"

namespace qanat {

// Places of the journal: parts of the parts of a step.
inline constexpr std::string_view kAfterUpdate = "residual:after_update";
inline constexpr std::string_view kBetweenBatches = "residual:between_batches";
inline constexpr std::string_view kBeforeUpdate = "optimizer:before_update";
inline constexpr std::string_view kNoLoader = "forward:no_loader";
inline constexpr std::string_view kWithoutCore = "wait:without_core";

// The share of the step time, over the whole run; 0 where the journal says nothing.
double share_of_place(const RuleInput& input, std::string_view place);

// The function that was seen most often in a part, and its line.
struct LoopFunction {
  std::string function{};
  std::string line{};
  std::int64_t samples = 0;  // in this part
  double share = 0;          // of all samples
};
std::optional<LoopFunction> function_in(const LoopSample& loop, std::string_view part);

// The share of the waiting for batches in which the loop's thread could have gone on, and had no
// core; 0 where the journal says nothing.
double wait_without_core(const RunSummary& summary);

// A DataLoader has workers, and most samples inside next() find the loop's own process at work, not
// in want of a core there.
bool works_while_it_waits(const RunSummary& summary);

// Workers of a DataLoader, which hands their batches over in turn.
struct UnequalWorkers {
  int worker = 0;         // the slow one, or the one that has all the work
  double times = 0;       // as long for a row as the others; 0: it has all the work
  double slow_batch = 0;  // s
  double fast_batch = 0;  // s, of the others
  int workers = 0;
};
std::optional<UnequalWorkers> unequal_workers(const RunSummary& summary);

// Seconds of a step when batches come in turn, or from whoever has one.
double step_in_turn(const UnequalWorkers& workers, double own);
double step_out_of_turn(const UnequalWorkers& workers, double own);

}  // namespace qanat
