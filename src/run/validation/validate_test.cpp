#include "validation/validate.h"

#include <regex>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/session_testing.h"
#include "locale/messages/devices.h"
#include "locale/messages/profiles.h"
#include "locale/messages/validate.h"
#include "speech/speech_testing.h"
#include "validation/validate_run.h"

namespace qanat {
namespace {

using testing::Each;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;

const Translator kPersian(Language::fa);

// What a Persian report leaves English: three words in a row outside names.
std::vector<std::string> english_in(const ValidationReport& report) {
  static const std::regex kProse("[a-z]+ [a-z]+ [a-z]{3,}");
  static const std::regex kCommand("qanat data make-demo");
  std::vector<std::string> english;
  for (const ValidationCheck& check : report.checks) {
    const std::string text = std::regex_replace(render_check(check, kPersian), kCommand, "");
    std::smatch found;
    if (std::regex_search(text, found, kProse)) {
      english.push_back(found.str());
    }
  }
  return english;
}

nlohmann::ordered_json figures(const ValidationCheck& check) {
  return render_json(Section{.facts = check.facts});
}

std::string english(const std::optional<Message>& message) {
  return message ? Translator().tr(*message) : "";
}

RunConfig on_two_gpus(const SmallDataSet& data) {
  RunConfig config = data.config();
  config.pipeline.virtual_gpus = 2;
  config.model.size = ModelSize::nano;
  config.pipeline.virtual_gpu_memory = Megabytes{512};
  return config;
}

TEST(ValidateTest, PassesItsFiveChecksOnTwoVirtualGpus) {
  const SmallDataSet data;
  std::vector<int> told;
  int replicas = 0;

  const ValidationReport report =
      validate({.config = on_two_gpus(data),
                .steps = 3,
                .on_check = [&](const ValidationCheck& check) { told.push_back(check.number); },
                .run_replicas = [&](const RunConfig& config) -> std::optional<ModeRun> {
                  EXPECT_FALSE(config.data.data_gpu);
                  ++replicas;
                  return ModeRun{.mode = "replicas", .steps_per_s = 1, .model_busy = 0.9};
                }});

  EXPECT_THAT(told, testing::ElementsAre(1, 2, 3, 4, 5));
  EXPECT_THAT(report.checks, Each(Field(&ValidationCheck::outcome, CheckOutcome::pass)));
  EXPECT_TRUE(report.passed());
  EXPECT_GT(report.dual->data_busy.value(), 0);
  EXPECT_EQ(figures(report.checks[2]).at("on_data_mb"), 0);
  EXPECT_TRUE(figures(report.checks[3]).at("model_to_data").at("exact"));
  EXPECT_TRUE(mode_verdict(report).has_value());
  EXPECT_EQ(replicas, 3);
  EXPECT_TRUE(best_use_verdict(report).has_value());
  EXPECT_TRUE(to_json(report).contains("best_use"));
  EXPECT_THAT(english_in(report), IsEmpty());
}

TEST(ValidateTest, TrainsTheModelThatWasAskedFor) {
  const SmallDataSet data;
  const auto parameters_of = [&](ModelSize size) {
    RunConfig config = on_two_gpus(data);
    config.model.size = size;
    std::stop_source stop;
    const ValidationReport report = validate(
        {.config = config, .stop = stop.get_token(), .on_check = [&](const ValidationCheck& check) {
           if (check.number == 3) {
             stop.request_stop();
           }
         }});
    return figures(report.checks[2]).at("parameters").get<std::int64_t>();
  };

  EXPECT_GT(parameters_of(ModelSize::tiny), parameters_of(ModelSize::nano));
}

RunConfig of_vocoder(const SmallDataSet& data) {
  RunConfig config = on_two_gpus(data);
  config.training.task = TrainingTask::vocoder;
  config.vocoder.segment_frames = 16;
  return config;
}

TEST(ValidateTest, PassesItsFiveChecksWithTheVocoder) {
  const SmallDataSet data;
  int replicas = 0;

  const ValidationReport report =
      validate({.config = of_vocoder(data),
                .steps = 3,
                .rounds = 1,
                .run_replicas = [&](const RunConfig& config) -> std::optional<ModeRun> {
                  EXPECT_TRUE(trains_vocoder(config.training));
                  ++replicas;
                  return std::nullopt;
                }});

  EXPECT_THAT(report.checks, Each(Field(&ValidationCheck::outcome, CheckOutcome::pass)));
  EXPECT_GT(report.dual->data_busy.value(), 0);
  EXPECT_EQ(figures(report.checks[2]).at("on_data_mb"), 0);
  EXPECT_EQ(replicas, 1);
  EXPECT_THAT(english_in(report), IsEmpty());
}

// The short runs learn what a run would: from that step on by the discriminators as well.
TEST(ValidateTest, TheDiscriminatorsJudgeFromTheirStepOn) {
  const SmallDataSet data;
  const auto first_loss = [&](std::int64_t start) {
    RunConfig config = of_vocoder(data);
    config.vocoder.discriminator_start = start;
    return validate({.config = config, .steps = 2, .rounds = 1}).single.value().first_loss;
  };

  EXPECT_GT(first_loss(0), first_loss(100));
}

TEST(ValidateTest, ASpeechModelWhoseMelIsWantedHasToBeThere) {
  const SmallDataSet data;
  RunConfig config = of_vocoder(data);
  config.vocoder.mel_from = "/nonexistent/folder";

  const ValidationReport missing = validate({.config = config, .steps = 2, .rounds = 1});

  EXPECT_EQ(missing.checks[0].outcome, CheckOutcome::fail);
  EXPECT_THAT(render_check(missing.checks[0]), HasSubstr("no checkpoint"));
  EXPECT_THAT(english_in(missing), IsEmpty());
}

TEST_F(SpeechFolderTest, ValidatesAVocoderThatLearnsFromASpeechModel) {
  const SmallDataSet data;
  save(nano_state());
  RunConfig config = of_vocoder(data);
  config.vocoder.mel_from = checkpoints().string();

  const ValidationReport report = validate({.config = config, .steps = 2, .rounds = 1});

  EXPECT_TRUE(report.passed());
  EXPECT_THAT(render_check(report.checks[0]), HasSubstr("step 1; the short runs below learn"));
  EXPECT_THAT(english_in(report), IsEmpty());
}

TEST(ValidateTest, ChecksTheOneDeviceThereIsWhereNoOtherWasAskedFor) {
  const SmallDataSet data;
  RunConfig config = data.config();
  config.model.size = ModelSize::nano;

  const ValidationReport report = validate({.config = config, .steps = 2, .rounds = 1});

  EXPECT_TRUE(report.passed());
  EXPECT_EQ(report.checks[4].outcome, CheckOutcome::pass);
  EXPECT_TRUE(report.single);
  EXPECT_FALSE(report.dual);
  EXPECT_THAT(english_in(report), IsEmpty());
}

TEST(ValidateTest, FailsThePlacementWithoutTheGpusAskedForAndSkipsTheRest) {
  const SmallDataSet data;
  RunConfig config = data.config();
  config.data.data_gpu = 0;
  config.data.model_gpu = 1;

  const ValidationReport report = validate({.config = config, .steps = 3});

  EXPECT_FALSE(report.passed());
  EXPECT_EQ(report.checks[0].outcome, CheckOutcome::pass);
  EXPECT_EQ(report.checks[1].outcome, CheckOutcome::fail);
  EXPECT_THAT(render_check(report.checks[1]), HasSubstr("requires at least 2 GPUs, found 0"));
  EXPECT_EQ(report.checks[4].outcome, CheckOutcome::skipped);
  EXPECT_THAT(english_in(report), IsEmpty());
}

TEST(ValidateTest, FailsWithoutData) {
  RunConfig config;
  config.data.train_data = "/nonexistent/folder";

  const ValidationReport report = validate({.config = config, .steps = 3});

  EXPECT_EQ(report.checks[0].outcome, CheckOutcome::fail);
  EXPECT_THAT(english_in(report), IsEmpty());
}

TEST(ValidateTest, AStopSkipsWhatHasNotBegun) {
  const SmallDataSet data;
  std::stop_source stop;

  const ValidationReport report = validate({.config = on_two_gpus(data),
                                            .steps = 1000000,
                                            .stop = stop.get_token(),
                                            .on_check = [&](const ValidationCheck& check) {
                                              if (check.number == 4) {
                                                stop.request_stop();
                                              }
                                            }});

  EXPECT_EQ(report.checks[4].outcome, CheckOutcome::skipped);
}

ValidationReport compared(double ratio, Change change) {
  ValidationReport report;
  report.comparison = RunComparison{
      .ratio = ratio, .ci95 = {.low = 0.98 * ratio, .high = 1.02 * ratio}, .change = change};
  return report;
}

TEST(ModeVerdictTest, SaysWhenTwoDevicesDoNotPay) {
  EXPECT_EQ(mode_verdict({}), std::nullopt);
  EXPECT_EQ(english(mode_verdict(compared(1.5, Change::faster))),
            "dual beats single here: 1.50x [1.47, 1.53]");
  EXPECT_THAT(english(mode_verdict(compared(0.8, Change::slower))),
              HasSubstr("two devices do not pay off here"));
  EXPECT_THAT(english(mode_verdict(compared(1.02, Change::none))), HasSubstr("no difference"));
}

TEST(ModeVerdictTest, SaysNoRatioThatTheFiguresDoNotCarry) {
  ValidationReport report = compared(4.09, Change::none);
  report.comparison->withheld = msg::turns_too_few{.rounds = 2, .needed = 3};

  EXPECT_EQ(english(mode_verdict(report)),
            "whether dual pays cannot be said: 2 rounds were measured; a comparison needs 3");
  EXPECT_TRUE(to_json(report)["dual_over_single"]["ratio"].is_null());
  EXPECT_THAT(render_summary(report, kPersian),
              HasSubstr("دو دستگاه به‌صرفه است یا نه: ۲ دور"));
}

TEST(ModeVerdictTest, NamesTheBestOfThreeWays) {
  ValidationReport report = compared(1.3, Change::faster);
  EXPECT_EQ(best_use_verdict(report), std::nullopt);
  const auto best = [&](double ratio, Change change) {
    report.replicas_comparison =
        RunComparison{.ratio = ratio, .ci95 = {.low = ratio, .high = ratio}, .change = change};
    return english(best_use_verdict(report));
  };

  EXPECT_THAT(best(1.8, Change::faster), HasSubstr("two replicas are the best use"));
  EXPECT_THAT(best(1.1, Change::faster), HasSubstr("a data GPU and a model GPU are the best use"));
  report.comparison->change = Change::none;
  EXPECT_THAT(best(0.9, Change::slower), HasSubstr("one device is the best use"));
  report.replicas_comparison->withheld = msg::turns_too_few{.rounds = 2, .needed = 3};
  EXPECT_THAT(english(best_use_verdict(report)), HasSubstr("do not tell"));
}

TEST(ModeVerdictTest, HasPersianForEveryOutcome) {
  EXPECT_THAT(
      render_summary(compared(1.5, Change::faster), kPersian),
      HasSubstr(
          "اینجا دو دستگاه از یکی سریع‌تر است: ۱٫۵۰ برابر [۱٫۴۷، ۱٫۵۳]"));
  EXPECT_THAT(render_summary(compared(0.8, Change::slower), kPersian),
              HasSubstr("اینجا دو دستگاه به‌صرفه نیست: ۰٫۸۰"));
  EXPECT_THAT(render_summary(compared(1.02, Change::none), kPersian), HasSubstr("دیده نشد: ۱٫۰۲"));
}

TEST(MeanRunTest, IsTheMeanOfTheTurnsWithTheFirstAndTheLastLoss) {
  const std::vector<ModeRun> turns = {
      {.steps_per_s = 1, .wait_share = 0.2, .data_busy = 0.1, .first_loss = 9, .last_loss = 8},
      {.steps_per_s = 3, .wait_share = 0.4, .data_busy = 0.3, .first_loss = 7, .last_loss = 6}};

  const ModeRun run = mean_run(turns);

  EXPECT_DOUBLE_EQ(run.steps_per_s, 2);
  EXPECT_DOUBLE_EQ(run.wait_share, 0.3);
  EXPECT_DOUBLE_EQ(run.data_busy.value(), 0.2);
  EXPECT_EQ(run.first_loss, 9);
  EXPECT_EQ(run.last_loss, 6);
}

TEST(RenderCheckTest, SpeaksPersian) {
  const ValidationCheck check{
      .number = 2,
      .name = msg::validate_placement{},
      .outcome = CheckOutcome::pass,
      .facts = {
          {.name = msg::validate_model{},
           .parts = {{.key = "model", .value = "virtual:1"},
                     {.value =
                          msg::device_virtual{.cores = Quantity{.value = 1, .unit = Unit::cores},
                                              .memory = msg::device_memory{.megabytes = 512}}}}},
          {.name = msg::validate_failed{}, .value = "something from elsewhere"}}};

  EXPECT_EQ(
      render_check(check, kPersian),
      "[۲/۵] جایگذاری: \u2068PASS\u2069 (موفق)\n  مدل  \u2068virtual:1\u2069، GPU مجازی (شبیه‌سازی)، ۱ "
      "هسته، ۵۱۲ مگابایت\n  علت  \u2068something from elsewhere\u2069\n");
}

TEST(RenderCheckTest, CountsInPersian) {
  ValidationReport report;
  report.checks = {
      {.number = 1, .name = msg::validate_prerequisites{}, .outcome = CheckOutcome::pass},
      {.number = 2, .name = msg::validate_placement{}, .outcome = CheckOutcome::fail}};

  EXPECT_EQ(render_summary(report, kPersian),
            "\n\u2068FAIL\u2069 (ناموفق): ۱ از ۲ بررسی موفق بود\n");
  EXPECT_EQ(render_summary(report), "\nFAIL: 1 of 2 checks passed\n");
}

}  // namespace
}  // namespace qanat
