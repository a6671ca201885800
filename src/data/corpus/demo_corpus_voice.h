// Who speaks the demo corpus: text in, samples and the times of their phones out.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/language.h"
#include "base/quantity.h"
#include "base/time.h"

namespace qanat {

inline constexpr SampleRate kDemoRate{22050};

// One line of the corpus before it is spoken.
struct DemoLine {
  std::string id;
  std::string text;        // as a person would write it
  std::string normalised;  // as it is read
  Language language = Language::en;
  int voice = 0;      // of this language, from 0
  Seconds target{0};  // how long it should take
};

// A phone or word and the sample it begins with; it lasts until the next one begins.
struct TimedLabel {
  std::string label;
  std::int64_t start = 0;

  bool operator==(const TimedLabel&) const = default;
};

struct SpokenLine {
  std::vector<std::int16_t> samples;  // mono, kDemoRate
  std::vector<TimedLabel> phones;     // from sample 0 to the end; "_" is silence
  std::vector<TimedLabel> words;
};

// speak() may be called from several threads at once and depends on nothing but its argument.
// It throws Error when the voice fails.
class DemoVoice {
 public:
  virtual ~DemoVoice() = default;

  virtual std::string name() const = 0;  // with version: part of what identifies a corpus
  virtual SpokenLine speak(const DemoLine& line) const = 0;
};

// A formant synthesiser of our own: robotic, fast, always there.
std::unique_ptr<DemoVoice> make_formant_voice();

// eSpeak NG by the program `qanat-espeak`; null when the program or eSpeak NG is not there.
std::unique_ptr<DemoVoice> make_espeak_voice(const std::filesystem::path& program);

}  // namespace qanat
