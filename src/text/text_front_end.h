// The one way from raw text to token ids: normalise, phonemise if asked for, tokenise.
//
// Fixture; all const methods are thread-safe.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/language.h"
#include "base/result.h"
#include "base/time.h"
#include "text/normalise.h"
#include "text/tokenizer.h"

namespace qanat {

class Phonemizer;

enum class StressMarks { keep, drop };

struct TextConfig {
  SymbolSet units = SymbolSet::characters;
  SpellingVariants spelling = SpellingVariants::unify;  // Persian
  EzafeMarks ezafe = EzafeMarks::as_written;            // Persian
  // The rest is for phonemes only.
  StressMarks stress = StressMarks::keep;
  std::string espeak_program = "espeak-ng";  // looked up in PATH
  Seconds espeak_timeout{5.0};               // for the answer to one text
  std::filesystem::path phoneme_cache;       // file; empty: remembered in memory only
};

// Everything that becomes of one text.
struct TextReading {
  std::string normalised;
  std::string phonemes;  // empty with characters
  TokenIds ids;
  std::vector<UnknownSymbol> unknown;  // left out of ids
};

class TextFrontEnd {
 public:
  // Throws Error when phonemes are asked for and espeak-ng cannot be run.
  explicit TextFrontEnd(const TextConfig& config = {});
  TextFrontEnd(const TextFrontEnd&) = delete;
  TextFrontEnd& operator=(const TextFrontEnd&) = delete;
  ~TextFrontEnd();

  // Fails when nothing is left to be read, or espeak-ng does not answer.
  Result<TokenIds> tokens(std::string_view raw_text, Language language) const;
  Result<TextReading> read(std::string_view raw_text, Language language) const;

  // Of everything the ids depend on: rules, symbols, settings, espeak-ng's version.
  std::uint64_t hash() const;

  const Tokenizer& tokenizer() const { return tokenizer_; }

  // Writes new phonemes to the cache file; the destructor does, too. Throws Error if that fails.
  void save_phonemes() const;

 private:
  Result<std::string> spoken(std::string_view normalised) const;

  TextConfig config_;
  Tokenizer tokenizer_;
  std::unique_ptr<Phonemizer> phonemizer_;  // null with characters; does its own locking
};

}  // namespace qanat
