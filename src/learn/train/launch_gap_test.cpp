// A card that waits for its host to launch is seen to: the scripted GPU takes half as long again as
// the host, which is therefore ahead, unless it is held up whenever it launches.
#include <gtest/gtest.h>

#include "device/cuda/cuda_testing.h"
#include "train/train_step_testing.h"

namespace qanat {
namespace {

struct GpuShares {
  double busy = 0;    // of the time of the steps, by the device
  double launch = 0;  // by the step time breakdown
};

GpuShares shares_with(Seconds launch_gap) {
  constexpr int kWarm = 2;
  constexpr int kSteps = 6;
  const cuda_testing::Machine machine(
      {.other_memory = MemoryKind::device, .pace = 1.5, .launch_gap = launch_gap});
  const auto device = machine.device(0);
  const auto stream = device->make_stream("train");
  std::optional<TrainedModel> model;
  stream->submit([&] { model.emplace(make_trained_model(small_shape(), {}, 1, torch::kCPU)); });
  stream->synchronise();
  SpeechTask task(*model);
  TrainStep step(*device, *stream, task, {});
  GpuShares shares;
  Seconds busy_before{0};
  Seconds wall{0};
  for (int i = 0; i < kWarm + kSteps; ++i) {
    const MadeUpBatch batch({0, 1, 2, 3}, {.rows = 4, .frames = 96, .tokens = 24});
    const Clock::time_point now = Clock::now();
    step.accumulate(batch.get(), {.host_busy_since = now, .asked = now, .handed = now});
    step.update({.step = i, .learning_rate = 1e-3});
    if (i + 1 == kWarm) {
      while (step.wait_finished()) {
      }
      step.exclude_from_next_step();
      busy_before = device->stats().busy;
    }
  }
  while (const std::optional<FinishedStep> done = step.wait_finished()) {
    wall += done->record.phases.total();
    shares.launch += done->record.phases.launch.count();
  }
  shares.launch /= wall.count();
  shares.busy = (device->stats().busy - busy_before) / wall;
  return shares;
}

TEST(LaunchGapTest, AGapInLaunchingIsTakenFromBusyAndIsInTheBreakdown) {
  at::set_num_threads(1);

  const GpuShares ahead = shares_with(Seconds{0});
  const GpuShares held = shares_with(Seconds{0.05});

  EXPECT_GT(ahead.busy, 0.8);
  EXPECT_LT(ahead.launch, 0.1);
  EXPECT_LT(held.busy, ahead.busy - 0.3);
  EXPECT_GT(held.launch, ahead.launch + 0.3);
}

}  // namespace
}  // namespace qanat
