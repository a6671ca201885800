#include "base/retry.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace qanat {
namespace {

Error refusal(int error) {
  return Error(Failure{.what = "refused", .trouble = FileTrouble{.path = "file", .error = error}});
}

class RetryErrorsTest : public testing::TestWithParam<int> {};

TEST_P(RetryErrorsTest, AnAttemptIsMadeAgainUntilTheSystemAllowsIt) {
  int attempts = 0;
  std::vector<std::string> said;

  retry_refused({.first = Seconds{0.001},
                 .on_wait = [&](const Error& refused) { said.emplace_back(refused.what()); },
                 .on_done =
                     [&](Seconds after) {
                       EXPECT_GE(after, Seconds{0.003});  // 1 ms, then twice as long
                       said.emplace_back("done");
                     }},
                [&] {
                  if (++attempts < 3) {
                    throw refusal(GetParam());
                  }
                });

  EXPECT_EQ(attempts, 3);
  EXPECT_EQ(said, (std::vector<std::string>{"refused", "done"}));
}

INSTANTIATE_TEST_SUITE_P(
    Errors,
    RetryErrorsTest,
    testing::Values(EINTR, EAGAIN, EIO, ESTALE, EMFILE, ENOSPC, EDQUOT, EACCES));

TEST(RetryRefusedTest, TheWaitIsBounded) {
  const auto attempt = [] { throw refusal(EIO); };

  EXPECT_THROW(retry_refused({.first = Seconds{0.001}, .timeout = Seconds{0.01}}, attempt), Error);
}

TEST(RetryRefusedTest, AFullDiskIsWaitedForLonger) {
  int attempts = 0;
  const auto attempt = [&] {
    ++attempts;
    throw refusal(ENOSPC);
  };

  EXPECT_THROW(retry_refused(
                   {.first = Seconds{0.001}, .timeout = Seconds{0}, .timeout_full = Seconds{0.005}},
                   attempt),
               Error);

  EXPECT_GT(attempts, 1);
}

TEST(RetryRefusedTest, AStopEndsThePauseAndLeavesTheGrace) {
  std::stop_source stop;
  int attempts = 0;

  const auto attempt = [&] {
    if (++attempts < 3) {
      stop.request_stop();
      throw refusal(EIO);
    }
  };
  retry_refused({.first = Seconds{0.001},
                 .max_pause = Seconds{3600},
                 .timeout = Seconds{3600},
                 .grace = Seconds{3600},
                 .stop = stop.get_token()},
                attempt);

  EXPECT_EQ(attempts, 3);
}

TEST(RetryRefusedTest, AfterAStopTheGraceIsTheBound) {
  std::stop_source stop;
  stop.request_stop();
  int attempts = 0;

  const auto attempt = [&] {
    ++attempts;
    throw refusal(ENOSPC);
  };
  EXPECT_THROW(retry_refused({.first = Seconds{0.001},
                              .timeout = Seconds{3600},
                              .timeout_full = Seconds{3600},
                              .grace = Seconds{0.005},
                              .stop = stop.get_token()},
                             attempt),
               Error);

  EXPECT_GT(attempts, 1);
}

TEST(RetryRefusedTest, FailuresThatAreNotTheSystemsAreNotTriedAgain) {
  int attempts = 0;

  const auto attempt = [&] {
    ++attempts;
    throw Error("not a number");
  };
  EXPECT_THROW(retry_refused({}, attempt), Error);

  EXPECT_EQ(attempts, 1);
}

TEST(RetryCallTest, ACallIsMadeAgainWhileTheErrorMayPass) {
  int calls = 0;

  const int result = retry_call([&] {
    errno = EIO;
    return ++calls < 3 ? -1 : 7;
  });

  EXPECT_EQ(result, 7);
  EXPECT_EQ(calls, 3);
}

TEST(RetryCallTest, AnErrorThatStaysIsReturnedWithItsErrno) {
  int calls = 0;

  const int result = retry_call([&] {
    ++calls;
    errno = ESTALE;
    return -1;
  });

  EXPECT_EQ(result, -1);
  EXPECT_EQ(errno, ESTALE);
  EXPECT_GT(calls, 2);
  EXPECT_LT(calls, 10);
}

// What a stop may have to wait for: a tenth of a second of pauses, of which the last is the longest.
TEST(RetryCallTest, AllPausesTogetherAreATenthOfASecond) {
  std::vector<Clock::time_point> calls;

  retry_call([&] {
    calls.push_back(Clock::now());
    errno = EIO;
    return -1;
  });

  ASSERT_EQ(calls.size(), 4U);
  EXPECT_GE(calls.back() - calls.front(), Seconds{0.1});
  EXPECT_GT(calls[3] - calls[2], calls[1] - calls[0]);
  std::vector<Seconds> least;  // a busy machine makes pauses longer, but not every time
  for (int i = 0; i < 5; ++i) {
    const Clock::time_point begin = Clock::now();
    retry_call([] {
      errno = EIO;
      return -1;
    });
    least.push_back(seconds_since(begin));
  }
  EXPECT_LT(std::ranges::min(least), Seconds{0.2});
}

TEST(RetryCallTest, AMissingFileIsNotTriedAgain) {
  int calls = 0;

  retry_call([&] {
    ++calls;
    errno = ENOENT;
    return -1;
  });

  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace qanat
