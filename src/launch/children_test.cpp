#include "launch/children.h"

#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "locale/translator.h"

namespace qanat {
namespace {

using testing::Contains;
using testing::HasSubstr;

class ChildrenTest : public testing::Test {
 protected:
  ChildrenTest()
      : folder_(std::filesystem::path(testing::TempDir()) /
                testing::UnitTest::GetInstance()->current_test_info()->name()) {}

  int run(const std::string& script, int count = 2) {
    return run_children(
        {.count = count,
         .command = {"/bin/sh", "-c", script, "sh", folder_.string()},
         .logs = folder_,
         .is_quiet = is_quiet_,
         .patience = Seconds(patience_),
         .stop = stop_.get_token(),
         .say = [this](const Message& line) { said_.push_back(Translator().tr(line)); }});
  }
  std::string log(int rank) const {
    std::ifstream file(folder_ / ("rank-" + std::to_string(rank) + ".log"));
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }

  const std::filesystem::path folder_;
  std::stop_source stop_;
  double patience_ = 60;
  bool is_quiet_ = false;
  std::vector<std::string> said_;
};

TEST_F(ChildrenTest, EachHasARankAndAllMeetAtOnePort) {
  const int code = run("echo $RANK/$WORLD_SIZE $LOCAL_RANK/$LOCAL_WORLD_SIZE $MASTER_ADDR", 3);

  EXPECT_EQ(code, 0);
  EXPECT_EQ(log(1), "1/3 1/3 127.0.0.1\n");
  EXPECT_EQ(log(2), "2/3 2/3 127.0.0.1\n");
}

TEST_F(ChildrenTest, TheFirstFailureIsReportedWithItsLastLines) {
  const int code = run("[ $RANK = 0 ] || { echo cause; exit 7; }");

  EXPECT_EQ(code, 7);
  EXPECT_THAT(said_, Contains(HasSubstr("rank 1 ended first, with exit code 7")));
  EXPECT_THAT(said_, Contains("rank 1: cause"));
}

TEST_F(ChildrenTest, QuietOnesWriteToLogsAll) {
  is_quiet_ = true;

  EXPECT_EQ(run("echo I am $RANK"), 0);

  EXPECT_EQ(log(0), "I am 0\n");
  EXPECT_EQ(log(1), "I am 1\n");
}

TEST_F(ChildrenTest, ASignalIsReportedAsTheShellDoes) {
  EXPECT_EQ(run("[ $RANK = 0 ] || kill -9 $$"), 128 + 9);
}

TEST_F(ChildrenTest, OneThatDoesNotEndAfterAFailureIsKilled) {
  patience_ = 0.2;

  EXPECT_EQ(run("[ $RANK = 0 ] && exec sleep 600; exit 3"), 3);
}

// The children stop this process's token themselves: nothing depends on when.
TEST_F(ChildrenTest, AStopReachesEachOfThemOnce) {
  stop_.request_stop();

  const int code = run("trap 'echo stopped; exit 0' TERM; while :; do sleep 0.01; done");

  EXPECT_THAT(code, testing::AnyOf(0, 143));  // 143: before the trap was set
  EXPECT_TRUE(said_.empty());
}

TEST(FreePortTest, IsAPortOfTheKernelsChoice) {
  EXPECT_GT(free_port(), 1023);
}

}  // namespace
}  // namespace qanat
