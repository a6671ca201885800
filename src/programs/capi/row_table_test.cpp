#include "capi/row_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace qanat {
namespace {

std::string refusal_of(const std::vector<qanat_row>& rows) {
  try {
    copy_rows(rows);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

qanat_row file_row(const char* path) {
  return {.path = path, .weight = 1};
}

TEST(RowTableTest, NamesAreCopiedAndAudioIsNot) {
  std::string text = "hello";
  const std::string bytes = "RIFF";
  const qanat_row row{.bytes = bytes.data(), .num_bytes = 4, .text = text.c_str(), .weight = 1};

  const RowTable table = copy_rows(std::span(&row, 1));
  text = "other";

  EXPECT_EQ(table.rows[0].text, "hello");
  EXPECT_EQ(table.rows[0].id, "0");
  EXPECT_FALSE(table.rows[0].is_file);
  EXPECT_EQ(static_cast<const void*>(table.clips[0].data()), bytes.data());
  EXPECT_TRUE(table.tokens.empty());
  EXPECT_TRUE(table.weights.empty());
}

TEST(RowTableTest, AFileIsItsOwnId) {
  const std::vector<qanat_row> rows = {file_row("a/b.wav")};

  EXPECT_EQ(copy_rows(rows).rows[0].id, "a/b.wav");
  EXPECT_TRUE(copy_rows(rows).clips[0].empty());
}

TEST(RowTableTest, RowsThatNothingCanBeMadeOfAreRefusedByNumber) {
  const std::int32_t token = -4;
  qanat_row heavy = file_row("a");
  heavy.weight = -1;
  qanat_row tokens = file_row("a");
  tokens.tokens = &token;
  tokens.num_tokens = 1;
  qanat_row part = file_row("a");
  part.part = 3;

  EXPECT_THAT(refusal_of({file_row("a"), file_row(nullptr)}),
              testing::HasSubstr("row 1: no audio"));
  EXPECT_THAT(refusal_of({file_row("a"), heavy}), testing::HasSubstr("row 1: weight -1"));
  EXPECT_THAT(refusal_of({tokens}), testing::HasSubstr("row 0: token -4"));
  EXPECT_THAT(refusal_of({file_row("a"), tokens}), testing::HasSubstr("row 0: no tokens"));
  EXPECT_THAT(refusal_of({part}), testing::HasSubstr("row 0: part 3"));
}

}  // namespace
}  // namespace qanat
