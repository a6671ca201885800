#include "text/text_front_end.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/content_hash.h"
#include "base/utf8.h"
#include "locale/message_error.h"
#include "locale/messages/data_set_facts.h"
#include "locale/messages/languages.h"
#include "text/any_language.h"
#include "text/characters.h"
#include "text/latin_letters.h"
#include "text/own_reader.h"
#include "text/phonemizer.h"

namespace qanat {
namespace {

constexpr std::size_t kExcerpt = 40;  // characters of the text in messages
constexpr std::size_t kAtOnce = 128;  // rows that are asked for together

std::string shown(std::string_view text) {
  return excerpt(encode_utf8(decode_utf8(text)), kExcerpt);
}

bool has_letters(std::string_view normalised) {
  return std::ranges::any_of(decode_utf8(normalised), [](char32_t code_point) {
    return is_latin_letter(code_point) || is_arabic_letter(code_point);
  });
}

NormaliseOptions normalise_options(const TextConfig& config) {
  const bool phonemes = config.units == SymbolSet::phonemes;
  return {.spelling = config.spelling,
          .ezafe = config.ezafe,
          .number_vowels = phonemes ? NumberVowels::write : NumberVowels::omit};
}

std::string without_stress(std::string_view phonemes) {
  std::u32string kept = decode_utf8(phonemes);
  std::erase_if(kept, [](char32_t c) { return c == U'ˈ' || c == U'ˌ'; });
  return encode_utf8(kept);
}

}  // namespace

std::string front_end_hash(const FrontEndIdentity& identity) {
  ContentHasher hash;
  for (const FrontEndIdentity::Probed& one : identity.probed) {
    hash.add(one.language.text()).add(one.answers);
  }
  return fmt::format("{:016x}", hash.value());
}

std::string front_end_name(const FrontEndIdentity& identity) {
  return identity.probed.empty() ? identity.name
                                 : identity.name + " (" + front_end_hash(identity) + ')';
}

TextFrontEnd::TextFrontEnd(const TextConfig& config)
    : config_(config), tokenizer_(config.units, config.learnt) {
  if (config.units == SymbolSet::phonemes) {
    phonemizer_ =
        std::make_unique<Phonemizer>(PhonemizerConfig{.espeak_program = config.espeak_program,
                                                      .timeout = config.espeak_timeout,
                                                      .cache_file = config.phoneme_cache});
  } else if (config.units == SymbolSet::own) {
    own_ = std::make_unique<OwnReader>(config.g2p, config.phoneme_cache);
  }
}

TextFrontEnd::~TextFrontEnd() = default;

bool TextFrontEnd::learns_from(const LanguageTag& language) const {
  return !language.reader() || config_.units == SymbolSet::own;
}

Result<Done> TextFrontEnd::ask_ahead(std::span<const TextRow> rows,
                                     const LanguageTag& language) const {
  std::vector<std::string> lines;
  for (const TextRow& row : rows) {
    if (row.language == language) {
      if (Result<std::string> line = tidy_line(row.text); line && !line.value().empty()) {
        lines.push_back(std::move(line).value());
      }
    }
  }
  if (phonemizer_) {
    return phonemizer_->remember(lines, language);
  }
  return own_ ? own_->remember(lines, language) : Result<Done>(Done{});
}

void TextFrontEnd::learn_some(std::span<const TextRow> rows,
                              SymbolCollector& collector,
                              std::map<LanguageTag, LearningOutcome>& outcomes) const {
  std::set<LanguageTag> languages;
  for (const TextRow& row : rows) {
    if (learns_from(row.language)) {
      languages.insert(row.language);
    }
  }
  for (const LanguageTag& language : languages) {
    // What fails together is asked for one by one below.
    static_cast<void>(ask_ahead(rows, language).ok());
  }
  for (const TextRow& row : rows) {
    if (!languages.contains(row.language)) {
      continue;
    }
    LearningOutcome& outcome = outcomes[row.language];
    const Result<Spoken> said = speak(row.text, row.language);
    if (said) {
      ++outcome.read;
      collector.add(said.value().symbols, row.language);
    } else if (!outcome.first) {
      outcome.first = said.failure();
    }
  }
}

std::uint64_t TextFrontEnd::learn(std::span<const TextRow> rows, const Learning& how) {
  SymbolCollector collector(config_.units);
  std::map<LanguageTag, LearningOutcome> outcomes;
  for (std::size_t begin = 0; begin < rows.size() && !how.stop.stop_requested(); begin += kAtOnce) {
    const std::span<const TextRow> some =
        rows.subspan(begin, std::min(kAtOnce, rows.size() - begin));
    learn_some(some, collector, outcomes);
    if (how.progress && !outcomes.empty()) {
      how.progress(begin + some.size(), rows.size());
    }
  }
  if (outcomes.empty()) {
    return 0;
  }
  ContentHasher answers;
  answers.add(kAnyLanguageVersion);
  for (const auto& [language, outcome] : outcomes) {
    if (outcome.read == 0 && (own_ || phonemizer_)) {
      throw MessageError(msg::language_unreadable{.language = language.text(),
                                                  .reason = reason_of(*outcome.first)});
    }
    if (own_) {
      answers.add(language.text()).add(own_->probe(language).value());
    }
  }
  LearntSymbols learnt = collector.learnt(tokenizer_.learnt());
  if (learnt.added.size() > kMaxLearntSymbols) {
    throw MessageError(
        msg::too_many_symbols{.count = learnt.added.size(), .most = kMaxLearntSymbols});
  }
  tokenizer_ = Tokenizer(config_.units, std::move(learnt));
  return answers.value();
}

Result<TokenIds> TextFrontEnd::tokens(std::string_view raw_text,
                                      const LanguageTag& language) const {
  Result<TextReading> reading = read(raw_text, language);
  if (!reading) {
    return reading.failure();
  }
  return std::move(reading.value().ids);
}

Result<TextReading> TextFrontEnd::read(std::string_view raw_text,
                                       const LanguageTag& language) const {
  Result<Spoken> said = speak(raw_text, language);
  if (!said) {
    return said.failure();
  }
  if (!tokenizer_.knows(language)) {
    std::vector<std::string> known = {"en", "fa"};
    for (const std::string& symbol : tokenizer_.learnt().added) {
      if (const std::optional<LanguageTag> one = to_language_symbol(symbol)) {
        known.push_back(one->text());
      }
    }
    return to_failure(msg::language_not_learnt{.language = language.text(), .known = known});
  }
  Spoken& text = said.value();
  TextReading reading;
  reading.ids = tokenizer_.encode(text.symbols, language);
  reading.unknown = tokenizer_.count_unknown_symbols(text.symbols, language);
  reading.normalised = std::move(text.normalised);
  if (phonemizer_ || own_) {
    reading.phonemes = std::move(text.symbols);
  }
  return reading;
}

Result<std::int64_t> TextFrontEnd::count_tokens(std::string_view raw_text,
                                                const LanguageTag& language) const {
  if (!learns_from(language)) {
    const Result<TokenIds> ids = tokens(raw_text, language);
    return ids ? Result<std::int64_t>(static_cast<std::int64_t>(ids.value().size()))
               : ids.failure();
  }
  // The same whatever was learnt by now: each symbol, the language and the silences.
  const Result<Spoken> said = speak(raw_text, language);
  if (!said) {
    return said.failure();
  }
  return static_cast<std::int64_t>(num_code_points(said.value().symbols)) + 3;
}

Result<TextFrontEnd::Spoken> TextFrontEnd::speak(std::string_view raw_text,
                                                 const LanguageTag& language) const {
  const std::optional<Language> own = language.reader();
  return own && !own_ ? speak_own(raw_text, *own) : speak_other(raw_text, language);
}

Result<TextFrontEnd::Spoken> TextFrontEnd::speak_own(std::string_view raw_text,
                                                     Language language) const {
  Spoken said;
  said.normalised = normalise_text(raw_text, language, normalise_options(config_));
  if (!has_letters(said.normalised)) {
    return to_failure(msg::seen_nothing_to_read{.text = shown(raw_text)});
  }
  Result<std::string> text = spoken(said.normalised);
  if (!text) {
    return text.failure();
  }
  said.symbols = std::move(text).value();
  return said;
}

Result<TextFrontEnd::Spoken> TextFrontEnd::speak_other(std::string_view raw_text,
                                                       const LanguageTag& language) const {
  const bool characters = !phonemizer_ && !own_;
  Result<std::string> line = characters ? normalise_any(raw_text, language) : tidy_line(raw_text);
  if (!line) {
    return line.failure();
  }
  // Digits alone are words to whoever reads numbers.
  if (line.value().empty() || (characters && !has_any_letter(line.value()))) {
    return to_failure(msg::nothing_to_read{.text = shown(raw_text)});
  }
  Spoken said{.normalised = std::move(line).value(), .symbols = {}};
  if (characters) {
    said.symbols = said.normalised;
    return said;
  }
  Result<std::string> symbols = phonemizer_ ? phonemizer_->phonemes(said.normalised, language)
                                            : own_->symbols(said.normalised, language);
  if (!symbols) {
    return symbols.failure();
  }
  said.symbols = config_.stress == StressMarks::drop && phonemizer_
                     ? without_stress(symbols.value())
                     : std::move(symbols).value();
  if (!has_any_letter(said.symbols)) {
    return to_failure(msg::nothing_to_read{.text = shown(raw_text)});
  }
  return said;
}

Result<std::string> TextFrontEnd::spoken(std::string_view normalised) const {
  if (!phonemizer_) {
    return std::string(normalised);
  }
  Result<std::string> phonemes = phonemizer_->phonemes(normalised);
  if (phonemes && config_.stress == StressMarks::drop) {
    return without_stress(phonemes.value());
  }
  return phonemes;
}

std::uint64_t TextFrontEnd::hash_with(std::uint64_t symbols) const {
  ContentHasher hash;
  hash.add(std::to_string(kNormaliserVersion)).add(std::to_string(symbols));
  hash.add(config_.spelling == SpellingVariants::unify ? "unify" : "keep");
  hash.add(config_.ezafe == EzafeMarks::add ? "ezafe" : "as written");
  if (phonemizer_) {
    hash.add(phonemizer_->version()).add(config_.stress == StressMarks::keep ? "stress" : "plain");
  }
  if (own_) {
    hash.add(own_->command());
  }
  return hash.value();
}

std::uint64_t TextFrontEnd::hash() const {
  const std::uint64_t hash = hash_with(tokenizer_.hash());
  return tokenizer_.learnt().added.empty()
             ? hash
             : ContentHasher().add(hash).add(kAnyLanguageVersion).value();
}

std::uint64_t TextFrontEnd::reading_hash() const {
  return hash_with(Tokenizer(config_.units).hash());
}

FrontEndIdentity TextFrontEnd::identity(std::span<const LanguageTag> languages) const {
  if (!own_) {
    return {.name = phonemizer_ ? "phonemes of " + phonemizer_->version() : "characters"};
  }
  FrontEndIdentity identity{.name = own_->command()};
  for (const LanguageTag& language : std::set<LanguageTag>(languages.begin(), languages.end())) {
    const Result<std::uint64_t> answers = own_->probe(language);
    if (!answers) {
      throw Error(answers.failure());
    }
    identity.probed.push_back({.language = language, .answers = answers.value()});
  }
  return identity;
}

void TextFrontEnd::save_phonemes() const {
  if (phonemizer_) {
    phonemizer_->cache().save();
  }
  if (own_) {
    own_->cache().save();
  }
}

}  // namespace qanat
