#include "app/device_plan.h"

#include <fmt/format.h>

#include "locale/message_error.h"
#include "locale/messages/configuration.h"
#include "locale/messages/devices.h"
#include "locale/messages/training.h"

namespace qanat {
namespace {

// The GPUs that --data-gpu and --model-gpu count: real ones if there are any, else virtual ones.
struct Gpus {
  DeviceKind kind = DeviceKind::virtual_gpu;
  int count = 0;
  Message why_none{};
};

Gpus countable(const Hardware& hardware) {
  if (hardware.virtual_gpus > 0) {
    return {.kind = DeviceKind::virtual_gpu, .count = hardware.virtual_gpus};
  }
  return {.kind = DeviceKind::cuda, .count = hardware.cuda_gpus, .why_none = hardware.no_cuda};
}

// A machine with GPUs is not to train on its processor because nobody looked at the driver.
void check_driver(const RunConfig& config, const Hardware& hardware) {
  if (hardware.cuda_broken && hardware.virtual_gpus == 0 && !config.pipeline.allow_fallback) {
    throw MessageError(msg::plan_broken_driver{.why = hardware.no_cuda});
  }
}

// The GPUs of one process: what the lists name for it.
struct AskedGpus {
  std::optional<int> data;
  std::optional<int> model;
};

void check_length(const char* flag, const std::optional<GpuList>& gpus, LocalProcess process) {
  const auto count = static_cast<std::size_t>(process.count);
  if (gpus && gpus->indices.size() != count) {
    throw MessageError(msg::plan_gpus_per_process{
        .flag = flag, .count = gpus->indices.size(), .processes = process.count});
  }
}

AskedGpus asked_gpus(const DataConfig& data, LocalProcess process) {
  check_length("--data-gpu", data.data_gpu, process);
  check_length("--model-gpu", data.model_gpu, process);
  AskedGpus asked;
  if (data.data_gpu) {
    asked.data = data.data_gpu->of(process.index);
  }
  if (data.model_gpu) {
    asked.model = data.model_gpu->of(process.index);
  }
  return asked;
}

void check_both_given(const AskedGpus& asked, LocalProcess process) {
  const bool is_replica = process.count > 1 && !asked.data;
  if (asked.data.has_value() == asked.model.has_value() || is_replica) {
    return;
  }
  const bool has_data = asked.data.has_value();
  throw MessageError(msg::plan_needs_both{.given = has_data ? "--data-gpu" : "--model-gpu",
                                          .index = has_data ? *asked.data : *asked.model,
                                          .missing = has_data ? "--model-gpu" : "--data-gpu"});
}

// Mistakes that no hardware would fix.
void check_ids(int data, int model) {
  const std::string flags = fmt::format("--data-gpu {} --model-gpu {}", data, model);
  if (data < 0 || model < 0) {
    throw MessageError(msg::plan_negative{.flags = flags});
  }
  if (data == model) {
    throw MessageError(msg::plan_same{.flags = flags});
  }
}

// Why the GPUs asked for cannot be had, or nothing.
std::optional<Message> shortage(int data, int model, const Gpus& gpus) {
  if (gpus.count < 2) {
    const Message what = msg::plan_too_few{.data = data, .model = model, .found = gpus.count};
    return gpus.why_none ? Message(msg::plan_too_few_because{.what = what, .why = gpus.why_none})
                         : what;
  }
  for (const auto& [name, id] : {std::pair("data_gpu", data), std::pair("model_gpu", model)}) {
    if (id >= gpus.count) {
      return msg::plan_no_such{
          .data = data, .model = model, .name = name, .index = id, .last = gpus.count - 1};
    }
  }
  return std::nullopt;
}

DevicePlan single_plan(const RunConfig& config,
                       const Hardware& hardware,
                       LocalProcess process,
                       std::optional<int> asked) {
  const Gpus gpus = countable(hardware);
  DevicePlan plan;
  const int index = asked.value_or(process.index);
  if (gpus.count > 0 && index >= gpus.count) {
    throw MessageError(msg::plan_no_gpu_for_process{
        .process = process.index, .index = index, .count = gpus.count});
  }
  plan.model = gpus.count > 0 ? DeviceId{.kind = gpus.kind, .index = index} : DeviceId{};
  if (gpus.count == 0 && gpus.why_none) {
    plan.notes.push_back(msg::plan_on_cpu{.reason = gpus.why_none});
  }
  if (config.pipeline.enable_memory_isolation && plan.model.kind != DeviceKind::cpu) {
    plan.model_budget = config.pipeline.model_gpu_memory.bytes();
  }
  return plan;
}

DevicePlan multi_plan(const RunConfig& config, const Gpus& gpus, int data, int model) {
  DevicePlan plan{.mode = RunMode::multi_gpu,
                  .model = {.kind = gpus.kind, .index = model},
                  .data = DeviceId{.kind = gpus.kind, .index = data}};
  if (config.pipeline.enable_memory_isolation) {
    plan.model_budget = config.pipeline.model_gpu_memory.bytes();
    plan.data_budget = config.pipeline.data_gpu_memory.bytes();
  }
  return plan;
}

}  // namespace

std::string_view to_string(RunMode mode) {
  return mode == RunMode::multi_gpu ? "multi_gpu" : "single_buffered";
}

int default_slots(RunMode mode) {
  return mode == RunMode::multi_gpu ? 6 : 3;
}

DevicePlan plan_devices(const RunConfig& config, const Hardware& hardware, LocalProcess process) {
  const AskedGpus asked = asked_gpus(config.data, process);
  check_both_given(asked, process);
  check_driver(config, hardware);
  if (!asked.data) {
    return single_plan(config, hardware, process, asked.model);
  }
  check_ids(*asked.data, *asked.model);
  const Gpus gpus = countable(hardware);
  const std::optional<Message> problem = shortage(*asked.data, *asked.model, gpus);
  if (!problem) {
    return multi_plan(config, gpus, *asked.data, *asked.model);
  }
  if (!config.pipeline.allow_fallback) {
    throw MessageError(msg::plan_refused{.what = *problem});
  }
  DevicePlan plan = single_plan(config, hardware, process, std::nullopt);
  plan.notes.push_back(msg::plan_fallback{.reason = *problem});
  return plan;
}

Message marked(Symbols symbols, const char* emoji, const Message& line) {
  return symbols == Symbols::emoji ? Message(msg::plan_marked{.mark = emoji, .line = line}) : line;
}

std::vector<Message> describe_plan(const DevicePlan& plan,
                                   const DataConfig& data,
                                   Symbols symbols) {
  constexpr int kMaxBuffer = 50;
  const int buffer_size = data.pipeline_buffer_size.value_or(kMaxBuffer);
  const bool on_cpu = plan.model.kind == DeviceKind::cpu;
  const auto gpu = [](int index) { return fmt::format("/GPU:{}", index); };
  std::vector<Message> lines = plan.notes;
  if (plan.mode == RunMode::multi_gpu) {
    lines.push_back(marked(symbols, "🚀", msg::plan_multi_gpu{}));
    lines.push_back(msg::plan_data_gpu{.index = plan.data->index});
    lines.push_back(msg::plan_model_gpu{.index = plan.model.index});
    lines.push_back(msg::plan_prefetching{.target = gpu(plan.data->index), .size = buffer_size});
    lines.push_back(marked(symbols, "🎯", msg::plan_model_placed{.target = gpu(plan.model.index)}));
    return lines;
  }
  const MessageArg target =
      on_cpu ? MessageArg(msg::plan_the_cpu{}) : MessageArg(gpu(plan.model.index));
  if (buffer_size == 0) {
    lines.push_back(marked(symbols, "🐢", msg::plan_serial{}));
    lines.push_back(msg::plan_in_turns{.target = target});
    return lines;
  }
  lines.push_back(marked(symbols, "🚀", msg::plan_single{}));
  lines.push_back(data.pipeline_buffer_size
                      ? Message(msg::plan_buffer{.size = buffer_size})
                      : Message(msg::plan_buffer_at_most{.size = buffer_size}));
  if (on_cpu || !data.prefetch_to_gpu) {
    lines.push_back(msg::plan_prefetch_off{.reason = on_cpu ? Message(msg::inert_no_gpu{})
                                                            : Message(msg::plan_prefetch_false{})});
    lines.push_back(msg::plan_training_on{.target = target});
    return lines;
  }
  lines.push_back(msg::plan_prefetch_on{});
  lines.push_back(msg::plan_prefetching{.target = target, .size = buffer_size});
  return lines;
}

}  // namespace qanat
