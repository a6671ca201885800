#include "cli/precompute_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "report/golden_testing.h"

namespace qanat {
namespace {

void expect_document(const std::string& name, const Document& document) {
  expect_golden(name + ".en.txt", render_text(document));
  expect_golden(name + ".fa.txt", render_text(document, Translator(Language::fa)));
  expect_golden(name + ".json", render_json(document).dump(2) + "\n");
}

class PrecomputeReportTest : public testing::Test {
 protected:
  PrecomputeReportTest() {
    manifest_.root = "/data/voice";
    for (const char* id : {"a", "b", "c", "d", "e"}) {
      Utterance utterance;
      utterance.id = id;
      manifest_.utterances.push_back(utterance);
    }
    index_.failures.push_back({.item = 4, .reason = "wavs/e.wav: not audio"});
    audit_.states = {FeatureState::fresh,
                     FeatureState::missing,
                     FeatureState::audio_changed,
                     FeatureState::damaged,
                     std::nullopt};
    audit_.orphans = {"z"};
    audit_.refused = {{.path = "/f/shard-000001.qshard", .reason = "/f/shard-000001.qshard: cut"}};
  }

  PrecomputeSubject subject() const {
    return {.manifest = manifest_, .index = index_, .folder = "/f"};
  }

  Manifest manifest_;
  DatasetIndex index_;
  FeatureAudit audit_;
};

TEST_F(PrecomputeReportTest, AVerificationNamesWhatIsWrong) {
  expect_document("precompute_verify", to_document(subject(), audit_));
}

TEST_F(PrecomputeReportTest, AVerificationIsReadByPrograms) {
  const nlohmann::ordered_json json = render_json(to_document(subject(), audit_));

  EXPECT_FALSE(json["ok"]);
  EXPECT_EQ(json["counts"]["fresh"], 1);
  EXPECT_EQ(json["audio_changed"], nlohmann::ordered_json({"c"}));
  EXPECT_EQ(json["text_changed"], nlohmann::ordered_json::array());
  EXPECT_EQ(json["orphaned"], nlohmann::ordered_json({"z"}));
  EXPECT_EQ(json["unusable"][0]["id"], "e");
}

TEST_F(PrecomputeReportTest, ARunSaysWhatItDid) {
  PrecomputeReport report{.found = audit_,
                          .num_made = 3,
                          .failures = {{.item = 4, .reason = "wavs/e.wav: not audio"}},
                          .num_shards = 1,
                          .num_removed = 2,
                          .bytes = Bytes{1'250'000},
                          .dtype = MelDtype::f16};
  report.found.orphans.clear();
  report.found.refused.clear();

  expect_document("precompute", to_document(subject(), report, PrecomputeDetail::counts));
}

TEST_F(PrecomputeReportTest, ARepairNamesWhatWasWrong) {
  const PrecomputeReport report{.found = audit_, .num_made = 3};

  EXPECT_THAT(render_text(to_document(subject(), report, PrecomputeDetail::ids)),
              testing::HasSubstr("damaged: 1\n  d\n"));
  EXPECT_EQ(render_json(to_document(subject(), report, PrecomputeDetail::ids))["damaged"],
            nlohmann::ordered_json({"d"}));
}

TEST_F(PrecomputeReportTest, LongListsAreCut) {
  audit_.orphans.assign(25, "z");

  EXPECT_THAT(render_text(to_document(subject(), audit_)),
              testing::HasSubstr("  and 5 more; --json lists all\n"));
}

}  // namespace
}  // namespace qanat
