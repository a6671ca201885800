#include <regex>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/profile_json.h"
#include "report/profile_table.h"
#include "report/profile_text.h"

namespace qanat {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

SampleSummary times(double mean, std::size_t count = 100) {
  SampleSummary seconds{.count = count,
                        .mean = mean,
                        .std = mean / 10,
                        .min = mean / 2,
                        .max = mean * 2,
                        .p50 = mean};
  if (count >= 59) {
    seconds.p95 = mean * 1.5;
  }
  return seconds;
}

StepProfile step_profile() {
  StepProfile profile;
  Diagnosis& diagnosis = profile.diagnosis;
  diagnosis.verdict = VerdictKind::input_bound;
  diagnosis.why = "1 loader worker cannot keep up, and cores are idle";
  diagnosis.recoverable_share = 0.2;
  Finding finding;
  finding.id = "DL002";
  finding.title = diagnosis.why;
  finding.severity = FindingSeverity::crit;
  finding.evidence = {{"data_wait_share", 0.2, "1"}};
  finding.gain.step_now = 0.1;
  finding.gain.step_if_fixed = 0.08;
  finding.gain.speedup = 1.25;
  finding.gain.ci95 = {.low = 1.2, .high = 1.3};
  finding.gain.method = "ledger";
  finding.fixes = {{.key = "data.num_workers", .flag = "--num-workers 2"}};
  diagnosis.findings.push_back(finding);
  diagnosis.passed = {{"CMP006", "the optimizer takes 3 %"}};
  diagnosis.measures.steady.resize(100);
  diagnosis.measures.mean_step = 0.1;
  diagnosis.measures.ledger = {.wait = Seconds{0.02}, .forward = Seconds{0.08}};
  diagnosis.measures.frames_per_second = 4000;
  profile.phases = {{.name = "data wait", .seconds = times(0.02), .share = 0.2},
                    {.name = "forward", .seconds = times(0.08), .share = 0.8},
                    {.name = "step", .seconds = times(0.1), .share = 1}};
  profile.probe = CachedProbe{.steps = 45,
                              .predicted = 0.08,
                              .predicted_ci95 = {.low = 0.079, .high = 0.081},
                              .measured = 0.0812,
                              .measured_ci95 = {.low = 0.0805, .high = 0.0819}};
  profile.recommended = recommend(diagnosis.findings);
  return profile;
}

constexpr const char* kStepGolden =
    R"(VERDICT  INPUT-BOUND   20 % of the step time is recoverable   1 loader worker cannot keep up, and cores are idle
#1  DL002 1 loader worker cannot keep up, and cores are idle
    gain      1.25x [1.20, 1.30]   100.0 ms -> 80.0 ms per step (ledger)
    evidence  data_wait_share 20.0 %
    fix       --num-workers 2

TIMING STATISTICS  100 steps after 0 of warm-up
                 mean      std      min      max      p50      p95      p99   ms
  data wait      20.0      2.0     10.0     40.0     20.0     30.0        -
  forward        80.0      8.0     40.0    160.0     80.0    120.0        -
  step          100.0     10.0     50.0    200.0    100.0    150.0        -
  p99 needs 299 steps; there are 100

BOTTLENECK ANALYSIS  where a step of 100.0 ms goes
  data wait   20.0 %
  forward     80.0 %
  data wait below 30 % is called good, and is good here; what counts is the gain
  4000 frames of speech a second, 0.0 % padding

CACHED-BATCH PROBE  45 steps on batches that were on the device already
  predicted with free data  80.0 ms [79.0, 81.0]
  measured with free data   81.2 ms [80.5, 81.9]
  confirmed: -1.5 %, the prediction holds

RECOMMENDED CONFIGURATION
  --num-workers 2              DL002 1 loader worker cannot keep up, and cores are idle
  as a file, one change at a time, because gains do not add:
    data:
      num_workers: 2

DIAGNOSTIC SUMMARY  1 found, 1 fine, 0 not checked
  ok       CMP006  the optimizer takes 3 %
)";

TEST(ProfileReportTest, AStepProfileReadsLikeThis) {
  EXPECT_EQ(render_text(step_profile()), kStepGolden);
}

TEST(ProfileReportTest, AStepProfileSaysTheSameAsJson) {
  const nlohmann::ordered_json json = to_json(step_profile());

  EXPECT_EQ(json["phases"][0]["name"], "data wait");
  EXPECT_TRUE(json["phases"][0]["p99"].is_null());
  EXPECT_EQ(json["cached_probe"]["outcome"], "confirmed");
  EXPECT_EQ(json["recommended"][0]["flag"], "--num-workers 2");
  EXPECT_EQ(json["report"]["verdict"]["kind"], "INPUT-BOUND");
}

TEST(ProfileReportTest, PercentilesThatCannotBeBoundedSayWhatIsMissing) {
  EXPECT_EQ(missing_percentiles(times(1, 40), "steps"),
            "  p95 needs 59 steps, p99 needs 299; there are 40\n");
  EXPECT_EQ(missing_percentiles(times(1, 100), "steps"), "  p99 needs 299 steps; there are 100\n");
}

DataProfile data_profile() {
  DataProfile profile;
  profile.measured.first_batch = 0.05;
  profile.measured.step = 0.04;
  profile.measured.pipeline.from_audio = 1600;
  profile.seconds = times(0.05);
  profile.spread = {.robust_cv = 0.03};
  profile.periodicity = {.longest_tested = 16, .p_value = 0.4};
  profile.batches_per_second = 20;
  profile.speech_per_second = 900;
  profile.padding_share = 0.04;
  profile.queue = {.empty = 0.7, .partial = 0.3};
  profile.workers = {.workers = 1, .busy = 0.97, .blocked = 0.03};
  profile.stages = {{.name = "decode", .share = 0.25, .seconds_per_row = 0.0002},
                    {.name = "mel", .share = 0.75, .seconds_per_row = 0.0006}};
  profile.wait_share = 0.2;
  profile.ready_share = 0.35;
  profile.recommended = step_profile().recommended;
  return profile;
}

constexpr const char* kDataGolden =
    R"(VERDICT  STARVED   a trainer with steps of 40.0 ms waits 20.0 % of its time; 35.0 % of the batches were ready

TIMING STATISTICS  100 batches after 0 of warm-up; the first came after 50.0 ms
                 mean      std      min      max      p50      p95      p99   ms
  batch          50.0      5.0     25.0    100.0     50.0     75.0        -
  p99 needs 299 batches; there are 100
  variation  10.0 % as it is; 3.0 % for equal work: stable
  rhythm     none among periods of 2 to 16 batches (p 0.400)

BOTTLENECK ANALYSIS  where the loader's time goes
  queue      empty 70.0 %, partly filled 30.0 %, full 0.0 %
  workers    1 running; busy 97.0 %, blocked 3.0 %, starved 0.0 %, parked 0.0 %
  decode      25.0 % of a worker's time, 0.20 ms a row
  mel         75.0 % of a worker's time, 0.60 ms a row
  rows       1600 from audio, 0 from shards, 0 from memory; 0 bad; 4.0 % padding

RECOMMENDED CONFIGURATION
  --num-workers 2              DL002 1 loader worker cannot keep up, and cores are idle
  as a file, one change at a time, because gains do not add:
    data:
      num_workers: 2
)";

TEST(ProfileReportTest, ADataProfileReadsLikeThis) {
  EXPECT_EQ(render_text(data_profile()), kDataGolden);
}

// What is left English in a Persian text, names and flags aside: three words of prose in a row.
std::vector<std::string> english_in(const std::string& text) {
  static const std::regex kProse("[a-z]+ [a-z]+ [a-z]{3,}");
  std::vector<std::string> found;
  for (auto at = std::sregex_iterator(text.begin(), text.end(), kProse);
       at != std::sregex_iterator();
       ++at) {
    found.push_back(at->str());
  }
  return found;
}

TEST(ProfileReportTest, AStarvedTrainerIsNeverToldThatNothingIsWorthChanging) {
  DataProfile profile = data_profile();
  profile.recommended.clear();
  for (const VerdictKind kind : {VerdictKind::balanced, VerdictKind::input_bound}) {
    profile.diagnosis.emplace().verdict = kind;

    const std::string text = render_text(profile);

    EXPECT_THAT(text, HasSubstr("VERDICT  STARVED"));
    EXPECT_THAT(text, Not(HasSubstr("nothing worth changing")));
    EXPECT_THAT(english_in(render_text(profile, Words(Language::fa))), IsEmpty());
  }
}

TEST(ProfileReportTest, WithoutASettingThatHelpsTheFindingsAreReferredTo) {
  StepProfile profile = step_profile();
  profile.recommended.clear();

  EXPECT_THAT(render_text(profile), HasSubstr("the findings say what does"));
}

TEST(ProfileReportTest, WithoutAPaceThereIsARateAndNoVerdict) {
  DataProfile profile = data_profile();
  profile.measured.step.reset();
  profile.wait_share.reset();
  profile.recommended.clear();

  const std::string text = render_text(profile);

  EXPECT_EQ(text.substr(0, text.find('\n')),
            "RATE  900 s of speech a second, 20.0 batches a second: feeds steps of 50.0 ms and "
            "longer");
  EXPECT_TRUE(to_json(profile)["wait_share"].is_null());
}

SweepReport sweep_report() {
  SweepReport sweep{.limits = {.batch = 16, .max_workers = 2}, .seconds = 21.5, .complete = true};
  sweep.cells = {{.batch = 16, .workers = 1, .rates = {99, 100, 101, 100}},
                 {.batch = 16, .workers = 2, .rates = {199, 200, 201, 200}},
                 {.batch = 32, .workers = 2, .rates = {229, 230, 231, 230}},
                 {.batch = 32, .workers = 3, .rates = {}}};
  sweep.choice = choose_cell(sweep.cells, sweep.limits);
  return sweep;
}

constexpr const char* kSweepGolden =
    R"(SWEEP  4 settings in 21.5 s, as fast as it goes
  batch  workers   speech s/s                 95 %  visits
     16        1        100.0        [98.7, 101.3]       4   control
     16        2        200.0       [198.7, 201.3]       4   <- recommended
     32        2        230.0       [228.7, 231.3]       4
     32        3   not reached
  the machine changed by +1.0 % meanwhile (control cell)

RECOMMENDED CONFIGURATION
  --num-workers 2              the fastest of those measured, and fewer workers are slower
  as a file, one change at a time, because gains do not add:
    data:
      num_workers: 2
  --batch-size 32 would deliver 1.15x with 2 workers, but changes what is learnt:
  the learning rate has to follow, and so it is not recommended here
)";

TEST(ProfileReportTest, ASweepReadsLikeThis) {
  EXPECT_EQ(render_text(sweep_report()), kSweepGolden);
}

TEST(ProfileReportTest, ASweepSaysTheSameAsJson) {
  const nlohmann::ordered_json json = to_json(sweep_report());

  EXPECT_EQ(json["recommended"]["workers"], 2);
  EXPECT_EQ(json["recommended"]["batch"], 16);
  EXPECT_EQ(json["recommended"]["other_batch"]["batch"], 32);
  EXPECT_TRUE(json["cells"][3]["rate"].is_null());
}

DualProfile dual_profile() {
  DualProfile profile{.verdict = DualVerdict::pays,
                      .comparison = {.ratio = 1.48, .ci95 = {.low = 1.45, .high = 1.51}},
                      .data_per_batch = 0.05,
                      .train_per_batch = 0.08,
                      .ideal = 0.08,
                      .efficiency = 0.976,
                      .overlap = 0.6,
                      .emulated = true};
  profile.dual.measures.seconds.assign(80, 0.082);
  profile.dual.measures.steady.resize(80);
  profile.dual.measures.mean_step = 0.082;
  profile.dual.measures.spread.robust_cv = 0.04;
  profile.dual.stages = {
      .load = 0.001, .stage = 0.002, .prepare = 0.048, .copy = 0.003, .train = 0.08, .gap = 0.002};
  profile.dual.model_busy = 0.976;
  profile.dual.data_busy = 0.61;
  profile.dual.model = DeviceUse{.name = "virtual:1", .most_memory = mebibytes(512)};
  profile.dual.data =
      DeviceUse{.name = "virtual:0", .most_memory = mebibytes(64), .memory_limit = mebibytes(8192)};
  profile.single.measures.seconds.assign(80, 0.121);
  profile.single.measures.steady.resize(80);
  profile.single.measures.mean_step = 0.121;
  profile.single.stages = {.load = 0.02, .copy = 0.003, .train = 0.119, .gap = 0.002};
  return profile;
}

constexpr const char* kDualGolden =
    R"(VERDICT  TWO DEVICES PAY   1.48x the speech per second of one device [1.45, 1.51], measured in turns
         the GPUs are emulated on the processor (virtual GPUs): the figures are of this machine

TIMING STATISTICS  mean of a batch; 80 steps on two devices, 80 on one
              two devices   one device
  load             1.0 ms      20.0 ms
  stage            2.0 ms            -
  prepare         48.0 ms            -
  transfer         3.0 ms       3.0 ms
  train           80.0 ms     119.0 ms
  gap              2.0 ms       2.0 ms
  step            82.0 ms     121.0 ms

BOTTLENECK ANALYSIS  two devices
  data GPU   busy 61.0 % (good), 64 of 8192 MB at most
  model GPU  busy 97.6 % (good), 512 MB at most
  variation  4.0 % for equal work (good)
  overlap    0.60, the sum of both busy shares less one
  ideal      80.0 ms = the longer of data 50.0 ms and train 80.0 ms; reached 97.6 % (95.0 % wanted)

RECOMMENDED CONFIGURATION
  nothing worth changing was found

DIAGNOSTIC SUMMARY  0 found, 0 fine, 0 not checked
)";

TEST(ProfileReportTest, ADualProfileReadsLikeThis) {
  EXPECT_EQ(render_text(dual_profile()), kDualGolden);
}

TEST(ProfileReportTest, ADualProfileSaysTheSameAsJson) {
  const nlohmann::ordered_json json = to_json(dual_profile());

  EXPECT_EQ(json["verdict"], "TWO DEVICES PAY");
  EXPECT_TRUE(json["single"]["data_device"].is_null());
  EXPECT_TRUE(json["dual"]["model_device"]["memory_limit_bytes"].is_null());
  EXPECT_DOUBLE_EQ(json["efficiency"].get<double>(), 0.976);
}

TEST(ProfileReportTest, WithoutAVerdictTheReasonStandsInItsPlace) {
  DualProfile profile;
  profile.diagnosis.why = "5 steps after the warm-up; a verdict needs 20";

  profile.diagnosis.verdict = VerdictKind::incomplete;
  EXPECT_THAT(render_text(profile), HasSubstr("INCOMPLETE   5 steps after"));

  profile.diagnosis.verdict = VerdictKind::balanced;  // of the run on two devices
  profile.single.measures.steady.resize(17);
  EXPECT_THAT(render_text(profile), HasSubstr("INCOMPLETE   17 steps after"));
}

TEST(ProfileReportTest, AStepProfileIsPersianThroughout) {
  StepProfile profile = step_profile();
  profile.diagnosis.passed = {{"CMP006", "the optimizer takes 3.0 % of a step"}};

  EXPECT_THAT(english_in(render_text(profile, Words(Language::fa))), IsEmpty());
}

TEST(ProfileReportTest, ADataProfileIsPersianThroughout) {
  EXPECT_THAT(english_in(render_text(data_profile(), Words(Language::fa))), IsEmpty());
}

TEST(ProfileReportTest, ASweepIsPersianThroughout) {
  const std::string text = render_text(sweep_report(), Words(Language::fa));

  EXPECT_THAT(english_in(text), IsEmpty()) << text;
  EXPECT_THAT(text, HasSubstr("--num-workers"));
}

TEST(ProfileReportTest, ADualProfileIsPersianThroughout) {
  EXPECT_THAT(english_in(render_text(dual_profile(), Words(Language::fa))), IsEmpty());
}

}  // namespace
}  // namespace qanat
