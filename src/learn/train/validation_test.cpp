#include "train/validation.h"

#include <algorithm>
#include <memory>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "replicas/thread_group.h"
#include "train/full_memory_testing.h"
#include "train/speech_task.h"
#include "train/train_step_testing.h"

namespace qanat {
namespace {

constexpr BatchShape kSameText{.rows = 4, .frames = 40, .tokens = 8};
constexpr int kUpdates = 40;

// The same words in every row, spoken at a loudness of its own from beginning to end. Row r is
// spoken by r / `rows_per_speaker`.
Batch same_text_batch(int rows_per_speaker) {
  const BatchLayout layout = make_layout(kSameText, PayloadFormat{});
  Batch batch(std::make_shared<BlockPool>(layout.bytes, make_host_allocator()), layout, {}, 0);
  for (int row = 0; row < kSameText.rows; ++row) {
    const auto i = static_cast<std::size_t>(row);
    std::ranges::fill(batch.mel_row(row), -9.0F + 2.5F * static_cast<float>(row));
    std::ranges::fill(batch.token_row(row), 3);
    batch.mel_lengths()[i] = kSameText.frames;
    batch.token_lengths()[i] = kSameText.tokens;
    batch.speakers()[i] = row / rows_per_speaker;
    batch.items()[i] = static_cast<std::uint32_t>(row);
  }
  return batch;
}

// The batch with every row as its own reference, or with none.
ModelBatch leaking_tensors(const Batch& batch, bool shows_reference) {
  const auto whole = [](std::int64_t value) {
    return torch::full({kSameText.rows}, value, torch::kInt64);
  };
  ModelBatch tensors;
  tensors.tokens = torch::full({kSameText.rows, kSameText.tokens}, 3, torch::kInt64);
  tensors.token_lengths = whole(kSameText.tokens);
  tensors.mel = torch::tensor(std::vector<float>(batch.mel().begin(), batch.mel().end()))
                    .view({kSameText.rows, kSameText.frames, -1});
  tensors.mel_lengths = whole(kSameText.frames);
  tensors.reference = tensors.mel;
  tensors.reference_lengths = whole(shows_reference ? kSameText.frames : 0);
  tensors.mel_weights = torch::ones({kSameText.rows, kSameText.frames});
  return tensors;
}

struct Trained {
  TrainedModel model;
  double mel_loss = 0;  // in training
};

Trained train_on(const ModelBatch& batch) {
  Trained trained{.model = make_trained_model(small_shape(), {}, 1, torch::kCPU)};
  TrainedModel& model = trained.model;
  const double frames = batch.mel_lengths.sum().item<double>();
  for (int i = 0; i < kUpdates; ++i) {
    const torch::Tensor sums = torch::zeros({kLossSums});
    MicrobatchGradient(model, {}, [&] { return batch; }).run(sums);
    const torch::NoGradGuard no_grad;
    model.optimiser.update(model.weights, model.gradient, frames, 1e-2);
    model.gradient.zero_();
    trained.mel_loss = sums[1].item<double>() / frames;
  }
  const torch::NoGradGuard no_grad;
  model.ema.copy_(model.weights);
  return trained;
}

class ValidationTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    at::set_num_threads(1);  // more would wait for each other
    const Batch batch = same_text_batch(1);
    copies_ = std::make_unique<Trained>(train_on(leaking_tensors(batch, true)));
    knows_the_mean_ = std::make_unique<Trained>(train_on(leaking_tensors(batch, false)));
  }
  static void TearDownTestSuite() {
    copies_.reset();
    knows_the_mean_.reset();
  }

  static ValidationResult validate(Trained& trained,
                                   int rows_per_speaker,
                                   int num_batches = 1,
                                   ProcessGroup* group = nullptr) {
    HostDevice device({.threads = 1});
    bind_torch(device);
    const std::unique_ptr<DeviceStream> stream = device.make_stream("validation");
    std::vector<Batch> batches;
    for (int i = 0; i < num_batches; ++i) {
      batches.push_back(same_text_batch(rows_per_speaker + i));
    }
    return Validator(std::move(batches), 6).run(trained.model, *stream, group);
  }

  static std::unique_ptr<Trained> copies_;          // says what it is shown
  static std::unique_ptr<Trained> knows_the_mean_;  // was never shown anything
};

std::unique_ptr<Trained> ValidationTest::copies_;
std::unique_ptr<Trained> ValidationTest::knows_the_mean_;

// Judged by the mel, in which alone the two differ by what they were shown: the other parts of the
// loss know no reference, and in models so small the last bits of a product decide which of them
// learned those better.
TEST_F(ValidationTest, CopyingTheReferenceIsNotRewarded) {
  ASSERT_LT(copies_->mel_loss, 0.5 * knows_the_mean_->mel_loss);  // where it is given away

  const ValidationResult copying = validate(*copies_, 4);
  const ValidationResult knowing = validate(*knows_the_mean_, 4);

  EXPECT_GE(copying.losses.mel, knowing.losses.mel);
  EXPECT_GE(score_of(copying, BestBy::free_running), score_of(knowing, BestBy::free_running));
}

// Two speakers of two utterances each: what a row is shown is as loud as its neighbour, 2.5 nats
// apart, and never as the row itself.
TEST_F(ValidationTest, TheReferenceIsAnotherUtteranceOfTheSpeaker) {
  const double std_nats = copies_->model.network->shape().mel_std;

  EXPECT_NEAR(validate(*copies_, 2).losses.mel, 2.5 / std_nats, 0.5 / std_nats);
}

// With a speaker for each row nothing else can be shown: the half that is judged sounds the same.
TEST_F(ValidationTest, ASpeakerOfOneUtteranceIsShownAPartOfIt) {
  const ValidationResult result = validate(*copies_, 1);

  EXPECT_LT(result.losses.mel, 2 * copies_->mel_loss + 0.1);
  EXPECT_EQ(result.free_running->utterances, 4);
}

// Three batches for four ranks, one of which has none: what each of them says is what one process
// would.
TEST_F(ValidationTest, ProcessesDivideTheBatchesAndHaveOneResult) {
  const ValidationResult alone = validate(*copies_, 2, 3);
  const auto groups = make_thread_groups({.world = 4});
  std::vector<ValidationResult> results(groups.size());
  {
    std::vector<std::jthread> threads;
    for (std::size_t rank = 0; rank < groups.size(); ++rank) {
      threads.emplace_back(
          [&, rank] { results[rank] = validate(*copies_, 2, 3, groups[rank].get()); });
    }
  }

  for (const ValidationResult& result : results) {
    EXPECT_EQ(result.frames, alone.frames);
    EXPECT_NEAR(result.losses.total, alone.losses.total, 1e-6 * alone.losses.total);
    EXPECT_EQ(result.losses.total, results[0].losses.total);
    ASSERT_TRUE(result.free_running);
    EXPECT_EQ(result.free_running->utterances, 6);
    EXPECT_NEAR(result.free_running->mel_distance, alone.free_running->mel_distance, 1e-6);
    EXPECT_EQ(result.free_running->mel_distance, results[0].free_running->mel_distance);
  }
}

class FullValidationTest : public ValidationTest, public testing::WithParamInterface<FullIn> {};

TEST_P(FullValidationTest, ABatchThatDoesNotFitIsDoneInPartsWithTheSameResult) {
  const ValidationResult whole = validate(*copies_, 2);
  FullAllocator memory;
  memory.told_by = GetParam();
  validate(*copies_, 2);
  const int count = memory.count;
  ASSERT_GT(count, 100);

  for (const int refused : allocations_to_refuse(count)) {
    const int before = memory.count;
    memory.refused = before + refused;
    const ValidationResult parts = validate(*copies_, 2);

    ASSERT_GE(memory.count, memory.refused);
    ASSERT_NEAR(parts.losses.total, whole.losses.total, 1e-5 * whole.losses.total) << refused;
    ASSERT_EQ(parts.free_running->utterances, whole.free_running->utterances) << refused;
    ASSERT_NEAR(parts.free_running->mel_distance, whole.free_running->mel_distance, 1e-5)
        << refused;
    ASSERT_NEAR(parts.free_running->length_error, whole.free_running->length_error, 1e-9)
        << refused;
  }
}

INSTANTIATE_TEST_SUITE_P(Words,
                         FullValidationTest,
                         testing::Values(FullIn::torch, FullIn::budget),
                         [](const auto& told) {
                           return told.param == FullIn::torch ? "Libtorchs" : "Ours";
                         });

TEST(ValidationResultTest, FreeRunningSpeechCountsUnlessTheLossIsAskedFor) {
  ValidationResult result;
  result.losses.total = 3;
  EXPECT_DOUBLE_EQ(score_of(result, BestBy::free_running), 3);

  result.free_running = FreeRunning{.utterances = 4, .mel_distance = 0.5, .length_error = 0.2};

  EXPECT_DOUBLE_EQ(score_of(result, BestBy::free_running), 0.6);
  EXPECT_DOUBLE_EQ(score_of(result, BestBy::loss), 3);
}

}  // namespace
}  // namespace qanat
