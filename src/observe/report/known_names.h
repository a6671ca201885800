// The words for names that JSON and journals use: stages, phases, roles, endings, and reasons why
// something was not read. Pure.
#pragma once

#include <string_view>

#include "base/message.h"

namespace qanat {

// The message for a name; the name itself, never translated, when there is none.
MessageArg in_words(std::string_view name);

}  // namespace qanat
