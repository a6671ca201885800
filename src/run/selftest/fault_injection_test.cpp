#include "selftest/fault_injection.h"

#include <gtest/gtest.h>

#include "metrics/usage.h"
#include "pipeline/fake_rows.h"

namespace qanat {
namespace {

std::unique_ptr<RowSource> rows_with(const RowFaults& faults) {
  FakeRows rows{.lengths = std::vector<ItemLength>(64, {.frames = 2, .tokens = 1}), .mel_bins = 1};
  return with_faults(std::make_unique<FakeRowSource>(std::move(rows)), faults);
}

struct Filled {
  Seconds took{0};
  RowTimes times{};
};

Filled fill(const RowSource& source, std::uint32_t item) {
  const std::unique_ptr<RowFiller> filler = source.make_filler();
  std::vector<float> mel(8);
  std::vector<std::int32_t> tokens(4);
  const Clock::time_point start = Clock::now();
  const FilledRow row = filler->fill(item, {.mel = mel, .pcm = {}, .tokens = tokens}).value();
  return {.took = seconds_since(start), .times = row.times};
}

TEST(FaultInjectionTest, WithoutFaultsThereIsNothingAround) {
  FakeRows rows{.lengths = {{.frames = 2, .tokens = 1}}, .mel_bins = 1};
  auto source = std::make_unique<FakeRowSource>(std::move(rows));
  const RowSource* const before = source.get();

  EXPECT_EQ(with_faults(std::move(source), RowFaults{}).get(), before);
}

TEST(FaultInjectionTest, SlowStorageWaitsAndDoesNotCompute) {
  const ThreadUsageMeter meter;
  const Seconds before = meter.read().cpu;

  const Filled filled = fill(*rows_with({.read = Seconds{0.03}}), 0);

  EXPECT_GE(filled.took, Seconds{0.03});
  EXPECT_GE(filled.times.decode, Seconds{0.03});
  EXPECT_LT(meter.read().cpu - before, Seconds{0.02});
}

TEST(FaultInjectionTest, SlowDecodingComputes) {
  const ThreadUsageMeter meter;
  const Seconds before = meter.read().cpu;

  fill(*rows_with({.compute = Seconds{0.03}}), 0);

  EXPECT_GE(meter.read().cpu - before, Seconds{0.03});
}

TEST(FaultInjectionTest, OnlyEverySoManyFilesAreSlow) {
  const auto source = rows_with({.slow_every = 8, .slow = Seconds{0.05}});

  EXPECT_GE(fill(*source, 16).took, Seconds{0.05});
  EXPECT_LT(fill(*source, 17).took, Seconds{0.05});
}

TEST(FaultInjectionTest, AHeldLockIsWaitedForAndSaysSo) {
  const auto source = rows_with({.locked = Seconds{0.05}});
  Filled first;
  Filled second;
  {
    std::jthread a([&] { first = fill(*source, 0); });
    std::jthread b([&] { second = fill(*source, 1); });
  }

  EXPECT_GE(std::max(first.times.lock, second.times.lock), Seconds{0.02});
}

TEST(FaultInjectionTest, PagesThatAreNotInMemoryAreMajorFaults) {
  const auto source = rows_with({.pages = 16});
  const ThreadUsageMeter meter;
  const std::int64_t before = meter.read().major_faults;

  fill(*source, 0);

  if (meter.read().major_faults == before) {
    GTEST_SKIP() << "files in the folder for temporary files are always in memory";
  }
  EXPECT_GE(meter.read().major_faults - before, 8);
}

TEST(FaultInjectionTest, StallsComeWhenTheyAreDue) {
  StallingObserver observer(
      {.save_every = 5, .save = Seconds{0.03}, .log_every = 10, .log = Seconds{0.03}});
  const auto time_of = [](auto&& call) {
    const Clock::time_point start = Clock::now();
    call();
    return seconds_since(start);
  };

  EXPECT_GE(time_of([&] { observer.on_save(5); }), Seconds{0.03});
  EXPECT_GE(time_of([&] { observer.on_step(StepRecord{.step = 9}); }), Seconds{0.03});
  EXPECT_LT(time_of([&] { observer.on_step(StepRecord{.step = 10}); }), Seconds{0.03});
}

TEST(FaultInjectionTest, SpinnersEndWithTheirOwner) {
  const Clock::time_point start = Clock::now();
  {
    const SpinningThreads threads(2);
    const SpinningProcesses processes(1, Seconds{30});
  }

  EXPECT_LT(seconds_since(start), Seconds{10});
}

}  // namespace
}  // namespace qanat
