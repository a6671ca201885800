#include "base/thread.h"

#include <csignal>
#include <future>

#include <gtest/gtest.h>
#include <pthread.h>

namespace qanat {
namespace {

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

}  // namespace
}  // namespace qanat
