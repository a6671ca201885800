// The sentence for why something was not read. Journals and JSON keep the reason as it is; reports
// say it in the language asked for. Pure.
#pragma once

#include <string_view>

#include "base/message.h"

namespace qanat {

// The message for a reason that this program gives; the reason itself, never translated, when it
// comes from somewhere else, such as a driver.
MessageArg reading_words(std::string_view why);

}  // namespace qanat
