#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "archive/tar_testing.h"
#include "base/error.h"
#include "dataset/dataset_testing.h"
#include "dataset/file_pattern.h"
#include "dataset/layout.h"
#include "locale/translator.h"

namespace qanat {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::SizeIs;

std::string sample(const std::string& key, const std::string& text) {
  return tar_member(key + ".flac", "sound of " + key) + tar_member(key + ".txt", text + "\n");
}

class LayoutTarTest : public testing::Test {
 protected:
  Manifest read(const std::string& below = "", const std::string& columns = "") const {
    return scan_manifest({.data = below.empty() ? folder_.root() : folder_.root() / below,
                          .columns = parse_column_choice(columns).value()});
  }
  static std::string bytes_of(const Manifest& manifest, const Utterance& utterance) {
    const Result<StoredClip> clip = container_of(manifest, utterance)->open(utterance.place);
    std::string bytes(static_cast<std::size_t>(clip.value().size.value), '\0');
    EXPECT_TRUE(read_clip(clip.value(), Bytes{0}, std::as_writable_bytes(std::span(bytes))));
    return bytes;
  }
  static std::vector<std::string> reasons_of(const Manifest& manifest) {
    std::vector<std::string> reasons;
    for (const DatasetProblem& problem : manifest.problems) {
      if (severity_of(problem.kind) == Severity::error) {
        reasons.push_back(Translator().said(problem.detail));
      }
    }
    return reasons;
  }

  DatasetFolder folder_;
};

auto stored_row(const char* id, const char* audio, const char* text, const char* speaker = "") {
  return AllOf(Field(&Utterance::id, id),
               Field(&Utterance::audio, audio),
               Field(&Utterance::text, text),
               Field(&Utterance::speaker, speaker));
}

TEST_F(LayoutTarTest, ReadsShardsWithTheirSplits) {
  folder_.write("train-000.tar", sample("a", "one") + sample("b", "two") + tar_end());
  folder_.write("val-000.tar", sample("c", "three") + tar_end());
  folder_.write("info.json", "{\"description\": \"no rows\"}\n");

  const Manifest manifest = read();

  EXPECT_THAT(manifest.utterances,
              ElementsAre(stored_row("a", "train-000.tar/a.flac", "one"),
                          stored_row("b", "train-000.tar/b.flac", "two"),
                          AllOf(stored_row("c", "val-000.tar/c.flac", "three"),
                                Field(&Utterance::split, SplitHint::validation))));
  EXPECT_EQ(bytes_of(manifest, manifest.utterances[1]), "sound of b");
  EXPECT_EQ(bytes_of(manifest, manifest.utterances[2]), "sound of c");
}

TEST_F(LayoutTarTest, TellsEqualKeysOfSeveralShardsApart) {
  folder_.write("x-0.tar", sample("000", "one") + tar_end());
  folder_.write("x-1.tar", sample("000", "two") + tar_end());

  EXPECT_THAT(read("x-{0..1}.tar").utterances,
              ElementsAre(stored_row("x-0/000", "x-0.tar/000.flac", "one"),
                          stored_row("x-1/000", "x-1.tar/000.flac", "two")));
}

TEST_F(LayoutTarTest, TakesTextSpeakerAndLanguageFromJson) {
  folder_.write("x.tar",
                tar_member("d/a.wav", "sound") +
                    tar_member("d/a.json", R"({"text": "hallo", "speaker": 7, "lang": "de"})") +
                    tar_member("d/b.wav", "sound") + tar_member("d/b.normalized.txt", "two") +
                    tar_member("d/b.original.txt", "2") + tar_member("d/b.txt", "2") +
                    tar_member("d/b.speaker.txt", "anna") + tar_end());

  EXPECT_THAT(read("x.tar").utterances,
              ElementsAre(AllOf(stored_row("d/a", "x.tar/d/a.wav", "hallo", "7"),
                                Field(&Utterance::language, *to_language_tag("de"))),
                          stored_row("d/b", "x.tar/d/b.wav", "two", "anna")));
}

TEST_F(LayoutTarTest, ReadsTheMembersThatAreChosen) {
  folder_.write("x.tar",
                tar_member("a.clean.wav", "good") + tar_member("a.raw.wav", "bad") +
                    tar_member("a.kana", "words") + tar_end());

  const Manifest manifest = read("x.tar", "audio=raw.wav,text=kana");

  EXPECT_THAT(manifest.utterances, ElementsAre(stored_row("a", "x.tar/a.raw.wav", "words")));
}

TEST_F(LayoutTarTest, LeavesOutSamplesThatHaveNoAudioOrRepeat) {
  folder_.write("x.tar",
                tar_member("a.txt", "one") + tar_member("b.wav", "sound") +
                    tar_member("b.wav", "sound") + tar_member("b.txt", "two") +
                    sample("c", "three") + sample("d", "four") + sample("c", "again") + tar_end());

  const Manifest manifest = read("x.tar");

  EXPECT_THAT(manifest.utterances, SizeIs(2));
  EXPECT_THAT(reasons_of(manifest),
              ElementsAre(HasSubstr("no audio among its members: txt"),
                          HasSubstr("two members .wav"),
                          HasSubstr("first seen")));
}

TEST_F(LayoutTarTest, UsesWhatStandsBeforeACutAndSaysWhere) {
  const std::string whole = sample("a", "one") + sample("b", "two") + tar_end();
  folder_.write("x.tar", whole.substr(0, 2048 + 515));

  const Manifest manifest = read("x.tar");

  EXPECT_THAT(manifest.utterances, ElementsAre(stored_row("a", "x.tar/a.flac", "one")));
  EXPECT_THAT(reasons_of(manifest), ElementsAre(HasSubstr("cut off at byte 2048, in b.flac")));
}

TEST_F(LayoutTarTest, ReadsNothingOfAShardThatChanged) {
  folder_.write("x.tar", sample("a", "one") + tar_end());
  const Manifest manifest = read("x.tar");
  folder_.write("x.tar", sample("bb", "one") + sample("a", "one") + tar_end());

  const Result<StoredClip> clip =
      container_of(manifest, manifest.utterances[0])->open(manifest.utterances[0].place);

  ASSERT_FALSE(clip);
  EXPECT_THAT(clip.failure().what, HasSubstr("changed while it was in use"));
}

TEST_F(LayoutTarTest, RefusesACompressedShardByName) {
  folder_.write("x.tar", "\x1F\x8B" + std::string(600, 'x'));

  try {
    read("x.tar");
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("x.tar: "), HasSubstr("compressed by gzip")));
  }
}

TEST(FilePatternTest, ExpandsBracesWithTheirWidth) {
  EXPECT_THAT(expand_braces("a{08..10}{x,y}.tar"),
              ElementsAre("a08x.tar", "a08y.tar", "a09x.tar", "a09y.tar", "a10x.tar", "a10y.tar"));
  EXPECT_THAT(expand_braces("{0..9999999}"), ElementsAre());
  EXPECT_THAT(expand_braces("open{brace"), ElementsAre("open{brace"));
}

TEST(UrlLayoutTest, NamesTheContainersOfAPattern) {
  const Layout layout = layout_of_url("https://host/set/train-{00..01}.tar");

  EXPECT_EQ(layout.kind, LayoutKind::tar);
  EXPECT_EQ(layout.root, "https://host/set");
  EXPECT_THAT(layout.files,
              ElementsAre(LayoutFile{"train-00.tar", SplitHint::train},
                          LayoutFile{"train-01.tar", SplitHint::train}));
}

TEST(UrlLayoutTest, KeepsWhatFollowsAName) {
  const Layout layout = layout_of_url("https://host/a/b.parquet?download=true");

  EXPECT_EQ(layout.kind, LayoutKind::parquet);
  EXPECT_EQ(layout.root, "https://host/a");
  EXPECT_EQ(layout.files.front().name, "b.parquet?download=true");
}

TEST(UrlLayoutTest, FindsTheFolderThatSeveralShare) {
  const Layout layout = layout_of_url("s3://bucket/{en,fa}/x.tar");

  EXPECT_EQ(layout.root, "s3://bucket");
  EXPECT_THAT(layout.files,
              ElementsAre(LayoutFile{"en/x.tar", SplitHint::none},
                          LayoutFile{"fa/x.tar", SplitHint::none}));
}

class BadUrlLayoutTest : public testing::TestWithParam<const char*> {};

TEST_P(BadUrlLayoutTest, IsRefused) {
  EXPECT_THROW(layout_of_url(GetParam()), Error);
}

INSTANTIATE_TEST_SUITE_P(Urls,
                         BadUrlLayoutTest,
                         testing::Values("https://host/set/",
                                         "https://host/metadata.csv",
                                         "https://host/x.tar.gz",
                                         "https://host/x.{tar,parquet}",
                                         "https://{a,b}.org/x.tar",
                                         "https://x.tar",
                                         "s3://bucket/{0..2000000}.tar",
                                         "https://host/x.tar?sig=secret"));

}  // namespace
}  // namespace qanat
