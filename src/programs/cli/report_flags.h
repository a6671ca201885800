// The flags of commands that report: --json, --html and --fail-on, and what they ask for. --lang is
// the program's.
//
//   void declare(Flags& flags) override { report_.declare_json(flags); }
//   ... report_.print(context.out, to_document(profile)); return
//   report_.exit_code(profile.findings);
#pragma once

#include <ostream>
#include <span>
#include <string>

#include "base/language.h"
#include "cli/exit_code.h"
#include "cli/flags.h"
#include "cli/terminal.h"
#include "diagnose/diagnosis.h"
#include "diagnose/finding.h"
#include "locale/translator.h"
#include "report/document.h"

namespace qanat {

// A part of a command; lives as long as the CLI::App it declared flags on.
class ReportFlags {
 public:
  // Each adds one flag. Reports speak the language of the flags.
  void declare_json(Flags& flags);
  void declare_json(Flags& flags, const Message& help);
  void declare_html(Flags& flags, const Message& help);
  void declare_fail_on(Flags& flags);  // crit, warn or never

  // After parsing.
  bool json() const { return json_; }
  const std::string& html() const { return html_; }  // empty: no page is wanted
  Language language() const { return language_; }
  Translator words() const { return Translator(language_); }

  // The report in the form that was asked for.
  void print(std::ostream& out, const Document& report) const;

  // findings when there is one that is at least as severe as --fail-on says, else done.
  ExitCode exit_code(std::span<const Finding> findings) const;

 private:
  bool json_ = false;
  std::string html_;
  Language language_ = Language::en;
  std::string fail_on_ = "crit";
};

// The language that --lang names, if it was given. Else the environment decides: LC_ALL,
// LC_MESSAGES, LANG, the first that is not empty; Persian when it begins with fa. Else English.
Language report_language(const std::string& code, const EnvironmentLookup& environment);
// In the environment of this process.
Language report_language(const std::string& code);

// Before anything is parsed, since what is wrong with the arguments is said in it: the value behind
// the last --lang that is a language.
std::string asked_language(std::span<const char* const> arguments);

// The flags with which a diagnosis is shown by continuous integration: --junit and --annotations.
//
//   void declare(Flags& flags) override { ci_.declare(flags); }
//   ... ci_.write(diagnosis, context.err);
//
// A part of a command; lives as long as the CLI::App it declared flags on.
class CiFlags {
 public:
  void declare(Flags& flags);
  // After parsing; nothing when neither was asked for. `what` names the test suite. Throws Error
  // when the file cannot be written.
  void write(const Diagnosis& diagnosis, const std::string& what, std::ostream& err) const;

 private:
  std::string junit_;
  std::string annotations_ = "none";
};

}  // namespace qanat
