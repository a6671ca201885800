// Reads ahead for whoever goes through a file from one end to the other, as a pass over headers
// does: a thousand small reads become a few large requests.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "archive/random_access.h"

namespace qanat {

struct ScanWindow {
  Bytes first{64 * 1024};  // of a request
  Bytes most = mebibytes(8);
  // Bytes between two reads that are fetched with them, whether or not somebody wants them.
  Bytes gap{16 * 1024};

  // For a file whose bytes stay where they are read again.
  static constexpr ScanWindow kept() {
    return {.first = mebibytes(1), .most = mebibytes(8), .gap = mebibytes(4)};
  }
};

// Thread-safe, but made for one reader.
class ScanAccess final : public RandomAccess {
 public:
  // Requests grow where the reader skips little.
  explicit ScanAccess(std::shared_ptr<const RandomAccess> file, const ScanWindow& sizes = {})
      : file_(std::move(file)), sizes_(sizes) {}

  Bytes size() const override { return file_->size(); }
  Result<Done> read(Bytes offset, std::span<std::byte> out) const override;

 private:
  Result<Done> refill(std::int64_t offset, std::int64_t size) const;

  const std::shared_ptr<const RandomAccess> file_;  // shared with who reads clips
  const ScanWindow sizes_;
  mutable std::mutex mutex_;              // guards all below
  mutable std::vector<std::byte> bytes_;  // that were read last
  mutable std::int64_t begin_ = 0;        // where they begin
  mutable std::int64_t window_ = 0;       // how many were asked for
};

}  // namespace qanat
