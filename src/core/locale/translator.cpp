#include "locale/translator.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstddef>
#include <optional>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "base/check.h"
#include "base/utf8.h"
#include "locale/messages/units.h"

namespace qanat {
namespace {

struct Scaled {
  double value = 0;
  Message word;
  Message sign;
};

Scaled scaled_seconds(double seconds) {
  const double size = std::abs(seconds);
  if (size != 0 && size < 1e-3) {
    return {seconds * 1e6, msg::unit_microseconds{}, msg::sign_microseconds{}};
  }
  if (size < 1) {
    return {seconds * 1e3, msg::unit_milliseconds{}, msg::sign_milliseconds{}};
  }
  if (size < 120) {
    return {seconds, msg::unit_seconds{}, msg::sign_seconds{}};
  }
  return size < 7200 ? Scaled{seconds / 60, msg::unit_minutes{}, msg::sign_minutes{}}
                     : Scaled{seconds / 3600, msg::unit_hours{}, msg::sign_hours{}};
}

int fitting_decimals(double value) {
  const double size = std::abs(value);
  return size >= 100 ? 0 : size >= 10 ? 1 : 2;
}

// The number that chooses between one and many; nothing when the gap holds no number.
std::optional<double> counted(const MessageArg& arg) {
  if (const auto* count = std::get_if<std::int64_t>(&arg.value())) {
    return static_cast<double>(*count);
  }
  if (const auto* quantity = std::get_if<Quantity>(&arg.value())) {
    return quantity->value;
  }
  if (const auto* list = std::get_if<MessageArg::List>(&arg.value())) {
    return static_cast<double>(list->size());
  }
  return std::nullopt;
}

// C0, DEL, C1 and the marks that change the direction of what follows.
bool acts_on_terminals(char32_t c) {
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x200E || c == 0x200F ||
         (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
}

std::string with_escapes(std::string_view text) {
  std::string shown;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const char32_t c = next_code_point(text, at);
    if (!acts_on_terminals(c)) {
      shown += text.substr(begin, at - begin);
    } else {
      shown += c < 0x80 ? fmt::format("\\x{:02x}", static_cast<unsigned>(c))
                        : fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    }
  }
  return shown;
}

}  // namespace

std::string Translator::tr(const Message& message) const {
  const auto texts = message_texts();
  const auto found = std::ranges::lower_bound(texts, message.id, {}, &MessageText::id);
  QANAT_CHECK(found != texts.end() && found->id == message.id);
  return tr(*found, message.args);
}

std::string Translator::tr(const MessageText& text, const std::vector<MessageArg>& args) const {
  const Sentence& sentence = text.sentences.at(static_cast<std::size_t>(language_));
  const bool is_one = !args.empty() && counted(args.front()) == 1.0;
  const std::string_view words = is_one ? sentence.one : sentence.other;
  const bool is_translated = !words.empty() || language_ == Language::en || text.name.empty();
  return is_translated ? filled(words, args) : verbatim(Translator(Language::en).tr(text, args));
}

// Gaps and code spans; everything else as it is. The build has checked the numbers of the gaps.
std::string Translator::filled(std::string_view sentence,
                               const std::vector<MessageArg>& args) const {
  std::string text;
  bool in_code = false;
  const Translator typed(Language::en, names_ == Names::escaped ? Names::escaped : Names::plain);
  for (std::size_t at = 0; at < sentence.size(); ++at) {
    const char c = sentence[at];
    if ((c == '{' || c == '}') && at + 1 < sentence.size() && sentence[at + 1] == c) {
      text += c;
      ++at;
    } else if (c == '{') {
      const std::size_t end = sentence.find('}', at);
      std::size_t index = 0;
      for (const char digit : sentence.substr(at + 1, end - at - 1)) {
        index = 10 * index + static_cast<std::size_t>(digit - '0');
      }
      // Inside code a name is as it is typed: the span isolates it.
      text += in_code ? typed.said(args.at(index)) : said(args.at(index));
      at = end;
    } else if (c == '`' && right_to_left()) {
      text.append(in_code ? "`" : kFirstStrongIsolate).append(in_code ? kPopIsolate : "`");
      in_code = !in_code;
    } else {
      text += c;
    }
  }
  return text;
}

std::string Translator::said(const MessageArg& arg) const {
  struct Say {
    const Translator& translator;

    std::string operator()(std::int64_t count) const { return translator.count(count); }
    std::string operator()(const Quantity& quantity) const { return translator.quantity(quantity); }
    std::string operator()(const std::string& text) const { return translator.verbatim(text); }
    std::string operator()(const Message& message) const { return translator.tr(message); }
    std::string operator()(const MessageArg::List& list) const {
      std::string text;
      for (const MessageArg& part : list) {
        text += (text.empty() ? "" : std::string(translator.comma())) + translator.said(part);
      }
      return text;
    }
  };
  return std::visit(Say{*this}, arg.value());
}

std::string Translator::verbatim(std::string_view text) const {
  const std::string name = names_ == Names::escaped ? with_escapes(text) : std::string(text);
  return right_to_left() || names_ == Names::isolated
             ? fmt::format("{}{}{}", kFirstStrongIsolate, name, kPopIsolate)
             : name;
}

std::string Translator::digits(std::string_view latin) const {
  return language_ == Language::en ? std::string(latin) : in_persian_digits(latin);
}

std::string Translator::quantity(const Quantity& quantity) const {
  const double value = quantity.value;
  const int decimals = quantity.decimals.value_or(fitting_decimals(value));
  const Quantity plain_quantity{.value = value, .decimals = quantity.decimals};
  switch (quantity.unit) {
    case Unit::number:
      return quantity.decimals ? number(value, decimals) : short_number(value, decimals);
    case Unit::count:
      return std::isfinite(value) ? count(std::llround(value)) : number(value, 0);
    case Unit::share:
      return percent(value, quantity.decimals.value_or(1));
    case Unit::ratio:
      return tr(msg::unit_ratio{.value = plain(value, quantity.decimals.value_or(2))});
    case Unit::seconds:
      return duration(Seconds{value}, quantity.decimals);
    case Unit::bytes:
      return bytes(value);
    case Unit::bytes_per_second:
      return with_unit(value / 1e6, msg::unit_megabytes_per_second{});
    case Unit::per_second:
      return tr(
          msg::unit_per_second{.value = Quantity{.value = value, .decimals = quantity.decimals}});
    case Unit::hertz:
      return with_unit(value, msg::unit_hertz{});
    case Unit::watts:
      return with_unit(value, msg::unit_watts{});
    case Unit::celsius:
      return with_unit(value, msg::unit_celsius{});
    case Unit::cores:
      return tr(msg::unit_cores{.count = plain_quantity});
    case Unit::steps:
      return tr(msg::unit_steps{.count = plain_quantity});
    case Unit::batches:
      return tr(msg::unit_batches{.count = plain_quantity});
    case Unit::lanes:
      return tr(msg::unit_lanes{.count = plain_quantity});
  }
  return number(value, decimals);
}

std::string Translator::number(double value, int decimals) const {
  return std::isfinite(value) ? digits(fmt::format("{:.{}f}", value, decimals))
                              : tr(msg::number_unknown{});
}

std::string Translator::short_number(double value, int most_decimals) const {
  if (!std::isfinite(value)) {
    return tr(msg::number_unknown{});
  }
  std::string text = fmt::format("{:.{}f}", value, most_decimals);
  if (text.find('.') != std::string::npos) {
    text.erase(text.find_last_not_of('0') + 1);
    text.erase(text.find_last_not_of('.') + 1);
  }
  return digits(text);
}

std::string Translator::count(std::int64_t value) const {
  return digits(grouped(value));
}

std::string Translator::percent(double share, int decimals) const {
  return number(100 * share, decimals) + (language_ == Language::en ? " %" : "٪");
}

std::string Translator::milliseconds(Seconds duration) const {
  return number(1000 * duration.count(), 1) + ' ' + tr(msg::unit_milliseconds{});
}

std::string Translator::with_unit(double value, const Message& unit) const {
  return short_number(value, fitting_decimals(value)) + ' ' + tr(unit);
}

std::string Translator::duration(Seconds duration, std::optional<int> decimals) const {
  const Scaled scaled = scaled_seconds(duration.count());
  return decimals ? number(scaled.value, *decimals) + ' ' + tr(scaled.word)
                  : with_unit(scaled.value, scaled.word);
}

std::string Translator::tick(Seconds duration) const {
  const Scaled scaled = scaled_seconds(duration.count());
  return with_unit(scaled.value, scaled.sign);
}

std::string Translator::clock(Seconds moment) const {
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

std::string Translator::bytes(double value) const {
  const std::array<Message, 5> units{msg::unit_bytes{},
                                     msg::unit_kibibytes{},
                                     msg::unit_mebibytes{},
                                     msg::unit_gibibytes{},
                                     msg::unit_tebibytes{}};
  std::size_t unit = 0;
  for (; value >= 1024 && unit + 1 < units.size(); ++unit) {
    value /= 1024;
  }
  return with_unit(value, units[unit]);
}

std::string grouped(std::int64_t number) {
  std::string digits = std::to_string(number);
  const std::size_t first = number < 0 ? 1 : 0;
  for (std::size_t at = digits.size(); at > first + 3;) {
    at -= 3;
    digits.insert(at, 1, ',');
  }
  return digits;
}

std::string in_persian_digits(std::string_view text) {
  std::string persian;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    const bool inside = i > 0 && i + 1 < text.size() &&
                        std::isdigit(static_cast<unsigned char>(text[i - 1])) != 0 &&
                        std::isdigit(static_cast<unsigned char>(text[i + 1])) != 0;
    if (std::isdigit(c) != 0) {
      persian += "\xDB";
      persian += static_cast<char>(0xB0 + (c - '0'));  // U+06F0 and those behind it
    } else if (inside && c == '.') {
      persian += "\u066B";
    } else if (inside && c == ',') {
      persian += "\u066C";
    } else if (c == '-' && i + 1 < text.size() &&
               std::isdigit(static_cast<unsigned char>(text[i + 1])) != 0 && i == 0) {
      persian += "\u200E\u2212";  // a mark keeps the sign before its number
    } else {
      persian += text[i];
    }
  }
  return persian;
}

}  // namespace qanat
