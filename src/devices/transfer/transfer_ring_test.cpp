#include "transfer/transfer_ring.h"

#include <condition_variable>
#include <future>
#include <mutex>
#include <optional>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "device/out_of_memory.h"
#include "transfer/ring_fixture.h"
#include "transfer/ring_slot.h"

namespace qanat {
namespace {

using ring_fixture::CopyingFeatures;
using ring_fixture::count_wrong;
using ring_fixture::count_wrong_hand_offs;
using ring_fixture::Edge;
using ring_fixture::ForgottenWait;
using ring_fixture::kMel;
using ring_fixture::kPcm;
using ring_fixture::kShape;
using ring_fixture::NumberedBatches;
using ring_fixture::RandomDelay;
using ring_fixture::spin;

std::unique_ptr<HostDevice> make_gpu(int index, std::optional<Bytes> limit = {}) {
  return std::make_unique<HostDevice>(
      HostDeviceOptions{.id = {.kind = DeviceKind::virtual_gpu, .index = index},
                        .memory_limit = limit,
                        .poison = Poison::on});
}

const Bytes kSlotBytes{static_cast<std::int64_t>(make_layout(kShape, kMel).bytes)};

RingParts single_parts(Device& model, BatchSource source) {
  return {.devices = {.model = model},
          .source = std::move(source),
          .features = nullptr,
          .mel_format = kMel,
          .on_done = nullptr};
}

// The sanitizer makes each one twenty times as expensive, and repeats all of it.
#ifdef __SANITIZE_THREAD__
constexpr std::int64_t kHandOffs = 200;
#else
constexpr std::int64_t kHandOffs = 5000;
#endif

class HandOffTest : public testing::TestWithParam<bool> {};

TEST_P(HandOffTest, DeliversEveryElementRightUnderRandomDelays) {
  EXPECT_EQ(count_wrong_hand_offs({.multi = GetParam(), .count = kHandOffs}), 0);
}

TEST_P(HandOffTest, DeliversEveryElementRightWithOneSlot) {
  EXPECT_EQ(count_wrong_hand_offs({.multi = GetParam(), .count = kHandOffs / 5, .slots = 1}), 0);
}

INSTANTIATE_TEST_SUITE_P(Modes, HandOffTest, testing::Bool(), [](const auto& mode) {
  return mode.param ? "multi" : "single";
});

struct MissingEvent {
  const char* name;
  bool multi;
  ForgottenWait forgotten;
  int slots = 3;
  Seconds copy_latency{0};  // makes copying the slowest stage
};

class MissingEventTest : public testing::TestWithParam<MissingEvent> {};

// Each event of the ring is there for a reason: without it the reader sees wrong elements.
TEST_P(MissingEventTest, ShowsAsWrongElements) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "races on purpose";
#endif
  std::int64_t wrong = 0;
  for (std::uint32_t seed = 1; seed <= 20 && wrong == 0; ++seed) {
    wrong = count_wrong_hand_offs({.multi = GetParam().multi,
                                   .forgotten = GetParam().forgotten,
                                   .seed = seed,
                                   .slots = GetParam().slots,
                                   .copy_latency = GetParam().copy_latency});
  }

  EXPECT_GT(wrong, 0);
}

INSTANTIATE_TEST_SUITE_P(
    Edges,
    MissingEventTest,
    testing::Values(
        MissingEvent{"SingleArrival", false, {Edge::copy_done, "train"}},
        MissingEvent{"SingleReuse", false, {Edge::read_done, "copy"}},
        MissingEvent{"MultiStaged", true, {Edge::stage_done, "prepare"}},
        MissingEvent{"MultiStageReuse", true, {Edge::prepare_done, "stage"}, 8},
        MissingEvent{"MultiPrepared", true, {Edge::prepare_done, "copy"}},
        MissingEvent{"MultiPreparedReuse", true, {Edge::copy_done, "prepare"}, 8, Seconds{0.0002}},
        MissingEvent{"MultiArrival", true, {Edge::copy_done, "train"}},
        MissingEvent{"MultiReuse", true, {Edge::read_done, "stage"}}),
    [](const auto& edge) { return edge.param.name; });

TEST(TransferRingTest, DoesNotBlockTheHostOnADeviceInSteadyState) {
  const auto model = make_gpu(1);
  NumberedBatches batches(kMel, 200);
  const auto reader = model->make_stream("train");
  TransferRing ring({.slots = 3, .slot_bytes = kSlotBytes},
                    single_parts(*model, [&](const std::stop_token&) { return batches.next(); }));

  while (auto batch = ring.next(*reader, {})) {
    reader->submit([] {});
    ring.release(*std::move(batch), *reader);
  }

  EXPECT_EQ(model->stats().host_waits, 0);
  EXPECT_EQ(ring.stats().batches, 200);
  reader->synchronise();
}

// Made synchronous, this would wait for ever.
TEST(TransferRingTest, BringsTheNextBatchesWhileOneIsBeingRead) {
  const auto model = make_gpu(1);
  NumberedBatches batches(kMel, 10);
  const auto reader = model->make_stream("train");
  std::promise<void> go;
  TransferRing ring({.slots = 3, .slot_bytes = kSlotBytes},
                    single_parts(*model, [&](const std::stop_token&) { return batches.next(); }));
  reader->submit([&] { go.get_future().wait(); });
  ring.release(*ring.next(*reader, {}), *reader);

  const auto second = ring.next(*reader, {});
  const auto third = ring.next(*reader, {});
  second->slot->copy_done->synchronise();
  third->slot->copy_done->synchronise();

  EXPECT_EQ(count_wrong(second->bytes, second->layout, 1), 0);
  EXPECT_EQ(count_wrong(third->bytes, third->layout, 2), 0);
  go.set_value();
  reader->synchronise();
}

TEST(TransferRingTest, KeepsItsSlotsWhenMoreDoNotFit) {
  const auto model = make_gpu(1, Bytes{3 * kSlotBytes.value});
  NumberedBatches batches(kMel, 200);
  const auto reader = model->make_stream("train");
  TransferRing ring({.slots = 2, .slot_bytes = kSlotBytes},
                    single_parts(*model, [&](const std::stop_token&) { return batches.next(); }));

  EXPECT_THROW(ring.set_slots(5), OutOfMemory);
  EXPECT_EQ(ring.stats().slots, 3);
  ring.set_slots(2);
  std::int64_t seen = 0;
  while (auto batch = ring.next(*reader, {})) {
    ring.release(*std::move(batch), *reader);
    ++seen;
  }
  reader->synchronise();

  EXPECT_EQ(seen, 200);
  EXPECT_EQ(ring.stats().slots, 2);
}

TEST(TransferRingTest, TenThousandStepsTakeNoMoreMemoryThanTheFirst) {
  const auto model = make_gpu(1);
  NumberedBatches batches(kMel, 10'000);
  const auto reader = model->make_stream("train");
  TransferRing ring({.slots = 3, .slot_bytes = kSlotBytes},
                    single_parts(*model, [&](const std::stop_token&) { return batches.next(); }));

  while (auto batch = ring.next(*reader, {})) {
    ring.release(*std::move(batch), *reader);
  }
  reader->synchronise();

  const MemoryUse use = model->memory().use();
  EXPECT_EQ(use.high_water, Bytes{3 * kSlotBytes.value});
  EXPECT_EQ(use.allocations, 3);
}

TEST(TransferRingTest, ADeviceOverItsBudgetFailsAloneAndTheOtherGoesOn) {
  const auto full = make_gpu(0, Bytes{3 * kSlotBytes.value});
  const auto other = make_gpu(1);
  NumberedBatches batches(kMel, 50);
  const auto reader = other->make_stream("train");
  const auto failing = full->make_stream("train");
  TransferRing ring({.slots = 3, .slot_bytes = kSlotBytes},
                    single_parts(*other, [&](const std::stop_token&) { return batches.next(); }));

  failing->submit([&] { (void)full->allocate(Bytes{4 * kSlotBytes.value}); });
  EXPECT_THROW(failing->synchronise(), OutOfMemory);
  std::int64_t seen = 0;
  while (auto batch = ring.next(*reader, {})) {
    ring.release(*std::move(batch), *reader);
    ++seen;
  }
  reader->synchronise();

  EXPECT_EQ(seen, 50);
  EXPECT_EQ(full->memory().use().used, Bytes{0});
  EXPECT_EQ(other->memory().use().refusals, 0);
}

// Slots of a ring, and how many readers a consumer may have submitted.
class SubmittedReadersTest : public testing::TestWithParam<std::pair<int, int>> {};

TEST_P(SubmittedReadersTest, HoldBackAConsumerThatIsTooFarAhead) {
  const auto model = make_gpu(1);
  NumberedBatches batches(kMel, 40);
  const auto reader = model->make_stream("train");
  std::promise<void> go;
  std::stop_source stop;
  TransferRing ring({.slots = GetParam().first, .slot_bytes = kSlotBytes},
                    single_parts(*model, [&](const std::stop_token&) { return batches.next(); }));
  reader->submit([&] { go.get_future().wait(); });
  for (int i = 0; i < GetParam().second; ++i) {
    ring.release(*ring.next(*reader, {}), *reader);
  }

  std::jthread stopper([&] { stop.request_stop(); });
  EXPECT_FALSE(ring.next(*reader, stop.get_token()).has_value());
  EXPECT_EQ(ring.stats().device_wait.count, 1);
  go.set_value();
  EXPECT_TRUE(ring.next(*reader, {}).has_value());
}

INSTANTIATE_TEST_SUITE_P(AsManyAsSlotsButAFewInADeepRing,
                         SubmittedReadersTest,
                         testing::Values(std::pair{2, 2}, std::pair{16, 3}));

TEST(TransferRingTest, CarriesTheFailureOfTheSourceToTheConsumer) {
  const auto model = make_gpu(1);
  const auto reader = model->make_stream("train");
  TransferRing ring({.slots = 3, .slot_bytes = kSlotBytes},
                    single_parts(*model, [](const std::stop_token&) -> std::optional<Batch> {
                      throw Error("the disk is gone");
                    }));

  EXPECT_TRUE(ring.wait_until_warm(1, Seconds(60), {}));
  EXPECT_THROW((void)ring.next(*reader, {}), Error);
}

class FailingFeatures : public DeviceFeatures {
 public:
  void extract(const ConstBlockView&, const BlockView&) override { throw Error("no FFT today"); }
};

TEST(TransferRingTest, CarriesTheFailureOfAStageToTheReader) {
  const auto data = make_gpu(0);
  const auto model = make_gpu(1);
  NumberedBatches batches(kPcm, 10);
  const auto reader = model->make_stream("train");
  TransferRing ring({.slots = 3, .slot_bytes = kSlotBytes, .stage_bytes = kSlotBytes},
                    {.devices = {.model = *model, .data = data.get()},
                     .source = [&](const std::stop_token&) { return batches.next(); },
                     .features = std::make_unique<FailingFeatures>(),
                     .mel_format = kMel,
                     .on_done = nullptr});

  auto batch = ring.next(*reader, {});
  ASSERT_TRUE(batch.has_value());

  EXPECT_THROW(reader->synchronise(), Error);
}

class HeldFeatures : public DeviceFeatures {
 public:
  explicit HeldFeatures(std::shared_future<void> go, std::chrono::milliseconds then = {})
      : go_(std::move(go)), then_(then) {}
  void extract(const ConstBlockView&, const BlockView&) override {
    go_.wait();
    spin(then_);
  }

 private:
  std::shared_future<void> go_;
  std::chrono::milliseconds then_;
};

TEST(TransferRingTest, IsWarmWhenBatchesHaveArrivedAndNotWhenTheyAreOnTheirWay) {
  const auto data = make_gpu(0);
  const auto model = make_gpu(1);
  NumberedBatches batches(kPcm, 2);
  std::promise<void> go;
  TransferRing ring({.slots = 3, .slot_bytes = kSlotBytes, .stage_bytes = kSlotBytes},
                    {.devices = {.model = *model, .data = data.get()},
                     .source = [&](const std::stop_token&) { return batches.next(); },
                     .features = std::make_unique<HeldFeatures>(go.get_future().share()),
                     .mel_format = kMel,
                     .on_done = nullptr});

  EXPECT_FALSE(ring.wait_until_warm(1, Seconds(0.1), {}));
  go.set_value();

  EXPECT_TRUE(ring.wait_until_warm(3, Seconds(60), {})) << "no more than 2 will come";
}

// A batch may arrive before its feeder runs again; the gate counts what was submitted. Many rings,
// because the moment between the two is short.
TEST(TransferRingTest, ABatchThatArrivedWasSubmitted) {
  const auto model = make_gpu(1);
  std::int64_t missing = 0;
  for (int i = 0; i < 300; ++i) {
    NumberedBatches batches(kMel, 3);
    TransferRing ring({.slots = 3, .slot_bytes = kSlotBytes},
                      single_parts(*model, [&](const std::stop_token&) { return batches.next(); }));
    ASSERT_TRUE(ring.wait_until_warm(3, Seconds(60), {}));
    missing += 3 - ring.stats().submitted;
  }

  EXPECT_EQ(missing, 0);
}

// A loader that has nothing yet.
std::optional<Batch> wait_for_stop(const std::stop_token& stop) {
  std::mutex mutex;
  std::unique_lock lock(mutex);
  std::condition_variable_any().wait(lock, stop, [] { return false; });
  return std::nullopt;
}

TEST(TransferRingTest, TakesItsSlotsFromTheBudgetsOfBothDevicesAndGivesThemBack) {
  const auto data = make_gpu(0);
  const auto model = make_gpu(1);
  const RingOptions options{
      .slots = 3, .slot_bytes = kSlotBytes, .stage_bytes = Bytes{1000}, .poison = Poison::off};
  {
    const TransferRing ring(options,
                            {.devices = {.model = *model, .data = data.get()},
                             .source = wait_for_stop,
                             .features = std::make_unique<FailingFeatures>(),
                             .mel_format = kMel,
                             .on_done = nullptr});

    EXPECT_EQ(model->memory().use().used, ring_bytes_on_model(options));
    EXPECT_EQ(data->memory().use().used, ring_bytes_on_data(options));
  }
  EXPECT_EQ(model->memory().use().used, Bytes{0});
  EXPECT_EQ(data->memory().use().used, Bytes{0});
}

TEST(TransferRingTest, RefusesSlotsThatDoNotFitTheBudget) {
  const auto model = make_gpu(1, Bytes{2 * kSlotBytes.value});
  const auto no_batch = [](const std::stop_token&) -> std::optional<Batch> { return std::nullopt; };

  EXPECT_THROW(TransferRing({.slots = 3, .slot_bytes = kSlotBytes}, single_parts(*model, no_batch)),
               OutOfMemory);
  EXPECT_EQ(model->memory().use().used, Bytes{0});
}

TEST(TransferRingTest, GrowsAndShrinksWhileItRuns) {
  const auto model = make_gpu(1);
  NumberedBatches batches(kMel, 300);
  const auto reader = model->make_stream("train");
  TransferRing ring({.slots = 1, .slot_bytes = kSlotBytes},
                    single_parts(*model, [&](const std::stop_token&) { return batches.next(); }));
  std::int64_t wrong = 0;
  std::int64_t seen = 0;

  while (auto batch = ring.next(*reader, {})) {
    reader->submit([&wrong, bytes = batch->bytes, layout = batch->layout, seen] {
      wrong += count_wrong(bytes, layout, seen);
    });
    ring.release(*std::move(batch), *reader);
    ++seen;
    if (seen % 50 == 0) {
      ring.set_slots(seen % 100 == 0 ? 2 : 5);
    }
  }
  reader->synchronise();

  EXPECT_EQ(seen, 300);
  EXPECT_EQ(wrong, 0);
  EXPECT_LE(ring.stats().slots, 5);
  EXPECT_EQ(model->memory().use().high_water, Bytes{5 * kSlotBytes.value});
}

TEST(TransferRingTest, GivesHostBlocksBackAsSoonAsTheyAreCopied) {
  const auto model = make_gpu(1);
  NumberedBatches batches(kMel, 500);
  const auto reader = model->make_stream("train");
  {
    TransferRing ring({.slots = 3, .slot_bytes = kSlotBytes},
                      single_parts(*model, [&](const std::stop_token&) { return batches.next(); }));
    while (auto batch = ring.next(*reader, {})) {
      ring.release(*std::move(batch), *reader);
    }
    reader->synchronise();
  }

  EXPECT_EQ(batches.pool().lent, 0);
  EXPECT_LE(batches.pool().most_lent, 8);  // slots in flight, and the one being made
}

// A deep ring fills while the data device is at work on the first batch: three more are staged.
TEST(TransferRingTest, LeavesWhatCannotBeReadYetToTheLoader) {
  constexpr int kStaged = 3;
  constexpr int kAhead = 3;
  const auto data = make_gpu(0);
  const auto model = make_gpu(1);
  NumberedBatches batches(kPcm, 40);
  const auto reader = model->make_stream("train");
  std::promise<void> go;
  int asked = 0;
  {
    TransferRing ring({.slots = 16, .slot_bytes = kSlotBytes, .stage_bytes = kSlotBytes},
                      {.devices = {.model = *model, .data = data.get()},
                       .source =
                           [&](const std::stop_token&) {
                             if (++asked == kStaged + kAhead) {
                               go.set_value();
                             }
                             return batches.next();
                           },
                       .features = std::make_unique<HeldFeatures>(
                           go.get_future().share(),
                           std::chrono::milliseconds(2))  // for a feeder that does not hold back
                       ,
                       .mel_format = kMel,
                       .on_done = nullptr});
    while (auto batch = ring.next(*reader, {})) {
      ring.release(*std::move(batch), *reader);
    }
    reader->synchronise();
  }

  EXPECT_LE(batches.pool().most_lent, kAhead + 1);  // one that is read and not given back yet
}

TEST(TransferRingTest, RecordsWhenEachStageOfABatchBeganAndEnded) {
  const auto data = make_gpu(0);
  const auto model = make_gpu(1);
  NumberedBatches batches(kPcm, 5);
  std::vector<SlotTimes> times;
  {
    const auto reader = model->make_stream("train");
    TransferRing ring({.slots = 3,
                       .slot_bytes = kSlotBytes,
                       .stage_bytes = Bytes{static_cast<std::int64_t>(batches.layout().bytes)}},
                      {.devices = {.model = *model, .data = data.get()},
                       .source = [&](const std::stop_token&) { return batches.next(); },
                       .features = std::make_unique<CopyingFeatures>(RandomDelay(1, {})),
                       .mel_format = kMel,
                       .on_done = [&](const SlotTimes& t) { times.push_back(t); }});
    while (auto batch = ring.next(*reader, {})) {
      ring.release(*std::move(batch), *reader);
    }
    reader->synchronise();
  }

  ASSERT_EQ(times.size(), 5U);
  for (const SlotTimes& t : times) {
    EXPECT_LE(*t.load.end, *t.stage.begin);
    EXPECT_LE(*t.stage.end, *t.prepare.begin);
    EXPECT_LE(*t.prepare.end, *t.copy.begin);
    EXPECT_LE(*t.copy.end, *t.train.begin);
    EXPECT_LE(*t.train.begin, *t.train.end);
  }
}

// From every state of the ring: before the first batch, with slots filling, ready, being read.
class StopTest : public testing::TestWithParam<int> {};

TEST_P(StopTest, EndsAtOnceWhateverItsSlotsAreDoing) {
  const auto model = make_gpu(1);
  NumberedBatches batches(kMel, 1000);
  std::promise<void> go;
  const std::shared_future<void> gate = go.get_future().share();
  const auto reader = model->make_stream("train");
  auto ring = std::make_unique<TransferRing>(
      RingOptions{.slots = 3, .slot_bytes = kSlotBytes},
      single_parts(*model, [&](const std::stop_token&) { return batches.next(); }));
  if (GetParam() > 0) {
    ASSERT_TRUE(ring->wait_until_warm(GetParam(), Seconds(60), {}));
  }
  if (GetParam() == 2) {
    reader->submit([gate] { gate.wait(); });
    ring->release(*ring->next(*reader, {}), *reader);
  }

  ring.reset();  // with a reader pending in one case: its batch keeps its memory

  go.set_value();
}

INSTANTIATE_TEST_SUITE_P(States, StopTest, testing::Values(0, 1, 2, 3));

}  // namespace
}  // namespace qanat
