// One mono signal from one sample rate to another: soxr, quality HQ (20 bits, linear phase).
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "base/quantity.h"

struct soxr;

namespace qanat {

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

}  // namespace qanat
