// The real CudaRuntime: CUDA's runtime and libtorch's streams and allocator, so that what libtorch
// computes and what the backend copies are ordered and counted together. Only passes calls on; what
// there is to decide is decided in the backend, where it is tested.
#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <map>
#include <mutex>
#include <optional>

#include <ATen/Context.h>
#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include "cuda_runtime/open_cuda_runtime.h"
#include "cuda_runtime/torch_cuda_trace.h"

namespace qanat {
namespace {

namespace allocator = c10::cuda::CUDACachingAllocator;

static_assert(cuda_code::kOutOfMemory == cudaErrorMemoryAllocation);
static_assert(cuda_code::kInitialisation == cudaErrorInitializationError);
static_assert(cuda_code::kStubLibrary == cudaErrorStubLibrary);
static_assert(cuda_code::kInsufficientDriver == cudaErrorInsufficientDriver);
static_assert(cuda_code::kNeedsNewerDriver == cudaErrorCallRequiresNewerDriver);
static_assert(cuda_code::kDevicesUnavailable == cudaErrorDevicesUnavailable);
static_assert(cuda_code::kNoDevice == cudaErrorNoDevice);
static_assert(cuda_code::kNoKernelImage == cudaErrorNoKernelImageForDevice);
static_assert(cuda_code::kMemoryError == cudaErrorECCUncorrectable);
static_assert(cuda_code::kLinkError == cudaErrorNvlinkUncorrectable);
static_assert(cuda_code::kContained == cudaErrorContained);
static_assert(cuda_code::kIllegalAddress == cudaErrorIllegalAddress);
static_assert(cuda_code::kLaunchFailure == cudaErrorLaunchFailure);
static_assert(cuda_code::kDriverMismatch == cudaErrorSystemDriverMismatch);
static_assert(cuda_code::kNotForThisDevice == cudaErrorCompatNotSupportedOnDevice);
static_assert(cuda_code::kCaptureUnsupported == cudaErrorStreamCaptureUnsupported);
static_assert(cuda_code::kCaptureLast == cudaErrorStreamCaptureWrongThread);
static_assert(cuda_code::kUnknown == cudaErrorUnknown);

[[noreturn]] void fail(cudaError_t code) {
  (void)cudaGetLastError();  // or the next question would be answered with this one's failure
  throw CudaFailure(code, fmt::format("{}: {}", cudaGetErrorName(code), cudaGetErrorString(code)));
}

void check(cudaError_t code) {
  if (code != cudaSuccess) {
    fail(code);
  }
}

// Runs `work` and throws failures of CUDA inside libtorch with CUDA's code.
template <typename Work>
auto translated(const Work& work) {
  try {
    return work();
  } catch (const c10::OutOfMemoryError& error) {
    throw CudaFailure(cudaErrorMemoryAllocation, error.what_without_backtrace());
  } catch (const c10::AcceleratorError& error) {
    throw CudaFailure(error.get_error_code(), error.what_without_backtrace());
  }
}

c10::cuda::CUDAStream& to_torch(CudaStreamHandle stream) {
  return *reinterpret_cast<c10::cuda::CUDAStream*>(stream);
}
// Calls about an event are made with its GPU current: CUDA opens a context on the one that is.
struct DeviceCudaEvent {
  cudaEvent_t event = nullptr;
  c10::DeviceIndex device = 0;
};
const DeviceCudaEvent& to_cuda(CudaEventHandle event) {
  return *reinterpret_cast<DeviceCudaEvent*>(event);
}
at::cuda::CUDAGraph& to_torch(CudaGraphHandle graph) {
  return *reinterpret_cast<at::cuda::CUDAGraph*>(graph);
}
using GraphMemory = decltype(at::cuda::graph_pool_handle());
GraphMemory& to_torch(CudaGraphMemoryHandle memory) {
  return *reinterpret_cast<GraphMemory*>(memory);
}
c10::DeviceIndex to_index(int device) {
  return static_cast<c10::DeviceIndex>(device);
}

std::string uuid_name(const cudaUUID_t& uuid) {
  std::string name = "GPU-";
  for (std::size_t i = 0; i < sizeof(uuid.bytes); ++i) {
    name += fmt::format("{:02x}", static_cast<unsigned char>(uuid.bytes[i]));
    name += i == 3 || i == 5 || i == 7 || i == 9 ? "-" : "";
  }
  return name;
}

std::string bus_name(int device) {
  char name[32] = {};
  check(cudaDeviceGetPCIBusId(name, sizeof(name), device));
  std::string lower(name);
  std::ranges::transform(
      lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

class TorchCudaRuntime : public CudaRuntime {
 public:
  CudaVersions versions() noexcept override {
    CudaVersions versions;
    (void)cudaDriverGetVersion(&versions.driver);
    (void)cudaRuntimeGetVersion(&versions.runtime);
    return versions;
  }
  int device_count() override {
    int count = 0;
    check(cudaGetDeviceCount(&count));
    return count;
  }
  CudaFacts facts(int device) override {
    cudaDeviceProp properties{};
    check(cudaGetDeviceProperties(&properties, device));
    return {.name = properties.name,
            .bus_id = bus_name(device),
            .uuid = uuid_name(properties.uuid),
            .memory = Bytes{static_cast<std::int64_t>(properties.totalGlobalMem)},
            .capability = 10 * properties.major + properties.minor,
            .computes_on = fmt::format("cuda:{}", device)};
  }

  CudaStreamHandle make_stream(int device) override {
    start_libtorch();
    return reinterpret_cast<CudaStreamHandle>(new c10::cuda::CUDAStream(translated(
        [&] { return c10::cuda::getStreamFromPool(/*isHighPriority=*/false, to_index(device)); })));
  }
  void drop_stream(CudaStreamHandle stream) noexcept override { delete &to_torch(stream); }
  void run_on(CudaStreamHandle stream, const std::function<void()>& work) override {
    translated([&] {
      const c10::cuda::CUDAStreamGuard current(to_torch(stream));
      work();
    });
  }
  void wait(CudaStreamHandle stream, CudaEventHandle event) override {
    const c10::cuda::CUDAGuard current(to_torch(stream).device());
    check(cudaStreamWaitEvent(to_torch(stream).stream(), to_cuda(event).event, 0));
  }
  void synchronise(CudaStreamHandle stream) override {
    const c10::cuda::CUDAGuard current(to_torch(stream).device());
    check(cudaStreamSynchronize(to_torch(stream).stream()));
  }

  CudaEventHandle make_event(int device) override {
    const c10::cuda::CUDAGuard current(to_index(device));
    cudaEvent_t event = nullptr;
    // Threads that wait for it sleep: the cores belong to the loader.
    check(cudaEventCreateWithFlags(&event, cudaEventBlockingSync));
    return reinterpret_cast<CudaEventHandle>(
        new DeviceCudaEvent{.event = event, .device = to_index(device)});
  }
  void drop_event(CudaEventHandle event) noexcept override {
    const std::unique_ptr<const DeviceCudaEvent> owned(&to_cuda(event));
    (void)succeeds([&] {
      const c10::cuda::CUDAGuard current(owned->device);
      (void)cudaEventDestroy(owned->event);
    });
  }
  void record(CudaEventHandle event, CudaStreamHandle stream) override {
    const c10::cuda::CUDAGuard current(to_cuda(event).device);
    check(cudaEventRecord(to_cuda(event).event, to_torch(stream).stream()));
  }
  bool is_done(CudaEventHandle event) override {
    const c10::cuda::CUDAGuard current(to_cuda(event).device);
    const cudaError_t state = cudaEventQuery(to_cuda(event).event);
    if (state == cudaErrorNotReady) {
      (void)cudaGetLastError();
      return false;
    }
    check(state);
    return true;
  }
  void synchronise(CudaEventHandle event) override {
    const c10::cuda::CUDAGuard current(to_cuda(event).device);
    check(cudaEventSynchronize(to_cuda(event).event));
  }
  float milliseconds(CudaEventHandle from, CudaEventHandle to) override {
    const c10::cuda::CUDAGuard current(to_cuda(to).device);
    float time = 0;
    check(cudaEventElapsedTime(&time, to_cuda(from).event, to_cuda(to).event));
    return time;
  }

  std::byte* allocate(int device, std::size_t bytes) override {
    start_libtorch();
    return translated([&] {
      const c10::cuda::CUDAGuard current(to_index(device));
      c10::DataPtr owner = allocator::get()->allocate(bytes);
      auto* const begin = static_cast<std::byte*>(owner.get());
      const std::lock_guard lock(mutex_);
      owners_.emplace(begin, std::move(owner));
      return begin;
    });
  }
  void free(std::byte* block) noexcept override {
    c10::DataPtr owner;  // gives back outside of the lock
    const std::lock_guard lock(mutex_);
    const auto found = owners_.find(block);
    if (found != owners_.end()) {
      owner = std::move(found->second);
      owners_.erase(found);
    }
  }
  void use_on(std::byte* block, CudaStreamHandle stream) override {
    const std::lock_guard lock(mutex_);
    translated([&] { allocator::recordStream(owners_.at(block), to_torch(stream)); });
  }
  void set_memory_fraction(int device, double fraction) override {
    start_libtorch();
    translated([&] { allocator::setMemoryFraction(fraction, to_index(device)); });
  }
  CudaMemoryUse memory_use(int device) override {
    const auto stats = translated([&] { return allocator::getDeviceStats(to_index(device)); });
    constexpr auto kAll = static_cast<std::size_t>(c10::CachingAllocator::StatType::AGGREGATE);
    return {.used = Bytes{stats.allocated_bytes[kAll].current},
            .reserved = Bytes{stats.reserved_bytes[kAll].current},
            .peak = Bytes{stats.allocated_bytes[kAll].peak},
            .high_water = Bytes{stats.reserved_bytes[kAll].peak},
            .refusals = stats.num_ooms,
            .allocations = stats.allocation[kAll].allocated};
  }
  void reset_peak(int device) noexcept override {
    try {
      allocator::resetPeakStats(to_index(device));
    } catch (const c10::Error&) {
      // Asked for by reports only.
    }
  }
  std::byte* allocate_pinned(int device, std::size_t bytes) override {
    const c10::cuda::CUDAGuard current(to_index(device));
    void* block = nullptr;
    check(cudaHostAlloc(&block, bytes, cudaHostAllocPortable));
    return static_cast<std::byte*>(block);
  }
  void free_pinned(int device, std::byte* block) noexcept override {
    (void)succeeds([&] {
      const c10::cuda::CUDAGuard current(to_index(device));
      (void)cudaFreeHost(block);
    });
  }
  MemoryPlace place_of(int device, const void* memory) override {
    const c10::cuda::CUDAGuard current(to_index(device));
    cudaPointerAttributes attributes{};
    check(cudaPointerGetAttributes(&attributes, memory));
    switch (attributes.type) {
      case cudaMemoryTypeHost:
        return {.kind = MemoryKind::pinned};
      case cudaMemoryTypeDevice:
      case cudaMemoryTypeManaged:
        return {.kind = MemoryKind::device, .device = attributes.device};
      default:
        return {};
    }
  }

  bool reach_peer(int device, int peer) override {
    const std::lock_guard lock(mutex_);
    const auto [known, is_new] = reach_.emplace(std::pair(device, peer), false);
    if (is_new) {
      int can = 0;
      check(cudaDeviceCanAccessPeer(&can, device, peer));
      if (can != 0) {
        const c10::cuda::CUDAGuard current(to_index(device));
        const cudaError_t state = cudaDeviceEnablePeerAccess(peer, 0);
        if (state != cudaErrorPeerAccessAlreadyEnabled) {
          check(state);
        }
        (void)cudaGetLastError();
      }
      known->second = can != 0;
    }
    return known->second;
  }
  void copy(CudaStreamHandle stream,
            std::byte* to,
            const std::byte* from,
            std::size_t bytes) override {
    const c10::cuda::CUDAGuard current(to_torch(stream).device());
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, to_torch(stream).stream()));
  }

  CudaGraphMemoryHandle make_graph_memory() override {
    return reinterpret_cast<CudaGraphMemoryHandle>(new GraphMemory(at::cuda::graph_pool_handle()));
  }
  void drop_graph_memory(CudaGraphMemoryHandle memory) noexcept override {
    delete &to_torch(memory);
  }
  CudaGraphHandle begin_capture(CudaStreamHandle stream, CudaGraphMemoryHandle memory) override {
    auto graph = std::make_unique<at::cuda::CUDAGraph>();
    translated([&] {
      const c10::cuda::CUDAStreamGuard current(to_torch(stream));
      // While it records, the allocator gives nothing of what it keeps for others.
      allocator::emptyCache();
      // Other threads continue to copy and allocate meanwhile.
      graph->capture_begin(to_torch(memory), cudaStreamCaptureModeThreadLocal);
    });
    return reinterpret_cast<CudaGraphHandle>(graph.release());
  }
  void end_capture(CudaGraphHandle graph, CudaStreamHandle stream) override {
    translated([&] {
      const c10::cuda::CUDAStreamGuard current(to_torch(stream));
      to_torch(graph).capture_end();
    });
  }
  void abandon_capture(CudaGraphHandle graph,
                       CudaStreamHandle stream,
                       CudaGraphMemoryHandle memory) noexcept override {
    // Ends it where that was not tried yet; a second attempt only says so.
    const bool is_ended = succeeds([&] {
      const c10::cuda::CUDAStreamGuard current(to_torch(stream));
      to_torch(graph).capture_end();
    });
    if (!is_ended) {
      // A recording that CUDA found invalid ends by an error before libtorch has told its
      // allocator, which would take the memory for being recorded in for ever, and does not give it
      // back with the graph.
      const c10::DeviceIndex device = to_torch(stream).device_index();
      (void)succeeds([&] { allocator::endAllocateToPool(device, to_torch(memory)); });
      (void)succeeds([&] { allocator::releasePool(device, to_torch(memory)); });
    }
    (void)cudaGetLastError();  // why it is broken is what the caller throws
    drop_graph(graph);
  }
  void replay(CudaGraphHandle graph, CudaStreamHandle stream) override {
    translated([&] {
      const c10::cuda::CUDAStreamGuard current(to_torch(stream));
      to_torch(graph).replay();
    });
  }
  void drop_graph(CudaGraphHandle graph) noexcept override { delete &to_torch(graph); }

 private:
  // Streams and allocator exist only behind this. Single precision is to mean single precision:
  // the features have to be those of every other device, and speed is what bf16 is for.
  void start_libtorch() {
    std::call_once(started_, [this] {
      translated([] {
        at::globalContext().lazyInitDevice(c10::DeviceType::CUDA);
        at::globalContext().setAllowTF32CuBLAS(false);
        at::globalContext().setAllowTF32CuDNN(false);
      });
      // NOLINTNEXTLINE(concurrency-mt-unsafe)
      if (const char* const path = std::getenv("QANAT_CUDA_TRACE")) {
        trace_.emplace(path);
      }
    });
  }

  template <typename Work>
  static bool succeeds(const Work& work) noexcept {
    try {
      work();
      return true;
    } catch (const std::exception&) {
      return false;
    }
  }

  std::once_flag started_;
  std::mutex mutex_;  // guards everything below
  std::map<std::byte*, c10::DataPtr> owners_;
  std::map<std::pair<int, int>, bool> reach_;
  std::optional<CudaTrace> trace_;  // where QANAT_CUDA_TRACE names a file
};

}  // namespace

std::shared_ptr<CudaRuntime> make_built_in_cuda_runtime() {
  // Before CUDA starts: number GPUs as nvidia-smi and the monitor do, unless the user chose
  // otherwise.
  (void)::setenv(
      "CUDA_DEVICE_ORDER", "PCI_BUS_ID", /*overwrite=*/0);  // NOLINT(concurrency-mt-unsafe)
  return std::make_shared<TorchCudaRuntime>();
}

}  // namespace qanat
