// A journal of hundreds of megabytes is read in the memory of a small one. Slow: writes the file.
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "diagnose/diagnosis.h"
#include "metrics/journal.h"
#include "metrics/journal_testing.h"

namespace qanat {
namespace {

// Resident memory ever used, in MiB.
long peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss / 1024;
}

TEST(LongJournalTest, ThreeHundredMegabytesAreReadAndJudgedInBoundedMemory) {
  const auto path = std::filesystem::path(testing::TempDir()) / "long_journal_test.jsonl";
  std::filesystem::remove(path);
  constexpr std::int64_t kSize = 300'000'000;
  std::int64_t steps = 0;
  {
    std::ofstream file(path, std::ios::binary);
    file << R"({"kind":"journal","format":1,"t":0.0})" << '\n';
    for (std::int64_t written = 0; written < kSize; ++steps) {
      StepRecord record{.step = steps, .rows = 16, .padded_frames = 500, .frames = 7600};
      record.phases.forward = Seconds(0.1 + 0.0001 * static_cast<double>(steps % 7));
      const std::string text = line_of(record, 0).dump() + '\n';
      file << text << R"({"kind":"note","t":1.0})" << '\n';
      written += static_cast<std::int64_t>(text.size());
    }
    // A line that never ends.
    file << std::string(20'000'000, 'x');  // NOLINT(bugprone-string-constructor)
  }
  const long before = peak_memory();

  const RunSummary summary = read_run_summary(path).value();

  EXPECT_EQ(summary.steps.size(), RunSummary::kMaxSteps);
  EXPECT_EQ(summary.steps.back().step, steps - 1);
  EXPECT_EQ(summary.steps_before, steps - static_cast<std::int64_t>(RunSummary::kMaxSteps));
  EXPECT_LT(peak_memory() - before, 120);
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace qanat
