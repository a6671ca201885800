// One number for everything that decides what features look like, apart from the audio and text of
// the utterance itself. Shards carry it; another number means that their entries are stale.
#pragma once

#include <cstdint>

#include "features/mel_config.h"

namespace qanat {

// `text_settings` is the hash of the text front end: symbols, normaliser, phonemes or not.
std::uint64_t feature_fingerprint(const MelConfig& config, std::uint64_t text_settings);

}  // namespace qanat
