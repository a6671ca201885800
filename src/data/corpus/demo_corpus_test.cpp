#include "corpus/demo_corpus.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <span>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "audio/audio_decoder.h"
#include "base/error.h"
#include "corpus/demo_corpus_folder.h"
#include "corpus/demo_corpus_phones.h"
#include "corpus/demo_corpus_text.h"
#include "corpus/demo_corpus_voice.h"
#include "dataset/manifest.h"
#include "locale/translator.h"

namespace qanat {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Every file below a folder by its name in it.
std::map<std::string, std::string> contents(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) {
      files[entry.path().lexically_relative(folder).string()] = read_file(entry.path());
    }
  }
  return files;
}

std::vector<json> alignments(const fs::path& folder) {
  std::ifstream file(folder / "alignments.jsonl");
  std::vector<json> rows;
  for (std::string line; std::getline(file, line);) {
    rows.push_back(json::parse(line));
  }
  return rows;
}

double mean_square(std::span<const float> samples) {
  double sum = 0;
  for (const float sample : samples) {
    sum += static_cast<double>(sample) * static_cast<double>(sample);
  }
  return sum / static_cast<double>(std::max<std::size_t>(samples.size(), 1));
}

class DemoCorpusTest : public testing::Test {
 public:
  DemoCorpusTest(const DemoCorpusTest&) = delete;
  DemoCorpusTest& operator=(const DemoCorpusTest&) = delete;

 protected:
  DemoCorpusTest() {
    const testing::TestInfo* test = testing::UnitTest::GetInstance()->current_test_info();
    root_ = fs::path(testing::TempDir()) / ("qanat_DemoCorpusTest_" + std::string(test->name()));
    fs::remove_all(root_);
    fs::create_directories(root_);
  }
  ~DemoCorpusTest() override { fs::remove_all(root_); }

  DemoCorpusOptions options(const std::string& name) const {
    return {.folder = root_ / name,
            .utterances = 8,
            .mean_seconds = 2,
            .voice = DemoVoiceChoice::built_in,
            .threads = 2};
  }

  DemoCorpusOptions espeak_options(const std::string& name) const {
    DemoCorpusOptions spoken = options(name);
    spoken.voice = DemoVoiceChoice::automatic;
    spoken.espeak_program = QANAT_ESPEAK_PROGRAM;
    return spoken;
  }

  static bool espeak_is_here() { return make_espeak_voice(QANAT_ESPEAK_PROGRAM) != nullptr; }

  fs::path root_;
};

TEST_F(DemoCorpusTest, IsADataSetThatIsReadWithoutAProblem) {
  const DemoCorpus corpus = make_demo_corpus(options("a"));

  const Manifest manifest = read_manifest({.data = root_ / "a", .language = {}});
  AudioDecoder decoder(kDemoRate);
  double seconds = 0;
  for (const Utterance& utterance : manifest.utterances) {
    const auto samples = decoder.decode_pcm16(audio_path(manifest, utterance));
    ASSERT_TRUE(samples) << samples.failure().what;
    seconds += static_cast<double>(samples.value().size()) / 22050;
  }
  EXPECT_EQ(corpus.outcome, DemoOutcome::made);
  for (const DatasetProblem& problem : manifest.problems) {  // metadata.csv beside the other two
    EXPECT_EQ(problem.kind, ProblemKind::unused_file) << Translator().said(problem.detail);
  }
  ASSERT_EQ(manifest.utterances.size(), 8U);
  EXPECT_EQ(manifest.utterances[0].speaker, "en-1");
  EXPECT_EQ(manifest.utterances[0].language, Language::en);
  EXPECT_NEAR(corpus.audio.count(), seconds, 1e-6);
  EXPECT_FALSE(fs::exists(root_ / "a.part"));
}

TEST_F(DemoCorpusTest, DividesItsLinesIntoTrainingAndEvaluation) {
  make_demo_corpus(options("a"));

  const Manifest train =
      read_manifest({.data = root_ / "a" / "metadata_train.csv", .language = {}});
  const Manifest eval = read_manifest({.data = root_ / "a" / "metadata_eval.csv", .language = {}});
  const Manifest all = read_manifest({.data = root_ / "a" / "metadata.csv", .language = {}});

  EXPECT_EQ(train.utterances.size(), 7U);
  EXPECT_EQ(eval.utterances.size(), 1U);
  EXPECT_EQ(all.utterances.size(), 8U);
}

TEST_F(DemoCorpusTest, SameSettingsGiveTheSameBytesOnAnyNumberOfThreads) {
  DemoCorpusOptions one = options("one");
  one.threads = 1;
  DemoCorpusOptions three = options("three");
  three.threads = 3;

  make_demo_corpus(one);
  make_demo_corpus(three);

  EXPECT_EQ(contents(root_ / "one"), contents(root_ / "three"));
}

TEST_F(DemoCorpusTest, AnotherSeedGivesOtherSentences) {
  DemoCorpusOptions other = options("other");
  other.seed = 2;

  EXPECT_NE(plan_line(options("a"), 0).text, plan_line(other, 0).text);
  EXPECT_NE(plan_line(options("a"), 0).text, plan_line(options("a"), 2).text);
}

TEST_F(DemoCorpusTest, PhonesCoverTheAudioAndSilenceIsSilent) {
  make_demo_corpus(options("a"));

  AudioDecoder decoder(kDemoRate);
  for (const json& row : alignments(root_ / "a")) {
    const auto samples =
        decoder.decode(root_ / "a" / "wavs" / (row.at("id").get<std::string>() + ".wav"));
    ASSERT_TRUE(samples) << samples.failure().what;
    ASSERT_EQ(row.at("samples"), samples.value().size());
    const json& phones = row.at("phones");
    ASSERT_GT(phones.size(), 4U);
    EXPECT_EQ(phones.front(), json::array({"_", 0}));
    for (std::size_t i = 1; i < phones.size(); ++i) {
      EXPECT_GT(phones[i][1], phones[i - 1][1]);
    }
    // The second half of the last pause, after all that rings on.
    const auto pause = samples.value().size() - phones.back()[1].get<std::size_t>();
    EXPECT_LT(mean_square(samples.value().last(pause / 2)), 1e-6);
    EXPECT_GT(mean_square(samples.value()), 1e-3);
    EXPECT_FALSE(row.at("words").empty());
  }
}

TEST_F(DemoCorpusTest, IsLeftAloneWhenItIsAlreadyThere) {
  make_demo_corpus(options("a"));
  const auto before = fs::last_write_time(root_ / "a" / "wavs" / "demo-00001.wav");

  const DemoCorpus again = make_demo_corpus(options("a"));

  EXPECT_EQ(again.outcome, DemoOutcome::already_there);
  EXPECT_GT(again.audio.count(), 5);
  EXPECT_EQ(fs::last_write_time(root_ / "a" / "wavs" / "demo-00001.wav"), before);
}

TEST_F(DemoCorpusTest, RefusesAFolderThatHoldsSomethingElse) {
  fs::create_directories(root_ / "mine");
  std::ofstream(root_ / "mine" / "thesis.txt") << "years of work";
  make_demo_corpus(options("a"));
  DemoCorpusOptions other = options("a");
  other.seed = 7;

  EXPECT_THROW(make_demo_corpus(options("mine")), Error);
  EXPECT_THROW(make_demo_corpus(other), Error);
  EXPECT_EQ(read_file(root_ / "mine" / "thesis.txt"), "years of work");
}

TEST_F(DemoCorpusTest, NoticesWhenAudioOfTheCorpusIsGone) {
  make_demo_corpus(options("a"));
  fs::resize_file(root_ / "a" / "wavs" / "demo-00003.wav", 0);

  EXPECT_THROW(make_demo_corpus(options("a")), Error);
}

TEST_F(DemoCorpusTest, LeavesNothingBehindWhenStopped) {
  std::stop_source source;
  DemoCorpusOptions stopped = options("a");
  stopped.stop = source.get_token();
  stopped.progress = [&](std::int64_t done, std::int64_t /*total*/) {
    if (done >= 2) {
      source.request_stop();
    }
  };

  const DemoCorpus corpus = make_demo_corpus(stopped);

  EXPECT_EQ(corpus.outcome, DemoOutcome::stopped);
  EXPECT_TRUE(fs::is_empty(root_));
}

TEST_F(DemoCorpusTest, TakesOverWhatAKilledRunLeft) {
  fs::create_directories(root_ / "a.part" / "wavs");
  std::ofstream(root_ / "a.part" / "wavs" / "demo-99999.wav") << "half";

  EXPECT_EQ(make_demo_corpus(options("a")).outcome, DemoOutcome::made);
  EXPECT_FALSE(fs::exists(root_ / "a" / "wavs" / "demo-99999.wav"));
  EXPECT_FALSE(fs::exists(root_ / "a.part"));
}

TEST_F(DemoCorpusTest, OnlyOneMakerAtATime) {
  const PartFolder first(root_ / "a");

  EXPECT_THROW(PartFolder(root_ / "a"), Error);
  EXPECT_TRUE(fs::exists(root_ / "a.part" / "wavs"));
}

TEST_F(DemoCorpusTest, RefusesOptionsThatMakeNoSense) {
  DemoCorpusOptions few = options("a");
  few.utterances = 1;
  DemoCorpusOptions short_lines = options("a");
  short_lines.mean_seconds = 0.1;

  EXPECT_THROW(make_demo_corpus(few), Error);
  EXPECT_THROW(make_demo_corpus(short_lines), Error);
  EXPECT_TRUE(fs::is_empty(root_));
}

TEST_F(DemoCorpusTest, ESpeakSpeaksWithTimesAndWithoutMemory) {
  if (!espeak_is_here()) {
    GTEST_SKIP() << "eSpeak NG is not installed (package espeak-ng)";
  }
  DemoCorpusOptions one = espeak_options("one");
  one.threads = 1;

  const DemoCorpus corpus = make_demo_corpus(espeak_options("two"));
  make_demo_corpus(one);

  EXPECT_THAT(corpus.voice, testing::StartsWith("espeak-ng "));
  EXPECT_EQ(contents(root_ / "one"), contents(root_ / "two"));
  for (const json& row : alignments(root_ / "two")) {
    EXPECT_EQ(row.at("phones").front()[1], 0);
    EXPECT_LT(row.at("phones").back()[1], row.at("samples"));
    EXPECT_GT(row.at("phones").size(), row.at("words").size());
  }
}

TEST_F(DemoCorpusTest, WithoutESpeakTheBuiltInVoiceSpeaks) {
  DemoCorpusOptions missing = espeak_options("a");
  missing.espeak_program = root_ / "no-such-program";

  EXPECT_EQ(make_demo_corpus(missing).voice, "built-in 2");
}

struct Text {
  Language language;
  double seconds;
};

class DemoTextTest : public testing::TestWithParam<Text> {};

TEST_P(DemoTextTest, IsWellFormedAndAboutAsLongAsAskedFor) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Random random({seed});
    const std::string text =
        make_demo_text(GetParam().language, Seconds(GetParam().seconds), random);
    EXPECT_EQ(text.find_first_of("<>|\n"), std::string::npos) << text;
    EXPECT_NEAR(speaking_time(text).count(), GetParam().seconds, 0.25 * GetParam().seconds) << text;
  }
}

INSTANTIATE_TEST_SUITE_P(Lengths,
                         DemoTextTest,
                         testing::Values(Text{Language::en, 1.5},
                                         Text{Language::en, 6.5},
                                         Text{Language::en, 20},
                                         Text{Language::fa, 1.5},
                                         Text{Language::fa, 6.5},
                                         Text{Language::fa, 20}));

TEST(DemoTextTest, HasNumbersThatTheNormaliserReads) {
  const DemoCorpusOptions options{.folder = "unused"};
  bool digits_written = false;
  for (int i = 0; i < 100; ++i) {
    const DemoLine line = plan_line(options, i);
    digits_written |= line.text.find_first_of("0123456789") != std::string::npos;
    EXPECT_EQ(line.normalised.find_first_of("0123456789$%"), std::string::npos) << line.normalised;
    EXPECT_EQ(line.normalised.find("٪"), std::string::npos) << line.normalised;
  }
  EXPECT_TRUE(digits_written);
}

TEST(DemoTextTest, BeginsItsSentencesWithCapitals) {
  Random random({3});
  for (int i = 0; i < 50; ++i) {
    const std::string text = make_demo_text(Language::en, Seconds(6), random);
    EXPECT_FALSE(text.front() >= 'a' && text.front() <= 'z') << text;
  }
}

std::string names_of(const PhonePlan& plan) {
  std::string names;
  for (const PhoneSpec* phone : plan.phones) {
    names += std::string(phone->name) + " ";
  }
  return names;
}

TEST(DemoPhonesTest, EveryLetterHasItsSound) {
  const PhonePlan plan = plan_phones("kitab, do. سلام");

  EXPECT_EQ(names_of(plan), "_ k i t æ b _, d o _. s l ɒ m _ ");
  ASSERT_EQ(plan.words.size(), 3U);
  EXPECT_EQ(plan.words[1].text, "do");
  EXPECT_EQ(plan.words[1].first_phone, 7U);
}

TEST(DemoPhonesTest, WhatHasNoSoundIsPassedOver) {
  EXPECT_EQ(names_of(plan_phones("ka{} -- ma...")), "_ k æ m æ _ ");
  EXPECT_EQ(names_of(plan_phones("")), "_ _ ");
}

TEST_F(DemoCorpusTest, AVoiceThatASignalHitWhileItStartedSpeaksAgain) {
  fs::create_directories(root_);
  const fs::path program = root_ / "voice";
  // The first line of all ends as if a signal had hit it; every later one is 0.5 s of silence.
  std::ofstream(program) << "#!/bin/sh\n"
                            "[ $1 = version ] && { echo '{\"version\":\"1\"}'; exit; }\n"
                            "mkdir "
                         << (root_ / "was-hit").string()
                         << " 2>/dev/null && kill -KILL $$\n"
                            "echo '{\"phones\":[[\"_\",0]],\"words\":[]}'\n"
                            "head -c 44100 /dev/zero | tr '\\0' 0\necho\n";
  fs::permissions(program, fs::perms::owner_all);
  DemoCorpusOptions spoken = espeak_options("spoken");
  spoken.espeak_program = program;

  EXPECT_EQ(make_demo_corpus(spoken).outcome, DemoOutcome::made);
  EXPECT_TRUE(fs::exists(root_ / "was-hit"));
}

// Ctrl-C in a terminal reaches a program that has just started, too: that is no failure of the
// voice, and who asked to stop is told so elsewhere.
TEST(EspeakVoiceTest, AProgramThatASignalEndedSpeaksItsLineAgain) {
  const fs::path folder = fs::path(testing::TempDir()) / "hit_voice";
  fs::remove_all(folder);
  fs::create_directories(folder);
  const fs::path program = folder / "voice";
  std::ofstream(program) << "#!/bin/sh\n"
                            "case $1 in\n"
                            "  version) echo '{\"version\": \"1\"}'; exit;;\n"
                            "esac\n"
                            "if [ ! -e "
                         << folder / "hit"
                         << " ]; then touch " << folder / "hit"
                         << "; kill -INT $$; fi\n"
                            "echo '{\"phones\": [], \"words\": []}'\n"
                            "echo 00010002\n";
  fs::permissions(program, fs::perms::owner_all);
  const std::unique_ptr<DemoVoice> voice = make_espeak_voice(program);
  ASSERT_NE(voice, nullptr);

  const SpokenLine spoken =
      voice->speak({.id = "a", .text = "one", .normalised = "one", .target = Seconds{1}});

  EXPECT_TRUE(fs::exists(folder / "hit"));
  EXPECT_EQ(spoken.samples, (std::vector<std::int16_t>{1, 2}));
}

}  // namespace
}  // namespace qanat
