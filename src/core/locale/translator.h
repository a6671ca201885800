// Says messages and numbers in one language: the last step before text, JSON or a page. Names,
// flags and commands are not translated; in text that runs right to left they are isolated. A
// value; pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/language.h"
#include "base/message.h"
#include "base/time.h"
#include "locale/message_text.h"

namespace qanat {

// Around what keeps its own direction; renderers that know no directions take them out.
inline constexpr std::string_view kFirstStrongIsolate = "\u2068";
inline constexpr std::string_view kPopIsolate = "\u2069";

class Translator {
 public:
  explicit Translator(Language language = Language::en) : language_(language) {}

  // The same for pages, on which names of any script are isolated in every language.
  Translator on_pages() const { return Translator(language_, Names::isolated); }
  // The same for terminals and logs: what in a name would act on one (cursor, colours, direction of
  // text) is written as an escape.
  Translator on_terminals() const { return Translator(language_, Names::escaped); }

  Language language() const { return language_; }
  bool right_to_left() const { return language_ == Language::fa; }

  // A sentence that has no translation comes in English, isolated. What stands in `backticks` is
  // code: it keeps its ticks, and its direction.
  std::string tr(const Message& message) const;
  // What fills a gap.
  std::string said(const MessageArg& arg) const;
  // A sentence of which the words are given.
  std::string tr(const MessageText& text, const std::vector<MessageArg>& args) const;

  // Keys, flags, commands and names: never translated, isolated in text that runs the other way.
  std::string verbatim(std::string_view text) const;

  // Numbers with this language's digits.
  std::string quantity(const Quantity& quantity) const;
  std::string number(double value, int decimals) const;
  // Without zeros at its end: for axes.
  std::string short_number(double value, int most_decimals) const;
  std::string count(std::int64_t value) const;
  std::string percent(double share, int decimals = 1) const;
  // "12.3 ms": the unit that fits, from microseconds to hours.
  std::string duration(Seconds duration, std::optional<int> decimals = std::nullopt) const;
  // The same with the sign of the unit: for axes.
  std::string tick(Seconds duration) const;
  // A moment as clocks show it: "3:58", "1:03:58"; parts of a second only where there are any.
  std::string clock(Seconds moment) const;
  std::string milliseconds(Seconds duration) const;
  std::string bytes(double value) const;
  std::string_view comma() const { return language_ == Language::en ? ", " : "\u060C "; }
  // Digits of a number that is already text.
  std::string digits(std::string_view latin) const;

 private:
  std::string with_unit(double value, const Message& unit) const;
  std::string filled(std::string_view sentence, const std::vector<MessageArg>& args) const;

  enum class Names { plain, isolated, escaped };
  Translator(Language language, Names names) : language_(language), names_(names) {}

  Language language_;
  Names names_ = Names::plain;
};

// 13100 -> "13,100"
std::string grouped(std::int64_t number);

// 1,234.5 -> ۱٬۲۳۴٫۵; everything that belongs to no number stays.
std::string in_persian_digits(std::string_view text);

}  // namespace qanat
