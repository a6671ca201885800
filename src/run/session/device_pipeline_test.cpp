#include "session/device_pipeline.h"

#include <cstring>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/session_testing.h"
#include "base/error.h"
#include "device/out_of_memory.h"
#include "metrics/journal_testing.h"
#include "session/memory_check.h"

namespace qanat {
namespace {

RunConfig with_gpus(RunConfig config, std::optional<int> data, std::optional<int> model) {
  config.pipeline.virtual_gpus = 2;
  config.pipeline.virtual_gpu_memory = Megabytes{256};
  config.data.data_gpu = data;
  config.data.model_gpu = model;
  return config;
}

// The payload and tokens of every batch as they arrive on the model device.
using Arrived = std::map<std::pair<std::int64_t, std::int64_t>, std::vector<std::byte>>;

// Everything of a batch but the gaps between its parts, which nobody writes.
std::vector<std::byte> parts_of(std::span<const std::byte> block, const BatchLayout& layout) {
  const auto rows = static_cast<std::size_t>(layout.shape.rows);
  std::vector<std::byte> parts;
  const auto add = [&](std::size_t offset, std::size_t bytes) {
    const auto part = block.subspan(offset, bytes);
    parts.insert(parts.end(), part.begin(), part.end());
  };
  add(layout.payload, rows * layout.row_bytes());
  add(layout.tokens, rows * static_cast<std::size_t>(layout.shape.tokens) * 4);
  for (const std::size_t offset :
       {layout.frame_lengths, layout.token_lengths, layout.speakers, layout.items}) {
    add(offset, rows * 4);
  }
  return parts;
}

struct Delivery {
  Arrived arrived;
  DevicePipelineStats stats;
  DeviceId model;
  std::optional<DeviceId> data;
};

Delivery run_all(const RunConfig& config, LoaderRequest loader) {
  const DevicePlan plan = plan_devices(config, find_hardware(config));
  RunDevices devices = make_devices(config, plan, read_host_facts());
  const auto reader = devices.model->make_stream("train");
  Delivery run{.arrived = {}, .stats = {}, .model = plan.model, .data = plan.data};
  DevicePipeline pipeline(devices, {.config = config, .plan = plan, .loader = std::move(loader)});
  (void)pipeline.open_gate({});
  while (auto batch = pipeline.ring().next(*reader, {})) {
    std::vector<std::byte>& kept = run.arrived[{batch->id.epoch, batch->id.index}];
    reader->submit(
        [&kept, bytes = batch->bytes, layout = batch->layout] { kept = parts_of(bytes, layout); });
    pipeline.ring().release(*std::move(batch), *reader);
  }
  reader->synchronise();
  run.stats = pipeline.stats();
  return run;
}

TEST(DevicePipelineTest, DeliversTheSameBytesInBothModes) {
  SmallDataSet data;

  const Delivery single = run_all(with_gpus(data.config(), {}, {}), data.request());
  const Delivery multi = run_all(with_gpus(data.config(), 0, 1), data.request());

  EXPECT_EQ(single.arrived.size(), 6U);  // 12 utterances, batches of 4, 2 epochs
  EXPECT_TRUE(single.arrived == multi.arrived);
}

TEST(DevicePipelineTest, MakesFeaturesOnTheDataGpuAndNothingElseThere) {
  SmallDataSet data;

  const Delivery run = run_all(with_gpus(data.config(), 0, 1), data.request());

  EXPECT_EQ(run.data->index, 0);
  EXPECT_EQ(run.model.index, 1);
  EXPECT_GT(run.stats.data->busy, Seconds{0});
  EXPECT_EQ(run.stats.loader.mel.busy, Seconds{0});  // the workers only decoded
  EXPECT_GT(run.stats.data->copied, Bytes{0});
}

TEST(DevicePipelineTest, SwapsTheDevicesWithTheFlags) {
  SmallDataSet data;

  const Delivery run = run_all(with_gpus(data.config(), 1, 0), data.request());

  EXPECT_EQ(run.data->index, 1);
  EXPECT_EQ(run.model.index, 0);
  EXPECT_GT(run.stats.data->busy, Seconds{0});
}

TEST(DevicePipelineTest, LeavesFeaturesToTheWorkersInSingleMode) {
  SmallDataSet data;

  const Delivery run = run_all(with_gpus(data.config(), {}, {}), data.request());

  EXPECT_FALSE(run.stats.data.has_value());
  EXPECT_GT(run.stats.loader.mel.busy, Seconds{0});
}

TEST(DevicePipelineTest, NeverBlocksTheHostOnADevice) {
  SmallDataSet data;

  const Delivery run = run_all(with_gpus(data.config(), 0, 1), data.request());

  EXPECT_EQ(run.stats.model.host_waits, 1);  // the one at the end
  EXPECT_EQ(run.stats.data->host_waits, 0);
}

TEST(DevicePipelineTest, JournalsTheWayOfEveryBatch) {
  SmallDataSet data;
  EventList journal;

  (void)run_all(with_gpus(data.config(), 0, 1), data.request(&journal));

  const std::vector<SlotRecord> slots = journal.events<SlotRecord>();
  ASSERT_EQ(slots.size(), 6U);
  for (const SlotRecord& slot : slots) {
    EXPECT_LE(slot.load.value().end, slot.stage.value().begin);
    EXPECT_LE(slot.stage->end, slot.prepare.value().begin);
    EXPECT_LE(slot.prepare->end, slot.copy.value().begin);
    EXPECT_LE(slot.copy->end, slot.train.value().begin);
    EXPECT_GT(slot.bytes.value, 1000);
  }
  EXPECT_EQ(journal.events<RingStart>().size(), 1U);
  EXPECT_EQ(journal.events<StartGateOpened>().size(), 1U);
}

TEST(DevicePipelineTest, WithoutABufferLoadsAndTrainsInTurns) {
  SmallDataSet data;
  EventList journal;
  RunConfig config = with_gpus(data.config(), {}, {});
  config.data.pipeline_buffer_size = 0;

  const Delivery serial = run_all(config, data.request(&journal));

  const std::vector<SlotRecord> slots = journal.events<SlotRecord>();
  ASSERT_EQ(slots.size(), 6U);
  for (std::size_t i = 1; i < slots.size(); ++i) {
    EXPECT_LE(slots[i - 1].train.value().end, slots[i].load.value().begin);
  }
  EXPECT_TRUE(serial.arrived == run_all(with_gpus(data.config(), {}, {}), data.request()).arrived);
}

TEST(DevicePipelineTest, TellsTheConsumersPaceFromTheDevice) {
  SmallDataSet data;

  const Delivery run = run_all(with_gpus(data.config(), {}, {}), data.request());

  EXPECT_EQ(run.stats.consumer.steps, 5);  // from one end to the next
  EXPECT_GT(run.stats.consumer.own, Seconds{0});
}

TEST(DevicePipelineTest, ResumesBehindTheBatchThatWasTrainedLast) {
  SmallDataSet data;
  const RunConfig config = with_gpus(data.config(), {}, {});
  const DevicePlan plan = plan_devices(config, find_hardware(config));
  RunDevices devices = make_devices(config, plan, read_host_facts());
  DevicePipeline pipeline(devices, {.config = config, .plan = plan, .loader = data.request()});

  EXPECT_EQ(pipeline.position_after({.epoch = 0, .index = 1}), (Position{.epoch = 0, .batch = 2}));
  EXPECT_EQ(pipeline.position_after({.epoch = 0, .index = 2}), (Position{.epoch = 1, .batch = 0}));
}

class FullSink : public EventSink {
 public:
  void record(const JournalEvent& event) override {
    if (std::holds_alternative<SlotRecord>(event)) {
      throw Error("no space left on device");
    }
  }
};

TEST(DevicePipelineTest, AJournalThatCannotBeWrittenEndsTheRun) {
  SmallDataSet data;
  FullSink full;
  RunConfig config = with_gpus(data.config(), {}, {});
  config.training.epochs = 1000;

  EXPECT_THROW((void)run_all(config, data.request(&full)), Error);
}

TEST(DevicePipelineTest, GivesAllMemoryBackExactly) {
  SmallDataSet data;
  const RunConfig config = with_gpus(data.config(), 0, 1);
  const DevicePlan plan = plan_devices(config, find_hardware(config));
  RunDevices devices = make_devices(config, plan, read_host_facts());

  for (int i = 0; i < 3; ++i) {
    const DevicePipeline pipeline(devices,
                                  {.config = config, .plan = plan, .loader = data.request()});
    EXPECT_GT(devices.model->memory().use().used, Bytes{0});
  }

  EXPECT_EQ(devices.model->memory().use().used, Bytes{0});
  EXPECT_EQ(devices.data->memory().use().used, Bytes{0});
}

TEST(DevicePipelineTest, BeginsWithFewerSlotsWhereTheBudgetHoldsNoMore) {
  SmallDataSet data;
  RunConfig config = with_gpus(data.config(), {}, {});
  config.pipeline.virtual_gpu_memory = Megabytes{4096};
  config.pipeline.enable_memory_isolation = true;
  DevicePlan plan = plan_devices(config, find_hardware(config));
  const auto begin = [&](std::optional<Bytes> limit) {
    plan.model_budget = limit;
    RunDevices devices = make_devices(config, plan, read_host_facts());
    const DevicePipeline pipeline(devices,
                                  {.config = config, .plan = plan, .loader = data.request()});
    return std::pair(pipeline.stats().ring.slots, pipeline.loader().edges());
  };
  const auto [deepest, edges] = begin({});
  ASSERT_EQ(deepest, 48);
  const MemoryNeed need = memory_need(config, make_ring_options(config, plan, edges), edges);

  EXPECT_EQ(begin(with_slots(need, 10).on_model()).first, 10);
  EXPECT_THROW((void)begin(with_slots(need, 2).on_model()), Error);  // that is no ring any more

  config.data.prefetch_buffer_size = 11;
  EXPECT_THROW((void)begin(with_slots(need, 10).on_model()), Error);  // it was asked for
}

TEST(RingOptionsTest, OneSlotWithoutPrefetching) {
  RunConfig config;
  config.data.prefetch_to_gpu = false;
  const BucketEdges edges = {{.frames = 100, .tokens = 40, .rows = 16}};

  EXPECT_EQ(make_ring_options(config, {}, edges).slots, 1);
  EXPECT_EQ(slot_limits(config, {}, {.slots = 1}).most, 1);
}

TEST(RingOptionsTest, ARingOfLargeSlotsGrowsLessDeep) {
  EXPECT_EQ(slot_limits({}, {}, {.slots = 3, .slot_bytes = mebibytes(1)}).most, 48);
  EXPECT_EQ(slot_limits({}, {}, {.slots = 3, .slot_bytes = mebibytes(32)}).most, 8);
  EXPECT_EQ(slot_limits({}, {}, {.slots = 3, .slot_bytes = mebibytes(1000)}).most, 3);
}

TEST(RingOptionsTest, SlotsHoldTheLargestShape) {
  const BucketEdges edges = {{.frames = 900, .tokens = 40, .rows = 2},
                             {.frames = 1000, .tokens = 40, .rows = 1}};

  const RingOptions options = make_ring_options({}, {.mode = RunMode::multi_gpu}, edges);

  EXPECT_GE(options.slot_bytes.value, 2 * 900 * 80 * 4);
  EXPECT_GE(options.stage_bytes.value, 2 * 901 * 256 * 2);
}

TEST(RingOptionsTest, BeginsAsDeepAsItsBytesAllow) {
  const auto slots = [](RunMode mode, int rows) {
    const BucketEdges edges = {{.frames = 1000, .tokens = 40, .rows = rows}};
    return make_ring_options({}, {.mode = mode}, edges).slots;
  };

  EXPECT_EQ(slots(RunMode::single_buffered, 2), 48);
  EXPECT_EQ(slots(RunMode::single_buffered, 40), 20);  // of 12.8 MB
  EXPECT_EQ(slots(RunMode::single_buffered, 400), 3);
  EXPECT_EQ(slots(RunMode::multi_gpu, 400), 6);
}

TEST(RingOptionsTest, AShortRunBeginsWithLittleInReserve) {
  RunConfig config;
  config.training.max_steps = 200;
  const BucketEdges edges = {{.frames = 100, .tokens = 40, .rows = 16}};

  EXPECT_EQ(make_ring_options(config, {}, edges).slots, 20);
  config.training.max_steps = 10;
  EXPECT_EQ(make_ring_options(config, {}, edges).slots, 3);
  config.training.max_steps = 100'000;
  EXPECT_EQ(make_ring_options(config, {}, edges).slots, 48);
}

TEST(RingOptionsTest, ADepthThatIsAskedForIsKept) {
  RunConfig config;
  config.data.prefetch_buffer_size = 5;
  const BucketEdges edges = {{.frames = 100, .tokens = 40, .rows = 16}};

  const RingOptions options = make_ring_options(config, {}, edges);

  EXPECT_EQ(options.slots, 5);
  EXPECT_EQ(slot_limits(config, {}, options).most, 5);
  EXPECT_EQ(slot_limits(config, {}, options).least, 5);
}

}  // namespace
}  // namespace qanat
