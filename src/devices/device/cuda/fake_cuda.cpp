#include "device/cuda/fake_cuda.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "device/cuda/fake_cuda_parts.h"

namespace qanat {

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
  counts_.contexts.insert(device);
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

// Takes the time of work that was computed between two moments, and that the host has launched now.
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
    if (capturing_ != nullptr && capturing_on_ == &stream &&
        script_.graphs == FakeGraphs::of_work) {
      capturing_->work = work;
      return;
    }
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
    ++counts_.event_waits[std::this_thread::get_id()];
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

CudaGraphMemoryHandle FakeCuda::make_graph_memory() {
  return to_handle<CudaGraphMemoryHandle>(new std::byte);
}

void FakeCuda::drop_graph_memory(CudaGraphMemoryHandle memory) noexcept {
  delete &of<std::byte>(memory);
}

CudaGraphHandle FakeCuda::begin_capture(CudaStreamHandle handle, CudaGraphMemoryHandle memory) {
  const std::lock_guard lock(mutex_);
  check(of<Stream>(handle).device);
  if (script_.graphs == FakeGraphs::refused) {
    throw CudaFailure(cuda_code::kCaptureUnsupported, "operation not permitted while recording");
  }
  if (!recording_in_.insert(memory).second) {
    // As libtorch's allocator says it, which knows no code of CUDA.
    throw std::logic_error("beginAllocateToPool: already recording to mempool_id");
  }
  auto graph = std::make_unique<Graph>();
  graph->memory = memory;
  ++counts_.graphs_captured;
  recorded_in_.insert(memory);
  counts_.graph_memories = static_cast<std::int64_t>(recorded_in_.size());
  ++counts_.live_graphs;
  capturing_ = graph.get();
  capturing_on_ = &of<Stream>(handle);
  return to_handle<CudaGraphHandle>(graph.release());
}

void FakeCuda::end_capture(CudaGraphHandle graph, CudaStreamHandle handle) {
  const std::lock_guard lock(mutex_);
  capturing_ = nullptr;
  check(of<Stream>(handle).device);
  if (num_invalid_ < script_.invalid_graphs) {
    ++num_invalid_;
    throw CudaFailure(cuda_code::kCaptureUnsupported, "operation failed due to a previous error");
  }
  recording_in_.erase(of<Graph>(graph).memory);
}

void FakeCuda::abandon_capture(CudaGraphHandle graph,
                               CudaStreamHandle /*handle*/,
                               CudaGraphMemoryHandle memory) noexcept {
  const std::lock_guard lock(mutex_);
  capturing_ = nullptr;
  recording_in_.erase(memory);
  drop_graph(graph);
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
