#include "device/cuda/cuda_stream.h"

#include <atomic>
#include <stdexcept>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "device/cuda/cuda_testing.h"
#include "device/device_lost.h"
#include "device/out_of_memory.h"

namespace qanat {
namespace {

using cuda_testing::all_are;
using cuda_testing::fill;
using cuda_testing::kBlock;
using cuda_testing::Machine;
using testing::HasSubstr;
using testing::ThrowsMessage;

// From the memory of one GPU into that of the other, behind whoever writes it.
bool copy_between_gpus_is_right(const FakeCudaScript& script, FakeCuda::Counts& counts) {
  const Machine machine(script);
  const auto data = machine.device(0);
  const auto model = machine.device(1);
  const auto from = data->allocate(kBlock);
  const auto to = model->allocate(kBlock);
  const auto writer = data->make_stream("prepare");
  const auto copier = model->make_stream("copy");
  const auto written = data->make_event();
  bool right = true;
  for (const int value : {3, 4}) {
    fill(*machine.fake, *writer, *from, value);
    writer->record(*written);
    copier->wait(*written);
    copier->copy(to->bytes(), from->bytes());
    copier->synchronise();
    right = right && all_are(to->bytes(), value);
  }
  counts = machine.fake->counts();
  return right;
}

TEST(CudaStreamTest, CopiesBetweenGpusThatReachEachOtherDirectly) {
  FakeCuda::Counts counts;

  EXPECT_TRUE(copy_between_gpus_is_right({.execution = FakeExecution::lazy}, counts));
  EXPECT_EQ(counts.peer_copies, 2);
  EXPECT_EQ(counts.copies, 0);
}

TEST(CudaStreamTest, CopiesThroughTheHostBetweenGpusThatDoNot) {
  FakeCuda::Counts counts;

  EXPECT_TRUE(
      copy_between_gpus_is_right({.peers_reach = false, .execution = FakeExecution::lazy}, counts));
  EXPECT_EQ(counts.peer_copies, 0);
  EXPECT_EQ(counts.copies, 4);
}

TEST(CudaStreamTest, CopiesWrongBytesThroughTheHostWithoutItsEvents) {
  FakeCuda::Counts counts;

  EXPECT_FALSE(copy_between_gpus_is_right(
      {.peers_reach = false, .execution = FakeExecution::lazy, .forgotten = Forgotten::event_waits},
      counts));
}

// The GPU that the bytes come from is fast, the one they go to has not begun.
TEST(CudaStreamTest, DoesNotFillTheBlockOnTheHostAgainBeforeItWasRead) {
  const Machine machine({.peers_reach = false, .execution = FakeExecution::lazy, .hasty = 0});
  const auto data = machine.device(0);
  const auto model = machine.device(1);
  const auto writer = data->make_stream("prepare");
  const auto copier = model->make_stream("copy");
  std::vector<std::unique_ptr<DeviceMemory>> from;
  std::vector<std::unique_ptr<DeviceMemory>> to;
  for (const int value : {3, 4}) {
    from.push_back(data->allocate(kBlock));
    to.push_back(model->allocate(kBlock));
    fill(*machine.fake, *writer, *from.back(), value);
    copier->copy(to.back()->bytes(), from.back()->bytes());
  }
  copier->synchronise();

  EXPECT_TRUE(all_are(to[0]->bytes(), 3));
  EXPECT_TRUE(all_are(to[1]->bytes(), 4));
}

TEST(CudaStreamTest, CallsBackWhenAllBeforeIsDoneAndSynchroniseWaitsForIt) {
  const Machine machine({.execution = FakeExecution::lazy});
  const auto device = machine.device(0);
  const auto memory = device->allocate(kBlock);
  const auto stream = device->make_stream("s");
  std::atomic<bool> was_right = false;

  fill(*machine.fake, *stream, *memory, 5);
  stream->then([&] { was_right = all_are(memory->bytes(), 5); });
  stream->synchronise();

  EXPECT_TRUE(was_right);
}

TEST(CudaStreamTest, ACallbackMayBeTheLastOwnerOfDeviceMemory) {
  const Machine machine({});
  const auto device = machine.device(0);
  const auto stream = device->make_stream("s");
  std::shared_ptr<DeviceMemory> memory = device->allocate(kBlock);

  stream->then([owned = std::move(memory)] {});
  stream->synchronise();

  EXPECT_EQ(device->memory().use().used, Bytes{0});
}

TEST(CudaStreamTest, KeepsAFailureOfItsWorkForWhoeverWaits) {
  const Machine machine({});
  const auto device = machine.device(0);
  const auto stream = device->make_stream("s");
  const auto other = device->make_stream("other");
  const auto event = device->make_event();
  bool was_called = false;

  stream->submit([] { throw Error("broken"); });
  stream->record(*event);
  stream->then([&] { was_called = true; });
  other->wait(*event);

  EXPECT_THAT([&] { stream->synchronise(); }, ThrowsMessage<Error>("broken"));
  EXPECT_THAT([&] { stream->submit([] {}); }, ThrowsMessage<Error>("broken"));
  EXPECT_THAT([&] { event->synchronise(); }, ThrowsMessage<Error>("broken"));
  EXPECT_THAT([&] { other->synchronise(); }, ThrowsMessage<Error>("broken"));
  EXPECT_TRUE(event->ready());
  EXPECT_TRUE(was_called);
}

TEST(CudaStreamTest, TurnsLibtorchsOutOfMemoryIntoTheTypedError) {
  const Machine machine({});
  const auto device = machine.device(1);
  const auto stream = device->make_stream("s");

  stream->submit([] { throw CudaFailure(cuda_code::kOutOfMemory, "CUDA out of memory"); });

  EXPECT_THROW(stream->synchronise(), OutOfMemory);
}

TEST(CudaStreamTest, SaysThatAGpuWasLostAndStillCallsBack) {
  const Machine machine({.lost_after = 40, .lost = 1});
  const auto device = machine.device(1);
  const auto stream = device->make_stream("s");
  int called = 0;
  for (int i = 0; i < 30; ++i) {
    stream->then([&called] { ++called; });
  }

  EXPECT_THROW(stream->synchronise(), DeviceLost);
  EXPECT_EQ(called, 30);
}

TEST(CudaStreamTest, RecordsWorkAndPlaysItAgain) {
  const Machine machine({});
  const auto device = machine.device(0);
  const auto stream = device->make_stream("s");
  int runs = 0;

  const std::unique_ptr<DeviceGraph> graph =
      stream->capture([&] { machine.fake->launch([&] { ++runs; }); });
  EXPECT_EQ(runs, 0);
  graph->replay();
  graph->replay();
  stream->synchronise();

  EXPECT_EQ(runs, 2);
}

TEST(CudaStreamTest, IsGoodAfterWorkThatCannotBeRecorded) {
  const Machine machine({.graphs = FakeGraphs::refused});
  const auto device = machine.device(0);
  const auto stream = device->make_stream("s");
  const auto nothing = [] {};

  EXPECT_THROW((void)stream->capture(nothing), Error);
  EXPECT_NO_THROW(stream->submit(nothing));
  EXPECT_NO_THROW(stream->synchronise());
}

// What CUDA finds invalid only in the end, and work that throws while it is recorded, both leave
// libtorch's allocator recording unless it is told.
TEST(CudaStreamTest, RecordsInTheSameMemoryAfterARecordingThatFailed) {
  const Machine machine({.invalid_graphs = 1});
  const auto device = machine.device(0);
  const auto stream = device->make_stream("s");
  int runs = 0;
  const auto work = [&] { machine.fake->launch([&] { ++runs; }); };

  EXPECT_THROW((void)stream->capture(work), Error);
  EXPECT_THROW((void)stream->capture([] { throw std::runtime_error("own"); }), std::runtime_error);
  const std::unique_ptr<DeviceGraph> graph = stream->capture(work);
  graph->replay();
  stream->synchronise();

  EXPECT_EQ(runs, 1);
  EXPECT_EQ(machine.fake->counts().live_graphs, 1);
}

// An operation of the scripted GPU takes a millisecond: 40 s of them.
TEST(CudaStreamTest, RenewsItsClockInLongRunsWithoutAWaitOfTheThreadThatLaunches) {
  const Machine machine({});
  const auto device = machine.device(0);
  const auto stream = device->make_stream("s");
  const auto event = device->make_event();
  const auto of_this_thread = [&] {
    return machine.fake->counts().event_waits[std::this_thread::get_id()];
  };
  const int before = of_this_thread();  // the first anchor
  constexpr int kRounds = 40;

  for (int second = 0; second < kRounds; ++second) {
    stream->submit([&] {
      for (int i = 0; i < 1000; ++i) {
        machine.fake->launch([] {});
      }
    });
    stream->record(*event);
    stream->then([] {});
    stream->synchronise();
    (void)event->passed_at();
  }

  EXPECT_EQ(of_this_thread(), before);
  int all = 0;
  for (const auto& [thread, waits] : machine.fake->counts().event_waits) {
    all += waits;
  }
  EXPECT_GE(all - before, kRounds + 4 * 3);  // four new anchors at least, of three attempts each
}

TEST(CudaStreamTest, TouchesNoGpuButItsOwn) {
  const Machine machine({.other_memory = MemoryKind::pageable});
  {
    const auto device = machine.device(1);
    const auto pinned = device->pinned_blocks();
    pinned->prepare(64, 2);
    std::byte* const block = pinned->allocate(64);
    const auto memory = device->allocate(kBlock);
    const auto stream = device->make_stream("s");
    stream->copy(memory->bytes(), {block, 64});
    stream->synchronise();
    pinned->release(block, 64);
  }

  EXPECT_THAT(machine.fake->counts().contexts, testing::ElementsAre(1));
}

TEST(CudaStreamTest, TellsWhenAnEventWasPassed) {
  const Machine machine({.execution = FakeExecution::lazy});
  const auto device = machine.device(0);
  const auto memory = device->allocate(kBlock);
  const auto stream = device->make_stream("s");
  const auto first = device->make_event();
  const auto second = device->make_event();
  EXPECT_TRUE(first->ready());
  EXPECT_FALSE(first->passed_at());

  fill(*machine.fake, *stream, *memory, 1);
  stream->record(*first);
  fill(*machine.fake, *stream, *memory, 2);
  stream->record(*second);
  EXPECT_FALSE(second->ready());
  second->synchronise();

  EXPECT_NEAR(Seconds(*second->passed_at() - *first->passed_at()).count(), 0.001, 1e-6);
  EXPECT_EQ(device->stats().host_waits, 1);
}

// A host that computes in the middle of what it launches: the GPU is given a kernel before and one
// after, and has nothing to do in between.
TEST(CudaBusyTest, AGapThatTheHostLeavesIsNotBusy) {
  const cuda_testing::Machine machine({.is_infinitely_fast = true});
  const std::unique_ptr<CudaDevice> device = machine.device(0);
  const std::unique_ptr<DeviceStream> stream = device->make_stream("work");
  const Clock::time_point begin = Clock::now();

  stream->submit([&] {
    machine.fake->launch([] {});
    while (Clock::now() - begin < std::chrono::milliseconds(30)) {  // the host computes
    }
    machine.fake->launch([] {});
  });
  stream->synchronise();

  EXPECT_LT(device->stats().busy.count(), 0.01);
}

TEST(CudaBusyTest, WorkThatIsBehindTheHostIsBusy) {
  const cuda_testing::Machine machine({});
  const std::unique_ptr<CudaDevice> device = machine.device(0);
  const std::unique_ptr<DeviceStream> stream = device->make_stream("work");

  stream->submit([&] {
    for (int i = 0; i < 300; ++i) {  // of a millisecond each
      machine.fake->launch([] {});
    }
  });
  stream->synchronise();

  EXPECT_GT(device->stats().busy.count(), 0.29);
}

}  // namespace
}  // namespace qanat
