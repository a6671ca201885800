#include "text/unicode_data.h"

#include <array>
#include <cstddef>

#include <utf8proc.h>

#include "base/check.h"

namespace qanat {

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

bool is_space(char32_t code_point) {
  return utf8proc_category(static_cast<utf8proc_int32_t>(code_point)) == UTF8PROC_CATEGORY_ZS;
}

}  // namespace qanat
