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

void open_case(Out out, std::string_view id) {
  fmt::format_to(
      out, "  <testcase classname=\"qanat.diagnose\" name=\"{}\" time=\"0\">\n", escape_xml(id));
}

void write_finding(Out out, const Finding& finding, bool fails) {
  open_case(out, finding.id);
  const std::string text = escape_xml(describe(finding));
  if (fails) {
    fmt::format_to(out,
                   "    <failure type=\"{}\" message=\"{}\">{}</failure>\n",
                   to_string(finding.severity),
                   escape_xml(Translator().tr(finding.title)),
                   text);
  } else {
    fmt::format_to(out, "    <system-out>{}</system-out>\n", text);
  }
  fmt::format_to(out, "  </testcase>\n");
}

void write_verdict(Out out, const Diagnosis& diagnosis) {
  open_case(out, "verdict");
  const std::string text = escape_xml(render_verdict(diagnosis));
  if (diagnosis.verdict == VerdictKind::incomplete) {
    fmt::format_to(out, "    <error type=\"incomplete\" message=\"{0}\">{0}</error>\n", text);
  } else {
    fmt::format_to(out, "    <system-out>{}</system-out>\n", text);
  }
  fmt::format_to(out, "  </testcase>\n");
}

std::string_view command_of(FindingSeverity severity) {
  switch (severity) {
    case FindingSeverity::crit:
      return "error";
    case FindingSeverity::warn:
      return "warning";
    case FindingSeverity::info:
      break;
  }
  return "notice";
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
  write_verdict(out, diagnosis);
  for (const Finding& finding : diagnosis.findings) {
    write_finding(out, finding, fails(finding));
  }
  for (const PassedCheck& check : diagnosis.passed) {
    open_case(out, check.id);
    fmt::format_to(out,
                   "    <system-out>{}</system-out>\n  </testcase>\n",
                   escape_xml(Translator().tr(check.what)));
  }
  for (const SkippedCheck& check : diagnosis.skipped) {
    open_case(out, check.id);
    fmt::format_to(out,
                   "    <skipped message=\"{}\"/>\n  </testcase>\n",
                   escape_xml(Translator().tr(check.reason)));
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
