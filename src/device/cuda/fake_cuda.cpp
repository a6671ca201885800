#include "device/cuda/fake_cuda.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

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
  std::vector<std::function<void()>> kernels;
  std::function<void()> work;
};

namespace {

template <typename Object, typename Handle>
Object& of(Handle handle) {
  return *reinterpret_cast<Object*>(handle);
}

template <typename Handle, typename Object>
Handle to_handle(Object* object) {
  return reinterpret_cast<Handle>(object);
}

}  // namespace

FakeCuda::FakeCuda(const FakeCudaScript& script)
    : script_(script), gpus_(static_cast<std::size_t>(std::max(0, script.gpus))) {}

FakeCuda::~FakeCuda() {
  for (const auto& [begin, block] : blocks_) {
    delete[] begin;
  }
}

FakeCuda::Counts FakeCuda::counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

// Every call that touches a GPU goes through here: where it may be found lost.
void FakeCuda::check(int device) {
  ++calls_;
  if (script_.lost_after && calls_ > *script_.lost_after && device == script_.lost) {
    throw CudaFailure(script_.lost_code, "the scripted GPU does not answer");
  }
}

int FakeCuda::device_count() {
  if (script_.fails_to_start) {
    throw CudaFailure(*script_.fails_to_start, "the scripted driver does not start");
  }
  return script_.gpus;
}

CudaFacts FakeCuda::facts(int device) {
  const std::lock_guard lock(mutex_);
  check(device);
  return {.name = fmt::format("Scripted GPU {}", device),
          .bus_id = fmt::format("0000:{:02x}:00.0", 0x65 + device),
          .uuid = fmt::format("GPU-0000-{}", device),
          .memory = script_.memory,
          .capability = script_.capability,
          .computes_on = "cpu"};
}

CudaStreamHandle FakeCuda::make_stream(int device) {
  const std::lock_guard lock(mutex_);
  check(device);
  ++counts_.live_streams;
  return to_handle<CudaStreamHandle>(
      streams_.emplace_back(std::make_unique<Stream>(Stream{.device = device})).get());
}

void FakeCuda::drop_stream(CudaStreamHandle handle) noexcept {
  const std::lock_guard lock(mutex_);
  auto& stream = of<Stream>(handle);
  advance(stream, stream.num_given);  // stays here: points of others may lie on it
  --counts_.live_streams;
}

void FakeCuda::enqueue(Stream& stream, Operation operation) {
  if (capturing_ != nullptr && capturing_on_ == &stream) {
    if (operation.run) {
      capturing_->kernels.push_back(std::move(operation.run));
    }
    return;
  }
  stream.todo.push_back(std::move(operation));
  ++stream.num_given;
  if (script_.execution == FakeExecution::immediate || script_.hasty == stream.device) {
    advance(stream, stream.num_given);
  }
}

void FakeCuda::advance(Stream& stream, std::int64_t count) {
  while (stream.num_done < count && !stream.todo.empty()) {
    Operation operation = std::move(stream.todo.front());
    stream.todo.pop_front();
    if (operation.waits_for) {
      advance(*operation.waits_for->stream, operation.waits_for->place);
      stream.busy_until_ms = std::max(stream.busy_until_ms, operation.waits_for->at_ms);
    }
    if (operation.run) {
      operation.run();
    }
    ++stream.num_done;
    done_ms_ += 1;
    stream.done_at_ms.push_back(now_ms());
  }
}

double FakeCuda::host_ms() const {
  return 1e3 * Seconds(Clock::now() - made_at_).count();
}

double FakeCuda::now_ms() const {
  return script_.is_infinitely_fast || script_.pace ? host_ms() : done_ms_;
}

// Of work that was computed between two moments, and that the host has launched now.
void FakeCuda::take_time(Stream& stream, double began_ms, double computed_ms) {
  const double begin = std::max(stream.busy_until_ms, began_ms);
  stream.busy_until_ms = std::max(begin + *script_.pace * (computed_ms - began_ms), host_ms());
}

void FakeCuda::sleep_until_ms(double moment) const {
  std::this_thread::sleep_until(made_at_ +
                                std::chrono::duration_cast<Clock::duration>(Seconds(moment / 1e3)));
}

void FakeCuda::run_on(CudaStreamHandle handle, const std::function<void()>& work) {
  auto& stream = of<Stream>(handle);
  {
    const std::lock_guard lock(mutex_);
    check(stream.device);
    current_[std::this_thread::get_id()].push_back(&stream);
  }
  const double began = host_ms();
  const auto leave = [&] {
    const double computed = host_ms();
    sleep_until_ms(computed + 1e3 * script_.launch_gap.count());
    const std::lock_guard lock(mutex_);
    std::vector<Stream*>& running = current_[std::this_thread::get_id()];
    running.pop_back();
    if (script_.pace && running.empty()) {  // work inside of work is part of it
      take_time(stream, began, computed);
    }
  };
  try {
    work();
  } catch (...) {
    leave();
    throw;
  }
  leave();
}

void FakeCuda::launch(std::function<void()> kernel) {
  const std::lock_guard lock(mutex_);
  const std::vector<Stream*>& running = current_[std::this_thread::get_id()];
  if (running.empty()) {
    throw std::logic_error("a kernel outside of the work of a stream");
  }
  enqueue(*running.back(), {.run = std::move(kernel), .waits_for = {}});
}

void FakeCuda::wait(CudaStreamHandle handle, CudaEventHandle event) {
  const std::lock_guard lock(mutex_);
  auto& stream = of<Stream>(handle);
  check(stream.device);
  const std::optional<Point>& point = of<Event>(event).point;
  if (point && script_.forgotten != Forgotten::event_waits) {
    enqueue(stream, {.run = nullptr, .waits_for = point});
  }
}

void FakeCuda::synchronise(CudaStreamHandle handle) {
  if (script_.delay) {
    script_.delay();
  }
  double end = 0;
  {
    const std::lock_guard lock(mutex_);
    auto& stream = of<Stream>(handle);
    check(stream.device);
    advance(stream, stream.num_given);
    end = stream.busy_until_ms;
  }
  sleep_until_ms(end);  // zero, and past, without a pace
}

CudaEventHandle FakeCuda::make_event(int device) {
  const std::lock_guard lock(mutex_);
  check(device);
  ++counts_.events_made;
  ++counts_.live_events;
  return to_handle<CudaEventHandle>(new Event{.device = device});
}

void FakeCuda::drop_event(CudaEventHandle handle) noexcept {
  const std::lock_guard lock(mutex_);
  delete &of<Event>(handle);
  --counts_.live_events;
}

void FakeCuda::record(CudaEventHandle handle, CudaStreamHandle on) {
  const std::lock_guard lock(mutex_);
  auto& stream = of<Stream>(on);
  check(stream.device);
  auto& event = of<Event>(handle);
  event.point = Point{.stream = &stream,
                      .place = stream.num_given,
                      .at_ms = std::max(stream.busy_until_ms, now_ms())};
  event.is_passed = false;
  (void)is_done(handle);
}

bool FakeCuda::is_done(CudaEventHandle handle) {
  const std::lock_guard lock(mutex_);
  auto& event = of<Event>(handle);
  check(event.device);
  if (script_.pace && event.point) {
    event.at_ms = event.point->at_ms;
    event.is_passed = host_ms() >= event.at_ms;
    return event.is_passed;
  }
  if (!event.is_passed && event.point && event.point->stream->num_done >= event.point->place) {
    const Point& point = *event.point;
    event.is_passed = true;
    event.at_ms = point.place == 0
                      ? now_ms()
                      : point.stream->done_at_ms[static_cast<std::size_t>(point.place - 1)];
  }
  return event.is_passed || !event.point;
}

void FakeCuda::synchronise(CudaEventHandle handle) {
  if (script_.delay) {
    script_.delay();
  }
  double end = 0;
  {
    const std::lock_guard lock(mutex_);
    auto& event = of<Event>(handle);
    check(event.device);
    if (script_.pace && event.point) {
      end = event.point->at_ms;
    } else if (event.point && !event.is_passed) {
      advance(*event.point->stream, event.point->place);
      (void)is_done(handle);
    }
  }
  sleep_until_ms(end);
}

float FakeCuda::milliseconds(CudaEventHandle from, CudaEventHandle to) {
  const std::lock_guard lock(mutex_);
  check(of<Event>(to).device);
  (void)is_done(from);
  (void)is_done(to);
  return static_cast<float>(of<Event>(to).at_ms - of<Event>(from).at_ms);
}

std::byte* FakeCuda::allocate(int device, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  check(device);
  Gpu& gpu = gpus_.at(static_cast<std::size_t>(device));
  reclaim(device);
  const double limit = static_cast<double>(script_.memory.value) *
                       (script_.forgotten == Forgotten::memory_limits ? 1.0 : gpu.fraction);
  const bool is_scripted = script_.full == device && gpu.allocations >= script_.full_after;
  if (is_scripted || static_cast<double>(gpu.used) + static_cast<double>(bytes) > limit) {
    ++gpu.refusals;
    throw CudaFailure(cuda_code::kOutOfMemory, "out of memory");
  }
  const auto free =
      std::ranges::find_if(gpu.free_blocks.rbegin(), gpu.free_blocks.rend(), [&](std::byte* begin) {
        return blocks_.at(begin)->bytes == bytes;
      });
  Block* block = nullptr;
  if (free != gpu.free_blocks.rend()) {
    block = blocks_.at(*free).get();
    gpu.free_blocks.erase(std::next(free).base());
  } else {
    auto made = std::make_unique<Block>(
        Block{.begin = new std::byte[bytes], .bytes = bytes, .device = device});
    block = made.get();
    blocks_.emplace(block->begin, std::move(made));
  }
  block->is_free = false;
  gpu.used += static_cast<std::int64_t>(bytes);
  gpu.peak = std::max(gpu.peak, gpu.used);
  gpu.high_water = std::max(gpu.high_water, gpu.used);
  ++gpu.allocations;
  ++counts_.live_blocks;
  return block->begin;
}

void FakeCuda::free(std::byte* begin) noexcept {
  const std::lock_guard lock(mutex_);
  Block& block = *blocks_.at(begin);
  block.is_free = true;
  gpus_[static_cast<std::size_t>(block.device)].used -= static_cast<std::int64_t>(block.bytes);
  --counts_.live_blocks;
  for (Stream* const stream : std::exchange(block.used_by, {})) {
    block.used_until.push_back({.stream = stream, .place = stream->num_given});
  }
  if (block.used_until.empty()) {
    give_back(block);
  }
}

void FakeCuda::give_back(Block& block) {
  gpus_[static_cast<std::size_t>(block.device)].free_blocks.push_back(block.begin);
}

// Blocks that were freed while streams used them, once those have come so far.
void FakeCuda::reclaim(int device) {
  for (auto& [begin, block] : blocks_) {
    if (!block->is_free || block->device != device || block->used_until.empty()) {
      continue;
    }
    std::erase_if(block->used_until,
                  [](const Point& point) { return point.stream->num_done >= point.place; });
    if (block->used_until.empty()) {
      give_back(*block);
    }
  }
}

void FakeCuda::use_on(std::byte* begin, CudaStreamHandle handle) {
  const std::lock_guard lock(mutex_);
  auto& stream = of<Stream>(handle);
  check(stream.device);
  if (script_.forgotten != Forgotten::uses_on_streams) {
    blocks_.at(begin)->used_by.insert(&stream);
  }
}

void FakeCuda::set_memory_fraction(int device, double fraction) {
  const std::lock_guard lock(mutex_);
  check(device);
  gpus_.at(static_cast<std::size_t>(device)).fraction = fraction;
}

CudaMemoryUse FakeCuda::memory_use(int device) {
  const std::lock_guard lock(mutex_);
  const Gpu& gpu = gpus_.at(static_cast<std::size_t>(device));
  return {.used = Bytes{gpu.used},
          .reserved = Bytes{gpu.used},
          .peak = Bytes{gpu.peak},
          .high_water = Bytes{gpu.high_water},
          .refusals = gpu.refusals,
          .allocations = gpu.allocations};
}

void FakeCuda::reset_peak(int device) noexcept {
  const std::lock_guard lock(mutex_);
  Gpu& gpu = gpus_[static_cast<std::size_t>(device)];
  gpu.peak = gpu.used;
}

std::byte* FakeCuda::allocate_pinned(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  auto* block = static_cast<std::byte*>(::operator new (bytes, std::align_val_t{64}));
  pinned_.emplace(block, bytes);
  ++counts_.pinned_made;
  return block;
}

void FakeCuda::free_pinned(std::byte* block) noexcept {
  const std::lock_guard lock(mutex_);
  pinned_.erase(block);
  ::operator delete (block, std::align_val_t{64});
}

MemoryPlace FakeCuda::place_of(const void* memory) {
  const std::lock_guard lock(mutex_);
  const auto* address = static_cast<const std::byte*>(memory);
  for (const auto& [begin, bytes] : pinned_) {
    if (address >= begin && address < begin + bytes) {
      return {.kind = MemoryKind::pinned};
    }
  }
  for (const auto& [begin, block] : blocks_) {
    if (address >= begin && address < begin + block->bytes) {
      return {.kind = MemoryKind::device, .device = block->device};
    }
  }
  return {.kind = script_.other_memory};
}

bool FakeCuda::reach_peer(int device, int /*peer*/) {
  const std::lock_guard lock(mutex_);
  check(device);
  return script_.peers_reach;
}

void FakeCuda::copy(CudaStreamHandle handle,
                    std::byte* to,
                    const std::byte* from,
                    std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  auto& stream = of<Stream>(handle);
  check(stream.device);
  const MemoryPlace target = place_of(to);
  const MemoryPlace source = place_of(from);
  const bool between = target.kind == MemoryKind::device && source.kind == MemoryKind::device &&
                       target.device != source.device;
  if (between && !script_.peers_reach) {
    throw std::logic_error("a peer copy between GPUs that cannot");
  }
  ++(between ? counts_.peer_copies : counts_.copies);
  enqueue(stream, {.run = [=] { std::memcpy(to, from, bytes); }, .waits_for = {}});
}

CudaGraphMemoryHandle FakeCuda::make_graph_memory() {
  return to_handle<CudaGraphMemoryHandle>(new std::byte);
}

void FakeCuda::drop_graph_memory(CudaGraphMemoryHandle memory) noexcept {
  delete &of<std::byte>(memory);
}

CudaGraphHandle FakeCuda::capture(CudaStreamHandle handle,
                                  CudaGraphMemoryHandle memory,
                                  const std::function<void()>& work) {
  auto graph = std::make_unique<Graph>();
  {
    const std::lock_guard lock(mutex_);
    check(of<Stream>(handle).device);
    if (script_.graphs == FakeGraphs::refused) {
      throw CudaFailure(cuda_code::kCaptureUnsupported, "operation not permitted while recording");
    }
    ++counts_.graphs_captured;
    recorded_in_.insert(memory);
    counts_.graph_memories = static_cast<std::int64_t>(recorded_in_.size());
    ++counts_.live_graphs;
    if (script_.graphs == FakeGraphs::of_work) {
      graph->work = work;
      return to_handle<CudaGraphHandle>(graph.release());
    }
    capturing_ = graph.get();
    capturing_on_ = &of<Stream>(handle);
  }
  const auto leave = [&] {
    const std::lock_guard lock(mutex_);
    capturing_ = nullptr;
  };
  try {
    run_on(handle, work);
  } catch (...) {
    leave();
    throw;
  }
  leave();
  return to_handle<CudaGraphHandle>(graph.release());
}

void FakeCuda::replay(CudaGraphHandle handle, CudaStreamHandle on) {
  auto& stream = of<Stream>(on);
  {
    const std::lock_guard lock(mutex_);
    check(stream.device);
    ++counts_.graphs_replayed;
  }
  if (of<Graph>(handle).work) {
    run_on(on, of<Graph>(handle).work);
  }
  const std::lock_guard lock(mutex_);
  for (const std::function<void()>& kernel : of<Graph>(handle).kernels) {
    enqueue(stream, {.run = kernel, .waits_for = {}});
  }
}

void FakeCuda::drop_graph(CudaGraphHandle handle) noexcept {
  const std::lock_guard lock(mutex_);
  delete &of<Graph>(handle);
  --counts_.live_graphs;
}

}  // namespace qanat
