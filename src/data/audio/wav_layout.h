// Where the samples of a RIFF/WAVE file lie.
//
// Pure: knows bytes, not files. Trusts nothing in them; allocates nothing but failure texts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "audio/audio_header.h"
#include "audio/sample_format.h"
#include "base/quantity.h"
#include "base/result.h"

namespace qanat {

struct WavLayout {
  SampleRate rate;
  int channels = 0;
  SampleFormat format = SampleFormat::pcm_s16;
  SampleCount samples;           // per channel
  std::int64_t data_offset = 0;  // from the beginning of the file; even

  AudioHeader header() const;
  Bytes frame_bytes() const;  // of one sample of every channel
};

// Fills `out` with the bytes of a file from `offset` on, or returns false if it cannot.
using FetchBytes = std::function<bool(Bytes offset, std::span<std::byte> out)>;

// Whether the bytes begin like a little-endian RIFF/WAVE file.
bool is_wav(std::span<const std::byte> prefix);

// The layout of PCM or float samples in a file of `file_size` bytes for which is_wav() holds;
// nothing for other encodings (A-law, ADPCM, ...), which are a matter for libsndfile.
// The data size 0 or 0xFFFFFFFF of a writer that could not seek back means "to the end". A size
// larger than the file, and data after which no chunk follows, are failures.
Result<std::optional<WavLayout>> parse_wav(const FetchBytes& fetch, Bytes file_size);
Result<std::optional<WavLayout>> parse_wav(std::span<const std::byte> whole_file);

}  // namespace qanat
