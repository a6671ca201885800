// Two processes learn what one does: several speakers, clips of unequal lengths, validation on.
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "training/replicas_testing.h"

namespace qanat {
namespace {

constexpr std::int64_t kSteps = 20;

class ReplicaEqualityTest : public ReplicasTest, public testing::WithParamInterface<TrainingTask> {
 protected:
  ReplicaEqualityTest() : ReplicasTest(/*utterances=*/44) {
    data_.write_manifest("metadata.csv", 0, 44, {"a", "b", "c", "d", "e", "f", "g", "h"});
  }

  // Batches of `rows` in each of its processes, computed in microbatches of 8.
  LoadedConfig of_rows(const std::string& name, int rows) const {
    LoadedConfig loaded = shared_config(name, rows, kSteps);
    TrainingConfig& training = loaded.values.training;
    training.task = GetParam();
    training.microbatch_size = 8;
    training.validate_every = 7;
    training.warmup_steps = 2;
    loaded.values.data.val_split = 0.1;
    loaded.values.model.speaker_table = true;
    loaded.values.vocoder.segment_frames = 12;
    loaded.values.vocoder.discriminator_start = 5;
    return loaded;
  }
};

TEST_P(ReplicaEqualityTest, TwoOfEightRowsLearnWhatOneOfSixteenDoes) {
  TrainListener alone;
  train(of_rows("alone", 16), alone);

  const auto runs = run(of_rows("shared", 8), {.world = 2});

  ASSERT_EQ(runs[0]->failure + runs[1]->failure, "");
  ASSERT_EQ(alone.losses.size(), static_cast<std::size_t>(kSteps));
  for (const auto& one : runs) {
    for (const auto& [step, loss] : alone.losses) {
      EXPECT_NEAR(one->listener.losses.at(step), loss, 1e-6 * std::abs(loss)) << "step " << step;
    }
    ASSERT_EQ(one->listener.validations.size(), 2U);
    for (std::size_t i = 0; i < 2; ++i) {
      const double loss = alone.validations.at(i).losses.total;
      EXPECT_NEAR(one->listener.validations[i].losses.total, loss, 1e-5 * std::abs(loss));
      EXPECT_EQ(one->listener.validations[i].frames, alone.validations.at(i).frames);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Tasks,
                         ReplicaEqualityTest,
                         testing::Values(TrainingTask::speech, TrainingTask::vocoder),
                         [](const auto& tested) {
                           return tested.param == TrainingTask::speech ? "speech" : "vocoder";
                         });

}  // namespace
}  // namespace qanat
