// A CudaRuntime without a GPU, for tests: "device memory" is the host's, and the test decides what
// the GPUs do, when, and what they fail with.
//
// Two ways of running. Immediately: everything is done when it is asked for, in the order the host
// asks, which is always one of the orders a GPU may choose; libtorch computes on the CPU, so whole
// training runs work. Lazily: nothing is done before somebody waits for it, and then only what that
// needs, so that every wait that is missing shows as wrong bytes.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <vector>

#include "base/time.h"
#include "device/cuda/cuda_runtime.h"

namespace qanat {

// What the fake leaves out: the mistakes a backend could make.
enum class Forgotten { nothing, event_waits, uses_on_streams, memory_limits };

enum class FakeExecution { immediate, lazy };

// What recording does. A recording of kernels holds what was launched with launch(), so one of
// libtorch's work on the CPU is empty; a recording of work is that work, to be done again.
enum class FakeGraphs { refused, of_kernels, of_work };

struct FakeCudaScript {
  int gpus = 2;
  CudaVersions versions{.driver = 13020, .runtime = 13020};
  std::optional<int> fails_to_start;  // with this code of CUDA
  bool peers_reach = true;
  Bytes memory = mebibytes(1024);  // of each GPU
  int capability = 86;
  FakeExecution execution = FakeExecution::immediate;
  // Whose memory is none that was allocated here: a test's own, or libtorch's, which computes
  // there.
  MemoryKind other_memory = MemoryKind::pageable;
  // Work takes no time and is done when it is asked for, by the clock of the host: a GPU that is
  // faster than everything that launches. Otherwise an operation takes a millisecond of its own.
  bool is_infinitely_fast = false;
  // Work takes this many times as long as the host took to compute it, by the clock of the host: a
  // GPU that is behind its host, as those that are busy are. Needs immediate execution.
  std::optional<double> pace;
  // The last of what is launched comes so much later: a host that is held up. Needs a pace.
  Seconds launch_gap{0};
  std::optional<int> hasty;       // GPU that does its work at once, whatever the others do
  std::function<void()> delay{};  // called by whoever waits lazily, before anything is done
  Forgotten forgotten = Forgotten::nothing;
  FakeGraphs graphs = FakeGraphs::of_kernels;
  // So many recordings turn out invalid when they end, as CUDA says of what did something that is
  // not allowed meanwhile.
  int invalid_graphs = 0;
  // From this call on, counted over all that touch a GPU, every call for GPU `lost` fails with
  // `lost_code`.
  std::optional<std::int64_t> lost_after;
  int lost = 0;
  int lost_code = cuda_code::kUnknown;
  // GPU whose allocations fail, and how many succeed before.
  std::optional<int> full;
  std::int64_t full_after = 0;
};

class FakeCuda : public CudaRuntime {
 public:
  explicit FakeCuda(const FakeCudaScript& script);
  FakeCuda(const FakeCuda&) = delete;
  FakeCuda& operator=(const FakeCuda&) = delete;
  ~FakeCuda() override;

  // A kernel: to be called from work that a stream runs. Does nothing before its turn has come.
  void launch(std::function<void()> kernel);

  // What was asked for, for tests to look at.
  struct Counts {
    std::int64_t peer_copies = 0;
    std::int64_t copies = 0;
    std::int64_t graphs_captured = 0;
    std::int64_t graphs_replayed = 0;
    std::int64_t events_made = 0;
    std::int64_t pinned_made = 0;
    std::int64_t live_events = 0;
    std::int64_t live_streams = 0;
    std::int64_t live_blocks = 0;
    std::int64_t live_graphs = 0;
    std::int64_t graph_memories = 0;  // that graphs were recorded in
    std::set<int> contexts;           // GPUs that were touched
    std::map<std::thread::id, int> event_waits;
  };
  Counts counts() const;

  CudaVersions versions() noexcept override { return script_.versions; }
  int device_count() override;
  CudaFacts facts(int device) override;
  CudaStreamHandle make_stream(int device) override;
  void drop_stream(CudaStreamHandle handle) noexcept override;
  void run_on(CudaStreamHandle handle, const std::function<void()>& work) override;
  void wait(CudaStreamHandle handle, CudaEventHandle event) override;
  void synchronise(CudaStreamHandle handle) override;
  CudaEventHandle make_event(int device) override;
  void drop_event(CudaEventHandle handle) noexcept override;
  void record(CudaEventHandle handle, CudaStreamHandle on) override;
  bool is_done(CudaEventHandle handle) override;
  void synchronise(CudaEventHandle handle) override;
  float milliseconds(CudaEventHandle from, CudaEventHandle to) override;
  std::byte* allocate(int device, std::size_t bytes) override;
  void free(std::byte* begin) noexcept override;
  void use_on(std::byte* begin, CudaStreamHandle handle) override;
  void set_memory_fraction(int device, double fraction) override;
  CudaMemoryUse memory_use(int device) override;
  void reset_peak(int device) noexcept override;
  std::byte* allocate_pinned(int device, std::size_t bytes) override;
  void free_pinned(int device, std::byte* block) noexcept override;
  MemoryPlace place_of(int device, const void* memory) override;
  bool reach_peer(int device, int peer) override;
  void copy(CudaStreamHandle handle,
            std::byte* to,
            const std::byte* from,
            std::size_t bytes) override;
  CudaGraphMemoryHandle make_graph_memory() override;
  void drop_graph_memory(CudaGraphMemoryHandle memory) noexcept override;
  CudaGraphHandle begin_capture(CudaStreamHandle handle, CudaGraphMemoryHandle memory) override;
  void end_capture(CudaGraphHandle graph, CudaStreamHandle handle) override;
  void abandon_capture(CudaGraphHandle graph,
                       CudaStreamHandle handle,
                       CudaGraphMemoryHandle memory) noexcept override;
  void replay(CudaGraphHandle handle, CudaStreamHandle on) override;
  void drop_graph(CudaGraphHandle handle) noexcept override;

 private:
  struct Point;
  struct Operation;
  struct Stream;
  struct Event;
  struct Block;
  struct Gpu;
  struct Graph;

  void check(int device);
  void enqueue(Stream& stream, Operation operation);
  // Runs what `stream` has been given, up to `count` operations in all, and what those wait for.
  void advance(Stream& stream, std::int64_t count);
  void give_back(Block& block);
  void reclaim(int device);

  const FakeCudaScript script_;
  mutable std::recursive_mutex mutex_;  // guards everything below; work may call back in
  std::int64_t calls_ = 0;
  std::vector<Gpu> gpus_;
  std::vector<std::unique_ptr<Stream>> streams_;
  std::map<std::byte*, std::unique_ptr<Block>> blocks_;
  std::map<std::byte*, std::size_t> pinned_;
  std::set<CudaGraphMemoryHandle> recorded_in_;
  std::set<CudaGraphMemoryHandle> recording_in_;  // that a recording has and has not given back
  int num_invalid_ = 0;
  Counts counts_;
  MemoryPlace find(const void* memory) const;
  // Streams whose work is running on a thread, innermost last.
  std::map<std::thread::id, std::vector<Stream*>> current_;
  Graph* capturing_ = nullptr;
  const Stream* capturing_on_ = nullptr;
  // The clock of the GPUs.
  double now_ms() const;
  double host_ms() const;
  void take_time(Stream& stream, double began_ms, double computed_ms);
  void sleep_until_ms(double moment) const;
  double done_ms_ = 0;
  const Clock::time_point made_at_ = Clock::now();
};

}  // namespace qanat
