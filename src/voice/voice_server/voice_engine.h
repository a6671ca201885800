// What speaks, as the server sees it: interfaces, so that protocols and queue need no libtorch
// (speech/served_voice.h has the real one).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/quantity.h"

namespace qanat {

// A voice that clients may ask for.
struct VoiceName {
  std::string id;
  std::string description{};
};

struct VoiceFacts {
  std::string model;  // id in lists
  SampleRate rate{22050};
  std::vector<VoiceName> voices;       // the first is the default
  std::vector<std::string> languages;  // codes
  std::string vocoder{};
};

struct SpeechOrder {
  std::string text;
  std::string voice{};  // id; empty: the default
  double speed = 1.0;   // above 1: faster
};

// A text that is being spoken: where it is at. For whichever worker comes next.
class Speech {
 public:
  virtual ~Speech() = default;
};

// One per thread.
class SpeechMaker {
 public:
  virtual ~SpeechMaker() = default;

  // Throws Error when the text cannot be read or the voice is unknown.
  virtual std::unique_ptr<Speech> begin(const SpeechOrder& order) = 0;
  // The next samples, full scale 1; nothing when all is said.
  virtual std::optional<std::vector<float>> next(Speech& speech) = 0;
};

// const methods may be called from any thread.
class VoiceEngine {
 public:
  virtual ~VoiceEngine() = default;

  virtual const VoiceFacts& facts() const = 0;
  // Called on the thread that will use it. Has said something already when it returns: what is
  // slow the first time is over.
  virtual std::unique_ptr<SpeechMaker> make_maker() const = 0;
};

}  // namespace qanat
