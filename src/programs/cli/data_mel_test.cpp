#include <algorithm>
#include <filesystem>
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

struct MelOutcome {
  ExitCode code = ExitCode::done;
  std::string out;
  std::string err;
};

class DataMelTest : public testing::Test {
 protected:
  DataMelTest() {
    const auto* const test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::path(testing::TempDir()) /
              fmt::format("data_mel_test-{}-{}", test->name(), ::getpid());
    std::filesystem::create_directories(folder_);
  }
  DataMelTest(const DataMelTest&) = delete;
  DataMelTest& operator=(const DataMelTest&) = delete;
  ~DataMelTest() override { std::filesystem::remove_all(folder_); }

  std::string silence(std::size_t samples, SampleRate rate = SampleRate{22050}) const {
    write_wav(folder_ / "clip.wav", std::vector<float>(samples), rate);
    return (folder_ / "clip.wav").string();
  }

  static MelOutcome run(std::vector<std::string> arguments, const std::stop_token& stop = {}) {
    const std::unique_ptr<Command> command = make_data_mel_command();
    CLI::App app;
    Flags declared(app, Translator());
    command->declare(declared);
    std::reverse(arguments.begin(), arguments.end());  // as CLI11 wants them
    app.parse(arguments);
    std::ostringstream out;
    std::ostringstream err;
    const ExitCode code = command->run({.stop = stop, .out = out, .err = err});
    return {code, out.str(), err.str()};
  }

  std::filesystem::path folder_;
};

TEST_F(DataMelTest, ShowsShapeAndStatistics) {
  const MelOutcome outcome = run({silence(22050)});

  EXPECT_EQ(outcome.code, ExitCode::done);
  EXPECT_EQ(outcome.out,
            "duration    1.000 s\n"
            "shape       [80, 86]  mel bands, frames\n"
            "mean        -11.512925\n"
            "std         0.000000\n"
            "min         -11.512925\n"
            "max         -11.512925\n");
}

TEST_F(DataMelTest, TheRateIsConvertedFirst) {
  const MelOutcome outcome = run({silence(44100, SampleRate{44100}), "--json"});

  const nlohmann::json object = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(object["shape"], nlohmann::json({80, 86}));
  EXPECT_EQ(object["duration_s"], 1.0);
}

TEST_F(DataMelTest, WritesAnArrayOfBandsByFrames) {
  const std::string target = (folder_ / "mel.npy").string();

  const MelOutcome outcome = run({silence(1000), "--out", target});

  const Result<std::string> array = read_text_file(target);
  ASSERT_TRUE(array);
  EXPECT_THAT(array.value(), testing::HasSubstr("'shape': (80, 3)"));
  EXPECT_EQ(array.value().size(), 128U + 80 * 3 * 4);
  EXPECT_THAT(outcome.out, testing::HasSubstr(target));
}

TEST_F(DataMelTest, AFileThatCannotBeReadIsNamed) {
  EXPECT_THAT([this] { run({(folder_ / "none.wav").string()}); },
              testing::ThrowsMessage<Error>(testing::HasSubstr("none.wav: cannot open")));
}

TEST_F(DataMelTest, AClipWithoutAWholeFrameIsAnError) {
  EXPECT_THROW(run({silence(255)}), Error);
}

TEST_F(DataMelTest, WritesNothingWhenStopped) {
  std::stop_source stop;
  stop.request_stop();

  run({silence(1000), "--out", (folder_ / "mel.npy").string()}, stop.get_token());

  EXPECT_FALSE(std::filesystem::exists(folder_ / "mel.npy"));
}

}  // namespace
}  // namespace qanat
