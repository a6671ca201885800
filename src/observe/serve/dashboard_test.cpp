#include "serve/dashboard.h"

#include <fstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "history/run_sample.h"
#include "serve/http_testing.h"

namespace qanat {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class DashboardTest : public testing::Test {
 protected:
  DashboardTest() {
    std::ofstream file(journal_, std::ios::trunc);
    for (const nlohmann::json& line : sample_journal()) {
      file << line.dump() << '\n';
    }
  }
  DashboardOptions options() const {
    return {.journal = journal_,
            .pause = Seconds{0.05},
            .metrics = [](const RunSnapshot& run, const Diagnosis&) {
              return fmt::format("qanat_steps_total {}\n", run.steps);
            }};
  }

  const std::filesystem::path journal_ =
      std::filesystem::path(testing::TempDir()) /
      (std::string("dashboard_") + testing::UnitTest::GetInstance()->current_test_info()->name() +
       ".jsonl");
};

std::string first_event(const Dashboard& dashboard, const std::string& query = "") {
  const UniqueFd fd = connect_to(dashboard.port());
  send_text(
      fd,
      fmt::format("GET /events{} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n\r\n", query, dashboard.port()));
  std::string text = receive_until(fd, "}\n\n");
  const std::size_t data = text.find("data: ");
  if (data == std::string::npos) {
    return text;
  }
  return text.substr(data + 6, text.find("\n\n", data) - data - 6);  // the next may have begun
}

TEST_F(DashboardTest, ServesThePageAndItsResources) {
  const Dashboard dashboard(options());

  EXPECT_THAT(ask(dashboard.port(), "/"), HasSubstr("<main></main>"));
  EXPECT_THAT(ask(dashboard.port(), "/live.js"), HasSubstr("text/javascript"));
  EXPECT_THAT(ask(dashboard.port(), "/page.css"), HasSubstr("text/css"));
  EXPECT_THAT(ask(dashboard.port(), "/healthz"), HasSubstr("ok\n"));
}

TEST_F(DashboardTest, TheStreamHoldsTheSections) {
  const Dashboard dashboard(options());

  const auto event = nlohmann::json::parse(first_event(dashboard));

  EXPECT_EQ(event["now"]["step"], 200);
  EXPECT_EQ(event["sections"][0]["id"], "now");
  EXPECT_EQ(event["sections"][1]["id"], "verdict");
  EXPECT_THAT(event["sections"][1]["html"].get<std::string>(), HasSubstr("INPUT-BOUND"));
}

TEST_F(DashboardTest, FollowsTheJournal) {
  const Dashboard dashboard(options());
  EXPECT_EQ(nlohmann::json::parse(first_event(dashboard))["now"]["step"], 200);

  std::ofstream(journal_, std::ios::app) << line_of(sample_step(300), 21).dump() << '\n';

  const Clock::time_point begin = Clock::now();
  int step = 0;
  while (step != 301 && seconds_since(begin) < Seconds{20}) {
    step = nlohmann::json::parse(first_event(dashboard))["now"]["step"].get<int>();
  }
  EXPECT_EQ(step, 301);
}

TEST_F(DashboardTest, MetricsAndReportAreThere) {
  const Dashboard dashboard(options());
  (void)first_event(dashboard);  // the journal is read

  EXPECT_THAT(ask(dashboard.port(), "/metrics"), HasSubstr("qanat_steps_total 200"));
  EXPECT_THAT(ask(dashboard.port(), "/report.json"), HasSubstr("\"schema\": \"qanat.report\""));
}

TEST_F(DashboardTest, NoPathLeadsToAFile) {
  const Dashboard dashboard(options());

  for (const char* path : {"/../../etc/passwd",
                           "/%2e%2e/%2e%2e/etc/passwd",
                           "/..%2f..%2fetc/passwd",
                           "//etc/passwd",
                           "/page.css/../../x",
                           "/journal.jsonl",
                           "/web/page.css"}) {
    EXPECT_THAT(ask(dashboard.port(), path),
                AllOf(StartsWith("HTTP/1.1 404"), Not(HasSubstr("root:"))))
        << path;
  }
}

TEST_F(DashboardTest, AnotherHostIsRefused) {
  const Dashboard dashboard(options());

  EXPECT_THAT(ask(dashboard.port(), "/", "evil.example"), StartsWith("HTTP/1.1 421"));
  EXPECT_THAT(ask(dashboard.port(), "/events", "evil.example"), StartsWith("HTTP/1.1 421"));
}

TEST_F(DashboardTest, AnotherAddressNeedsAToken) {
  DashboardOptions open = options();
  open.address = "0.0.0.0";
  EXPECT_THROW(Dashboard{open}, std::exception);

  open.token = "secret";
  const Dashboard dashboard(open);
  EXPECT_THAT(ask(dashboard.port(), "/"), StartsWith("HTTP/1.1 401"));
  EXPECT_THAT(ask(dashboard.port(), "/?token=wrong!"), StartsWith("HTTP/1.1 401"));
  EXPECT_THAT(ask(dashboard.port(), "/?token=secret"), HasSubstr("live.js?token=secret"));
  EXPECT_THAT(dashboard.url(), testing::EndsWith("/?token=secret"));
}

TEST_F(DashboardTest, AJournalThatIsNotThereYetIsWaitedFor) {
  DashboardOptions early = options();
  std::filesystem::remove(journal_);
  const Dashboard dashboard(early);

  EXPECT_THAT(ask(dashboard.port(), "/metrics"), StartsWith("HTTP/1.1 200"));
}

nlohmann::json last_event(const std::string& stream) {
  const std::size_t data = stream.rfind("data: ");
  return data == std::string::npos ? nlohmann::json()
                                   : nlohmann::json::parse(stream.substr(data + 6));
}

TEST_F(DashboardTest, PagesLearnHowTheRunEndedBeforeItCloses) {
  std::ofstream(journal_, std::ios::trunc) << R"({"kind":"journal","t":0.0})" << '\n';
  DashboardOptions slow = options();
  slow.pause = Seconds{60};
  auto dashboard = std::make_unique<Dashboard>(slow);
  const UniqueFd page = connect_to(dashboard->port());
  send_text(page,
            fmt::format("GET /events HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n\r\n", dashboard->port()));
  EXPECT_THAT(receive_until(page, "retry: 2000\n\n"), HasSubstr("text/event-stream"));

  std::ofstream(journal_, std::ios::app)
      << R"({"kind":"ended","t":1.0,"ending":"max_steps"})" << '\n';
  dashboard.reset();

  EXPECT_EQ(last_event(receive_until(page, "")).at("now").at("ending"), "max_steps");
}

TEST_F(DashboardTest, ThereIsOneRowOfTiles) {
  const Dashboard dashboard(options());

  const std::string event = first_event(dashboard);

  EXPECT_EQ(event.find("class=\\\"tiles\\\""), event.rfind("class=\\\"tiles\\\""));
  EXPECT_THAT(event, AllOf(HasSubstr("device busy"), HasSubstr("padding")));
}

TEST_F(DashboardTest, ADeletedJournalIsSaid) {
  const Dashboard dashboard(options());
  EXPECT_THAT(first_event(dashboard), Not(HasSubstr("was deleted")));

  std::filesystem::remove(journal_);

  const Clock::time_point begin = Clock::now();
  std::string event;
  while (event.find("was deleted") == std::string::npos && seconds_since(begin) < Seconds{20}) {
    event = first_event(dashboard);
  }
  EXPECT_THAT(event, AllOf(HasSubstr("was deleted"), HasSubstr("INPUT-BOUND")));
}

TEST_F(DashboardTest, RendersAreServedAndNothingElse) {
  const std::filesystem::path renders = journal_.parent_path() / "renders";
  std::filesystem::create_directories(renders / "step-000000010");
  std::ofstream(renders / "step-000000010" / "sentence-1.wav") << "RIFF";
  std::ofstream(renders / "step-000000010" / "secret.wav") << "root:";
  std::ofstream(renders / "recording-0123456789abcdef.wav") << "RIFX";
  const Dashboard dashboard(options());

  EXPECT_THAT(ask(dashboard.port(), "/renders/recording-0123456789abcdef.wav"),
              AllOf(HasSubstr("Content-Type: audio/wav"), testing::EndsWith("RIFX")));
  EXPECT_THAT(ask(dashboard.port(), "/renders/step-000000010/sentence-1.wav"),
              AllOf(HasSubstr("Content-Type: audio/wav"), testing::EndsWith("RIFF")));
  for (const char* path : {"/renders/step-000000010/sentence-2.wav",
                           "/renders/step-000000010/secret.wav",
                           "/renders/step-000000010/sentence-1.wav/../secret.wav",
                           "/renders/step-000000010/../sentence-1.wav",
                           "/renders/step-/sentence-1.wav",
                           "/renders/recording-0123456789abcde/.wav",
                           "/renders/recording-..%2f..%2f..%2fabc.wav",
                           "/renders/"}) {
    EXPECT_THAT(ask(dashboard.port(), path), StartsWith("HTTP/1.1 404")) << path;
  }
}

}  // namespace
}  // namespace qanat
