// Random Unicode of all scripts: nothing is dropped without a word, and time is bounded.
//
// The first byte chooses the language, the second how code points are made of the rest.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/utf8.h"
#include "text/any_language.h"
#include "text/clauses.h"
#include "text/learnt_symbols.h"
#include "text/tokenizer.h"
#include "text/unicode_data.h"

namespace {

constexpr std::array<std::string_view, 12> kLanguages = {
    "de", "ru", "el", "tr", "zh", "ja", "hi", "ar", "ko", "th", "am", "chr"};

// The first code points of blocks, so that a few bytes reach every script.
constexpr std::array<char32_t, 24> kBlocks = {0x20,   0xA0,   0x300,  0x370,  0x400,   0x530,
                                              0x590,  0x600,  0x900,  0x980,  0xB80,   0xE00,
                                              0x10A0, 0x1100, 0x1200, 0x1E00, 0x2000,  0x2100,
                                              0x3040, 0x4E00, 0xAC00, 0xFB00, 0x1F300, 0x10000};

std::string make_text(const std::uint8_t* data, std::size_t size) {
  if (size > 0 && data[0] % 4 == 0) {
    return {reinterpret_cast<const char*>(data) + 1, size - 1};  // bytes, well-formed or not
  }
  std::string text;
  for (std::size_t i = 1; i + 1 < size; i += 2) {
    const char32_t block = kBlocks[data[i] % kBlocks.size()];
    qanat::append_utf8(text, block + data[i + 1]);
  }
  return text;
}

// Marks may be joined with their letter, everything else stays one for one.
std::size_t count_visible(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count_if(qanat::decode_utf8(text), [](char32_t c) {
    const qanat::CharacterKind kind = qanat::kind_of(c);
    return kind != qanat::CharacterKind::space && kind != qanat::CharacterKind::invisible &&
           kind != qanat::CharacterKind::mark;
  }));
}

// What can be seen, in parts: the same for a letter and its marks, joined or not.
std::size_t count_parts(const std::string& text) {
  std::size_t parts = 0;
  for (const char32_t code_point : qanat::decode_utf8(text)) {
    const qanat::CharacterKind kind = qanat::kind_of(code_point);
    const bool seen =
        kind != qanat::CharacterKind::space && kind != qanat::CharacterKind::invisible;
    parts += seen ? qanat::decompose(code_point).size() : 0;
  }
  return parts;
}

void check_characters(const std::string& text, const qanat::LanguageTag& language) {
  const qanat::Result<std::string> words = qanat::normalise_any(text, language);
  if (!words) {
    QANAT_CHECK(!words.failure().what.empty());
    return;
  }
  QANAT_CHECK(!qanat::first_invalid_utf8(words.value()));
  const qanat::Result<std::string> again = qanat::normalise_any(words.value(), language);
  QANAT_CHECK(again && again.value() == words.value()) << "not settled";
  const qanat::Result<std::string> line = qanat::tidy_line(text);
  QANAT_CHECK(line.ok());
  QANAT_CHECK(count_visible(words.value()) == count_visible(line.value()))
      << "something was dropped";
  qanat::SymbolCollector collector(qanat::SymbolSet::characters);
  collector.add(words.value(), language);
  const qanat::Tokenizer tokenizer(qanat::SymbolSet::characters, collector.learnt({}));
  QANAT_CHECK(tokenizer.unknown_symbols(words.value(), language).empty());
  QANAT_CHECK(tokenizer.decode(tokenizer.encode(words.value(), language)) == words.value());
}

void check_line(const std::string& text) {
  const qanat::Result<std::string> line = qanat::tidy_line(text);
  if (!line) {
    return;
  }
  QANAT_CHECK(count_parts(line.value()) == count_parts(text)) << "something was dropped";
  std::string joined;
  for (const std::string& part : qanat::split_long_line(line.value(), 60)) {
    QANAT_CHECK(part.size() <= 60 && !part.empty());
    joined += part;
  }
  const auto without_spaces = [](std::string one) {
    std::erase(one, ' ');
    return one;
  };
  QANAT_CHECK(without_spaces(joined) == without_spaces(line.value()));
  static_cast<void>(qanat::join_clauses(line.value(), {"a", "b"}));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) {
    return 0;
  }
  const qanat::LanguageTag language =
      *qanat::to_language_tag(kLanguages[data[0] % kLanguages.size()]);
  const std::string text = make_text(data + 1, size - 1);
  const std::clock_t begin = std::clock();
  check_characters(text, language);
  check_line(text);
  const double took = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  QANAT_CHECK(took < 0.1 + static_cast<double>(text.size()) * 1e-5) << took << " s";
  return 0;
}
