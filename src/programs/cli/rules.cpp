#include "diagnose/rules.h"

#include <span>
#include <string>

#include <fmt/ostream.h>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/commands.h"
#include "cli/report_flags.h"
#include "locale/messages/command_errors.h"
#include "locale/messages/help.h"
#include "locale/translator.h"

namespace qanat {
namespace {

nlohmann::ordered_json to_json(const Rule& rule, const Translator& words) {
  return {{"id", rule.id},
          {"category", to_string(rule.category)},
          {"category_title", words.tr(to_message(rule.category))},
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
    const std::span<const Rule> rules = chosen();
    if (report_.json()) {
      nlohmann::ordered_json list = nlohmann::ordered_json::array();
      for (const Rule& rule : rules) {
        list.push_back(to_json(rule, words));
      }
      fmt::print(context.out, "{}\n", nlohmann::ordered_json{{"rules", list}}.dump(2));
      return ExitCode::done;
    }
    for (const Rule& rule : rules) {
      print(rule, words, context.out);
    }
    return ExitCode::done;
  }

 private:
  std::span<const Rule> chosen() const {
    if (id_.empty()) {
      return all_rules();
    }
    const Rule* const rule = find_rule(id_);
    if (rule == nullptr) {
      throw UsageError(msg::usage_no_rule{.rule = id_});
    }
    return {rule, 1};
  }

  // All of them: a line each. One: everything about it.
  void print(const Rule& rule, const Translator& words, std::ostream& out) const {
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
