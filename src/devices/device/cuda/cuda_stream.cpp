#include "device/cuda/cuda_stream.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/error.h"
#include "base/thread.h"

namespace qanat {
namespace {

constexpr std::size_t kCudaQueueDepth = 1024;  // deeper than any loop submits ahead

CudaStreamHandle make_stream_handle(CudaCore& core, int device) {
  CudaStreamHandle handle = nullptr;
  core.guarded([&] { handle = core.runtime->make_stream(device); });
  return handle;
}

}  // namespace

// Copies through the host for GPUs without peer access: device to host on a stream of the source
// GPU, host to device on ours. Our stream waits for the first copy, and the first copy for all
// earlier work of our stream, so one block is enough: it is read before it is filled again.
class CudaStream::Staging {
 public:
  Staging(CudaCore& core, CudaStreamHandle into, int from_device)
      : core_(core),
        into_(into),
        from_device_(from_device),
        out_(make_stream_handle(core, from_device)),
        begun_(core.runtime->make_event(core.id.index)),
        arrived_(core.runtime->make_event(from_device)) {}
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;
  ~Staging() {
    CudaRuntime& runtime = *core_.runtime;
    runtime.drop_event(begun_);
    runtime.drop_event(arrived_);
    runtime.drop_stream(out_);
    if (block_ != nullptr) {
      runtime.free_pinned(core_.id.index, block_);
    }
  }

  int from_device() const { return from_device_; }

  void copy(std::span<std::byte> to, std::span<const std::byte> from) {
    CudaRuntime& runtime = *core_.runtime;
    reserve(from.size());
    if (const auto block = core_.blocks->find(from.data())) {
      runtime.use_on(block->begin, out_);
    }
    runtime.record(begun_, into_);
    runtime.wait(out_, begun_);
    runtime.copy(out_, block_, from.data(), from.size());
    runtime.record(arrived_, out_);
    runtime.wait(into_, arrived_);
    runtime.copy(into_, to.data(), block_, to.size());
  }

 private:
  void reserve(std::size_t bytes) {
    if (bytes <= bytes_) {
      return;
    }
    CudaRuntime& runtime = *core_.runtime;
    if (block_ != nullptr) {
      runtime.synchronise(into_);  // it may still be read; batches soon stop growing
      runtime.free_pinned(core_.id.index, std::exchange(block_, nullptr));
      bytes_ = 0;
    }
    block_ = runtime.allocate_pinned(core_.id.index, bytes);
    bytes_ = bytes;
  }

  CudaCore& core_;
  const CudaStreamHandle into_;
  const int from_device_;
  const CudaStreamHandle out_;
  const CudaEventHandle begun_;
  const CudaEventHandle arrived_;
  std::byte* block_ = nullptr;
  std::size_t bytes_ = 0;
};

class CudaStream::Graph : public DeviceGraph {
 public:
  Graph(CudaStream& stream, CudaGraphHandle handle) : stream_(stream), handle_(handle) {}
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  ~Graph() override { stream_.core_.runtime->drop_graph(handle_); }

  void replay() override {
    stream_.booked(stream_.core_.busy,
                   [&] { stream_.core_.runtime->replay(handle_, stream_.handle_); });
  }

 private:
  CudaStream& stream_;
  const CudaGraphHandle handle_;
};

CudaStream::CudaStream(std::string name, CudaCore& core)
    : name_(std::move(name)),
      core_(core),
      handle_(make_stream_handle(core, core.id.index)),
      callbacks_(kCudaQueueDepth) {
  thread_ = start_thread(name_, [this](const std::stop_token&) { call_back(); });
}

CudaStream::~CudaStream() {
  callbacks_.close();
  thread_.join();
  try {
    core_.runtime->synchronise(handle_);
  } catch (const CudaFailure&) {
    // The device is lost with all its work; those who waited for it got the failure.
  }
  staging_.reset();
  core_.runtime->drop_stream(handle_);
}

void CudaStream::fail(std::exception_ptr failure) {
  const std::lock_guard lock(mutex_);
  if (!failure_) {
    failure_ = std::move(failure);
  }
}

std::exception_ptr CudaStream::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

void CudaStream::attempt(const std::function<void()>& call) {
  if (failure()) {
    return;
  }
  try {
    call();
  } catch (const CudaFailure& failed) {
    fail(core_.to_run_error(failed));
  } catch (...) {
    fail(std::current_exception());
  }
}

CudaEventHandle CudaStream::record_new() {
  const CudaEventHandle event = core_.events.take();
  try {
    core_.runtime->record(event, handle_);
  } catch (...) {
    core_.events.give_back(event);
    throw;
  }
  return event;
}

void CudaStream::booked(CudaActivity& activity, const std::function<void()>& call) {
  CudaEventHandle begin = nullptr;
  attempt([&] {
    const Clock::time_point began = Clock::now();
    begin = record_new();
    call();
    const CudaEventHandle end = record_new();
    std::optional<CudaActivity::Launch> launch;
    if (&activity == &core_.busy) {
      launch = {.began = began, .returned = Clock::now()};
    }
    activity.add(std::exchange(begin, nullptr), end, launch);
  });
  if (begin != nullptr) {
    core_.events.give_back(begin);
  }
}

void CudaStream::submit(std::function<void()> work) {
  if (const std::exception_ptr failed = failure()) {
    std::rethrow_exception(failed);
  }
  booked(core_.busy, [&] { core_.runtime->run_on(handle_, work); });
}

// A stream that has failed takes no more work, but what it was given before may still run: even
// then a callback waits for it.
void CudaStream::then(std::function<void()> callback) {
  CudaEventHandle after = nullptr;
  try {
    after = record_new();
  } catch (const CudaFailure& failed) {
    fail(core_.to_run_error(failed));
  }
  {
    const std::lock_guard lock(mutex_);
    ++num_pushed_;
  }
  (void)callbacks_.push({.after = after, .run = std::move(callback)}, {});
}

void CudaStream::call_back() {
  while (std::optional<Callback> callback = callbacks_.pop({})) {
    if (callback->after != nullptr) {
      try {
        core_.runtime->synchronise(callback->after);
        core_.clock.keep_near(callback->after);
      } catch (const CudaFailure& failed) {
        fail(core_.to_run_error(failed));
      }
      core_.events.give_back(callback->after);
    }
    callback->run();
    callback.reset();  // what it owned goes before anybody is told that it was called
    const std::lock_guard lock(mutex_);
    ++num_called_;
    called_.notify_all();
  }
}

void CudaStream::wait_for_callbacks() {
  std::unique_lock lock(mutex_);
  called_.wait(lock, [this, pushed = num_pushed_] { return num_called_ >= pushed; });
}

MemoryPlace CudaStream::use(const std::byte* address) {
  if (const auto block = core_.blocks->find(address)) {
    core_.runtime->use_on(block->begin, handle_);
    return {.kind = MemoryKind::device, .device = block->device};
  }
  return core_.runtime->place_of(core_.id.index, address);
}

void CudaStream::copy(std::span<std::byte> to, std::span<const std::byte> from) {
  QANAT_CHECK(to.size() == from.size()) << "copy of " << from.size() << " into " << to.size();
  if (from.empty()) {
    return;
  }
  booked(core_.copying, [&] { start_copy(to, from); });
  core_.copied_bytes += static_cast<std::int64_t>(from.size());
}

void CudaStream::start_copy(std::span<std::byte> to, std::span<const std::byte> from) {
  const MemoryPlace target = use(to.data());
  const MemoryPlace source = use(from.data());
  if (target.kind == MemoryKind::pageable || source.kind == MemoryKind::pageable) {
    ++core_.host_waits;  // CUDA copies such memory while the caller waits
  }
  const bool between_gpus = target.kind == MemoryKind::device &&
                            source.kind == MemoryKind::device && target.device != source.device;
  if (!between_gpus || core_.runtime->reach_peer(target.device, source.device)) {
    core_.runtime->copy(handle_, to.data(), from.data(), from.size());
    return;
  }
  if (staging_ == nullptr || staging_->from_device() != source.device) {
    staging_ = std::make_unique<Staging>(core_, handle_, source.device);
  }
  staging_->copy(to, from);
}

void CudaStream::record(DeviceEvent& event) {
  auto& ours = dynamic_cast<CudaEvent&>(event);
  if (const std::exception_ptr failed = failure()) {
    ours.record_failure(failed);
    return;
  }
  attempt([&] { ours.record_on(handle_); });
  if (const std::exception_ptr failed = failure()) {
    ours.record_failure(failed);
  }
}

void CudaStream::wait(const DeviceEvent& event) {
  const auto& ours = dynamic_cast<const CudaEvent&>(event);
  if (const std::exception_ptr failed = ours.failure()) {
    fail(failed);
    return;
  }
  if (const CudaEventHandle point = ours.point()) {
    attempt([&] { core_.runtime->wait(handle_, point); });
  }
}

void CudaStream::synchronise() {
  ++core_.host_waits;
  attempt([&] { core_.runtime->synchronise(handle_); });
  wait_for_callbacks();
  if (const std::exception_ptr failed = failure()) {
    std::rethrow_exception(failed);
  }
}

std::unique_ptr<DeviceGraph> CudaStream::capture(const std::function<void()>& work) {
  if (const std::exception_ptr failed = failure()) {
    std::rethrow_exception(failed);
  }
  CudaGraphHandle graph = nullptr;
  core_.guarded([&] {
    CudaRuntime& runtime = *core_.runtime;
    const CudaGraphMemoryHandle memory = core_.graph_memory.get();
    graph = runtime.begin_capture(handle_, memory);
    try {
      runtime.run_on(handle_, work);
      runtime.end_capture(graph, handle_);
    } catch (...) {
      runtime.abandon_capture(graph, handle_, memory);
      throw;
    }
  });
  return std::make_unique<Graph>(*this, graph);
}

}  // namespace qanat
