// Which words are forms of a verb behind می: روم of میروم is, دان of میدان is not.
#pragma once

#include <string_view>

namespace qanat {

// A stem and an ending of the present or the past.
bool is_persian_verb_form(std::string_view word);

}  // namespace qanat
