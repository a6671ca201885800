// Where a run happens: decided once, from flags and hardware, before any work. Everything else
// reads it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/device_id.h"
#include "base/message.h"
#include "base/quantity.h"
#include "config/run_config.h"

namespace qanat {

// What there is to run on.
struct Hardware {
  int cuda_gpus = 0;
  Message no_cuda{};         // why there are none, when a program that can use them looked for them
  bool cuda_broken = false;  // there are, or should be, but CUDA does not start
  int virtual_gpus = 0;      // asked for with --virtual-gpus; used only when there are no real ones
};

enum class RunMode { single_buffered, multi_gpu };
std::string_view to_string(RunMode mode);

// How deep the ring is when nobody says: filling, ready and training; three more where features
// are made behind the loader's buffer, so that the ring alone evens out batches that take longer
// to prepare than others.
int default_slots(RunMode mode);

struct DevicePlan {
  RunMode mode = RunMode::single_buffered;
  DeviceId model;
  std::optional<DeviceId> data;       // Multi-GPU only
  std::optional<Bytes> model_budget;  // absent: not limited
  std::optional<Bytes> data_budget;
  std::vector<Message> notes;  // what was asked for, refused, and why

  bool operator==(const DevicePlan&) const = default;
};

// Which of the processes of this machine that train together. Each has its own model device.
struct LocalProcess {
  int index = 0;
  int count = 1;
};

// Throws Error, with the remedy, when the GPUs that were asked for cannot be had and
// pipeline.allow_fallback does not permit to continue without. Lists of GPUs name one for each
// process; without them, process i trains on GPU i.
DevicePlan plan_devices(const RunConfig& config,
                        const Hardware& hardware,
                        LocalProcess process = {});

enum class Symbols { emoji, plain };

// A line with a sign before it, where there may be one.
Message marked(Symbols symbols, const char* emoji, const Message& line);

// What a run says of its plan when it starts, a line each.
std::vector<Message> describe_plan(const DevicePlan& plan, const DataConfig& data, Symbols symbols);

}  // namespace qanat
