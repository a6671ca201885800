// What a command declares its flags on: those of CLI11, described by messages and checked in the
// language of the program, so that nothing CLI11 says reaches a person.
//
//   void declare(Flags& flags) override {
//     flags.argument("DIR", data_, msg::help_analyze_data{})->required();
//     flags.number("--num-steps", steps_, "N", {2, 10'000'000}, msg::help_num_steps{});
//     flags.footer(msg::footer_analyze{}, {"qanat analyze LJSpeech-1.1"});
//   }
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include <CLI/CLI.hpp>

#include "base/message.h"
#include "config/field_type.h"
#include "locale/messages/help.h"
#include "locale/translator.h"

namespace qanat {

struct NumberRange {
  double min = 0;
  double max = 0;
};

inline constexpr double kMaxSeed = 9007199254740992.0;  // above, a double skips whole numbers

// Whether a flag takes numbers with a fraction: double, or an optional or a list of it.
template <typename T>
inline constexpr bool kIsReal = std::is_floating_point_v<T>;
template <typename T>
inline constexpr bool kIsReal<std::optional<T>> = kIsReal<T>;
template <typename T>
inline constexpr bool kIsReal<std::vector<T>> = kIsReal<T>;

// For one command while it declares; the app outlives it.
class Flags {
 public:
  Flags(CLI::App& app, Translator words) : app_(app), words_(words) {}

  CLI::App& app() { return app_; }
  const Translator& words() const { return words_; }

  // Without a value.
  CLI::Option* on(const std::string& name, bool& value, const Message& help) {
    return app_.add_flag(name, value, words_.tr(help));
  }
  // With one: text, a path, a list of texts. `placeholder` stands behind the flag in --help.
  template <typename T>
  CLI::Option* text(const std::string& name,
                    T& value,
                    const std::string& placeholder,
                    const Message& help) {
    return app_.add_option(name, value, words_.tr(help))->type_name(placeholder);
  }
  // A value that stands for itself, by the name it has in --help.
  CLI::Option* argument(const std::string& name, std::string& value, const Message& help) {
    return text(name, value, "", help);
  }
  // A number, or a list of them. Shows what `value` is, unless that is nothing.
  template <typename T>
  CLI::Option* number(const std::string& name,
                      T& value,
                      const std::string& placeholder,
                      NumberRange range,
                      const Message& help) {
    CLI::Option* option = text(name, value, placeholder, help);
    option->check(in_range(range, kIsReal<T> ? NumberKind::real : NumberKind::whole));
    return std::is_arithmetic_v<T> ? option->capture_default_str() : option;
  }
  // One of a few words. Shows what `value` is, unless it is empty.
  CLI::Option* choice(const std::string& name,
                      std::string& value,
                      const std::string& placeholder,
                      std::vector<std::string> choices,
                      const Message& help);

  // For a choice whose word was renamed: `old` is still taken, as `now`, and is in no help.
  static CLI::Validator renamed(const std::string& old, const std::string& now);

  // What stands below the flags: words, and commands as examples.
  void footer(const Message& text, std::initializer_list<const char*> examples = {});
  void examples(std::initializer_list<const char*> examples);

 private:
  CLI::Validator in_range(NumberRange range, NumberKind kind) const;

  CLI::App& app_;
  const Translator words_;
};

}  // namespace qanat
