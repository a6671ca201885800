// How what a function throws becomes a status and a text.
#pragma once

#include <string>

#include "capi/qanat.h"

namespace qanat {

// To be freed with delete[]; null when there is no memory.
char* copy_text(const std::string& text) noexcept;

// Names the exception that is being handled. Its text goes to *why, unless that is null, as a copy
// to be freed with delete[].
qanat_status current_failure(char** why) noexcept;

}  // namespace qanat
