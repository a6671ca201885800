#include "metrics/binned_series.h"

#include <gtest/gtest.h>

namespace qanat {
namespace {

TEST(BinnedSeriesTest, KeepsTheExtremesOfAnyNumberOfValues) {
  EnvelopeSeries series;
  for (int i = 0; i < 100'003; ++i) {
    series.add(i, Envelope::of(i == 54'321 ? 99.0 : 1.0));
  }

  std::int64_t count = 0;
  double high = 0;
  for (const Bin<Envelope>& bin : series.bins()) {
    count += bin.count;
    high = std::max(high, bin.content.high);
  }
  EXPECT_LE(series.bins().size(), EnvelopeSeries::kMaxBins);
  EXPECT_GT(series.bins().size(), EnvelopeSeries::kMaxBins / 3);
  EXPECT_EQ(count, 100'003);
  EXPECT_EQ(high, 99.0);
  EXPECT_EQ(series.bins().front().first, 0);
  EXPECT_EQ(series.bins().back().last, 100'002);
}

TEST(BinnedSeriesTest, WhatFollowsBinsOfOtherSeriesIsJoinedToTheirSize) {
  EnvelopeSeries series;
  for (int i = 0; i < 300; ++i) {
    const double x = 1000.0 * i;
    series.add({.first = x,
                .last = x + 999,
                .count = 1000,
                .content = {.low = 1, .high = 3, .sum = 2000}});
  }
  for (int i = 0; i < 100'000; ++i) {
    series.add(300'000 + i, Envelope::of(2));
  }

  EXPECT_EQ(series.bins().size(), 400U);
  EXPECT_EQ(series.bins()[300].first, 300'000);
  EXPECT_DOUBLE_EQ(series.bins()[0].mean(), series.bins()[399].mean());
}

TEST(BinnedSeriesTest, WhatBeganLaterIsTakenBack) {
  EnvelopeSeries series;
  for (int i = 0; i < 100; ++i) {
    series.add(i, Envelope::of(i));
  }

  series.forget_from(40);

  EXPECT_EQ(series.bins().back().last, 39);
}

}  // namespace
}  // namespace qanat
