#include "text/phonemizer.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/utf8.h"
#include "locale/message_error.h"
#include "locale/messages/feature_errors.h"
#include "locale/messages/languages.h"
#include "text/any_language.h"
#include "text/characters.h"
#include "text/clauses.h"
#include "text/espeak_voices.h"
#include "text/latin_letters.h"
#include "text/persian_espeak.h"

namespace qanat {
namespace {

constexpr int kMaxFailuresInARow = 3;
constexpr std::size_t kShownPart = 40;  // of a line, in messages

Failure not_asked_again() {
  return to_failure(msg::espeak_not_asked_again{});
}

std::string require_version(const PhonemizerConfig& config) {
  Result<std::string> version = read_espeak_version(config.espeak_program, config.timeout);
  if (!version) {
    throw MessageError(msg::phonemes_need_espeak{.reason = reason_of(version.failure())});
  }
  return std::move(version).value() + " spelling " + std::to_string(kEspeakSpellingVersion);
}

std::optional<Language> script_of(char32_t code_point) {
  if (is_arabic_letter(code_point)) {
    return Language::fa;
  }
  return is_latin_letter(code_point) ? std::optional(Language::en) : std::nullopt;
}

// May stand inside a word: don't, forty-two, می‌روم.
bool joins_letters(char32_t code_point) {
  return code_point == U'\'' || code_point == U'-' || code_point == kZwnj;
}

// Builds chunks from single characters.
class ChunkSplitter {
 public:
  explicit ChunkSplitter(std::u32string_view text) : text_(text) {}

  std::vector<PhonemeChunk> split() {
    for (std::size_t at = 0; at < text_.size(); ++at) {
      if (const std::optional<Language> script = script_at(at)) {
        put_word_character(text_[at], *script);
      } else {
        put_mark(text_[at]);
      }
    }
    return std::move(chunks_);
  }

 private:
  using Kind = PhonemeChunk::Kind;

  // The script of a letter, or of what stands between two of one script, spaces included.
  std::optional<Language> script_at(std::size_t at) const {
    if (const std::optional<Language> script = script_of(text_[at])) {
      return script;
    }
    const bool inside = at > 0 && at + 1 < text_.size();
    if (!inside || !(joins_letters(text_[at]) || text_[at] == U' ')) {
      return std::nullopt;
    }
    const std::optional<Language> left = script_of(text_[at - 1]);
    return left == script_of(text_[at + 1]) ? left : std::nullopt;
  }

  void put_word_character(char32_t code_point, Language language) {
    const bool fits = !chunks_.empty() && chunks_.back().kind == Kind::words &&
                      chunks_.back().language == language;
    const std::size_t size = fits ? chunks_.back().text.size() : 0;
    if (code_point == U' ' && size > Espeak::kLongestLine / 2) {
      put_mark(code_point);  // a good place to part a long line
      return;
    }
    if (!fits || size + 4 > Espeak::kLongestLine) {
      chunks_.push_back({.kind = Kind::words, .language = language, .text = {}});
    }
    append_utf8(chunks_.back().text, code_point);
  }

  void put_mark(char32_t code_point) {
    if (chunks_.empty() || chunks_.back().kind != Kind::mark) {
      chunks_.push_back({.kind = Kind::mark, .language = Language::en, .text = {}});
    }
    append_utf8(chunks_.back().text, code_point);
  }

  std::u32string_view text_;
  std::vector<PhonemeChunk> chunks_;
};

// How many Latin words there can be at most: each capital of iPhone and USA may be spoken alone.
int count_latin_words(std::string_view line) {
  int words = 0;
  bool inside = false;
  for (const char32_t code_point : decode_utf8(line)) {
    const bool capital = code_point >= U'A' && code_point <= U'Z';
    const bool letter = is_latin_letter(code_point);
    words += letter && (!inside || capital) ? 1 : 0;
    inside = letter;
  }
  return words;
}

// espeak-ng says in English what letters are that it does not know: "Chinese letter". A
// model would learn to say that. Latin words are why it may turn to English.
bool names_letters(std::string_view line, std::span<const EspeakAnswer> spoken) {
  int turns = 0;
  for (const EspeakAnswer& part : spoken) {
    turns += part.turns_to_english;
  }
  return turns > count_latin_words(line);
}

Result<std::string> with_a_reading(std::string phonemes,
                                   std::string_view line,
                                   const LanguageTag& language) {
  if (phonemes.empty() && has_any_letter(line)) {
    return to_failure(
        msg::phonemes_no_reading{.text = excerpt(line, kShownPart), .language = language.text()});
  }
  return phonemes;
}

}  // namespace

std::vector<PhonemeChunk> split_for_phonemes(std::string_view normalised) {
  return ChunkSplitter(decode_utf8(normalised)).split();
}

Phonemizer::Phonemizer(const PhonemizerConfig& config)
    : config_(config), version_(require_version(config)), cache_(config.cache_file, version_) {}

Phonemizer::Voice& Phonemizer::speaker(const std::string& voice) {
  const std::lock_guard lock(mutex_);
  std::unique_ptr<Voice>& found = voices_[voice];
  if (!found) {
    found = std::make_unique<Voice>(config_, voice);
  }
  return *found;
}

Result<std::string> Phonemizer::voice_of(const LanguageTag& language) {
  if (const std::optional<Language> own = language.reader()) {
    return std::string(*own == Language::en ? "en-us" : "fa");
  }
  const std::lock_guard lock(mutex_);
  if (!languages_) {
    Result<std::vector<std::string>> languages =
        read_espeak_languages(config_.espeak_program, config_.timeout);
    if (!languages) {
      return languages.failure();
    }
    languages_ = std::move(languages).value();
  }
  return find_espeak_voice(language, *languages_);
}

Result<std::string> Phonemizer::phonemes(std::string_view line, const LanguageTag& language) {
  if (std::optional<std::string> known = cache_.find(language.text(), line)) {
    return with_a_reading(*std::move(known), line, language);
  }
  const std::string asked(line);
  Result<std::vector<std::string>> answer = phonemes_of({&asked, 1}, language);
  if (!answer) {
    return answer.failure();
  }
  return with_a_reading(std::move(answer.value().front()), line, language);
}

Result<Done> Phonemizer::remember(std::span<const std::string> lines, const LanguageTag& language) {
  std::vector<std::string> unknown;
  std::ranges::copy_if(lines, std::back_inserter(unknown), [&](const std::string& line) {
    return !cache_.find(language.text(), line);
  });
  if (unknown.empty()) {
    return Done{};
  }
  const Result<std::vector<std::string>> answers = phonemes_of(unknown, language);
  return answers ? Result<Done>(Done{}) : answers.failure();
}

Result<std::vector<std::string>> Phonemizer::phonemes_of(std::span<const std::string> lines,
                                                         const LanguageTag& language) {
  const Result<std::string> voice = voice_of(language);
  if (!voice) {
    return voice.failure();
  }
  std::vector<std::string> asked;  // parts of lines
  std::vector<std::size_t> ends;   // of each line in them
  for (const std::string& line : lines) {
    std::ranges::move(split_long_line(line, Espeak::kLongestSentence), std::back_inserter(asked));
    ends.push_back(asked.size());
  }
  Voice& with = speaker(voice.value());
  const std::lock_guard lock(with.mutex);
  if (with.failures_in_a_row >= kMaxFailuresInARow) {
    return not_asked_again();
  }
  const Result<std::vector<EspeakAnswer>> said = with.espeak.clauses(asked);
  with.failures_in_a_row = said ? 0 : with.failures_in_a_row + 1;
  if (!said) {
    return said.failure();
  }
  std::vector<std::string> phonemes;
  for (std::size_t i = 0, begin = 0; i < lines.size(); begin = ends[i++]) {
    const auto parts = std::span(said.value()).subspan(begin, ends[i] - begin);
    std::vector<std::string> clauses;
    for (const EspeakAnswer& part : parts) {
      std::ranges::copy(part.clauses, std::back_inserter(clauses));
    }
    // Empty: nothing to be learnt; remembered, so that it is not asked again.
    phonemes.push_back(names_letters(lines[i], parts) ? std::string()
                                                      : join_clauses(lines[i], clauses));
    cache_.insert(language.text(), lines[i], phonemes.back());
  }
  return phonemes;
}

Result<std::string> Phonemizer::phonemes(std::string_view normalised) {
  const std::vector<PhonemeChunk> chunks = split_for_phonemes(normalised);
  std::vector<std::optional<std::string>> phonemes;
  for (const PhonemeChunk& chunk : chunks) {
    const bool mark = chunk.kind == PhonemeChunk::Kind::mark;
    phonemes.push_back(mark ? std::optional(chunk.text)
                            : cache_.find(to_string(chunk.language), chunk.text));
  }
  for (const Language language : {Language::en, Language::fa}) {
    if (const Result<Done> asked = ask_espeak(language, chunks, phonemes); !asked) {
      return asked.failure();
    }
  }
  std::string text;
  for (const std::optional<std::string>& part : phonemes) {
    text += *part;
  }
  return text;
}

Result<Done> Phonemizer::ask_espeak(Language language,
                                    std::span<const PhonemeChunk> chunks,
                                    std::vector<std::optional<std::string>>& phonemes) {
  std::vector<std::string> lines;
  std::unordered_map<std::string_view, std::size_t> line_of;
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    const bool missing = !phonemes[i] && chunks[i].language == language;
    if (missing && line_of.try_emplace(chunks[i].text, lines.size()).second) {
      lines.push_back(chunks[i].text);
    }
  }
  if (lines.empty()) {
    return Done{};
  }
  Voice& with = speaker(voice_of(language).value());
  const std::lock_guard lock(with.mutex);
  if (with.failures_in_a_row >= kMaxFailuresInARow) {
    return not_asked_again();
  }
  std::vector<std::string> asked = lines;
  std::ranges::transform(asked, asked.begin(), espeak_spelling);
  Result<std::vector<std::string>> answers = with.espeak.phonemes(asked);
  with.failures_in_a_row = answers ? 0 : with.failures_in_a_row + 1;
  if (!answers) {
    return answers.failure();
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    cache_.insert(to_string(language), lines[i], answers.value()[i]);
  }
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    const auto line = line_of.find(chunks[i].text);
    if (!phonemes[i] && chunks[i].language == language && line != line_of.end()) {
      phonemes[i] = answers.value()[line->second];
    }
  }
  return Done{};
}

}  // namespace qanat
