// A step on a GPU is work that the host submits and leaves: here a scripted GPU counts when the
// host waits for it after all, and libtorch computes on a device that notes when the host reads its
// memory, or copies to or from it and waits.
#include <algorithm>
#include <future>
#include <set>

#include <gmock/gmock.h>

#include "device/cuda/cuda_testing.h"
#include "train/host_snapshot.h"
#include "train/train_step_testing.h"
#include "train/validation.h"
#include "train/vocoder_task.h"
#include "train/vocoder_task_testing.h"
#include "train/watched_device_testing.h"
#include "vocoder/vocoder_testing.h"

namespace qanat {
namespace {

using cuda_testing::Machine;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

// What libtorch computes on: its autocast knows no other devices than the host and CUDA's.
torch::Device computing_device(Precision precision) {
  return kHasWatchedDevice && precision == Precision::single ? watched_device()
                                                             : torch::Device(torch::kCPU);
}

// Two rows of one speaker.
Batch made_up_host_batch(std::uint32_t item) {
  const MadeUpBatch made({item, item + 1}, {.rows = 2, .frames = 24, .tokens = 6});
  const DeviceBatch& from = made.get();
  Batch batch(
      std::make_shared<BlockPool>(from.layout.bytes, make_host_allocator()), from.layout, {}, 0);
  auto* const block = const_cast<std::byte*>(batch.bytes().data());  // mel and tokens
  std::ranges::copy(from.bytes, block);
  std::ranges::copy(from.mel_lengths, batch.mel_lengths().begin());
  std::ranges::copy(from.token_lengths, batch.token_lengths().begin());
  std::ranges::copy(from.speakers, batch.speakers().begin());
  std::ranges::copy(from.items, batch.items().begin());
  return batch;
}

struct WaitCase {
  friend std::ostream& operator<<(std::ostream& out, const WaitCase& c) { return out << c.name; }

  const char* name;
  bool graphs = false;
  int batches_per_update = 1;
  Precision precision = Precision::single;
  bool saves = false;  // a checkpoint after every update
};

class HostWaitsTest : public testing::TestWithParam<WaitCase> {
 protected:
  static constexpr int kWarm = 6;  // recordings are made and looked at
  static constexpr int kSteps = 100;

  HostWaitsTest()
      : machine_({.other_memory = MemoryKind::device, .graphs = FakeGraphs::of_work}),
        device_(machine_.device(0)) {
    at::set_num_threads(1);
    stream_ = device_->make_stream("train");
    stream_->submit([&] {
      model_.emplace(
          make_trained_model(small_shape(), {}, 1, computing_device(GetParam().precision)));
    });
    stream_->synchronise();
    step_.emplace(
        *device_,
        *stream_,
        task_.emplace(*model_),
        TrainStepOptions{.precision = GetParam().precision, .record_graphs = GetParam().graphs});
    if (GetParam().saves) {
      snapshot_.emplace(*device_,
                        *stream_,
                        std::vector<torch::Tensor>{model_->weights, model_->ema},
                        SnapshotRoom::on_device);
    }
  }

  // As the trainer does: it waits for the job of the last one, not for the device.
  void save() {
    if (!snapshot_) {
      return;
    }
    step_->submit_checkpoint_work([this] { snapshot_->copy(); });
    std::promise<void> fetched;
    snapshot_->fetch([&] { fetched.set_value(); });
    fetched.get_future().wait();
    snapshot_->require_whole();
  }

  void train(int first, int count) {
    for (int i = first; i < first + count; ++i) {
      for (int part = 0; part < GetParam().batches_per_update; ++part) {
        const auto item = static_cast<std::uint32_t>(2 * i);
        const MadeUpBatch batch({item, item + 1}, {.rows = 2, .frames = 24, .tokens = 6});
        const Clock::time_point now = Clock::now();
        step_->accumulate(batch.get(), {.host_busy_since = now, .asked = now, .handed = now});
      }
      step_->update({.step = i, .learning_rate = 1e-3});
      save();
      while (step_->finished()) {
        ++num_finished_;
      }
    }
  }

  Machine machine_;
  std::unique_ptr<CudaDevice> device_;
  std::unique_ptr<DeviceStream> stream_;
  std::optional<TrainedModel> model_;
  std::optional<SpeechTask> task_;
  std::optional<TrainStep> step_;
  std::optional<HostSnapshot> snapshot_;
  int num_finished_ = 0;
};

TEST_P(HostWaitsTest, AStepWaitsForNothingAndMakesNeitherEventsNorPinnedMemory) {
  train(0, kWarm);
  const FakeCuda::Counts made = machine_.fake->counts();
  const std::int64_t waits = device_->stats().host_waits;
  const HostWaitWatch watch;

  train(kWarm, kSteps);

  EXPECT_EQ(num_finished_, kWarm + kSteps);
  EXPECT_EQ(device_->stats().host_waits, waits);
  EXPECT_EQ(machine_.fake->counts().events_made, made.events_made);
  EXPECT_EQ(machine_.fake->counts().pinned_made, made.pinned_made);
  EXPECT_EQ(machine_.fake->counts().graphs_captured, made.graphs_captured);
  EXPECT_THAT(watch.seen(), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(
    Modes,
    HostWaitsTest,
    testing::Values(WaitCase{.name = "computed"},
                    WaitCase{.name = "played", .graphs = true},
                    WaitCase{.name = "accumulated", .batches_per_update = 3},
                    WaitCase{
                        .name = "accumulated_and_played", .graphs = true, .batches_per_update = 3},
                    WaitCase{.name = "bf16", .precision = Precision::bf16},
                    WaitCase{.name = "saved", .saves = true},
                    WaitCase{.name = "played_and_saved", .graphs = true, .saves = true}),
    [](const auto& tested) { return tested.param.name; });

TEST(VocoderWaitsTest, AStepOfBothNetworksWaitsForNothing) {
  at::set_num_threads(1);
  const Machine machine({.other_memory = MemoryKind::device});
  const auto device = machine.device(0);
  const auto stream = device->make_stream("train");
  std::optional<TrainedVocoder> vocoder;
  std::optional<VocoderTask> task;
  stream->submit([&] {
    vocoder.emplace(
        make_trained_vocoder(small_vocoder(), {}, 1, computing_device(Precision::single)));
    task.emplace(*vocoder, VocoderTaskOptions{.discriminator_start = 0});
  });
  stream->synchronise();
  TrainStep step(*device, *stream, *task, {});
  const HumBatch batch(2);
  const auto train = [&](int first, int count) {
    for (int i = first; i < first + count; ++i) {
      const Clock::time_point now = Clock::now();
      task->begin_update(i);
      step.accumulate(batch.get(), {.host_busy_since = now, .asked = now, .handed = now});
      step.update({.step = i, .learning_rate = 1e-3});
      while (step.finished()) {
      }
    }
  };
  train(0, 6);
  const std::int64_t waits = device->stats().host_waits;
  const HostWaitWatch watch;

  train(6, 20);

  EXPECT_EQ(device->stats().host_waits, waits);
  EXPECT_THAT(watch.seen(), IsEmpty());
}

// However many batches are validated and spoken, the host waits twice: for how long the speech is,
// and for the result.
class ValidationWaitsTest : public testing::TestWithParam<int> {};

TEST_P(ValidationWaitsTest, AValidationWaitsTwiceWhateverItsLength) {
  at::set_num_threads(1);
  const Machine machine({.other_memory = MemoryKind::device});
  const auto device = machine.device(0);
  const auto stream = device->make_stream("train");
  TrainedModel model =
      make_trained_model(small_shape(), {}, 1, computing_device(Precision::single));
  std::vector<Batch> batches;
  for (int i = 0; i < GetParam(); ++i) {
    batches.push_back(made_up_host_batch(static_cast<std::uint32_t>(2 * i)));
  }
  const Validator validator(std::move(batches), 2 * GetParam());
  const std::int64_t waits = device->stats().host_waits;
  const HostWaitWatch watch;

  const ValidationResult result = validator.run(model, *stream);

  EXPECT_EQ(result.utterances, 2 * GetParam());
  EXPECT_EQ(result.free_running->utterances, 2 * GetParam());
  EXPECT_EQ(device->stats().host_waits, waits + 2);
  EXPECT_THAT(watch.seen(), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Batches, ValidationWaitsTest, testing::Values(1, 100));

// The ways in which a step used to wait, each put in front of the watch.
class HostWaitWatchTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!kHasWatchedDevice) {
      GTEST_SKIP() << "libtorch 1 only";
    }
  }
  static torch::Tensor on_device() {
    return torch::ones({4, 4}, torch::TensorOptions().device(watched_device()));
  }
};

TEST_F(HostWaitWatchTest, ComputingAndItsGradientAreNoWait) {
  const torch::Tensor weight = on_device().requires_grad_();
  const HostWaitWatch watch;

  torch::softmax(on_device().matmul(weight) * 2 + 1, 1).pow(2).sum().backward();

  EXPECT_THAT(watch.seen(), IsEmpty());
  EXPECT_EQ(weight.grad().device(), watched_device());
}

TEST_F(HostWaitWatchTest, AValueThatIsReadIsNoticed) {
  const HostWaitWatch watch;

  (void)on_device().sum().item<float>();

  EXPECT_THAT(watch.seen(), Contains("aten::_local_scalar_dense"));
}

TEST_F(HostWaitWatchTest, ACopyFromPageableMemoryIsNoticed) {
  const HostWaitWatch watch;

  (void)torch::ones({4}).to(watched_device(), /*non_blocking=*/true);

  EXPECT_THAT(watch.seen(), ElementsAre("a copy from pageable memory"));
}

TEST_F(HostWaitWatchTest, ACopyToTheHostThatIsWaitedForIsNoticed) {
  const torch::Tensor pinned = torch::empty({4, 4}, torch::TensorOptions().pinned_memory(true));
  const HostWaitWatch watch;

  pinned.copy_(on_device(), /*non_blocking=*/true);
  EXPECT_THAT(watch.seen(), IsEmpty());
  pinned.copy_(on_device());

  EXPECT_THAT(watch.seen(), ElementsAre("a copy to the host that is waited for"));
}

TEST_F(HostWaitWatchTest, LibtorchsForwardSumIsNoticed) {
  const auto integers = torch::TensorOptions().dtype(torch::kInt64).device(watched_device());
  const torch::Tensor scores = torch::log_softmax(on_device().unsqueeze(1), 2);  // [T, B, N + 1]
  const torch::Tensor targets = torch::ones({1, 2}, integers);
  const torch::Tensor frames = torch::full({1}, 4, integers);
  const torch::Tensor tokens = torch::full({1}, 2, integers);
  const HostWaitWatch watch;

  (void)torch::ctc_loss(scores, targets, frames, tokens);

  EXPECT_THAT(watch.seen(), Contains("a copy to pageable memory"));
}

}  // namespace
}  // namespace qanat
