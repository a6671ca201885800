#include "metrics/log_histogram.h"

#include <gtest/gtest.h>

namespace qanat {
namespace {

TEST(LogHistogramTest, TheMedianIsRightToAHalfOctave) {
  LogHistogram histogram;
  for (int i = 0; i < 90; ++i) {
    histogram.add(Seconds{0.002});
  }
  for (int i = 0; i < 10; ++i) {
    histogram.add(Seconds{1.5});
  }

  EXPECT_EQ(histogram.total(), 100);
  EXPECT_NEAR(histogram.median().count(), 0.002, 0.0005);
}

TEST(LogHistogramTest, TimesBeyondTheEndsAreCountedThere) {
  LogHistogram histogram;
  histogram.add(Seconds{0});
  histogram.add(Seconds{1e9});

  EXPECT_EQ(histogram.counts.front(), 1);
  EXPECT_EQ(histogram.counts.back(), 1);
  EXPECT_EQ(LogHistogram{}.median(), Seconds{0});
}

TEST(LogHistogramTest, AMiddleLiesInItsOwnBucket) {
  for (std::size_t i = 0; i < LogHistogram::kBuckets; ++i) {
    EXPECT_EQ(LogHistogram::bucket_of(LogHistogram::middle_of(i)), i);
  }
}

}  // namespace
}  // namespace qanat
