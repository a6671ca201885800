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

}  // namespace
}  // namespace qanat
