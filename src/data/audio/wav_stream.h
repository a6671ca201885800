// A mono 16-bit WAV file that can be played while it is written.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "base/files.h"
#include "base/quantity.h"

namespace qanat {

// Owner. Until finish(), and in what cannot be rewound, the header says "longer than any file", as
// players of streams expect.
class WavStream {
 public:
  // "-" is standard output. Throws Error when the file cannot be made.
  WavStream(const std::filesystem::path& path, SampleRate rate);

  // Samples are rounded and bounded as by write_wav(). On the way to whoever reads when it returns.
  // Throws Error when the disk refuses, the reader has gone, or a WAV file cannot be longer.
  void write(std::span<const float> mono);
  // Puts the true length into the header of a file.
  void finish();

  std::int64_t samples() const { return samples_; }

 private:
  void put(std::span<const std::byte> bytes);

  std::filesystem::path path_;
  SampleRate rate_;
  UniqueFd file_;  // empty: standard output
  std::int64_t samples_ = 0;
  std::vector<std::int16_t> rounded_;
};

}  // namespace qanat
