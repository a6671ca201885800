#include "corpus/demo_corpus_sentences.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

#include <fmt/format.h>

#include "base/check.h"

namespace qanat {
namespace {

constexpr int kTries = 60;
// What the grammars reach; beyond it two texts are joined.
constexpr Seconds kLongest{10.5};

// Seconds at an ordinary pace; a digit is read as a word.
constexpr double kPerLetter = 0.062;
constexpr double kPerDigit = 0.30;
constexpr double kPerPause = 0.22;
constexpr double kAround = 0.15;

// ASCII digits as the language writes them.
std::string digits(Language language, std::string_view ascii) {
  if (language == Language::en) {
    return std::string(ascii);
  }
  std::string text;
  for (const char c : ascii) {
    if (c >= '0' && c <= '9') {
      text += "\xDB";  // U+06F0 to U+06F9
      text += static_cast<char>(0xB0 + (c - '0'));
    } else if (c == ',') {
      text += "٬";
    } else {
      text += c;
    }
  }
  return text;
}

std::string grouped(int number) {
  std::string text = std::to_string(number);
  for (std::size_t end = text.size(); end > 3; end -= 3) {
    text.insert(end - 3, 1, ',');
  }
  return text;
}

std::string ordinal_suffix(int number) {
  if (number % 100 >= 11 && number % 100 <= 13) {
    return "th";
  }
  constexpr std::array<const char*, 4> kSuffixes = {"th", "st", "nd", "rd"};
  return kSuffixes.at(static_cast<std::size_t>(number % 10 < 4 ? number % 10 : 0));
}

// The symbols that are numbers; empty for any other.
std::string expand_number(std::string_view symbol, Language language, DemoRandom& random) {
  const auto in_digits = [&](const std::string& ascii) { return digits(language, ascii); };
  if (symbol == "few") {
    return in_digits(std::to_string(random.between(2, 19)));
  }
  if (symbol == "many") {
    return in_digits(std::to_string(random.between(20, 980)));
  }
  if (symbol == "thousands") {
    return in_digits(grouped(random.between(2, 95) * 500));
  }
  if (symbol == "year") {
    return in_digits(std::to_string(language == Language::en ? random.between(1801, 2019)
                                                             : random.between(1290, 1402)));
  }
  if (symbol == "percent") {
    return in_digits(std::to_string(random.between(3, 97))) +
           (language == Language::en ? "%" : "٪");
  }
  if (symbol == "clock") {
    return in_digits(fmt::format("{}:{:02}", random.between(1, 12), random.between(1, 11) * 5));
  }
  if (symbol == "price") {
    return fmt::format("${}.{}", random.between(2, 89), random.between(2, 19) * 5);
  }
  if (symbol == "decimal") {
    return fmt::format("{}.{}", random.between(1, 30), random.between(1, 9));
  }
  if (symbol == "ordinal") {
    const int number = random.between(1, 28);
    return std::to_string(number) + ordinal_suffix(number);
  }
  return {};
}

class Expansion {
 public:
  Expansion(Language language, DemoRandom& random)
      : language_(language),
        grammar_(language == Language::en ? english_grammar() : persian_grammar()),
        random_(random) {}

  std::string expand(std::string_view symbol) {
    if (std::string number = expand_number(symbol, language_, random_); !number.empty()) {
      return number;
    }
    const auto rule = std::find_if(
        grammar_.begin(), grammar_.end(), [&](const auto& one) { return one.symbol == symbol; });
    QANAT_CHECK(rule != grammar_.end()) << "no rule for <" << symbol << '>';
    return fill(random_.pick(rule->alternatives));
  }

 private:
  std::string fill(std::string_view pattern) {
    std::string text;
    while (!pattern.empty()) {
      const std::size_t open = std::min(pattern.find('<'), pattern.size());
      text += pattern.substr(0, open);
      pattern.remove_prefix(open);
      const std::size_t close = pattern.find('>');
      if (close == std::string_view::npos) {
        break;
      }
      text += expand(pattern.substr(1, close - 1));
      pattern.remove_prefix(close + 1);
    }
    return text;
  }

  Language language_;
  std::span<const GrammarRule> grammar_;
  DemoRandom& random_;
};

void capitalise_sentences(std::string& text) {
  bool beginning = true;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto letter = static_cast<unsigned char>(text[i]);
    if (beginning && std::isalnum(letter) != 0) {
      text[i] = static_cast<char>(std::toupper(letter));
      beginning = false;
    }
    // A full stop that is followed by a capital already belongs to an abbreviation or a name.
    const bool ends = text[i] == '.' || text[i] == '?' || text[i] == '!';
    const bool before_lower =
        i + 2 < text.size() && std::islower(static_cast<unsigned char>(text[i + 2])) != 0;
    beginning = beginning || (ends && before_lower && text[i + 1] == ' ');
  }
}

}  // namespace

Seconds speaking_time(std::string_view text) {
  double time = kAround;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const bool continues = (byte & 0xC0U) == 0x80U;  // of a UTF-8 sequence
    if (continues) {
      continue;
    }
    const bool persian_digit =
        byte == 0xDBU && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) >= 0xB0U;
    if (std::isdigit(byte) != 0 || persian_digit) {
      time += kPerDigit;
    } else if (std::ispunct(byte) != 0) {
      time += kPerPause;
    } else {
      time += kPerLetter;
    }
  }
  return Seconds(time);
}

std::string make_demo_text(Language language, Seconds target, DemoRandom& random) {
  if (target > kLongest) {
    return make_demo_text(language, target / 2, random) + ' ' +
           make_demo_text(language, target / 2, random);
  }
  Expansion expansion(language, random);
  std::string best;
  double best_distance = 0;
  for (int i = 0; i < kTries; ++i) {
    std::string text = expansion.expand("utterance");
    const double distance = std::fabs((speaking_time(text) - target).count());
    if (best.empty() || distance < best_distance) {
      best = std::move(text);
      best_distance = distance;
    }
  }
  if (language == Language::en) {
    capitalise_sentences(best);
  }
  return best;
}

}  // namespace qanat
