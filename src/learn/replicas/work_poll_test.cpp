#include "replicas/work_poll.h"

#include <stdexcept>

#include <gtest/gtest.h>

namespace qanat {
namespace {

constexpr std::chrono::milliseconds kShort{5};

class PolledWork : public c10d::Work {
 public:
  using Work::finish;
};

// Ends between the moment when the time is over and the one when its caller is told.
class LateWork : public PolledWork {
 public:
  explicit LateWork(std::exception_ptr failure = nullptr) : failure_(std::move(failure)) {}

  bool wait(std::chrono::milliseconds timeout) override {
    try {
      return PolledWork::wait(timeout);
    } catch (const std::exception&) {
      finish(failure_);
      throw;
    }
  }

 private:
  std::exception_ptr failure_;
};

std::exception_ptr lost_link() {
  return std::make_exception_ptr(std::runtime_error("connection closed by peer"));
}

std::string failure_of(c10d::Work& work) {
  try {
    (void)is_done(work, kShort);
    return "";
  } catch (const std::exception& error) {
    return error.what();
  }
}

TEST(WorkPollTest, WorkThatGoesOnIsNotDone) {
  PolledWork work;
  EXPECT_FALSE(is_done(work, kShort));

  work.finish();
  EXPECT_TRUE(is_done(work, kShort));
}

TEST(WorkPollTest, WorkThatEndsWhileItsTimeRunsOutIsDone) {
  LateWork work;

  EXPECT_TRUE(is_done(work, kShort));
}

TEST(WorkPollTest, AFailureIsThrownAlsoWhenItComesLate) {
  PolledWork failed;
  failed.finish(lost_link());
  LateWork late(lost_link());

  EXPECT_EQ(failure_of(failed), "connection closed by peer");
  EXPECT_EQ(failure_of(late), "connection closed by peer");
}

}  // namespace
}  // namespace qanat
