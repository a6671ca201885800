#include "metrics/journal_event.h"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>

#include "base/files.h"
#include "metrics/journal.h"
#include "metrics/journal_testing.h"

namespace qanat {
namespace {

StepRecord some_step() {
  return {.step = 41,
          .epoch = 2,
          .batch = 7,
          .batches = 4,
          .rows = 16,
          .padded_frames = 512,
          .tokens = 96,
          .frames = 7000,
          .padded = 9000 + 16 * 512,
          .losses = {.total = 3.5, .mel = 1.25, .prior = 1.5, .forward_sum = 2.0, .duration = 0.5},
          .learning_rate = 1e-3,
          .gradient_norm = 0.75,
          .phases = {.wait = Seconds(0.125),
                     .transfer = Seconds(0.25),
                     .forward = Seconds(1),
                     .loss = Seconds(0.5),
                     .backward = Seconds(2),
                     .optimizer = Seconds(0.0625),
                     .checkpoint = Seconds(0.03125),
                     .residual = Seconds(0.015625)}};
}

PipelineStats some_stats() {
  PipelineStats stats;
  stats.age = Seconds{12.5};
  stats.decode.done = 40;
  stats.decode.busy = Seconds{3.25};
  stats.workers = {{.rows = 30, .busy = Seconds{9}, .blocked = Seconds{1}},
                   {.rows = 10, .busy = Seconds{2}, .parked = Seconds{10}}};
  stats.active_workers = 1;
  stats.ready.capacity = 8;
  stats.ready.occupancy = {.empty = Seconds{1}, .partial = Seconds{2}, .full = Seconds{9.5}};
  stats.ready.pop_wait.add(Seconds{0.5});
  stats.window.limit = 12;
  stats.window.budget = mebibytes(64);
  stats.frames = FrameCount{900};
  stats.padded_frames = FrameCount{1000};
  stats.workers[0].cpu = Seconds{7};
  stats.workers[0].run_delay = Seconds{0.25};
  stats.workers[0].lock_wait = Seconds{0.5};
  stats.row_times.add(Seconds{0.001});
  stats.row_times.add(Seconds{0.2});
  stats.slowest = {{.file = "wavs/long.wav", .time = Seconds{0.2}, .times = 3}};
  stats.process = ProcessUsage{.cpu = Seconds{8}, .major_faults = 2, .read = Bytes{4096}};
  stats.ring = RingUse{.slots = 3, .ready = {.full = Seconds{3}}};
  stats.devices = {{.role = "model", .name = "virtual:0", .busy = Seconds{11}}};
  return stats;
}

template <typename Event>
Event read_back(const nlohmann::json& line) {
  return std::get<Event>(entry_of(line).event);
}

TEST(JournalEventTest, AStepIsReadBackAsItWasWritten) {
  const JournalEntry entry = entry_of(line_of(some_step(), 1.5));

  EXPECT_EQ(entry.at, Seconds{1.5});
  EXPECT_EQ(std::get<StepRecord>(entry.event), some_step());
}

TEST(JournalEventTest, InAnOlderJournalTheLastShapeStandsForAllBatches) {
  nlohmann::json line = line_of(some_step(), 0);
  EXPECT_EQ(line.at("padded"), 9000 + 16 * 512);
  line.erase("padded");

  EXPECT_EQ(read_back<StepRecord>(line).all_padded(), 4 * 16 * 512);
}

TEST(JournalEventTest, TheWallIsTheSumOfThePhases) {
  EXPECT_DOUBLE_EQ(line_of(some_step(), 0).at("wall").get<double>(), 3.984375);
}

TEST(JournalEventTest, ALossThatIsNotFiniteIsNullInTheJournal) {
  StepRecord step = some_step();
  step.losses.total = std::numeric_limits<double>::quiet_NaN();

  const nlohmann::json line = line_of(step, 0);

  EXPECT_TRUE(line.at("losses").at("total").is_null());
  EXPECT_TRUE(std::isnan(read_back<StepRecord>(line).losses.total));
}

TEST(JournalEventTest, AStepThatLacksAFieldIsDamagedAndTheFieldNamed) {
  nlohmann::json line = line_of(some_step(), 0);
  line.erase("shape");

  const Result<JournalEntry> entry = to_journal_entry(line);

  ASSERT_FALSE(entry.ok());
  EXPECT_THAT(entry.failure().what, testing::HasSubstr("shape"));
}

TEST(JournalEventTest, PipelineStatsAreReadBackAsTheyWereWritten) {
  const nlohmann::json line = line_of(some_stats(), 0);

  const auto back = read_back<PipelineStats>(line);

  EXPECT_EQ(line_of(back, 0), line);
  EXPECT_EQ(back.workers[0].busy, Seconds{9});
  EXPECT_EQ(back.ready.occupancy.full, Seconds{9.5});
  EXPECT_EQ(back.decode.busy, Seconds{3.25});
  EXPECT_EQ(back.row_times, some_stats().row_times);
  EXPECT_DOUBLE_EQ(back.padding_share(), 0.1);
}

TEST(JournalEventTest, WhatIsUnknownIsAbsentAndStaysSo) {
  nlohmann::json line = line_of(some_stats(), 0);
  EXPECT_FALSE(line["workers"][1].contains("cpu"));
  EXPECT_FALSE(line["process"].contains("from_storage"));

  for (const char* name : {"row_times", "slowest", "process", "ring", "devices"}) {
    line.erase(name);
  }
  line["workers"][0].erase("run_delay");
  const auto back = read_back<PipelineStats>(line);

  EXPECT_FALSE(back.process || back.ring || back.workers[0].run_delay || back.workers[1].cpu);
  EXPECT_EQ(back.workers[0].cpu, Seconds{7});
  EXPECT_EQ(back.row_times.total(), 0);
}

TEST(JournalEventTest, PipelineStatsThatLackAFieldAreDamaged) {
  for (const char* path : {"/ready/empty", "/stages/mel", "/batches"}) {
    nlohmann::json line = line_of(some_stats(), 0);
    const nlohmann::json::json_pointer field(path);
    line.at(field.parent_pointer()).erase(field.back());

    EXPECT_FALSE(to_journal_entry(line).ok()) << path;
  }
}

TEST(JournalEventTest, PipelineStatsOfAnotherTrainerHaveNoStages) {
  nlohmann::json line = line_of(some_stats(), 0);
  line.erase("stages");

  EXPECT_EQ(read_back<PipelineStats>(line).decode.done, 0);
}

TEST(JournalEventTest, AStageOfASlotIsABeginAndAnEnd) {
  const SlotRecord slot{.batch = 3, .copy = StageTime{1, 1.5}};

  const nlohmann::json line = line_of(slot, 0);

  EXPECT_EQ(line.at("copy"), nlohmann::json({1.0, 1.5}));
  EXPECT_FALSE(line.contains("train"));
  EXPECT_DOUBLE_EQ(read_back<SlotRecord>(line).copy->length(), 0.5);
}

TEST(JournalEventTest, WhatHasAnotherTypeOrDoesNotFitIsUnknown) {
  const auto run = read_back<RunStart>({{"kind", "run"},
                                        {"mode", 7},
                                        {"last_step", 1e300},
                                        {"allowed_cores", 1LL << 40},
                                        {"pinned", "yes"},
                                        {"cadences", {{"a", 5}, {"b", "c"}}}});
  const auto slot = read_back<SlotRecord>(
      {{"kind", "slot"}, {"copy", {1, "two"}}, {"train", {1}}, {"load", 5}, {"batch", {}}});

  EXPECT_FALSE(run.mode || run.last_step || run.allowed_cores || run.pinned);
  EXPECT_THAT(run.cadences, testing::ElementsAre(testing::Pair("a", 5)));
  EXPECT_FALSE(slot.copy || slot.train || slot.load);
}

TEST(JournalEventTest, ARunOfSeveralRanksSaysWhichItIsAndHowTheyExchange) {
  const RunStart run{
      .rank = 1,
      .world = 4,
      .host = "node-b",
      .exchange = ExchangeSetup{.backend = "gloo", .bytes = Bytes{400}, .link = 1e9}};

  const auto back = read_back<RunStart>(line_of(run, 0));

  EXPECT_EQ(back.rank, 1);
  EXPECT_EQ(back.world, 4);
  EXPECT_EQ(back.host, "node-b");
  ASSERT_TRUE(back.exchange);
  EXPECT_EQ(back.exchange->bytes, Bytes{400});
  EXPECT_EQ(back.exchange->link, 1e9);
  EXPECT_FALSE(back.exchange->precision);
}

TEST(JournalEventTest, AStepKeepsItsExchangeAndOneOfOneProcessSaysNothingOfIt) {
  StepRecord step;
  step.phases.exchange = Seconds{0.5};
  step.exchange = StepExchange{.bytes = Bytes{800}, .busy = Seconds{0.75}};

  EXPECT_EQ(read_back<StepRecord>(line_of(step, 0)), step);
  const nlohmann::json alone = line_of(StepRecord{}, 0);
  EXPECT_FALSE(alone.contains("exchange"));
  EXPECT_FALSE(alone.at("phases").contains("exchange"));
}

TEST(JournalEventTest, EveryPartOfTheBreakdownCountsOnceInItsSum) {
  StepPhases phases;
  double sum = 0;
  double next = 1;
  for (const StepPart& part : kStepParts) {
    phases.*part.time = Seconds{next};
    sum += next;
    next *= 2;
  }

  EXPECT_DOUBLE_EQ(phases.total().count(), sum);
  EXPECT_DOUBLE_EQ((StepPhases(phases) += phases).total().count(), 2 * sum);
  EXPECT_EQ(sizeof(StepPhases), kStepParts.size() * sizeof(Seconds));
}

TEST(JournalEventTest, AKindOfALaterVersionIsKeptAsItIs) {
  const JournalEntry entry = entry_of({{"kind", "exchange"}, {"t", 2.0}, {"seconds", 0.5}});

  EXPECT_EQ(kind_of(entry.event), "exchange");
  EXPECT_EQ(line_of(entry.event, 2.0),
            nlohmann::json({{"kind", "exchange"}, {"t", 2.0}, {"seconds", 0.5}}));
}

// Lines of a run and its resumption as the first version wrote them, and by hand one of each kind
// that a healthy run without a GPU does not have.
TEST(JournalEventTest, EveryLineOfTheFirstVersionIsReadAndWrittenBack) {
  const std::string path = std::string(QANAT_GOLDEN) + "/first_version.jsonl";
  const JournalContents contents = read_journal(path).value();
  const std::string text = read_text_file(path).value();

  EXPECT_EQ(contents.damaged_lines, 0);
  std::size_t begin = 0;
  for (const JournalEntry& entry : contents.entries) {
    const std::size_t end = text.find('\n', begin);
    const nlohmann::json line = nlohmann::json::parse(text.substr(begin, end - begin));
    begin = end + 1;
    EXPECT_FALSE(std::holds_alternative<UnknownEvent>(entry.event)) << kind_of(entry.event);
    const nlohmann::json back = line_of(entry.event, line.at("t").get<double>());
    if (const auto* const step = std::get_if<StepRecord>(&entry.event)) {
      // It wrote what is zero or usual, too.
      nlohmann::json patched = line;
      patched.merge_patch(back);
      EXPECT_EQ(patched, line);
      StepRecord again = read_back<StepRecord>(back);
      again.padded = again.all_padded();
      EXPECT_EQ(again, *step);
    } else {
      // Fields may have come since.
      const nlohmann::json values = line.flatten();
      const nlohmann::json now = back.flatten();
      for (const auto& [field, value] : values.items()) {
        EXPECT_EQ(now.value(field, nlohmann::json()), value) << kind_of(entry.event) << field;
      }
    }
  }
  EXPECT_EQ(begin, text.size());
}

}  // namespace
}  // namespace qanat
