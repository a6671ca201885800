#include "diagnosing/diagnose_session.h"

#include <algorithm>

#include <gmock/gmock.h>

#include "app/session_testing.h"
#include "base/error.h"
#include "diagnose/hardware_fault.h"
#include "locale/translator.h"
#include "monitor/monitor_testing.h"

namespace qanat {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

const Section& section(const FullDiagnosis& full, std::string_view name) {
  const auto found = std::ranges::find(full.sections, name, &Section::key);
  EXPECT_NE(found, full.sections.end()) << name;
  return *found;
}

std::string why_skipped(const FullDiagnosis& full, std::string_view name) {
  const std::optional<MessageArg>& why = section(full, name).skipped;
  return why ? Translator().said(*why) : "";
}

nlohmann::ordered_json figures(const FullDiagnosis& full, std::string_view name) {
  return render_json(section(full, name));
}

std::string skip_reason(const FullDiagnosis& full, std::string_view id) {
  const std::vector<SkippedCheck>& skipped = full.diagnosis.skipped;
  const auto found = std::ranges::find(skipped, id, &SkippedCheck::id);
  return found == skipped.end() ? "not skipped" : Translator().tr(found->reason);
}

bool has_finding(const FullDiagnosis& full, std::string_view id) {
  return std::ranges::find(full.diagnosis.findings, id, &Finding::id) !=
         full.diagnosis.findings.end();
}

std::vector<std::string> names(const FullDiagnosis& full) {
  std::vector<std::string> all;
  std::ranges::transform(full.sections, std::back_inserter(all), &Section::key);
  return all;
}

DiagnoseRequest machine_only() {
  DiagnoseRequest request;
  return request;
}

const std::vector<std::string> kSections = {"hardware",
                                            "configuration",
                                            "data set",
                                            "loader",
                                            "compute path",
                                            "memory",
                                            "storage",
                                            "runtime"};

class DiagnoseSessionTest : public testing::Test {
 protected:
  DiagnoseRequest request(DiagnoseDepth depth) const {
    DiagnoseRequest request;
    request.config.values = data_.config();
    request.config.values.data.val_split = 0;  // all of it trains
    request.depth = depth;
    request.config.values.model.size = ModelSize::nano;
    return request;
  }

  const ScopedVariable no_nvml_{"QANAT_NVML", "libqanat-no-such-nvml.so.1"};
  const OneCore one_core_;
  SmallDataSet data_;
};

TEST_F(DiagnoseSessionTest, WithoutDataTheMachineIsCheckedAndTheRestIsSkipped) {
  const std::optional<FullDiagnosis> full = run_diagnosis(machine_only());

  ASSERT_TRUE(full.has_value());
  EXPECT_EQ(names(*full), kSections);
  EXPECT_FALSE(section(*full, "hardware").skipped.has_value());
  EXPECT_THAT(why_skipped(*full, "loader"), HasSubstr("no data set"));
  EXPECT_THAT(why_skipped(*full, "compute path"), HasSubstr("no data set"));
  EXPECT_EQ(skip_reason(*full, "DL002"), "too few steps");
  EXPECT_FALSE(full->measured);
}

TEST_F(DiagnoseSessionTest, WithoutAGpuTheChecksOfGpusSayWhyNot) {
  const std::optional<FullDiagnosis> full = run_diagnosis(machine_only());

  for (const char* id : {"HW002", "HW004", "HW006", "HW007", "HW010", "MG001", "MG008"}) {
    const std::string reason = skip_reason(*full, id);
    EXPECT_TRUE(reason.find("no-such-nvml") != std::string::npos || reason == "too few steps")
        << id << ": " << reason;
  }
}

TEST_F(DiagnoseSessionTest, AQuickLookDoesNotTrainAndReadsTheRealFiles) {
  const std::optional<FullDiagnosis> full = run_diagnosis(request(DiagnoseDepth::quick));

  ASSERT_TRUE(full.has_value());
  EXPECT_EQ(names(*full), kSections);
  EXPECT_EQ(figures(*full, "data set")["usable"], 12);
  EXPECT_GT(figures(*full, "loader")["batches_per_s"], 0);
  EXPECT_EQ(figures(*full, "storage")["files_known"], 12);
  EXPECT_THAT(why_skipped(*full, "compute path"), HasSubstr("--quick"));
}

TEST_F(DiagnoseSessionTest, AMachineThatShowsNothingIsDescribedAsUnknown) {
  const KernelTree nothing;  // no control groups, no PSI, no /sys
  DiagnoseRequest quick = request(DiagnoseDepth::quick);
  quick.root = nothing.root();

  const std::optional<FullDiagnosis> full = run_diagnosis(quick);

  ASSERT_TRUE(full.has_value());
  EXPECT_THAT(english_lines(section(*full, "hardware")),
              testing::Contains(testing::AllOf(HasSubstr("quota"), HasSubstr("unknown: "))));
  EXPECT_THAT(english_lines(section(*full, "runtime")),
              testing::Contains(testing::AllOf(HasSubstr("stalls"), HasSubstr("unknown: "))));
  EXPECT_THAT(skip_reason(*full, "HOST001"), HasSubstr("proc/self/cgroup: No such file"));
  EXPECT_THAT(skip_reason(*full, "HOST008"), HasSubstr("cpufreq"));
}

TEST_F(DiagnoseSessionTest, AReadOnlyDataFolderIsEnough) {
  const fs::path data = *data_.config().data.train_data;
  DiagnoseRequest quick = request(DiagnoseDepth::quick);
  const fs::perms read_only = fs::perms::owner_read | fs::perms::owner_exec;
  fs::permissions(data / "wavs", read_only);
  fs::permissions(data, read_only);

  const std::optional<FullDiagnosis> full = run_diagnosis(quick);

  fs::permissions(data, fs::perms::owner_all);
  fs::permissions(data / "wavs", fs::perms::owner_all);
  ASSERT_TRUE(full.has_value());
  EXPECT_EQ(figures(*full, "data set")["usable"], 12);
}

TEST_F(DiagnoseSessionTest, WithoutEspeakPhonemesAreSkippedWithTheReason) {
  const ScopedVariable path("PATH", "/nowhere");
  DiagnoseRequest quick = request(DiagnoseDepth::quick);
  quick.config.values.data.use_phonemes = true;

  const std::optional<FullDiagnosis> full = run_diagnosis(quick);

  ASSERT_TRUE(full.has_value());
  EXPECT_THAT(why_skipped(*full, "data set"), HasSubstr("espeak-ng"));
  EXPECT_THAT(english_lines(section(*full, "runtime")), testing::Contains(HasSubstr("not found")));
}

TEST_F(DiagnoseSessionTest, ALostGpuIsAHardwareFault) {
  const ScopedVariable library("QANAT_NVML", QANAT_FAKE_NVML);
  const ScopedVariable lost("FAKE_NVML_LOST", "1");

  const std::optional<FullDiagnosis> full = run_diagnosis(machine_only());

  ASSERT_TRUE(full.has_value());
  EXPECT_TRUE(std::ranges::any_of(full->diagnosis.findings, is_hardware_fault));
}

TEST_F(DiagnoseSessionTest, SettingsThatContradictTheMachineAreFound) {
  DiagnoseRequest asked;
  asked.config.values.data.num_workers = 64;
  asked.config.values.data.data_gpu = 0;
  asked.config.values.data.model_gpu = 1;

  const std::optional<FullDiagnosis> full = run_diagnosis(asked);

  EXPECT_TRUE(has_finding(*full, "CFG008"));
  EXPECT_TRUE(has_finding(*full, "CFG009"));
}

TEST_F(DiagnoseSessionTest, AShortRunIsTrainedAndJudged) {
  DiagnoseRequest full_request = request(DiagnoseDepth::full);
  full_request.steps = 60;  // half of them may be warm-up
  full_request.folder = fs::path(*data_.config().data.train_data) / "diagnosed";

  const std::optional<FullDiagnosis> full = run_diagnosis(full_request);

  ASSERT_TRUE(full.has_value());
  EXPECT_TRUE(full->measured);
  EXPECT_EQ(full->diagnosis.measures.steps, 60U);
  EXPECT_NE(skip_reason(*full, "HOST004"), "too few steps");
  EXPECT_TRUE(fs::exists(full_request.folder / "journal.jsonl"));
}

TEST_F(DiagnoseSessionTest, ADataSetThatIsNotThereIsAnError) {
  DiagnoseRequest lost = request(DiagnoseDepth::quick);
  lost.config.values.data.train_data = "/nowhere";

  EXPECT_THROW(run_diagnosis(lost), Error);
}

TEST_F(DiagnoseSessionTest, StoppedItSaysNothing) {
  std::stop_source stop;
  stop.request_stop();
  DiagnoseRequest stopped = request(DiagnoseDepth::full);
  stopped.stop = stop.get_token();

  EXPECT_FALSE(run_diagnosis(stopped).has_value());
}

}  // namespace
}  // namespace qanat
