#include "diagnose/rules.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/ostream.h>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/commands.h"
#include "cli/report_flags.h"
#include "doctor/doctor_rules.h"
#include "locale/messages/command_errors.h"
#include "locale/messages/doctor.h"
#include "locale/messages/help.h"
#include "locale/translator.h"

namespace qanat {
namespace {

// A rule of either kind: of runs, or of data sets.
struct KnownRule {
  std::string_view id;
  std::string_view category;
  Message category_title;
  RuleText text;
};

std::vector<KnownRule> known_rules() {
  std::vector<KnownRule> rules;
  for (const Rule& rule : all_rules()) {
    rules.push_back({rule.id, to_string(rule.category), to_message(rule.category), rule.text});
  }
  for (const DoctorRule& rule : doctor_rules()) {
    rules.push_back({rule.id, "doctor", msg::category_doctor{}, rule.text});
  }
  return rules;
}

nlohmann::ordered_json to_json(const KnownRule& rule, const Translator& words) {
  return {{"id", rule.id},
          {"category", rule.category},
          {"category_title", words.tr(rule.category_title)},
          {"looks_for", words.tr({.id = rule.text.looks_for})},
          {"meaning", words.tr({.id = rule.text.means})},
          {"remedy", words.tr({.id = rule.text.remedy})}};
}

class RulesCommand : public Command {
 public:
  void declare(Flags& flags) override {
    flags.argument("ID", id_, msg::help_rule_id{});
    report_.declare_json(flags);
    flags.footer(msg::footer_rules{}, {"qanat rules DL002", "qanat rules --lang fa"});
  }

  ExitCode run(const CommandContext& context) override {
    const Translator words(report_.language());
    const std::vector<KnownRule> rules = chosen();
    if (report_.json()) {
      nlohmann::ordered_json list = nlohmann::ordered_json::array();
      for (const KnownRule& rule : rules) {
        list.push_back(to_json(rule, words));
      }
      fmt::print(context.out, "{}\n", nlohmann::ordered_json{{"rules", list}}.dump(2));
      return ExitCode::done;
    }
    for (const KnownRule& rule : rules) {
      print(rule, words, context.out);
    }
    return ExitCode::done;
  }

 private:
  std::vector<KnownRule> chosen() const {
    std::vector<KnownRule> rules = known_rules();
    if (id_.empty()) {
      return rules;
    }
    std::erase_if(rules, [this](const KnownRule& rule) { return rule.id != id_; });
    if (rules.empty()) {
      throw UsageError(msg::usage_no_rule{.rule = id_});
    }
    return rules;
  }

  // All of them: a line each. One: everything about it.
  void print(const KnownRule& rule, const Translator& words, std::ostream& out) const {
    fmt::print(out, "{:<8} {}\n", rule.id, words.tr({.id = rule.text.looks_for}));
    if (!id_.empty()) {
      fmt::print(out,
                 "\n{}\n\n{}\n",
                 words.tr({.id = rule.text.means}),
                 words.tr({.id = rule.text.remedy}));
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
