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
                    .on_full = [&](const DiskFull& full) { said.emplace_back(full.what()); },
                    .on_space =
                        [&](Seconds after) {
                          EXPECT_GE(after, Seconds{0.001});
                          said.emplace_back("space");
                        }},
                   [&] {
                     if (++attempts < 3) {
                       throw DiskFull("no space");
                     }
                   });

  EXPECT_EQ(attempts, 3);
  EXPECT_EQ(said, (std::vector<std::string>{"no space", "space"}));
}

TEST(DiskFullTest, TheWaitIsBounded) {
  const auto attempt = [] { throw DiskFull("no space"); };

  EXPECT_THROW(retry_while_full({.every = Seconds{0.001}, .timeout = Seconds{0.01}}, attempt),
               DiskFull);
}

TEST(DiskFullTest, AStopAllowsOneMoreAttempt) {
  std::stop_source stop;
  int attempts = 0;

  const auto attempt = [&] {
    ++attempts;
    stop.request_stop();
    throw DiskFull("no space");
  };
  EXPECT_THROW(
      retry_while_full({.every = Seconds{3600}, .timeout = Seconds{3600}, .stop = stop.get_token()},
                       attempt),
      DiskFull);

  EXPECT_EQ(attempts, 2);
}

TEST(DiskFullTest, OtherFailuresAreNotWaitedFor) {
  int attempts = 0;

  const auto attempt = [&] {
    ++attempts;
    throw Error("read-only");
  };
  EXPECT_THROW(retry_while_full({}, attempt), Error);

  EXPECT_EQ(attempts, 1);
}

}  // namespace
}  // namespace qanat
