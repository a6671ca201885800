#include "training/deadline.h"

#include <future>

#include <gtest/gtest.h>

namespace qanat {
namespace {

TEST(DeadlineTest, StopsWhenTheTimeIsOver) {
  std::promise<void> stopped;
  const Deadline deadline(time_after(Seconds{0.01}), {});
  const std::stop_callback tell(deadline.token(), [&stopped] { stopped.set_value(); });

  stopped.get_future().wait();

  EXPECT_TRUE(deadline.token().stop_requested());
}

TEST(DeadlineTest, IsStoppedWhenItsTimeIsAlreadyOver) {
  EXPECT_TRUE(Deadline(time_after(Seconds{0}), {}).token().stop_requested());
}

TEST(DeadlineTest, ForwardsTheStopOfTheUser) {
  std::stop_source user;
  const Deadline deadline(time_after(Seconds{3600}), user.get_token());
  EXPECT_FALSE(deadline.token().stop_requested());

  user.request_stop();

  EXPECT_TRUE(deadline.token().stop_requested());
}

TEST(DeadlineTest, EndsAtOnceAndDoesNotStopWhatItNoLongerLimits) {
  std::stop_token token;
  {
    const Deadline deadline(time_after(Seconds{3600}), {});
    token = deadline.token();
  }

  EXPECT_FALSE(token.stop_requested());
}

}  // namespace
}  // namespace qanat
