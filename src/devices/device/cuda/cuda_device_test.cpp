#include "device/cuda/cuda_device.h"

#include <array>
#include <future>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "device/cuda/cuda_testing.h"
#include "device/device_lost.h"
#include "device/out_of_memory.h"
#include "locale/says_testing.h"

namespace qanat {
namespace {

using cuda_testing::all_are;
using cuda_testing::fill;
using cuda_testing::kBlock;
using cuda_testing::Machine;
using testing::HasSubstr;

FakeCudaScript lazy(Forgotten forgotten = Forgotten::nothing) {
  return {.execution = FakeExecution::lazy, .forgotten = forgotten};
}

// One stream writes, another one waits for it and copies: what arrived.
bool copy_behind_a_writer_is_right(const FakeCudaScript& script) {
  const Machine machine(script);
  const auto device = machine.device(0);
  const auto from = device->allocate(kBlock);
  const auto to = device->allocate(kBlock);
  std::ranges::fill(from->bytes(), std::byte{0});
  const auto writer = device->make_stream("writer");
  const auto reader = device->make_stream("reader");
  const auto written = device->make_event();

  fill(*machine.fake, *writer, *from, 7);
  writer->record(*written);
  reader->wait(*written);
  reader->copy(to->bytes(), from->bytes());
  reader->synchronise();

  return all_are(to->bytes(), 7);
}

TEST(CudaDeviceTest, OrdersStreamsByEvents) {
  EXPECT_TRUE(copy_behind_a_writer_is_right(lazy()));
}

TEST(CudaDeviceTest, ReadsWrongBytesWhenAnEventWaitIsMissing) {
  EXPECT_FALSE(copy_behind_a_writer_is_right(lazy(Forgotten::event_waits)));
}

// Memory is freed while a copy out of it is still to come, and at once given to somebody else.
bool copy_out_of_freed_memory_is_right(const FakeCudaScript& script) {
  const Machine machine(script);
  const auto device = machine.device(0);
  auto from = device->allocate(kBlock);
  const auto to = device->allocate(kBlock);
  std::ranges::fill(from->bytes(), std::byte{7});
  const auto stream = device->make_stream("s");

  stream->copy(to->bytes(), from->bytes());
  from.reset();
  const auto other = device->allocate(kBlock);
  std::ranges::fill(other->bytes(), std::byte{9});
  stream->synchronise();

  return all_are(to->bytes(), 7);
}

TEST(CudaDeviceTest, KeepsFreedMemoryFromOthersUntilTheStreamIsDoneWithIt) {
  EXPECT_TRUE(copy_out_of_freed_memory_is_right(lazy()));
}

TEST(CudaDeviceTest, ReadsWrongBytesWhenAUseIsNotRecorded) {
  EXPECT_FALSE(copy_out_of_freed_memory_is_right(lazy(Forgotten::uses_on_streams)));
}

TEST(CudaDeviceTest, GivesFreedMemoryOutAgainOnceItsReaderIsDone) {
  const Machine machine(lazy());
  const auto device = machine.device(0);
  auto from = device->allocate(kBlock);
  const auto to = device->allocate(kBlock);
  std::byte* const place = from->bytes().data();
  const auto stream = device->make_stream("s");

  stream->copy(to->bytes(), from->bytes());
  from.reset();
  stream->synchronise();

  EXPECT_EQ(device->allocate(kBlock)->bytes().data(), place);
}

// Whether a device with a budget refuses what passes it.
bool refuses_beyond_its_budget(const FakeCudaScript& script) {
  const Machine machine(script);
  const auto device = machine.device(0, Bytes{100});
  const auto first = device->allocate(kBlock);
  try {
    (void)device->allocate(kBlock);
  } catch (const OutOfMemory& error) {
    EXPECT_EQ(error.device(), device->id());
    EXPECT_EQ(error.asked(), kBlock);
    EXPECT_EQ(error.used(), kBlock);
    EXPECT_EQ(error.limit(), Bytes{100});
    return true;
  }
  return false;
}

TEST(CudaDeviceTest, RefusesMoreThanItsBudgetWithTheErrorOfVirtualGpus) {
  EXPECT_TRUE(refuses_beyond_its_budget({}));
}

TEST(CudaDeviceTest, TakesMoreThanItsBudgetWhenTheLimitIsMissing) {
  EXPECT_FALSE(refuses_beyond_its_budget({.forgotten = Forgotten::memory_limits}));
}

TEST(CudaDeviceTest, LeavesTheOtherGpuAloneWhenOneIsFull) {
  const Machine machine({.full = 1});
  const auto data = machine.device(0);
  const auto model = machine.device(1);

  EXPECT_THROW((void)model->allocate(kBlock), OutOfMemory);
  EXPECT_NO_THROW((void)data->allocate(kBlock));
  EXPECT_EQ(model->memory().use().refusals, 1);
}

TEST(CudaDeviceTest, CountsMemoryAsTheAllocatorDoes) {
  const Machine machine({.memory = mebibytes(10)});
  const auto device = machine.device(0);
  { const auto gone = device->allocate(kBlock); }
  const auto kept = device->allocate(Bytes{16});

  const MemoryUse use = device->memory().use();

  EXPECT_EQ(use.used, Bytes{16});
  EXPECT_EQ(use.high_water, kBlock);
  EXPECT_EQ(use.limit, mebibytes(10));
  EXPECT_EQ(use.allocations, 2);
}

TEST(CudaDeviceTest, NamesTheCardAndItsLimit) {
  const Machine machine({.memory = mebibytes(1024)});

  EXPECT_THAT(machine.device(1)->description(), Says("Scripted GPU 1, 1024 MB, bus 0000:66:00.0"));
  EXPECT_THAT(machine.device(0, mebibytes(512))->description(),
              Says("Scripted GPU 0, 1024 MB, limited to 512 MB, bus 0000:65:00.0"));
}

TEST(CudaDeviceTest, LendsPinnedBlocksThatCopiesDoNotWaitFor) {
  const Machine machine({});
  const auto device = machine.device(0);
  const auto allocator = device->pinned_blocks();
  std::byte* const block = allocator->allocate(64);
  const auto memory = device->allocate(kBlock);
  const auto stream = device->make_stream("s");

  stream->copy(memory->bytes(), std::span<const std::byte>(block, 64));

  EXPECT_EQ(device->stats().host_waits, 0);
  allocator->release(block, 64);
}

TEST(CudaDeviceTest, MakesPinnedBlocksBeforeTheyAreAskedForAndKeepsThem) {
  const Machine machine({});
  const auto device = machine.device(0);
  const auto allocator = device->pinned_blocks();

  allocator->prepare(64, 3);
  EXPECT_EQ(machine.fake->counts().pinned_made, 3);
  for (int i = 0; i < 10; ++i) {
    std::byte* const one = allocator->allocate(64);
    std::byte* const other = allocator->allocate(64);
    EXPECT_NE(one, other);
    allocator->release(one, 64);
    allocator->release(other, 64);
  }

  EXPECT_EQ(machine.fake->counts().pinned_made, 3);
}

TEST(CudaDeviceTest, CountsACopyOfPageableMemoryAsAWaitOfTheHost) {
  const Machine machine({});
  const auto device = machine.device(0);
  const std::array<std::byte, 64> pageable{};
  const auto memory = device->allocate(kBlock);
  const auto stream = device->make_stream("s");

  stream->copy(memory->bytes(), pageable);

  EXPECT_EQ(device->stats().host_waits, 1);
}

TEST(CudaDeviceTest, CountsBusyTimeFromEvents) {
  const Machine machine({});  // a millisecond per operation
  const auto device = machine.device(0);
  const auto memory = device->allocate(kBlock);
  const auto stream = device->make_stream("s");

  const auto work = [&] {
    for (int i = 0; i < 300; ++i) {  // longer than anything holds the host up
      machine.fake->launch([] {});
    }
  };
  stream->submit(work);
  stream->submit(work);
  stream->copy(memory->bytes(), std::vector<std::byte>(64));
  stream->synchronise();

  const DeviceStats stats = device->stats();
  EXPECT_NEAR(stats.busy.count(), 0.6, 1e-6);
  EXPECT_NEAR(stats.copying.count(), 0.001, 1e-6);
  EXPECT_EQ(stats.copied, kBlock);
}

TEST(CudaDeviceTest, LeavesNothingBehind) {
  const Machine machine(lazy());
  {
    const auto device = machine.device(0);
    const auto memory = device->allocate(kBlock);
    const auto stream = device->make_stream("s");
    const auto event = device->make_event();
    fill(*machine.fake, *stream, *memory, 1);
    stream->then([] {});
    stream->record(*event);
    stream->synchronise();
  }

  const FakeCuda::Counts left = machine.fake->counts();
  EXPECT_EQ(left.live_events, 0);
  EXPECT_EQ(left.live_streams, 0);
  EXPECT_EQ(left.live_blocks, 0);
}

}  // namespace
}  // namespace qanat
