#include "dataset/manifest_form.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/utf8.h"

namespace qanat {
namespace {

constexpr std::string_view kSpace = " \t\r\v\f";
constexpr int kRowsThatDecide = 1000;
constexpr std::size_t kMaxCells = 5;
constexpr std::size_t kMaxRowBytes = 1 << 16;

using Cells = std::vector<std::string_view>;

std::string_view without_ends(std::string_view cell) {
  const std::size_t begin = cell.find_first_not_of(kSpace);
  return begin == std::string_view::npos
             ? std::string_view()
             : cell.substr(begin, cell.find_last_not_of(kSpace) - begin + 1);
}

// What is before the next `mark`, which is taken away with it.
std::string_view take_until(std::string_view& rest, char mark) {
  const std::size_t end = std::min(rest.find(mark), rest.size());
  const std::string_view taken = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return taken;
}

// Letters and digits of a word, small. Bytes beyond ASCII are letters.
std::string plain_word(std::string_view word) {
  std::string plain;
  for (const char byte : word) {
    const auto c = static_cast<unsigned char>(byte);
    if (c >= 0x80 || std::isalnum(c) != 0) {
      plain.push_back(static_cast<char>(std::tolower(c)));
    }
  }
  return plain;
}

std::unordered_set<std::string> plain_words(std::string_view text) {
  std::unordered_set<std::string> words;
  while (!text.empty()) {
    std::string word = plain_word(take_until(text, ' '));
    if (!word.empty()) {
      words.insert(std::move(word));
    }
  }
  return words;
}

bool share_a_word(std::string_view one, std::string_view other) {
  const std::unordered_set<std::string> words = plain_words(other);
  const std::unordered_set<std::string> wanted = plain_words(one);
  return std::ranges::any_of(wanted, [&](const auto& word) { return words.contains(word); });
}

bool is_number(std::string_view cell) {
  return std::ranges::all_of(cell, [](unsigned char c) { return std::isdigit(c) != 0; });
}

// `en`, `EN`, `fas`, `en-US`
bool is_language_code(std::string_view cell) {
  const std::string_view code = cell.substr(0, cell.find_first_of("-_"));
  return (code.size() == 2 || code.size() == 3) &&
         std::ranges::all_of(code, [](unsigned char c) { return std::isalpha(c) != 0; });
}

// What one column holds, in the rows where it and its neighbour hold something.
struct ColumnFacts {
  std::size_t characters = 0;
  std::size_t distinct = 0;
  bool recurs = false;  // with another neighbour
  bool has_blank = false;
  bool is_numbers = true;
  bool is_codes = true;
};

// `rows` have a cell `column` and a cell `neighbour`.
ColumnFacts facts_of(const std::vector<Cells>& rows, std::size_t column, std::size_t neighbour) {
  ColumnFacts facts;
  std::unordered_map<std::string_view, std::string_view> seen;  // the neighbour by the cell
  for (const Cells& row : rows) {
    const std::string_view cell = row[column];
    const auto [before, is_first] = seen.emplace(cell, row[neighbour]);
    facts.recurs = facts.recurs || (!is_first && before->second != row[neighbour]);
    facts.has_blank = facts.has_blank || cell.find(' ') != std::string_view::npos;
    facts.is_numbers = facts.is_numbers && is_number(cell);
    facts.is_codes = facts.is_codes && is_language_code(cell);
    facts.characters += num_code_points(cell);
  }
  facts.distinct = seen.size();
  return facts;
}

bool is_far_shorter(const ColumnFacts& one, const ColumnFacts& other) {
  return 2 * one.characters <= other.characters;
}

// The second column and the third, in rows where both hold something.
struct MiddleColumns {
  ColumnFacts second;
  ColumnFacts third;
  std::ptrdiff_t rows = 0;
  std::ptrdiff_t shared = 0;  // rows in which they share a word

  // The third is a text and its normalised form: about as long, and of the same words.
  bool are_texts() const { return 2 * shared > rows && !is_far_shorter(third, second); }
  bool third_is_label() const { return third.recurs || (third.is_numbers && !second.is_numbers); }
};

MiddleColumns middle_of(std::vector<Cells> rows) {
  std::erase_if(rows, [](const Cells& row) { return row[1].empty() || row[2].empty(); });
  const auto shared =
      std::ranges::count_if(rows, [](const Cells& row) { return share_a_word(row[1], row[2]); });
  return {.second = facts_of(rows, 1, 2),
          .third = facts_of(rows, 2, 1),
          .rows = std::ssize(rows),
          .shared = shared};
}

// Sentences that several speakers read recur as their speakers do.
ManifestForm by_size(const ColumnFacts& second, const ColumnFacts& third) {
  if (is_far_shorter(second, third)) {
    return ManifestForm::speaker_text;
  }
  if (is_far_shorter(third, second)) {
    return ManifestForm::text_speaker;
  }
  if (2 * second.distinct <= third.distinct) {
    return ManifestForm::speaker_text;
  }
  return 2 * third.distinct <= second.distinct ? ManifestForm::text_speaker
                                               : ManifestForm::cannot_tell;
}

ManifestForm form_of_three(const MiddleColumns& middle) {
  const auto& [second, third, rows, shared] = middle;
  if (rows == 0 || middle.are_texts()) {
    return ManifestForm::texts;
  }
  if (middle.third_is_label()) {
    if (second.recurs) {
      return by_size(second, third);
    }
    return is_far_shorter(third, second) ? ManifestForm::text_speaker : ManifestForm::cannot_tell;
  }
  if (second.recurs) {
    return ManifestForm::speaker_text;
  }
  if (is_far_shorter(third, second)) {
    return ManifestForm::cannot_tell;
  }
  return rows < 2 || shared > 0 || second.has_blank ? ManifestForm::texts
                                                    : ManifestForm::cannot_tell;
}

ManifestForm form_of_four(const std::vector<Cells>& rows, const MiddleColumns& middle) {
  if (middle.rows == 0 || middle.are_texts()) {
    return ManifestForm::texts;
  }
  std::vector<Cells> whole = rows;
  std::erase_if(whole, [](const Cells& row) { return row[2].empty() || row[3].empty(); });
  const ColumnFacts third = facts_of(whole, 2, 3);
  const ColumnFacts fourth = facts_of(whole, 3, 2);
  const bool is_label = middle.third_is_label() || third.recurs || middle.third.is_codes;
  if (!whole.empty() && is_label && third.is_codes && is_far_shorter(third, fourth)) {
    return ManifestForm::speaker_language_text;
  }
  if (!is_label || !is_far_shorter(middle.third, middle.second)) {
    return ManifestForm::texts;
  }
  return !whole.empty() && fourth.is_codes ? ManifestForm::text_speaker_language
                                           : ManifestForm::cannot_tell;
}

// The rows that have as many cells as most of them, trimmed.
std::vector<Cells> usual_rows(std::string_view text, char line_end) {
  std::array<std::vector<Cells>, kMaxCells + 1> by_size_of_row;
  for (int count = 0; !text.empty() && count < kRowsThatDecide;) {
    std::string_view line = take_until(text, line_end);
    if (line.size() > kMaxRowBytes || first_invalid_utf8(line)) {
      continue;
    }
    Cells cells;
    while (!line.empty() && cells.size() <= kMaxCells) {
      const bool is_last = line.find('|') == std::string_view::npos;
      cells.push_back(without_ends(take_until(line, '|')));
      if (!is_last && line.empty()) {
        cells.emplace_back();
      }
    }
    if (cells.size() > 1 && cells.size() <= kMaxCells) {
      by_size_of_row.at(cells.size()).push_back(std::move(cells));
      ++count;
    }
  }
  std::ranges::reverse(by_size_of_row);  // of equally many, the longer rows
  return std::move(*std::ranges::max_element(by_size_of_row, {}, &std::vector<Cells>::size));
}

}  // namespace

ManifestForm manifest_form(std::string_view rows, char line_end) {
  const std::vector<Cells> usual = usual_rows(rows, line_end);
  if (usual.empty() || usual.front().size() < 3) {
    return ManifestForm::texts;
  }
  const MiddleColumns middle = middle_of(usual);
  return usual.front().size() == 3 ? form_of_three(middle) : form_of_four(usual, middle);
}

ManifestColumns columns_of(ManifestForm form) {
  constexpr int kAbsent = ManifestColumns::kAbsent;
  switch (form) {
    case ManifestForm::speaker_text:
      return {0, 2, kAbsent, 1, kAbsent, 3, 3};
    case ManifestForm::text_speaker:
      return {0, 1, kAbsent, 2, kAbsent, 2, 3};
    case ManifestForm::speaker_language_text:
      return {0, 3, kAbsent, 1, 2, 4, 4};
    case ManifestForm::text_speaker_language:
      return {0, 1, kAbsent, 2, 3, 2, 4};
    case ManifestForm::texts:
    case ManifestForm::cannot_tell:
      break;
  }
  return {};
}

std::string_view name_of(ManifestForm form) {
  switch (form) {
    case ManifestForm::speaker_text:
      return "id|speaker|text";
    case ManifestForm::text_speaker:
      return "id|text|speaker";
    case ManifestForm::speaker_language_text:
      return "id|speaker|language|text";
    case ManifestForm::text_speaker_language:
      return "id|text|speaker|language";
    case ManifestForm::texts:
    case ManifestForm::cannot_tell:
      break;
  }
  return "id|text|normalised|speaker|language";
}

}  // namespace qanat
