#include "cli/precompute_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace qanat {
namespace {

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
  EXPECT_EQ(render_text(subject(), audit_),
            "data     /data/voice\n"
            "features /f\n"
            "1 of 5 utterances are precomputed and intact\n"
            "not precomputed: 1\n"
            "  b\n"
            "made from another version of the audio file: 1\n"
            "  c\n"
            "damaged: 1\n"
            "  d\n"
            "shards that cannot be used: 1\n"
            "  /f/shard-000001.qshard: cut\n"
            "orphaned: entries of utterances the data set does not have: 1\n"
            "  z\n"
            "cannot be used: 1\n"
            "  e: wavs/e.wav: not audio\n"
            "qanat precompute --repair makes what is wrong anew, and nothing else\n");
}

TEST_F(PrecomputeReportTest, AVerificationIsReadByPrograms) {
  const nlohmann::json json = render_json(subject(), audit_);

  EXPECT_FALSE(json["ok"]);
  EXPECT_EQ(json["counts"]["fresh"], 1);
  EXPECT_EQ(json["audio_changed"], nlohmann::json({"c"}));
  EXPECT_EQ(json["text_changed"], nlohmann::json::array());
  EXPECT_EQ(json["orphaned"], nlohmann::json({"z"}));
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

  EXPECT_EQ(render_text(subject(), report, PrecomputeDetail::counts),
            "data     /data/voice\n"
            "features /f\n"
            "5 utterances: 3 made, 1 kept, 1 cannot be used\n"
            "1 were made from another version of the audio file\n"
            "1 were damaged\n"
            "1 shards written (1.2 MB, f16), 2 removed\n"
            "cannot be used: 1\n"
            "  e: wavs/e.wav: not audio\n");
  EXPECT_EQ(render_json(subject(), report, PrecomputeDetail::counts)["made"], 3);
}

TEST_F(PrecomputeReportTest, ARepairNamesWhatWasWrong) {
  const PrecomputeReport report{.found = audit_, .num_made = 3};

  EXPECT_THAT(render_text(subject(), report, PrecomputeDetail::ids),
              testing::HasSubstr("damaged: 1\n  d\n"));
  EXPECT_EQ(render_json(subject(), report, PrecomputeDetail::ids)["damaged"],
            nlohmann::json({"d"}));
}

TEST_F(PrecomputeReportTest, LongListsAreCut) {
  audit_.orphans.assign(25, "z");

  EXPECT_THAT(render_text(subject(), audit_),
              testing::HasSubstr("  and 5 more; --json lists all\n"));
}

}  // namespace
}  // namespace qanat
