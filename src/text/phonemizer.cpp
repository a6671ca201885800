#include "text/phonemizer.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/utf8.h"
#include "locale/message_error.h"
#include "locale/messages/feature_errors.h"
#include "text/characters.h"
#include "text/latin_letters.h"
#include "text/word_index.h"

namespace qanat {
namespace {

// Persian words as espeak-ng has to be given them, so that it says what a reader would.
//
// Raised whenever espeak_spelling() gives something else for some text: phonemes of before are
// stale.
inline constexpr int kEspeakSpellingVersion = 1;

using std::string_view;

struct Respelled {
  string_view word;
  string_view spelled;
};

// Heard with espeak-ng 1.51. A ZWNJ makes it read the parts as words of their own.
constexpr std::array kRespelled = {
    Respelled{"ترابایت", "تِرابایْت"},
    Respelled{"کیلوبیت", "کیلو‌بیط"},
    Respelled{"مگابیت", "مگا‌بیط"},
    Respelled{"گیگابیت", "گیگا‌بیط"},
    Respelled{"گیگاهرتز", "گیگا‌هرتز"},
    Respelled{"مگاوات", "مِگاوات"},
    Respelled{"نانومتر", "نانو‌متر"},
    Respelled{"میلی‌گرم", "می‌لی‌گِرَم"},
    Respelled{"دسی‌بل", "دِسی‌بِل"},
    Respelled{"سانتی‌گراد", "سانتی‌گِراد"},
    Respelled{"فارنهایت", "فارِنهایْت"},
    Respelled{"فریم", "فِریم"},
    Respelled{"پی‌پی‌ام", "پیپیئِم"},
    Respelled{"پی‌اس‌آی", "پیئِس‌آی"},
};
constexpr WordIndex kRespelledIndex(kRespelled, &Respelled::word);

// میلی‌متر, میلی‌آمپر and the like.
constexpr Respelled kMilli{"میلی‌", "می‌لی‌"};

void append_respelled(std::string& out, string_view word) {
  if (const std::size_t row = kRespelledIndex.find(word); row < kRespelled.size()) {
    out += kRespelled[row].spelled;
  } else if (word.starts_with(kMilli.word)) {
    out += kMilli.spelled;
    out += word.substr(kMilli.word.size());
  } else {
    out += word;
  }
}

// Puts each shadda in front of its vowel. Both take two bytes.
void swap_shadda(std::string& text) {
  constexpr char32_t kShadda = 0x0651;
  std::size_t before = text.size();
  char32_t previous = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const char32_t code_point = next_code_point(text, at);
    if (code_point == kShadda && previous >= 0x064B && previous <= 0x0650) {
      std::swap_ranges(text.begin() + static_cast<std::ptrdiff_t>(before),
                       text.begin() + static_cast<std::ptrdiff_t>(begin),
                       text.begin() + static_cast<std::ptrdiff_t>(begin));
    }
    before = begin;
    previous = code_point;
  }
}

// Words of one language, spaces between them. Names of units that espeak-ng misreads get vowels or
// parts it reads right; a shadda stands before its vowel, because behind it, the order of NFC, it
// is named instead of spoken.
std::string espeak_spelling(string_view words) {
  std::string out;
  out.reserve(words.size() + words.size() / 4);
  while (!words.empty()) {
    const string_view word = words.substr(0, words.find(' '));
    append_respelled(out, word);
    out += word.size() < words.size() ? " " : "";
    words.remove_prefix(std::min(word.size() + 1, words.size()));
  }
  swap_shadda(out);
  return out;
}

constexpr int kMaxFailuresInARow = 3;

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

  // Of letters, and of what stands between two of one script; a space between words counts.
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

}  // namespace

std::vector<PhonemeChunk> split_for_phonemes(std::string_view normalised) {
  return ChunkSplitter(decode_utf8(normalised)).split();
}

Phonemizer::Phonemizer(const PhonemizerConfig& config)
    : version_(require_version(config)),
      cache_(config.cache_file, version_),
      english_(config, "en-us"),
      persian_(config, "fa") {}

Result<std::string> Phonemizer::phonemes(std::string_view normalised) {
  const std::vector<PhonemeChunk> chunks = split_for_phonemes(normalised);
  std::vector<std::optional<std::string>> phonemes;
  for (const PhonemeChunk& chunk : chunks) {
    const bool mark = chunk.kind == PhonemeChunk::Kind::mark;
    phonemes.push_back(mark ? std::optional(chunk.text) : cache_.find(chunk.language, chunk.text));
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
  Voice& speaker = voice(language);
  const std::lock_guard lock(speaker.mutex);
  if (speaker.failures_in_a_row >= kMaxFailuresInARow) {
    return Failure{
        "espeak-ng failed several times in a row and is not asked again; try "
        "`qanat data text` with a sentence to see whether it answers"};
  }
  std::vector<std::string> asked = lines;
  std::ranges::transform(asked, asked.begin(), espeak_spelling);
  Result<std::vector<std::string>> answers = speaker.espeak.phonemes(asked);
  speaker.failures_in_a_row = answers ? 0 : speaker.failures_in_a_row + 1;
  if (!answers) {
    return answers.failure();
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    cache_.insert(language, lines[i], answers.value()[i]);
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
