#include "diagnose/rules_hardware.h"

#include "diagnose/rules_pair.h"
#include "diagnose/rules_testing.h"

namespace qanat {
namespace {

class RulesHardwareTest : public RulesTest {
 protected:
  RulesHardwareTest() { two_gpus(); }

  GpuHistory& gpu() { return trace_.gpus->gpus[0]; }
};

TEST_F(RulesHardwareTest, HealthyGpusPassEverything) {
  copy_batches(kEightMegabytes / 25e9);

  for (const Rule& rule : all_rules()) {
    if (rule.category == "hardware") {
      const RuleOutcome outcome = decide(rule.decide);
      EXPECT_TRUE(outcome.passed.has_value()) << rule.id << ": " << outcome.skipped.value_or("");
    }
  }
}

TEST_F(RulesHardwareTest, WithoutGpusEverythingIsSkippedWithTheReason) {
  no_gpus();

  for (const Rule& rule : all_rules()) {
    if (rule.category == "hardware") {
      const RuleOutcome outcome = decide(rule.decide);
      ASSERT_TRUE(outcome.skipped.has_value()) << rule.id;
      EXPECT_NE(outcome.skipped->find("libnvidia-ml.so.1: not there"), std::string::npos);
    }
  }
}

TEST_F(RulesHardwareTest, WithoutLinesAboutGpusNothingIsClaimed) {
  trace_.gpus.reset();

  for (const Rule& rule : all_rules()) {
    if (rule.category == "hardware") {
      EXPECT_TRUE(decide(rule.decide).skipped.has_value()) << rule.id;
    }
  }
}

TEST_F(RulesHardwareTest, ADriverThatSaysLittleIsSkippedNotPassed) {
  for (GpuHistory& history : trace_.gpus->gpus) {
    history = GpuHistory{.samples = 10};
  }
  change_setup([](GpuSetup& setup) {
    setup.gpus = {GpuFacts{}, GpuFacts{}};
    setup.pairs = {{.first = 0, .second = 1}};
  });

  for (const auto rule : {narrow_link,
                          memory_errors,
                          shared_gpu,
                          memory_full,
                          persistence_off,
                          no_peer_copies,
                          distant_pair}) {
    EXPECT_TRUE(decide(rule).skipped.has_value());
  }
}

TEST_F(RulesHardwareTest, AGpuThatIsNotUsedIsFound) {
  trace_.run["device"] = "cpu";

  expect_complete(decide(unused_gpu), "HW001");
}

TEST_F(RulesHardwareTest, ADriverOfAnotherVersionIsFound) {
  trace_.gpus = GpuTrace{.setup = Reading<GpuSetup>::none("Driver/library version mismatch (18)")};

  const RuleOutcome outcome = decide(driver_mismatch);

  expect_complete(outcome, "HW002");
  EXPECT_EQ(outcome.finding->severity, FindingSeverity::crit);
}

TEST_F(RulesHardwareTest, DifferentCardsNeedAnOrder) {
  change_setup([](GpuSetup& setup) { setup.gpus[1].name = std::string("Slow card"); });

  expect_complete(decide(device_order), "HW003");

  change_setup([](GpuSetup& setup) { setup.order = std::string("PCI_BUS_ID"); });
  EXPECT_TRUE(decide(device_order).passed.has_value());
}

TEST_F(RulesHardwareTest, HeatCostsWhatItTakesFromTheClock) {
  gpu().limited[ClockLimit::hardware_thermal] = 5;
  gpu().num_limited = 5;
  gpu().clock_limited = 5 * 1.2e9;
  gpu().num_free = 5;
  gpu().clock_free = 5 * 2.4e9;

  const RuleOutcome outcome = decide(clock_limited);

  expect_complete(outcome, "HW004");
  EXPECT_NEAR(outcome.finding->gain.speedup, 1 / 0.75, 0.01);
  EXPECT_NE(outcome.finding->title.find("temperature"), std::string::npos);
}

TEST_F(RulesHardwareTest, ASlowLinkIsFoundOnlyWhileTheGpuWorks) {
  gpu().link_gen = 1;

  expect_complete(decide(narrow_link), "HW005");

  trace_.gpus->gpus[0] = trace_.gpus->gpus[1] = GpuHistory{.samples = 10};
  EXPECT_TRUE(decide(narrow_link).skipped.has_value());
}

TEST_F(RulesHardwareTest, MemoryErrorsAreAFault) {
  gpu().last.remap_pending = 1.0;

  const RuleOutcome outcome = decide(memory_errors);

  expect_complete(outcome, "HW006");
  EXPECT_EQ(outcome.finding->severity, FindingSeverity::crit);
}

TEST_F(RulesHardwareTest, ErrorsAndLostGpusAreAFault) {
  gpu().xids = {79};
  expect_complete(decide(driver_errors), "HW007");

  gpu().xids.clear();
  trace_.gpus->gpus[1].lost = true;
  expect_complete(decide(driver_errors), "HW007");

  trace_.gpus->silent = "NVML did not answer within 3.0 s";
  expect_complete(decide(driver_errors), "HW007");
}

TEST_F(RulesHardwareTest, OthersOnTheGpuAreFound) {
  gpu().last.other_processes = 2.0;

  expect_complete(decide(shared_gpu), "HW008");
}

TEST_F(RulesHardwareTest, ANearlyFullGpuIsFound) {
  gpu().memory_most = 23.5e9;

  expect_complete(decide(memory_full), "HW009");
}

TEST_F(RulesHardwareTest, ADriverThatUnloadsIsFound) {
  change_setup([](GpuSetup& setup) { setup.gpus[0].persistence = 0.0; });

  expect_complete(decide(persistence_off), "HW010");
}

}  // namespace
}  // namespace qanat
