#include "cli/report_flags.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include <unistd.h>

#include "base/files.h"
#include "cli/terminal_text.h"
#include "locale/messages/help.h"
#include "report/run_junit.h"

namespace qanat {

void ReportFlags::declare_json(Flags& flags) {
  declare_json(flags, msg::help_json{});
}

void ReportFlags::declare_json(Flags& flags, const Message& help) {
  language_ = flags.words().language();
  flags.on("--json", json_, help);
}

void ReportFlags::declare_html(Flags& flags, const Message& help) {
  language_ = flags.words().language();
  flags.text("--html", html_, "FILE", help);
}

void ReportFlags::declare_fail_on(Flags& flags) {
  language_ = flags.words().language();
  flags.choice("--fail-on", fail_on_, "WHEN", {"crit", "warn", "never"}, msg::help_fail_on{});
}

void ReportFlags::print(std::ostream& out, const Document& report) const {
  if (json_) {
    out << to_text(render_json(report));
  } else {
    const bool has_blocks = detect_terminal(STDOUT_FILENO).unicode;
    out << render_text(report, words(), has_blocks ? Bars::blocks : Bars::ascii);
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

Language report_language(const std::string& code) {
  return report_language(code, [](const std::string& name) -> std::optional<std::string> {
    const char* const value = std::getenv(name.c_str());
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
  });
}

std::string asked_language(std::span<const char* const> arguments) {
  constexpr std::string_view kFlag = "--lang";
  std::string asked;
  std::string_view before;
  for (const std::string_view argument : arguments) {
    if (argument == "--") {
      break;
    }
    const bool attached = argument.starts_with(kFlag) && argument.substr(kFlag.size(), 1) == "=";
    const std::string_view code = attached          ? argument.substr(kFlag.size() + 1)
                                  : before == kFlag ? argument
                                                    : std::string_view();
    asked = to_language(code) ? std::string(code) : asked;
    before = argument;
  }
  return asked;
}

void CiFlags::declare(Flags& flags) {
  flags.text("--junit", junit_, "FILE", msg::help_junit{});
  flags.choice("--annotations", annotations_, "WHOSE", {"github", "none"}, msg::help_annotations{});
}

void CiFlags::write(const Diagnosis& diagnosis, const std::string& what, std::ostream& err) const {
  if (!junit_.empty()) {
    write_text_file(junit_, render_junit(diagnosis, what));
  }
  if (annotations_ == "github") {
    err << Control{render_github_annotations(diagnosis)};  // escapes what it names
  }
}

}  // namespace qanat
