// Log-mel spectrogram of a clip (mel_config.h says which one). Pure DSP: samples in, frames out.
//
// One per worker thread: it owns its scratch memory, so extract() allocates nothing. Copies share
// the immutable tables. Every extractor of a machine gives the same bits for the same samples.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "features/kernels.h"
#include "features/mel_config.h"
#include "features/simd_buffer.h"

namespace qanat {

class MelTables;

class MelExtractor {
 public:
  // With the fastest kernels of this machine. Throws Error when `config` has problems().
  explicit MelExtractor(const MelConfig& config = {});
  MelExtractor(const MelConfig& config, const MelKernels& kernels);

  const MelConfig& config() const;

  // Writes [frames, mel_bins] row by row; out.size() has to be mel_frames(samples) * mel_bins.
  // Samples are finite, full scale is 1. Frame f begins frame_lead() samples before sample f * hop.
  // What it needs from before the first or after the last sample is, with MelPadding::reflect, the
  // clip mirrored at that sample, to and fro when the clip is shorter than the reach of a frame.
  void extract(std::span<const float> samples, std::span<float> out, MelUse use = MelUse::soon);
  // The same for 16-bit samples, to the bit: full scale is 32768.
  void extract(std::span<const std::int16_t> samples,
               std::span<float> out,
               MelUse use = MelUse::soon);

 private:
  template <typename Sample>
  void extract_frames(std::span<const Sample> samples, std::span<float> out, MelUse use);
  bool can_stream(std::span<const float> out) const;
  template <typename Sample>
  void fill_tile(std::span<const Sample> samples, std::ptrdiff_t first_column, int columns);
  template <typename Sample>
  const Sample* column(std::span<const Sample> samples, std::ptrdiff_t index, int lane);

  std::shared_ptr<const MelTables> tables_;  // shared by copies
  SimdBuffer tile_;
  SimdBuffer work_;
  SimdBuffer bands_;
  std::vector<float> mirrored_;  // one hop for each lane
  std::vector<std::int16_t> mirrored_pcm16_;
};

}  // namespace qanat
