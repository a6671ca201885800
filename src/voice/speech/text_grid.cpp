#include "speech/text_grid.h"

#include <string_view>

#include <fmt/format.h>

#include "base/utf8.h"

namespace qanat {
namespace {

// Quotation marks are doubled; a line stays one.
std::string escaped(const std::string& label) {
  std::string result;
  for (const char c : label) {
    result += c == '\n' || c == '\r' ? ' ' : c;
    if (c == '"') {
      result += '"';
    }
  }
  return result;
}

// Whether a symbol belongs to a word. ZWNJ and the apostrophe stand inside words; IPA marks do too.
bool is_of_word(const std::string& symbol) {
  constexpr std::u32string_view kBetween = U" .,!?;:…؟،؛()[]«»\"“”-–—\uFFFD";
  const std::u32string letters = decode_utf8(symbol);
  return letters.size() == 1 && kBetween.find(letters.front()) == std::u32string_view::npos;
}

}  // namespace

std::string to_text_grid(const std::vector<GridTier>& tiers, double end) {
  std::string out = fmt::format(
      "File type = \"ooTextFile\"\nObject class = \"TextGrid\"\n\nxmin = 0\nxmax = {:.6f}\n"
      "tiers? <exists>\nsize = {}\nitem []:\n",
      end,
      tiers.size());
  for (std::size_t t = 0; t < tiers.size(); ++t) {
    const GridTier& tier = tiers[t];
    out += fmt::format(
        "    item [{}]:\n        class = \"IntervalTier\"\n        name = \"{}\"\n"
        "        xmin = 0\n        xmax = {:.6f}\n        intervals: size = {}\n",
        t + 1,
        escaped(tier.name),
        end,
        tier.intervals.size());
    for (std::size_t i = 0; i < tier.intervals.size(); ++i) {
      const GridInterval& one = tier.intervals[i];
      out += fmt::format(
          "        intervals [{}]:\n            xmin = {:.6f}\n            xmax = {:.6f}\n"
          "            text = \"{}\"\n",
          i + 1,
          one.begin,
          one.end,
          escaped(one.label));
    }
  }
  return out;
}

std::vector<GridInterval> token_intervals(const TokenTimes& times, const Tokenizer& tokenizer) {
  std::vector<GridInterval> intervals;
  std::int64_t frame = 0;
  for (std::size_t i = 0; i < times.tokens.size(); ++i) {
    const std::int64_t next = frame + times.frames[i];
    intervals.push_back({.begin = static_cast<double>(frame) * times.frame_s,
                         .end = static_cast<double>(next) * times.frame_s,
                         .label = tokenizer.symbol(times.tokens[i])});
    frame = next;
  }
  return intervals;
}

std::vector<GridInterval> word_intervals(const TokenTimes& times, const Tokenizer& tokenizer) {
  std::vector<GridInterval> words;
  bool in_word = false;
  for (const GridInterval& token : token_intervals(times, tokenizer)) {
    const bool of_word = is_of_word(token.label);
    if (words.empty() || of_word != in_word) {
      words.push_back({.begin = token.begin, .end = token.end, .label = ""});
    }
    in_word = of_word;
    words.back().end = token.end;
    words.back().label += of_word ? token.label : "";
  }
  return words;
}

}  // namespace qanat
