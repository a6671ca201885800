#include "diagnose/slot_trace.h"

#include <gtest/gtest.h>

namespace qanat {
namespace {

TEST(SlotTraceTest, ReadsTheStagesThereAre) {
  SlotTrace trace;
  trace.add({{"kind", "slot"}, {"load", {0.0, 0.1}}, {"copy", {0.1, 0.15}}, {"train", {0.2, 0.5}}});

  ASSERT_EQ(trace.rows.size(), 1U);
  EXPECT_NEAR(trace.rows[0].copy->length(), 0.05, 1e-12);
  EXPECT_NEAR(trace.rows[0].train->length(), 0.3, 1e-12);
  EXPECT_FALSE(trace.rows[0].prepare.has_value());
}

TEST(SlotTraceTest, ANewSessionBeginsAnew) {
  SlotTrace trace;
  trace.add({{"kind", "slot"}, {"train", {0.2, 0.5}}});
  trace.add({{"kind", "journal"}, {"format", 1}});

  EXPECT_TRUE(trace.rows.empty());
}

TEST(SlotTraceTest, AFileThatGoesOnIsTheSameSession) {
  SlotTrace trace;
  trace.add({{"kind", "journal"}, {"format", 1}});
  trace.add({{"kind", "slot"}, {"train", {0.2, 0.5}}});
  trace.add({{"kind", "journal"}, {"format", 1}, {"continues", true}});
  trace.add({{"kind", "slot"}, {"train", {0.5, 0.8}}});

  EXPECT_EQ(trace.rows.size(), 2U);
}

TEST(SlotTraceTest, LinesThatDoNotFitAreCountedAndLeftOut) {
  SlotTrace trace;
  trace.add({{"kind", "slot"}, {"train", "soon"}});
  trace.add({{"kind", "slot"}, {"train", {0.2}}});
  trace.add({{"kind", 7}});
  trace.add(nlohmann::json::array());

  EXPECT_TRUE(trace.rows.empty());
  EXPECT_EQ(trace.damaged_lines, 4);
}

}  // namespace
}  // namespace qanat
