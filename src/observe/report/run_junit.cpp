#include "report/run_junit.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "report/config_changes.h"
#include "report/run_text.h"
#include "report/run_words.h"

namespace qanat {
namespace {

using Out = std::back_insert_iterator<std::string>;

// For attributes and text alike. Control characters are no XML.
std::string escape_xml(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\n':
        escaped += "&#10;";
        break;
      default:
        escaped += static_cast<unsigned char>(c) < 0x20 && c != '\t' ? ' ' : c;
    }
  }
  return escaped;
}

// A line break or a percent sign would end, or change, the command.
std::string escape_command(std::string_view text, bool property) {
  std::string escaped;
  for (const char c : text) {
    if (c == '%' || c == '\r' || c == '\n' || (property && (c == ':' || c == ','))) {
      fmt::format_to(std::back_inserter(escaped), "%{:02X}", static_cast<unsigned char>(c));
    } else {
      escaped += c;
    }
  }
  return escaped;
}

std::string describe(const Finding& finding) {
  const Translator english;
  std::string text = english.tr(finding.title);
  const Out out = std::back_inserter(text);
  if (finding.gain.speedup > 1) {
    fmt::format_to(out, "\nexpected gain: {}", english.tr(speedup_message(finding.gain)));
  }
  for (const Evidence& evidence : finding.evidence) {
    fmt::format_to(out, "\n{} = {}", evidence.metric.name, evidence_value(evidence, english));
  }
  for (const Fix& fix : finding.fixes) {
    fmt::format_to(out, "\ntry: {}", fix_words(fix, english));
  }
  if (finding.verify) {
    fmt::format_to(out, "\nverify: {}", english.tr(finding.verify));
  }
  return text;
}

// One test case; `outcome` is an element.
void write_case(Out out, std::string_view id, std::string_view outcome) {
  fmt::format_to(out,
                 "  <testcase classname=\"qanat.diagnose\" name=\"{}\" time=\"0\">\n"
                 "    {}\n  </testcase>\n",
                 escape_xml(id),
                 outcome);
}

std::string passed_element(std::string_view text) {
  return fmt::format("<system-out>{}</system-out>", escape_xml(text));
}

std::string failure_element(const Finding& finding) {
  return fmt::format("<failure type=\"{}\" message=\"{}\">{}</failure>",
                     to_string(finding.severity),
                     escape_xml(Translator().tr(finding.title)),
                     escape_xml(describe(finding)));
}

std::string verdict_element(const Diagnosis& diagnosis) {
  const std::string text = render_verdict(diagnosis);
  return diagnosis.verdict == VerdictKind::incomplete
             ? fmt::format("<error type=\"incomplete\" message=\"{0}\">{0}</error>",
                           escape_xml(text))
             : passed_element(text);
}

std::string_view command_of(FindingSeverity severity) {
  return severity == FindingSeverity::crit   ? "error"
         : severity == FindingSeverity::warn ? "warning"
                                             : "notice";
}

}  // namespace

std::string render_junit(const Diagnosis& diagnosis,
                         std::string_view suite,
                         FindingSeverity failing) {
  const auto fails = [failing](const Finding& finding) { return finding.severity >= failing; };
  const auto failures = std::ranges::count_if(diagnosis.findings, fails);
  std::string text = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\">\n",
      escape_xml(suite),
      1 + diagnosis.findings.size() + diagnosis.passed.size() + diagnosis.skipped.size(),
      failures,
      diagnosis.verdict == VerdictKind::incomplete ? 1 : 0,
      diagnosis.skipped.size());
  const Out out = std::back_inserter(text);
  write_case(out, "verdict", verdict_element(diagnosis));
  for (const Finding& finding : diagnosis.findings) {
    write_case(out,
               finding.id,
               fails(finding) ? failure_element(finding) : passed_element(describe(finding)));
  }
  for (const PassedCheck& check : diagnosis.passed) {
    write_case(out, check.id, passed_element(Translator().tr(check.what)));
  }
  for (const SkippedCheck& check : diagnosis.skipped) {
    const std::string reason = escape_xml(Translator().tr(check.reason));
    write_case(out, check.id, fmt::format("<skipped message=\"{}\"/>", reason));
  }
  text += "</testsuite>\n";
  return text;
}

std::string render_github_annotations(const Diagnosis& diagnosis) {
  std::string text =
      fmt::format("::notice title=qanat::{}\n", escape_command(render_verdict(diagnosis), false));
  for (const Finding& finding : diagnosis.findings) {
    fmt::format_to(std::back_inserter(text),
                   "::{} title={}::{}\n",
                   command_of(finding.severity),
                   escape_command(fmt::format("qanat {}", finding.id), true),
                   escape_command(describe(finding), false));
  }
  return text;
}

}  // namespace qanat
