#include "dataset/json_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "locale/translator.h"

namespace qanat {
namespace {

using testing::HasSubstr;

JsonRow row_of(std::string_view line) {
  return std::get<JsonRow>(parse_json_row(line, {}));
}

std::string refusal_of(std::string_view line) {
  const ParsedJson parsed = parse_json_row(line, {});
  const auto* const refused = std::get_if<JsonRefusal>(&parsed);
  return refused == nullptr ? "" : Translator().said(refused->detail);
}

TEST(JsonRowsTest, ReadsARowOfNemo) {
  const JsonRow row = row_of(
      R"({"audio_filepath": "a/b.wav", "duration": 1.5, "text": "\u0633لام", "speaker": 7, "lang": "fa"})");

  EXPECT_EQ(row.audio, "a/b.wav");
  EXPECT_EQ(row.text, "سلام");
  EXPECT_EQ(row.speaker, "7");
  EXPECT_EQ(row.language, "fa");
}

TEST(JsonRowsTest, ReadsACutOfLhotseThatIsAWholeRecording) {
  const JsonRow row = row_of(
      R"({"id":"c1","start":0,"duration":2.0,"channel":0,"type":"MonoCut","supervisions":[{"id":"s1",)"
      R"("recording_id":"r1","start":0,"duration":2.0,"text":"hello","speaker":"anna","language":"en"}],)"
      R"("recording":{"id":"r1","sources":[{"type":"file","channels":[0],"source":"/x/r1.flac"}],)"
      R"("sampling_rate":16000,"num_samples":32000,"duration":2.0}})");

  EXPECT_EQ(row.id, "c1");
  EXPECT_EQ(row.audio, "/x/r1.flac");
  EXPECT_EQ(row.text, "hello");
  EXPECT_EQ(row.speaker, "anna");
}

TEST(JsonRowsTest, RefusesAPartOfARecording) {
  EXPECT_THAT(refusal_of(R"({"audio_filepath": "a.wav", "offset": 3.5, "text": "x"})"),
              HasSubstr("only a part of a recording"));
  EXPECT_THAT(
      refusal_of(R"({"id":"c","start":1.0,"duration":1.0,"supervisions":[{"text":"x"}],)"
                 R"("recording":{"sources":[{"type":"file","source":"r.wav"}],"duration":2.0}})"),
      HasSubstr("only a part of a recording"));
}

TEST(JsonRowsTest, RefusesAudioThatACommandMakes) {
  EXPECT_THAT(
      refusal_of(
          R"({"id":"c","start":0,"duration":2,"supervisions":[{"text":"x"}],)"
          R"("recording":{"sources":[{"type":"command","source":"rm -rf /"}],"duration":2}})"),
      HasSubstr("its source is no file"));
}

TEST(JsonRowsTest, NamesTheKeysWhenNoneIsTheText) {
  EXPECT_THAT(refusal_of(R"({"audio_filepath": "a.wav", "words": "x"})"),
              HasSubstr("no column is known to be the text; there are audio_filepath, words"));
}

class NoObjectTest : public testing::TestWithParam<const char*> {};

TEST_P(NoObjectTest, IsRefused) {
  EXPECT_THAT(refusal_of(GetParam()), HasSubstr("not a JSON object"));
}

INSTANTIATE_TEST_SUITE_P(Lines,
                         NoObjectTest,
                         testing::Values("", "[]", "{", "3", "{\"a\": \"\xFF\"}"));

}  // namespace
}  // namespace qanat
