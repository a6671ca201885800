#include "dataset/layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "dataset/dataset_testing.h"
#include "locale/translator.h"

namespace qanat {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::SizeIs;

class LayoutTest : public testing::Test {
 protected:
  Manifest read(const std::string& below = "", const std::string& columns = "") const {
    return scan_manifest({.data = below.empty() ? folder_.root() : folder_.root() / below,
                          .columns = parse_column_choice(columns).value()});
  }
  std::string error_of(const std::string& below = "") const {
    try {
      read(below);
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }
  static std::vector<std::string> notes_of(const Manifest& manifest) {
    std::vector<std::string> notes;
    for (const MessageArg& note : reading_notes(manifest)) {
      notes.push_back(Translator().said(note));
    }
    return notes;
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

auto row(const char* id, const char* audio, const char* text, const char* speaker = "") {
  return AllOf(Field(&Utterance::id, id),
               Field(&Utterance::audio, audio),
               Field(&Utterance::text, text),
               Field(&Utterance::speaker, speaker));
}

TEST_F(LayoutTest, ReadsVctkByItsFirstMicrophone) {
  folder_.write("txt/p225/p225_001.txt", "Please call Stella.\n");
  folder_.write("txt/p226/p226_001.txt", "Ask her.");
  folder_.add_audio("wav48_silence_trimmed/p225/p225_001_mic1.flac");
  folder_.add_audio("wav48_silence_trimmed/p225/p225_001_mic2.flac");
  folder_.add_audio("wav48_silence_trimmed/p226/p226_001_mic1.flac");
  folder_.write("speaker-info.txt", "ID AGE");

  const Manifest manifest = read();

  EXPECT_THAT(
      manifest.utterances,
      ElementsAre(
          row("p225_001",
              "wav48_silence_trimmed/p225/p225_001_mic1.flac",
              "Please call Stella.",
              "p225"),
          row("p226_001", "wav48_silence_trimmed/p226/p226_001_mic1.flac", "Ask her.", "p226")));
  EXPECT_THAT(notes_of(manifest), Contains(HasSubstr("read as VCTK")));
  EXPECT_THAT(notes_of(manifest), Contains(HasSubstr("mic1")));
}

TEST_F(LayoutTest, ReadsTheOlderVctkWithOneMicrophone) {
  folder_.write("txt/p225/p225_001.txt", "Please call Stella.");
  folder_.add_audio("wav48/p225/p225_001.wav");

  EXPECT_THAT(read().utterances, SizeIs(1));
}

TEST_F(LayoutTest, ReadsLibriTtsWithItsSplits) {
  folder_.write("train-clean-100/19/198/19_198_000000_000000.normalized.txt", "One.");
  folder_.write("train-clean-100/19/198/19_198_000000_000000.original.txt", "1.");
  folder_.add_audio("train-clean-100/19/198/19_198_000000_000000.wav");
  folder_.write("dev-clean/84/121123/84_121123_000007_000001.normalized.txt", "Two.");
  folder_.add_audio("dev-clean/84/121123/84_121123_000007_000001.wav");
  folder_.write("test-clean/61/70968/61_70968_000000_000000.normalized.txt", "Three.");
  folder_.add_audio("test-clean/61/70968/61_70968_000000_000000.wav");

  const Manifest manifest = read();

  EXPECT_THAT(manifest.utterances,
              ElementsAre(AllOf(row("84_121123_000007_000001",
                                    "dev-clean/84/121123/84_121123_000007_000001.wav",
                                    "Two.",
                                    "84"),
                                Field(&Utterance::split, SplitHint::validation)),
                          AllOf(row("19_198_000000_000000",
                                    "train-clean-100/19/198/19_198_000000_000000.wav",
                                    "One.",
                                    "19"),
                                Field(&Utterance::split, SplitHint::train))));
  EXPECT_THAT(manifest.problems, Contains(Field(&DatasetProblem::kind, ProblemKind::unused_file)));
}

TEST_F(LayoutTest, ReadsOneSplitOfLibriSpeech) {
  folder_.write("84/121123/84-121123.trans.txt", "84-121123-0000 GO DO\n84-121123-0001 BUT\n");
  folder_.add_audio("84/121123/84-121123-0000.flac");
  folder_.add_audio("84/121123/84-121123-0001.flac");

  EXPECT_THAT(read().utterances,
              ElementsAre(row("84-121123-0000", "84/121123/84-121123-0000.flac", "GO DO", "84"),
                          row("84-121123-0001", "84/121123/84-121123-0001.flac", "BUT", "84")));
}

TEST_F(LayoutTest, ReadsCommonVoiceWithUnpairedMarks) {
  folder_.write("train.tsv",
                "client_id\tpath\tsentence\tup_votes\tlocale\n"
                "abc\tcommon_voice_fa_1.mp3\t\"سلام\t2\tfa\n");
  folder_.write("dev.tsv",
                "client_id\tpath\tsentence\tup_votes\tlocale\n"
                "def\tcommon_voice_fa_2.mp3\tخوب\t2\tfa\n");
  folder_.write("validated.tsv", "client_id\tpath\tsentence\n");
  folder_.add_audio("clips/common_voice_fa_1.mp3");
  folder_.add_audio("clips/common_voice_fa_2.mp3");

  const Manifest manifest = read();

  EXPECT_THAT(
      manifest.utterances,
      ElementsAre(row("clips/common_voice_fa_1", "clips/common_voice_fa_1.mp3", "\"سلام", "abc"),
                  AllOf(row("clips/common_voice_fa_2", "clips/common_voice_fa_2.mp3", "خوب", "def"),
                        Field(&Utterance::split, SplitHint::validation))));
}

TEST_F(LayoutTest, ReadsKaldiAndRunsNoCommand) {
  folder_.write("data/train/wav.scp",
                "u1 wav/a.wav\nu2 flac -c -d -s wav/b.flac |\nu3 sox wav/a.wav -t wav - |\n");
  folder_.write("data/train/text", "u1 hello there\nu2 good\nu3 no\nu4 none\n");
  folder_.write("data/train/utt2spk", "u1 anna\nu2 ben\n");
  folder_.add_audio("wav/a.wav");
  folder_.add_audio("wav/b.flac");

  const Manifest manifest = read("data/train");

  const std::string above = (folder_.root() / "").string();
  EXPECT_THAT(manifest.utterances,
              ElementsAre(row("u1", (above + "wav/a.wav").c_str(), "hello there", "anna"),
                          row("u2", (above + "wav/b.flac").c_str(), "good", "ben")));
  EXPECT_THAT(reasons_of(manifest),
              ElementsAre(HasSubstr("commands are never run"), HasSubstr("not in wav.scp")));
}

TEST_F(LayoutTest, RefusesKaldiSegmentsWithTheCommandThatCutsThem) {
  folder_.write("wav.scp", "r1 a.wav\n");
  folder_.write("text", "u1 hello\n");
  folder_.write("segments", "u1 r1 0 1.5\n");

  EXPECT_THAT(error_of(), HasSubstr("extract_wav_segments_data_dir.sh"));
}

TEST_F(LayoutTest, ReadsNemoFromAFolderWithSplits) {
  folder_.write("train_manifest.json",
                R"({"audio_filepath": "wavs/a.wav", "text": "one"})"
                "\n");
  folder_.write("val_manifest.json",
                R"({"audio_filepath": "wavs/b.wav", "text": "two"})"
                "\n");
  folder_.write("dataset_info.json", "[\n]\n");
  folder_.add_audio("wavs/a.wav");
  folder_.add_audio("wavs/b.wav");

  EXPECT_THAT(
      read().utterances,
      ElementsAre(
          AllOf(row("a", "wavs/a.wav", "one"), Field(&Utterance::split, SplitHint::train)),
          AllOf(row("b", "wavs/b.wav", "two"), Field(&Utterance::split, SplitHint::validation))));
}

TEST_F(LayoutTest, ReadsRecordingsAndSupervisionsOfLhotse) {
  folder_.write("x_recordings_all.jsonl",
                R"({"id":"r1","sources":[{"type":"file","channels":[0],"source":"wavs/r1.wav"}],)"
                R"("sampling_rate":16000,"num_samples":16000,"duration":1.0})"
                "\n");
  folder_.write(
      "x_supervisions_all.jsonl",
      R"({"id":"s1","recording_id":"r1","start":0.0,"duration":1.0,"text":"hi","speaker":"7"})"
      "\n"
      R"({"id":"s2","recording_id":"r1","start":0.5,"duration":0.5,"text":"part"})"
      "\n"
      R"({"id":"s3","recording_id":"r9","start":0.0,"duration":1.0,"text":"lost"})"
      "\n");
  folder_.add_audio("wavs/r1.wav");

  const Manifest manifest = read();

  EXPECT_THAT(manifest.utterances, ElementsAre(row("s1", "wavs/r1.wav", "hi", "7")));
  EXPECT_THAT(reasons_of(manifest),
              ElementsAre(HasSubstr("only a part of a recording"), HasSubstr("r9")));
}

TEST_F(LayoutTest, ReadsPiperWithItsFolderWav) {
  folder_.write("metadata.csv", "a|one\n");
  folder_.add_audio("wav/a.wav");

  EXPECT_THAT(read().utterances, ElementsAre(row("a", "wav/a.wav", "one")));
}

TEST_F(LayoutTest, ReadsAudiofolderWithSplits) {
  folder_.write("train/metadata.csv", "file_name,transcription\na.wav,\"one, two\"\n");
  folder_.write("validation/metadata.jsonl",
                R"({"file_name": "a.wav", "text": "three"})"
                "\n");
  folder_.add_audio("train/a.wav");
  folder_.add_audio("validation/a.wav");

  EXPECT_THAT(read().utterances,
              ElementsAre(AllOf(row("train/a", "train/a.wav", "one, two"),
                                Field(&Utterance::split, SplitHint::train)),
                          AllOf(row("validation/a", "validation/a.wav", "three"),
                                Field(&Utterance::split, SplitHint::validation))));
}

TEST_F(LayoutTest, ReadsATableByTheColumnsThatAreChosenAndSaysSo) {
  folder_.write("rows.csv", "clip;words;who\na.wav;one;7\nb.wav;two\n");
  folder_.add_audio("a.wav");
  folder_.add_audio("b.wav");

  const Manifest manifest = read("rows.csv", "audio=clip,text=words,speaker=who");

  EXPECT_THAT(manifest.utterances, ElementsAre(row("a", "a.wav", "one", "7")));
  EXPECT_THAT(reasons_of(manifest), ElementsAre(HasSubstr("2 columns; the first line names 3")));
  EXPECT_THAT(notes_of(manifest),
              ElementsAre(HasSubstr("columns: audio=clip,text=words,speaker=who")));
}

TEST_F(LayoutTest, AsksForTheColumnThatItCannotGuess) {
  folder_.write("rows.csv", "file,words\na.wav,one\n");

  EXPECT_THAT(error_of("rows.csv"), HasSubstr("try `--columns text=NAME`"));
}

TEST_F(LayoutTest, ReadsATabListWithoutAHeader) {
  folder_.write("rows.tsv", "a\tone word\nb\ttwo words\n");
  folder_.add_audio("wavs/a.wav");
  folder_.add_audio("wavs/b.wav");

  EXPECT_THAT(read("rows.tsv").utterances,
              ElementsAre(row("a", "wavs/a.wav", "one word"), row("b", "wavs/b.wav", "two words")));
}

TEST_F(LayoutTest, ReadsTheOnlySetInTheFolderBelow) {
  folder_.write("LJSpeech-1.1/metadata.csv", "a|one\n");
  folder_.add_audio("LJSpeech-1.1/wavs/a.wav");
  folder_.write("readme/notes.md", "none");

  const Manifest manifest = read();

  EXPECT_EQ(manifest.root, folder_.root() / "LJSpeech-1.1");
  EXPECT_THAT(notes_of(manifest), ElementsAre(HasSubstr("folder LJSpeech-1.1")));
}

TEST_F(LayoutTest, NamesTheSetsWhereThereAreSeveral) {
  folder_.write("en/metadata.csv", "a|one\n");
  folder_.write("fa/metadata.csv", "a|one\n");

  EXPECT_THAT(error_of(), AllOf(HasSubstr("several data sets: en, fa"), HasSubstr("/en`")));
}

TEST_F(LayoutTest, NamesTheListsWhereThereAreSeveral) {
  folder_.write("one.txt", "a|one\n");
  folder_.write("two.txt", "a|one\n");

  EXPECT_THAT(error_of(), HasSubstr("several data sets: one.txt, two.txt"));
}

TEST_F(LayoutTest, NamesTheCommandThatUnpacks) {
  folder_.write("corpus.zip", "PK");

  EXPECT_THAT(error_of(), AllOf(HasSubstr("corpus.zip: packed"), HasSubstr("`unzip ")));
}

TEST_F(LayoutTest, NamesTheCommandThatConvertsAudio) {
  folder_.write("metadata.csv", "a|one\n");
  folder_.add_audio("wavs/a.m4a");

  EXPECT_THAT(reasons_of(read()),
              ElementsAre(AllOf(HasSubstr("wavs/a.m4a"), HasSubstr("`ffmpeg -i "))));
}

}  // namespace
}  // namespace qanat
