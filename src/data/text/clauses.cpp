#include "text/clauses.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/utf8.h"
#include "text/folded_marks.h"
#include "text/unicode_data.h"

namespace qanat {
namespace {

bool is_pause(char32_t code_point) {
  constexpr std::u32string_view kPauses = U".,;:?!—…";
  return kPauses.find(folded_mark(code_point)) != std::u32string_view::npos;
}

// Full stops and commas of scripts without spaces are pauses wherever they stand.
bool is_wide(char32_t code_point) {
  return code_point >= 0x3000;
}

bool pauses_at(std::u32string_view text, std::size_t at) {
  if (!is_pause(text[at])) {
    return false;
  }
  const bool ends_word = at + 1 == text.size() || is_wide(text[at]) ||
                         kind_of(text[at + 1]) == CharacterKind::space ||
                         kind_of(text[at + 1]) == CharacterKind::punctuation;
  return ends_word || text[at] == U'—' || text[at] == U'…';
}

}  // namespace

std::vector<Clause> split_clauses(std::string_view line) {
  const std::u32string text = decode_utf8(line);
  std::vector<Clause> clauses(1);
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (pauses_at(text, at)) {
      append_utf8(clauses.back().marks, folded_mark(text[at]));
      continue;
    }
    if (!clauses.back().marks.empty() &&
        (kind_of(text[at]) == CharacterKind::letter || kind_of(text[at]) == CharacterKind::digit ||
         kind_of(text[at]) == CharacterKind::sign)) {
      clauses.emplace_back();
    }
    append_utf8(clauses.back().words, text[at]);
  }
  const auto says_nothing = [](const Clause& clause) {
    return std::ranges::none_of(decode_utf8(clause.words), [](char32_t c) {
      const CharacterKind kind = kind_of(c);
      return kind == CharacterKind::letter || kind == CharacterKind::digit ||
             kind == CharacterKind::sign;
    });
  };
  std::erase_if(clauses, says_nothing);
  return clauses;
}

std::string join_clauses(std::string_view line, const std::vector<std::string>& spoken) {
  const std::vector<Clause> clauses = split_clauses(line);
  const bool same = clauses.size() == spoken.size();
  std::string text;
  for (std::size_t i = 0; i < spoken.size(); ++i) {
    text += text.empty() || spoken[i].empty() ? "" : " ";
    text += spoken[i];
    if (same) {
      text += clauses[i].marks;
    } else if (i + 1 == spoken.size() && !clauses.empty()) {
      text += clauses.back().marks;
    }
  }
  return text;
}

std::vector<std::string> split_long_line(std::string_view line, std::size_t longest) {
  std::vector<std::string> parts;
  while (line.size() > longest) {
    std::size_t end = line.rfind(' ', longest);
    if (end == std::string_view::npos || end == 0) {
      end = longest;
      while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xC0) == 0x80) {
        --end;  // into no character
      }
    }
    parts.emplace_back(line.substr(0, end));
    line.remove_prefix(end);
    line.remove_prefix(line.starts_with(' ') ? 1 : 0);
  }
  if (!line.empty()) {
    parts.emplace_back(line);
  }
  return parts;
}

}  // namespace qanat
