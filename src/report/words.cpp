#include "report/words.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "report/dataset_words.h"
#include "report/persian.h"

namespace qanat {
namespace {

std::string with_unit(const Words& words, double value, const char* unit) {
  const double size = std::abs(value);
  const int decimals = size >= 100 ? 0 : size >= 10 ? 1 : 2;
  return words.short_number(value, decimals) + ' ' + words.say(unit);
}

struct Scaled {
  double value = 0;
  const char* unit;
  const char* word;  // as the catalogue names it: "min" is also the least
  const char* sign;  // and its short form
};

Scaled scale(double seconds) {
  const double size = std::abs(seconds);
  if (size != 0 && size < 1e-3) {
    return {seconds * 1e6, "us", "us", "us (sign)"};
  }
  if (size < 1) {
    return {seconds * 1e3, "ms", "ms", "ms (sign)"};
  }
  if (size < 120) {
    return {seconds, "s", "s", "s (sign)"};
  }
  return size < 7200 ? Scaled{seconds / 60, "min", "min (word)", "min (sign)"}
                     : Scaled{seconds / 3600, "h", "h", "h (sign)"};
}

}  // namespace

std::string Words::say(std::string_view english) const {
  return language_ == Language::en ? std::string(english) : to_persian(english);
}

std::string Words::verbatim(std::string_view text) const {
  return language_ == Language::en ? std::string(text)
                                   : fmt::format("{}{}{}", kFirstStrongIsolate, text, kPopIsolate);
}

std::string Words::digits(std::string_view latin) const {
  return language_ == Language::en ? std::string(latin) : in_persian_digits(latin);
}

std::string Words::number(double value, int decimals) const {
  return std::isfinite(value) ? digits(fmt::format("{:.{}f}", value, decimals)) : say("unknown");
}

std::string Words::short_number(double value, int most_decimals) const {
  if (!std::isfinite(value)) {
    return say("unknown");
  }
  std::string text = fmt::format("{:.{}f}", value, most_decimals);
  if (text.find('.') != std::string::npos) {
    text.erase(text.find_last_not_of('0') + 1);
    text.erase(text.find_last_not_of('.') + 1);
  }
  return digits(text);
}

std::string Words::count(std::int64_t value) const {
  return digits(grouped(value));
}

std::string Words::percent(double share, int decimals) const {
  return number(100 * share, decimals) + (language_ == Language::en ? " %" : "٪");
}

std::string Words::milliseconds(Seconds duration) const {
  return number(1000 * duration.count(), 1) + ' ' + say("ms");
}

std::string Words::duration(Seconds duration) const {
  const Scaled scaled = scale(duration.count());
  return with_unit(*this, scaled.value, language_ == Language::en ? scaled.unit : scaled.word);
}

std::string Words::tick(Seconds duration) const {
  const Scaled scaled = scale(duration.count());
  return with_unit(*this, scaled.value, language_ == Language::en ? scaled.unit : scaled.sign);
}

std::string Words::clock(Seconds moment) const {
  const auto tenths = std::llround(std::max(0.0, moment.count()) * 10);
  const auto whole = tenths / 10;
  std::string text = whole >= 3600
                         ? fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60)
                         : fmt::format("{}:{:02}", whole / 60, whole % 60);
  if (tenths % 10 != 0) {
    text += fmt::format(".{}", tenths % 10);
  }
  return digits(text);
}

std::string Words::bytes(double value) const {
  static constexpr std::array kUnits{"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  for (; value >= 1024 && unit + 1 < kUnits.size(); ++unit) {
    value /= 1024;
  }
  return with_unit(*this, value, kUnits[unit]);
}

}  // namespace qanat
