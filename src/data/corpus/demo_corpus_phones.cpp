#include "corpus/demo_corpus_phones.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace qanat {
namespace {

// Pauses are those of a text's ends, of a comma and of a full stop.
constexpr std::array kPhones = {
    PhoneSpec{"_", "", "", "", {500, 1500, 2500}, 0, 0, 0, 0, 60},
    PhoneSpec{"_,", "", "", ", ، : —", {500, 1500, 2500}, 0, 0, 0, 0, 170},
    PhoneSpec{"_.", "", "", ". ? ! ؟ ; ؛", {500, 1500, 2500}, 0, 0, 0, 0, 300},
    PhoneSpec{"i", "i", "ی", "ي ئ", {280, 2250, 2900}, 1, 0, 0, 0, 90},
    PhoneSpec{"ɛ", "e", "", "ِ ٔ", {530, 1840, 2480}, 1, 0, 0, 0, 85},
    PhoneSpec{"æ", "a", "", "َ", {660, 1720, 2410}, 1, 0, 0, 0, 100},
    PhoneSpec{"ɒ", "", "ا", "آ أ", {600, 950, 2400}, 1, 0, 0, 0, 100},
    PhoneSpec{"o", "o", "", "ُ", {470, 860, 2400}, 1, 0, 0, 0, 90},
    PhoneSpec{"u", "u", "و", "ؤ", {310, 870, 2250}, 1, 0, 0, 0, 95},
    PhoneSpec{"w", "w", "", "", {300, 700, 2200}, 0.7F, 0, 0, 0, 55},
    PhoneSpec{"j", "y", "", "", {270, 2200, 3000}, 0.7F, 0, 0, 0, 50},
    PhoneSpec{"l", "l", "ل", "", {360, 1100, 2700}, 0.7F, 0, 0, 0, 60},
    PhoneSpec{"r", "r", "ر", "", {420, 1250, 1700}, 0.7F, 0, 0, 0, 55},
    PhoneSpec{"m", "m", "م", "", {270, 1000, 2200}, 0.5F, 0, 0, 0, 70},
    PhoneSpec{"n", "n", "ن", "", {270, 1500, 2500}, 0.5F, 0, 0, 0, 60},
    PhoneSpec{"f", "f", "ف", "", {340, 1100, 2100}, 0, 0.25F, 7000, 0, 85},
    PhoneSpec{"v", "v", "", "", {300, 1100, 2100}, 0.5F, 0.15F, 6500, 0, 60},
    PhoneSpec{"s", "s", "س", "ص ث", {320, 1500, 2600}, 0, 0.6F, 6200, 0, 95},
    PhoneSpec{"z", "z", "ز", "ض ظ ذ", {300, 1500, 2600}, 0.45F, 0.4F, 6000, 0, 70},
    PhoneSpec{"ʃ", "", "ش", "", {320, 1800, 2500}, 0, 0.65F, 3200, 0, 100},
    PhoneSpec{"ʒ", "", "ژ", "", {300, 1800, 2500}, 0.45F, 0.45F, 3000, 0, 75},
    PhoneSpec{"h", "h", "ه", "ح", {500, 1450, 2450}, 0, 0.35F, 0, 0, 60},
    PhoneSpec{"x", "", "خ", "x", {400, 1300, 2400}, 0, 0.5F, 1500, 0, 85},
    PhoneSpec{"ɣ", "", "ق", "غ", {380, 1200, 2400}, 0.5F, 0.3F, 1300, 0, 65},
    PhoneSpec{"p", "p", "پ", "", {300, 900, 2200}, 0, 0.4F, 1000, 0.65F, 80},
    PhoneSpec{"b", "b", "ب", "", {250, 900, 2200}, 0.2F, 0.25F, 900, 0.65F, 65},
    PhoneSpec{"t", "t", "ت", "ط", {300, 1750, 2600}, 0, 0.55F, 4500, 0.65F, 75},
    PhoneSpec{"d", "d", "د", "", {250, 1750, 2600}, 0.2F, 0.35F, 4000, 0.65F, 60},
    PhoneSpec{"k", "k", "ک", "c q ك", {300, 1900, 2300}, 0, 0.5F, 2000, 0.65F, 80},
    PhoneSpec{"ɡ", "g", "گ", "", {250, 1900, 2300}, 0.2F, 0.35F, 1800, 0.65F, 65},
    PhoneSpec{"ʔ", "", "", "ع ء", {500, 1450, 2450}, 0, 0.05F, 1500, 0.65F, 40},
    PhoneSpec{"tʃ", "", "چ", "", {300, 1800, 2500}, 0, 0.6F, 3400, 0.45F, 110},
    PhoneSpec{"dʒ", "j", "ج", "", {260, 1800, 2500}, 0.2F, 0.45F, 3100, 0.45F, 95},
};

// Null: it has no sound.
const PhoneSpec* sound_of(std::string_view character) {
  const auto found = std::ranges::find_if(kPhones, [&](const PhoneSpec& phone) {
    return phone.english == character || phone.persian == character ||
           (character != " " && phone.also_read.find(character) != std::string_view::npos);
  });
  return found == kPhones.end() ? nullptr : &*found;
}

std::size_t utf8_length(std::string_view text) {
  std::size_t length = 1;
  while (length < text.size() && (static_cast<unsigned char>(text[length]) & 0xC0U) == 0x80U) {
    ++length;
  }
  return length;
}

// Reads a text word by word.
class Planner {
 public:
  void read(std::string_view text) {
    while (!text.empty()) {
      const std::size_t length = utf8_length(text);
      const std::string_view character = text.substr(0, length);
      const PhoneSpec* const phone = sound_of(character);
      const bool is_pause = phone != nullptr && phone->is_pause();
      if (character == " " || is_pause) {
        end_word();
      } else {
        word_ += character;
      }
      if (is_pause && !plan_.phones.back()->is_pause()) {
        plan_.phones.push_back(phone);
      } else if (phone != nullptr && !is_pause) {
        first_ = first_.value_or(plan_.phones.size());
        plan_.phones.push_back(phone);
      }
      text.remove_prefix(length);
    }
    end_word();
  }

  PhonePlan finish() {
    if (plan_.phones.size() > 1 && plan_.phones.back()->is_pause()) {
      plan_.phones.pop_back();
    }
    plan_.phones.push_back(&kPhones.front());
    return std::move(plan_);
  }

 private:
  void end_word() {
    if (first_) {
      plan_.words.push_back({.text = word_, .first_phone = *first_});
    }
    first_.reset();
    word_.clear();
  }

  PhonePlan plan_{.phones = {&kPhones.front()}, .words = {}};
  std::optional<std::size_t> first_;  // phone of the word; absent: it has none yet
  std::string word_;
};

}  // namespace

std::span<const PhoneSpec> all_phones() {
  return kPhones;
}

PhonePlan plan_phones(std::string_view normalised) {
  Planner planner;
  planner.read(normalised);
  return planner.finish();
}

}  // namespace qanat
