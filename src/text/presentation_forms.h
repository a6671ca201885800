// Arabic presentation forms (U+FB50-FDFF, U+FE70-FEFC): the shapes old programs stored instead of
// letters.
#pragma once

#include <string_view>

namespace qanat {

// The letters a form stands for, as UTF-8 in Persian spelling; empty when it is not such a form
// or stands for nothing that is read.
std::string_view presentation_form_letters(char32_t code_point);

}  // namespace qanat
