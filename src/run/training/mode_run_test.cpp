#include "training/mode_run.h"

#include <gmock/gmock.h>

#include "app/session_testing.h"
#include "diagnose/run_summary.h"

namespace qanat {
namespace {

class ModeRunTest : public testing::Test {
 protected:
  std::vector<TrainingMode> modes() const {
    LoadedConfig config{.values = data_.config(), .origins = {}};
    config.values.model.size = ModelSize::nano;
    return training_modes(config);
  }
  std::filesystem::path folder() const {
    return std::filesystem::path(*data_.config().data.train_data) / "modes";
  }

  const OneCore one_core_;
  SmallDataSet data_;
};

TEST_F(ModeRunTest, EveryModeTrainsInTurnsAndLeavesItsPage) {
  std::vector<std::int64_t> progress;

  const std::optional<std::vector<ModeRow>> rows =
      run_modes({.modes = modes(),
                 .steps = 4,
                 .rounds = 2,
                 .folder = folder(),
                 .progress = [&](std::int64_t done, std::int64_t) { progress.push_back(done); }});

  ASSERT_TRUE(rows.has_value());
  ASSERT_EQ(rows->size(), 3U);
  for (const ModeRow& row : *rows) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(row.turns.size(), 2U);
    EXPECT_GT(row.profile.model_busy, 0);
    EXPECT_EQ(row.profile.data_busy.has_value(), row.folder == "multi");
    EXPECT_EQ(row.emulated, row.folder == "multi");
    EXPECT_TRUE(row.memory.has_value());
    EXPECT_TRUE(std::filesystem::exists(folder() / row.folder / "report.html"));
    EXPECT_TRUE(std::filesystem::exists(folder() / row.folder / "turn-2" / "journal.jsonl"));
  }
  EXPECT_EQ(progress.back(), 24);
}

// Nothing of a step hides the loading of the next batch, not even the update of the parameters.
TEST_F(ModeRunTest, WithoutABufferTheDeviceWaitsForAllLoading) {
  ASSERT_TRUE(
      run_modes({.modes = {modes()[0]}, .steps = 6, .rounds = 1, .folder = folder()}).has_value());

  const std::filesystem::path journal = folder() / "serial" / "journal.jsonl";
  const RunSummary summary = read_run_summary(journal).value();
  ASSERT_EQ(summary.steps.size(), 6U);
  ASSERT_GE(summary.slots.size(), 6U);
  for (std::size_t i = 1; i < 6; ++i) {
    ASSERT_TRUE(summary.slots[i].load.has_value());
    EXPECT_GE(summary.steps[i].phases.wait.count(), summary.slots[i].load->length());
  }
}

TEST_F(ModeRunTest, AStoppedRunIsNoReading) {
  std::stop_source stop;
  stop.request_stop();

  EXPECT_FALSE(
      run_modes({.modes = modes(), .steps = 4, .folder = folder(), .stop = stop.get_token()})
          .has_value());
}

}  // namespace
}  // namespace qanat
