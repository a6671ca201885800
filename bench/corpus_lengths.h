// Utterance lengths distributed like LJSpeech's, for benchmarks that need no audio.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace qanat {

// Lengths in samples at 22050 Hz whose mean is `mean_frames` frames of 256 samples: the shape of
// LJSpeech's durations (1.1 s to 10.1 s, mean 6.57 s, standard deviation 2.18 s), scaled. The
// same arguments give the same lengths everywhere.
std::vector<std::int64_t> ljspeech_like_lengths(std::size_t count,
                                                double mean_frames,
                                                std::uint64_t seed);

}  // namespace qanat
