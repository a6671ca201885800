#include "monitor/bounded_caller.h"

#include <future>

#include <gtest/gtest.h>

namespace qanat {
namespace {

TEST(BoundedCallerTest, WhatReturnsInTimeIsDone) {
  BoundedCaller caller("test");
  int calls = 0;

  EXPECT_TRUE(caller.call([&calls] { ++calls; }, Seconds{60}));
  EXPECT_TRUE(caller.call([&calls] { ++calls; }, Seconds{60}));

  EXPECT_EQ(calls, 2);
  EXPECT_FALSE(caller.lost());
}

TEST(BoundedCallerTest, WhatHangsIsAbandonedAndNothingIsCalledAfterIt) {
  const auto release = std::make_shared<std::promise<void>>();
  const auto left = std::make_shared<std::promise<void>>();
  {
    BoundedCaller caller("test");

    EXPECT_FALSE(caller.call(
        [release, left] {
          release->get_future().wait();
          left->set_value();
        },
        Seconds{0.02}));
    EXPECT_TRUE(caller.lost());
    EXPECT_FALSE(caller.call([] { FAIL(); }, Seconds{60}));
  }  // does not wait: the call is still hanging

  release->set_value();
  left->get_future().wait();
}

}  // namespace
}  // namespace qanat
