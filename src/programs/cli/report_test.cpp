#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stop_token>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/flags.h"
#include "metrics/journal.h"

namespace qanat {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

struct ReportOutcome {
  ExitCode code = ExitCode::done;
  std::string out;
  std::string err;
};

class ReportTest : public testing::Test {
 protected:
  ReportTest() {
    std::filesystem::create_directories(folder_);
    RunJournal journal(path_);
    for (int i = 0; i < 40; ++i) {
      journal.record(StepRecord{.step = i, .phases = {.forward = Seconds{0.1}}});
    }
  }
  ReportTest(const ReportTest&) = delete;
  ReportTest& operator=(const ReportTest&) = delete;
  ~ReportTest() override { std::filesystem::remove_all(folder_); }

  ReportOutcome run(std::vector<std::string> flags, const std::stop_token& stop) const {
    const std::unique_ptr<Command> command = make_report_command();
    CLI::App app;
    Flags declared(app, Translator(Language::en));
    command->declare(declared);
    flags.push_back(path_.string());
    std::ranges::reverse(flags);  // as CLI11 wants them
    app.parse(flags);
    std::ostringstream out;
    std::ostringstream err;
    const ExitCode code = command->run({.stop = stop, .out = out, .err = err});
    return {code, out.str(), err.str()};
  }

  const std::filesystem::path folder_ =
      std::filesystem::path(testing::TempDir()) /
      fmt::format("report_test-{}-{}",
                  testing::UnitTest::GetInstance()->current_test_info()->name(),
                  ::getpid());
  const std::filesystem::path path_ = folder_ / "journal.jsonl";
};

TEST_F(ReportTest, AJournalThatStoppedGrowingIsOfARunThatWasKilled) {
  EXPECT_THAT(run({"--fail-on", "never"}, {}).out, Not(HasSubstr("ENDED")));

  std::filesystem::last_write_time(
      path_, std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
  EXPECT_THAT(run({"--fail-on", "never"}, {}).out, HasSubstr("\nENDED  killed"));
  EXPECT_THAT(run({"--json", "--fail-on", "never"}, {}).out, HasSubstr("\"ending\": \"silent\""));

  std::ofstream(path_, std::ios::app)
      << R"({"kind": "ended", "t": 5.0, "ending": "completed"})" << '\n';
  std::filesystem::last_write_time(
      path_, std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
  EXPECT_THAT(run({"--fail-on", "never"}, {}).out, Not(HasSubstr("ENDED")));
}

TEST_F(ReportTest, ARunIsReported) {
  const ReportOutcome outcome = run({"--fail-on", "never"}, {});

  EXPECT_EQ(outcome.code, ExitCode::done);
  EXPECT_THAT(outcome.out, Not(IsEmpty()));
}

TEST_F(ReportTest, OneMoreStepDoesNotTakeTheReportAway) {
  RunJournal(path_).record(StepRecord{.step = 40, .phases = {.forward = Seconds{0.1}}});

  const ReportOutcome outcome = run({"--fail-on", "never"}, {});
  const ReportOutcome last = run({"--fail-on", "never", "--session", "2"}, {});

  EXPECT_EQ(outcome.code, ExitCode::done);
  EXPECT_THAT(outcome.out, Not(HasSubstr("INCOMPLETE")));
  EXPECT_THAT(outcome.err, HasSubstr("session 1 of 2"));
  EXPECT_EQ(last.code, ExitCode::cannot_measure);
  EXPECT_THAT(last.out, HasSubstr("INCOMPLETE"));
}

TEST_F(ReportTest, WhoeverStopsItGetsNoReportOfHalfARun) {
  std::stop_source stop;
  stop.request_stop();

  const ReportOutcome outcome =
      run({"--html", (folder_ / "report.html").string()}, stop.get_token());

  EXPECT_EQ(outcome.code, ExitCode::failed);
  EXPECT_THAT(outcome.out, IsEmpty());
  EXPECT_THAT(outcome.err, HasSubstr("stopped"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "report.html"));
}

}  // namespace
}  // namespace qanat
