#include "cli/report_flags.h"

#include <algorithm>
#include <cstdlib>

namespace qanat {

void ReportFlags::declare_json(CLI::App& app, const std::string& help) {
  app.add_flag("--json", json_, help);
}

void ReportFlags::declare_html(CLI::App& app, const std::string& help) {
  app.add_option("--html", html_, help)->type_name("FILE");
}

CLI::Option* ReportFlags::declare_language(CLI::App& app) {
  return app
      .add_option(
          "--lang", language_, "en or fa; not given: the environment's (LANG=fa_IR), else en")
      ->check(CLI::IsMember({"en", "fa"}).description(""))
      ->type_name("LANGUAGE");
}

void ReportFlags::declare_fail_on(CLI::App& app) {
  app.add_option("--fail-on", fail_on_, "exit with 10 on findings: crit, warn or never")
      ->check(CLI::IsMember({"crit", "warn", "never"}).description(""))
      ->type_name("WHEN")
      ->capture_default_str();
}

Language ReportFlags::language() const {
  return report_language(language_, [](const std::string& name) -> std::optional<std::string> {
    const char* const value = std::getenv(name.c_str());
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
  });
}

void ReportFlags::print(std::ostream& out, const Document& report) const {
  if (json_) {
    out << render_json(report).dump(2) << '\n';
  } else {
    out << render_text(report, words());
  }
}

ExitCode ReportFlags::exit_code(std::span<const Finding> findings) const {
  if (fail_on_ == "never") {
    return ExitCode::done;
  }
  const FindingSeverity least = fail_on_ == "warn" ? FindingSeverity::warn : FindingSeverity::crit;
  const bool found = std::ranges::any_of(
      findings, [least](const Finding& finding) { return finding.severity >= least; });
  return found ? ExitCode::findings : ExitCode::done;
}

Language report_language(const std::string& code, const EnvironmentLookup& environment) {
  if (const auto language = to_language(code)) {
    return *language;
  }
  for (const char* name : {"LC_ALL", "LC_MESSAGES", "LANG"}) {
    const std::string value = environment(name).value_or("");
    if (!value.empty()) {
      return value == "fa" || value.starts_with("fa_") ? Language::fa : Language::en;
    }
  }
  return Language::en;
}

}  // namespace qanat
