// Numbers with the separators Persian writers use: ۱/۲۵۰/۰۰۰ and ۱.۲۵۰.۰۰۰ are groups of
// thousands, ۲۲/۵ is a decimal.
#pragma once

#include <optional>
#include <string_view>

#include "text/number_scan.h"

namespace qanat {

// The number at the start of `text`, folded. One group behind a slash or point (۲۵۰/۰۰۰) counts as
// thousands before a currency, or when it is 000.
std::optional<WrittenNumber> scan_persian_amount(std::string_view text);

}  // namespace qanat
