#include "app/demo_show.h"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/demo_show_table.h"

namespace qanat {
namespace {

using testing::HasSubstr;
using testing::Not;

PacedReading reading(const std::string& name, double got, double wait_share) {
  return {.name = name,
          .workers = 1,
          .batch = 32,
          .wanted_batches_per_s = 22,
          .batches_per_s = got,
          .wait_share = wait_share,
          .cores = 0.5,
          .first_batch = Seconds{0.25},
          .memory_mb = 40.0};
}

TEST(DemoShowTest, AConsumerThatIsAlwaysFedWaitsForNothing) {
  const TakeBatch at_once = [](const std::stop_token&) { return true; };

  const PacedReading seen = consume_at_pace(
      at_once, {.batches_per_second = 1000, .duration = Seconds{0.3}}, Clock::now(), {});

  EXPECT_LT(seen.wait_share, 0.3);  // only what a busy machine takes away
  EXPECT_GT(seen.batches_per_s, 0);
  EXPECT_LE(seen.batches_per_s, 1000);
}

TEST(DemoShowTest, TheShareOfTimeSpentInTheLoaderIsTheWait) {
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

TEST(DemoShowTest, TheEndOfTheStreamEndsTheShow) {
  int left = 3;
  const TakeBatch three = [&left](const std::stop_token&) { return left-- > 0; };

  const PacedReading seen = consume_at_pace(
      three, {.batches_per_second = 1000, .duration = Seconds{60}}, Clock::now(), {});

  EXPECT_EQ(left, -1);
  EXPECT_EQ(seen.wanted_batches_per_s, 1000);
}

TEST(DemoShowTest, StopEndsTheShowInTheMiddleOfAStep) {
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

TEST(DemoShowTest, AReadingSurvivesItsJsonForm) {
  const PacedReading before = reading("Qanat", 21.9, 0.002);

  const Result<PacedReading> after = read_paced_reading(to_json(before));

  ASSERT_TRUE(after.ok());
  EXPECT_EQ(after.value(), before);
}

TEST(DemoShowTest, AnObjectThatIsNoReadingIsRefusedWithTheMissingName) {
  const Result<PacedReading> result = read_paced_reading({{"name", "x"}, {"workers", 1}});

  ASSERT_FALSE(result.ok());
  EXPECT_THAT(result.failure().what, HasSubstr("batch"));
}

TEST(DemoShowTest, PeakMemoryIsAtLeastWhatWasTouched) {
  const std::vector<char> touched(32 << 20, 'x');

  const std::optional<Bytes> peak = peak_resident_memory();

  ASSERT_TRUE(peak.has_value());
  EXPECT_GT(*peak, Bytes{static_cast<std::int64_t>(touched.size())});
}

TEST(DemoShowTableTest, ShowsEveryLoaderInItsOwnLine) {
  const std::vector readings = {reading("Qanat", 21.9, 0.002), reading("other", 11.0, 0.5)};

  EXPECT_EQ(
      render_paced_table(readings),
      R"(                                     wanted        got  waits for   cores  first batch    memory
                                  batches/s  batches/s       data    used        after      peak
Qanat, 1 worker                        22.0       21.9      0.2 %    0.50       0.25 s     40 MB
other, 1 worker                        22.0       11.0     50.0 %    0.50       0.25 s     40 MB
)");
}

TEST(DemoShowTableTest, UnknownMemoryIsUnknown) {
  PacedReading unknown = reading("other", 11.0, 0.5);
  unknown.memory_mb.reset();

  EXPECT_THAT(render_paced_table(std::vector{unknown}), HasSubstr("unknown"));
}

TEST(DemoShowTableTest, TheVerdictSaysWhoKeepsThePace) {
  const std::vector readings = {reading("Qanat", 21.9, 0.002), reading("other", 11.0, 0.5)};

  EXPECT_EQ(paced_verdict(readings),
            "Asked for 22 batches of 32 per second, Qanat keeps the pace on 0.50 cores; other "
            "reaches 11.0, and its consumer waits 50 % of the time.");
}

TEST(DemoShowTableTest, TheVerdictDoesNotFlatterUs) {
  EXPECT_THAT(paced_verdict(std::vector{reading("Qanat", 9.0, 0.6)}), Not(HasSubstr("keeps")));
}

}  // namespace
}  // namespace qanat
