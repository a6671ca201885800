#include "text/unicode_data.h"

#include <array>
#include <cstddef>
#include <cstdlib>
#include <memory>

#include <utf8proc.h>

#include "base/check.h"

namespace qanat {
namespace {

utf8proc_category_t category_of(char32_t code_point) {
  return utf8proc_category(static_cast<utf8proc_int32_t>(code_point));
}

// Unicode calls them punctuation, but they stand for words.
bool is_spoken_mark(char32_t code_point) {
  constexpr std::u32string_view kSpoken = U"#%&*@/\\_§¶†‡‰‱٪؉؊⁂※‿⁀⁄＿";
  return kSpoken.find(code_point) != std::u32string_view::npos;
}

bool is_blank_control(char32_t code_point) {
  return (code_point >= 0x09 && code_point <= 0x0D) || code_point == 0x85;
}

}  // namespace

CharacterKind kind_of(char32_t code_point) {
  constexpr char32_t kKashida = 0x0640;  // makes a word wider; a letter to Unicode
  if (is_blank_control(code_point)) {
    return CharacterKind::space;
  }
  if ((code_point >= 0xFE00 && code_point <= 0xFE0F) || code_point == kKashida) {
    return CharacterKind::invisible;
  }
  switch (category_of(code_point)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
      return CharacterKind::letter;
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME:
      return CharacterKind::mark;
    case UTF8PROC_CATEGORY_ZS:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
      return CharacterKind::space;
    case UTF8PROC_CATEGORY_CC:
    case UTF8PROC_CATEGORY_CF:
      return CharacterKind::invisible;
    case UTF8PROC_CATEGORY_PC:
    case UTF8PROC_CATEGORY_PD:
    case UTF8PROC_CATEGORY_PS:
    case UTF8PROC_CATEGORY_PE:
    case UTF8PROC_CATEGORY_PI:
    case UTF8PROC_CATEGORY_PF:
    case UTF8PROC_CATEGORY_PO:
      return is_spoken_mark(code_point) ? CharacterKind::sign : CharacterKind::punctuation;
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_NO:
      return CharacterKind::digit;
    default:
      return CharacterKind::sign;
  }
}

std::u32string decompose(char32_t code_point) {
  constexpr std::size_t kLongest = 18;  // U+FDFA
  std::array<utf8proc_int32_t, kLongest> parts{};
  int boundary = 0;
  const utf8proc_ssize_t count =
      utf8proc_decompose_char(static_cast<utf8proc_int32_t>(code_point),
                              parts.data(),
                              parts.size(),
                              static_cast<utf8proc_option_t>(UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT),
                              &boundary);
  QANAT_CHECK(count > 0 && static_cast<std::size_t>(count) <= kLongest);
  return {parts.begin(), parts.begin() + count};
}

std::string compose_marks(std::string_view utf8) {
  utf8proc_uint8_t* made = nullptr;
  const utf8proc_ssize_t size =
      utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(utf8.data()),
                   static_cast<utf8proc_ssize_t>(utf8.size()),
                   &made,
                   static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
  const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owned(made, &std::free);
  QANAT_CHECK(size >= 0) << utf8proc_errmsg(size);
  return {reinterpret_cast<const char*>(made), static_cast<std::size_t>(size)};
}

char32_t to_small(char32_t code_point) {
  return static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(code_point)));
}

bool is_space(char32_t code_point) {
  return category_of(code_point) == UTF8PROC_CATEGORY_ZS;
}

}  // namespace qanat
