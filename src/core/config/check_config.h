// What is wrong between fields, and which fields do nothing here.
#pragma once

#include <vector>

#include "base/message.h"
#include "config/load_config.h"
#include "config/problem.h"
#include "config/run_config.h"

namespace qanat {

// Values that are fine alone but not together. `key` names the field to change.
std::vector<Problem> problems(const RunConfig& config);

// What this build on this machine has.
struct Capabilities {
  bool trainer = false;
  bool gpu = false;  // real or virtual
  bool cuda = false;
  bool multi_gpu = false;  // one GPU makes features, another trains
};

// One sentence for each key that was given and has no effect; said once at start.
std::vector<Message> inert_notes(const LoadedConfig& config, const Capabilities& capabilities);

}  // namespace qanat
