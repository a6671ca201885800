#include "base/thread.h"

#include <csignal>
#include <cstddef>
#include <future>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>

#include "base/error.h"

namespace qanat {
namespace {

using testing::HasSubstr;

TEST(ThreadTest, CarriesItsNameAndBlocksSignals) {
  std::promise<std::pair<std::string, bool>> seen;

  const std::jthread thread = start_thread("decode-0", [&](const std::stop_token&) {
    char name[16] = {};
    pthread_getname_np(pthread_self(), name, sizeof(name));
    sigset_t mask;
    pthread_sigmask(SIG_SETMASK, nullptr, &mask);
    seen.set_value({name, sigismember(&mask, SIGINT) == 1});
  });

  EXPECT_EQ(seen.get_future().get(), std::make_pair(std::string("decode-0"), true));
}

TEST(ThreadTest, LeavesTheCreatorsSignalMaskAlone) {
  const std::jthread thread = start_thread("t", [](const std::stop_token&) {});

  sigset_t mask;
  pthread_sigmask(SIG_SETMASK, nullptr, &mask);
  EXPECT_EQ(sigismember(&mask, SIGINT), 0);
}

// Threads are asked for with a stack of this size as long as it lives.
class StackSize {
 public:
  explicit StackSize(std::size_t bytes) {
    pthread_getattr_default_np(&before_);
    pthread_attr_t changed = before_;
    pthread_attr_setstacksize(&changed, bytes);
    pthread_setattr_default_np(&changed);
  }
  StackSize(const StackSize&) = delete;
  StackSize& operator=(const StackSize&) = delete;
  ~StackSize() {
    pthread_setattr_default_np(&before_);
    pthread_attr_destroy(&before_);
  }

 private:
  pthread_attr_t before_{};
};

TEST(ThreadTest, ASystemThatGivesNoMoreThreadsIsNamedWithItsLimits) {
  const StackSize more_than_can_be_addressed(std::size_t{1} << 50U);

  try {
    start_thread("one too many", [](const std::stop_token&) {});
    FAIL() << "a thread was started";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("ulimit -u"));
  }
}

TEST(ThreadTest, AThreadThatCouldNotBeStartedLeavesTheSignalMaskAlone) {
  const StackSize more_than_can_be_addressed(std::size_t{1} << 50U);
  const auto body = [](const std::stop_token&) {};

  EXPECT_THROW(start_thread("one too many", body), Error);

  sigset_t mask;
  pthread_sigmask(SIG_SETMASK, nullptr, &mask);
  EXPECT_EQ(sigismember(&mask, SIGINT), 0);
}

}  // namespace
}  // namespace qanat
