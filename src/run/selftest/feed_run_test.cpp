#include "selftest/feed_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/session_testing.h"
#include "locale/messages/demo.h"

namespace qanat {
namespace {

class FeedRunTest : public testing::Test {
 protected:
  FeedRequest request() {
    const LoaderRequest loader = data_.request();
    RunConfig config = data_.config();
    return {.config = config,
            .data = {.set = loader.set, .text = loader.text},
            .step = Seconds{0.01},
            .slow = Seconds{0.004},
            .length = {.warm_up = 2, .steps = 6},
            .rounds = 2};
  }

  SmallDataSet data_;
};

TEST_F(FeedRunTest, EveryModeIsFedInTurnsWithWarmFilesAndSlowStorage) {
  FeedRequest request = this->request();
  std::int64_t done = 0;
  std::int64_t total = 0;
  request.progress = [&](std::int64_t now, std::int64_t all) {
    done = now;
    total = all;
  };

  const std::optional<FeedTable> table = run_feed(request);

  ASSERT_TRUE(table.has_value());
  ASSERT_EQ(table->parts.size(), 2U);
  EXPECT_EQ(done, total);
  for (const FeedPart& part : table->parts) {
    ASSERT_EQ(part.rows.size(), 4U);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(part.rows[i].turns.size(), 2U);
      // The device's own pace is the most there is.
      EXPECT_LE(typical_turn(part.rows[i])->steps_per_s, 101);
      EXPECT_GT(typical_turn(part.rows[i])->cores, 0);
    }
    EXPECT_EQ(part.rows[3].skipped, MessageArg(msg::feed_no_program{}));
  }
}

// Four files that answer 4 ms late, one after the other, and a step of 10 ms: serial takes 26 ms
// for what a buffer with four workers hides.
TEST_F(FeedRunTest, SlowStorageIsSeenBySerialAndHiddenByABuffer) {
  const std::optional<FeedTable> table = run_feed(request());

  ASSERT_TRUE(table.has_value());
  const std::vector<FeedRow>& slow = table->parts[1].rows;
  EXPECT_GT(typical_turn(slow[0])->wait_share, 0.5);
  EXPECT_EQ(typical_turn(slow[0])->readiness, 0);
  EXPECT_LT(typical_turn(slow[1])->wait_share, typical_turn(slow[0])->wait_share);
}

TEST_F(FeedRunTest, AStoppedRunIsNoReading) {
  FeedRequest request = this->request();
  std::stop_source stop;
  stop.request_stop();
  request.stop = stop.get_token();

  EXPECT_FALSE(run_feed(request).has_value());
}

}  // namespace
}  // namespace qanat
