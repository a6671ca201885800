#include "base/thread.h"

#include <csignal>
#include <future>

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"

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

// In a process of its own, because the limit cannot be raised again.
TEST(ThreadTest, ASystemThatGivesNoMoreThreadsIsNamedWithItsLimits) {
  const pid_t child = ::fork();
  if (child == 0) {
    const rlimit none{.rlim_cur = 1 << 20, .rlim_max = 1 << 20};
    ::setrlimit(RLIMIT_AS, &none);
    try {
      start_thread("one too many", [](const std::stop_token&) {});
      ::_exit(1);
    } catch (const Error& error) {
      ::_exit(std::string(error.what()).find("ulimit -u") != std::string::npos ? 0 : 2);
    }
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_TRUE(WIFEXITED(status));
}

}  // namespace
}  // namespace qanat
