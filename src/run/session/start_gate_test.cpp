#include "session/start_gate.h"

#include <atomic>
#include <chrono>
#include <future>
#include <latch>
#include <memory>

#include <gtest/gtest.h>

#include "base/error.h"
#include "device/host/host_device.h"
#include "locale/translator.h"
#include "pipeline/fake_rows.h"

namespace qanat {
namespace {

// A loader of made-up rows, and a ring behind it.
class StartGateTest : public testing::Test {
 protected:
  void start(FakeRows rows, LoaderOptions options = {}) {
    options.batching = {.batch_size = 4, .max_edges = 1, .max_frames = 64, .max_tokens = 40};
    options.workers = options.workers.value_or(1);
    options.window = 8;
    loader_ = std::make_unique<Loader>(fake_inputs(std::move(rows)), options);
    const BatchLayout layout = make_layout(loader_->edges().front().shape(), options.payload);
    ring_ = std::make_unique<TransferRing>(
        RingOptions{.slots = 3, .slot_bytes = Bytes{static_cast<std::int64_t>(layout.bytes)}},
        RingParts{.devices = {.model = device_},
                  .source = [this](const std::stop_token& stop) { return loader_->next(stop); },
                  .features = nullptr,
                  .mel_format = {},
                  .on_done = nullptr});
  }
  GateResult open(Seconds timeout) {
    return open_gate(*ring_, *loader_, timeout, stop_.get_token());
  }

  HostDevice device_{{.id = {.kind = DeviceKind::virtual_gpu, .index = 0}}};
  std::stop_source stop_;
  std::unique_ptr<Loader> loader_;
  std::unique_ptr<TransferRing> ring_;
};

FakeRows rows(std::size_t count = 200) {
  return {.lengths = short_lengths(count), .mel_bins = 80};
}

TEST_F(StartGateTest, OpensAtTheLowWaterMarkLongBeforeTheDelay) {
  start(rows());

  const GateResult result = open(Seconds(60));

  EXPECT_EQ(result.opening, GateOpening::low_water);
  EXPECT_LT(result.waited, Seconds(20));
  EXPECT_GE(result.ready, 5);  // 3 slots and a quarter of the window
}

TEST(GateMarksTest, AShallowRingIsFullAndADeepOneHalfFull) {
  EXPECT_EQ(low_water_marks(3, 8).slots, 3);
  EXPECT_EQ(low_water_marks(6, 8).slots, 6);
  EXPECT_EQ(low_water_marks(8, 8).slots, 6);
  EXPECT_EQ(low_water_marks(48, 8).slots, 24);
}

TEST_F(StartGateTest, OpensAtTheDelayWhenTheLoaderIsSlow) {
  std::promise<void> go;
  const std::shared_future<void> rest = go.get_future().share();
  const auto filled = std::make_shared<std::atomic<int>>(0);  // shared: workers outlive this frame
  FakeRows slow = rows();
  slow.before_fill = [filled, rest](std::uint32_t) {
    if (++*filled > 8) {  // after two batches
      rest.wait();
    }
  };
  start(std::move(slow));

  const GateResult result = open(Seconds(0.2));
  go.set_value();

  EXPECT_EQ(result.opening, GateOpening::longest_wait);
  EXPECT_GE(result.waited, Seconds(0.2));
  EXPECT_EQ(result.ready, 2);
}

TEST_F(StartGateTest, NeverOpensBeforeAFirstBatch) {
  std::promise<void> go;
  const std::shared_future<void> rest = go.get_future().share();
  FakeRows stuck = rows();
  stuck.before_fill = [rest](std::uint32_t) { rest.wait(); };
  start(std::move(stuck));

  auto result = std::async(std::launch::async, [this] { return open(Seconds(0.001)); });
  const std::future_status early = result.wait_for(std::chrono::milliseconds(100));
  go.set_value();

  EXPECT_EQ(early, std::future_status::timeout);
  EXPECT_GE(result.get().ready, 1);
}

TEST_F(StartGateTest, ALoaderThatDiesIsAnErrorAndNotAHang) {
  FakeRows dying = rows();
  dying.before_fill = [](std::uint32_t) { throw Error("the disk is gone"); };
  start(std::move(dying));

  EXPECT_THROW((void)open(Seconds(60)), Error);
}

TEST_F(StartGateTest, OpensWhenTheWholeDataSetIsThere) {
  LoaderOptions once;
  once.epochs = 1;
  start(rows(8), once);

  const GateResult result = open(Seconds(60));

  EXPECT_EQ(result.opening, GateOpening::whole_data);
  EXPECT_LT(result.waited, Seconds(20));
}

TEST_F(StartGateTest, AStopEndsTheWaitForAFirstBatch) {
  std::promise<void> go;
  const std::shared_future<void> rest = go.get_future().share();
  FakeRows stuck = rows();
  stuck.before_fill = [rest](std::uint32_t) { rest.wait(); };
  start(std::move(stuck));
  auto result = std::async(std::launch::async, [this] { return open(Seconds(60)); });

  stop_.request_stop();

  EXPECT_TRUE(result.get().stopped);
  go.set_value();
}

TEST(StartGateWordsTest, AreThoseOfTheContract) {
  const DevicePlan multi{.mode = RunMode::multi_gpu};

  const Translator english;
  EXPECT_EQ(english.tr(describe_wait(multi, Seconds(2), Symbols::emoji)),
            "🕐 Multi-GPU Mode: Waiting up to 2.0s for data pipeline to warm up...");
  EXPECT_EQ(english.tr(describe_opening({.waited = Seconds(0.312)}, Symbols::emoji)),
            "✅ Model training starting now (warm after 0.31s)");
  EXPECT_EQ(
      english.tr(describe_opening(
          {.opening = GateOpening::longest_wait, .waited = Seconds(2), .ready = 2, .wanted = 5},
          Symbols::plain)),
      "Model training starting now (2 of 5 batches ready after 2.00s)");
}

}  // namespace
}  // namespace qanat
