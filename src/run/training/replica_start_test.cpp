#include "training/replica_start.h"

#include <fstream>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "metrics/journal_testing.h"
#include "monitor/host_facts.h"
#include "session/run_devices.h"
#include "training/replicas_testing.h"

namespace qanat {
namespace {

using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// What the two processes of a machine were told when it was their turn.
std::vector<FileCheck> checks_when_first(Loaded first) {
  const auto groups = make_thread_groups({.world = 2});
  std::vector<FileCheck> told(2);
  {
    std::vector<std::jthread> threads;
    for (int rank = 0; rank < 2; ++rank) {
      threads.emplace_back([&, rank] {
        const auto i = static_cast<std::size_t>(rank);
        take_turns(*groups[i], rank, [&told, i, first](FileCheck files) {
          told[i] = files;
          return i == 0 ? first : Loaded::yes;
        });
      });
    }
  }
  return told;
}

TEST(TakeTurnsTest, WhatTheFirstOfAMachineHasStoredIsNotAskedAgain) {
  EXPECT_EQ(checks_when_first(Loaded::and_stored),
            (std::vector{FileCheck::every_file, FileCheck::unknown_files}));
}

TEST(TakeTurnsTest, WhatItCouldNotStoreIsAskedAgain) {
  EXPECT_EQ(checks_when_first(Loaded::yes),
            (std::vector{FileCheck::every_file, FileCheck::every_file}));
}

// Notes of those who divide the cores of this machine among `processes`, by rank.
std::vector<std::vector<std::string>> notes_of_sharing(int processes) {
  const auto groups = make_thread_groups({.world = processes, .one_host = true});
  std::vector<TrainListener> listeners(static_cast<std::size_t>(processes));
  {
    std::vector<std::jthread> threads;
    for (std::size_t rank = 0; rank < listeners.size(); ++rank) {
      threads.emplace_back([&, rank] { divide_cores(*groups[rank], &listeners[rank]); });
    }
  }
  std::vector<std::vector<std::string>> notes;
  for (const TrainListener& listener : listeners) {
    notes.push_back(listener.notes);
  }
  return notes;
}

TEST(DivideCoresTest, MoreProcessesThanCoresAreTold) {
  const int cores = static_cast<int>(usable_cores(read_host_facts()).size());

  const auto notes = notes_of_sharing(cores + 1);

  EXPECT_THAT(notes[0], ElementsAre(HasSubstr(std::to_string(cores + 1) + " processes")));
  EXPECT_THAT(notes[1], IsEmpty()) << "one of them says it";
}

TEST(DivideCoresTest, AsManyProcessesAsCoresAreNot) {
  const int cores = static_cast<int>(usable_cores(read_host_facts()).size());

  EXPECT_THAT(notes_of_sharing(cores), Each(IsEmpty()));
}

// The batches are those of the first run, so is their size: 4 rows of two each make 8 of one.
TEST_F(ReplicasTest, AnotherNumberOfProcessesKeepsTheTotalBatchAndSaysSo) {
  run(shared_config("parts", 4, 1), {.world = 2});

  const auto again = run(shared_config("parts", 4, 2), {.world = 1});

  ASSERT_TRUE(again[0]->summary) << again[0]->failure;
  EXPECT_THAT(again[0]->listener.notes,
              Contains(HasSubstr("batches stay 8 rows: the run began with 2 processes")));
}

using LeftOutTest = ReplicasTest;

TEST_F(LeftOutTest, OneRankJournalsWhatTheSetDoesWithout) {
  const LoadedConfig asked = shared_config("left_out", 2, 2);
  std::ofstream(std::filesystem::path(*asked.values.data.train_data) / "metadata.csv",
                std::ios::app)
      << "not_there|some words\n";

  const auto runs = run(asked, {.world = 2});

  std::vector<int> lines;
  for (const auto& one : runs) {
    ASSERT_TRUE(one->summary) << one->failure;
    lines.push_back(0);
    ASSERT_TRUE(visit_journal(one->summary->journal, [&lines](const JournalEntry& entry) {
      lines.back() += std::holds_alternative<LeftOut>(entry.event) ? 1 : 0;
    }));
  }
  EXPECT_EQ(lines, (std::vector{1, 0}));
}

}  // namespace
}  // namespace qanat
