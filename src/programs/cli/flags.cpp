#include "cli/flags.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "config/problem.h"
#include "config/scalar.h"
#include "locale/messages/command_errors.h"
#include "locale/messages/help.h"

namespace qanat {

CLI::Validator Flags::in_range(NumberRange range, NumberKind kind) const {
  return CLI::Validator(
      [range, kind, words = words_](std::string& text) -> std::string {
        const Scalar scalar{.text = text};
        const std::optional<double> value = parse_number(scalar);
        const std::optional<std::int64_t> whole = parse_integer(scalar);
        const bool right_kind = value && (kind == NumberKind::real || whole);
        if (right_kind && *value >= range.min && *value <= range.max) {
          text = kind == NumberKind::whole ? std::to_string(*whole) : text;  // 1e3 is 1000
          return "";
        }
        return words.tr(msg::usage_value{.given = shown(text),
                                         .expected = expected_number(kind, range.min, range.max)});
      },
      "");
}

CLI::Option* Flags::choice(const std::string& name,
                           std::string& value,
                           const std::string& placeholder,
                           std::vector<std::string> choices,
                           const Message& help) {
  CLI::Option* option = text(name, value, placeholder, help);
  option->check(CLI::Validator(
      [choices = std::move(choices), words = words_](const std::string& given) -> std::string {
        if (std::ranges::find(choices, given) != choices.end()) {
          return "";
        }
        return words.tr(msg::usage_value{.given = shown(given), .expected = one_of(choices)});
      },
      ""));
  return value.empty() ? option : option->capture_default_str();
}

CLI::Validator Flags::renamed(const std::string& old, const std::string& now) {
  return CLI::Validator(
      [old, now](std::string& given) -> std::string {
        given = given == old ? now : given;
        return "";
      },
      "");
}

void Flags::footer(const Message& text, std::initializer_list<const char*> examples) {
  app_.footer(words_.tr(text) + "\n");
  this->examples(examples);
}

void Flags::examples(std::initializer_list<const char*> examples) {
  if (examples.size() == 0) {
    return;
  }
  std::string footer = fmt::format("{}\n{}:", app_.get_footer(), words_.tr(msg::help_example{}));
  for (const char* example : examples) {
    footer += fmt::format("\n  {}", example);
  }
  app_.footer(footer);
}

}  // namespace qanat
