// The exchange over a slow link, and under delays that nobody foresees. Slow: it measures.
#include <array>
#include <memory>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "replicas/thread_group.h"
#include "train/gradient_exchange.h"
#include "train/train_step_testing.h"

namespace qanat {
namespace {

// Every collective call of a step is delayed at random, on every rank on its own.
TEST(ExchangeStressTest, TenThousandStepsUnderRandomDelaysComeToAnEnd) {
  constexpr int kSteps = 10'000;
  constexpr int kWorld = 3;
  const auto groups =
      make_thread_groups({.world = kWorld, .max_delay = Seconds(0.0003), .timeout = Seconds(60)});
  std::array<double, kWorld> checks{};
  const auto work = [&](int rank) {
    ProcessGroup& group = *groups[static_cast<std::size_t>(rank)];
    const torch::Tensor weights = torch::full({64}, 1.0F);
    for (int step = 0; step < kSteps; ++step) {
      const std::array<double, 2> said = {static_cast<double>(step), 1};
      const std::vector<double> all = group.all_gather(said);
      ASSERT_EQ(all[0], all[2]);
      ASSERT_EQ(all[0], all[4]);
      std::vector<torch::Tensor> slices;
      std::vector<std::unique_ptr<Exchange>> exchanges;
      for (int slice = 0; slice < 3; ++slice) {
        slices.push_back(weights.narrow(0, slice * 16, 16).clone().mul_(rank + slice));
        exchanges.push_back(group.start_all_reduce(slices.back(), ExchangeFormat::f32));
      }
      for (int slice = 0; slice < 3; ++slice) {
        exchanges[static_cast<std::size_t>(slice)]->wait();
        weights.narrow(0, slice * 16, 16).add_(slices[static_cast<std::size_t>(slice)], 1e-6);
      }
    }
    checks[static_cast<std::size_t>(rank)] = weights.sum().item<double>();
  };

  {
    std::vector<std::jthread> threads;
    for (int rank = 0; rank < kWorld; ++rank) {
      threads.emplace_back(work, rank);
    }
  }

  EXPECT_EQ(checks[0], checks[1]);
  EXPECT_EQ(checks[0], checks[2]);
}

// How much of the exchange the steps did not wait for, over a link of 50 MB/s.
double hidden_share(bool overlap) {
  constexpr BatchShape kShape{.rows = 8, .frames = 400, .tokens = 80};
  const auto groups = make_thread_groups({.world = 2, .bytes_per_second = 50e6});
  const ModelShape shape = model_shape(ModelPreset::nano, 20, 0);
  const auto options = [&](std::size_t rank) {
    return TrainStepOptions{.group = groups[rank].get(), .exchange = {.overlap = overlap}};
  };
  StepBench first(options(0), std::nullopt, shape);
  StepBench second(options(1), std::nullopt, shape);
  const MadeUpBatch batch({0, 1, 2, 3, 4, 5, 6, 7}, kShape);
  double exposed = 0;
  double busy = 0;
  for (int step = 0; step < 8; ++step) {
    first.accumulate(batch, BatchPlace::last);
    second.accumulate(batch, BatchPlace::last);
    first.update(step, 2 * batch.frames());
    second.update(step, 2 * batch.frames());
    second.stream().synchronise();
    const std::optional<FinishedStep> done = first.step().wait_finished();
    if (step >= 2 && done && done->record.exchange) {  // the first ones settle order and memory
      exposed += done->record.phases.exchange.count();
      busy += done->record.exchange->busy.count();
    }
  }
  return 1 - exposed / busy;
}

TEST(ExchangeStressTest, MostOfTheExchangeOverASlowLinkIsHidden) {
  const double hidden = hidden_share(/*overlap=*/true);

  RecordProperty("hidden", std::to_string(hidden));
  std::printf("hidden: %.0f %%\n", 100 * hidden);
  EXPECT_GE(hidden, 0.7);
}

TEST(ExchangeStressTest, NothingOfItIsHiddenWithoutOverlap) {
  const double hidden = hidden_share(/*overlap=*/false);

  std::printf("hidden without overlap: %.0f %%\n", 100 * hidden);
  EXPECT_LT(hidden, 0.3);
}

}  // namespace
}  // namespace qanat
