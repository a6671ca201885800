// What two clips are compared by: length, pitch, mel cepstra and log-mel of one clip.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <vector>

#include "audio/audio_decoder.h"
#include "base/quantity.h"
#include "base/result.h"
#include "base/time.h"
#include "evaluate/mel_cepstrum.h"
#include "evaluate/spectral_envelope.h"
#include "features/mel_extractor.h"

namespace qanat {

struct ClipAnalysis {
  Seconds duration{0};
  std::vector<double> pitch{};    // [frames] Hz, 0 where unvoiced; every 5 ms
  std::vector<double> cepstra{};  // [frames, kMelCepstrumSize]
  std::vector<double> log_mel{};  // [mel frames, mel_bins]
  std::size_t mel_bins = 0;
};

// Clips are utterances: longer ones need memory that several threads do not have.
inline constexpr Seconds kMaxClip{120};
// Shorter ones hold no frame of log-mel.
inline constexpr Seconds kMinClip{0.05};

// Owns what is used again for every clip: one per thread.
class ClipAnalyser {
 public:
  ClipAnalyser();

  // Any file that can be decoded, at 22050 Hz. A Failure says why it cannot be compared.
  Result<ClipAnalysis> analyse(const std::filesystem::path& file);
  // Samples at 22050 Hz, of a length between kMinClip and kMaxClip.
  ClipAnalysis analyse(std::span<const float> samples);

 private:
  MelExtractor extractor_;
  AudioDecoder decoder_;
  SpectralEnvelope envelope_;
  MelCepstrum cepstrum_;
};

}  // namespace qanat
