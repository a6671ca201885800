#include "cli/dashboard_flags.h"

#include <charconv>
#include <set>
#include <string_view>
#include <utility>

#include "cli/command.h"
#include "locale/messages/command_errors.h"
#include "locale/messages/help.h"
#include "locale/messages/training.h"
#include "serve/access.h"
#include "serve/dashboard.h"
#include "telemetry/prometheus.h"

namespace qanat {
namespace {

constexpr int kDefaultPort = 7860;

}  // namespace

void DashboardFlags::declare(Flags& flags) {
  asked_ = flags.text("--dashboard", port_, "[PORT]", msg::help_dashboard{})->expected(0, 1);
  flags.text("--dashboard-address", address_, "ADDRESS", msg::help_dashboard_address{})
      ->capture_default_str();
  flags.text("--dashboard-token", token_, "TEXT", msg::help_dashboard_token{});
}

bool DashboardFlags::wanted() const {
  return asked_->count() > 0 && port() >= 0;
}

int DashboardFlags::port() const {
  const std::string text = port_.empty() ? std::string() : port_.front();
  if (text.empty() || text == "{}") {  // CLI11's sign for a flag without its value
    return kDefaultPort;
  }
  int port = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc() || end != text.data() + text.size() || port < 0 || port > 65535) {
    throw UsageError(
        msg::usage_flag{.flag = "--dashboard", .what = msg::usage_port{.given = text}});
  }
  return port;
}

std::unique_ptr<Dashboard> DashboardFlags::start(const std::filesystem::path& journal,
                                                 const Translator& words,
                                                 std::ostream& err) const {
  const bool needs_token = !is_loopback(address_) && token_.empty();
  auto dashboard = std::make_unique<Dashboard>(
      DashboardOptions{.journal = journal,
                       .address = address_,
                       .port = port(),
                       .token = needs_token ? make_token() : token_,
                       .words = words,
                       .metrics = [](const RunSnapshot& run, const Diagnosis& diagnosis) {
                         return prometheus_text(run, scrape_context(diagnosis));
                       }});
  err << words.tr(msg::train_dashboard{.url = dashboard->url()}) << '\n';
  return dashboard;
}

ScrapeContext scrape_context(const Diagnosis& diagnosis) {
  ScrapeContext context{.version = QANAT_VERSION};
  if (diagnosis.verdict == VerdictKind::incomplete) {
    return context;
  }
  context.recoverable = diagnosis.recoverable_share;
  // A rule may find something in several places, and is one series all the same.
  std::set<std::pair<std::string, std::string>> said;
  const auto add = [&](const std::string& id, std::string_view severity, bool active) {
    if (said.emplace(id, severity).second) {
      context.findings.push_back({.id = id, .severity = std::string(severity), .active = active});
    }
  };
  for (const Finding& finding : diagnosis.findings) {
    add(finding.id, to_string(finding.severity), true);
  }
  for (const PassedCheck& check : diagnosis.passed) {
    add(check.id, "none", false);
  }
  return context;
}

}  // namespace qanat
