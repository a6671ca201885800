#include "doctor/outliers.h"

#include <vector>

#include <gtest/gtest.h>

namespace qanat {
namespace {

TEST(OutliersTest, AFewBadValuesDoNotMoveWhatIsUsual) {
  std::vector<double> values;
  for (int i = 0; i < 95; ++i) {
    values.push_back(10 + 0.1 * (i % 11 - 5));
  }
  values.insert(values.end(), 5, 1000.0);

  const Usual usual = usual_of(values, 0.01);

  EXPECT_NEAR(usual.middle, 10, 0.1);
  EXPECT_LT(usual.spread, 0.6);
  EXPECT_GT(usual.distance(1000), 100);
}

TEST(OutliersTest, EqualValuesHaveTheLeastSpread) {
  const std::vector<double> values(30, 2.0);

  EXPECT_EQ(usual_of(values, 0.25).spread, 0.25);
}

TEST(OutliersTest, WhatIsUsualFollowsThePlace) {
  std::vector<double> values;
  std::vector<double> places;
  for (int i = 0; i < 200; ++i) {
    places.push_back(i);
    values.push_back(2.0 * i);
  }

  const std::vector<Usual> usual = usual_by_place(values, places, 10, 1.0);

  EXPECT_NEAR(usual[100].middle, 200, 3);
  EXPECT_LT(usual[0].middle, 30) << "neighbors of the first lie on one side";
  EXPECT_GT(usual[199].middle, 370);
}

}  // namespace
}  // namespace qanat
