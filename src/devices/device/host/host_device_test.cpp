#include "device/host/host_device.h"

#include <atomic>
#include <future>
#include <memory>
#include <numeric>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mman.h>

#include "base/error.h"
#include "device/out_of_memory.h"

namespace qanat {
namespace {

HostDeviceOptions virtual_gpu(int index = 0) {
  return {.id = {.kind = DeviceKind::virtual_gpu, .index = index}};
}

TEST(HostDeviceTest, RunsTheWorkOfAStreamInOrderAndAsynchronously) {
  HostDevice device(virtual_gpu());
  const auto stream = device.make_stream("s");
  std::promise<void> go;
  std::vector<int> order;

  stream->submit([&] { go.get_future().wait(); });
  for (int i = 0; i < 100; ++i) {
    stream->submit([&order, i] { order.push_back(i); });
  }
  EXPECT_TRUE(order.empty());  // submit() came back although the first piece has not
  go.set_value();
  stream->synchronise();

  std::vector<int> expected(100);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(order, expected);
}

// Its first copy would otherwise pay for the pages.
TEST(HostDeviceTest, MemoryIsThereWhenItIsAllocated) {
  constexpr std::size_t kPage = 4096;
  HostDevice device(virtual_gpu());
  const auto memory = device.allocate(mebibytes(64));  // more than an allocator keeps back
  const std::span<std::byte> bytes = memory->bytes();
  void* begin = bytes.data();
  std::size_t room = bytes.size();
  ASSERT_NE(std::align(kPage, kPage, begin, room), nullptr);
  std::vector<unsigned char> resident(room / kPage);

  ASSERT_EQ(::mincore(begin, resident.size() * kPage, resident.data()), 0);

  EXPECT_THAT(resident, testing::Each(testing::Truly([](unsigned char page) { return page & 1; })));
}

TEST(HostDeviceTest, AWaitOrdersStreamsOfDifferentDevices) {
  HostDevice first(virtual_gpu(0));
  HostDevice second(virtual_gpu(1));
  const auto producer = first.make_stream("p");
  const auto consumer = second.make_stream("c");
  const auto event = first.make_event();
  std::promise<void> go;
  std::atomic<int> value = 0;
  std::atomic<int> seen = -1;

  producer->submit([&] {
    go.get_future().wait();
    value = 7;
  });
  producer->record(*event);
  consumer->wait(*event);
  consumer->submit([&] { seen = value.load(); });
  EXPECT_FALSE(event->ready());
  go.set_value();
  consumer->synchronise();

  EXPECT_EQ(seen, 7);
  EXPECT_TRUE(event->ready());
  EXPECT_TRUE(event->passed_at().has_value());
}

TEST(HostDeviceTest, AWaitRefersToTheRecordingBeforeIt) {
  std::promise<void> go;  // outlives the stream that waits for it
  HostDevice device(virtual_gpu());
  const auto producer = device.make_stream("p");
  const auto consumer = device.make_stream("c");
  const auto event = device.make_event();

  producer->record(*event);
  consumer->wait(*event);
  producer->submit([&] { go.get_future().wait(); });
  producer->record(*event);  // moves the event; the consumer's wait stays where it was

  consumer->synchronise();
  EXPECT_FALSE(event->ready());
  go.set_value();
}

TEST(HostDeviceTest, AnEventThatWasNeverRecordedHoldsNobody) {
  HostDevice device(virtual_gpu());
  const auto stream = device.make_stream("s");
  const auto event = device.make_event();

  stream->wait(*event);
  stream->synchronise();

  EXPECT_TRUE(event->ready());
}

TEST(HostDeviceTest, AFailureReachesWhoeverWaitsForTheStream) {
  HostDevice device(virtual_gpu());
  const auto producer = device.make_stream("p");
  const auto consumer = device.make_stream("c");
  const auto event = device.make_event();
  std::promise<void> go;
  bool ran = false;
  const auto nothing = [] {};

  producer->submit([&] {
    go.get_future().wait();  // a stream that has failed already takes no more work
    throw Error("broken");
  });
  producer->record(*event);
  consumer->wait(*event);
  consumer->submit([&] { ran = true; });
  go.set_value();

  EXPECT_THROW(consumer->synchronise(), Error);
  EXPECT_THROW(event->synchronise(), Error);
  EXPECT_THROW(producer->submit(nothing), Error);
  EXPECT_FALSE(ran);
}

TEST(HostDeviceTest, DestroyingAStreamDropsPendingWorkAndFreesItsWaiters) {
  HostDevice device(virtual_gpu());
  auto stuck = device.make_stream("stuck");
  const auto other = device.make_stream("other");
  const auto never = device.make_event();
  const auto after = device.make_event();
  std::promise<void> go;
  other->submit([&] { go.get_future().wait(); });
  other->record(*never);
  bool settled = false;

  stuck->wait(*never);
  stuck->then([&] { settled = true; });
  stuck->record(*after);
  stuck.reset();

  EXPECT_TRUE(settled);
  EXPECT_THROW(after->synchronise(), Error);
  go.set_value();
}

TEST(HostDeviceTest, ThenRunsAfterTheCopyBeforeIt) {
  HostDevice device({.id = {.kind = DeviceKind::virtual_gpu},
                     .link = {.bytes_per_second = 1e6, .latency = Seconds(0.001)}});
  const auto stream = device.make_stream("copy");
  std::vector<std::byte> from(2000, std::byte{5});
  std::vector<std::byte> to(2000);
  std::promise<std::byte> last;

  const Clock::time_point begin = Clock::now();
  stream->copy(to, from);
  stream->then([&] { last.set_value(to.back()); });

  EXPECT_EQ(last.get_future().get(), std::byte{5});
  EXPECT_GE(seconds_since(begin), Seconds(0.003));  // 1 ms + 2000 B at 1 MB/s
  EXPECT_EQ(device.stats().copied, Bytes{2000});
  EXPECT_GE(device.stats().copying, Seconds(0.003));
}

TEST(HostDeviceTest, CountsTheTimeItsStreamsAreBusyOnce) {
  HostDevice device(virtual_gpu());
  const auto a = device.make_stream("a");
  const auto b = device.make_stream("b");
  std::promise<void> both;
  const std::shared_future<void> go = both.get_future().share();
  const Clock::time_point begin = Clock::now();

  a->submit([go] { go.wait(); });
  b->submit([go] { go.wait(); });
  both.set_value();
  a->synchronise();
  b->synchronise();

  EXPECT_LE(device.stats().busy, seconds_since(begin));
  EXPECT_GT(device.stats().busy, Seconds(0));
}

TEST(HostDeviceTest, RefusesMemoryOverTheBudgetOnThatDeviceOnly) {
  HostDeviceOptions options = virtual_gpu(0);
  options.memory_limit = Bytes{1000};
  HostDevice small(options);
  HostDevice other(virtual_gpu(1));
  const auto held = small.allocate(Bytes{600});

  EXPECT_THROW((void)small.allocate(Bytes{500}), OutOfMemory);
  EXPECT_NE(other.allocate(Bytes{500}), nullptr);
  EXPECT_EQ(small.memory().use().used, Bytes{600});
  EXPECT_EQ(small.memory().use().refusals, 1);
  EXPECT_EQ(other.memory().use().refusals, 0);
}

TEST(HostDeviceTest, GivesReleasedMemoryBackExactly) {
  HostDevice device(virtual_gpu());
  {
    const auto a = device.allocate(Bytes{100});
    const auto b = device.allocate(Bytes{50});
    EXPECT_EQ(device.memory().use().used, Bytes{150});
  }

  EXPECT_EQ(device.memory().use().used, Bytes{0});
  EXPECT_EQ(device.memory().use().peak, Bytes{150});
}

TEST(HostDeviceTest, PoisonsMemoryBeforeItsFirstUse) {
  HostDeviceOptions options = virtual_gpu();
  options.poison = Poison::on;
  HostDevice device(options);

  const auto memory = device.allocate(Bytes{256});

  EXPECT_THAT(memory->bytes(), testing::Each(kPoison));
}

TEST(HostDeviceTest, BindsItsStreamsToItsCores) {
  cpu_set_t allowed;
  sched_getaffinity(0, sizeof(allowed), &allowed);
  int core = 0;
  while (!CPU_ISSET(static_cast<std::size_t>(core), &allowed)) {
    ++core;
  }
  HostDeviceOptions options = virtual_gpu();
  options.cores = {core};
  HostDevice device(options);
  const auto stream = device.make_stream("s");
  cpu_set_t seen;

  stream->submit([&] { sched_getaffinity(0, sizeof(seen), &seen); });
  stream->synchronise();

  EXPECT_EQ(CPU_COUNT(&seen), 1);
  EXPECT_TRUE(CPU_ISSET(static_cast<std::size_t>(core), &seen));
  const auto copies = device.make_copy_stream("c");
  copies->submit([&] { sched_getaffinity(0, sizeof(seen), &seen); });
  copies->synchronise();
  EXPECT_TRUE(CPU_EQUAL(&seen, &allowed)) << "the engine for copies is beside those cores";
}

TEST(HostDeviceTest, CountsHostWaits) {
  HostDevice device(virtual_gpu());
  const auto stream = device.make_stream("s");
  const auto event = device.make_event();

  stream->record(*event);
  EXPECT_EQ(device.stats().host_waits, 0);
  stream->synchronise();
  event->synchronise();  // passed already: does not block

  EXPECT_EQ(device.stats().host_waits, 1);
}

}  // namespace
}  // namespace qanat
