#include "text/folded_marks.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "base/utf8.h"

namespace qanat {
namespace {

struct FoldedMarks {
  std::string_view marks;  // any of them
  std::string_view mark;
};
constexpr std::array kFoldedMarks = {
#include "text/punctuation_rows.inc"
};

struct FoldedMark {
  char32_t from = 0;
  char32_t to = 0;
};

// Sorted by code point.
std::vector<FoldedMark> make_folded_marks() {
  std::vector<FoldedMark> folded;
  for (const FoldedMarks& row : kFoldedMarks) {
    // A hyphen is how these tables write an empty column.
    const char32_t to = row.mark.empty() ? U'-' : decode_utf8(row.mark)[0];
    for (const char32_t from : decode_utf8(row.marks)) {
      folded.push_back({.from = from, .to = to});
    }
  }
  std::ranges::sort(folded, {}, &FoldedMark::from);
  return folded;
}

}  // namespace

char32_t folded_mark(char32_t code_point) {
  static const std::vector<FoldedMark> kFolded = make_folded_marks();
  const auto found = std::ranges::lower_bound(kFolded, code_point, {}, &FoldedMark::from);
  return found != kFolded.end() && found->from == code_point ? found->to : code_point;
}

}  // namespace qanat
