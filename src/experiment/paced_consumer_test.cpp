#include "experiment/paced_consumer.h"

#include <gtest/gtest.h>

namespace qanat {
namespace {

TEST(PacedConsumerTest, AConsumerThatIsAlwaysFedWaitsForNothing) {
  const TakeBatch at_once = [](const std::stop_token&) { return true; };

  const PacedReading seen = consume_at_pace(
      at_once, {.batches_per_second = 1000, .duration = Seconds{0.3}}, Clock::now(), {});

  EXPECT_LT(seen.wait_share, 0.3);  // only what a busy machine takes away
  EXPECT_GT(seen.batches_per_s, 0);
  EXPECT_LE(seen.batches_per_s, 1000);
}

TEST(PacedConsumerTest, TheShareOfTimeSpentInTheLoaderIsTheWait) {
  // Spinning as long as the consumer is busy: half of its time is lost.
  const TakeBatch slow = [](const std::stop_token&) {
    const Clock::time_point start = Clock::now();
    while (seconds_since(start) < Seconds{0.01}) {
    }
    return true;
  };

  const PacedReading seen = consume_at_pace(
      slow, {.batches_per_second = 100, .duration = Seconds{0.3}}, Clock::now(), {});

  EXPECT_GT(seen.wait_share, 0.05);
  EXPECT_LT(seen.batches_per_s, 60);
  EXPECT_GE(seen.first_batch, Seconds{0.01});
}

TEST(PacedConsumerTest, TheEndOfTheStreamEndsIt) {
  int left = 3;
  const TakeBatch three = [&left](const std::stop_token&) { return left-- > 0; };

  const PacedReading seen = consume_at_pace(
      three, {.batches_per_second = 1000, .duration = Seconds{60}}, Clock::now(), {});

  EXPECT_EQ(left, -1);
  EXPECT_EQ(seen.wanted_batches_per_s, 1000);
}

TEST(PacedConsumerTest, StopEndsItInTheMiddleOfAStep) {
  std::stop_source source;
  int taken = 0;
  const TakeBatch stop_at_the_second = [&](const std::stop_token&) {
    if (++taken == 2) {
      source.request_stop();
    }
    return true;
  };

  const Clock::time_point begin = Clock::now();
  consume_at_pace(stop_at_the_second,
                  {.batches_per_second = 10, .duration = Seconds{60}},
                  begin,
                  source.get_token());

  EXPECT_EQ(taken, 2);
  EXPECT_LT(seconds_since(begin), Seconds{10});
}

}  // namespace
}  // namespace qanat
