#include "dataset/dataset_check.h"

#include <fmt/format.h>
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

// A set of 30 ordinary rows to which tests add theirs. An audio file holds words: its length in
// samples, then what is wrong with it.
class DatasetCheckTest : public testing::Test {
 protected:
  DatasetCheckTest() {
    for (int i = 0; i < 30; ++i) {
      // 60 characters in 4 s: 15 per second. No two files are the same.
      add(fmt::format("u{:02}", i), std::string(60, 'x'), fmt::format("88200 number {}", i));
    }
  }

  void add(const std::string& id, std::string_view text, std::string_view audio) {
    rows_ += fmt::format("{}|{}\n", id, text);
    folder_.add_audio("wavs/" + id + ".wav", audio);
  }
  static Result<SoundFacts> inspect(const std::filesystem::path& path, CheckDepth depth) {
    const std::string words = read_text_file(path).value();
    const auto says = [&](const char* word) { return words.find(word) != std::string::npos; };
    SoundFacts facts{.rate = SampleRate{says("48k") ? 48000 : 22050},
                     .channels = says("stereo") ? 2 : 1,
                     .levels = {}};
    if (depth == CheckDepth::headers) {
      return facts;
    }
    if (says("damaged")) {
      return Failure{"cut short"};
    }
    facts.levels = SoundLevels{.clipped_share = says("clipped") ? 0.5 : 0.0,
                               .silent = says("silent"),
                               .non_finite = says("nan") ? 1 : 0};
    return facts;
  }
  static CheckSources sources() {
    return {
        .index = {.probe_length = [](const std::filesystem::path& path) -> Result<SampleCount> {
                    const std::string words = read_text_file(path).value();
                    return words == "unreadable" ? Result<SampleCount>(Failure{"no header"})
                                                 : SampleCount{std::stoll(words)};
                  },
                  .count_tokens = [](const Utterance& utterance) -> Result<TokenCount> {
                    return TokenCount{static_cast<std::int64_t>(utterance.text.size())};
                  }},
        .inspect = inspect,
        .unknown_characters = [](const Utterance& utterance) -> std::vector<NamedCount> {
          const bool has = utterance.text.find("☃") != std::string::npos;
          return has ? std::vector<NamedCount>{{"☃", 3}, {"\u200B", 1}} : std::vector<NamedCount>{};
        }};
  }
  CheckOptions options() const {
    folder_.write("metadata.csv", rows_);
    return {.manifest = {.data = folder_.root()}, .split = {.val_fraction = 0.2}, .threads = 2};
  }
  DatasetReport check() const { return check_dataset(options(), sources()).value(); }
  // The one problem of the set.
  DatasetProblem only_problem() const {
    const DatasetReport report = check();
    EXPECT_EQ(report.problems.size(), 1U);
    return report.problems.empty() ? DatasetProblem{} : report.problems.front();
  }

  DatasetFolder folder_;
  std::string rows_;
};

TEST_F(DatasetCheckTest, AGoodSetHasTotalsAndNoProblems) {
  const DatasetReport report = check();

  EXPECT_THAT(report.problems, IsEmpty());
  EXPECT_EQ(report.rows, 30);
  EXPECT_EQ(report.usable, (SetTotal{30, Seconds{120}}));
  EXPECT_EQ(report.dropped(), 0);
  EXPECT_EQ(report.train->utterances + report.validation->utterances, 30);
  EXPECT_THAT(report.languages, ElementsAre(NamedTotal{"en", {30, Seconds{120}}}));
  EXPECT_THAT(report.formats,
              ElementsAre(FormatTotal{format_name(SampleRate{22050}, 1), {30, Seconds{120}}}));
  EXPECT_THAT(report.speakers, ElementsAre(NamedTotal{"", {30, Seconds{120}}}));
  EXPECT_EQ(report.lengths->longest, Seconds{4});
  EXPECT_NEAR(*report.characters_per_second, 15, 1e-9);
  EXPECT_EQ(report.unusable, std::nullopt);
}

TEST_F(DatasetCheckTest, SpeakersAreListedByTheirHours) {
  rows_ += "s1|x|" + std::string(60, 'x') + "|ali\ns2|x|" + std::string(60, 'x') + "|mary\n";
  folder_.add_audio("wavs/s1.wav", "88200 of ali");
  folder_.add_audio("wavs/s2.wav", "99225 of mary");

  const DatasetReport report = check();

  EXPECT_THAT(report.speakers,
              ElementsAre(Field(&NamedTotal::name, ""),
                          NamedTotal{"mary", {1, Seconds{4.5}}},
                          NamedTotal{"ali", {1, Seconds{4}}}));
}

TEST_F(DatasetCheckTest, ProblemsOfTheManifestAreCarriedOver) {
  rows_ += "gone|text\n";

  const DatasetReport report = check();

  EXPECT_THAT(report.problems,
              ElementsAre(AllOf(Field(&DatasetProblem::kind, ProblemKind::missing_audio),
                                Field(&DatasetProblem::line, 31))));
  EXPECT_EQ(report.dropped(), 1);
  EXPECT_EQ(count_of(report, Severity::error), 1);
}

TEST_F(DatasetCheckTest, UnreadableAudioIsDropped) {
  add("bad", "some text", "unreadable");

  EXPECT_THAT(only_problem(),
              AllOf(Field(&DatasetProblem::kind, ProblemKind::unreadable_audio),
                    Field(&DatasetProblem::audio, "wavs/bad.wav"),
                    Field(&DatasetProblem::detail, Says("no header"))));
}

TEST_F(DatasetCheckTest, DamagedAudioIsDropped) {
  add("bad", std::string(60, 'x'), "88200 damaged");

  const DatasetReport report = check();

  EXPECT_EQ(report.problems.at(0).kind, ProblemKind::damaged_audio);
  EXPECT_EQ(report.usable.utterances, 30);
}

TEST_F(DatasetCheckTest, SamplesThatAreNoNumbersAreDropped) {
  add("bad", std::string(60, 'x'), "88200 nan");

  const DatasetReport report = check();

  EXPECT_EQ(report.problems.at(0).kind, ProblemKind::damaged_audio);
  EXPECT_EQ(report.usable.utterances, 30);
}

TEST_F(DatasetCheckTest, WhatIsTooLongIsDroppedAndShownWithItsText) {
  add("long", "a text", "9000000");

  EXPECT_THAT(only_problem(),
              AllOf(Field(&DatasetProblem::kind, ProblemKind::audio_too_long),
                    Field(&DatasetProblem::text, "a text")));
}

TEST_F(DatasetCheckTest, ClippingAndSilenceAreWarnedOfAndKept) {
  add("c", std::string(60, 'x'), "88200 clipped");
  add("s", std::string(60, 'x'), "88200 silent");

  const DatasetReport report = check();

  EXPECT_THAT(report.problems,
              ElementsAre(Field(&DatasetProblem::kind, ProblemKind::silence),
                          Field(&DatasetProblem::kind, ProblemKind::clipping)));
  EXPECT_EQ(report.usable.utterances, 32);
  EXPECT_EQ(count_of(report, Severity::error), 0);
}

TEST_F(DatasetCheckTest, OtherRatesAndChannelsAreNoted) {
  add("r", std::string(60, 'x'), "88200 48k stereo");

  const DatasetReport report = check();

  EXPECT_EQ(count_of(report, Severity::note), 2);
  EXPECT_THAT(report.formats.back().name, Says("48000 Hz stereo"));
}

TEST_F(DatasetCheckTest, HeadersAloneSayNothingAboutSamples) {
  add("c", std::string(60, 'x'), "88200 clipped damaged 48k");
  CheckOptions quick = options();
  quick.depth = CheckDepth::headers;

  const DatasetReport report = check_dataset(quick, sources()).value();

  EXPECT_THAT(report.problems, ElementsAre(Field(&DatasetProblem::kind, ProblemKind::other_rate)));
}

TEST_F(DatasetCheckTest, UnknownCharactersAreNamedAndCounted) {
  add("u", std::string(50, 'x') + "☃", "88200 u");

  const DatasetReport report = check();

  EXPECT_THAT(report.problems.at(0).detail, Says("characters: ☃ U+2603, U+200B"));
  EXPECT_THAT(report.unknown_characters,
              ElementsAre(Field(&UnknownCharacter::name, "☃ U+2603"),
                          Field(&UnknownCharacter::name, "U+200B")));
}

TEST_F(DatasetCheckTest, UnknownCharactersAreCountedFromTheirFirstUtteranceOn) {
  add("u", std::string(50, 'x') + "☃", "88200 u");
  add("v", std::string(50, 'y') + "☃", "88200 v");
  const int line = static_cast<int>(std::ranges::count(rows_, '\n')) - 1;  // of u

  const DatasetReport report = check();

  EXPECT_EQ(report.unknown_characters.at(0),
            (UnknownCharacter{
                .name = "☃ U+2603", .occurrences = 6, .utterances = 2, .line = line, .id = "u"}));
}

TEST_F(DatasetCheckTest, ATextThatDoesNotFitItsAudioIsWarnedOf) {
  add("p", "tiny", "88200 p");

  EXPECT_THAT(only_problem(),
              AllOf(Field(&DatasetProblem::kind, ProblemKind::unusual_pace),
                    Field(&DatasetProblem::detail,
                          Says("pace: 1.0 characters per second; usual is 15.0"))));
}

TEST_F(DatasetCheckTest, TextsThatNobodyCanHaveSaidAreWarnedOfHoweverFewAndUsual) {
  rows_.clear();
  add("p", "0", "88200 p");  // the number of a speaker in place of a text
  add("q", "1", "88200 q");
  add("r", std::string(180, 'x'), "88200 r");  // 45 characters per second

  const DatasetReport report = check();

  EXPECT_EQ(report.usable.utterances, 3);
  ASSERT_EQ(report.problems.size(), 3U);
  EXPECT_EQ(report.problems[0].kind, ProblemKind::unusual_pace);
  EXPECT_THAT(report.problems[0].detail,
              Says("pace: 0.2 characters per second; speech has 1 to 40"));
}

TEST_F(DatasetCheckTest, ARepeatedFileIsWarnedOf) {
  add("copy", std::string(60, 'x'), "88200 number 7");

  EXPECT_THAT(only_problem().detail, Says("audio: the same as u07"));
}

TEST_F(DatasetCheckTest, TheReportDoesNotDependOnTheNumberOfThreads) {
  for (int i = 0; i < 200; ++i) {
    add(fmt::format("m{}", i),
        i % 3 == 0 ? "☃" : std::string(60, 'y'),
        fmt::format("{} {}", 80'000 + 17 * i, i % 5 == 0 ? "clipped 48k" : "fine"));
  }
  CheckOptions one = options();
  one.threads = 1;
  CheckOptions seven = options();
  seven.threads = 7;

  const DatasetReport a = check_dataset(one, sources()).value();
  const DatasetReport b = check_dataset(seven, sources()).value();

  EXPECT_EQ(a.problems, b.problems);
  EXPECT_EQ(a.formats, b.formats);
  EXPECT_EQ(a.usable, b.usable);
  EXPECT_FALSE(a.problems.empty());
}

TEST_F(DatasetCheckTest, ASetWithoutValidationIsUsedAndNoted) {
  CheckOptions tiny = options();
  tiny.split.val_fraction = 1e-9;

  const DatasetReport report = check_dataset(tiny, sources()).value();

  EXPECT_EQ(report.unusable, std::nullopt);
  EXPECT_THAT(report.notes, ElementsAre(Says(HasSubstr("a run trains on all and goes without"))));
}

TEST_F(DatasetCheckTest, ASetOfWhichTooMuchIsDamagedIsRefusedAsARunWould) {
  rows_ += "nowhere1|x\nnowhere2|x\nnowhere3|x\n";
  CheckOptions mild = options();
  mild.split.val_fraction = 0;
  mild.max_bad_fraction = 0.1;
  CheckOptions strict = mild;
  strict.max_bad_fraction = 0.09;

  EXPECT_THAT(check_dataset(strict, sources())->unusable.value(),
              Says(HasSubstr("damaged utterances: 3 of 33 (9.1 %)")));
  EXPECT_EQ(check_dataset(mild, sources())->unusable, std::nullopt);
}

// Each share by itself is below the limit, as a run counts them.
TEST_F(DatasetCheckTest, WhatARunFindsAtItsStartAndLaterIsNotAddedUp) {
  rows_ += "nowhere1|x\nnowhere2|x\nnowhere3|x\n";
  for (const char* name : {"u01", "u02", "u03"}) {
    folder_.add_audio(fmt::format("wavs/{}.wav", name), "88200 damaged");
  }
  CheckOptions whole = options();
  whole.split.val_fraction = 0;
  whole.max_bad_fraction = 0.1;
  CheckOptions strict = whole;
  strict.max_bad_fraction = 0.095;

  EXPECT_EQ(check_dataset(whole, sources())->unusable, std::nullopt);
  EXPECT_THAT(check_dataset(strict, sources())->unusable.value(),
              Says(HasSubstr("damaged utterances: 3 of 30 (10.0 %)")));
}

TEST_F(DatasetCheckTest, ASetThatIsNotDividedNeedsNoValidationSet) {
  CheckOptions whole = options();
  whole.split.val_fraction = 0;

  const DatasetReport report = check_dataset(whole, sources()).value();

  EXPECT_EQ(report.unusable, std::nullopt);
  EXPECT_EQ(report.train, std::nullopt);
}

TEST_F(DatasetCheckTest, AnEvalFileAloneIsAnothersValidationSet) {
  folder_.write("metadata_eval.csv", rows_);

  const DatasetReport report = check();

  EXPECT_EQ(report.unusable, std::nullopt);
  EXPECT_EQ(report.validation, std::nullopt);
}

TEST_F(DatasetCheckTest, WithoutAUsableRowAllProblemsAreStillListed) {
  rows_ = "a,1\nb,2\n";

  const DatasetReport report = check();

  EXPECT_EQ(report.problems.size(), 2U);
  EXPECT_THAT(report.unusable.value(), Says(HasSubstr("none of 2 rows can be used")));
}

TEST_F(DatasetCheckTest, AFolderWithoutManifestIsAnError) {
  CheckOptions nowhere = options();
  nowhere.manifest.data = folder_.root() / "wavs";

  EXPECT_THROW(check_dataset(nowhere, sources()), Error);
}

TEST_F(DatasetCheckTest, StopGivesNothing) {
  std::stop_source source;
  source.request_stop();
  CheckOptions stopped = options();
  stopped.stop = source.get_token();

  EXPECT_FALSE(check_dataset(stopped, sources()).has_value());
}

}  // namespace
}  // namespace qanat
