// What FakeCuda is made of. For its own sources only.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <set>
#include <vector>

#include "device/cuda/fake_cuda.h"

namespace qanat {

// One recording of an event.
struct FakeCuda::Point {
  Stream* stream = nullptr;
  std::int64_t place = 0;  // operations of the stream before it
  double at_ms = 0;        // with a pace: when it is passed, by the clock of the host
};

struct FakeCuda::Operation {
  std::function<void()> run;
  std::optional<Point> waits_for;
};

struct FakeCuda::Stream {
  int device = 0;
  std::deque<Operation> todo;
  std::int64_t num_given = 0;
  std::int64_t num_done = 0;
  std::vector<double> done_at_ms;  // by operation
  double busy_until_ms = 0;        // with a pace, by the clock of the host
};

struct FakeCuda::Event {
  int device = 0;
  std::optional<Point> point;
  bool is_passed = false;  // kept when its stream is gone
  double at_ms = 0;
};

struct FakeCuda::Block {
  std::byte* begin = nullptr;
  std::size_t bytes = 0;
  int device = 0;
  bool is_free = false;
  std::set<Stream*> used_by;      // while it is not free
  std::vector<Point> used_until;  // while it is: how far those streams have to come
};

struct FakeCuda::Gpu {
  double fraction = 1;
  std::int64_t used = 0;
  std::int64_t peak = 0;
  std::int64_t high_water = 0;
  std::int64_t refusals = 0;
  std::int64_t allocations = 0;
  std::vector<std::byte*> free_blocks;  // the last one is given out first
};

struct FakeCuda::Graph {
  CudaGraphMemoryHandle memory = nullptr;
  std::vector<std::function<void()>> kernels;
  std::function<void()> work;
};

template <typename Object, typename Handle>
Object& of(Handle handle) {
  return *reinterpret_cast<Object*>(handle);
}

template <typename Handle, typename Object>
Handle to_handle(Object* object) {
  return reinterpret_cast<Handle>(object);
}

}  // namespace qanat
