// Why the device waits for data: one cause, decided in one place, so that one rule and not five
// claims the time.
//
// Workers that are busy all the time give all they have: what keeps them busy is the cause. Workers
// that are held back by a full window could give more, and the device waits all the same: then it
// is how uneven their work is.
#pragma once

#include <optional>
#include <string_view>

#include "diagnose/loader_use.h"
#include "diagnose/rules.h"

namespace qanat {

enum class WaitCause {
  none,            // the device does not wait
  unknown,         // the journal does not say enough
  quota,           // a container's processor quota stops the workers
  memory,          // pages come from storage again and again
  lock,            // workers wait for each other
  neighbours,      // other programs take the processors
  oversubscribed,  // this one has more threads than processors
  storage,         // workers wait for files
  stragglers,      // a few files take many times as long as the others
  few_workers,     // workers compute all the time, and processors are idle
  computing,       // workers compute all the time on all the processors there are
  own_process,     // the loop's own process works while it asks for a batch
  unequal,         // batches come in turn, and one worker is slower than the others
  epoch_start,     // it waits at the start of epochs
  shallow_buffer,  // work is uneven, and the buffer does not even it out
  unexplained,     // none of these accounts for half of the waiting
};

// Nothing for none and unknown.
Message to_message(WaitCause cause);
// The rule that names the cause; empty for none and unknown.
std::string_view rule_of(WaitCause cause);

WaitCause find_wait_cause(const RuleInput& input);

// Cores the run may use.
std::optional<int> allowed_cores_of(const RunSummary& summary);

}  // namespace qanat
