// What makes samples of log-mel: Griffin-Lim, which is always there, or a trained generator.
// Whoever speaks holds this interface and says in its report which one it was.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "features/mel_config.h"

namespace qanat {

// One per thread: may own scratch memory. The same input gives the same samples on every call.
class Vocoder {
 public:
  Vocoder() = default;
  Vocoder(const Vocoder&) = delete;
  Vocoder& operator=(const Vocoder&) = delete;
  virtual ~Vocoder() = default;

  // In reports and JSON: "griffin-lim", "hifi-gan", "vocos".
  virtual std::string name() const = 0;
  // The log-mel it understands.
  virtual const MelConfig& mel() const = 0;

  // How many frames before and behind a frame its samples depend on, at most: so many are computed
  // twice where speech is made in chunks. Nothing: on all, so chunks are not what the whole is.
  virtual std::optional<int> context() const = 0;

  // [frames, mel_bins] of natural logs, row by row, to frames * hop samples; full scale is 1.
  virtual std::vector<float> synthesise(std::span<const float> log_mel) = 0;
};

}  // namespace qanat
