// The sounds of the built-in voice, and which of them a text is made of.
//
// Spelling rules, not a dictionary: enough for speech-like sound whose phones and their times are
// known exactly. Immutable tables; thread-safe.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/language.h"

namespace qanat {

enum class PhoneKind { vowel, glide, nasal, fricative, stop, affricate, pause };

// What the vocal tract of an average male voice does.
struct PhoneSpec {
  std::string_view name;  // IPA; "_" is silence
  PhoneKind kind = PhoneKind::vowel;
  std::array<float, 3> formants = {};  // Hz
  float voicing = 0;                   // 0 to 1
  float noise = 0;                     // 0 to 1
  float noise_hz = 0;                  // centre of the noise; 0: through the formants
  float milliseconds = 0;              // at an ordinary pace
};

struct PlannedPhone {
  const PhoneSpec* spec = nullptr;
  bool stressed = false;
};

struct PlannedWord {
  std::string text;
  std::size_t first_phone = 0;
};

struct PhonePlan {
  std::vector<PlannedPhone> phones;  // begins and ends with a pause
  std::vector<PlannedWord> words;
};

// `normalised` as from normalise_text(). Characters without a sound are passed over.
PhonePlan plan_phones(std::string_view normalised, Language language);

}  // namespace qanat
