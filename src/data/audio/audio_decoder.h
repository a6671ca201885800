// Any audio file as mono samples at one rate.
//
// Owner of the buffers it decodes into: keep one per worker thread. Plain 16-bit mono WAV at the
// target rate costs one read into a buffer that is used again; nothing is allocated per file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "audio/audio_file.h"
#include "audio/audio_source.h"
#include "audio/wav_layout.h"
#include "base/quantity.h"
#include "base/result.h"

struct soxr;

namespace qanat {

// One mono signal from one sample rate to another: soxr, quality HQ (20 bits, linear phase).
//
// Owner of the engine for one signal: push..., finish. Reusing it saves nothing: soxr designs its
// filter again for every signal (0.04 to 0.4 ms), whether the engine is new or cleared.
// One thread at a time.
class Resampler {
 public:
  Resampler(SampleRate from, SampleRate to);

  // Appends to `output` what can be computed so far.
  void push(std::span<const float> input, std::vector<float>& output);
  // Appends the rest. soxr rounds its own way: the caller trims to resampled_length().
  void finish(std::vector<float>& output);

 private:
  struct Delete {
    void operator()(::soxr* engine) const;
  };

  struct Progress {
    std::size_t taken = 0;    // of the input
    std::size_t written = 0;  // to the output
  };
  // One call of soxr with room for `room` samples; a null input means that the signal has ended.
  Progress run(std::span<const float> input, std::size_t room, std::vector<float>& output);

  SampleRate from_;
  SampleRate to_;
  std::unique_ptr<::soxr, Delete> engine_;
};

using AudioSamples = std::variant<std::span<const std::int16_t>, std::span<const float>>;

// Counts samples of a decoded file, at the rate it is decoded to.
struct SampleRange {
  SampleCount first;
  SampleCount count;
};

class AudioDecoder {
 public:
  explicit AudioDecoder(SampleRate target) : target_(target) {}

  // Channels are averaged, the rate converted, the result bounded to [-1, 1]. As many samples as
  // resampled_length() says of the header. The span is valid until the next call. A file that
  // holds fewer samples than its header says, or a sample that is NaN, is a Failure.
  Result<std::span<const float>> decode(const std::filesystem::path& path);
  Result<std::span<const float>> decode(const AudioFile& file);

  // The same as 16-bit PCM: bit-exact for 16-bit mono at the target rate, else rounded.
  Result<std::span<const std::int16_t>> decode_pcm16(const std::filesystem::path& path);

  // The same in whichever of the two costs nothing more: 16-bit mono at the target rate as it is,
  // anything else as decode() has it.
  Result<AudioSamples> decode_as_held(const std::filesystem::path& path);

  // The same of a clip that is open, wherever it lies. Failures do not name it.
  Result<AudioSamples> decode_as_held(const AudioFile& file);
  // What was decoded last, as 16-bit PCM. Valid as long as that.
  std::span<const std::int16_t> last_as_pcm16();

  // A part of what decode_pcm16() gives: reads and decodes no more of the file than that takes, so
  // what lies outside of it is not checked. Resampled files agree to the last bit but one. Fewer
  // samples than asked for are a Failure.
  Result<std::span<const std::int16_t>> decode_pcm16(const AudioFile& file,
                                                     const SampleRange& range);
  Result<std::span<const std::int16_t>> decode_pcm16(const std::filesystem::path& path,
                                                     const SampleRange& range);

 private:
  enum class Held { pcm, floats };

  Result<Held> load_range(const AudioFile& file, const SampleRange& range);
  Result<Held> load_plain_range(const AudioFile& file,
                                const WavLayout& layout,
                                const SampleRange& range);
  Result<Held> load_any_range(AudioSource& source, const SampleRange& range);
  // The next frames of a source, as floats_ appends them.
  Result<Done> append_frames(AudioSource& source,
                             SampleCount frames,
                             std::optional<Resampler>& resampler);
  Result<std::span<const std::int16_t>> as_pcm16(const std::filesystem::path& path,
                                                 const Result<Held>& held);

  // Leaves the samples in pcm_ (a plain file, as it is) or in floats_ (any other).
  Result<Held> load(const std::filesystem::path& path);
  Result<Held> load(const AudioFile& file);
  Result<Held> load_plain(const AudioFile& file, const WavLayout& layout, std::size_t already_read);
  Result<Held> load_any(AudioSource& source);
  // Mixes, checks and appends to floats_, through `resampler` unless the rate is right.
  Result<Done> append(std::span<const float> interleaved,
                      int channels,
                      std::optional<Resampler>& resampler);
  void release_large_buffers();

  SampleRate target_;
  Held last_ = Held::floats;  // where the samples are
  PageBuffer bytes_;          // the beginning of the file; all of it if plain
  std::span<const std::int16_t> pcm_;
  std::vector<float> interleaved_;
  std::vector<float> mono_;
  std::vector<float> floats_;
  std::vector<std::int16_t> rounded_;
};

}  // namespace qanat
