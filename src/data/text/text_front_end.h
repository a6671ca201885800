// The one way from raw text to token ids: normalise, phonemise if asked for, tokenise.
//
// English and Persian have readers of their own. Of other languages the letters themselves are
// symbols, or what espeak-ng says, or what a command of the user's answers.
//
// Fixture; all const methods are thread-safe.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/language_tag.h"
#include "base/result.h"
#include "base/time.h"
#include "text/normalise.h"
#include "text/tokenizer.h"

namespace qanat {

class OwnReader;
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
  std::filesystem::path phoneme_cache{};     // file; empty: remembered in memory only
  std::string g2p{};                         // the command, with SymbolSet::own
  LearntSymbols learnt{};                    // of the model that is used
};

// Everything that becomes of one text.
struct TextReading {
  std::string normalised;
  std::string phonemes;  // empty with characters
  TokenIds ids;
  std::vector<UnknownSymbol> unknown;  // left out of ids
};

// A text to learn symbols from.
struct TextRow {
  std::string_view text;
  LanguageTag language;
};

// Who reads the texts, as people compare it: a name, and per language a hash of what it says.
struct FrontEndIdentity {
  std::string name;  // "characters", "phonemes of eSpeak NG ...", the command
  struct Probed {
    LanguageTag language;
    std::uint64_t answers = 0;

    bool operator==(const Probed&) const = default;
  };
  std::vector<Probed> probed{};  // of a command of the user's; ascending

  bool operator==(const FrontEndIdentity&) const = default;
};

// One hash of all its answers, as people compare it.
std::string front_end_hash(const FrontEndIdentity& identity);
// "g2p.py --fast (0123456789abcdef)"
std::string front_end_name(const FrontEndIdentity& identity);

class TextFrontEnd {
 public:
  // Throws Error when phonemes are asked for and espeak-ng cannot be run.
  explicit TextFrontEnd(const TextConfig& config = {});
  TextFrontEnd(const TextFrontEnd&) = delete;
  TextFrontEnd& operator=(const TextFrontEnd&) = delete;
  ~TextFrontEnd();

  struct Learning {
    std::function<void(std::size_t done, std::size_t all)> progress{};
    std::stop_token stop{};
  };
  // Adds the symbols and languages of `rows` to those known: to be called once, with the texts of
  // the training set, before anything else reads. English and Persian add nothing, except with
  // SymbolSet::own. Rows that cannot be read are passed over; whoever reads them later is told.
  // Throws Error when no row of a language can be read: espeak-ng does not have it, or the command
  // does not keep to its word. Returns what the readings depend on besides hash() before; 0:
  // nothing.
  std::uint64_t learn(std::span<const TextRow> rows, const Learning& how);

  // Fails when nothing is left to be read, espeak-ng does not answer, or the language is none that
  // was learnt.
  Result<TokenIds> tokens(std::string_view raw_text, const LanguageTag& language) const;
  Result<TextReading> read(std::string_view raw_text, const LanguageTag& language) const;

  // How many tokens there will be at most; of English and Persian exactly.
  Result<std::int64_t> count_tokens(std::string_view raw_text, const LanguageTag& language) const;

  // Covers everything the ids depend on: rules, symbols, settings, espeak-ng's version.
  std::uint64_t hash() const;
  // The same without what was learnt: what lengths depend on.
  std::uint64_t reading_hash() const;

  // Starts the user's command for languages that were not asked for yet. Throws Error if it fails.
  FrontEndIdentity identity(std::span<const LanguageTag> languages) const;

  const Tokenizer& tokenizer() const { return tokenizer_; }

  // Writes new phonemes to the cache file; the destructor does, too. Throws Error if that fails.
  void save_phonemes() const;

 private:
  struct LearningOutcome {
    std::size_t read = 0;            // rows
    std::optional<Failure> first{};  // of those that could not be
  };

  bool learns_from(const LanguageTag& language) const;
  void learn_some(std::span<const TextRow> rows,
                  SymbolCollector& collector,
                  std::map<LanguageTag, LearningOutcome>& outcomes) const;
  // What the symbols are of, and the text as it is shown to people.
  struct Spoken {
    std::string normalised;
    std::string symbols;
  };
  Result<Spoken> speak(std::string_view raw_text, const LanguageTag& language) const;
  Result<Spoken> speak_own(std::string_view raw_text, Language language) const;
  Result<Spoken> speak_other(std::string_view raw_text, const LanguageTag& language) const;
  Result<Done> ask_ahead(std::span<const TextRow> rows, const LanguageTag& language) const;
  Result<std::string> spoken(std::string_view normalised) const;
  std::uint64_t hash_with(std::uint64_t symbols) const;

  TextConfig config_;
  Tokenizer tokenizer_;
  std::unique_ptr<Phonemizer> phonemizer_;  // null unless espeak-ng is asked; does its own locking
  std::unique_ptr<OwnReader> own_;          // null without a command; does its own locking
};

}  // namespace qanat
