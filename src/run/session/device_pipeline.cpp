#include "session/device_pipeline.h"

#include <algorithm>
#include <utility>

#include "locale/message_error.h"
#include "session/memory_check.h"
#include "torch_features/passed_samples.h"
#include "torch_features/torch_features.h"
#include "transfer/host_features.h"

namespace qanat {
namespace {

// A third of a second of steps of 7 ms: machines are slow for so long now and then.
constexpr int kMaxSlots = 48;
constexpr std::int64_t kRunOfASlot = 10;         // steps of a run for every slot
constexpr Bytes kMaxRingBytes = mebibytes(256);  // that a ring takes unasked

// Nothing is loaded ahead: see Turns.
bool is_serial(const RunConfig& config) {
  return config.data.pipeline_buffer_size == 0;
}

bool is_depth_fixed(const RunConfig& config) {
  return config.data.prefetch_buffer_size || !config.data.prefetch_to_gpu ||
         !config.data.optimize_cpu_gpu_overlap || is_serial(config);
}

// What lies ready before the first step hides a slow loader until it is used up: little of a short
// run may.
int affordable_slots(const RunConfig& config, int least, Bytes slot) {
  const std::int64_t held = kMaxRingBytes.value / std::max<std::int64_t>(1, slot.value);
  const std::int64_t fair =
      config.training.max_steps.value_or(kMaxSlots * kRunOfASlot) / kRunOfASlot;
  return std::max(least, static_cast<int>(std::min({std::int64_t{kMaxSlots}, held, fair})));
}

Bytes largest_batch(const BucketEdges& edges, const PayloadFormat& format) {
  std::size_t bytes = 0;
  for (const BucketEdge& edge : edges) {
    bytes = std::max(bytes, make_layout(edge.shape(), format).bytes);
  }
  return Bytes{static_cast<std::int64_t>(bytes)};
}

LoaderOptions loader_options(const DevicePipelineRequest& request, const CoreShares& cores) {
  LoaderOptions options = request.loader_options.value_or(make_loader_options(
      request.config, request.host, allowed_cores(request.host) - cores.loader_threads));
  options.pace = PaceSource::reported;
  if (!cores.data.empty()) {
    // Not on the data device's, which works without a break when the run is bound by it: a worker
    // that the kernel puts there waits for its turn while others idle.
    options.cores = cores.model;
  }
  return options;
}

std::unique_ptr<Loader> start_loader(DevicePipelineRequest& request, RunDevices& devices) {
  const LoaderOptions options = loader_options(request, devices.cores);
  LoaderRequest loader = std::move(request.loader);
  loader.payload = loaded_payload(request.config, request.plan.mode == RunMode::multi_gpu);
  const bool to_gpu = request.plan.model.kind != DeviceKind::cpu;
  if (to_gpu && request.config.data.enhanced_gpu_prefetch) {
    loader.blocks = (devices.data ? *devices.data : *devices.model).pinned_blocks();
  }
  return make_loader(request.config, options, std::move(loader));
}

// Describes what the loader makes, also where a measurement goes without predicted mel.
PayloadFormat format_of(const DevicePipelineRequest& request) {
  PayloadFormat format = trained_format(request.config);
  format.mel_beside_pcm = request.loader.predicted != nullptr;
  return format;
}

// Native where the host can reach the device's memory, libtorch's operations where only the device
// can. Nothing without a data device. A model that is trained on samples gets them as they came.
std::unique_ptr<DeviceFeatures> make_features(const Device* data, PayloadKind wanted) {
  if (data == nullptr) {
    return nullptr;
  }
  if (wanted == PayloadKind::pcm_s16) {
    return std::make_unique<PassedSamples>(*data);
  }
  if (data->id().kind == DeviceKind::cuda) {
    return std::make_unique<TorchFeatures>(kMel, *data);
  }
  return std::make_unique<HostFeatures>(kMel);
}

}  // namespace

RingOptions make_ring_options(const RunConfig& config,
                              const DevicePlan& plan,
                              const BucketEdges& edges) {
  RingOptions options{.slots = config.data.prefetch_buffer_size.value_or(default_slots(plan.mode)),
                      .slot_bytes = largest_batch(edges, trained_format(config))};
  if (!config.data.prefetch_to_gpu || is_serial(config)) {
    options.slots = 1;
  }
  if (!is_depth_fixed(config)) {
    // One that begins small is caught short before it has grown; what is not needed is given back.
    options.slots = affordable_slots(config, options.slots, options.slot_bytes);
  }
  if (plan.mode == RunMode::multi_gpu) {
    PayloadFormat staged = trained_format(config);
    staged.kind = PayloadKind::pcm_s16;
    options.stage_bytes = largest_batch(edges, staged);
  }
  return options;
}

SlotLimits slot_limits(const RunConfig& config,
                       const DevicePlan& plan,
                       const RingOptions& options) {
  if (is_depth_fixed(config)) {
    return {.least = options.slots, .most = options.slots};
  }
  return {.least = std::min(options.slots, default_slots(plan.mode)),
          .most = affordable_slots(config, options.slots, options.slot_bytes)};
}

DevicePipeline::DevicePipeline(RunDevices& devices, DevicePipelineRequest request)
    : devices_(devices),
      longest_wait_(request.config.data.model_start_delay),
      payload_(format_of(request)),
      journal_(request.loader.journal),
      log_(std::make_shared<SlotLog>()),
      loader_(start_loader(request, devices)) {
  const RingOptions options = fit_ring(request);
  if (is_serial(request.config)) {
    turns_ = std::make_shared<Turns>();
  }
  ring_ = make_ring(options);
  observer_ = std::make_unique<RingObserver>(
      ObserverParts{.log = log_,
                    .ring = *ring_,
                    .loader = *loader_,
                    .devices = devices_,
                    .journal = journal_,
                    .limits = slot_limits(request.config, request.plan, options),
                    .slot_bytes = options.slot_bytes});
}

// A depth that nobody asked for is not worth an error: fewer slots are tried first.
RingOptions DevicePipeline::fit_ring(const DevicePipelineRequest& request) const {
  RingOptions options = make_ring_options(request.config, request.plan, loader_->edges());
  if (!request.config.pipeline.enable_memory_isolation) {
    return options;
  }
  const auto limit_of = [](const Device* device) {
    return device == nullptr ? std::nullopt : device->memory().use().limit;
  };
  const auto problem = [&] {
    return memory_problem(memory_need(request.config, options, loader_->edges()),
                          request.plan,
                          limit_of(devices_.model.get()),
                          limit_of(devices_.data.get()));
  };
  const int least =
      is_depth_fixed(request.config) ? options.slots : default_slots(request.plan.mode);
  while (options.slots > least && problem()) {
    --options.slots;
  }
  if (const std::optional<Message> found = problem()) {
    throw MessageError(*found);
  }
  return options;
}

std::unique_ptr<TransferRing> DevicePipeline::make_ring(const RingOptions& options) {
  return std::make_unique<TransferRing>(
      options,
      RingParts{
          .devices = {.model = *devices_.model, .data = devices_.data.get()},
          .source =
              [loader = loader_.get(), log = log_, turns = turns_](const std::stop_token& stop) {
                if (turns) {
                  turns->take(stop);
                }
                log->rethrow_failure();
                return loader->next(stop);
              },
          .features = make_features(devices_.data.get(), payload_.kind),
          .mel_format = payload_,
          .on_done =
              [log = log_, turns = turns_](SlotTimes times) {
                if (turns) {  // the feeder waited for its turn before it loaded
                  times.load.begin = turns->give_back();
                }
                log->add(times);
              }});
}

Position DevicePipeline::position_after(const BatchId& last) const {
  if (last.index + 1 == loader_->batches_per_epoch()) {
    return {.epoch = last.epoch + 1, .batch = 0};
  }
  return {.epoch = last.epoch, .batch = last.index + 1};
}

GateResult DevicePipeline::open_gate(const std::stop_token& stop) {
  const GateResult result = qanat::open_gate(*ring_, *loader_, longest_wait_, stop);
  if (journal_ != nullptr) {
    journal_->record(StartGateOpened{.waited = result.waited,
                                     .longest = longest_wait_,
                                     .opened_by = std::string(to_string(result.opening)),
                                     .ready = result.ready,
                                     .wanted = result.wanted});
  }
  return result;
}

PipelineStats DevicePipeline::reading() const {
  return read_pipeline(*loader_, *ring_, devices_);
}

DevicePipelineStats DevicePipeline::stats() const {
  DevicePipelineStats stats{.loader = loader_->stats(),
                            .ring = ring_->stats(),
                            .consumer = observer_->stats(),
                            .model = devices_.model->stats(),
                            .model_memory = devices_.model->memory().use(),
                            .data = {},
                            .data_memory = {}};
  if (devices_.data != nullptr) {
    stats.data = devices_.data->stats();
    stats.data_memory = devices_.data->memory().use();
  }
  return stats;
}

}  // namespace qanat
