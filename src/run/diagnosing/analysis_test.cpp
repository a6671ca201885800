#include "diagnosing/analysis.h"

#include <gmock/gmock.h>

#include "app/session_testing.h"
#include "base/files.h"
#include "locale/messages/full_diagnosis.h"
#include "locale/translator.h"

namespace qanat {
namespace {

class AnalysisTest : public testing::Test {
 protected:
  AnalysisRequest request() const {
    AnalysisRequest request{
        .config = {.values = data_.config(), .origins = {}}, .folder = folder(), .steps = 3};
    request.config.values.model.size = ModelSize::nano;
    return request;
  }
  std::filesystem::path folder() const {
    return std::filesystem::path(*data_.config().data.train_data) / "analysis";
  }
  nlohmann::json report() const {
    return nlohmann::json::parse(read_text_file(folder() / "report.json").value());
  }

  const OneCore one_core_;
  SmallDataSet data_;
};

TEST_F(AnalysisTest, WhatWasFinishedBeforeAStopIsWrittenAndTheRestIsNamed) {
  std::stop_source stop;
  AnalysisRequest request = this->request();
  request.stop = stop.get_token();
  request.say = [&](const MessageArg& line) {
    if (Translator().said(line).starts_with("3 of ")) {
      stop.request_stop();
    }
  };

  const Analysis analysis = analyze(request);

  ASSERT_EQ(analysis.parts.size(), 6U);
  EXPECT_EQ(analysis.parts[0].status, PartStatus::done);
  EXPECT_EQ(analysis.parts[1].status, PartStatus::done);
  EXPECT_EQ(analysis.parts[2].status, PartStatus::missing);
  EXPECT_EQ(analysis.parts[2].note, MessageArg(msg::analysis_stopped{}));
  EXPECT_EQ(analysis.parts[5].note, MessageArg(msg::analysis_not_reached{}));
  EXPECT_FALSE(analysis.is_complete());
  EXPECT_EQ(report()["parts"][0]["status"], "done");
  EXPECT_EQ(report()["complete"], false);
  EXPECT_THAT(read_text_file(folder() / "index.txt").value(),
              testing::HasSubstr("missing    dual"));
  EXPECT_TRUE(std::filesystem::exists(folder() / "run.yaml"));
}

TEST_F(AnalysisTest, AnEmptyBudgetLeavesEverythingMissing) {
  AnalysisRequest request = this->request();
  request.budget = Seconds{0};

  const Analysis analysis = analyze(request);

  EXPECT_EQ(analysis.parts[1].status, PartStatus::missing);
  EXPECT_EQ(analysis.parts[1].note, MessageArg(msg::analysis_budget{}));
}

TEST_F(AnalysisTest, APartThatFailsIsNamedAndTheOthersGoOn) {
  std::stop_source stop;
  AnalysisRequest request = this->request();
  request.config.values.data.data_gpu = 0;
  request.config.values.data.model_gpu = 7;  // there is none
  request.stop = stop.get_token();
  request.say = [&](const MessageArg& line) {
    if (Translator().said(line).starts_with("5 of ")) {
      stop.request_stop();  // enough was seen
    }
  };

  const Analysis analysis = analyze(request);

  EXPECT_EQ(analysis.parts[0].status, PartStatus::done);
  EXPECT_THAT(analysis.parts[0].findings,
              testing::Contains(testing::Field(&Finding::id, "CFG009")));
  EXPECT_EQ(analysis.parts[1].status, PartStatus::done);
  EXPECT_EQ(analysis.parts[2].status, PartStatus::failed);
  EXPECT_THAT(Translator().said(analysis.parts[2].note.value()), testing::HasSubstr("GPU"));
  EXPECT_EQ(analysis.parts[3].status, PartStatus::done);
}

}  // namespace
}  // namespace qanat
