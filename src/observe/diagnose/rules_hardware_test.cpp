#include "diagnose/rules_testing.h"

namespace qanat {
namespace {

class RulesHardwareTest : public RulesTest {
 protected:
  RulesHardwareTest() { two_gpus(); }

  GpuHistory& gpu() { return summary_.gpus->gpus[0]; }
};

TEST_F(RulesHardwareTest, HealthyGpusPassEverything) {
  copy_batches(kEightMegabytes / 25e9);

  for (const Rule& rule : all_rules()) {
    if (rule.category == RuleCategory::hardware) {
      const RuleOutcome outcome = decide(rule.id);
      EXPECT_TRUE(is_passed(outcome)) << rule.id << ": " << skip_reason(outcome);
    }
  }
}

TEST_F(RulesHardwareTest, WithoutGpusEverythingIsSkippedWithTheReason) {
  no_gpus();

  for (const Rule& rule : all_rules()) {
    if (rule.category == RuleCategory::hardware) {
      const RuleOutcome outcome = decide(rule.id);
      ASSERT_TRUE(is_skipped(outcome)) << rule.id;
      EXPECT_NE(skip_reason(outcome).find("libnvidia-ml.so.1: not there"), std::string::npos);
    }
  }
}

TEST_F(RulesHardwareTest, WithoutLinesAboutGpusNothingIsClaimed) {
  summary_.gpus.reset();

  for (const Rule& rule : all_rules()) {
    if (rule.category == RuleCategory::hardware) {
      EXPECT_TRUE(is_skipped(decide(rule.id))) << rule.id;
    }
  }
}

TEST_F(RulesHardwareTest, ADriverThatSaysLittleIsSkippedNotPassed) {
  for (GpuHistory& history : summary_.gpus->gpus) {
    history = GpuHistory{.samples = 10};
  }
  change_setup([](GpuSetup& setup) {
    setup.gpus = {GpuFacts{}, GpuFacts{}};
    setup.pairs = {{.first = 0, .second = 1}};
  });

  for (const char* const id :
       {"HW005", "HW006", "HW008", "HW009", "HW010", "HW011", "MG001", "MG008"}) {
    EXPECT_TRUE(is_skipped(decide(id))) << id;
  }
}

TEST_F(RulesHardwareTest, AGpuThatIsNotUsedIsFound) {
  summary_.run.device = "cpu";

  expect_complete(decide("HW001"), "HW001");
}

TEST_F(RulesHardwareTest, ADriverOfAnotherVersionIsFound) {
  summary_.gpus =
      GpuSummary{.setup = Reading<GpuSetup>::none("Driver/library version mismatch (18)")};

  const RuleOutcome outcome = decide("HW002");

  expect_complete(outcome, "HW002");
  EXPECT_EQ(std::get<Finding>(outcome).severity, FindingSeverity::crit);
}

TEST_F(RulesHardwareTest, DifferentCardsNeedAnOrder) {
  change_setup([](GpuSetup& setup) { setup.gpus[1].name = std::string("Slow card"); });

  expect_complete(decide("HW003"), "HW003");

  change_setup([](GpuSetup& setup) { setup.order = std::string("PCI_BUS_ID"); });
  EXPECT_TRUE(is_passed(decide("HW003")));
}

TEST_F(RulesHardwareTest, HeatCostsWhatItTakesFromTheClock) {
  gpu().limited[ClockLimit::hardware_thermal] = 5;
  gpu().num_limited = 5;
  gpu().clock_limited = 5 * 1.2e9;
  gpu().num_free = 5;
  gpu().clock_free = 5 * 2.4e9;

  const RuleOutcome outcome = decide("HW004");

  expect_complete(outcome, "HW004");
  EXPECT_NEAR(std::get<Finding>(outcome).gain.speedup, 1 / 0.75, 0.01);
  EXPECT_NE(english(std::get<Finding>(outcome).title).find("temperature"), std::string::npos);
}

TEST_F(RulesHardwareTest, ASlowLinkIsFoundOnlyWhileTheGpuWorks) {
  gpu().link_gen = 1;

  expect_complete(decide("HW005"), "HW005");

  summary_.gpus->gpus[0] = summary_.gpus->gpus[1] = GpuHistory{.samples = 10};
  EXPECT_TRUE(is_skipped(decide("HW005")));
}

TEST_F(RulesHardwareTest, MemoryErrorsAreAFault) {
  gpu().last.remap_pending = 1.0;

  const RuleOutcome outcome = decide("HW006");

  expect_complete(outcome, "HW006");
  EXPECT_EQ(std::get<Finding>(outcome).severity, FindingSeverity::crit);
}

TEST_F(RulesHardwareTest, ErrorsAndLostGpusAreAFault) {
  gpu().xids = {79};
  expect_complete(decide("HW007"), "HW007");

  gpu().xids.clear();
  gpu().lost = true;
  expect_complete(decide("HW007"), "HW007");

  summary_.gpus->silent = "NVML did not answer within 3.0 s";
  expect_complete(decide("HW007"), "HW007");
}

TEST_F(RulesHardwareTest, ADriverThatIsSilentIsSaidToBeInEveryLanguage) {
  summary_.gpus->silent = "NVML did not answer within 3.0 s: a GPU may be lost";

  const Finding found = std::get<Finding>(decide("HW007"));

  EXPECT_THAT(Translator().tr(found.title), testing::HasSubstr("did not answer within 3.0 s"));
  EXPECT_THAT(
      Translator(Language::fa).tr(found.title),
      testing::AllOf(testing::HasSubstr("3.0"), testing::Not(testing::HasSubstr("answer"))));
}

// The first card is the run's; what the other one suffers from is no matter of this run.
TEST_F(RulesHardwareTest, TheCardOfANeighbourIsNotJudged) {
  GpuHistory& other = summary_.gpus->gpus[1];
  other.last.other_processes = 1.0;
  other.last.uncorrected_errors = 3.0;
  other.memory_most = 23.9e9;
  other.xids = {31};
  other.lost = true;
  other.num_limited = 8;
  other.limited[ClockLimit::thermal] = 8;

  for (const std::string_view id : {"HW004", "HW005", "HW006", "HW007", "HW008", "HW009"}) {
    EXPECT_TRUE(is_passed(decide(id))) << id;
  }
  summary_.cuda_devices.clear();  // whose it is, nobody knows: worth knowing, and no more
  for (const std::string_view id : {"HW006", "HW007", "HW008"}) {
    EXPECT_EQ(std::get<Finding>(decide(id)).severity, FindingSeverity::info) << id;
  }
}

TEST_F(RulesHardwareTest, AGpuWithoutANameHasANumber) {
  change_setup([](GpuSetup& setup) {
    for (GpuFacts& facts : setup.gpus) {
      facts.bus_id = Reading<std::string>::none("not told");
      facts.name = Reading<std::string>::none("not told");
    }
  });
  summary_.gpus->gpus[1].last.other_processes = 2.0;

  EXPECT_EQ(english(std::get<Finding>(decide("HW008")).title), "2 other processes on GPU 1");
}

TEST_F(RulesHardwareTest, AnErrorOfAProgramIsNoFaultOfTheCard) {
  gpu().xids = {31, 43};
  EXPECT_EQ(std::get<Finding>(decide("HW007")).severity, FindingSeverity::warn);

  gpu().xids = {79, 31};
  EXPECT_EQ(std::get<Finding>(decide("HW007")).severity, FindingSeverity::crit);
}

TEST_F(RulesHardwareTest, TheOtherRanksOfTheRunAreNoOthers) {
  gpu().last.other_processes = 1.0;
  summary_.run.rank = 0;
  summary_.run.world = 2;
  EXPECT_TRUE(is_passed(decide("HW008")));

  gpu().last.other_processes = 2.0;
  EXPECT_EQ(std::get<Finding>(decide("HW008")).evidence.at(0).value, 1);
}

TEST_F(RulesHardwareTest, OthersOnTheGpuAreFound) {
  gpu().last.other_processes = 2.0;

  expect_complete(decide("HW008"), "HW008");
}

TEST_F(RulesHardwareTest, ANearlyFullGpuIsFound) {
  gpu().memory_most = 23.5e9;
  summary_.config = {{"data", {{"batch_size", 48}}}};

  const RuleOutcome outcome = decide("HW009");

  expect_complete(outcome, "HW009");
  EXPECT_EQ(std::get<Finding>(outcome).fixes.at(0).value, "24");  // half of what it is now
}

TEST_F(RulesHardwareTest, ADriverThatUnloadsIsFound) {
  change_setup([](GpuSetup& setup) { setup.gpus[0].persistence = 0.0; });

  expect_complete(decide("HW010"), "HW010");
}

TEST_F(RulesHardwareTest, ABusyTimeThatNvmlDoesNotSeeIsSaid) {
  gpu().resident = 8.8;  // of ten samples; the steps are all work
  EXPECT_FALSE(is_passed(decide("HW011")));

  const RuleOutcome outcome = decide("HW011");

  expect_complete(outcome, "HW011");
  EXPECT_NE(english(std::get<Finding>(outcome).title).find("100 % of the time"), std::string::npos);
  EXPECT_NE(english(std::get<Finding>(outcome).title).find("88 %"), std::string::npos);
  EXPECT_EQ(std::get<Finding>(outcome).fixes[0].key, "data.batch_size");
  gpu().resident = 9.1;  // nine points
  EXPECT_TRUE(is_passed(decide("HW011")));
}

TEST_F(RulesHardwareTest, WorkThatNvmlSeesBesideTheStepsIsSaid) {
  wait_for_data(0.05);  // a third of a step

  expect_complete(decide("HW011"), "HW011");
}

// Seen by a process as its first GPU, by the monitor as the second.
TEST_F(RulesHardwareTest, NvmlIsAskedAboutTheGpuOfTheModel) {
  summary_.cuda_devices[0].bus_id = "0000:66:00.0";
  gpu().resident = 0;

  EXPECT_TRUE(is_passed(decide("HW011")));
}

}  // namespace
}  // namespace qanat
