#include "text/text_front_end.h"

#include <algorithm>
#include <utility>

#include "base/content_hash.h"
#include "base/utf8.h"
#include "locale/message_error.h"
#include "locale/messages/data_set_facts.h"
#include "text/characters.h"
#include "text/latin_letters.h"
#include "text/phonemizer.h"

namespace qanat {
namespace {

constexpr std::size_t kExcerpt = 40;  // characters of the text in messages

std::string excerpt(std::string_view text) {
  const std::u32string characters = decode_utf8(text);
  return encode_utf8(characters.substr(0, kExcerpt)) + (characters.size() > kExcerpt ? "…" : "");
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

TextFrontEnd::TextFrontEnd(const TextConfig& config) : config_(config), tokenizer_(config.units) {
  if (config.units == SymbolSet::phonemes) {
    phonemizer_ =
        std::make_unique<Phonemizer>(PhonemizerConfig{.espeak_program = config.espeak_program,
                                                      .timeout = config.espeak_timeout,
                                                      .cache_file = config.phoneme_cache});
  }
}

TextFrontEnd::~TextFrontEnd() = default;

Result<TokenIds> TextFrontEnd::tokens(std::string_view raw_text, Language language) const {
  Result<TextReading> reading = read(raw_text, language);
  if (!reading) {
    return reading.failure();
  }
  return std::move(reading.value().ids);
}

Result<TextReading> TextFrontEnd::read(std::string_view raw_text, Language language) const {
  TextReading reading;
  reading.normalised = normalise_text(raw_text, language, normalise_options(config_));
  if (!has_letters(reading.normalised)) {
    return to_failure(msg::seen_nothing_to_read{.text = excerpt(raw_text)});
  }
  Result<std::string> text = spoken(reading.normalised);
  if (!text) {
    return text.failure();
  }
  reading.ids = tokenizer_.encode(text.value(), language);
  reading.unknown = tokenizer_.count_unknown_symbols(text.value());
  if (phonemizer_) {
    reading.phonemes = std::move(text).value();
  }
  return reading;
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

std::uint64_t TextFrontEnd::hash() const {
  ContentHasher hash;
  hash.add(std::to_string(kNormaliserVersion)).add(std::to_string(tokenizer_.hash()));
  hash.add(config_.spelling == SpellingVariants::unify ? "unify" : "keep");
  hash.add(config_.ezafe == EzafeMarks::add ? "ezafe" : "as written");
  if (phonemizer_) {
    hash.add(phonemizer_->version()).add(config_.stress == StressMarks::keep ? "stress" : "plain");
  }
  return hash.value();
}

void TextFrontEnd::save_phonemes() const {
  if (phonemizer_) {
    phonemizer_->cache().save();
  }
}

}  // namespace qanat
