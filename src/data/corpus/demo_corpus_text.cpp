#include "corpus/demo_corpus_text.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "corpus/demo_corpus_phones.h"
#include "text/normalise.h"

namespace qanat {
namespace {

// Seconds at an ordinary pace; a digit is read as a word.
constexpr double kPerLetter = 0.062;
constexpr double kPerDigit = 0.30;
constexpr double kPerPause = 0.22;
constexpr double kAround = 0.15;

int between(int first, int last, Random& random) {
  return first + static_cast<int>(random.below(static_cast<std::uint32_t>(last - first + 1)));
}

bool chance(double share, Random& random) {
  return random.uniform() < share;
}

// Lengths as in LJSpeech: 1.1 to 10.1 s, mean 6.57, most of them long. A beta distribution with
// that mean and spread, by Jöhnk's method.
Seconds draw_length(double mean_seconds, Random& random) {
  constexpr double kA = 1.85;
  constexpr double kB = 1.2;
  constexpr double kMean = 1.1 + 9.0 * kA / (kA + kB);
  for (;;) {
    const double x = std::pow(random.uniform(), 1 / kA);
    const double y = std::pow(random.uniform(), 1 / kB);
    if (x + y > 0 && x + y <= 1) {
      return Seconds((1.1 + 9.0 * x / (x + y)) * mean_seconds / kMean);
    }
  }
}

// Syllables of a language: a consonant, a vowel, now and then another consonant.
class Speller {
 public:
  explicit Speller(Language language) : language_(language) {
    for (const PhoneSpec& phone : all_phones()) {
      const std::string_view letter = language == Language::en ? phone.english : phone.persian;
      if (!letter.empty()) {
        (phone.is_vowel() ? vowels_ : consonants_).push_back(letter);
      }
    }
  }

  std::string word(int syllables, Random& random) const {
    std::string word;
    for (; syllables > 0; --syllables) {
      word += pick(consonants_, random);
      word += pick(vowels_, random);
      if (chance(0.3, random)) {
        word += pick(consonants_, random);
      }
    }
    return word;
  }

  // As the language writes it.
  std::string number(Random& random) const {
    const int count = between(2, 980, random);
    switch (random.below(language_ == Language::en ? 4 : 3)) {
      case 0:
        return digits(std::to_string(count));
      case 1:
        return digits(std::to_string(count % 97 + 3)) + (language_ == Language::en ? "%" : "٪");
      case 2:
        return digits(fmt::format("{}:{:02}", count % 12 + 1, between(1, 11, random) * 5));
      default:
        return fmt::format("${}.{}", count % 88 + 2, between(2, 19, random) * 5);
    }
  }

  std::string_view comma() const { return language_ == Language::en ? "," : "،"; }
  std::string_view end(Random& random) const {
    return chance(0.8, random) ? "." : language_ == Language::en ? "?" : "؟";
  }

 private:
  static std::string_view pick(const std::vector<std::string_view>& letters, Random& random) {
    return letters[random.below(static_cast<std::uint32_t>(letters.size()))];
  }

  std::string digits(std::string ascii) const {
    if (language_ == Language::en) {
      return ascii;
    }
    std::string text;
    for (const char c : ascii) {
      if (std::isdigit(static_cast<unsigned char>(c)) != 0) {
        text += "\xDB";  // U+06F0 to U+06F9
        text += static_cast<char>(0xB0 + (c - '0'));
      } else {
        text += c;
      }
    }
    return text;
  }

  Language language_;
  std::vector<std::string_view> vowels_;
  std::vector<std::string_view> consonants_;
};

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
    } else {
      time += std::ispunct(byte) != 0 ? kPerPause : kPerLetter;
    }
  }
  return Seconds(time);
}

std::string make_demo_text(Language language, Seconds target, Random& random) {
  constexpr Seconds kForTheEnd{0.35};
  constexpr Seconds kForALongWord{1};
  constexpr Seconds kForANumber{2.5};
  const Speller speller(language);
  std::string text;
  int words = 0;  // of the sentence
  for (Seconds left = target; text.empty() || left > kForTheEnd;) {
    if (words > 0 && words % 8 == 0) {
      text += speller.end(random);
      words = 0;
    } else if (words > 0 && left > kForALongWord && chance(0.15, random)) {
      text += speller.comma();
    }
    const bool is_number = words > 0 && left > kForANumber && chance(0.12, random);
    const int syllables = left > kForALongWord ? between(1, 3, random) : 1;
    std::string word = is_number ? speller.number(random) : speller.word(syllables, random);
    if (words++ == 0 && language == Language::en) {
      word.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(word.front())));
    }
    text += (text.empty() ? "" : " ") + word;
    left = target - speaking_time(text);
  }
  return text + std::string(speller.end(random));
}

DemoLine plan_line(const DemoCorpusOptions& options, int index) {
  Random random({options.seed, static_cast<std::uint64_t>(index)});
  const auto num_languages = static_cast<int>(options.languages.size());
  DemoLine line{.id = fmt::format("demo-{:05}", index + 1),
                .text = {},
                .normalised = {},
                .language = options.languages[static_cast<std::size_t>(index % num_languages)],
                .voice = index / num_languages % options.voices,
                .target = draw_length(options.mean_seconds, random)};
  line.text = make_demo_text(line.language, line.target, random);
  line.normalised = normalise_text(line.text, line.language);
  return line;
}

}  // namespace qanat
