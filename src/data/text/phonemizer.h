// Normalised text to phonemes through espeak-ng, with punctuation kept.
//
// Fixture; phonemes() is thread-safe. One espeak-ng per language is kept running, from the first
// question on; calls for text that is in the cache never wait for it, others take turns.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/language_tag.h"
#include "base/result.h"
#include "base/time.h"
#include "text/espeak.h"
#include "text/phoneme_cache.h"

namespace qanat {

struct PhonemizerConfig {
  std::string espeak_program = "espeak-ng";  // looked up in PATH
  Seconds timeout{5.0};                      // for the answer to one text
  std::filesystem::path cache_file;          // empty: in memory only
};

// A stretch of text that is handed to espeak-ng as one line, or kept as it is.
struct PhonemeChunk {
  enum class Kind { words, mark };

  Kind kind = Kind::mark;
  Language language = Language::en;
  std::string text;

  bool operator==(const PhonemeChunk&) const = default;
};

// Together the chunks are the whole text.
std::vector<PhonemeChunk> split_for_phonemes(std::string_view normalised);

class Phonemizer {
 public:
  // Throws Error when there is no espeak-ng to run.
  explicit Phonemizer(const PhonemizerConfig& config);
  Phonemizer(const Phonemizer&) = delete;
  Phonemizer& operator=(const Phonemizer&) = delete;
  ~Phonemizer() = default;

  // Words become IPA with stress marks; marks and spaces stay where they are. Each word is read
  // by the voice of its script. Fails when espeak-ng does not answer in time; after three such
  // failures in a row it is not asked again.
  Result<std::string> phonemes(std::string_view normalised);

  // Reads a line of a language without a reader, as tidy_line() makes it: what espeak-ng says,
  // numbers included, and the marks where it pauses. Fails as above, when espeak-ng has no such
  // language, and when it has letters that it names in English or passes over.
  Result<std::string> phonemes(std::string_view line, const LanguageTag& language);

  // Asks for all of them that are not known, many at once.
  Result<Done> remember(std::span<const std::string> lines, const LanguageTag& language);

  // Fails when espeak-ng has no such language, and lists those it has.
  Result<std::string> voice_of(const LanguageTag& language);

  // What the phonemes depend on, besides the text.
  const std::string& version() const { return version_; }

  PhonemeCache& cache() { return cache_; }

 private:
  struct Voice {
    Voice(const PhonemizerConfig& config, std::string name)
        : espeak(config.espeak_program, std::move(name), config.timeout) {}

    std::mutex mutex;  // guards both
    Espeak espeak;
    int failures_in_a_row = 0;
  };

  // Fills in the phonemes of the words in `language` that the cache does not know.
  Result<Done> ask_espeak(Language language,
                          std::span<const PhonemeChunk> chunks,
                          std::vector<std::optional<std::string>>& phonemes);
  // The phonemes of every line, known or not.
  Result<std::vector<std::string>> phonemes_of(std::span<const std::string> lines,
                                               const LanguageTag& language);
  Voice& speaker(const std::string& voice);

  const PhonemizerConfig config_;
  std::string version_;
  PhonemeCache cache_;
  std::mutex mutex_;                                      // guards the rest
  std::map<std::string, std::unique_ptr<Voice>> voices_;  // by espeak-ng's name; only added to
  std::optional<std::vector<std::string>> languages_;     // unset: not asked for yet
};

}  // namespace qanat
