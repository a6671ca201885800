#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "dataset/dataset_testing.h"
#include "dataset/layout.h"

namespace qanat {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::SizeIs;

std::filesystem::path golden_table(const std::string& name) {
  return std::filesystem::path(QANAT_GOLDEN) / "parquet" / (name + ".parquet");
}

auto table_row(const char* id, const char* audio, const char* text, const char* speaker) {
  return AllOf(Field(&Utterance::id, id),
               Field(&Utterance::audio, audio),
               Field(&Utterance::text, text),
               Field(&Utterance::speaker, speaker));
}

class LayoutParquetTest : public testing::Test {
 protected:
  void copy(const std::string& name, const std::string& as) const {
    std::filesystem::copy_file(golden_table(name), folder_.root() / as);
  }
  std::string error_of(const std::string& columns = "") const {
    try {
      scan_manifest({.data = folder_.root(), .columns = parse_column_choice(columns).value()});
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }

  DatasetFolder folder_;
};

TEST_F(LayoutParquetTest, NamesRowsByTheirPathsAndReadsTheirBytes) {
  copy("snappy", "x.parquet");

  const Manifest manifest = scan_manifest({.data = folder_.root()});

  EXPECT_THAT(manifest.utterances,
              ElementsAre(table_row("c0", "x.parquet/clips/c0.flac", "text 0", "7"),
                          table_row("c1", "x.parquet/clips/c1.flac", "text 1", "8"),
                          table_row("c2", "x.parquet/clips/c2.flac", "text 0", ""),
                          table_row("c3", "x.parquet/clips/c3.flac", "text 1", "7"),
                          table_row("c4", "x.parquet/clips/c4.flac", "text 0", "8")));
  const Utterance& last = manifest.utterances.back();
  const Result<StoredClip> clip = container_of(manifest, last)->open(last.place);
  EXPECT_EQ(clip.value().size.value, 24 * 8);
}

TEST_F(LayoutParquetTest, NumbersRowsWhosePathsRecur) {
  copy("zstd", "train-00000-of-00001.parquet");
  copy("zstd", "validation-00000-of-00001.parquet");

  const Manifest manifest = scan_manifest({.data = folder_.root()});

  EXPECT_THAT(manifest.utterances, SizeIs(10));
  EXPECT_EQ(manifest.utterances[0].id, "train-00000-of-00001/0");
  EXPECT_EQ(manifest.utterances[0].split, SplitHint::train);
  EXPECT_EQ(manifest.utterances[9].id, "validation-00000-of-00001/4");
  EXPECT_EQ(manifest.utterances[9].split, SplitHint::validation);
}

TEST_F(LayoutParquetTest, RefusesListsOfSamplesByName) {
  copy("refused_list", "x.parquet");

  EXPECT_THAT(error_of("text=sentence"), AllOf(HasSubstr("x.parquet"), HasSubstr("audio")));
}

TEST_F(LayoutParquetTest, NamesTheColumnsWhenTheChosenOneIsNotThere) {
  copy("snappy", "x.parquet");

  EXPECT_THAT(error_of("text=words"), HasSubstr("there are audio, sentence, speaker_id"));
}

}  // namespace
}  // namespace qanat
