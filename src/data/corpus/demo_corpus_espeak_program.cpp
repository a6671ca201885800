// qanat-espeak: speaks one line with eSpeak NG and says when each phone begins.
//
//   qanat-espeak version
//   qanat-espeak speak VOICE WORDS_PER_MINUTE PITCH TEXT
//
// A program of its own, because eSpeak NG is GPL-3 and keeps its state in globals: `qanat` never
// links it, and every line begins from the same state. The library is loaded when the program
// runs; the espeak-ng command gives no times. Prints one JSON object; with `speak`, a second line
// holds the samples, four hexadecimal digits each.
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <dlfcn.h>
#include <nlohmann/json.hpp>

namespace qanat {
namespace {

using nlohmann::json;

// The parts of eSpeak NG's interface that are used (speak_lib.h, revision 12).
struct EspeakEvent {
  int type;
  unsigned unique_identifier;
  int text_position;  // characters, from 1
  int length;         // characters
  int audio_position;
  int sample;
  void* user_data;
  union {
    int number;
    const char* name;
    char string[8];
  } id;
};

enum EventType { list_terminated = 0, word = 1, phoneme = 7 };

constexpr int kSynchronous = 2;       // AUDIO_OUTPUT_SYNCHRONOUS
constexpr int kPhonemeEvents = 0x1;   // espeakINITIALIZE_PHONEME_EVENTS
constexpr int kPhonemeIpa = 0x2;      // espeakINITIALIZE_PHONEME_IPA
constexpr int kDontExit = 0x8000;     // espeakINITIALIZE_DONT_EXIT
constexpr int kRateParameter = 1;     // espeakRATE
constexpr int kPitchParameter = 3;    // espeakPITCH
constexpr unsigned kCharsUtf8 = 0x1;  // espeakCHARS_UTF8
constexpr int kSampleRate = 22050;

class Espeak {
 public:
  Espeak() : library_(::dlopen("libespeak-ng.so.1", RTLD_NOW)) {
    if (library_ == nullptr) {
      throw std::runtime_error("libespeak-ng.so.1 is not there; try apt-get install espeak-ng");
    }
    const auto initialize = symbol<int(int, int, const char*, int)>("espeak_Initialize");
    const int rate = initialize(kSynchronous, 0, nullptr, kPhonemeEvents | kPhonemeIpa | kDontExit);
    if (rate != kSampleRate) {
      throw std::runtime_error("eSpeak NG speaks at " + std::to_string(rate) +
                               " Hz; expected 22050; is espeak-ng-data installed?");
    }
  }

  // Functions of the library, by their C signature.
  template <typename Signature>
  Signature* symbol(const char* name) const {
    void* found = ::dlsym(library_, name);
    if (found == nullptr) {
      throw std::runtime_error(std::string("libespeak-ng has no ") + name);
    }
    return reinterpret_cast<Signature*>(found);
  }

 private:
  void* library_;  // never closed: the program ends with it
};

struct Speech {
  std::vector<std::int16_t> samples;
  json phones = json::array();
  json words = json::array();
  std::string_view text;

  void add_phone(std::string name, int start) {
    const std::string label = name.empty() ? "_" : std::move(name);
    const bool repeats = label == "_" && !phones.empty() && phones.back()[0] == "_";
    if (!repeats) {
      phones.push_back({label, start});
    }
  }

  // `first` counts characters from 1.
  void add_word(int first, int length, int start) {
    std::string spelled;
    int character = 0;
    for (const char c : text) {
      character += (static_cast<unsigned char>(c) & 0xC0U) != 0x80U ? 1 : 0;
      if (character >= first && character < first + length) {
        spelled += c;
      }
    }
    if (!spelled.empty()) {
      words.push_back({spelled, start});
    }
  }
};

// eSpeak NG hands `user_data` through; it is the Speech.
int take_samples(short* samples, int count, EspeakEvent* events) {
  for (EspeakEvent* event = events; event->type != list_terminated; ++event) {
    auto& speech = *static_cast<Speech*>(event->user_data);
    if (event->type == phoneme) {
      const std::size_t length = ::strnlen(event->id.string, sizeof(event->id.string));
      speech.add_phone(std::string(event->id.string, length), event->sample);
    } else if (event->type == word) {
      speech.add_word(event->text_position, event->length, event->sample);
    }
  }
  if (samples != nullptr && count > 0) {
    // The list ends with an event that carries nothing but the user data.
    EspeakEvent* last = events;
    while (last->type != list_terminated) {
      ++last;
    }
    auto& speech = *static_cast<Speech*>(last->user_data);
    speech.samples.insert(speech.samples.end(), samples, samples + count);
  }
  return 0;
}

// Silence from the first sample on, nothing after the last.
void close_phones(Speech& speech) {
  json closed = json::array();
  if (speech.phones.empty() || speech.phones.front()[1] != 0) {
    closed.push_back({"_", 0});
  }
  for (const json& phone : speech.phones) {
    if (phone[1] < speech.samples.size()) {
      closed.push_back(phone);
    }
  }
  speech.phones = closed;
}

Speech speak(const Espeak& espeak, std::span<char* const> arguments) {
  const std::string voice = arguments[0];
  Speech speech;
  speech.text = arguments[3];
  espeak.symbol<void(int(short*, int, EspeakEvent*))>("espeak_SetSynthCallback")(take_samples);
  if (espeak.symbol<int(const char*)>("espeak_SetVoiceByName")(voice.c_str()) != 0) {
    throw std::runtime_error("eSpeak NG has no voice " + voice);
  }
  const auto set = espeak.symbol<int(int, int, int)>("espeak_SetParameter");
  set(kRateParameter, std::atoi(arguments[1]), 0);
  set(kPitchParameter, std::atoi(arguments[2]), 0);
  const auto synth = espeak.symbol<int(
      const void*, std::size_t, unsigned, int, unsigned, unsigned, unsigned*, void*)>(
      "espeak_Synth");
  if (synth(speech.text.data(), speech.text.size() + 1, 0, 1, 0, kCharsUtf8, nullptr, &speech) !=
      0) {
    throw std::runtime_error("eSpeak NG cannot speak the line");
  }
  close_phones(speech);
  return speech;
}

void print_samples(const std::vector<std::int16_t>& samples) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string line;
  line.reserve(samples.size() * 4 + 1);
  for (const std::int16_t sample : samples) {
    const auto bits = static_cast<std::uint16_t>(sample);
    for (const unsigned shift : {12U, 8U, 4U, 0U}) {
      line += kDigits[bits >> shift & 0xFU];
    }
  }
  std::cout << line << '\n';
}

int run(std::span<char* const> arguments) {
  const std::string_view command = arguments.empty() ? "" : arguments[0];
  const bool wants_speech = command == "speak" && arguments.size() == 5;
  if (command != "version" && !wants_speech) {
    std::cerr << "usage: qanat-espeak version | speak VOICE WORDS_PER_MINUTE PITCH TEXT\n";
    return 2;
  }
  const Espeak espeak;
  if (wants_speech) {
    const Speech speech = speak(espeak, arguments.subspan(1));
    std::cout << json{{"phones", speech.phones}, {"words", speech.words}}.dump() << '\n';
    print_samples(speech.samples);
    return 0;
  }
  const char* version = espeak.symbol<const char*(const char**)>("espeak_Info")(nullptr);
  std::cout << json{{"version", version}}.dump() << '\n';
  return 0;
}

}  // namespace
}  // namespace qanat

int main(int argc, char** argv) {
  try {
    return qanat::run(std::span(argv, static_cast<std::size_t>(argc)).subspan(1));
  } catch (const std::exception& error) {
    std::cout << nlohmann::json{{"error", error.what()}}.dump() << '\n';
    return 1;
  }
}
