// The samples of one audio file as a stream, whatever its format.
//
// AudioDecoder and inspect_audio read through this; plain 16-bit WAV has a shorter way in
// AudioDecoder. One thread at a time per source; the file must outlive it.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "audio/audio_file.h"
#include "audio/audio_header.h"
#include "audio/wav_layout.h"
#include "base/quantity.h"
#include "base/result.h"

namespace qanat {

class AudioSource {
 public:
  virtual ~AudioSource() = default;

  // Within the limits of check_audio_header().
  virtual const AudioHeader& header() const = 0;

  // Fills whole frames of interleaved samples, full scale +-1 (floats may exceed it or not be
  // finite), and returns how many frames; fewer than there is room for only at the end. The read
  // of the last frame verifies what the format has a checksum of.
  virtual Result<std::size_t> read(std::span<float> interleaved) = 0;

  // The next read begins with this frame. What the format has a checksum of is not verified then.
  // Where it is no cheap thing to do, the frames before it are read.
  virtual Result<Done> seek(SampleCount frame);

  // How many frames may be missing at the end without the file being called truncated.
  virtual SampleCount slack() const { return SampleCount{0}; }
};

using AudioSourcePtr = std::unique_ptr<AudioSource>;

AudioSourcePtr make_wav_source(const AudioFile& file, const WavLayout& layout);
// Opens what has no reader of its own.
Result<AudioSourcePtr> open_sndfile_source(const AudioFile& file);

// The ID3 tag that the bytes begin with; 0 without one.
std::size_t id3_size(std::span<const std::byte> prefix);

// Whether the bytes begin like FLAC, with or without an ID3 tag.
bool is_flac(std::span<const std::byte> prefix);

// Whether the bytes begin like MPEG audio (MP3), with or without an ID3 tag.
bool is_mpeg(std::span<const std::byte> prefix);

// The layout of a file for which is_wav(prefix) holds; nothing if libsndfile has to read it.
Result<std::optional<WavLayout>> read_wav_layout(const AudioFile& file,
                                                 std::span<const std::byte> prefix);

// Opens with the reader that the first bytes call for. `prefix` are the first bytes of the file,
// 4096 of them if it has that many.
Result<AudioSourcePtr> open_audio_source(const AudioFile& file, std::span<const std::byte> prefix);
Result<AudioSourcePtr> open_audio_source(const AudioFile& file);

// What the file says about itself, read without decoding it. Never blocks on a named pipe. MP3 is
// scanned from end to end, since its own header only estimates the length; all other formats cost a
// few kilobytes of reading.
Result<AudioHeader> read_audio_header(const std::filesystem::path& path);
// The same of a clip that is open; failures do not name it.
Result<AudioHeader> read_audio_header(const AudioFile& file);

// Hands every frame that the header promises to `see`, a chunk of `buffer` at a time; stops at
// the first failure. Fewer frames than promised are a Failure, except for the source's slack.
using SeeSamples = std::function<Result<Done>(std::span<float> interleaved)>;
Result<Done> read_promised(AudioSource& source, std::vector<float>& buffer, const SeeSamples& see);

}  // namespace qanat
