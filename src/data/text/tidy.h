// The last step of normalisation: spaces, repeated marks and ZWNJ where they belong.
#pragma once

#include <string>
#include <string_view>

namespace qanat {

// One space between words and behind closing marks, none at the ends, before closing marks or
// behind opening ones; a repeated mark once. A hyphen stays inside words; between spaces
// it is a dash; elsewhere it goes. ZWNJ stays between Persian letters, gives way to
// spaces and marks, and becomes a space between a Persian letter and anything else. Latin and
// Persian words part.
std::string tidy_text(std::string_view text);

}  // namespace qanat
