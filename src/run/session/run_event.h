// The journal's lines of a run: what diagnosis has to know of a run beside its steps.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/device_plan.h"
#include "metrics/journal_event.h"
#include "session/run_devices.h"

namespace qanat {

struct RunFacts {
  RunMode mode = RunMode::single_buffered;
  std::string device{};  // of the model
  std::int64_t batches_per_epoch = 0;
  std::int64_t last_step = 0;
  int uses_of_batch = 1;  // see TrainerOptions
  int rank = 0;
  int world = 1;
  std::string host{};  // of a run of several processes
  std::optional<ExchangeSetup> exchange{};
};

RunStart run_start(const RunConfig& config, const RunFacts& facts);

// Which GPUs of the machine these are.
std::vector<CudaDeviceUsed> cuda_devices(const RunDevices& devices);

}  // namespace qanat
