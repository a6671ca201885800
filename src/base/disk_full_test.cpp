#include "base/disk_full.h"

#include <cerrno>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace qanat {
namespace {

TEST(DiskFullTest, AnAttemptIsMadeAgainUntilThereIsSpace) {
  int attempts = 0;
  std::vector<std::string> said;

  retry_while_full({.every = Seconds{0.001},
                    .timeout = Seconds{60},
                    .say = [&](const std::string& line) { said.push_back(line); }},
                   [&] {
                     if (++attempts < 3) {
                       throw DiskFull("no space");
                     }
                   });

  EXPECT_EQ(attempts, 3);
  ASSERT_EQ(said.size(), 2U);
  EXPECT_EQ(said[0].rfind("no space; tried again", 0), 0U);
  EXPECT_EQ(said[1].rfind("there is space again", 0), 0U);
}

TEST(DiskFullTest, TheWaitIsBounded) {
  EXPECT_THROW(retry_while_full({.every = Seconds{0.001}, .timeout = Seconds{0.01}},
                                [] { throw DiskFull("no space"); }),
               DiskFull);
}

TEST(DiskFullTest, AStopAllowsOneMoreAttempt) {
  std::stop_source stop;
  int attempts = 0;

  EXPECT_THROW(
      retry_while_full({.every = Seconds{3600}, .timeout = Seconds{3600}, .stop = stop.get_token()},
                       [&] {
                         ++attempts;
                         stop.request_stop();
                         throw DiskFull("no space");
                       }),
      DiskFull);

  EXPECT_EQ(attempts, 2);
}

TEST(DiskFullTest, OtherFailuresAreNotWaitedFor) {
  int attempts = 0;

  EXPECT_THROW(retry_while_full({},
                                [&] {
                                  ++attempts;
                                  throw Error("read-only");
                                }),
               Error);

  EXPECT_EQ(attempts, 1);
}

}  // namespace
}  // namespace qanat
