#include "app/mode_run.h"

#include <gmock/gmock.h>

#include "app/session_testing.h"
#include "diagnose/run_trace.h"
#include "diagnose/slot_trace.h"

namespace qanat {
namespace {

class ModeRunTest : public testing::Test {
 protected:
  std::vector<TrainingMode> modes() const {
    LoadedConfig config{.values = data_.config(), .origins = {}};
    config.values.model.size = ModelSize::nano;
    return compared_modes(config);
  }
  std::filesystem::path folder() const {
    return std::filesystem::path(*data_.config().data.train_data) / "modes";
  }

  const OneCore one_core_;
  SmallDataSet data_;
};

TEST_F(ModeRunTest, EveryModeTrainsAndLeavesItsPage) {
  for (const TrainingMode& mode : modes()) {
    SCOPED_TRACE(mode.name);
    const std::optional<ModeRow> row = run_mode({.mode = mode, .steps = 4, .folder = folder()});

    ASSERT_TRUE(row.has_value());
    EXPECT_GT(row->profile.model_busy, 0);
    EXPECT_EQ(row->profile.data_busy.has_value(), mode.folder == "multi");
    EXPECT_EQ(row->emulated, mode.folder == "multi");
    EXPECT_TRUE(row->memory.has_value());
    EXPECT_TRUE(std::filesystem::exists(folder() / mode.folder / "report.html"));
  }
}

// Nothing of a step hides the loading of the next batch, not even the update of the parameters.
TEST_F(ModeRunTest, WithoutABufferTheDeviceWaitsForAllLoading) {
  ASSERT_TRUE(run_mode({.mode = modes()[0], .steps = 6, .folder = folder()}).has_value());

  const std::filesystem::path journal = folder() / "serial" / "journal.jsonl";
  const RunTrace trace = read_run_trace(journal).value();
  const SlotTrace slots = read_slot_trace(journal).value();
  ASSERT_EQ(trace.steps.size(), 6U);
  ASSERT_GE(slots.rows.size(), 6U);
  for (std::size_t i = 1; i < 6; ++i) {
    ASSERT_TRUE(slots.rows[i].load.has_value());
    EXPECT_GE(trace.steps[i].phases.wait.count(), slots.rows[i].load->length());
  }
}

TEST_F(ModeRunTest, AStoppedRunIsNoReading) {
  std::stop_source stop;
  stop.request_stop();

  EXPECT_FALSE(
      run_mode({.mode = modes()[0], .steps = 4, .folder = folder(), .stop = stop.get_token()})
          .has_value());
}

}  // namespace
}  // namespace qanat
