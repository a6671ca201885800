// Units as English text writes them behind a number, beyond the signs both languages share.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "text/number_scan.h"

namespace qanat {

struct EnglishUnit {
  std::string words;
  std::size_t length = 0;  // bytes; 0: no unit stands here
};

// The unit `text` starts with, in the form that `number` asks for.
EnglishUnit find_english_unit(std::string_view text, const WrittenNumber& number);

}  // namespace qanat
