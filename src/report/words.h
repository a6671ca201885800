// The language of a report. The code says everything in English; Persian comes from a catalogue
// of sentences with gaps for what differs (report/persian.h). Values; pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/language.h"
#include "base/time.h"

namespace qanat {

class Words {
 public:
  explicit Words(Language language = Language::en) : language_(language) {}

  Language language() const { return language_; }
  bool right_to_left() const { return language_ == Language::fa; }

  // An English sentence in this language; what the catalogue does not know stays English, isolated
  // so that it does not disturb the text around it.
  std::string say(std::string_view english) const;

  // Keys, flags, commands and names: never translated, isolated in text that runs the other way.
  std::string verbatim(std::string_view text) const;

  // Numbers with this language's digits.
  std::string number(double value, int decimals) const;
  // Without zeros at its end: for axes.
  std::string short_number(double value, int most_decimals) const;
  std::string count(std::int64_t value) const;
  std::string percent(double share, int decimals = 1) const;
  // "12.3 ms": the unit that fits, from microseconds to hours.
  std::string duration(Seconds duration) const;
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
  Language language_;
};

}  // namespace qanat
