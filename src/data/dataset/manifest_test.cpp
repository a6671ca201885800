#include "dataset/manifest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "dataset/dataset_testing.h"
#include "locale/says_testing.h"

namespace qanat {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class ManifestTest : public testing::Test {
 protected:
  Manifest read(std::optional<LanguageTag> language = std::nullopt) const {
    return read_manifest({.data = folder_.root(), .language = language});
  }
  // The one utterance of a manifest of one row.
  Utterance only(std::string_view row) const {
    folder_.write("metadata.csv", row);
    const Manifest manifest = read();
    EXPECT_THAT(manifest.utterances, SizeIs(1));
    return manifest.utterances.front();
  }
  DatasetProblem only_problem(std::string_view row) const {
    folder_.add_audio("wavs/fine.wav");
    folder_.write("metadata.csv", "fine|text\n" + std::string(row));
    const Manifest manifest = read();
    EXPECT_THAT(manifest.problems, SizeIs(1));
    return manifest.problems.empty() ? DatasetProblem{} : manifest.problems.front();
  }
  std::string error_of(const std::filesystem::path& data) const {
    try {
      read_manifest({.data = data});
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }

  DatasetFolder folder_;
};

TEST_F(ManifestTest, ReadsTheLayoutOfLjspeech) {
  folder_.add_audio("wavs/LJ001-0001.wav");
  folder_.write("metadata.csv", "LJ001-0001|In 1455|In fourteen fifty-five\n");

  const Manifest manifest = read();

  EXPECT_THAT(manifest.sources, ElementsAre("metadata.csv"));
  EXPECT_THAT(manifest.utterances,
              ElementsAre(Utterance{.id = "LJ001-0001",
                                    .audio = "wavs/LJ001-0001.wav",
                                    .text = "In fourteen fifty-five",
                                    .line = 1}));
  EXPECT_THAT(manifest.problems, IsEmpty());
  EXPECT_EQ(audio_path(manifest, manifest.utterances[0]), folder_.root() / "wavs/LJ001-0001.wav");
}

TEST_F(ManifestTest, ReadsTrainAndEvalFilesAndRemembersWhichIsWhich) {
  folder_.add_audio("wavs/a.wav");
  folder_.add_audio("wavs/b.wav");
  folder_.write("metadata_train.csv", "a|one\n");
  folder_.write("metadata_eval.csv", "b|two\n");

  const Manifest manifest = read();

  EXPECT_THAT(
      manifest.utterances,
      ElementsAre(
          AllOf(Field(&Utterance::split, SplitHint::train), Field(&Utterance::source, 0)),
          AllOf(Field(&Utterance::split, SplitHint::validation), Field(&Utterance::source, 1))));
}

TEST_F(ManifestTest, AWholeManifestBesideDividedOnesIsNotReadAndThatIsSaid) {
  folder_.add_audio("wavs/a.wav");
  folder_.write("metadata_train.csv", "a|one\n");
  folder_.write("metadata.csv", "a|one\n");

  const Manifest manifest = read();

  EXPECT_THAT(manifest.utterances, SizeIs(1));
  EXPECT_THAT(manifest.problems,
              ElementsAre(Field(&DatasetProblem::kind, ProblemKind::unused_file)));
}

TEST_F(ManifestTest, AManifestFileStandsForItsFolder) {
  folder_.add_audio("wavs/a.wav");
  folder_.write("mine.csv", "a|one\n");

  const Manifest manifest = read_manifest({.data = folder_.root() / "mine.csv"});

  EXPECT_EQ(manifest.root, folder_.root());
  EXPECT_THAT(manifest.sources, ElementsAre("mine.csv"));
  EXPECT_THAT(manifest.utterances, SizeIs(1));
}

TEST_F(ManifestTest, ASlashAtTheEndOfTheFolderMeansNothing) {
  folder_.add_audio("wavs/a.wav");
  folder_.write("metadata.csv", "a|one\n");

  EXPECT_EQ(read_manifest({.data = folder_.root() / ""}).root, folder_.root());
}

class AudioFormTest : public ManifestTest, public testing::WithParamInterface<std::string> {};

TEST_P(AudioFormTest, IsFoundByIdAlone) {
  folder_.add_audio(GetParam());

  const Utterance utterance = only("a|text\n");

  EXPECT_EQ(utterance.id, "a");
  EXPECT_EQ(utterance.audio, GetParam());
}

INSTANTIATE_TEST_SUITE_P(Manifest,
                         AudioFormTest,
                         testing::Values("wavs/a.wav",
                                         "wavs/a.flac",
                                         "wavs/a.ogg",
                                         "wavs/a.opus",
                                         "wavs/a.mp3",
                                         "wavs/a.WAV",
                                         "a.wav",
                                         "a.flac"));

TEST_F(ManifestTest, TheChoiceAmongFormatsIsTheSameForEveryRow) {
  folder_.add_audio("wavs/a.flac");
  folder_.add_audio("wavs/b.flac");
  folder_.add_audio("wavs/b.wav");
  folder_.write("metadata.csv", "a|one\nb|two\n");

  EXPECT_EQ(read().utterances[1].audio, "wavs/b.wav");
}

TEST_F(ManifestTest, APathWithExtensionIsTakenAsItStandsAndItsIdIsTheName) {
  folder_.add_audio("wavs/a.wav");
  folder_.add_audio("wavs/a.flac");

  const Utterance utterance = only("audio_file|text\nwavs/a.flac|text\n");

  EXPECT_EQ(utterance.id, "a");
  EXPECT_EQ(utterance.audio, "wavs/a.flac");
}

TEST_F(ManifestTest, AnIdWithExtensionIsFoundInWavs) {
  folder_.add_audio("wavs/a.wav");

  EXPECT_EQ(only("a.wav|text\n").audio, "wavs/a.wav");
}

TEST_F(ManifestTest, AConvertedFileIsFoundUnderItsFormerName) {
  folder_.add_audio("wavs/a.flac");

  EXPECT_EQ(only("wavs/a.wav|text\n").audio, "wavs/a.flac");
}

TEST_F(ManifestTest, AnIdMayNameASubfolder) {
  folder_.add_audio("wavs/mary/a.wav");

  const Utterance utterance = only("mary/./a|text\n");

  EXPECT_EQ(utterance.id, "mary/a");
  EXPECT_EQ(utterance.audio, "wavs/mary/a.wav");
}

TEST_F(ManifestTest, AnAbsolutePathIsTheUsersWord) {
  folder_.add_audio("elsewhere/a.wav");
  const std::string path = (folder_.root() / "elsewhere/a.wav").string();

  const Utterance utterance = only(path + "|text\n");

  EXPECT_EQ(utterance.audio, path);
}

TEST_F(ManifestTest, ARelativePathMayNotLeaveTheDataSet) {
  EXPECT_EQ(only_problem("../../etc/passwd|text\n").kind, ProblemKind::bad_id);
  EXPECT_EQ(only_problem("wavs/../../x.wav|text\n").kind, ProblemKind::bad_id);
  EXPECT_EQ(only_problem("..|text\n").kind, ProblemKind::bad_id);
}

TEST_F(ManifestTest, MissingAudioIsReportedWithItsLine) {
  const DatasetProblem problem = only_problem("gone|text\n");

  EXPECT_EQ(problem.kind, ProblemKind::missing_audio);
  EXPECT_EQ(problem.line, 2);
  EXPECT_EQ(problem.id, "gone");
  EXPECT_THAT(
      problem.detail,
      Says(
          "audio: gone; no such file; tried wavs/gone and gone with .wav, .flac, .ogg, .opus and .mp3"));
}

TEST_F(ManifestTest, AFolderThatMayNotBeReadIsNamedWithTheReason) {
  std::filesystem::create_symlink("loop", folder_.root() / "loop");  // ELOOP: also for root

  EXPECT_THAT(only_problem("loop/clip|text\n").detail,
              Says("audio: loop/clip; loop/ cannot be read: Too many levels of symbolic links"));
}

TEST_F(ManifestTest, AudioInAnotherFolderIsPointedOut) {
  folder_.add_audio("clips/part2/moved.flac");

  EXPECT_THAT(only_problem("wavs/moved.wav|text\n").detail,
              Says("audio: wavs/moved.wav; no such file in wavs/ or next to the manifest, but "
                   "clips/part2/moved.flac; try that path as the id"));
}

TEST_F(ManifestTest, SwappedColumnsArePointedOut) {
  folder_.add_audio("wavs/clip7.wav");

  EXPECT_THAT(
      only_problem("He said so.|clip7\n").detail,
      Says("audio: He said so.; no such file, but the text names wavs/clip7.wav; try swapping the "
           "columns"));
}

TEST_F(ManifestTest, TheFirstOfTwoRowsWithOneIdStays) {
  folder_.add_audio("wavs/a.wav");
  folder_.add_audio("wavs/b.wav");
  folder_.write("metadata.csv", "a|one\nb|two\nwavs/a.wav|three\na|four\n");

  const Manifest manifest = read();

  EXPECT_THAT(manifest.utterances,
              ElementsAre(Field(&Utterance::text, "one"), Field(&Utterance::text, "two")));
  EXPECT_THAT(
      manifest.problems,
      ElementsAre(AllOf(Field(&DatasetProblem::kind, ProblemKind::duplicate_id),
                        Field(&DatasetProblem::line, 3),
                        Field(&DatasetProblem::detail, Says("first seen in metadata.csv line 1"))),
                  Field(&DatasetProblem::line, 4)));
  EXPECT_EQ(manifest.num_rows, 4);
}

TEST_F(ManifestTest, ARowInBothSplitsIsNotValidated) {
  folder_.add_audio("wavs/a.wav");
  folder_.write("metadata_train.csv", "a|one\n");
  folder_.write("metadata_eval.csv", "a|one\n");

  const Manifest manifest = read();

  EXPECT_THAT(manifest.utterances, ElementsAre(Field(&Utterance::split, SplitHint::train)));
  EXPECT_THAT(manifest.problems[0].detail, Says("first seen in metadata_train.csv line 1"));
}

TEST_F(ManifestTest, TheLanguageColumnWins) {
  folder_.add_audio("wavs/a.wav");
  folder_.write("metadata.csv", "id|text|language\na|hello|fa-IR\n");

  EXPECT_EQ(read(Language::en).utterances[0].language, Language::fa);
}

TEST_F(ManifestTest, TheDefaultLanguageWinsOverTheScript) {
  folder_.add_audio("wavs/a.wav");
  folder_.write("metadata.csv", "a|hello\n");

  EXPECT_EQ(read(Language::fa).utterances[0].language, Language::fa);
}

TEST_F(ManifestTest, WithoutEitherTheScriptDecides) {
  folder_.add_audio("wavs/a.wav");

  EXPECT_EQ(only("a|سلام دنیا\n").language, Language::fa);
}

TEST_F(ManifestTest, EveryLanguageTagIsALanguage) {
  folder_.add_audio("wavs/a.wav");

  EXPECT_EQ(only("a|a|b|c|pt_br\n").language, to_language_tag("pt-BR"));
}

TEST_F(ManifestTest, WhatIsNoLanguageTagIsReported) {
  const DatasetProblem problem = only_problem("fine2|a|b|c|german\n");
  EXPECT_EQ(problem.kind, ProblemKind::missing_audio);

  folder_.add_audio("wavs/fine2.wav");
  EXPECT_THAT(only_problem("fine2|a|b|c|german\n").detail,
              Says("language: german; expected a tag such as en, fa, de or pt-BR"));
}

TEST_F(ManifestTest, AScriptOfSeveralLanguagesIsNotGuessed) {
  folder_.add_audio("wavs/fine2.wav");
  const DatasetProblem problem = only_problem("fine2|Привет\n");

  EXPECT_EQ(problem.kind, ProblemKind::unknown_language);
  EXPECT_THAT(problem.detail, Says(HasSubstr("Cyrillic")));
  EXPECT_THAT(problem.detail, Says(HasSubstr("--language ru")));
}

TEST_F(ManifestTest, AGermanSetIsNotTakenForEnglish) {
  std::string rows;
  for (int i = 0; i < 8; ++i) {
    folder_.add_audio("wavs/a" + std::to_string(i) + ".wav");
    rows += "a" + std::to_string(i) + (i < 4 ? "|schöne Grüße\n" : "|guten Tag\n");
  }
  folder_.write("metadata.csv", rows);

  EXPECT_THAT(error_of(folder_.root()), HasSubstr("4 of 8 rows have letters en does not write"));
  EXPECT_THAT(read(to_language_tag("de")).utterances, SizeIs(8));
}

TEST_F(ManifestTest, AFewForeignNamesAreNoOtherLanguage) {
  std::string rows;
  for (int i = 0; i < 8; ++i) {
    folder_.add_audio("wavs/a" + std::to_string(i) + ".wav");
    rows += "a" + std::to_string(i) + (i < 3 ? "|a naïve café\n" : "|plain words\n");
  }
  folder_.write("metadata.csv", rows);

  EXPECT_THAT(read().utterances, SizeIs(8));
}

TEST_F(ManifestTest, ContentHashChangesWithTheBytes) {
  folder_.add_audio("wavs/a.wav");
  folder_.write("metadata.csv", "a|one\n");
  const std::uint64_t before = read().content_hash;
  folder_.write("metadata.csv", "a|two\n");

  EXPECT_NE(read().content_hash, before);
}

TEST_F(ManifestTest, AMissingFolderIsAnError) {
  EXPECT_THAT(error_of(folder_.root() / "no"),
              AllOf(HasSubstr("no such data set"), HasSubstr("qanat data make-demo DIR")));
}

TEST_F(ManifestTest, AFolderWithoutManifestIsAnErrorThatSaysWhatIsExpected) {
  EXPECT_THAT(error_of(folder_.root()), HasSubstr("no manifest; expected metadata.csv"));
}

TEST_F(ManifestTest, AnEmptyManifestIsAnError) {
  folder_.write("metadata.csv", "id|text\n\n");

  EXPECT_THAT(error_of(folder_.root()), HasSubstr("metadata.csv: no rows"));
}

TEST_F(ManifestTest, NoUsableRowIsAnErrorWithCountAndFirstReason) {
  folder_.write("metadata.csv", "a,one\nb,two\n");

  EXPECT_THAT(error_of(folder_.root()),
              AllOf(HasSubstr("none of 2 rows can be used"), HasSubstr("separated by '|'")));
}

TEST_F(ManifestTest, ColumnsThatMayBeEitherAreAnErrorThatSaysHowToName) {
  folder_.write("metadata.csv", "a|mary|Good day.\nb|john|Well then.\n");

  EXPECT_THAT(error_of(folder_.root()),
              AllOf(HasSubstr("metadata.csv: it cannot be told which column is the text"),
                    HasSubstr("try a first line such as `id|text|speaker`")));
}

TEST_F(ManifestTest, Utf16IsAnErrorThatSaysHowToConvert) {
  folder_.write("metadata.csv",
                std::string_view("\xFF\xFE"
                                 "a\0|\0",
                                 6));

  EXPECT_THAT(error_of(folder_.root()), HasSubstr("iconv -f utf-16 -t utf-8"));
}

TEST_F(ManifestTest, SelectKeepsTheRowsNamedInTheirOrder) {
  folder_.add_audio("wavs/a.wav");
  folder_.add_audio("wavs/b.wav");
  folder_.add_audio("wavs/c.wav");
  folder_.write("metadata.csv", "a|1\nb|2\nc|3\n");
  const std::vector<std::uint32_t> items = {2, 0};

  EXPECT_THAT(select(read(), items).utterances,
              ElementsAre(Field(&Utterance::id, "c"), Field(&Utterance::id, "a")));
}

}  // namespace
}  // namespace qanat
