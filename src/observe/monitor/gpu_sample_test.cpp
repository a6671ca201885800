#include "monitor/gpu_sample.h"

#include <gtest/gtest.h>

namespace qanat {
namespace {

TEST(GpuSampleTest, ASetupComesBackFromItsJson) {
  const GpuSetup setup{.driver = "535",
                       .cuda_version = 12020.0,
                       .gpus = {{.bus_id = std::string("0000:65:00.0"),
                                 .memory = Reading<double>::none("not supported")},
                                {.uuid = std::string("GPU-1")}},
                       .pairs = {{.first = 0, .second = 1, .peer_copies = 0.0}}};

  const Result<GpuSetup> again = to_gpu_setup(to_json(setup));

  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again.value(), setup);
}

TEST(GpuSampleTest, WhatASampleDoesNotKnowStaysUnknown) {
  const std::vector<GpuSample> samples = {{.clock = 1.5e9, .limits = 64.0}, {.lost = 1.0}};

  const Result<std::vector<GpuSample>> again = to_gpu_samples(to_json(samples));

  ASSERT_TRUE(again.ok());
  ASSERT_EQ(again.value().size(), 2U);
  EXPECT_EQ(again.value()[0].clock, Reading<double>(1.5e9));
  EXPECT_FALSE(again.value()[0].power);
  EXPECT_EQ(again.value()[1].lost, Reading<double>(1));
}

TEST(GpuSampleTest, DamagedLinesAreRefused) {
  EXPECT_FALSE(to_gpu_setup({{"driver", "x"}}).ok());
  EXPECT_FALSE(
      to_gpu_setup({{"driver", "x"}, {"gpus", {1}}, {"pairs", nlohmann::json::array()}}).ok());
  const nlohmann::json none = nlohmann::json::array();
  EXPECT_FALSE(
      to_gpu_setup({{"driver", "x"}, {"gpus", none}, {"pairs", {{{"first", 0}, {"second", 1}}}}})
          .ok());
  EXPECT_FALSE(to_gpu_samples("text").ok());
}

}  // namespace
}  // namespace qanat
