// The ezafe, the unwritten vowel that ties Persian words together, where no grammar is needed to
// know it: in fixed compounds (وزارتِ امورِ خارجه) and behind words that always carry it (بدونِ).
#pragma once

#include <string>
#include <string_view>

namespace qanat {

// Adds the kasra to tidy text. Most of the ezafe of a text is not found. Doing it twice changes
// nothing.
std::string mark_ezafe(std::string_view text);

}  // namespace qanat
