// The real trainer, fed well and badly: what it says while it runs, and what its breakdown holds.
#include <algorithm>

#include <gtest/gtest.h>

#include "app/session_testing.h"
#include "diagnose/diagnosis.h"
#include "locale/translator.h"
#include "selftest/fault_injection.h"
#include "training/train_session.h"

namespace qanat {
namespace {

class Notes : public TrainObserver {
 public:
  void on_note(const MessageArg& note) override { notes.push_back(Translator().said(note)); }

  bool any_has(std::string_view text) const {
    return std::ranges::any_of(
        notes, [text](const std::string& note) { return note.find(text) != std::string::npos; });
  }
  std::vector<std::string> notes;
};

class TrainVerdictTest : public testing::Test {
 protected:
  Diagnosis train(const RowFaults& faults, std::int64_t steps, Notes& notes) const {
    LoadedConfig config{.values = data_.config(), .origins = {}};
    config.values.model.size = ModelSize::nano;
    config.values.training.epochs = 1000;
    config.values.training.max_steps = steps;
    config.values.training.save_every = 100'000;
    config.values.training.validate_every = 100'000;
    config.values.training.render_every = 0;
    config.values.data.num_workers = 1;
    config.values.training.checkpoint_dir =
        (std::filesystem::path(*data_.config().data.train_data) / "run").string();
    const TrainSummary summary = run_training({.config = config,
                                               .observer = notes,
                                               .say = [](const MessageArg&) {},
                                               .measuring = nullptr,
                                               .starting = [](std::int64_t, std::int64_t) {},
                                               .stop = {},
                                               .verdicts = TrainRequest::Verdicts::live,
                                               .around_source =
                                                   [&faults](std::unique_ptr<RowSource> rows) {
                                                     return with_faults(std::move(rows), faults);
                                                   }})
                                     .value();
    return diagnose_run(read_run_summary(summary.journal).value());
  }

  SmallDataSet data_;
};

TEST_F(TrainVerdictTest, AStarvedRunIsToldWhileItGoesOnWithRuleAndRemedy) {
  Notes notes;

  const Diagnosis diagnosis = train({.read = Seconds{0.2}}, 150, notes);

  EXPECT_TRUE(notes.any_has("DL001")) << (notes.notes.empty() ? "" : notes.notes.back());
  EXPECT_TRUE(notes.any_has("--num-workers"));
  EXPECT_EQ(diagnosis.verdict, VerdictKind::input_bound);
  ASSERT_FALSE(diagnosis.findings.empty());
  EXPECT_EQ(diagnosis.findings.front().id, "DL001");
}

TEST_F(TrainVerdictTest, AHealthyRunsBreakdownAddsUp) {
  Notes notes;

  const Diagnosis diagnosis = train({}, 60, notes);

  const RunMeasures& m = diagnosis.measures;
  EXPECT_LT(std::abs(m.share(m.breakdown.residual)), 0.02);
}

}  // namespace
}  // namespace qanat
