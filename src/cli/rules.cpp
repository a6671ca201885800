#include "diagnose/rules.h"

#include <string>
#include <string_view>
#include <vector>

#include <fmt/ostream.h>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/report_flags.h"
#include "cli/usage_error.h"
#include "diagnose/rules_dual.h"
#include "report/rule_guide.h"

namespace qanat {
namespace {

// A rule with the words about it; a rule without words says what it looks for.
struct Entry {
  std::string_view id;
  std::string_view category;
  RuleGuide guide;
};

Entry entry_of(std::string_view id,
               std::string_view category,
               std::string_view looks_for,
               Language language) {
  RuleGuide guide = guide_of(id, language).value_or(RuleGuide{.id = id});
  if (guide.looks_for.empty()) {
    guide.looks_for = looks_for;
  }
  return {.id = id, .category = category, .guide = guide};
}

std::vector<Entry> all_entries(Language language) {
  std::vector<Entry> entries;
  for (const Rule& rule : all_rules()) {
    entries.push_back(entry_of(rule.id, rule.category, rule.looks_for, language));
  }
  for (const DualRule& rule : dual_rules()) {
    entries.push_back(entry_of(rule.id, "dual", rule.looks_for, language));
  }
  return entries;
}

nlohmann::ordered_json to_json(const Entry& entry, Language language) {
  return {{"id", entry.id},
          {"category", entry.category},
          {"category_title", category_title(entry.category, language)},
          {"looks_for", entry.guide.looks_for},
          {"meaning", entry.guide.meaning},
          {"remedy", entry.guide.remedy}};
}

class RulesCommand : public Command {
 public:
  void declare(CLI::App& app) override {
    app.add_option("ID", id_, "one rule, as DL002; not given: all of them")->type_name("");
    report_.declare_language(app);
    report_.declare_json(app);
    app.footer(
        "A finding of a report carries the id of its rule.\n"
        "Example: qanat rules DL002\n"
        "         qanat rules --lang fa");
  }

  ExitCode run(const CommandContext& context) override {
    const Language language = report_.language();
    const std::vector<Entry> entries = chosen(all_entries(language));
    if (report_.json()) {
      nlohmann::ordered_json rules = nlohmann::ordered_json::array();
      for (const Entry& entry : entries) {
        rules.push_back(to_json(entry, language));
      }
      fmt::print(context.out, "{}\n", nlohmann::ordered_json{{"rules", rules}}.dump(2));
      return ExitCode::done;
    }
    for (const Entry& entry : entries) {
      print(entry, context.out);
    }
    return ExitCode::done;
  }

 private:
  std::vector<Entry> chosen(std::vector<Entry> entries) const {
    if (id_.empty()) {
      return entries;
    }
    std::erase_if(entries, [this](const Entry& entry) { return entry.id != id_; });
    if (entries.empty()) {
      throw UsageError("no rule {}; `qanat rules` lists them", id_);
    }
    return entries;
  }

  // All of them: a line each. One: everything about it.
  void print(const Entry& entry, std::ostream& out) const {
    fmt::print(out, "{:<8} {}\n", entry.id, entry.guide.looks_for);
    if (!id_.empty()) {
      fmt::print(out, "\n{}\n\n{}\n", entry.guide.meaning, entry.guide.remedy);
    }
  }

  std::string id_;
  ReportFlags report_;
};

}  // namespace

std::unique_ptr<Command> make_rules_command() {
  return std::make_unique<RulesCommand>();
}

}  // namespace qanat
