// Which frame of one clip belongs to which of another: dynamic time warping, coarse to fine
// (FastDTW, Salvador and Chan 2007). Time and memory grow with the length of the clips, not with
// its square. Pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace qanat {

// [frames, size], row by row; `skip` leading values of a frame do not count for the warp.
struct Frames {
  std::span<const double> values;
  std::size_t size = 0;
  std::size_t skip = 0;

  std::size_t count() const { return values.size() / size; }
  std::span<const double> row(std::size_t frame) const {
    return values.subspan(frame * size + skip, size - skip);
  }
};

struct FramePair {
  std::uint32_t left = 0;
  std::uint32_t right = 0;

  bool operator==(const FramePair&) const = default;
};

// From the first frames of both to the last ones; every step goes on in one of them or in both.
// `radius`: how many frames of the next coarser path a path may leave it by; that of pymcd is 1,
// and one as large as the clips gives the exact path. Empty where one has no frames.
std::vector<FramePair> warp_path(const Frames& left, const Frames& right, std::size_t radius = 1);

}  // namespace qanat
