#include "dataset/given_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "dataset/dataset_testing.h"

namespace qanat {
namespace {

GivenRow in_memory(std::string id, std::string text = "hello") {
  return {.id = id, .audio = "row " + id, .is_file = false, .text = std::move(text)};
}

std::vector<ProblemKind> kinds_of(const Manifest& manifest) {
  std::vector<ProblemKind> kinds;
  for (const DatasetProblem& problem : manifest.problems) {
    kinds.push_back(problem.kind);
  }
  return kinds;
}

TEST(GivenRowsTest, RowsAreUtterancesInTheirOrder) {
  const DatasetFolder folder;
  folder.add_audio("wavs/a.wav");
  GivenRow file{.id = "a", .audio = "wavs/a.wav", .text = "one", .speaker = "anna"};
  file.language = "en-US";

  const Manifest manifest =
      make_manifest({file, in_memory("b", "سلام")}, {.root = folder.root(), .language = {}});

  ASSERT_EQ(manifest.utterances.size(), 2U);
  EXPECT_EQ(manifest.utterances[0].speaker, "anna");
  EXPECT_EQ(audio_path(manifest, manifest.utterances[0]), folder.root() / "wavs/a.wav");
  EXPECT_EQ(manifest.utterances[0].line, 1);
  EXPECT_EQ(manifest.utterances[1].line, 2);
  EXPECT_NE(manifest.utterances[0].language, manifest.utterances[1].language);
}

TEST(GivenRowsTest, WhatCannotBeUsedIsListedWithItsRow) {
  const DatasetFolder folder;
  GivenRow away{.id = "away", .audio = "none.wav", .text = "x"};
  GivenRow foreign = in_memory("foreign");
  foreign.language = "no tag";

  const Manifest manifest = make_manifest({in_memory("a"),
                                           in_memory("a"),
                                           in_memory("empty", ""),
                                           away,
                                           foreign,
                                           in_memory("z", "\xFF")},
                                          {.root = folder.root(), .language = {}});

  EXPECT_EQ(manifest.utterances.size(), 1U);
  EXPECT_THAT(kinds_of(manifest),
              testing::ElementsAre(ProblemKind::duplicate_id,
                                   ProblemKind::empty_text,
                                   ProblemKind::missing_audio,
                                   ProblemKind::unknown_language,
                                   ProblemKind::invalid_utf8));
  EXPECT_EQ(manifest.problems[2].line, 4);
  EXPECT_EQ(manifest.num_rows, 6);
}

TEST(GivenRowsTest, TextsThatNobodyReadsMayBeAnything) {
  GivenRow foreign = in_memory("foreign", "你好");
  foreign.language = "tlh";

  const Manifest manifest = make_manifest({foreign, in_memory("empty", "")},
                                          {.root = "/", .language = {}, .text = TextUse::kept});

  EXPECT_EQ(manifest.utterances.size(), 2U);
  EXPECT_EQ(manifest.utterances[0].text, "你好");
}

TEST(GivenRowsTest, WithoutAUsableRowThereIsNoManifest) {
  EXPECT_THROW(make_manifest({}, {.root = "/", .language = {}}), Error);
  EXPECT_THROW(make_manifest({in_memory("a", "")}, {.root = "/", .language = {}}), Error);
}

TEST(GivenRowsTest, AManifestOnDiskMayLackTextsToo) {
  const DatasetFolder folder;
  folder.add_audio("wavs/a.wav");
  folder.add_audio("wavs/b.wav");
  folder.write("metadata.csv", "id|text|language\na|hello|no tag\nb||\n");

  EXPECT_THROW(read_manifest({.data = folder.root(), .language = {}}), Error);
  EXPECT_EQ(read_manifest({.data = folder.root(), .language = {}, .text = TextUse::none})
                .utterances.size(),
            2U);
}

}  // namespace
}  // namespace qanat
