#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "audio/wav_writer.h"
#include "base/error.h"
#include "base/files.h"
#include "cli/commands.h"
#include "cli/flags.h"

namespace qanat {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::IsEmpty;

struct CheckOutcome {
  ExitCode code = ExitCode::done;
  std::string out;
  std::string err;
};

// A set of four good clips in a folder of its own.
class DataCheckTest : public testing::Test {
 protected:
  DataCheckTest() {
    const auto* const test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::path(testing::TempDir()) /
              fmt::format("data_check_test-{}-{}", test->name(), ::getpid());
    std::filesystem::create_directories(folder_ / "wavs");
    for (int i = 0; i < 4; ++i) {
      std::vector<float> samples(44100);
      for (std::size_t at = 0; at < samples.size(); ++at) {
        samples[at] = 0.3F * std::sin(0.01F * static_cast<float>(i + 5) * static_cast<float>(at));
      }
      write_wav(folder_ / fmt::format("wavs/u{}.wav", i), samples, SampleRate{22050});
      rows_ += fmt::format("u{}|this is sentence number {}\n", i, i);
    }
  }
  DataCheckTest(const DataCheckTest&) = delete;
  DataCheckTest& operator=(const DataCheckTest&) = delete;
  ~DataCheckTest() override { std::filesystem::remove_all(folder_); }

  CheckOutcome run(std::vector<std::string> flags, const std::stop_token& stop = {}) const {
    std::ofstream(folder_ / "metadata.csv") << rows_;
    const std::unique_ptr<Command> command = make_data_check_command();
    CLI::App app;
    Language language =
        Language::en;  // as the program reads --lang before a command sees its flags
    if (const auto given = std::ranges::find(flags, "--lang"); given != flags.end()) {
      language = to_language(*std::next(given)).value();
      flags.erase(given, std::next(given, 2));
    }
    Flags declared(app, Translator(language));
    command->declare(declared);
    flags.insert(flags.end(), {"--val-split", "0.5", "--cache-dir", (folder_ / "cache").string()});
    flags.push_back(folder_.string());
    std::reverse(flags.begin(), flags.end());  // as CLI11 wants them
    app.parse(flags);
    std::ostringstream out;
    std::ostringstream err;
    const ExitCode code = command->run({.stop = stop, .out = out, .err = err});
    return {code, out.str(), err.str()};
  }

  void add_short_clip() {
    write_wav(folder_ / "wavs/short.wav", std::vector<float>(1000, 0.1F), SampleRate{22050});
    rows_ += "short|hm\n";
  }

  std::filesystem::path folder_;
  std::string rows_;
};

TEST_F(DataCheckTest, AGoodSetIsDone) {
  const CheckOutcome outcome = run({});

  EXPECT_EQ(outcome.code, ExitCode::done);
  EXPECT_THAT(outcome.out,
              AllOf(HasSubstr("4 utterances, 8 s"), HasSubstr("All 4 rows can be used.")));
  EXPECT_THAT(outcome.err, IsEmpty());
}

TEST_F(DataCheckTest, ADroppedRowIsAFinding) {
  add_short_clip();

  const CheckOutcome outcome = run({});

  EXPECT_EQ(outcome.code, ExitCode::findings);
  EXPECT_THAT(outcome.out, HasSubstr("metadata.csv:5  wavs/short.wav"));
}

// As a run would: more than a tenth is damaged.
TEST_F(DataCheckTest, TooMuchDamageFails) {
  rows_ += "gone|no audio\n";

  const CheckOutcome outcome = run({});

  EXPECT_EQ(outcome.code, ExitCode::failed);
  EXPECT_THAT(outcome.out,
              AllOf(HasSubstr("metadata.csv:5  gone"), HasSubstr("damaged utterances: 1 of ")));
}

TEST_F(DataCheckTest, FailOnDecidesWhatIsAFinding) {
  add_short_clip();

  EXPECT_EQ(run({"--fail-on", "never"}).code, ExitCode::done);
}

TEST_F(DataCheckTest, AWarningIsAFindingOnlyWhenAskedFor) {
  std::filesystem::copy_file(folder_ / "wavs/u0.wav", folder_ / "wavs/copy.wav");
  rows_ += "copy|this is a sentence too\n";

  EXPECT_EQ(run({}).code, ExitCode::done);
  EXPECT_EQ(run({"--fail-on", "warn"}).code, ExitCode::findings);
}

TEST_F(DataCheckTest, NamesOfBeforeAreStillTaken) {
  std::filesystem::copy_file(folder_ / "wavs/u0.wav", folder_ / "wavs/copy.wav");
  rows_ += "copy|this is a sentence too\n";

  EXPECT_EQ(run({"--fail-on", "warning"}).code, ExitCode::findings);
  EXPECT_EQ(run({"--fail-on", "error"}).code, ExitCode::done);
  EXPECT_EQ(run({"--seed", "7"}).out, run({"--split-seed", "7"}).out);
  EXPECT_THROW(run({"--fail-on", "newest"}), CLI::ValidationError);
}

TEST_F(DataCheckTest, JsonIsAllThereIsOnStdout) {
  const CheckOutcome outcome = run({"--json"});

  EXPECT_EQ(nlohmann::json::parse(outcome.out)["usable"]["utterances"], 4);
}

TEST_F(DataCheckTest, ThePageIsWrittenBesideTheReport) {
  const std::filesystem::path page = folder_ / "report.html";

  const CheckOutcome outcome = run({"--html", page.string()});

  EXPECT_TRUE(std::filesystem::exists(page));
  EXPECT_THAT(outcome.out, HasSubstr("All 4 rows"));
  EXPECT_THAT(outcome.err, HasSubstr("report.html"));
}

TEST_F(DataCheckTest, TheReportSpeaksPersianWhenAsked) {
  const std::filesystem::path page = folder_ / "report.html";

  const CheckOutcome outcome = run({"--lang", "fa", "--html", page.string()});

  EXPECT_THAT(outcome.out, HasSubstr("هر ۴ سطر به کار می‌رود."));
  EXPECT_THAT(read_text_file(page).value(), HasSubstr("<html lang=\"fa\" dir=\"rtl\">"));
  EXPECT_EQ(outcome.code, ExitCode::done);
}

TEST_F(DataCheckTest, WhatIsNotReadIsSaidWithHowOftenAndWhereFirst) {
  rows_ += "u0b|this ☃ is ☃ not\n";
  std::filesystem::copy_file(folder_ / "wavs/u0.wav", folder_ / "wavs/u0b.wav");
  const std::filesystem::path page = folder_ / "report.html";

  EXPECT_THAT(run({"--html", page.string()}).out,
              ContainsRegex("☃ U\\+2603 +2 +1  metadata.csv:5 u0b"));
  EXPECT_THAT(read_text_file(page).value(), HasSubstr("metadata.csv:5 u0b\u2069</td>"));
  EXPECT_THAT(run({"--lang", "fa"}).out, HasSubstr("۱  \u2068metadata.csv:5 u0b\u2069"));
  const nlohmann::json json = nlohmann::json::parse(run({"--json"}).out);
  EXPECT_EQ(json["unknown_characters"][0]["first"]["id"], "u0b");
}

// An espeak-ng that says a click, which no model of phonemes knows.
TEST_F(DataCheckTest, WhatAPhonemeModelIsNotGivenIsSaidWithPhonemes) {
  const std::filesystem::path program = folder_ / "espeak-ng";
  std::ofstream(program) << "#!/bin/sh\nif [ \"$1\" = --version ]; then echo fake; exit; fi\n"
                            "while read -r line; do echo 'ʘa'; done\n";
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", (folder_.string() + ':' + path).c_str(), 1);

  const CheckOutcome outcome = run({"--phonemes"});
  ::setenv("PATH", path.c_str(), 1);

  EXPECT_THAT(outcome.out, ContainsRegex("ʘ U\\+0298 +4 +4  metadata.csv:1 u0"));
}

TEST_F(DataCheckTest, TheLanguageOfTheRowsIsNotThatOfTheReport) {
  const CheckOutcome outcome = run({"--language", "fa", "--lang", "en"});

  EXPECT_THAT(outcome.out,
              AllOf(ContainsRegex("languages +fa 8 s"), HasSubstr("All 4 rows can be used")));
}

TEST_F(DataCheckTest, JsonIsEnglishInEveryLanguage) {
  EXPECT_EQ(run({"--json", "--lang", "fa"}).out, run({"--json", "--lang", "en"}).out);
}

TEST_F(DataCheckTest, APageThatCannotBeWrittenIsSaidBeforeTheWork) {
  EXPECT_THROW(run({"--html", (folder_ / "no/report.html").string()}), Error);
}

TEST_F(DataCheckTest, AnUnusableSetFails) {
  rows_ = "gone|one\n";

  const CheckOutcome outcome = run({});

  EXPECT_EQ(outcome.code, ExitCode::failed);
  EXPECT_THAT(outcome.out, HasSubstr("This set cannot be used"));
}

TEST_F(DataCheckTest, LimitsAreThoseOfTheFlags) {
  EXPECT_THAT(run({"--max-mel-frames", "100", "--quick"}).out, HasSubstr("Audio too long (4)"));
  EXPECT_THAT(run({"--max-text-length", "5", "--quick"}).out, HasSubstr("Text too long (4)"));
  EXPECT_THAT(run({"--min-seconds", "2.5", "--quick"}).out, HasSubstr("Audio too short (4)"));
}

TEST_F(DataCheckTest, StopLeavesNoPage) {
  std::stop_source source;
  source.request_stop();

  const CheckOutcome outcome =
      run({"--html", (folder_ / "report.html").string()}, source.get_token());

  EXPECT_EQ(outcome.code, ExitCode::failed);
  EXPECT_THAT(outcome.out, IsEmpty());
  EXPECT_FALSE(std::filesystem::exists(folder_ / "report.html"));
}

}  // namespace
}  // namespace qanat
