#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dataset/sound_findings.h"

namespace qanat {
namespace {

using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;

// 13.0, 13.1, ... 16.9 characters per second.
std::vector<double> usual_paces() {
  std::vector<double> paces;
  paces.reserve(40);
  for (int i = 0; i < 40; ++i) {
    paces.push_back(13.0 + 0.1 * i);
  }
  return paces;
}

TEST(SpeakingPaceTest, AnOrdinarySetHasNoOutliers) {
  EXPECT_THAT(pace_outliers(usual_paces()), IsEmpty());
}

TEST(SpeakingPaceTest, MuchFasterAndMuchSlowerAreFound) {
  std::vector<double> paces = usual_paces();
  paces[3] = 40;
  paces[7] = 4;

  const std::vector<PaceOutlier> outliers = pace_outliers(paces);

  EXPECT_THAT(outliers, ElementsAre(Field(&PaceOutlier::item, 3), Field(&PaceOutlier::item, 7)));
  EXPECT_NEAR(outliers[0].usual, 15, 0.2);
}

TEST(SpeakingPaceTest, ManyOutliersDoNotHideEachOther) {
  std::vector<double> paces = usual_paces();
  std::fill(paces.begin(), paces.begin() + 12, 60.0);

  EXPECT_EQ(pace_outliers(paces).size(), 12U);
}

TEST(SpeakingPaceTest, AMachinesEvenPaceIsNoReasonToCallTheRestOdd) {
  std::vector<double> paces(100, 15.0);
  paces[5] = 15.2;

  EXPECT_THAT(pace_outliers(paces), IsEmpty());
}

TEST(SpeakingPaceTest, AFewClipsSayNothingAboutWhatIsUsual) {
  EXPECT_THAT(pace_outliers(std::vector<double>{10, 10, 10, 100}), IsEmpty());
}

}  // namespace
}  // namespace qanat
