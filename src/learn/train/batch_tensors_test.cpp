#include "train/batch_tensors.h"

#include <gtest/gtest.h>

#include "train/train_step_testing.h"

namespace qanat {
namespace {

constexpr BatchShape kThreeRows{.rows = 3, .frames = 60, .tokens = 16};

ModelBatch tensors_of(const MadeUpBatch& batch,
                      const std::vector<ReferenceCrop>& crops,
                      RowRange rows = {.count = 3}) {
  return to_model_batch(batch.get(), rows, crops, torch::kCPU, /*speakers=*/2);
}

TEST(BatchTensorsTest, AReferenceHoldsTheFramesOfTheRowThatIsShown) {
  const MadeUpBatch batch({4, 5, 6}, kThreeRows);

  const ModelBatch tensors = tensors_of(batch,
                                        {{.row = 1, .first = 3, .frames = 8},
                                         {.row = 2, .first = 0, .frames = 20},
                                         {.row = 0, .first = 10, .frames = 9}});

  EXPECT_EQ(tensors.reference.size(1), 20);
  EXPECT_TRUE(torch::equal(tensors.reference[0].narrow(0, 0, 8), tensors.mel[1].narrow(0, 3, 8)));
  EXPECT_TRUE(torch::equal(tensors.reference[2].narrow(0, 0, 9), tensors.mel[0].narrow(0, 10, 9)));
  EXPECT_TRUE(torch::equal(tensors.reference_lengths, torch::tensor({8, 20, 9})));
}

TEST(BatchTensorsTest, WhatIsShownOfARowToAnotherCounts) {
  const MadeUpBatch batch({4, 5, 6}, kThreeRows);

  const ModelBatch tensors = tensors_of(batch,
                                        {{.row = 1, .first = 3, .frames = 8},
                                         {.row = 2, .first = 0, .frames = 20},
                                         {.row = 0, .first = 10, .frames = 9}});

  EXPECT_TRUE(torch::equal(tensors.mel_weights.sum(1).to(torch::kInt64), tensors.mel_lengths));
}

TEST(BatchTensorsTest, WhatARowIsShownOfItselfDoesNotCount) {
  const MadeUpBatch batch({4, 5, 6}, kThreeRows);

  const ModelBatch tensors = tensors_of(batch,
                                        {{.row = 0, .first = 3, .frames = 8},
                                         {.row = 0, .first = 0, .frames = 20},
                                         {.row = 2, .first = 10, .frames = 0}});

  EXPECT_EQ(tensors.mel_weights[0].narrow(0, 3, 8).sum().item<int>(), 0);
  const torch::Tensor left_out = tensors.mel_lengths - tensors.mel_weights.sum(1);
  EXPECT_TRUE(torch::equal(left_out.to(torch::kInt64), torch::tensor({8, 0, 0})));
}

TEST(BatchTensorsTest, ARowMayBeShownOneOutsideOfItsMicrobatch) {
  const MadeUpBatch batch({4, 5, 6}, kThreeRows);
  const std::vector<ReferenceCrop> crops{
      {.row = 2, .first = 1, .frames = 9}, {.row = 0, .frames = 7}, {.row = 0, .frames = 5}};

  const ModelBatch whole = tensors_of(batch, crops);
  const ModelBatch microbatch = tensors_of(batch, crops, {.first = 1, .count = 1});

  EXPECT_TRUE(torch::equal(microbatch.reference[0], whole.reference[1].narrow(0, 0, 7)));
  EXPECT_TRUE(torch::equal(microbatch.mel_weights[0], whole.mel_weights[1]));
}

// Items 2 and 3 are of speaker 1, items 4 and 5 of speaker 2, whom a table of two does not have.
TEST(BatchTensorsTest, ASpeakerWhoIsLeftOutOrNotInTheTableIsNotSaid) {
  const MadeUpBatch batch({2, 3, 4}, kThreeRows);

  const ModelBatch tensors = tensors_of(
      batch, {{.row = 1, .show_speaker = true}, {.row = 0, .show_speaker = false}, {.row = 2}});

  EXPECT_TRUE(torch::equal(tensors.speakers, torch::tensor({1, -1, -1})));
}

}  // namespace
}  // namespace qanat
