// Which audio files there are: one table of their endings, first bytes and readers. A new format is
// a row in audio_formats.cpp and a reader beside it.
#pragma once

#include <string_view>
#include <vector>

namespace qanat {

// In the order in which they are looked for, in lower case: ".wav".
const std::vector<std::string_view>& audio_endings();

// Whether a file of this name is audio, by its ending in lower or upper case.
bool has_audio_ending(std::string_view name);

}  // namespace qanat
