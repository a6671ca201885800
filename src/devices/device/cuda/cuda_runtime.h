// What the CUDA backend asks of CUDA and of libtorch's allocator, and nothing else: the seam
// between the backend's logic, which knows no header of CUDA, and the GPU.
//
// Two implementations: the real one (torch_cuda_runtime.cpp, built with QANAT_CUDA) only passes
// calls on; the scripted one (fake_cuda.h) lets tests decide what a GPU does and when. All methods
// are thread-safe and throw CudaFailure, except those marked noexcept.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "base/quantity.h"
#include "device/cuda/cuda_failure.h"

namespace qanat {

// Opaque; made and understood by one runtime.
struct CudaStreamObject;
struct CudaEventObject;
struct CudaGraphObject;
struct CudaGraphMemoryObject;
using CudaStreamHandle = CudaStreamObject*;
using CudaEventHandle = CudaEventObject*;
using CudaGraphHandle = CudaGraphObject*;
using CudaGraphMemoryHandle = CudaGraphMemoryObject*;

struct CudaFacts {
  std::string name;    // "NVIDIA RTX A6000"
  std::string bus_id;  // "0000:65:00.0", as below /sys/bus/pci/devices
  std::string uuid;    // "GPU-..."; empty: not said
  Bytes memory;
  int capability = 0;       // 86 is 8.6
  std::string computes_on;  // where libtorch puts tensors for it: "cuda:0"
};

struct CudaMemoryUse {
  Bytes used;        // in tensors and blocks
  Bytes reserved;    // taken from the card; what the limit counts
  Bytes peak;        // of `used`, since the last reset
  Bytes high_water;  // of `reserved`, ever
  std::int64_t refusals = 0;
  std::int64_t allocations = 0;
};

enum class MemoryKind { pageable, pinned, device };
struct MemoryPlace {
  MemoryKind kind = MemoryKind::pageable;
  int device = 0;  // of device memory
};

class CudaRuntime {
 public:
  virtual ~CudaRuntime() = default;

  virtual CudaVersions versions() noexcept = 0;
  virtual int device_count() = 0;
  virtual CudaFacts facts(int device) = 0;

  virtual CudaStreamHandle make_stream(int device) = 0;
  virtual void drop_stream(CudaStreamHandle stream) noexcept = 0;
  // Runs `work` now, on the calling thread; what it launches belongs to the stream. Failures of
  // libtorch that come from CUDA are thrown as CudaFailure, all others as they are.
  virtual void run_on(CudaStreamHandle stream, const std::function<void()>& work) = 0;
  virtual void wait(CudaStreamHandle stream, CudaEventHandle event) = 0;
  virtual void synchronise(CudaStreamHandle stream) = 0;

  virtual CudaEventHandle make_event(int device) = 0;
  virtual void drop_event(CudaEventHandle event) noexcept = 0;
  virtual void record(CudaEventHandle event, CudaStreamHandle stream) = 0;
  virtual bool is_done(CudaEventHandle event) = 0;
  virtual void synchronise(CudaEventHandle event) = 0;
  // Both are done. In single precision, so only good for moments close to each other.
  virtual float milliseconds(CudaEventHandle from, CudaEventHandle to) = 0;

  virtual std::byte* allocate(int device, std::size_t bytes) = 0;
  // The block may be given to others at once, unless use_on() says who is not done with it.
  virtual void free(std::byte* block) noexcept = 0;
  virtual void use_on(std::byte* block, CudaStreamHandle stream) = 0;
  virtual void set_memory_fraction(int device, double fraction) = 0;
  virtual CudaMemoryUse memory_use(int device) = 0;
  virtual void reset_peak(int device) noexcept = 0;
  // CUDA opens a context, some 0.4 GB of a card, on whichever is current when it is asked: `device`
  // is one that the caller uses anyway.
  virtual std::byte* allocate_pinned(int device, std::size_t bytes) = 0;
  virtual void free_pinned(int device, std::byte* block) noexcept = 0;
  virtual MemoryPlace place_of(int device, const void* memory) = 0;

  // Whether `device` can read and write the memory of `peer`; switched on by this call.
  virtual bool reach_peer(int device, int peer) = 0;
  virtual void copy(CudaStreamHandle stream,
                    std::byte* to,
                    const std::byte* from,
                    std::size_t bytes) = 0;

  // What recordings compute in between: it stays taken while one of them is there, and all that
  // share it may have the same of it, because nobody reads it after them.
  virtual CudaGraphMemoryHandle make_graph_memory() = 0;
  virtual void drop_graph_memory(CudaGraphMemoryHandle memory) noexcept = 0;
  // Until end_capture() what this thread launches on the stream is recorded, not run. The memory is
  // the recording's meanwhile. Where beginning succeeded and anything after it failed, ending
  // included, abandon_capture() gives the memory back and drops the graph.
  virtual CudaGraphHandle begin_capture(CudaStreamHandle stream, CudaGraphMemoryHandle memory) = 0;
  virtual void end_capture(CudaGraphHandle graph, CudaStreamHandle stream) = 0;
  virtual void abandon_capture(CudaGraphHandle graph,
                               CudaStreamHandle stream,
                               CudaGraphMemoryHandle memory) noexcept = 0;
  virtual void replay(CudaGraphHandle graph, CudaStreamHandle stream) = 0;
  virtual void drop_graph(CudaGraphHandle graph) noexcept = 0;
};

}  // namespace qanat
