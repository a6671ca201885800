#include "base/for_each_item.h"

#include <atomic>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

namespace qanat {
namespace {

class ForEachItemTest : public testing::TestWithParam<int> {};

TEST_P(ForEachItemTest, VisitsEveryItemOnce) {
  std::vector<int> visits(1000);

  const bool complete = for_each_item(
      visits.size(), {.threads = GetParam()}, [&](int, std::size_t item) { ++visits[item]; });

  EXPECT_TRUE(complete);
  EXPECT_EQ(visits, std::vector<int>(1000, 1));
}

TEST_P(ForEachItemTest, AWorkerIsNeverInTwoCalls) {
  const ParallelOptions options{.threads = GetParam()};
  std::vector<std::atomic<int>> inside(static_cast<std::size_t>(num_threads(options)));
  std::atomic<int> overlaps = 0;

  for_each_item(1000, options, [&](int worker, std::size_t) {
    std::atomic<int>& own = inside.at(static_cast<std::size_t>(worker));
    overlaps += own.fetch_add(1);
    own.fetch_sub(1);
  });

  EXPECT_EQ(overlaps, 0);
}

TEST_P(ForEachItemTest, ProgressRisesToTheTotal) {
  std::vector<std::int64_t> seen;  // progress is called by one thread at a time
  const ParallelOptions options{.threads = GetParam(),
                                .progress = [&](std::int64_t done, std::int64_t total) {
                                  EXPECT_EQ(total, 1000);
                                  seen.push_back(done);
                                }};

  for_each_item(1000, options, [](int, std::size_t) {});

  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
  EXPECT_EQ(seen.back(), 1000);
}

TEST_P(ForEachItemTest, StopEndsItAndIsSaid) {
  std::stop_source source;
  std::atomic<int> visits = 0;

  const bool complete = for_each_item(
      100'000, {.threads = GetParam(), .stop = source.get_token()}, [&](int, std::size_t item) {
        ++visits;
        if (item == 10) {
          source.request_stop();
        }
      });

  EXPECT_FALSE(complete);
  EXPECT_LT(visits, 100'000);
}

TEST_P(ForEachItemTest, AnExceptionReachesTheCaller) {
  const auto body = [](int, std::size_t item) {
    if (item == 500) {
      throw std::runtime_error("item 500");
    }
  };

  EXPECT_THROW(for_each_item(1000, {.threads = GetParam()}, body), std::runtime_error);
}

INSTANTIATE_TEST_SUITE_P(Threads, ForEachItemTest, testing::Values(0, 1, 2, 7));

TEST(ForEachItemEdgeTest, NothingIsComplete) {
  EXPECT_TRUE(for_each_item(0, {}, [](int, std::size_t) { FAIL(); }));
}

}  // namespace
}  // namespace qanat
