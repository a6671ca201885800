// What a request for speech says about the voice and the chunks, as the model takes it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "features/mel_config.h"
#include "speech/vocode_chunks.h"

namespace qanat {

// Log-mel of the middle of a recording, [frames, mel_bins]. Throws Error when it cannot be read or
// is too short.
std::vector<float> read_reference(const std::filesystem::path& path, const MelConfig& config);

// The place of a name in the speaker table; nothing for the empty name. Throws Error naming the
// speakers there are.
std::optional<int> find_speaker(const std::string& name, const std::vector<std::string>& speakers);

// At least one.
int frames_of(Seconds length, const MelConfig& mel);

// For who listens while it is made: a first chunk soon, large ones later.
ChunkLengths streaming_chunks(const MelConfig& mel);

}  // namespace qanat
