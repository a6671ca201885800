#include "metrics/gpu_totals.h"

#include <gtest/gtest.h>

namespace qanat {
namespace {

GpuSamples samples(const nlohmann::json& sample) {
  return {.samples = nlohmann::json::array({sample})};
}

GpuCounters named() {
  GpuCounters counters;
  counters.add(
      {.setup = nlohmann::json{{"gpus", {{{"uuid", "GPU-5a1b2c3d-0000-1111"}, {"name", "RTX"}}}}}},
      Seconds{0});
  return counters;
}

TEST(GpuTotalsTest, AGpuIsNamedByTheFirstPartOfItsUuid) {
  EXPECT_EQ(named().gpus().at(0).id, "GPU-5a1b2c3d");
}

TEST(GpuTotalsTest, NoTwoGpusHaveOneName) {
  GpuCounters counters;
  counters.add({.setup = nlohmann::json{{"gpus", {{{"uuid", "GPU-1-2"}}, {{"uuid", "GPU-1-3"}}}}}},
               Seconds{0});

  EXPECT_EQ(counters.gpus().at(0).id, "GPU-1");
  EXPECT_EQ(counters.gpus().at(1).id, "GPU-1-1");
}

TEST(GpuTotalsTest, AGpuWithoutUuidIsNamedByItsPlace) {
  GpuCounters counters;
  counters.add(samples({{"power", 100}}), Seconds{1});

  EXPECT_EQ(counters.gpus().at(0).id, "0");
}

TEST(GpuTotalsTest, PowerBecomesEnergyOverTheTimeBetweenSamples) {
  GpuCounters counters = named();
  counters.add(samples({{"power", 100}}), Seconds{10});
  counters.add(samples({{"power", 200}}), Seconds{12});

  EXPECT_DOUBLE_EQ(counters.gpus().at(0).energy.value(), 300);
}

TEST(GpuTotalsTest, ClocksThatAreHeldBackAreCountedByReason) {
  GpuCounters counters = named();
  counters.add(samples({{"limits", 0}}), Seconds{0});
  counters.add(samples({{"limits", 0x24}}), Seconds{2});
  counters.add(samples({{"limits", 0x4}}), Seconds{5});

  EXPECT_DOUBLE_EQ(counters.gpus().at(0).limited.at(2), 5);
  EXPECT_DOUBLE_EQ(counters.gpus().at(0).limited.at(5), 2);
  EXPECT_DOUBLE_EQ(counters.gpus().at(0).limited.at(0), 0);
}

TEST(GpuTotalsTest, WhatASampleDoesNotSayIsUnknown) {
  GpuCounters counters = named();
  counters.add(samples({{"power", 100}, {"clock", 1e9}}), Seconds{0});
  counters.add(samples({{"power", nullptr}}), Seconds{1});

  EXPECT_FALSE(counters.gpus().at(0).latest.contains("power"));
  EXPECT_FALSE(counters.gpus().at(0).latest.contains("clock"));
  EXPECT_TRUE(counters.gpus().at(0).limited.empty());
}

TEST(GpuTotalsTest, ErrorsAreCountedByNumber) {
  GpuCounters counters = named();
  counters.add(samples({{"xid", 79}}), Seconds{0});
  counters.add(samples({{"xid", 79}}), Seconds{1});

  EXPECT_EQ(counters.gpus().at(0).xids.at(79), 2);
}

TEST(GpuTotalsTest, DamagedLinesArePassedOver) {
  GpuCounters counters = named();
  counters.add({.setup = 3, .samples = "none"}, Seconds{1});
  counters.add({.samples = nlohmann::json::array({1, "two"})}, Seconds{2});

  EXPECT_TRUE(counters.gpus().at(0).latest.empty());
}

}  // namespace
}  // namespace qanat
