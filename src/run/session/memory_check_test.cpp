#include "session/memory_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "locale/translator.h"
#include "session/device_pipeline.h"

namespace qanat {
namespace {

using testing::HasSubstr;

const BucketEdges kEdges = {{.frames = 500, .tokens = 100, .rows = 16},
                            {.frames = 1000, .tokens = 200, .rows = 16}};
const DevicePlan kMulti{.mode = RunMode::multi_gpu,
                        .model = {.kind = DeviceKind::virtual_gpu, .index = 1},
                        .data = DeviceId{.kind = DeviceKind::virtual_gpu, .index = 0}};

const DevicePlan kCpu{.mode = RunMode::single_buffered, .model = {.kind = DeviceKind::cpu}};

MemoryNeed need_of(ModelSize size, int rows) {
  RunConfig config;
  config.model.size = size;
  const BucketEdges edges = {{.frames = 1000, .tokens = 200, .rows = rows}};
  return memory_need(config, make_ring_options(config, kCpu, edges), edges);
}

MemoryNeed need() {
  return memory_need({}, make_ring_options({}, kMulti, kEdges), kEdges);
}

std::string said(const Message& message) {
  return Translator().tr(message);
}

TEST(MemoryCheckTest, TakesTheLargestShape) {
  EXPECT_EQ(need().largest, kEdges.back().shape());
}

TEST(MemoryCheckTest, SaysNothingOfWhatFitsOrIsNotLimited) {
  EXPECT_FALSE(memory_problem(need(), kMulti, {}, {}).has_value());
  EXPECT_FALSE(memory_problem(need(), kMulti, need().on_model(), need().on_data()).has_value());
}

TEST(MemoryCheckTest, NamesTheBatchSizeAndTheBudgetThatWouldFit) {
  const Bytes limit{need().on_model().value * 3 / 4};
  const int rows = fitting_rows(need(), limit);

  const auto problem = memory_problem(need(), kMulti, limit, {});

  ASSERT_TRUE(problem.has_value());
  EXPECT_THAT(said(*problem), HasSubstr("memory of virtual:1"));
  EXPECT_THAT(said(*problem), HasSubstr("--batch-size " + std::to_string(rows)));
  EXPECT_THAT(said(*problem), HasSubstr("--model-gpu-memory "));
  EXPECT_FALSE(memory_problem(with_rows(need(), rows), kMulti, limit, {}).has_value());
  EXPECT_TRUE(memory_problem(with_rows(need(), rows + 1), kMulti, limit, {}).has_value());
}

TEST(MemoryCheckTest, NamesAShallowerRingWhereThatIsEnough) {
  const Bytes limit = with_slots(need(), 2).on_model();

  EXPECT_THAT(said(*memory_problem(need(), kMulti, limit, {})),
              HasSubstr("--prefetch-buffer-size 2"));
}

TEST(MemoryCheckTest, ChecksTheRingOnTheDataDevice) {
  const auto problem = memory_problem(need(), kMulti, {}, Bytes{need().on_data().value * 3 / 4});

  ASSERT_TRUE(problem.has_value());
  EXPECT_THAT(said(*problem), HasSubstr("memory of virtual:0"));
  EXPECT_THAT(said(*problem), HasSubstr("--prefetch-buffer-size 2, or --data-gpu-memory"));
}

TEST(HostMemoryTest, WhatCanNeverFitIsRefusedWithWhatWould) {
  const MemoryNeed need = need_of(ModelSize::big, 64);
  const HostFacts small{.total_memory = mebibytes(8000), .available_memory = mebibytes(7000)};

  try {
    (void)check_host_memory(need, kCpu, small);
    FAIL() << "it fits";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("memory of cpu: training needs about"));
    EXPECT_THAT(error.what(), HasSubstr("expected at most 8000 MB"));
    EXPECT_THAT(error.what(), HasSubstr("try --batch-size "));
    EXPECT_THAT(error.what(), HasSubstr("a smaller --model-size"));
  }
}

TEST(HostMemoryTest, WhatDoesNotFitNowIsANote) {
  const MemoryNeed need = need_of(ModelSize::nano, 16);
  const HostFacts busy{.total_memory = mebibytes(8000), .available_memory = mebibytes(300)};

  EXPECT_THAT(said(check_host_memory(need, kCpu, busy).value_or(Message{})),
              HasSubstr("the kernel may end this run"));
}

TEST(HostMemoryTest, ARunThatFitsOrIsNotOnTheProcessorIsLeftAlone) {
  const MemoryNeed need = need_of(ModelSize::nano, 16);

  EXPECT_EQ(check_host_memory(
                need, kCpu, {.total_memory = mebibytes(8000), .available_memory = mebibytes(7000)}),
            std::nullopt);
  EXPECT_EQ(check_host_memory(need, kCpu, {}), std::nullopt);  // nothing is known
  EXPECT_EQ(check_host_memory(need, kMulti, {.total_memory = mebibytes(8)}), std::nullopt);
}

TEST(MemoryTableTest, LargerCardsHoldMoreAndLargerModelsLess) {
  const std::vector<MemoryAdvice> table = memory_table({});

  ASSERT_EQ(table.size(), 15U);
  for (std::size_t i = 0; i + 5 < table.size(); ++i) {
    EXPECT_LT(table[i].batch_size, table[i + 5].batch_size);
  }
  for (std::size_t i = 1; i < 5; ++i) {
    EXPECT_LT(table[i].batch_size, table[i - 1].batch_size);
  }
}

TEST(AddressSpaceTest, ALimitThatNoRunFitsIsRefusedWithTheCommand) {
  EXPECT_NO_THROW(check_address_space({}));
  EXPECT_NO_THROW(check_address_space(mebibytes(8192)));
  try {
    check_address_space(mebibytes(976));
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("limited to 976 MB"));
    EXPECT_THAT(error.what(), testing::HasSubstr("ulimit -v unlimited"));
  }
}

TEST(MemoryTableTest, IsMadeByTheSameFunctionThatChecksARun) {
  const MemoryAdvice advice = memory_table({}).front();
  RunConfig config;
  config.model.size = advice.size;
  config.data.batch_size = advice.batch_size;
  config.data.prefetch_buffer_size =
      default_slots(RunMode::single_buffered);  // the least a run has
  const auto problem_with = [&](int rows) {
    const BucketEdges edges = {{.frames = 1024, .tokens = 200, .rows = rows}};
    return memory_problem(memory_need(config, make_ring_options(config, {}, edges), edges),
                          {},
                          mebibytes(advice.model_gpu_memory),
                          {});
  };

  EXPECT_FALSE(problem_with(advice.batch_size).has_value());
  EXPECT_TRUE(problem_with(advice.batch_size + 1).has_value());
}

}  // namespace
}  // namespace qanat
