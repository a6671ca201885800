#include "report/full_diagnosis.h"

#include <algorithm>
#include <iterator>
#include <map>

#include <fmt/format.h>

#include "report/run_json.h"
#include "report/run_text.h"

namespace qanat {
namespace {

using Out = std::back_insert_iterator<std::string>;

void write_issues(Out out, const std::vector<Finding>& findings, const Words& w) {
  fmt::format_to(out, "\n  {}\n", w.say("ISSUES"));
  for (std::size_t i = 0; i < findings.size(); ++i) {
    const Finding& finding = findings[i];
    const std::string gain = finding.gain.speedup > 1 ? fmt::format("   {:.2f}x [{:.2f}, {:.2f}]",
                                                                    finding.gain.speedup,
                                                                    finding.gain.ci95.low,
                                                                    finding.gain.ci95.high)
                                                      : std::string();
    fmt::format_to(out,
                   "    #{:<2} {:<4} {:<7} {}{}\n",
                   i + 1,
                   to_string(finding.severity),
                   w.verbatim(finding.id),
                   w.say(finding.title),
                   gain);
  }
}

void write_recommendations(Out out, const std::vector<Finding>& findings, const Words& w) {
  fmt::format_to(out, "\n  {}\n", w.say("RECOMMENDATIONS"));
  for (std::size_t i = 0; i < findings.size(); ++i) {
    for (const Fix& fix : findings[i].fixes) {
      fmt::format_to(out, "    #{:<2} {}", i + 1, w.verbatim(fix.flag));
      if (fix.predicted_step) {
        fmt::format_to(
            out,
            "   {}",
            w.say(fmt::format("predicted {:.1f} ms per step", 1000 * *fix.predicted_step)));
      }
      fmt::format_to(out, "\n");
    }
    fmt::format_to(out, "        {} {}\n", w.say("verify:"), w.verbatim(findings[i].verify));
  }
}

void write_changes(Out out, const ConfigChanges& changes, const Words& w) {
  fmt::format_to(out, "\n  {}\n", w.say("CONFIGURATION CHANGES"));
  if (changes.fixes.empty()) {
    fmt::format_to(
        out, "    {}\n", w.say("none: nothing that a flag or key would change is worth changing"));
    return;
  }
  fmt::format_to(out, "    {}  {}\n    YAML\n", w.say("flags"), w.verbatim(changes.flags()));
  std::string_view rest;
  const std::string yaml = changes.yaml();
  for (rest = yaml; !rest.empty(); rest.remove_prefix(rest.find('\n') + 1)) {
    fmt::format_to(out, "      {}\n", rest.substr(0, rest.find('\n')));
  }
}

bool is_key(const Fix& fix) {
  return fix.key.find('.') != std::string::npos && fix.key.find(' ') == std::string::npos;
}

}  // namespace

std::string value_of(const Fix& fix) {
  const std::string& flag = fix.flag;
  const std::size_t space = flag.find(' ');
  if (space == std::string::npos) {
    return "true";
  }
  const std::string word = flag.substr(space + 1, flag.find(' ', space + 1) - space - 1);
  return flag.starts_with("--set ") ? word.substr(std::min(word.size(), word.find('=') + 1)) : word;
}

std::string ConfigChanges::flags() const {
  std::string text;
  for (const Fix& fix : fixes) {
    text += text.empty() ? "" : " ";
    text += fix.flag.substr(0, fix.flag.find(" ("));
  }
  return text;
}

std::string ConfigChanges::yaml() const {
  std::map<std::string, std::vector<std::string>> sections;
  for (const Fix& fix : fixes) {
    const std::size_t dot = fix.key.find('.');
    sections[fix.key.substr(0, dot)].push_back(
        fmt::format("  {}: {}\n", fix.key.substr(dot + 1), value_of(fix)));
  }
  std::string text;
  for (const auto& [name, lines] : sections) {
    text += name + ":\n";
    for (const std::string& line : lines) {
      text += line;
    }
  }
  return text;
}

ConfigChanges config_changes(const std::vector<Finding>& findings) {
  ConfigChanges changes;
  for (const Finding& finding : findings) {
    // What is only worth knowing is no reason to change anything.
    if (finding.severity == FindingSeverity::info) {
      continue;
    }
    const auto fix = std::ranges::find_if(finding.fixes, is_key);
    if (fix != finding.fixes.end() &&
        std::ranges::find(changes.fixes, fix->key, &Fix::key) == changes.fixes.end()) {
      changes.fixes.push_back(*fix);
    }
  }
  return changes;
}

std::string render_text(const FullDiagnosis& full, const Words& w) {
  const Diagnosis& diagnosis = full.diagnosis;
  std::string text;
  const Out out = std::back_inserter(text);
  for (const Section& section : full.sections) {
    text += '\n' + render_text(section, w);
  }
  fmt::format_to(out,
                 "\n{}\n{}  {}\n",
                 full.measured ? render_run(diagnosis, w) : "",
                 w.say("DIAGNOSTIC SUMMARY"),
                 w.say(fmt::format("{} found, {} fine, {} not checked",
                                   diagnosis.findings.size(),
                                   diagnosis.passed.size(),
                                   diagnosis.skipped.size())));
  if (diagnosis.findings.empty()) {
    fmt::format_to(out, "\n  {}\n", w.say("nothing is wrong with what could be checked"));
  } else {
    write_issues(out, diagnosis.findings, w);
    write_recommendations(out, diagnosis.findings, w);
    write_changes(out, config_changes(diagnosis.findings), w);
  }
  fmt::format_to(out, "\n  {}\n", w.say("CHECKS"));
  for (const PassedCheck& check : diagnosis.passed) {
    fmt::format_to(
        out, "    {:<8} {:<7} {}\n", w.say("ok"), w.verbatim(check.id), w.say(check.what));
  }
  text += render_skipped(diagnosis, "    ", w);
  return text.substr(1);  // without the empty line before the first section
}

nlohmann::ordered_json to_json(const FullDiagnosis& full) {
  nlohmann::ordered_json object = to_json(full.diagnosis);
  object["measured"] = full.measured;
  nlohmann::ordered_json sections = nlohmann::ordered_json::array();
  for (const Section& section : full.sections) {
    nlohmann::ordered_json figures = render_json(section);
    sections.push_back({{"name", section.key},
                        {"lines", english_lines(section)},
                        {"figures", figures.empty() ? nlohmann::ordered_json() : figures},
                        {"skipped", nullptr}});
    if (section.skipped) {
      sections.back()["skipped"] = Translator().said(*section.skipped);
    }
  }
  object["sections"] = std::move(sections);
  const ConfigChanges changes = config_changes(full.diagnosis.findings);
  object["changes"] = {{"flags", changes.flags()}, {"yaml", changes.yaml()}};
  return object;
}

}  // namespace qanat
