#include "serve/dashboard.h"

#include <fstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/run_page_sample.h"
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
  const std::string text = receive_until(fd, "}\n\n");
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

  std::ofstream(journal_, std::ios::app) << as_line(to_event(sample_step(300)), 21).dump() << '\n';

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

}  // namespace
}  // namespace qanat
