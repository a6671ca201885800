// One spelling for what Persian writers spell in several ways: خانه‌ی, خانه ی and
// خانهٔ; میروم, می روم and می‌روم; کتابها, کتاب ها and
// کتاب‌ها.
#pragma once

#include <string>
#include <string_view>

namespace qanat {

// `text` is tidy. Only what is safe without a dictionary changes; words that merely look alike
// (میدان, تنها) stay. Doing it twice changes nothing.
std::string unify_persian_spelling(std::string_view text);

}  // namespace qanat
