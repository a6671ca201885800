// What is known of a run before it starts: configuration and data set, as far as rules judge them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/message.h"

namespace qanat {

struct DataSetFacts {
  std::string folder;
  std::int64_t rows = 0;
  std::int64_t dropped = 0;
  std::int64_t usable = 0;  // utterances
  int batch_size = 0;       // that is asked for
};

struct SetupFacts {
  MessageArg::List inert_keys{};        // that were given and do nothing here, with the reason
  std::optional<int> workers;           // that were asked for
  int cores = 1;                        // that the run may use
  std::optional<double> memory_wanted;  // bytes; absent: no budget was given
  std::optional<double> memory_free;    // bytes
  std::string device_problem;           // of the devices that were asked for; empty: none
  int virtual_gpus = 0;
  std::optional<DataSetFacts> data_set;  // absent: there is none, or it cannot be read
};

}  // namespace qanat
