#include "corpus/demo_corpus_phones.h"

#include <algorithm>
#include <optional>
#include <span>

#include "base/check.h"

namespace qanat {
namespace {

using enum PhoneKind;

constexpr std::array kPhones = {
    PhoneSpec{"_", pause, {500, 1500, 2500}, 0, 0, 0, 60},
    PhoneSpec{"|", pause, {500, 1500, 2500}, 0, 0, 0, 170},   // at a comma
    PhoneSpec{"||", pause, {500, 1500, 2500}, 0, 0, 0, 300},  // between sentences
    PhoneSpec{"i", vowel, {280, 2250, 2900}, 1, 0, 0, 90},
    PhoneSpec{"ɪ", vowel, {390, 1990, 2550}, 1, 0, 0, 70},
    PhoneSpec{"e", vowel, {450, 2050, 2600}, 1, 0, 0, 80},
    PhoneSpec{"ɛ", vowel, {530, 1840, 2480}, 1, 0, 0, 85},
    PhoneSpec{"æ", vowel, {660, 1720, 2410}, 1, 0, 0, 100},
    PhoneSpec{"ə", vowel, {500, 1450, 2450}, 1, 0, 0, 55},
    PhoneSpec{"ʌ", vowel, {640, 1190, 2390}, 1, 0, 0, 85},
    PhoneSpec{"ɑ", vowel, {720, 1090, 2440}, 1, 0, 0, 110},
    PhoneSpec{"ɒ", vowel, {600, 950, 2400}, 1, 0, 0, 100},
    PhoneSpec{"o", vowel, {470, 860, 2400}, 1, 0, 0, 90},
    PhoneSpec{"u", vowel, {310, 870, 2250}, 1, 0, 0, 95},
    PhoneSpec{"w", glide, {300, 700, 2200}, 0.7F, 0, 0, 55},
    PhoneSpec{"j", glide, {270, 2200, 3000}, 0.7F, 0, 0, 50},
    PhoneSpec{"l", glide, {360, 1100, 2700}, 0.7F, 0, 0, 60},
    PhoneSpec{"r", glide, {420, 1250, 1700}, 0.7F, 0, 0, 55},
    PhoneSpec{"m", nasal, {270, 1000, 2200}, 0.5F, 0, 0, 70},
    PhoneSpec{"n", nasal, {270, 1500, 2500}, 0.5F, 0, 0, 60},
    PhoneSpec{"ŋ", nasal, {270, 2000, 2700}, 0.5F, 0, 0, 70},
    PhoneSpec{"f", fricative, {340, 1100, 2100}, 0, 0.25F, 7000, 85},
    PhoneSpec{"v", fricative, {300, 1100, 2100}, 0.5F, 0.15F, 6500, 60},
    PhoneSpec{"θ", fricative, {320, 1400, 2600}, 0, 0.2F, 6000, 80},
    PhoneSpec{"s", fricative, {320, 1500, 2600}, 0, 0.6F, 6200, 95},
    PhoneSpec{"z", fricative, {300, 1500, 2600}, 0.45F, 0.4F, 6000, 70},
    PhoneSpec{"ʃ", fricative, {320, 1800, 2500}, 0, 0.65F, 3200, 100},
    PhoneSpec{"ʒ", fricative, {300, 1800, 2500}, 0.45F, 0.45F, 3000, 75},
    PhoneSpec{"h", fricative, {500, 1450, 2450}, 0, 0.35F, 0, 60},
    PhoneSpec{"x", fricative, {400, 1300, 2400}, 0, 0.5F, 1500, 85},
    PhoneSpec{"ɣ", fricative, {380, 1200, 2400}, 0.5F, 0.3F, 1300, 65},
    PhoneSpec{"p", stop, {300, 900, 2200}, 0, 0.4F, 1000, 80},
    PhoneSpec{"b", stop, {250, 900, 2200}, 0.2F, 0.25F, 900, 65},
    PhoneSpec{"t", stop, {300, 1750, 2600}, 0, 0.55F, 4500, 75},
    PhoneSpec{"d", stop, {250, 1750, 2600}, 0.2F, 0.35F, 4000, 60},
    PhoneSpec{"k", stop, {300, 1900, 2300}, 0, 0.5F, 2000, 80},
    PhoneSpec{"ɡ", stop, {250, 1900, 2300}, 0.2F, 0.35F, 1800, 65},
    PhoneSpec{"ʔ", stop, {500, 1450, 2450}, 0, 0.05F, 1500, 40},
    PhoneSpec{"tʃ", affricate, {300, 1800, 2500}, 0, 0.6F, 3400, 110},
    PhoneSpec{"dʒ", affricate, {260, 1800, 2500}, 0.2F, 0.45F, 3100, 95},
};

const PhoneSpec& phone(std::string_view name) {
  const auto found = std::find_if(
      kPhones.begin(), kPhones.end(), [&](const PhoneSpec& spec) { return spec.name == name; });
  QANAT_CHECK(found != kPhones.end()) << "no phone " << name;
  return *found;
}

// Letters and the phones they stand for, separated by spaces. The first that fits is taken, so
// longer spellings come first.
struct Spelling {
  std::string_view letters;
  std::string_view phones;
};

constexpr std::array kEnglish = {
    Spelling{"tion", "ʃ ə n"}, Spelling{"ough", "o"}, Spelling{"igh", "ɑ i"},
    Spelling{"tch", "tʃ"},     Spelling{"dge", "dʒ"}, Spelling{"ch", "tʃ"},
    Spelling{"sh", "ʃ"},       Spelling{"th", "θ"},   Spelling{"ph", "f"},
    Spelling{"wh", "w"},       Spelling{"ng", "ŋ"},   Spelling{"ck", "k"},
    Spelling{"qu", "k w"},     Spelling{"kn", "n"},   Spelling{"wr", "r"},
    Spelling{"ee", "i"},       Spelling{"ea", "i"},   Spelling{"oo", "u"},
    Spelling{"ou", "ɑ u"},     Spelling{"ow", "o u"}, Spelling{"ai", "e i"},
    Spelling{"ay", "e i"},     Spelling{"oa", "o"},   Spelling{"oi", "o i"},
    Spelling{"ie", "i"},       Spelling{"er", "ə r"}, Spelling{"bb", "b"},
    Spelling{"dd", "d"},       Spelling{"ff", "f"},   Spelling{"gg", "ɡ"},
    Spelling{"ll", "l"},       Spelling{"mm", "m"},   Spelling{"nn", "n"},
    Spelling{"pp", "p"},       Spelling{"rr", "r"},   Spelling{"ss", "s"},
    Spelling{"tt", "t"},       Spelling{"ce", "s ɛ"}, Spelling{"ci", "s ɪ"},
    Spelling{"ge", "dʒ ɛ"},    Spelling{"a", "æ"},    Spelling{"b", "b"},
    Spelling{"c", "k"},        Spelling{"d", "d"},    Spelling{"e", "ɛ"},
    Spelling{"f", "f"},        Spelling{"g", "ɡ"},    Spelling{"h", "h"},
    Spelling{"i", "ɪ"},        Spelling{"j", "dʒ"},   Spelling{"k", "k"},
    Spelling{"l", "l"},        Spelling{"m", "m"},    Spelling{"n", "n"},
    Spelling{"o", "ɒ"},        Spelling{"p", "p"},    Spelling{"q", "k"},
    Spelling{"r", "r"},        Spelling{"s", "s"},    Spelling{"t", "t"},
    Spelling{"u", "ʌ"},        Spelling{"v", "v"},    Spelling{"w", "w"},
    Spelling{"x", "k s"},      Spelling{"y", "j"},    Spelling{"z", "z"},
};

constexpr std::array kPersian = {
    Spelling{"خوا", "x ɒ"}, Spelling{"ای", "i"}, Spelling{"او", "u"}, Spelling{"آ", "ɒ"},
    Spelling{"ا", "ɒ"},     Spelling{"ب", "b"},  Spelling{"پ", "p"},  Spelling{"ت", "t"},
    Spelling{"ث", "s"},     Spelling{"ج", "dʒ"}, Spelling{"چ", "tʃ"}, Spelling{"ح", "h"},
    Spelling{"خ", "x"},     Spelling{"د", "d"},  Spelling{"ذ", "z"},  Spelling{"ر", "r"},
    Spelling{"ز", "z"},     Spelling{"ژ", "ʒ"},  Spelling{"س", "s"},  Spelling{"ش", "ʃ"},
    Spelling{"ص", "s"},     Spelling{"ض", "z"},  Spelling{"ط", "t"},  Spelling{"ظ", "z"},
    Spelling{"ع", "ʔ"},     Spelling{"غ", "ɣ"},  Spelling{"ف", "f"},  Spelling{"ق", "ɣ"},
    Spelling{"ک", "k"},     Spelling{"گ", "ɡ"},  Spelling{"ل", "l"},  Spelling{"م", "m"},
    Spelling{"ن", "n"},     Spelling{"و", "u"},  Spelling{"ه", "h"},  Spelling{"ی", "i"},
    Spelling{"ئ", "ʔ"},     Spelling{"ء", "ʔ"},  Spelling{"أ", "ɒ"},  Spelling{"ؤ", "ʔ"},
    Spelling{"َ", "æ"},      Spelling{"ِ", "e"},   Spelling{"ُ", "o"},   Spelling{"ٔ", "j e"},
};

constexpr std::array<std::string_view, 3> kUnwrittenVowels = {"æ", "e", "o"};

using PhoneNames = std::vector<std::string_view>;

bool is_vowel(std::string_view name) {
  return phone(name).kind == vowel;
}

void append_phones(std::string_view list, PhoneNames& phones) {
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(' '), list.size());
    phones.push_back(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
}

std::size_t utf8_length(std::string_view text) {
  std::size_t length = 1;
  while (length < text.size() && (static_cast<unsigned char>(text[length]) & 0xC0U) == 0x80U) {
    ++length;
  }
  return length;
}

PhoneNames spell(std::string_view word, std::span<const Spelling> spellings) {
  PhoneNames phones;
  while (!word.empty()) {
    const auto found = std::find_if(spellings.begin(), spellings.end(), [&](const Spelling& one) {
      return word.starts_with(one.letters);
    });
    if (found != spellings.end()) {
      append_phones(found->phones, phones);
    }
    word.remove_prefix(found != spellings.end() ? found->letters.size() : utf8_length(word));
  }
  return phones;
}

PhoneNames spell_english(std::string_view word) {
  const bool silent_e = word.size() > 3 && word.ends_with('e') && !word.ends_with("ee");
  PhoneNames phones = spell(silent_e ? word.substr(0, word.size() - 1) : word, kEnglish);
  if (phones.size() > 1 && phones.back() == "j") {
    phones.back() = "i";  // "happy"
  }
  return phones;
}

// Short vowels are not written: one goes between consonants that would begin or crowd a syllable.
// Which one is a matter of the consonant before, so that a word always sounds the same.
PhoneNames spell_persian(std::string_view word) {
  const PhoneNames written = spell(word, kPersian);
  PhoneNames phones;
  for (std::size_t i = 0; i < written.size(); ++i) {
    std::string_view name = written[i];
    const bool last = i + 1 == written.size();
    const bool before_vowel = !last && is_vowel(written[i + 1]);
    if (name == "u" && (phones.empty() || before_vowel)) {
      name = "v";
    } else if (name == "i" && (phones.empty() || before_vowel)) {
      name = "j";
    } else if (name == "h" && last && !phones.empty() && !is_vowel(phones.back())) {
      name = "e";  // خانه
    }
    phones.push_back(name);
    const bool final_pair = i + 2 == written.size() && i > 0 && is_vowel(phones[phones.size() - 2]);
    if (!last && !is_vowel(name) && !is_vowel(written[i + 1]) && !final_pair) {
      phones.push_back(kUnwrittenVowels.at((name.size() + i) % kUnwrittenVowels.size()));
    }
  }
  return phones;
}

std::optional<std::string_view> pause_after(std::string_view punctuation) {
  constexpr std::array<std::string_view, 6> kLong = {".", "?", "!", "؟", ";", "؛"};
  constexpr std::array<std::string_view, 4> kBrief = {",", "،", ":", "—"};
  if (std::find(kLong.begin(), kLong.end(), punctuation) != kLong.end()) {
    return "||";
  }
  if (std::find(kBrief.begin(), kBrief.end(), punctuation) != kBrief.end()) {
    return "|";
  }
  return std::nullopt;
}

// Reads a text word by word.
class Planner {
 public:
  explicit Planner(Language language) : language_(language) { add("_"); }

  void read(std::string_view text) {
    while (!text.empty()) {
      const std::size_t length = utf8_length(text);
      const std::string_view character = text.substr(0, length);
      const std::optional<std::string_view> pause = pause_after(character);
      if (character == " " || pause) {
        end_word();
      } else {
        word_ += character;
      }
      if (pause && plan_.phones.back().spec->kind != PhoneKind::pause) {
        add(*pause);
      }
      text.remove_prefix(length);
    }
    end_word();
  }

  PhonePlan finish() {
    if (plan_.phones.size() > 1 && plan_.phones.back().spec->kind == pause) {
      plan_.phones.pop_back();
    }
    add("_");
    return std::move(plan_);
  }

 private:
  void add(std::string_view name) { plan_.phones.push_back({.spec = &phone(name)}); }

  void end_word() {
    const PhoneNames phones =
        language_ == Language::en ? spell_english(word_) : spell_persian(word_);
    if (!phones.empty()) {
      plan_.words.push_back({.text = word_, .first_phone = plan_.phones.size()});
      for (const std::string_view name : phones) {
        add(name);
      }
      stress_word();
    }
    word_.clear();
  }

  // The first vowel in English, the last in Persian.
  void stress_word() {
    const auto is_vowel_phone = [](const PlannedPhone& one) { return one.spec->kind == vowel; };
    const auto begin =
        plan_.phones.begin() + static_cast<std::ptrdiff_t>(plan_.words.back().first_phone);
    if (language_ == Language::en) {
      const auto found = std::find_if(begin, plan_.phones.end(), is_vowel_phone);
      if (found != plan_.phones.end()) {
        found->stressed = true;
      }
      return;
    }
    const auto end = std::make_reverse_iterator(begin);
    const auto found = std::find_if(plan_.phones.rbegin(), end, is_vowel_phone);
    if (found != end) {
      found->stressed = true;
    }
  }

  Language language_;
  PhonePlan plan_;
  std::string word_;
};

}  // namespace

PhonePlan plan_phones(std::string_view normalised, Language language) {
  Planner planner(language);
  planner.read(normalised);
  return planner.finish();
}

}  // namespace qanat
