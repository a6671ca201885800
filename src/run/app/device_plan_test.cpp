#include "app/device_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "locale/messages/devices.h"
#include "locale/translator.h"

namespace qanat {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

RunConfig asking_for(std::optional<int> data_gpu, std::optional<int> model_gpu) {
  RunConfig config;
  config.data.data_gpu = data_gpu;
  config.data.model_gpu = model_gpu;
  return config;
}

std::string refusal(const RunConfig& config, const Hardware& hardware) {
  try {
    (void)plan_devices(config, hardware);
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

std::vector<std::string> said(const std::vector<Message>& lines) {
  std::vector<std::string> texts;
  texts.reserve(lines.size());
  for (const Message& line : lines) {
    texts.push_back(Translator().tr(line));
  }
  return texts;
}

std::vector<std::string> lines_of(const DevicePlan& plan, const DataConfig& data, Symbols symbols) {
  return said(describe_plan(plan, data, symbols));
}

DataConfig with_buffer(int batches) {
  DataConfig data;
  data.pipeline_buffer_size = batches;
  return data;
}

TEST(DevicePlanTest, TrainsOnTheCpuWhereThereIsNoGpu) {
  const DevicePlan plan = plan_devices({}, {});

  EXPECT_EQ(plan.mode, RunMode::single_buffered);
  EXPECT_EQ(plan.model, DeviceId{});
}

TEST(DevicePlanTest, HonoursTheOrderOfTheTwoGpus) {
  const Hardware two{.virtual_gpus = 2};

  const DevicePlan plan = plan_devices(asking_for(0, 1), two);
  const DevicePlan swapped = plan_devices(asking_for(1, 0), two);

  EXPECT_EQ(plan.data->index, 0);
  EXPECT_EQ(plan.model.index, 1);
  EXPECT_EQ(swapped.data->index, 1);
  EXPECT_EQ(swapped.model.index, 0);
}

TEST(DevicePlanTest, RefusesOneOfTheTwoGpus) {
  EXPECT_THAT(refusal(asking_for(0, {}), {.virtual_gpus = 2}), HasSubstr("both are needed"));
  EXPECT_THAT(refusal(asking_for({}, 1), {.virtual_gpus = 2}), HasSubstr("both are needed"));
}

TEST(DevicePlanTest, RefusesEqualAndNegativeGpus) {
  EXPECT_THAT(refusal(asking_for(1, 1), {.virtual_gpus = 2}), HasSubstr("two different GPUs"));
  EXPECT_THAT(refusal(asking_for(-1, 1), {.virtual_gpus = 2}), HasSubstr("start at 0"));
}

TEST(DevicePlanTest, SaysWhatWasAskedForAndWhatIsThere) {
  const std::string message = refusal(asking_for(0, 1), {.cuda_gpus = 1});

  EXPECT_THAT(message, HasSubstr("Insufficient GPUs for Multi-GPU Mode"));
  EXPECT_THAT(message, HasSubstr("Multi-GPU requires at least 2 GPUs, found 1"));
  EXPECT_THAT(message, HasSubstr("--allow-fallback"));
}

TEST(DevicePlanTest, NamesTheGpuThatDoesNotExist) {
  EXPECT_THAT(refusal(asking_for(0, 5), {.virtual_gpus = 2}),
              HasSubstr("invalid model_gpu=5, must be 0-1"));
}

TEST(DevicePlanTest, FallsBackToOneWholePlanWhenAllowed) {
  RunConfig config = asking_for(0, 1);
  config.pipeline.allow_fallback = true;

  const DevicePlan plan = plan_devices(config, {.cuda_gpus = 1});

  EXPECT_EQ(plan.mode, RunMode::single_buffered);
  EXPECT_EQ(plan.model, (DeviceId{.kind = DeviceKind::cuda, .index = 0}));
  EXPECT_FALSE(plan.data.has_value());
  EXPECT_FALSE(plan.data_budget.has_value());
  EXPECT_THAT(said(plan.notes), ElementsAre(HasSubstr("found 1")));
}

TEST(DevicePlanTest, DoesNotFallBackWhenTheGpusAreThere) {
  RunConfig config = asking_for(0, 1);
  config.pipeline.allow_fallback = true;

  const DevicePlan plan = plan_devices(config, {.virtual_gpus = 2});

  EXPECT_EQ(plan.mode, RunMode::multi_gpu);
  EXPECT_TRUE(plan.notes.empty());
}

TEST(DevicePlanTest, TrainsOnTheProcessorWithoutADriverAndSaysWhy) {
  const DevicePlan plan = plan_devices({}, {.no_cuda = msg::no_cuda_build{}});

  EXPECT_EQ(plan.model, DeviceId{});
  EXPECT_THAT(said(plan.notes),
              ElementsAre("this program was built without CUDA; continuing on the CPU"));
}

TEST(DevicePlanTest, RefusesToTrainOnTheProcessorWhenCudaIsBroken) {
  const Hardware broken{.no_cuda = msg::no_cuda_build{}, .cuda_broken = true};

  EXPECT_THAT(refusal({}, broken), HasSubstr("built without CUDA"));
  RunConfig allowed;
  allowed.pipeline.allow_fallback = true;
  EXPECT_EQ(plan_devices(allowed, broken).model, DeviceId{});
}

TEST(DevicePlanTest, SaysWhyTheGpusThatWereAskedForAreNotThere) {
  EXPECT_THAT(refusal(asking_for(0, 1), {.no_cuda = msg::no_cuda_build{}}),
              HasSubstr("found 0 (this program was built without CUDA)"));
}

TEST(DevicePlanTest, SetsBudgetsWithMemoryIsolationOnly) {
  RunConfig config = asking_for(0, 1);
  EXPECT_FALSE(plan_devices(config, {.virtual_gpus = 2}).model_budget.has_value());
  config.pipeline.enable_memory_isolation = true;

  const DevicePlan plan = plan_devices(config, {.virtual_gpus = 2});

  EXPECT_EQ(plan.data_budget, mebibytes(8192));
  EXPECT_EQ(plan.model_budget, mebibytes(16384));
}

TEST(DevicePlanTest, SaysItsModeInTheWordsOfTheContract) {
  const DevicePlan multi = plan_devices(asking_for(0, 1), {.virtual_gpus = 2});
  const DevicePlan single = plan_devices({}, {.virtual_gpus = 1});

  EXPECT_THAT(lines_of(multi, with_buffer(50), Symbols::emoji),
              ElementsAre("🚀 Intelligent GPU Pipeline: Multi-GPU Mode",
                          "   - Data Processing GPU: 0",
                          "   - Model Training GPU: 1",
                          "   - Prefetching to /GPU:0 with buffer_size=50",
                          "🎯 Multi-GPU Mode: Model will be placed on /GPU:1"));
  EXPECT_THAT(lines_of(single, with_buffer(50), Symbols::plain),
              ElementsAre("Intelligent GPU Pipeline: Single-GPU Buffered Mode",
                          "   - Buffer Size: 50",
                          "   - Smart Prefetching: Enabled",
                          "   - Prefetching to /GPU:0 with buffer_size=50"));
  EXPECT_THAT(lines_of(single, with_buffer(0), Symbols::plain),
              ElementsAre("Single-GPU Serial Mode: unbuffered, for comparison",
                          "   - Loading, then training on /GPU:0, one after the other"));
}

TEST(DevicePlanTest, DoesNotSayThatItPrefetchesWhereItDoesNot) {
  const DevicePlan cpu = plan_devices({}, {});
  const DevicePlan gpu = plan_devices({}, {.virtual_gpus = 1});

  EXPECT_THAT(lines_of(cpu, {}, Symbols::plain),
              ElementsAre("Intelligent GPU Pipeline: Single-GPU Buffered Mode",
                          "   - Buffer Size: 50 at most, as many as needed",
                          "   - Smart Prefetching: Disabled, there is no GPU to copy to",
                          "   - Training on the CPU"));
  DataConfig late;
  late.prefetch_to_gpu = false;
  EXPECT_THAT(lines_of(gpu, late, Symbols::plain),
              testing::Contains("   - Smart Prefetching: Disabled, data.prefetch_to_gpu is false"));
}

TEST(DevicePlanTest, GivesEachProcessThePairItsPlaceInTheListsNames) {
  RunConfig config;
  config.data.data_gpu = GpuList({0, 2});
  config.data.model_gpu = GpuList({1, 3});
  const Hardware four{.virtual_gpus = 4};

  const DevicePlan second = plan_devices(config, four, {.index = 1, .count = 2});

  EXPECT_EQ(second.mode, RunMode::multi_gpu);
  EXPECT_EQ(second.data->index, 2);
  EXPECT_EQ(second.model.index, 3);
}

TEST(DevicePlanTest, TrainsEachProcessOnAGpuOfItsOwn) {
  const Hardware two{.virtual_gpus = 2};

  EXPECT_EQ(plan_devices({}, two, {.index = 1, .count = 2}).model.index, 1);
  EXPECT_EQ(plan_devices({}, {}, {.index = 1, .count = 2}).model, DeviceId{});
}

TEST(DevicePlanTest, TrainsReplicasOnTheListedGpus) {
  RunConfig config;
  config.data.model_gpu = GpuList({3, 1});

  const DevicePlan plan = plan_devices(config, {.virtual_gpus = 4}, {.index = 1, .count = 2});

  EXPECT_EQ(plan.mode, RunMode::single_buffered);
  EXPECT_EQ(plan.model.index, 1);
}

TEST(DevicePlanTest, RefusesListsThatDoNotNameOneGpuPerProcess) {
  RunConfig config;
  config.data.data_gpu = GpuList({0, 2});
  config.data.model_gpu = GpuList({1, 3});

  EXPECT_THAT(refusal(config, {.virtual_gpus = 4}),
              HasSubstr("--data-gpu names 2 GPUs for 1 processes on this machine"));
}

TEST(DevicePlanTest, RefusesMoreProcessesThanGpus) {
  EXPECT_THROW((void)plan_devices({}, {.virtual_gpus = 2}, {.index = 2, .count = 3}), Error);
}

}  // namespace
}  // namespace qanat
