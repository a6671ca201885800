#include "cli/dashboard_flags.h"

#include <charconv>

#include <fmt/ostream.h>

#include "cli/scrape_context.h"
#include "cli/usage_error.h"
#include "serve/access.h"
#include "serve/dashboard.h"
#include "telemetry/prometheus.h"

namespace qanat {
namespace {

constexpr int kDefaultPort = 7860;

}  // namespace

void DashboardFlags::declare(CLI::App& app) {
  asked_ =
      app.add_option("--dashboard", port_, "show the run in browsers on this machine; port 7860")
          ->expected(0, 1)
          ->type_name("[PORT]");
  app.add_option("--dashboard-address",
                 address_,
                 "address to show it on; others than 127.0.0.1 ask for a token")
      ->type_name("ADDRESS")
      ->capture_default_str();
  app.add_option("--dashboard-token", token_, "the token; not given: made and printed")
      ->type_name("TEXT");
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
    throw UsageError("--dashboard {}: not a port; expected 0 to 65535, 0 for any that is free",
                     text);
  }
  return port;
}

std::unique_ptr<Dashboard> DashboardFlags::start(const std::filesystem::path& journal,
                                                 const Words& words,
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
  fmt::print(err, "dashboard: {}\n", dashboard->url());
  return dashboard;
}

}  // namespace qanat
