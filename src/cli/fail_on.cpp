#include "cli/fail_on.h"

#include <algorithm>

namespace qanat {

void declare_fail_on(CLI::App& app, std::string& when) {
  app.add_option("--fail-on", when, "exit with 10 on findings: crit, warn or never")
      ->check(CLI::IsMember({"crit", "warn", "never"}).description(""))
      ->type_name("WHEN")
      ->capture_default_str();
}

ExitCode exit_code_for(std::span<const Finding> findings, const std::string& when) {
  if (when == "never") {
    return ExitCode::done;
  }
  const FindingSeverity least = when == "warn" ? FindingSeverity::warn : FindingSeverity::crit;
  const bool found = std::ranges::any_of(
      findings, [least](const Finding& finding) { return finding.severity >= least; });
  return found ? ExitCode::findings : ExitCode::done;
}

}  // namespace qanat
