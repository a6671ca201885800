#include "pipeline/bounded_buffer.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace qanat {
namespace {

std::stop_token never() {
  return {};
}

TEST(BoundedBufferTest, DeliversItemsInOrder) {
  BoundedBuffer<int> buffer(2);
  std::jthread producer([&](const std::stop_token& stop) {
    for (int i = 0; i < 100; ++i) {
      ASSERT_TRUE(buffer.push(i, stop));
    }
    buffer.close();
  });

  std::vector<int> seen;
  while (const auto item = buffer.pop(never())) {
    seen.push_back(*item);
  }

  ASSERT_EQ(seen.size(), 100U);
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
}

TEST(BoundedBufferTest, ManyProducersAndConsumersMoveEveryItemOnce) {
  BoundedBuffer<int> buffer(3);
  std::atomic<int> sum{0};
  const auto consume = [&] {
    while (const auto item = buffer.pop(never())) {
      sum += *item;
    }
  };
  const auto produce = [&] {
    for (int value = 1; value <= 200; ++value) {
      EXPECT_TRUE(buffer.push(value, never()));
    }
  };
  {
    const std::array<std::jthread, 3> consumers{
        std::jthread(consume), std::jthread(consume), std::jthread(consume)};
    {
      const std::array<std::jthread, 3> producers{
          std::jthread(produce), std::jthread(produce), std::jthread(produce)};
    }
    buffer.close();
  }

  EXPECT_EQ(sum, 3 * 200 * 201 / 2);
  EXPECT_EQ(buffer.stats().pushed, 600);
  EXPECT_EQ(buffer.stats().popped, 600);
}

TEST(BoundedBufferTest, RethrowsTheProducersFailureAfterTheLastItem) {
  BoundedBuffer<int> buffer(4);
  ASSERT_TRUE(buffer.push(7, never()));
  buffer.fail(std::make_exception_ptr(std::runtime_error("disk gone")));

  EXPECT_EQ(buffer.pop(never()), 7);
  EXPECT_THROW((void)buffer.pop(never()), std::runtime_error);
}

TEST(BoundedBufferTest, TheFirstFailureWins) {
  BoundedBuffer<int> buffer(4);
  buffer.fail(std::make_exception_ptr(std::runtime_error("first")));
  buffer.fail(std::make_exception_ptr(std::logic_error("second")));

  EXPECT_THROW((void)buffer.pop(never()), std::runtime_error);
}

TEST(BoundedBufferTest, NothingEntersAClosedBuffer) {
  BoundedBuffer<int> buffer(4);
  buffer.close();

  EXPECT_FALSE(buffer.push(1, never()));
  EXPECT_FALSE(buffer.pop(never()));
}

TEST(BoundedBufferTest, StopWakesAProducerBlockedOnAFullBuffer) {
  BoundedBuffer<int> buffer(1);
  ASSERT_TRUE(buffer.push(1, never()));
  std::jthread producer([&](const std::stop_token& stop) { EXPECT_FALSE(buffer.push(2, stop)); });

  producer.request_stop();
}

TEST(BoundedBufferTest, StopWakesAConsumerBlockedOnAnEmptyBuffer) {
  BoundedBuffer<int> buffer(1);
  std::jthread consumer([&](const std::stop_token& stop) { EXPECT_FALSE(buffer.pop(stop)); });

  consumer.request_stop();
}

TEST(BoundedBufferTest, APopGivesUpAfterItsTimeout) {
  BoundedBuffer<int> buffer(1);

  EXPECT_FALSE(buffer.pop(never(), Seconds{0}));
  EXPECT_EQ(buffer.stats().pop_wait.count, 0);
  EXPECT_FALSE(buffer.pop(never(), Seconds{0.001}));
  EXPECT_EQ(buffer.stats().pop_wait.count, 1);
  ASSERT_TRUE(buffer.push(3, never()));
  EXPECT_EQ(buffer.pop(never(), Seconds{0}), 3);
}

TEST(BoundedBufferTest, MoreCapacityWakesABlockedProducer) {
  BoundedBuffer<int> buffer(1);
  ASSERT_TRUE(buffer.push(1, never()));
  std::jthread producer([&] { EXPECT_TRUE(buffer.push(2, never())); });

  buffer.set_capacity(2);
  producer.join();

  EXPECT_EQ(buffer.stats().size, 2U);
}

TEST(BoundedBufferTest, CountsTheTimeAConsumerWaits) {
  BoundedBuffer<int> buffer(1);
  std::jthread consumer([&](const std::stop_token& stop) { EXPECT_EQ(buffer.pop(stop), 5); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // the measured thing itself
  ASSERT_TRUE(buffer.push(5, never()));
  consumer.join();

  const BufferStats stats = buffer.stats();
  EXPECT_EQ(stats.pop_wait.count, 1);
  EXPECT_GT(stats.pop_wait.total, Seconds{0.01});
  EXPECT_EQ(stats.push_wait.count, 0);
  EXPECT_GT(stats.occupancy.empty, Seconds{0.01});
}

TEST(BoundedBufferTest, CarriesItemsThatOnlyMove) {
  BoundedBuffer<std::unique_ptr<int>> buffer(1);
  ASSERT_TRUE(buffer.push(std::make_unique<int>(3), never()));

  EXPECT_EQ(**buffer.pop(never()), 3);
}

TEST(BoundedBufferTest, RefusesZeroCapacity) {
  EXPECT_THROW(BoundedBuffer<int>(0), Error);
}

TEST(BoundedBufferTest, TryPushRefusesWhatDoesNotFitAtOnce) {
  BoundedBuffer<int> buffer(1);

  EXPECT_TRUE(buffer.try_push(1));
  EXPECT_FALSE(buffer.try_push(2));
  EXPECT_EQ(buffer.pop({}), 1);
  EXPECT_TRUE(buffer.try_push(3));
  buffer.close();
  EXPECT_FALSE(buffer.try_push(4));

  EXPECT_EQ(buffer.pop({}), 3);
  EXPECT_EQ(buffer.pop({}), std::nullopt);
  EXPECT_EQ(buffer.stats().pushed, 2);
}

}  // namespace
}  // namespace qanat
