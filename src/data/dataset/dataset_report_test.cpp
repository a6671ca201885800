#include "dataset/dataset_report.h"

#include <algorithm>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace qanat {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

TEST(ClipLengthsTest, BinsAreRoundAndReachTheLongest) {
  const std::vector<double> seconds = {0.2, 0.3, 0.99, 1.0, 3.6};

  const std::vector<HistogramBin> bins = length_histogram(seconds);

  EXPECT_THAT(bins, SizeIs(15));
  EXPECT_EQ(bins[0], (HistogramBin{Seconds{0}, Seconds{0.25}, 1}));
  EXPECT_EQ(bins[4], (HistogramBin{Seconds{1}, Seconds{1.25}, 1}));
  EXPECT_EQ(bins[14].count, 1);
}

class HistogramTest : public testing::TestWithParam<double> {};

TEST_P(HistogramTest, CountsEveryClipInAtMostTwentyBins) {
  const std::vector<double> seconds = {0, GetParam() / 3, GetParam()};

  const std::vector<HistogramBin> bins = length_histogram(seconds);

  EXPECT_LE(bins.size(), 20U);
  EXPECT_EQ(std::accumulate(bins.begin(),
                            bins.end(),
                            std::int64_t{0},
                            [](std::int64_t sum, const auto& bin) { return sum + bin.count; }),
            3);
  EXPECT_LT(GetParam(), bins.back().to.count());
}

INSTANTIATE_TEST_SUITE_P(Longest,
                         HistogramTest,
                         testing::Values(0, 0.1, 1.99, 2, 10.1, 19.99, 20, 1199, 1200, 3600, 1e6));

TEST(ClipLengthsTest, NoClipsHaveNoLengths) {
  EXPECT_THAT(length_histogram({}), IsEmpty());
  EXPECT_EQ(summarise_lengths({}), std::nullopt);
}

TEST(ClipLengthsTest, SummaryNamesExtremesAndMiddle) {
  const LengthSummary summary = summarise_lengths({4, 1, 2, 9}).value();

  EXPECT_EQ(summary.shortest, Seconds{1});
  EXPECT_EQ(summary.median, Seconds{3});
  EXPECT_EQ(summary.mean, Seconds{4});
  EXPECT_NEAR(summary.p95.count(), 8.25, 1e-12);
  EXPECT_EQ(summary.longest, Seconds{9});
}

}  // namespace
}  // namespace qanat
