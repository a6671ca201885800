#include "experiment/experiment.h"

#include <string>

#include <gtest/gtest.h>

namespace qanat {
namespace {

// Takes a given number of batches and notes what it was asked for.
class ScriptedConsumer final : public BatchConsumer {
 public:
  explicit ScriptedConsumer(int batches) : left_(batches) {}

  std::optional<Delivery> take(const std::stop_token& stop) override {
    if (left_ == 0 || stop.stop_requested()) {
      return std::nullopt;
    }
    --left_;
    said += "t";
    return Delivery{.seconds = 0.5, .wait = 0.25};
  }
  void finish() override { said += "f"; }

  std::string said;

 private:
  int left_;
};

TEST(ExperimentTest, TheWarmUpIsFinishedBeforeTheFirstBatchThatCounts) {
  ScriptedConsumer consumer(10);

  const ExperimentRecord record = run_experiment(
      {.consumer = consumer, .warm_up = 2, .steps = 3, .on_warm = [&] { consumer.said += "w"; }});

  EXPECT_EQ(consumer.said, "ttfwtttf");
  EXPECT_TRUE(record.complete);
  EXPECT_TRUE(record.first.has_value());
  EXPECT_DOUBLE_EQ(record.seconds(), 1.5);
  EXPECT_DOUBLE_EQ(record.waited(), 0.75);
}

TEST(ExperimentTest, EnoughEndsIt) {
  ScriptedConsumer consumer(100);

  const ExperimentRecord record =
      run_experiment({.consumer = consumer, .enough = [](const ExperimentRecord& so_far) {
                        return so_far.seconds() >= 2;
                      }});

  EXPECT_EQ(record.deliveries.size(), 4U);
  EXPECT_TRUE(record.complete);
}

TEST(ExperimentTest, TheEndOfTheDataLeavesItIncomplete) {
  ScriptedConsumer consumer(3);

  const ExperimentRecord record = run_experiment({.consumer = consumer, .warm_up = 1, .steps = 5});

  EXPECT_EQ(record.deliveries.size(), 2U);
  EXPECT_FALSE(record.complete);
  EXPECT_EQ(consumer.said, "tfttf");
}

TEST(ExperimentTest, AnEndInTheWarmUpLeavesNothing) {
  ScriptedConsumer consumer(1);

  const ExperimentRecord record = run_experiment({.consumer = consumer, .warm_up = 2, .steps = 5});

  EXPECT_TRUE(record.deliveries.empty());
  EXPECT_FALSE(record.complete);
}

TEST(ExperimentTest, AStopEndsIt) {
  ScriptedConsumer consumer(100);
  std::stop_source stop;

  const ExperimentRecord record = run_experiment({.consumer = consumer,
                                                  .progress =
                                                      [&](std::int64_t done, std::int64_t) {
                                                        if (done == 3) {
                                                          stop.request_stop();
                                                        }
                                                      },
                                                  .stop = stop.get_token()});

  EXPECT_EQ(record.deliveries.size(), 3U);
  EXPECT_FALSE(record.complete);
}

}  // namespace
}  // namespace qanat
