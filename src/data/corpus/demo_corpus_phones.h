// The sounds of the demo corpus: how the built-in voice makes each, and how each is written.
//
// Every letter has one sound, so whatever text the corpus holds can be spoken, and its phones are
// known exactly. Immutable tables; thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace qanat {

// What the vocal tract of an average male voice does.
struct PhoneSpec {
  std::string_view name;               // IPA; "_" is silence
  std::string_view english;            // how syllables write it; empty: they do not have it
  std::string_view persian;            // likewise
  std::string_view also_read;          // other letters with this sound, a space between two
  std::array<float, 3> formants = {};  // Hz
  float voicing = 0;                   // 0 to 1
  float noise = 0;                     // 0 to 1
  float noise_hz = 0;                  // centre of the noise; 0: through the formants
  float closed = 0;                    // share of its time before the mouth opens
  float milliseconds = 0;              // at an ordinary pace

  bool is_vowel() const { return voicing == 1; }
  bool is_pause() const { return name.front() == '_'; }
};

std::span<const PhoneSpec> all_phones();

struct PlannedWord {
  std::string text;
  std::size_t first_phone = 0;
};

struct PhonePlan {
  std::vector<const PhoneSpec*> phones;  // begins and ends with a pause
  std::vector<PlannedWord> words;
};

// `normalised` as from normalise_text(). Characters without a sound are passed over.
PhonePlan plan_phones(std::string_view normalised);

}  // namespace qanat
