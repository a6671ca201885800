// The flags of commands that report: --json, --lang, --html and --fail-on, and what they ask for.
//
//   void declare(CLI::App& app) override { report_.declare_language(app);
//   report_.declare_json(app); }
//   ... report_.print(context.out, to_document(profile)); return report_.exit_code(profile.findings);
#pragma once

#include <ostream>
#include <span>
#include <string>

#include <CLI/CLI.hpp>

#include "base/language.h"
#include "cli/exit_code.h"
#include "cli/terminal.h"
#include "diagnose/finding.h"
#include "report/document.h"
#include "report/words.h"

namespace qanat {

// A part of a command; lives as long as the CLI::App it declared flags on.
class ReportFlags {
 public:
  // Each adds one flag. The option is returned for commands that have more to say about it.
  void declare_json(CLI::App& app, const std::string& help = "print one JSON object");
  void declare_html(CLI::App& app, const std::string& help);
  CLI::Option* declare_language(CLI::App& app);
  void declare_fail_on(CLI::App& app);  // crit, warn or never

  // After parsing.
  bool json() const { return json_; }
  const std::string& html() const { return html_; }  // empty: no page is wanted
  Language language() const;
  Words words() const { return Words(language()); }

  // The report in the form that was asked for.
  void print(std::ostream& out, const Document& report) const;

  // findings when there is one that is at least as severe as --fail-on says, else done.
  ExitCode exit_code(std::span<const Finding> findings) const;

 private:
  bool json_ = false;
  std::string html_;
  std::string language_;
  std::string fail_on_ = "crit";
};

// Of a --lang, where it was given: its language. Else that of the environment handed in: LC_ALL,
// LC_MESSAGES, LANG, the first that is not empty; Persian when it begins with fa. Else English.
Language report_language(const std::string& code, const EnvironmentLookup& environment);

}  // namespace qanat
